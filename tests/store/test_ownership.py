"""The gate: what a request may change beside its own submission, and what the first line says of it."""

import json
import re
from pathlib import Path

import pytest
from kit.command import sitegen
from kit.requests import (
    BRINGING,
    FORBIDDEN_ALONE,
    FORBIDDEN_BESIDE,
    MAINTAINING,
    Draft,
    Edit,
    RequestMaker,
    add_track,
    begin_track,
    define_otherwise,
    fill_empty_track,
    new_row,
    note_about_own,
    register,
    supersede_own,
    withdraw_row,
)
from kit.results_folders import seal

from sitegen.problems import Problem, errors_of
from sitegen.store.compare.changed_parts import read_request
from sitegen.store.compare.history import history_problems
from sitegen.store.compare.journal_history import journal_problems
from sitegen.store.compare.matching import Matches
from sitegen.store.compare.ownership import (
    OWNERSHIP,
    Change,
    ChangeKind,
    Request,
    ownership_problems,
    request_line,
)

DATA_PROBLEMS = 1
PAGE = Path(__file__).parents[2] / "site_src" / "docs" / "security.md"


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> RequestMaker:
    return RequestMaker(tmp_path_factory.mktemp("gate"))


def errors(maker: RequestMaker, *edits: Edit) -> list[Problem]:
    """Return the errors of history about some edits."""
    maker.only(*edits)
    return list(errors_of(history_problems(maker.base, maker.head)))


@pytest.mark.parametrize("name", FORBIDDEN_BESIDE)
def test_a_submission_brings_no_change_of_others(maker: RequestMaker, name: str) -> None:
    problems = errors(maker, new_row, FORBIDDEN_BESIDE[name])
    assert problems, name
    assert all(problem.path.is_relative_to(maker.head) and problem.fix for problem in problems)


@pytest.mark.parametrize("name", FORBIDDEN_ALONE)
def test_nobody_changes_what_is_published(maker: RequestMaker, name: str) -> None:
    assert errors(maker, FORBIDDEN_ALONE[name]), name


@pytest.mark.parametrize("edit", [*BRINGING, *MAINTAINING], ids=lambda edit: edit.__name__)
def test_an_honest_change_is_no_error(maker: RequestMaker, edit: Edit) -> None:
    assert errors(maker, edit) == []


@pytest.mark.parametrize("name", ["checks a namesake", "arrives as a namesake"])
def test_an_id_that_another_benchmark_has_is_new_here(maker: RequestMaker, name: str) -> None:
    (problem,) = errors(maker, FORBIDDEN_BESIDE[name])
    assert (problem.code, problem.is_error) == ("HISTORY-JOURNAL", True)
    assert problem.what.endswith("lines are new in a request that adds only-beta")


