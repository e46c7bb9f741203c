"""`sitegen new-track` in the second month: version 1.1 with two changed tasks of 40, and carried results."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kit.boards import track
from kit.command import done, sitegen
from kit.rendered_pages import compare_page
from kit.results_folders import json_lines, seal, write_bundle
from kit.review_day import TODAY
from lxml import html

from sitegen.board.history.versions import compare_versions
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.versioning import version_title

NAMES = [f"t{number:02d}" for number in range(40)]
CHANGED = ("t03", "t17")
AGENTS = {"ash": 30, "elm": 20, "oak": 5}
DEFINITION = """\
schema = 1
id = "bench"
title = "Bench"

[axes.kind]
title = "Kind"
values = ["a", "b"]

[[tracks]]
id = "v1"
title = "Version 1"
protocol = "once"
attempts = 1
tasks = "v1"
headline = "share"
columns = ["share", "resolved"]
groupings = ["kind"]

[[tracks]]
id = "paper"
title = "Paper"
protocol = "once"
tasks = "v1"
headline = "resolved"
columns = ["resolved"]

[[metrics]]
id = "share"
title = "Solved"
unit = "percent"
of = "pass"
"""


def record(task: str, *, passed: bool) -> dict[str, object]:
    return {"task": task, "attempt": 1, "round": 1, "state": "scored", "reward": int(passed)}


def manifest(name: str, extra: str = "") -> str:
    head = f'schema = 1\ntrack = "v1"\ndate = 2026-06-25\n{extra}\n[agent]\nname = "{name}"\n'
    return f'{head}\n[detail]\ncases = "none"\n\n[claims]\nresolved = {AGENTS[name] * 2.5}\n'


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A released benchmark of 40 tasks with three agents."""
    folder = tmp_path / "results"
    home = folder / "bench"
    (home / "tasks").mkdir(parents=True)
    (home / "benchmark.toml").write_text(DEFINITION, encoding="utf-8")
    tasks = []
    for number, name in enumerate(NAMES):
        tasks.append({"id": name, "labels": {"kind": "ab"[number % 2]}, "rounds": [{"n": 1}], "digest": f"{name}-one"})
    (home / "tasks" / "v1.jsonl").write_text(json_lines(*tasks), encoding="utf-8")
    for name, solved in AGENTS.items():
        rounds = [record(task, passed=index < solved) for index, task in enumerate(NAMES)]
        write_bundle(home / "submissions" / name, manifest(name), rounds)
    done("release", "2026-07-01", "--results", folder)
    shutil.copytree(folder, tmp_path / "base")
    return folder


def report(results: Path) -> dict[str, Any]:
    base = results.with_name("base")
    return json.loads(sitegen("validate", results, "--base", base, "--format", "json").stdout)  # type: ignore[no-any-return]


def begin(results: Path, *options: str | Path) -> str:
    changed = [argument for name in CHANGED for argument in ("--changed", name)]
    return done("new-track", "bench/v1-1", "--from", "v1", *changed, *options, "--results", results)


def scores(results: Path, track: str) -> dict[str, Any]:
    rows = json.loads(done("score", results, "--format", "json"))["submissions"]
    return {row["agent"]["name"]: row for row in rows if row["track"] == track}


def test_a_new_version_with_carried_results_is_a_maintainers_change_and_green(results: Path) -> None:
    output = begin(results, "--carry")
    assert "track v1-1 replaces v1: 40 tasks, 2 of them changed" in output
    validation = report(results)
    assert validation["ok"]
    assert [problem["code"] for problem in validation["problems"] if problem["severity"] == "error"] == []
    first = sitegen("validate", results, "--base", results.with_name("base")).stdout.splitlines()[0]
    assert first.startswith("This is a maintainer's pull request that carries over 3 submissions")


def test_carried_results_lack_the_changed_tasks_and_have_no_rank(results: Path) -> None:
    before = scores(results, "v1")
    begin(results, "--carry")
    rows = scores(results, "v1-1")
    assert rows.keys() == AGENTS.keys()
    for row in rows.values():
        assert (row["missing"], row["rank"]) == (list(CHANGED), None)
        assert row["carried"]["track"] == "v1"
        assert len(row["carried"]["tasks"]) == len(NAMES) - len(CHANGED)
        states = (results / "bench" / "submissions" / row["id"] / "rounds.jsonl").read_text(encoding="utf-8")
        assert "unreached" not in states
    assert scores(results, "v1") == before


