"""`sitegen score --tasks` scores and ranks over the tasks with chosen labels alone."""

import csv
import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from kit.command import done, sitegen
from kit.results_folders import json_lines, write_benchmark
from kit.shipped_results import shipped

from sitegen.board.entry import Entry
from sitegen.models.outcome import PASS_REWARD
from sitegen.models.task import LabelFilter, TaskSet
from sitegen.pipeline.subsets import select_tasks

DEFINITION = """\
schema = 1
id = "mini"
title = "Mini"

[axes.kind]
title = "Kind"
values = ["web", "data, files", "game"]

[axes.size]
title = "Size"

[axes.source]
title = "Source"

[[tracks]]
id = "main"
title = "Main"
protocol = "chain"
tasks = "all"
headline = "dataset_score"
columns = ["dataset_score", "case_score"]

[[tracks]]
id = "other"
title = "Other"
protocol = "chain"
tasks = "plain"
headline = "dataset_score"
columns = ["dataset_score"]
"""

LABELS = {
    "a": {"kind": "web", "size": "small", "source": "shop"},
    "b": {"kind": "web", "size": "large", "source": "shop"},
    "c": {"kind": "data, files", "size": "small", "source": "shop"},
    "d": {"kind": "data, files", "size": "large", "source": "shop"},
}
"""Tasks of two rounds each."""

PASSED = {"one": {"a": 2, "b": 1, "c": 0, "d": 0}, "two": {"a": 0, "b": 0, "c": 2, "d": 2}}
"""Rounds passed of two, by agent and task."""

MANIFEST = """\
schema = 1
track = "{track}"
date = 2026-06-25
[agent]
name = "{name}"
[detail]
cases = "none"
"""

TABLE = """\
schema = 1
track = "main"
date = 2026-05-01
title = "Table 1"
source = "A paper"

[[rows]]
id = "printed"
name = "Printed"
[rows.values]
dataset_score = { value = 40.0, groups = { kind = { web = 70.0, "data, files" = 10.0 } } }
case_score = 41.0
"""


def manifest(name: str, track: str = "main", claims: str = "") -> str:
    return MANIFEST.format(name=name, track=track) + claims


def rounds(passed: Mapping[str, int]) -> str:
    """Write the records of one attempt at each task, whose first rounds pass."""
    records = []
    for name, count in passed.items():
        for number in (1, 2):
            reward = int(number <= count)
            records.append({"task": name, "attempt": 1, "round": number, "state": "scored", "reward": reward})
    return json_lines(*records)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("subset") / "results"
    tasks = []
    for name, labels in LABELS.items():
        tasks.append({"id": name, "labels": labels, "rounds": [{"n": 1}, {"n": 2}]})
    # Its own claim is over all tasks: 3 of 8 rounds. The sourced one is over two tasks, whichever they are.
    own_claims = "[claims]\ndataset_score = 37.5\n"
    sourced = '[claims]\nsource = "https://example.org/a"\ntasks = 2\ndataset_score = 50.0\n'
    files = {
        "benchmark.toml": DEFINITION,
        "tasks/all.jsonl": json_lines(*tasks),
        "tasks/plain.jsonl": json_lines({"id": "e", "rounds": [{"n": 1}, {"n": 2}]}),
        "reported/paper.toml": TABLE,
        "submissions/one/submission.toml": manifest("One", claims=own_claims),
        "submissions/one/rounds.jsonl": rounds(PASSED["one"]),
        "submissions/two/submission.toml": manifest("Two", claims=sourced),
        "submissions/two/rounds.jsonl": rounds(PASSED["two"]),
        "submissions/three/submission.toml": manifest("Three", "other"),
        "submissions/three/rounds.jsonl": rounds({"e": 1}),
    }
    write_benchmark(folder / "mini", files)
    return folder


def scored(results: Path, *tasks: str) -> dict[str, Any]:
    """Return the submissions that `score` prints over some tasks, by id."""
    options = [argument for text in tasks for argument in ("--tasks", text)]
    document = json.loads(done("score", results, "--format", "json", *options))
    return {row["id"]: row for row in document["submissions"]}


def values(rows: Mapping[str, Any], metric: str = "dataset_score") -> dict[str, float | None]:
    return {name: row["metrics"][metric]["value"] for name, row in rows.items()}


def test_scores_ranks_and_coverage_are_over_the_tasks_with_the_value(results: Path) -> None:
    """One passes 2 and 1 of 2 rounds on the web tasks, and none of the others; Two the other way round."""
    web = scored(results, "kind:web")
    assert values(web) == {"one": 75.0, "two": 0.0, "printed": 70.0}
    assert [web[name]["rank"] for name in web] == [1, 2, None]
    coverage = {"tasks": 2, "expected_tasks": 2, "rounds": 4, "expected_rounds": 4}
    assert web["one"]["coverage"] == coverage
    figures = web["one"]["metrics"]["dataset_score"]
    assert (figures["n"], figures["of"]) == (2, 2)
    files = scored(results, "kind:data, files")
    assert values(files) == {"two": 100.0, "one": 0.0, "printed": 10.0}
    assert (files["two"]["rank"], files["one"]["rank"]) == (1, 2)


def test_several_axes_intersect_and_several_values_unite(results: Path) -> None:
    assert values(scored(results, "kind:web", "size:large")) == {"one": 50.0, "two": 0.0, "printed": None}
    united = scored(results, "kind:data, files,web", "size:small")
    assert values(united) == {"one": 50.0, "two": 50.0, "printed": None}
    assert united["one"]["rank"] == united["two"]["rank"] == 1