def bring_namesake_and_fail_the_leader(draft: Draft) -> None:
    """Bring a row whose id another benchmark has, and record a failed check of a published one."""
    FORBIDDEN_BESIDE["checks a namesake"](draft)
    path = draft.path("checks.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    failed = json.loads(lines[0]) | {"agreed": 1}
    path.write_text(lines[0] + json.dumps(failed) + "\n", encoding="utf-8")


def test_a_namesake_records_no_failed_check(maker: RequestMaker) -> None:
    assert [error.code for error in errors(maker, bring_namesake_and_fail_the_leader)] == ["HISTORY-JOURNAL"]


@pytest.mark.parametrize(
    ("lines_after", "line"),
    [("\none\n\ntwo\n\n\nthree\n", 7), ("one\n\n\nchanged\n", 4), ("\n\none\n", None)],
)
def test_a_problem_of_a_journal_has_the_line_in_its_file(tmp_path: Path, lines_after: str, line: int | None) -> None:
    for name, text in (("base", "one\ntwo\n"), ("head", lines_after)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "arrivals.jsonl").write_text(text, encoding="utf-8")
    (problem,) = journal_problems(tmp_path / "base", tmp_path / "head", {}, [])
    assert problem.line == line


@pytest.mark.parametrize(
    ("name", "line", "expected_message"),
    [
        ("changes verified_from", 6, "`verified_from` 0.5 → 0.01, in the request that adds new-0"),
        ("changes weights", 11, "`axes.kind.weights.tool` 2 → 9, in the request that adds new-0"),
        ("ends the track", 16, "`status` of track main – → legacy, in the request that adds new-0"),
        ("titles a published task", 1, "`title` of task tidy – → Tidy up, in the request that adds new-0"),
        (
            "signs a note as the maintainers",
            19,
            "is new: note, note, signed the maintainers, in the request that adds newcomer",
        ),
    ],
)
def test_the_error_names_place_key_and_who_may_change_it(
    maker: RequestMaker, name: str, line: int, expected_message: str
) -> None:
    (problem,) = errors(maker, new_row, FORBIDDEN_BESIDE[name])
    assert (problem.code, problem.line) == ("HISTORY-NOT-OWN", line)
    assert expected_message.replace("newcomer", "new-0").split(", in the request")[0] in problem.what
    assert "it may be made by the maintainers" in problem.fix


def line_of(maker: RequestMaker, *edits: Edit) -> str:
    maker.only(*edits)
    return request_line(read_request(maker.base, maker.head)).written()


def test_the_first_line_says_what_a_request_brings(maker: RequestMaker) -> None:
    assert line_of(maker) == "Nothing in the results differs from the earlier state."
    assert line_of(maker, new_row) == "This request adds alpha/new-0, and changes nothing that is published."
    assert line_of(maker, fill_empty_track) == (
        "This request adds alpha/first, starts a new track, and changes nothing that is published."
    )
    assert line_of(maker, note_about_own) == (
        "This request adds alpha/newcomer, adds a finding about itself, and changes nothing that is published."
    )
    assert re.fullmatch(
        r"This request adds alpha/(\w+)-again, and changes the status of alpha/\1: "
        r"before you merge it, check that the same people sent all of them\.",
        line_of(maker, supersede_own),
    )
    assert line_of(maker, new_row, FORBIDDEN_BESIDE["hides columns"]) == (
        "This request adds alpha/new-0 and 1 change that a request with a submission may not make: "
        '`hide` of track main – → ["evidence"] in alpha/benchmark.toml:22.'
    )


def test_the_first_line_says_what_maintainers_change_and_which_results_it_touches(maker: RequestMaker) -> None:
    assert line_of(maker, add_track) == (
        "This is a maintainer's pull request without a new submission: "
        "the track later is new in alpha/benchmark.toml:33. It changes no published result."
    )
    assert line_of(maker, register) == "This request registers planned runs, as anyone may, and adds no submission."
    line = line_of(maker, withdraw_row)
    begin = "This is a maintainer's pull request without a new submission: "
    assert re.fullmatch(
        begin + r"\w+: published before, and withdrawn now in alpha/submissions/(\w+)/submission.toml:\d+\. "
        r"It affects 1 published result: alpha/\1; merge it only if a maintainer or their submitter made it\.",
        line,
    )
    line = line_of(maker, FORBIDDEN_BESIDE["hides columns"])
    assert line.startswith(f"{begin}`hide` of track main")
    assert line.endswith(
        "It affects 6 published results: alpha/gone, alpha/leader, alpha/only-alpha and 3 more; "
        "merge it only if a maintainer made it."
    )


def test_the_first_line_asks_nobody_to_merge_a_request_with_errors(maker: RequestMaker) -> None:
    maker.only(FORBIDDEN_ALONE["changes attempts"])
    ended = sitegen("validate", maker.head, "--base", maker.base)
    first = ended.stdout.split("\n")[0]
    assert (ended.returncode, first.count("merge")) == (DATA_PROBLEMS, 1)
    assert first.endswith("; it can't be merged until the errors are fixed.")
    assert sitegen("diff", maker.base, maker.head).stdout.startswith(f"{first}\n")


def test_every_report_begins_with_the_same_line(maker: RequestMaker) -> None:
    line = line_of(maker, new_row, FORBIDDEN_BESIDE["changes verified_from"])
    plain = line.replace("`", "")
    reports = {}
    for form in ("text", "markdown", "github", "gitlab", "json"):
        ended = sitegen("validate", maker.head, "--base", maker.base, "--format", form)
        assert ended.returncode == DATA_PROBLEMS
        reports[form] = ended.stdout
    diffs = {
        form: sitegen("diff", maker.base, maker.head, "--format", form).stdout for form in ("text", "markdown", "json")
    }
    assert reports["text"].startswith(f"{line}\n")
    assert diffs["text"].startswith(f"{line}\n")
    assert reports["github"].startswith(f"::notice title=What this request changes::{line}\n")
    assert json.loads(reports["gitlab"])[0]["description"] == line
    assert json.loads(reports["json"])["change"] == json.loads(diffs["json"])["change"] == line
    for report in (reports["markdown"], diffs["markdown"]):
        first = report.split("\n")[0]
        assert re.sub("[`\u02cb]", "", first) == plain


def test_values_of_any_type_are_no_traceback(maker: RequestMaker) -> None:
    """A list stands where a word is meant: the shape of the file is another problem."""

    def odd(draft: Draft) -> None:
        begin_track(draft)
        for name in ("tracks", "metrics"):
            text = f'\n[[{name}]]\nid = ["a"]\ntasks = [["b"]]\nheadline = {{ c = 1 }}\n'
            path = draft.path("benchmark.toml")
            path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
        draft.find('x"\ncode = "y', 'submissions = [["z"]]\ntracks = { a = 1 }')
        path = draft.path("findings.toml")
        path.write_text(path.read_text(encoding="utf-8").replace('kind = "x"', "kind = [1]"), encoding="utf-8")
        manifest = draft.submission("starter") / "submission.toml"
        manifest.write_text('agent = ["x"]\nsubmitter = 1\nstatus = "x"\ntrack = ["main"]\n', encoding="utf-8")
        draft.state("leader", 'state = ["withdrawn"]\nby = ["starter"]')

    assert {error.code for error in errors(maker, odd)} >= {"HISTORY-NOT-OWN", "HISTORY-RIVAL"}
    assert line_of(maker, odd)


def test_a_part_of_the_results_has_no_such_line(maker: RequestMaker) -> None:
    maker.only(define_otherwise)
    ended = sitegen("validate", maker.head / "alpha", "--base", maker.base)
    assert "maintainer's pull request" not in ended.stdout


def test_the_page_on_security_has_the_table_of_the_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (own new submission|own status|everything else) \|.*$", text, re.MULTILINE)
    assert len(rows) == len(OWNERSHIP)
    for ownership in OWNERSHIP.values():
        example = ": ".join(
            f"`{segment}`" if "`" not in segment else segment for segment in ownership.example.split(": ", 1)
        )
        cells = (
            ownership.owner,
            ownership.changed_content,
            example,
            ownership.with_submission,
            ownership.without_submission,
        )
        assert f"| {' | '.join(cells)} |" in text


def test_every_kind_of_change_is_in_the_table() -> None:
    assert set(OWNERSHIP) == set(ChangeKind)


@pytest.mark.parametrize("kind", ChangeKind)
def test_the_table_decides_what_may_stand_beside_a_new_submission(kind: ChangeKind) -> None:
    head = Path("results")
    matches = Matches({}, (), {"demo/newcomer": head / "demo" / "submissions" / "newcomer"})
    change = Change(kind, head / "demo" / "file", "something differs")
    problems = list(ownership_problems(Request(head, matches, [change])))
    ownership = OWNERSHIP[kind]
    if ownership.rule is None or ownership.is_found_by_history:
        assert problems == []
    else:
        assert [problem.code for problem in problems] == [ownership.rule.code]


def test_a_comment_in_a_published_manifest_is_no_change_of_its_status(maker: RequestMaker) -> None:
    def add_comment(draft: Draft) -> None:
        folder = draft.submission("rival")
        manifest = folder / "submission.toml"
        manifest.write_text(f"{manifest.read_text(encoding='utf-8')}# seen\n", encoding="utf-8")
        seal(folder)

    maker.only(add_comment)
    assert list(history_problems(maker.base, maker.head)) == []
