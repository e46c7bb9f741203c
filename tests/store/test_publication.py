"""What became of published results from one state to the next: added, superseded or withdrawn, never edited."""

import gzip
import json
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from kit.results_folders import ROUNDS, TASKS, Tree, json_lines

from sitegen.problems import Problem
from sitegen.store.compare.history import history_problems

FINDING = '\n[[findings]]\ndate = 2026-07-01\nkind = "{kind}"\ntitle = "Slip"\nreason = "{reason}"\n'
WAIVER = FINDING.format(kind="waiver", reason="seen") + 'code = "CLAIM-DIFFERS"\nby = "Ada"\n'
SECOND = "2026-06-26-other"


class Pair(NamedTuple):
    """Two states of a results folder."""

    was: Tree
    now: Tree

    def problems(self) -> list[Problem]:
        """Compare them."""
        return list(history_problems(self.was.folder, self.now.folder))

    def told(self) -> list[tuple[str, str, int | None]]:
        """Compare them; give code, path and line of each error; a warning tells only that maintainers do such."""
        problems = [problem for problem in self.problems() if problem.code != "HISTORY-MAINTAINED"]
        assert all(problem.is_error for problem in problems)
        return [
            (problem.code, problem.path.relative_to(self.now.benchmark).as_posix(), problem.line)
            for problem in problems
        ]

    def said(self) -> str:
        """Compare them; give the fact of the one problem."""
        (problem,) = self.problems()
        return problem.what


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    """Two equal states, each with two submissions."""
    trees = Tree(tmp_path / "was"), Tree(tmp_path / "now")
    for tree in trees:
        manifest = (tree.bundle / "submission.toml").read_text(encoding="utf-8").replace("Acme-1", "acme one")
        tree.add(SECOND, *ROUNDS, manifest=manifest)
    return Pair(*trees)


BUNDLE = "submissions/2026-06-25-acme"


def test_what_did_not_change_is_no_problem(pair: Pair) -> None:
    assert pair.told() == []


def test_submissions_may_be_added_with_the_benchmark_that_they_begin(pair: Pair) -> None:
    pair.now.add("2026-07-01-new", *ROUNDS)
    shutil.copytree(pair.now.benchmark, pair.now.folder / "other")
    assert pair.told() == []


def test_tracks_task_sets_and_findings_may_be_added_where_no_submission_comes(pair: Pair) -> None:
    pair.now.define("[aliases]", '[[tracks]]\nid = "third"\nprotocol = "once"\n\n[aliases]')
    pair.now.put("tasks/more.jsonl", json_lines(*TASKS))
    pair.now.findings(FINDING.format(kind="note", reason=""))
    assert pair.told() == []


@pytest.mark.parametrize("state", ["superseded", "withdrawn"])
def test_a_submission_may_be_superseded_or_withdrawn(pair: Pair, state: str) -> None:
    status = f'[status]\nstate = "{state}"\nby = "someone"\nreason = "A leak"\ndate = 2026-07-01\n\n[detail]'
    pair.now.edit("submission.toml", "[detail]", status)
    assert pair.told() == []
    assert pair.said() == f"Acme-1: published before, and {state} now"


def stand(tree: Tree, status: str) -> None:
    """Write a status into the manifest of the first submission."""
    tree.edit("submission.toml", "[detail]", f"[status]\n{status}\n\n[detail]")


@pytest.mark.parametrize(
    ("old", "new"),
    [("withdrawn", "published"), ("withdrawn", "superseded"), ("withdrawn", "lost"), ("superseded", "lost")],
)
def test_a_submission_does_not_come_back(pair: Pair, old: str, new: str) -> None:
    """Nor does it by a state that there is none of."""
    stand(pair.was, f'state = "{old}"')
    stand(pair.now, f'state = "{new}"')
    assert pair.told() == [("HISTORY-STATUS", f"{BUNDLE}/submission.toml", 10)]
    assert pair.said() == f"Acme-1: {old} before, and {new} now"


@pytest.mark.parametrize("status", [None, 'reason = "better now"'])
def test_a_submission_without_a_state_is_published(pair: Pair, status: str | None) -> None:
    stand(pair.was, 'state = "superseded"')
    if status:
        stand(pair.now, status)
    assert [code for code, _, _ in pair.told()] == ["HISTORY-STATUS"]
    assert pair.said() == "Acme-1: superseded before, and published now"


