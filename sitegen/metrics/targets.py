"""Scores of tasks whose targets are graded together at the end, each with its weight."""

from collections.abc import Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.gaps import MetricError
from sitegen.metrics.grids import RewardGrid
from sitegen.metrics.tasks import by_task


def resolved(grids: Sequence[RewardGrid]) -> float:
    """Share of tasks whose every target passes.

    Args:
        grids: One per task, bool, shape (attempts, targets).

    Returns:
        A fraction from 0 to 1; attempts are averaged first, and every task weighs the same.

    Formula:
        Resolved = 100 / T · Σ_t (1 / A) · Σ_a [passed(t, a) = targets(t)]

        […]: 1 where it is so, else 0
        T: tasks of the track
        A: attempts at each task
        passed(t, a): targets of task t that attempt a passed
        targets(t): all targets of task t, without those that a finding excludes

    Raises:
        MetricError: There is no task, or fewer than 80 % were run. Above that, tasks that were not run count 0.

    Source:
        RoadmapBench, arXiv:2605.15846, section 4.1: "Resolved rate".
    """
    if not grids:
        raise MetricError("there is no task to score")
    return fmean(by_task(grids, lambda stack: stack.all(axis=2).mean(axis=1)))


def completion(grids: Sequence[RewardGrid], weights: Sequence[NDArray[np.float64]]) -> float:
    """Weighted share of a task's targets that pass, averaged over tasks.

    Args:
        grids: One per task, bool, shape (attempts, targets).
        weights: One per task, shape (targets,), adding up to 1.

    Returns:
        From 0 to 1; attempts are averaged first, and every task weighs the same.

    Formula:
        Completion Score = 1 / T · Σ_t (1 / A) · Σ_a Σ_j w(t, j) · passed(t, a, j) / Σ_j w(t, j)

        T: tasks of the track
        A: attempts at each task
        w(t, j): weight of target j of task t; weights that do not add up to 1 count in proportion
        passed(t, a, j): 1 where attempt a passed target j, else 0

    Raises:
        MetricError: There is no task, or fewer than 80 % were run. Above that, tasks that were not run count 0.

    Source:
        RoadmapBench, arXiv:2605.15846, section 4.1: "Completion Score".
    """
    if not grids:
        raise MetricError("there is no task to score")
    return fmean(float((grid @ weight).mean()) for grid, weight in zip(grids, weights, strict=True))
