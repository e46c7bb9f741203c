"""Scores of a chain: every round is run and scored, whatever came before it."""

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from sitegen.metrics.gaps import MetricError
from sitegen.metrics.grids import RewardGrid, ShareGrid


def dataset_score(grids: Sequence[RewardGrid]) -> float:
    """Share of a task's rounds that pass, averaged over tasks.

    Args:
        grids: One per task, bool, shape (attempts, rounds); rounds may differ by task.

    Returns:
        A fraction from 0 to 1; attempts are averaged first, and every task weighs the same.

    Raises:
        MetricError: No tasks.

    Source:
        EvoCode-Bench, official multi-step board: "Dataset Score".
    """
    _require_tasks(grids)
    return fmean(float(grid.mean()) for grid in grids)


def case_score(grids: Sequence[ShareGrid]) -> float:
    """Share of a round's cases that pass, averaged over rounds and then over tasks.

    Args:
        grids: One per task, 0 to 1, shape (attempts, rounds); a round without cases is 0.

    Returns:
        A fraction from 0 to 1; every round of a task and every task weigh the same.

    Raises:
        MetricError: No tasks, or a verdict that came without a count of cases (NaN).

    Source:
        EvoCode-Bench, official multi-step board: "Case Score".
    """
    _require_tasks(grids)
    if any(np.isnan(grid).any() for grid in grids):
        raise MetricError("a round has a verdict but no count of cases")
    return fmean(float(grid.mean()) for grid in grids)


def perfect_tasks(grids: Sequence[RewardGrid]) -> int:
    """Count the tasks whose every round passes in one attempt.

    Args:
        grids: One per task, bool, shape (attempts, rounds).

    Returns:
        From 0 to the number of tasks.

    Raises:
        MetricError: No tasks.

    Source:
        EvoCode-Bench, official multi-step board: "Perfect Tasks".
    """
    _require_tasks(grids)
    return sum(bool(grid.all(axis=1).any()) for grid in grids)


def avg_rounds(interactions: Sequence[Sequence[Sequence[float]]]) -> float:
    """Mean interactions of a reached round, averaged over attempts and then over tasks.

    Args:
        interactions: One per task: per attempt, the interactions of each reached round. What was not
            measured is left out; a task without any is left out too.

    Returns:
        Interactions, at least 0.

    Raises:
        MetricError: Nothing was measured.

    Source:
        EvoCode-Bench, official multi-step board: "Avg Rounds", as defined since 2026-06-23.
    """
    measured = [fmean(fmean(attempt) for attempt in task) for task in interactions if task]
    if not measured:
        raise MetricError("no interactions were counted")
    return fmean(measured)


def _require_tasks(grids: Sequence[object]) -> None:
    if not grids:
        raise MetricError("there is no task to score")