@pytest.mark.parametrize(("old", "new"), [("superseded", "withdrawn"), ("lost", "published")])
def test_a_status_may_go_on(pair: Pair, old: str, new: str) -> None:
    stand(pair.was, f'state = "{old}"')
    stand(pair.now, f'state = "{new}"')
    assert pair.told() == []


def test_a_submission_that_is_gone_is_told_with_its_agent(pair: Pair) -> None:
    shutil.rmtree(pair.now.bundle.with_name(SECOND))
    assert pair.told() == [("HISTORY-DELETED", f"submissions/{SECOND}", None)]
    assert pair.said() == f"the submission {SECOND} of Acme-1 was removed"


def test_a_submission_by_another_name_is_told_with_that(pair: Pair) -> None:
    pair.was.change(1, passed=2)
    pair.now.change(1, passed=2)
    pair.now.bundle.rename(pair.now.bundle.with_name("2026-07-07-acme"))
    (problem,) = pair.problems()
    assert (
        problem.what == "the submission 2026-06-25-acme of Acme-1 was removed; 2026-07-07-acme contains the same rounds"
    )
    assert problem.fix == "give the folder its name back, or name both addresses in `[[renamed]]` of benchmark.toml"


@pytest.mark.parametrize("has_rounds", [True, False])
def test_a_submission_with_other_rounds_is_another(pair: Pair, has_rounds: bool) -> None:  # noqa: FBT001
    if not has_rounds:
        (pair.was.bundle / "rounds.jsonl").unlink()
    pair.now.change(1, passed=2)
    pair.now.bundle.rename(pair.now.bundle.with_name("2026-07-07-acme"))
    assert pair.said() == "the submission 2026-06-25-acme of Acme-1 was removed"


@pytest.mark.parametrize("agent", ["", 'agent = "Acme-1"', '[agent]\norganization = "Acme"'])
def test_a_submission_that_is_gone_is_told_where_its_manifest_names_no_agent(pair: Pair, agent: str) -> None:
    pair.was.write("submission.toml", f'track = "main"\n{agent}\n')
    shutil.rmtree(pair.now.bundle)
    assert pair.said() == "the submission 2026-06-25-acme of an agent without a name was removed"


def test_a_submission_that_is_gone_is_told_where_the_definition_is_broken(pair: Pair) -> None:
    shutil.rmtree(pair.now.bundle)
    pair.now.define("schema = 1", "schema = ")
    assert ("HISTORY-DELETED", BUNDLE, None) in pair.told()


def test_files_and_hidden_folders_beside_submissions_are_none(pair: Pair) -> None:
    (pair.was.bundle.parent / "notes.txt").touch()
    (pair.was.bundle.parent / ".scratch").mkdir()
    assert pair.told() == []


RENAMED = '[[renamed]]\nfrom = "mini/main/2026-06-25-acme"\nto = "mini/main/2026-07-07-acme"\n\n[aliases]'


def test_a_submission_may_be_renamed_where_the_definition_tells_both_addresses(pair: Pair) -> None:
    pair.now.bundle.rename(pair.now.bundle.with_name("2026-07-07-acme"))
    pair.now.define("[aliases]", RENAMED)
    assert pair.told() == []


def test_a_benchmark_may_be_renamed_where_its_definition_tells_so(pair: Pair) -> None:
    pair.now.define('id = "mini"', 'id = "maxi"')
    pair.now.define("[aliases]", '[[renamed]]\nfrom = "mini"\nto = "maxi"\n\n[aliases]')
    pair.now.benchmark.rename(pair.now.folder / "maxi")
    assert pair.problems() == []


def test_the_checks_of_a_benchmark_are_renamed_with_it(pair: Pair) -> None:
    for tree in pair:
        tree.put("checks.jsonl", '{"submission": "2026-06-25-acme"}\n')
    pair.now.define('id = "mini"', 'id = "maxi"')
    pair.now.define("[aliases]", '[[renamed]]\nfrom = "mini"\nto = "maxi"\n\n[aliases]')
    pair.now.benchmark.rename(pair.now.folder / "maxi")
    assert pair.problems() == []


def test_a_submission_that_is_renamed_does_not_change(pair: Pair) -> None:
    pair.now.change(1, passed=2)
    pair.now.bundle.rename(pair.now.bundle.with_name("2026-07-07-acme"))
    pair.now.define("[aliases]", RENAMED)
    edited = [problem for problem in pair.told() if problem[0] != "HISTORY-NOT-OWN"]
    assert edited == [("HISTORY-EDITED", "submissions/2026-07-07-acme/rounds.jsonl", 1)]


