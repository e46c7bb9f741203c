"""A browser scores boards over some of their tasks as `sitegen score --tasks` does, with intervals and rank sets."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kit.built_sites import demo
from kit.node_tools import node
from kit.random_boards import write_random_board
from kit.shipped_results import shipped
from kit.thoroughness import examples

from sitegen.board import Board, make_boards
from sitegen.board.export import row_json
from sitegen.board.task_scores_file import has_choice_of_tasks, task_scores_file
from sitegen.models.declared import Declared
from sitegen.models.task import LabelFilter, Task, TaskSet
from sitegen.pipeline.evaluating import Evaluation, evaluate
from sitegen.pipeline.subsets import select_tasks
from sitegen.problems import UsageError

RUNNER = Path(__file__).with_name("score-selections.mjs")
SCORE_ERROR = 1e-9
INTERVAL_ERROR = 2e-9
"""Both ends are rounded to nine digits."""


@dataclass(frozen=True)
class Case:
    """A selection of a board's tasks, and what the program makes of it."""

    board: Board
    tasks: Sequence[str]
    expected: Board
    weights: Sequence[str] = ()

    def __str__(self) -> str:
        """Return what a failure is about."""
        return f"{self.board.title}, {' '.join(self.tasks)}"


def in_browser(cases: Sequence[Case], folder: Path) -> list[dict[str, Any]]:
    """Return what the scripts make of each case."""
    document = []
    for case in cases:
        selection = {"tasks": case.tasks, "weights": case.weights}
        document.append({"file": task_scores_file(case.board), "selections": [selection]})
    path = folder / "boards.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    ended = subprocess.run([node(), str(RUNNER), str(path)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return [selections[0] for selections in json.loads(ended.stdout)]


def require_same(cases: Sequence[Case], folder: Path) -> None:
    """Compare every number of every case."""
    for case, scored in zip(cases, in_browser(cases, folder), strict=True):
        rows = {row["id"]: row for row in scored["rows"]}
        assert [row["id"] for row in scored["rows"]] == [entry.id for entry in case.expected.all_entries], str(case)
        shown = {metric.id for metric in case.board.columns} | {case.board.headline.id}
        for entry in case.expected.all_entries:
            expected = row_json(case.expected, entry)
            row = rows[entry.id]
            assert row["rank"] == expected["rank"], f"{case}: {entry.id}"
            assert row["ranks"] == expected["rank_interval"], f"{case}: {entry.id}"
            for metric in shown:
                require_same_score(
                    row["scores"][metric], expected["metrics"].get(metric), f"{case}: {entry.id} {metric}"
                )


def require_same_score(scored: Mapping[str, Any], expected: Mapping[str, Any] | None, about: str) -> None:
    """Compare a score and both ends of its interval."""
    if expected is None:
        assert scored["value"] is None, about
        return
    assert_close(scored["value"], expected["value"], SCORE_ERROR, about)
    for end in ("low", "high"):
        assert_close(scored.get(end), expected[end], INTERVAL_ERROR, f"{about} {end}")


def assert_close(number: float | None, expected: float | None, error: float, about: str) -> None:
    assert (number is None) == (expected is None), f"{about}: {number} and {expected}"
    if number is not None and expected is not None:
        assert number == pytest.approx(expected, abs=error, rel=error), about


def restricted_boards(evaluation: Evaluation, filters: Sequence[LabelFilter]) -> dict[tuple[str, str], Board]:
    """Return the boards that `score --tasks` makes, by benchmark and track; none where no task passes."""
    try:
        (restricted,) = select_tasks([evaluation], filters)
    except UsageError:
        return {}
    return {(board.benchmark.id, board.track.id): board for board in restricted.all_boards()}


def cases_of(evaluation: Evaluation, filters: Sequence[LabelFilter]) -> Iterator[Case]:
    """Yield a case for each board that has scores by task."""
    expected = restricted_boards(evaluation, filters)
    for board in evaluation.all_boards():
        key = (board.benchmark.id, board.track.id)
        if has_choice_of_tasks(board) and key in expected:
            yield Case(board, [str(label_filter) for label_filter in filters], expected[key])


def single_filters(board: Board) -> Iterator[LabelFilter]:
    """Yield a filter for each value of each axis of a board's tasks."""
    for axis in sorted({axis for task in board.tasks.tasks for axis in task.labels}):
        for value in sorted({task.labels[axis] for task in board.tasks.tasks if axis in task.labels}):
            yield LabelFilter(axis, (value,))


@pytest.mark.parametrize("track", ["official", "official-v1"])
def test_shipped_boards_agree_over_every_label_and_pairs_of_them(track: str, tmp_path: Path) -> None:
    evaluation = shipped()
    board = next(board for board in evaluation.all_boards() if board.track.id == track)
    singles = list(single_filters(board))
    selections = [[single] for single in singles]
    for first, second in pairwise(singles):
        if first.axis == second.axis:
            selections.append([LabelFilter(first.axis, (*first.values, *second.values))])
        else:
            selections.append([first, second])
    selections.append(
        [LabelFilter("workflow", tuple(item.values[0] for item in singles if item.axis == "workflow")[2:])]
    )
    cases = []
    for selection in selections:
        cases += [case for case in cases_of(evaluation, selection) if case.board.track.id == track]
    assert len(cases) > 30
    require_same(cases, tmp_path)