def test_results_of_all_tasks_rank_and_old_rows_keep_their_ranks(results: Path) -> None:
    begin(results, "--carry")
    rounds = [record(task, passed=True) for task in NAMES]
    text = manifest("ash").replace('"v1"', '"v1-1"').replace("75.0", "100.0").replace("2026-06-25", "2026-07-20")
    write_bundle(results / "bench" / "submissions" / "ash-again", text, rounds)
    source = results / "bench" / "submissions" / "ash-v1-1" / "submission.toml"
    status = '\n[status]\nstate = "superseded"\nby = "ash-again"\n'
    source.write_text(source.read_text(encoding="utf-8").split("\n[status]")[0] + status, encoding="utf-8")
    seal(source.parent)
    rows = json.loads(done("score", results, "--format", "json"))["submissions"]
    assert {row["id"]: row["rank"] for row in rows if row["rank"]} == {"ash": 1, "elm": 2, "oak": 3, "ash-again": 1}


def test_pages_feeds_and_files_say_the_same(results: Path, tmp_path: Path) -> None:
    begin(results, "--carry", "--title", "Version 1.1", "--reason", "Two tasks were broken")
    done("release", "2026-07-02", "--results", results)
    assert report(results)["ok"]
    site = tmp_path / "site"
    done("build", "--results", results, "--site", site)

    def page(address: str) -> Any:  # noqa: ANN401 - an element
        return html.fromstring((site / address / "index.html").read_text(encoding="utf-8"))

    def words(address: str) -> str:
        return " ".join(page(address).text_content().split())

    assert page("bench").xpath("//table/@data-board") == ["v1-1"]
    board = words("bench/v1-1")
    assert board.count("38 tasks carried from v1") == len(AGENTS)
    assert "38 tasks are carried from v1" in words("bench/v1-1/ash-v1-1")
    old = page("bench/v1")
    facts = old.xpath("string(//ul[@class='sg-line-facts'])")
    assert " ".join(facts.split()).startswith("legacy track ")
    assert "This track is legacy: Two tasks were broken. See Version 1.1 instead." in words("bench/v1")
    rows = old.xpath("//table[@data-board]//tbody/tr")
    assert len(rows) == len(AGENTS)
    assert all("legacy: Two tasks were broken" in row.text_content() for row in rows)
    assert "Two tasks were broken" in words("bench/v1/ash")
    changelog = words("changelog/2026-07-02")
    assert "Version 1.1" in changelog
    assert "Version 1.1" in (site / "feed.xml").read_text(encoding="utf-8")
    exported = json.loads((site / "api/v1/scores.json").read_text(encoding="utf-8"))["submissions"]
    assert {row["id"]: row.get("carried", {}).get("submission") for row in exported if row["track"] == "v1-1"} == {
        f"{name}-v1-1": name for name in AGENTS
    }