def test_a_benchmark_that_is_gone_is_told_once(pair: Pair) -> None:
    """Whatever another one holds that does not say that it was this one."""
    pair.now.benchmark.rename(pair.now.folder / "alike")
    (problem,) = pair.problems()
    assert (problem.code, problem.path, problem.line) == ("HISTORY-DELETED", pair.now.benchmark, None)
    assert problem.what == "the benchmark mini was removed, along with 2 submissions"
    assert problem.fix == "put it back as it was, or name both names in `[[renamed]]` of its benchmark.toml"


def test_changed_records_are_named_with_their_agent_and_values(pair: Pair) -> None:
    pair.now.change(1, reward=0, passed=2)
    pair.now.change(2, passed=2)
    assert pair.told() == [("HISTORY-EDITED", f"{BUNDLE}/rounds.jsonl", 1)]
    assert pair.said() == (
        "Acme-1: 2 records differ: tidy, attempt 1, round 1 (reward 1 → 0, passed 3 → 2); "
        "tidy, attempt 1, round 2 (passed 3 → 2)"
    )


def test_an_agent_goes_by_the_name_that_was_published(pair: Pair) -> None:
    """Who changes a record may change the agent's name with it."""
    folder = pair.now.bundle.with_name(SECOND)
    (folder / "submission.toml").write_text(
        (folder / "submission.toml").read_text(encoding="utf-8").replace("acme one", "Zeta"), encoding="utf-8"
    )
    assert pair.said() == "Acme-1: `agent.name` acme one → Zeta"


def test_records_that_are_new_or_gone_are_named(pair: Pair) -> None:
    pair.now.rounds(ROUNDS[0], {**ROUNDS[1], "attempt": 2}, ROUNDS[2])
    assert pair.said() == (
        "Acme-1: 2 records differ: tidy, attempt 2, round 2 (new); tidy, attempt 1, round 2 (removed)"
    )


def test_of_many_records_some_are_named_and_all_are_counted(pair: Pair) -> None:
    records = [{**ROUNDS[0], "round": number} for number in range(1, 31)]
    pair.was.rounds(*records)
    pair.now.rounds(*({**record, "passed": 1} for record in records))
    message = pair.said()
    assert message.startswith("Acme-1: 30 records differ: tidy, attempt 1, round 1 (passed 3 → 1); ")
    assert message.endswith("; tidy, attempt 1, round 12 (passed 3 → 1) … and 18 more")


def test_records_in_another_order_are_another_file(pair: Pair) -> None:
    pair.now.rounds(ROUNDS[0], ROUNDS[2], ROUNDS[1])
    assert pair.told() == [("HISTORY-EDITED", f"{BUNDLE}/rounds.jsonl", 2)]
    assert pair.said() == "Acme-1: its lines were rewritten in another order or format"


def test_a_record_that_is_broken_now_is_named_all_the_same(pair: Pair) -> None:
    text = (pair.now.bundle / "rounds.jsonl").read_text(encoding="utf-8")
    pair.now.write("rounds.jsonl", text.replace('"reward": 1', '"reward": '))
    assert pair.told() == [("HISTORY-EDITED", f"{BUNDLE}/rounds.jsonl", 1)]
    assert pair.said() == "Acme-1: 2 records differ: line 1 (new); tidy, attempt 1, round 1 (removed)"


def test_texts_of_failed_cases_are_compared_unpacked(pair: Pair) -> None:
    case = {"task": "tidy", "attempt": 1, "round": 2, "case": "total"}
    for tree, reason in ((pair.was, "exit 0"), (pair.now, "exit 1")):
        tree.write("failures.jsonl.gz", gzip.compress(json_lines({**case, "reason": reason}).encode()))
    assert pair.told() == [("HISTORY-EDITED", f"{BUNDLE}/failures.jsonl.gz", 1)]
    assert pair.said() == "Acme-1: 1 record differs: tidy, attempt 1, round 2, case total (reason exit 0 → exit 1)"


def test_a_file_may_neither_come_nor_go(pair: Pair) -> None:
    run = json_lines({"task": "tidy", "attempt": 1, "turns": 3})
    pair.now.write("runs.jsonl", run)
    assert pair.said() == "Acme-1: runs.jsonl is new"
    pair.was.write("runs.jsonl", run)
    assert pair.told() == []
    (pair.now.bundle / "runs.jsonl").unlink()
    assert pair.told() == [("HISTORY-EDITED", f"{BUNDLE}/runs.jsonl", None)]
    assert pair.said() == "Acme-1: runs.jsonl was removed"


