"""Scores of tasks whose targets are graded together at the end, each with its weight."""

from collections.abc import Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.gaps import MetricError
from sitegen.metrics.grids import RewardGrid


def resolved(grids: Sequence[RewardGrid]) -> float:
    """Share of tasks whose every target passes.

    Args:
        grids: One per task, bool, shape (attempts, targets).

    Returns:
        A fraction from 0 to 1; attempts are averaged first, and every task weighs the same.

    Raises:
        MetricError: No tasks.

    Source:
        RoadmapBench, table 2: "Resolved".
    """
    if not grids:
        raise MetricError("there is no task to score")
    return fmean(float(grid.all(axis=1).mean()) for grid in grids)


def completion(grids: Sequence[RewardGrid], weights: Sequence[NDArray[np.float64]]) -> float:
    """Weighted share of a task's targets that pass, averaged over tasks.

    Args:
        grids: One per task, bool, shape (attempts, targets).
        weights: One per task, shape (targets,), adding up to 1.

    Returns:
        From 0 to 1; attempts are averaged first, and every task weighs the same.

    Raises:
        MetricError: No tasks.

    Source:
        RoadmapBench, table 2: "Completion Score".
    """
    if not grids:
        raise MetricError("there is no task to score")
    return fmean(float((grid @ weight).mean()) for grid, weight in zip(grids, weights, strict=True))