def test_changed_tasks_come_from_a_file(results: Path, tmp_path: Path) -> None:
    lines = [{"id": name, "labels": {"kind": "a"}, "rounds": [{"n": 1}, {"n": 2}], "digest": "two"} for name in CHANGED]
    file = tmp_path / "changed.jsonl"
    file.write_text(json_lines(*lines), encoding="utf-8")
    done("new-track", "bench/v1-1", "--from", "v1", "--tasks", file, "--results", results)
    tasks = [json.loads(line) for line in (results / "bench/tasks/v1-1.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [task["id"] for task in tasks] == NAMES
    assert [task["id"] for task in tasks if len(task["rounds"]) > 1] == list(CHANGED)
    assert report(results)["ok"]


def edit_rounds(folder: Path) -> None:
    path = folder / "rounds.jsonl"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"reward": 0', '"reward": 1', 1), encoding="utf-8")
    seal(folder)


def name_another_agent(folder: Path) -> None:
    path = folder / "submission.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('name = "oak"', 'name = "fir"'), encoding="utf-8")
    seal(folder)


@pytest.mark.parametrize(
    ("forge", "code"),
    [(edit_rounds, "CARRIED-DIFFERS"), (name_another_agent, "CARRIED-UNKNOWN")],
    ids=["another reward", "another agent"],
)
def test_what_is_no_result_of_before_is_not_carried(results: Path, forge: Callable[[Path], None], code: str) -> None:
    begin(results, "--carry")
    forge(results / "bench" / "submissions" / "oak-v1-1")
    assert code in [problem["code"] for problem in report(results)["problems"]]


def test_what_a_finding_took_from_a_submission_is_not_carried(results: Path) -> None:
    finding = (
        'schema = 1\n\n[[findings]]\ndate = 2026-06-30\nkind = "leak"\neffect = "zero"\ntitle = "Leak"\n'
        'reason = "It saw the tests"\nsubmissions = ["ash"]\ntasks = ["t05"]\n'
    )
    (results / "bench" / "findings.toml").write_text(finding, encoding="utf-8")
    begin(results, "--carry")
    assert scores(results, "v1-1")["ash"]["missing"] == ["t03", "t05", "t17"]


DEFECT = (
    'schema = 1\n\n[[findings]]\ndate = 2026-06-30\nkind = "defect"\neffect = "exclude"\ntitle = "Broken"\n'
    'reason = "Nobody could pass it"\nby = "Ann"\ntasks = ["t03"] # the lamp\n'
)


@pytest.fixture
def defective(results: Path) -> Path:
    """The benchmark with a released finding that excludes t03 from every track."""
    (results / "bench" / "findings.toml").write_text(DEFECT, encoding="utf-8")
    done("release", "2026-07-02", "--results", results)
    shutil.rmtree(results.with_name("base"))
    shutil.copytree(results, results.with_name("base"))
    return results


def excluded(results: Path, track: str) -> bool:
    """Whether t03 counts for nobody on a track."""
    boards = {board.track.id: board for board in evaluate(results, TODAY).all_boards()}
    return boards[track].counted_tasks_and_rounds == (39, 39)


def test_a_repaired_task_counts_on_the_new_version_and_its_finding_stays_on_the_old_one(defective: Path) -> None:
    assert excluded(defective, "v1")
    result = sitegen("new-track", "bench/v1-1", "--from", "v1", "--changed", "t03", "--carry", "--results", defective)
    assert "the finding “Broken” is limited to v1, paper, because the new track changes t03" in result.stderr
    text = (defective / "bench" / "findings.toml").read_text(encoding="utf-8")
    assert text == DEFECT + 'tracks = ["v1", "paper"]\n'
    validation = report(defective)
    assert [problem["code"] for problem in validation["problems"] if problem["severity"] == "error"] == []
    assert (excluded(defective, "v1"), excluded(defective, "paper"), excluded(defective, "v1-1")) == (True, True, False)


@pytest.mark.parametrize(
    ("tracks", "codes"),
    [
        ('["v1", "paper"]', set()),
        ('["v1"]', {"HISTORY-FINDING", "RELEASE-FINDING-DIFFERS"}),
        ('["v1-1", "paper"]', {"HISTORY-FINDING", "RELEASE-FINDING-DIFFERS"}),
    ],
)
def test_a_finding_is_limited_later_to_the_tracks_where_its_task_is_broken(
    defective: Path, tracks: str, codes: set[str]
) -> None:
    done("new-track", "bench/v1-1", "--from", "v1", "--changed", "t03", "--results", defective)
    (defective / "bench" / "findings.toml").write_text(DEFECT, encoding="utf-8")
    shutil.rmtree(defective.with_name("base"))
    shutil.copytree(defective, defective.with_name("base"))
    (defective / "bench" / "findings.toml").write_text(f"{DEFECT}tracks = {tracks}\n", encoding="utf-8")
    problems = report(defective)["problems"]
    assert {problem["code"] for problem in problems if problem["severity"] == "error"} == codes
    assert excluded(defective, "v1-1") == ("v1-1" in tracks)
    first = sitegen("validate", defective, "--base", defective.with_name("base")).stdout.splitlines()[0]
    assert ("the finding “Broken” is limited to v1, paper in bench/findings.toml" in first) == (not codes)


def test_a_finding_about_an_unchanged_task_too_goes_on(defective: Path) -> None:
    text = DEFECT.replace('["t03"]', '["t03", "t04"]')
    (defective / "bench" / "findings.toml").write_text(text, encoding="utf-8")
    shutil.rmtree(defective / "releases")
    result = sitegen("new-track", "bench/v1-1", "--from", "v1", "--changed", "t03", "--results", defective)
    assert "names tasks that did not change, so it still applies to t03 on the new track" in result.stderr
    assert (defective / "bench" / "findings.toml").read_text(encoding="utf-8") == text


def run_again(results: Path, tmp_path: Path, address: str, task: str, day: str) -> str:
    """Run the only round of a task of oak again, and merge it."""
    table = tmp_path / "again.csv"
    table.write_text(f"agent,task,attempt,round,reward\noak,{task},1,1,1\n", encoding="utf-8")
    options = ("--reason", "An outage", "--date", day, "--base", results.with_name("base"))
    output = done("replace-rounds", address, table, *options, "--results", results)
    shutil.rmtree(results.with_name("base"))
    shutil.copytree(results, results.with_name("base"))
    return output


def test_carried_results_keep_their_revisions(results: Path, tmp_path: Path) -> None:
    assert "1 of 40 rounds run again: 12.5 to 15.0" in run_again(results, tmp_path, "bench/v1/oak", "t30", "2026-07-02")
    begin(results, "--carry")
    assert report(results)["ok"]
    row = scores(results, "v1-1")["oak"]
    (revision,) = row["revisions"]
    assert (row["carried"]["submission"], revision["of"]) == ("2026-07-02-oak", "oak")
    assert revision["text"] == "1 of 40 rounds run again on v1"
    done("release", "2026-07-03", "--results", results)
    assert report(results)["ok"]
    site = tmp_path / "site"
    done("build", "--check-links", "--results", results, "--site", site)
    page = (site / "bench/v1-1" / row["id"] / "index.html").read_text(encoding="utf-8")
    assert "1 of 40 rounds run again on v1" in page
    assert "bench/v1/oak/" in page.replace("../../", "bench/")


def test_rounds_of_carried_results_are_run_again_on_the_new_version(results: Path, tmp_path: Path) -> None:
    run_again(results, tmp_path, "bench/v1/oak", "t30", "2026-07-02")
    begin(results, "--carry")
    shutil.rmtree(results.with_name("base"))
    shutil.copytree(results, results.with_name("base"))
    output = run_again(results, tmp_path, "bench/v1-1/2026-07-02-oak-v1-1", "t31", "2026-07-05")
    # Oak passed t00 to t04 and, run again, t30; t03 has changed. Tasks that are missing count 0: 5, then 6 of 40.
    assert "1 of 38 rounds run again: 12.5 to 15.0" in output
    assert report(results)["ok"]
    (row,) = [
        row
        for row in json.loads(done("score", results, "--format", "json"))["submissions"]
        if f" {row['id']} supersedes" in output.replace(":", "")
    ]
    assert [revision["text"] for revision in row["revisions"]] == [
        "1 of 40 rounds run again on v1",
        "1 of 38 rounds run again: 12.5 to 15.0",
    ]


def test_changed_tasks_of_a_carried_submission_are_run_and_are_no_rerun(results: Path, tmp_path: Path) -> None:
    assert f'`sitegen replace-rounds bench/v1-1/SUBMISSION RUNS --reason "..." --results {results}`' in begin(
        results, "--carry"
    )
    shutil.rmtree(results.with_name("base"))
    shutil.copytree(results, results.with_name("base"))
    table = tmp_path / "changed.csv"
    rows = "".join(f"oak,{task},1,1,1\n" for task in CHANGED)
    table.write_text(f"agent,task,attempt,round,reward\n{rows}", encoding="utf-8")
    options = ("--reason", "Run for v1-1", "--date", "2026-07-05", "--base", results.with_name("base"))
    output = done("replace-rounds", "bench/v1-1/oak-v1-1", table, *options, "--results", results)
    assert "2 tasks run for v1-1: 2026-07-05-oak supersedes oak-v1-1" in output
    validation = report(results)
    assert [problem["code"] for problem in validation["problems"] if problem["severity"] == "error"] == []
    rows_after = json.loads(done("score", results, "--format", "json"))["submissions"]
    (row,) = [row for row in rows_after if row["id"] == "2026-07-05-oak"]
    assert (row["rank"], row["missing"]) == (1, [])
    assert len(row["carried"]["tasks"]) == len(NAMES) - len(CHANGED)
    (revision,) = row["revisions"]
    assert (revision["text"], revision["added"], revision["rounds"]) == ("2 tasks run for v1-1", list(CHANGED), [])
    shutil.rmtree(results.with_name("base"))
    shutil.copytree(results, results.with_name("base"))
    done("release", "2026-07-06", "--results", results)
    validation = report(results)
    assert validation["ok"], validation["problems"]
    site = tmp_path / "site"
    done("build", "--results", results, "--site", site)
    pages = ("bench/v1-1", "bench/v1-1/2026-07-05-oak", "changelog/2026-07-06")
    for name in pages:
        page = html.fromstring((site / name / "index.html").read_text(encoding="utf-8"))
        text = " ".join(page.xpath("string(//article)").split())
        assert "2 tasks run for v1-1" in text, name
        assert "run again" not in re.sub(r"No submission on this board has \w+ that were run again\.", "", text), name
    assert "oak: 2 tasks run for v1-1" in (site / "feed.xml").read_text(encoding="utf-8")


def test_runs_of_the_changed_tasks_alone_belong_to_the_carried_submission(results: Path, tmp_path: Path) -> None:
    output = begin(results, "--carry")
    assert "assumed" not in output
    table = tmp_path / "runs.csv"
    heads = "agent,task,attempt,round,reward\n"
    arguments = ("submit", table, "--to", "bench/v1-1", "--results", results, "--date", "2026-07-05")
    table.write_text(heads + "".join(f"oak,{task},1,1,1\n" for task in CHANGED), encoding="utf-8")
    refused = sitegen(*arguments)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "these runs have 2 tasks that oak-v1-1 lacks, so they belong to that submission: add" in refused.stderr
    assert f"`sitegen replace-rounds bench/v1-1/oak-v1-1 RUNS --reason TEXT --results {results}`" in refused.stderr
    table.write_text(heads + "".join(f"oak,{task},1,1,1\n" for task in NAMES), encoding="utf-8")
    sent = sitegen(*arguments, "--dry-run")
    assert sent.returncode == 0
    assert "fix: replace the older submission with `sitegen supersede bench/v1-1/oak-v1-1 --by 2026-07-05-oak`" in (
        sent.stderr
    )


def test_a_track_of_more_attempts_takes_the_results_and_the_further_attempt(results: Path, tmp_path: Path) -> None:
    table = tmp_path / "second.csv"
    rows = "".join(f"oak,{task},1,1,1\n" for task in NAMES)
    table.write_text(f"agent,task,attempt,round,reward\n{rows}", encoding="utf-8")
    refused = sitegen("add-attempt", "bench/v1/oak", table, "--results", results)
    command = f"sitegen new-track bench/v1-2-attempts --from v1 --attempts 2 --carry --results {results}"
    assert (refused.returncode, f"`{command}`" in refused.stderr) == (2, True)
    output = done(*command.split()[1:])
    assert "track v1-2-attempts replaces v1: 40 tasks, 2 attempts per task" in output
    assert "assumed: no task changed since v1; `--changed TASK` names a changed one" in output
    assert "v1 is legacy: replaced by Version 1, v1-2-attempts, which has 2 attempts per task" in output
    validation = report(results)
    assert validation["ok"], validation["problems"]
    added = done("add-attempt", "bench/v1-2-attempts/oak-v1-2-attempts", table, "--results", results)
    assert "has 2 attempts, and supersedes oak-v1-2-attempts" in added
    ranks = {}
    for row in json.loads(done("score", results, "--format", "json"))["submissions"]:
        if row["track"] == "v1-2-attempts":
            ranks[row["agent"]["name"], row["status"]] = row["rank"]
    assert ranks["oak", "published"] == 2
    fewer = sitegen(
        "new-track", "bench/v3", "--from", "v1-2-attempts", "--attempts", "1", "--carry", "--results", results
    )
    assert "--attempts 1 is fewer than the 2 of track v1-2-attempts" in fewer.stderr


def test_the_source_of_carried_results_may_be_redacted(results: Path) -> None:
    begin(results, "--carry")
    shutil.rmtree(results.with_name("base"))
    shutil.copytree(results, results.with_name("base"))
    output = done("redact", "bench/v1/oak", "--reason", "Private data", "--by", "Ann", "--results", results)
    assert "oak-v1-1 has the same results: redact it, too, if it contains what must go" in output
    assert report(results)["ok"]
    assert scores(results, "v1-1")["oak"]["carried"]["submission"] == "oak"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bench/v1", "--from", "v1"), "bench already has a track v1"),
        (("bench/v2", "--from", "v0"), "bench has no track v0"),
        (("bench/v2", "--from", "v1", "--changed", "t99"), "track v1 has no task t99"),
        (("v2", "--from", "v1"), "write the new track as BENCHMARK/TRACK"),
        (("none/v2", "--from", "v1"), "there is no benchmark none"),
    ],
)
def test_what_does_not_fit_is_refused(results: Path, arguments: tuple[str, ...], message: str) -> None:
    refused = sitegen("new-track", *arguments, "--results", results)
    assert refused.returncode == 2
    assert message in refused.stderr
    assert not (results / "bench" / "tasks" / "v2.jsonl").exists()