def labelled(evaluation: Evaluation, labels: Mapping[str, int]) -> Evaluation:
    """Return results whose tasks have labels by their position: each axis has so many values, in turn."""
    benchmarks = []
    boards = []
    for results in evaluation.results.benchmarks:
        task_sets = {}
        for name, tasks in results.task_sets.items():
            task_sets[name] = replace(tasks, tasks=tuple(with_labels(tasks, labels)))
        benchmark = replace(results, task_sets=task_sets)
        benchmarks.append(benchmark)
        boards.append(make_boards(benchmark))
    return replace(evaluation, results=replace(evaluation.results, benchmarks=tuple(benchmarks)), boards=boards)


def with_labels(tasks: TaskSet, labels: Mapping[str, int]) -> Iterator[Task]:
    for position, task in enumerate(tasks.tasks):
        values = {axis: f"{axis} {position % count}" for axis, count in labels.items()}
        yield replace(task, labels={**task.labels, **values})


def test_terminal_bench_agrees_over_labels_that_its_tasks_might_have(tmp_path: Path) -> None:
    """Its tasks have no labels; its scores are over five attempts, with times known in part."""
    evaluation = labelled(shipped(), {"half": 2, "part": 5, "few": 20})
    cases = []
    for axis, values in (("half", ("half 1",)), ("part", ("part 0", "part 3")), ("few", ("few 7",))):
        for case in cases_of(evaluation, [LabelFilter(axis, values)]):
            if case.board.benchmark.id == "terminal-bench-core":
                cases.append(case)
    assert len(cases) == 3
    require_same(cases, tmp_path)


def test_simulated_boards_of_both_protocols_agree_over_every_label(tmp_path: Path) -> None:
    """With the three shipped boards that have results, five boards agree; the others have published scores alone."""
    evaluation = evaluate(demo(), date(2026, 7, 1))
    cases = []
    for board in evaluation.all_boards():
        for label_filter in single_filters(board):
            cases += [case for case in cases_of(evaluation, [label_filter]) if case.board is board]
    assert {case.board.track.id for case in cases} == {"chain", "fail-stop"}
    require_same(cases, tmp_path)


def test_every_shipped_board_with_results_is_held_against_the_browser() -> None:
    """Another one takes a test here, too."""
    with_results = set()
    for board in shipped().all_boards():
        if board.submissions:
            with_results.add((board.benchmark.id, board.track.id))
    expected = {("evocode-bench", "official"), ("evocode-bench", "official-v1"), ("terminal-bench-core", "v0-1-1")}
    assert with_results == expected


WEIGHTED = (
    Declared(id="dataset_score", title="Dataset Score", unit="percent", of="pass", tasks="weighted"),
    Declared(id="case_score", title="Case Score", unit="percent", of="cases", tasks="weighted"),
    Declared(id="avg_rounds", title="Calls", unit="number", direction="lower", of="interactions", tasks="weighted"),
)
"""What the columns of the shipped board are where tasks have weights."""


def test_a_reader_s_own_weights_make_the_means_that_a_benchmark_s_weights_would(tmp_path: Path) -> None:
    board = next(board for board in shipped().all_boards() if board.track.id == "official")
    weights = {"Code & build": 3.0, "ML/AI & MLOps": 0.5}
    weight_settings = [f"domain:{value}:{weight}" for value, weight in weights.items()]
    tasks = []
    for task in board.tasks.tasks:
        tasks.append(replace(task, weight=weights.get(task.labels["domain"], 1.0)))
    benchmark = board.benchmark.model_copy(update={"metrics": WEIGHTED})
    task_sets = {**board.results.task_sets, "official": replace(board.tasks, tasks=tuple(tasks))}
    results = replace(board.results, benchmark=benchmark, task_sets=task_sets)
    all_results = replace(shipped().results, benchmarks=(results,))
    evaluation = replace(shipped(), results=all_results, boards=[make_boards(results)])
    cases = []
    for workflows in (("Automation & scripting", "Greenfield implementation"), ("Integration & end-to-end wiring",)):
        label_filter = LabelFilter("workflow", workflows)
        expected = restricted_boards(evaluation, [label_filter])["evocode-bench", "official"]
        cases.append(Case(board, [str(label_filter)], expected, weight_settings))
    require_same(cases, tmp_path)


def test_drawn_boards_agree_over_drawn_selections(tmp_path: Path) -> None:
    """They have clusters, groups, weights, ratios, medians, gaps, findings and tables beside results."""
    cases = []
    for seed in range(examples(120)):
        folder = tmp_path / str(seed)
        write_random_board(folder, seed)
        evaluation = labelled(evaluate(folder, date(2026, 7, 1)), {"half": 2, "third": 3})
        dice = Random(seed)  # noqa: S311 - a draw that anyone may repeat
        for board in evaluation.all_boards():
            for label_filter in single_filters(board):
                if dice.random() < 0.3:
                    cases += [case for case in cases_of(evaluation, [label_filter]) if case.board is board]
    assert len(cases) > 40
    require_same(cases, tmp_path)