def test_a_published_score_without_the_group_is_a_gap(results: Path) -> None:
    rows = scored(results, "kind:web")
    assert rows["printed"]["metrics"]["case_score"]["value"] is None
    assert values(scored(results, "size:small"))["printed"] is None


def test_no_claim_agrees_or_differs_over_a_selection(results: Path) -> None:
    """Two's claim is over two tasks, as the selection is, but nothing says that they are the same ones."""
    everything = scored(results)
    assert everything["one"]["metrics"]["dataset_score"]["agrees"] is True
    for tasks in ("kind:web", "size:small"):
        rows = scored(results, tasks)
        for name, claimed, total in (("one", 37.5, 4), ("two", 50.0, 2)):
            figures = rows[name]["metrics"]["dataset_score"]
            assert (figures["claimed"], figures["claim_tasks"], figures["agrees"]) == (claimed, total, None)


@pytest.mark.parametrize("tasks", [["source:shop"], ["kind:web,data, files"], ["source:shop", "size:large,small"]])
def test_an_axis_that_covers_all_tasks_changes_nothing(results: Path, tasks: list[str]) -> None:
    everything = scored(results)
    del everything["three"]
    assert scored(results, *tasks) == everything


def test_every_format_scores_the_selection(results: Path) -> None:
    table = done("score", results, "--tasks", "kind:web")
    assert "Mini, Main (2 of 4 tasks: kind:web)" in table
    assert "75.0" in table
    assert "37.5" not in table
    lines = list(csv.DictReader(StringIO(done("score", results, "--tasks", "kind:web", "--format", "csv"))))
    submission_lines = [line for line in lines if "one" in line.values()]
    assert any("75.0" in line.values() for line in submission_lines)


def test_a_board_without_such_tasks_is_left_out_with_a_note(results: Path) -> None:
    ended = sitegen("score", results, "--tasks", "kind:web")
    assert ended.returncode == 0
    assert "Mini, Other is left out: none of its tasks match `--tasks`" in ended.stderr
    assert "Other" not in ended.stdout


def submission(results: Path, name: str) -> Path:
    return results / "mini" / "submissions" / name


def test_one_submission_is_scored_over_the_selection_without_notes(results: Path) -> None:
    ended = sitegen("score", submission(results, "one"), "--format", "json", "--tasks", "kind:web")
    assert not ended.stderr
    (row,) = json.loads(ended.stdout)["submissions"]
    assert (row["id"], row["rank"]) == ("one", 1)
    assert row["metrics"]["dataset_score"]["value"] == 75.0


def test_a_submission_whose_board_has_no_such_task_is_refused(results: Path) -> None:
    ended = sitegen("score", submission(results, "three"), "--tasks", "kind:web")
    assert ended.returncode == 2
    assert "no task matches kind:web" in ended.stderr


REFUSED = [
    ("kind", 'write `--tasks` as AXIS:VALUE, not "kind"; the axes are kind, size, source'),
    ("kinds:web", 'there is no axis "kinds"; did you mean kind?'),
    ("colour:red", 'there is no axis "colour"; the axes are kind, size, source'),
    ("kind:webb", 'axis kind has no value "webb"; did you mean web? the values are web; data, files; game'),
    ("kind:web,red", 'axis kind has no value "red"; the values are web; data, files; game'),
    ("kind:", 'axis kind has no value ""; the values are web; data, files; game'),
    ("kind:game", "no task matches kind:game"),
]


@pytest.mark.parametrize(("tasks", "message"), REFUSED)
def test_an_unknown_axis_or_value_and_an_empty_set_are_refused(results: Path, tasks: str, message: str) -> None:
    ended = sitegen("score", results, "--tasks", tasks)
    assert ended.returncode == 2
    assert message in " ".join(ended.stderr.split())
    assert not ended.stdout


def test_an_empty_intersection_is_refused(results: Path) -> None:
    ended = sitegen("score", results, "--tasks", "kind:web", "--tasks", "kind:data, files")
    assert ended.returncode == 2
    assert "no task matches kind:web and kind:data, files" in ended.stderr


def share_of_rounds(entry: Entry, tasks: TaskSet) -> float:
    """Return the dataset score from a submission's records: 100 times the mean share of passed rounds."""
    passed: dict[str, int] = {}
    excluded: dict[str, int] = {}
    for record in entry.results:
        passed[record.task] = passed.get(record.task, 0) + int(
            record.state == "scored" and record.reward >= PASS_REWARD
        )
        excluded[record.task] = excluded.get(record.task, 0) + int(record.state == "excluded")
    shares = []
    for task in tasks.tasks:
        counting = len(task.rounds) - excluded.get(task.id, 0)
        if counting:
            shares.append(passed.get(task.id, 0) / counting)
    return 100 * sum(shares) / len(shares)


@pytest.mark.parametrize("axis", ["domain", "workflow", "category", "difficulty"])
def test_every_value_of_the_shipped_axes_gives_the_scores_of_its_records(axis: str) -> None:
    complete = shipped()
    values = set()
    for board in complete.all_boards():
        if board.headline.id == "dataset_score":
            values |= {task.labels[axis] for task in board.tasks.tasks if axis in task.labels}
    checked = 0
    for value in sorted(values):
        (restricted,) = select_tasks([complete], [LabelFilter(axis, (value,))])
        for board in restricted.all_boards():
            if board.headline.id != "dataset_score":
                continue
            assert {task.labels[axis] for task in board.tasks.tasks} == {value}
            for entry in board.submissions:
                score = entry.value("dataset_score")
                if score is not None and not entry.has_missing_tasks:
                    assert score == pytest.approx(share_of_rounds(entry, board.tasks), abs=1e-9)
                    checked += 1
    assert checked >= len(values)