def test_a_link_in_the_place_of_a_file_is_no_file(pair: Pair) -> None:
    """What a link leads to may hold the same today, and anything tomorrow."""
    rounds = pair.now.bundle / "rounds.jsonl"
    rounds.rename(pair.now.folder / "elsewhere.jsonl")
    rounds.symlink_to(pair.now.folder / "elsewhere.jsonl")
    assert [code for code, _, _ in pair.told()] == ["HISTORY-EDITED"]


def test_a_changed_key_of_the_manifest_is_named_with_its_line(pair: Pair) -> None:
    pair.now.edit("submission.toml", "date = 2026-06-25", "date = 2026-06-26")
    assert pair.told() == [("HISTORY-EDITED", f"{BUNDLE}/submission.toml", 3)]
    assert pair.said() == "Acme-1: `date` 2026-06-25 → 2026-06-26"
    pair.now.edit("submission.toml", 'organization = "Acme"', 'organization = "Ajax"')
    assert pair.said() == "Acme-1: `date` 2026-06-25 → 2026-06-26; `agent.organization` Acme → Ajax"


def test_a_claim_keeps_its_decimals(pair: Pair) -> None:
    pair.now.edit("submission.toml", "= 25.0", "= 25.00")
    assert pair.said() == "Acme-1: `claims.dataset_score` 25.0 → 25.00"


def test_a_comment_in_the_manifest_is_none_of_this(pair: Pair) -> None:
    pair.now.edit("submission.toml", "schema = 1", "schema = 1  # the first one")
    assert pair.told() == []


def test_a_manifest_that_is_broken_now_differs(pair: Pair) -> None:
    pair.now.edit("submission.toml", "schema = 1", "schema = ")
    assert pair.told() == [("HISTORY-EDITED", f"{BUNDLE}/submission.toml", None)]
    assert pair.said() == "Acme-1: submission.toml differs, and can't be read"


@pytest.mark.parametrize(
    ("old", "new", "expected_message"),
    [
        ({}, {"rounds": [{"n": 1}]}, "`rounds.1.n` of task tidy 2 → –"),
        ({}, {"rounds": [{"n": 1}, {"n": 2}, {"n": 3}]}, "`rounds.2.n` of task tidy – → 3"),
        ({}, {"rounds": [{"n": 1, "weight": 0.5}, {"n": 2}]}, "`rounds.0.weight` of task tidy – → 0.5"),
        ({"digest": "a"}, {"digest": "b"}, "`digest` of task tidy a → b"),
        (
            {"rounds": [{"n": 1, "cases": [{"id": "x"}]}]},
            {"rounds": [{"n": 1, "cases": [{"id": "x"}, {"id": "y"}]}]},
            "`rounds.0.cases.1.id` of task tidy – → y",
        ),
    ],
)
def test_tasks_that_submissions_were_scored_by_stay(
    pair: Pair, old: object, new: object, expected_message: str
) -> None:
    for tree, facts in ((pair.was, old), (pair.now, new)):
        tree.put("tasks/all.jsonl", json_lines(json.loads(json.dumps(TASKS[0])) | facts, TASKS[1]))
    assert pair.told() == [("HISTORY-TASKS", "tasks/all.jsonl", 1)]
    assert pair.said() == expected_message


@pytest.mark.parametrize(
    "facts",
    [
        {"title": "Tidy", "url": "https://example.org/tidy"},
        {"labels": {"kind": "game"}},
        {"digest": "a"},
        {"rounds": [{"n": 1, "title": "Begin", "cases": [{"id": "x"}]}, {"n": 2}]},
    ],
)
def test_tasks_may_be_told_of_in_other_words_and_in_more_detail(pair: Pair, facts: dict[str, object]) -> None:
    pair.now.put("tasks/all.jsonl", json_lines(TASKS[0] | facts, TASKS[1]))
    assert pair.told() == []


def test_tasks_neither_come_nor_go(pair: Pair) -> None:
    pair.now.put("tasks/all.jsonl", json_lines(TASKS[1], {"id": "fresh", "rounds": [{"n": 1}]}))
    assert pair.told() == [("HISTORY-TASKS", "tasks/all.jsonl", None)]
    assert pair.said() == "task tidy is missing; task fresh is new"


def test_a_task_set_without_submissions_may_change(pair: Pair) -> None:
    for tree, number in ((pair.was, 1), (pair.now, 2)):
        tree.put("tasks/draft.jsonl", json_lines({"id": "x", "rounds": [{"n": number}]}))
    assert pair.told() == []


