"""Figures that papers and boards print are what grids with as many passes give."""

import pytest

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.results import SubmissionResults, arrange_results
from sitegen.models.outcome import RoundResult, Start
from sitegen.models.task import Task, TaskRound

LENGTHS = (9, 7, 7, 8, 7, 13, 7, 8, 8, 7, 5, 8, 7, 8, 9, 8, 8, 7, 7, 13, 9, 15, 8, 8, 11, 15)
"""Rounds of EvoCode-Bench's 26 tasks."""


def tasks_of(*lengths: int) -> list[Task]:
    """Describe tasks of so many rounds."""
    return [
        Task(f"t{number}", tuple(TaskRound(n) for n in range(1, length + 1))) for number, length in enumerate(lengths)
    ]


def passing(tasks: list[Task], solved: int, start: Start = "own", attempts: int = 1) -> list[RoundResult]:
    """Pass the first rounds, task by task, in every attempt, and none after them."""
    rounds = [(task.id, round_result.n) for task in tasks for round_result in task.rounds]
    return [
        RoundResult(name, attempt, number, "scored", float(index < solved), start=start)
        for attempt in range(1, attempts + 1)
        for index, (name, number) in enumerate(rounds)
    ]


def shown(metric: str, results: SubmissionResults) -> str:
    """Write a score as it is printed."""
    return f"{METRICS[metric].compute(results):.{METRICS[metric].decimals}f}"


@pytest.mark.parametrize(
    ("solved", "printed"),
    [(174, "76.7"), (169, "74.4"), (179, "78.9"), (145, "63.9"), (134, "59.0"), (18, "7.9")],
)
def test_sr_pools_the_227_rounds_of_the_paper(solved: int, printed: str) -> None:
    """EvoCode-Bench, arXiv:2605.24110v1, table 2."""
    tasks = tasks_of(*LENGTHS)
    results = arrange_results(tasks, passing(tasks, solved, "reference"), (), 1, 1)
    assert sum(LENGTHS) == 227
    assert shown("sr", results) == printed


@pytest.mark.parametrize(("complete", "printed"), [(11, "42.3"), (10, "38.5"), (9, "34.6"), (4, "15.4"), (3, "11.5")])
def test_comp_is_a_share_of_the_26_tasks_of_the_paper(complete: int, printed: str) -> None:
    """EvoCode-Bench, arXiv:2605.24110v1, table 2."""
    tasks = tasks_of(*LENGTHS)
    results = arrange_results(tasks, passing(tasks, sum(LENGTHS[:complete]), attempts=4), (), 4, 4)
    assert shown("comp", results) == printed


def test_nine_perfect_tasks_are_a_third_of_the_board() -> None:
    """EvoCode-Bench's board of 2026-06-25: 9 / 26, or 34.6 % of the tasks completed."""
    tasks = tasks_of(*LENGTHS)
    results = arrange_results(tasks, passing(tasks, sum(LENGTHS[:9])), (), 1, 1)
    assert shown("perfect_tasks", results) == "9"
    assert f"{METRICS['solved'].compute(results):.1f}" == "34.6"


@pytest.mark.parametrize(
    ("solved", "tasks", "printed"),
    [(45, 115, "39.1"), (37, 115, "32.2"), (6, 115, "5.2"), (11, 36, "30.6"), (7, 17, "41.2"), (9, 14, "64.3")],
)
def test_resolved_is_a_share_of_the_tasks_of_the_paper(solved: int, tasks: int, printed: str) -> None:
    """RoadmapBench, arXiv:2605.15846, table 2: over all tasks, and over those of a domain."""
    described = tasks_of(*[5] * tasks)
    assert shown("resolved", arrange_results(described, passing(described, 5 * solved + 4), (), 1, 1)) == printed


@pytest.mark.parametrize(
    ("solved", "checkpoints", "printed"), [(16, 93, "17.2"), (5, 93, "5.4"), (7, 82, "8.5"), (10, 92, "10.9")]
)
def test_strict_is_a_share_of_the_checkpoints_of_the_paper(solved: int, checkpoints: int, printed: str) -> None:
    """SlopCodeBench, arXiv:2603.24755v1, table 1, two of whose rows are out of fewer than the 93 checkpoints."""
    described = tasks_of(checkpoints)
    assert shown("strict", arrange_results(described, passing(described, solved), (), 1, 1)) == printed


@pytest.mark.parametrize(("touched", "printed"), [(7, "35.0"), (5, "25.0"), (3, "15.0")])
def test_partial_is_a_share_of_the_20_problems_of_the_paper(touched: int, printed: str) -> None:
    """SlopCodeBench, arXiv:2603.24755v1, table 1."""
    described = tasks_of(*[4] * 20)
    assert shown("partial", arrange_results(described, passing(described, 4 * touched - 3), (), 1, 1)) == printed
