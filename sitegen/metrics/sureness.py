"""What the order of a board hangs on: single tasks, how many there are, and how they relate to the scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load where they are first used
from numpy.typing import NDArray

from sitegen.metrics.grids import RewardGrid
from sitegen.metrics.paired import detectable_effect
from sitegen.metrics.uncertainty import (
    FEWEST_CLUSTERS,
    HIGH,
    ROUNDING,
    Contributions,
    Interval,
    TaskParts,
    bounded_intervals,
    task_weights,
)

_SAME = 1e-6
"""Two agents whose differences vary by less are the same at every task, but for rounding."""

_NEARLY_ONE = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class WithoutTask:
    """A board without one of its tasks."""

    moved: int
    """How many rows get another rank by score, among those that have a score without the task."""
    row: int
    """Place of the row whose score moves most."""
    by: float
    """How far it moves, in the metric's unit."""


def without_each_task(parts: TaskParts, *, upwards: bool) -> list[WithoutTask]:
    """Score and rank all rows without each of the tasks, one after the other."""
    full_scores = parts.scores
    results = []
    for task in range(parts.numerators.shape[1]):
        scores = parts.without(task).scores
        has_score = ~np.isnan(scores)
        ranks_before = _ranks(full_scores[has_score], upwards=upwards)
        ranks_after = _ranks(scores[has_score], upwards=upwards)
        moved = int((ranks_after != ranks_before).sum())
        score_changes = np.nan_to_num(scores - full_scores)
        row = int(np.abs(score_changes).argmax())
        results.append(WithoutTask(moved, row, float(score_changes[row])))
    return results


FEWEST = 5
"""Fewer tasks, or agents, give no interval, and no estimate that would need one."""


def smallest_differences(
    made: Contributions, degrees: float | None = None
) -> tuple[float, float, float] | None:
    """Return how large a difference must be to be detected in 80 % of all cases, each pair looked at alone.

    Args:
        made: What each task adds to each score, or the pseudo-values of clusters of tasks.
        degrees: Degrees of freedom of their variance, where clusters are of uneven size; else one less than there are.

    Returns:
        The smallest, the median and the largest over all pairs that differ at any task, in the metric's unit; None
        where there are too few tasks, or no such pair.
    """
    units = made.shape[1]
    if units < FEWEST:
        return None
    centred = made - made.mean(axis=1, keepdims=True)
    squares = (centred**2).sum(axis=1)
    first, second = np.triu_indices(len(made), 1)
    variances = (squares[first] + squares[second] - 2 * (centred @ centred.T)[first, second]) / (
        units - 1
    )
    spreads = np.sqrt(np.maximum(variances, 0.0))
    spreads = spreads[spreads > _SAME]
    if not len(spreads):
        return None
    low, middle, high = np.quantile(
        detectable_effect(units, degrees) * spreads, (0, 0.5, 1)
    ).tolist()
    return low, middle, high