def test_the_conditions_of_a_track_with_submissions_stay(pair: Pair) -> None:
    pair.now.define('protocol = "chain"', 'protocol = "once"')
    assert pair.told() == [("HISTORY-TRACK", "benchmark.toml", 9)]
    assert pair.said() == "track main has submissions: `protocol` chain → once"


def test_the_conditions_of_a_track_without_submissions_may_change(pair: Pair) -> None:
    pair.now.define('protocol = "fail-stop"', 'protocol = "once"')
    assert pair.told() == []


def test_a_finding_is_neither_removed_nor_changed(pair: Pair) -> None:
    pair.was.findings(FINDING.format(kind="leak", reason="seen"))
    pair.now.findings("")
    assert pair.told() == [("HISTORY-FINDING", "findings.toml", None)]
    assert pair.said() == "the finding “Slip” was removed"
    pair.now.findings(FINDING.format(kind="note", reason="x") + FINDING.format(kind="leak", reason="not seen"))
    assert pair.told() == [("HISTORY-FINDING", "findings.toml", 9)]
    assert pair.said() == "the finding “Slip” differs: `reason` seen → not seen"


def test_a_finding_may_name_what_it_corrects_later_and_then_keeps_it(pair: Pair) -> None:
    earlier, later = FINDING.format(kind="leak", reason="seen"), FINDING.format(kind="note", reason="x")
    linked = f'{later}corrects = "2026-07-01-slip"\n'
    pair.was.findings(earlier + later)
    pair.now.findings(earlier + linked)
    assert pair.told() == []
    pair.was.findings(earlier + linked)
    pair.now.findings(earlier + later)
    assert [code for code, _, _ in pair.told()] == ["HISTORY-FINDING"]


@pytest.mark.parametrize("new_findings", ["", f"{WAIVER}until = 2026-08-01\n", f"{WAIVER}until = 2026-09-01\n"])
def test_a_waiver_may_go_or_end_sooner(pair: Pair, new_findings: str) -> None:
    pair.was.findings(f"{WAIVER}until = 2026-09-01\n")
    pair.now.findings(new_findings)
    assert pair.told() == []


@pytest.mark.parametrize(
    "new_findings", [WAIVER, f"{WAIVER}until = 2026-10-01\n", f"{WAIVER}until = 2026-09-01\ntasks = []\n"]
)
def test_a_waiver_does_not_grow(pair: Pair, new_findings: str) -> None:
    pair.was.findings(f"{WAIVER}until = 2026-09-01\n")
    pair.now.findings(new_findings)
    assert [code for code, _, _ in pair.told()] == ["HISTORY-FINDING"]


RELEASE = 'schema = 1\ndate = 2026-07-01\ntitle = "First"\n\n[[benchmarks]]\nid = "mini"\nheadline = 41.5\n'


def released(tree: Tree, text: str) -> Path:
    """Write a release beside the benchmark, whatever it says."""
    folder = tree.folder / "releases"
    folder.mkdir(exist_ok=True)
    (folder / "2026-07-01.toml").write_text(text, encoding="utf-8")
    return folder / "2026-07-01.toml"


def test_a_release_stays_as_it_was_locked(pair: Pair) -> None:
    released(pair.was, RELEASE)
    path = released(pair.now, RELEASE)
    assert pair.problems() == []
    path.write_text(RELEASE.replace("41.5", "93.5"), encoding="utf-8")
    (problem,) = pair.problems()
    assert (problem.code, problem.path, problem.line, problem.is_error) == ("HISTORY-RELEASE", path, 7, True)
    assert problem.what == "the release 2026-07-01 differs: `benchmarks.0.headline` 41.5 → 93.5"


@pytest.mark.parametrize("new_release", [None, "no TOML ["])
def test_a_release_does_not_vanish(pair: Pair, new_release: str | None) -> None:
    released(pair.was, RELEASE)
    if new_release:
        released(pair.now, new_release)
    (problem,) = pair.problems()
    expected_change = "differs: it can't be read" if new_release else "was removed"
    assert (problem.code, problem.what) == ("HISTORY-RELEASE", f"the release 2026-07-01 {expected_change}")


def test_a_release_may_be_added_and_its_comments_edited(pair: Pair) -> None:
    released(pair.now, RELEASE)
    assert pair.problems() == []
    released(pair.was, f"# locked\n{RELEASE}")
    assert pair.problems() == []