def test_agents_are_compared_between_versions_on_the_tasks_of_both(results: Path) -> None:
    begin(results, "--carry")
    rounds = [record(task, passed=index >= 10 and task not in CHANGED) for index, task in enumerate(NAMES)]
    text = manifest("elm").replace('"v1"', '"v1-1"').replace("50.0", "72.5")
    folder = results / "bench" / "submissions" / "elm-v1-1"
    shutil.rmtree(folder)
    write_bundle(folder, text, rounds)
    boards = {board.track.id: board for board in evaluate(results, TODAY).all_boards()}
    assert compare_versions(boards["v1"]) is None
    versions = compare_versions(boards["v1-1"])
    assert versions
    assert [task for task in NAMES if task not in versions.tasks] == list(CHANGED)
    pairs = {pair.later.agent.name: pair for pair in versions.pairs}
    assert {name: pair.is_carried for name, pair in pairs.items()} == {"ash": True, "elm": False, "oak": True}
    difference = pairs["elm"].comparison.difference
    assert difference
    # Of the 38 tasks of both, elm solved 18 before: the first 20 without two changed ones. It solves 29 now.
    assert difference.paired.value == pytest.approx(100 * (29 - 18) / 38)
    assert difference.paired.interval.low < difference.paired.value < difference.paired.interval.high
    carried = pairs["ash"].comparison.difference
    assert carried
    assert carried.paired.value == 0
    page = html.fromstring(compare_page(boards["v1-1"]).content)
    rows = page.xpath("//section[@data-versions='v1']//tbody/tr")
    assert [row.get("data-agent") for row in rows] == ["ash", "elm", "oak"]
    assert "carried over" in rows[0].text_content()
    assert "+28.9" in rows[1].text_content()


@pytest.mark.parametrize(
    ("earlier", "title", "later", "expected"),
    [
        ("v1", "V1", "v1-1", "V1.1"),
        ("v1", "Version 1", "v2", "Version 2"),
        ("main", "Main", "main-2", "Main 2"),
        ("main", "Main", "hard", "Main, hard"),
        ("v1", "Release", "v1-1", "Release 1.1"),
    ],
)
def test_a_new_version_has_the_number_of_its_id_in_its_title(
    earlier: str, title: str, later: str, expected: str
) -> None:
    assert version_title(track(id=earlier, title=title), later) == expected