def item_rest_correlations(made: Contributions) -> list[float | None]:
    """Correlate each task with the score over all other tasks, over the rows.

    A task on which better agents do worse has a value below 0: it measures something else, or is broken. It takes at
    least 3 rows; None where none of them differs from another.

    Source:
        F. M. Lord, M. R. Novick, Statistical Theories of Mental Test Scores, 1968, chapter 15.
    """
    rest = made.sum(axis=1, keepdims=True) - made
    items, others = (each - each.mean(axis=0) for each in (made, rest))
    scale = np.sqrt((items**2).sum(axis=0) * (others**2).sum(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(scale > ROUNDING, (items * others).sum(axis=0) / scale, np.nan)
    return [None if np.isnan(value) else value for value in found.tolist()]


def correlation_interval(correlation: float, agents: int) -> Interval | None:
    """Return the 95 % interval of a correlation over agents; None for fewer than `FEWEST`.

    Source:
        R. A. Fisher, On the probable error of a coefficient of correlation, Metron 1, 1921: the z transform.
    """
    if agents < FEWEST:
        return None
    centre = np.arctanh(min(max(correlation, -_NEARLY_ONE), _NEARLY_ONE))
    half = scipy.special.ndtri(HIGH / 100) / (agents - 3) ** 0.5
    low, high = np.tanh((centre - half, centre + half)).tolist()
    return Interval(low, high).rounded()


@dataclass(frozen=True, slots=True)
class Rate:
    """k of n, pooled over the tasks that have any."""

    k: int
    n: int
    interval: Interval | None
    """The 95 % interval over these tasks, or their clusters; None where they are too few."""


def rate_of(
    counts: Mapping[str, tuple[int, int]], cluster_of: Mapping[str, str] | None = None
) -> Rate | None:
    """Pool the k of n of each task over tasks; None where there is nothing to pool.

    Args:
        counts: k and n by task. Tasks without any n have no part in the interval either.
        cluster_of: The cluster of each task, where tasks of one cluster depend on each other.
    """
    with_data = {task: pair for task, pair in counts.items() if pair[1]}
    if not with_data:
        return None
    units = units_of(list(with_data), cluster_of or {})
    pairs = np.array(list(with_data.values()), dtype=np.float64)
    k, n = pairs.sum(axis=0)
    interval = None
    if len(units) >= fewest_units(cluster_of):
        by_unit = np.array([pairs[places].sum(axis=0) for places in units.values()])
        parts = TaskParts(by_unit[np.newaxis, :, 0], by_unit[np.newaxis, :, 1])
        (interval,) = bounded_intervals(parts, task_weights(list(units)), 1.0)
    return Rate(int(k), int(n), interval)


def units_of(tasks: Sequence[str], cluster_of: Mapping[str, str]) -> dict[str, list[int]]:
    """Return what is sampled: the places of the tasks of each cluster, or of each task alone.

    Args:
        tasks: Ids of tasks.
        cluster_of: The cluster of each task, by its id; empty where tasks are independent.
    """
    units: dict[str, list[int]] = {}
    for place, task in enumerate(tasks):
        units.setdefault(cluster_of.get(task, task), []).append(place)
    return units


def fewest_units(cluster_of: Mapping[str, str] | None) -> int:
    """Return how many tasks, or clusters of tasks, an interval takes."""
    return FEWEST_CLUSTERS if cluster_of else FEWEST


def turns_after(rewards: RewardGrid, *, passed: bool) -> tuple[int, int]:
    """Count the rounds that pass, of those right after one that passed, or that failed."""
    before, after = rewards[:, :-1], rewards[:, 1:]
    asked = before if passed else ~before
    return int((asked & after).sum()), int(asked.sum())


def breakdowns_at(rewards: RewardGrid, place: int) -> tuple[int, int]:
    """Count the attempts that fail a round, of those that passed every round before it.

    Places of rounds count from 0; a task that has no such round counts nothing.
    """
    if place >= rewards.shape[1]:
        return 0, 0
    whole = rewards[:, :place].all(axis=1)
    return int((whole & ~rewards[:, place]).sum()), int(whole.sum())


def kept(rewards: RewardGrid) -> RewardGrid:
    """Which rounds each attempt passes with every round before them: shape (attempts, rounds)."""
    return np.logical_and.accumulate(rewards, axis=1)


def task_scores(parts: TaskParts) -> list[list[float]]:
    """Score each task by itself: a list of the rows' scores for each task, rows that lack it left out."""
    found = zip(parts.numerators.T, parts.denominators.T, strict=True)
    return [(tops[sizes > 0] / sizes[sizes > 0]).tolist() for tops, sizes in found]


def of_k_attempts(grids: Sequence[RewardGrid], k: int) -> tuple[float, float]:
    """Share of rounds that some of k attempts passes, and that each of k passes; every task weighs the same.

    Each task has at least k attempts, and all ways to take k of them count alike.

    Source:
        M. Chen et al., Evaluating Large Language Models Trained on Code, arXiv:2107.03374, section 2.1, for some;
        S. Yao et al., tau-bench, arXiv:2406.12045, section 3, for each.
    """
    some, each = [], []
    for grid in grids:
        n, passes = len(grid), grid.sum(axis=0)
        ways = scipy.special.comb(n, k)
        some.append(float((1 - scipy.special.comb(n - passes, k) / ways).mean()))
        each.append(float((scipy.special.comb(passes, k) / ways).mean()))
    return float(np.mean(some)), float(np.mean(each))


def _ranks(scores: NDArray[np.float64], *, upwards: bool) -> NDArray[np.int64]:
    """Rank scores; equal ones share the better rank."""
    signed = np.round(np.nan_to_num(scores if upwards else -scores, nan=-np.inf), 9)
    ranks: NDArray[np.int64] = (signed[:, np.newaxis] < signed).sum(axis=1)
    return ranks
