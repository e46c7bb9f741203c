"""Scores of fail-stop runs, where nothing counts after the first failure, and of rounds run by themselves."""

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from sitegen.metrics.gaps import MetricError
from sitegen.metrics.grids import RewardGrid


def mt_at_k(grids: Sequence[RewardGrid], k: int) -> float:
    """Share of rounds that at least one of k attempts reaches with its work intact.

    An attempt keeps a round only if it also kept every round before it, so whatever a grid holds after
    an attempt's first failure is ignored.

    Args:
        grids: One per task, bool, shape (k, rounds); rounds may differ by task.
        k: Attempts per task, at least 1.

    Returns:
        A fraction from 0 to 1; rounds are averaged within a task, and every task weighs the same.

    Raises:
        MetricError: No tasks, or a task without exactly `k` attempts: a missing attempt is a gap,
            not a failure, and a spare one would let a submitter choose.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4, where k is 4.
    """
    _require_attempts(grids, k)
    return fmean(float(_kept(grid).any(axis=0).mean()) for grid in grids)


def comp(grids: Sequence[RewardGrid], k: int) -> float:
    """Share of tasks whose last round some attempt passes with all its work intact.

    Args:
        grids: One per task, bool, shape (k, rounds).
        k: Attempts per task, at least 1.

    Returns:
        A fraction from 0 to 1 of all tasks.

    Raises:
        MetricError: No tasks, or a task without exactly `k` attempts.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4: "Comp".
    """
    _require_attempts(grids, k)
    return fmean(float(_kept(grid)[:, -1].any()) for grid in grids)


def sr(rounds: Sequence[RewardGrid]) -> float:
    """Share of rounds that pass when each is started from the reference state.

    Args:
        rounds: One per task, bool, shape (rounds,).

    Returns:
        A fraction from 0 to 1, pooled over rounds: a long task counts for more than a short one.

    Raises:
        MetricError: No rounds were started from the reference state.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4: "SR". All published values are whole numbers
        of the 227 rounds, which shows that rounds are pooled.
    """
    pooled = np.concatenate(rounds) if rounds else np.array([])
    if not pooled.size:
        raise MetricError("no round was started from the reference state")
    return float(pooled.mean())


def _kept(grid: RewardGrid) -> RewardGrid:
    """Which rounds each attempt reached without a failure before or in them."""
    return np.logical_and.accumulate(grid, axis=1)


def _require_attempts(grids: Sequence[RewardGrid], k: int) -> None:
    if not grids:
        raise MetricError("there is no task to score")
    short = [grid for grid in grids if len(grid) != k]
    if short:
        raise MetricError(f"{k} attempts at every task are needed, here are {len(short[0])}")
