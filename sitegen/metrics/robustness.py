"""How robust the order of a board is: what single tasks and the number of tasks contribute."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load where they are first used
from numpy.typing import NDArray

from sitegen.metrics.intervals import (
    FEWEST_CLUSTERS,
    HIGH,
    ROUNDING,
    Contributions,
    Interval,
    TaskParts,
    bounded_intervals,
    task_weights,
)
from sitegen.metrics.paired import detectable_effect
from sitegen.metrics.results import TaskRewards

_SAME = 1e-6
"""Two agents whose differences vary by less are the same at every task, but for rounding."""

_NEARLY_ONE = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class WithoutTask:
    """A board without one of its tasks."""

    moved: int
    """How many rows get another rank by score, among those that have a score without the task."""
    row: int
    """Index of the row whose score changes most."""
    by: float
    """By how much it changes, in the metric's unit."""


def without_each_task(task_parts: TaskParts, *, upwards: bool) -> list[WithoutTask]:
    """Score and rank all rows without each of the tasks, one after another."""
    full_scores = task_parts.scores
    results = []
    for task in range(task_parts.numerators.shape[1]):
        scores = task_parts.without(task).scores
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
    contributions: Contributions, degrees: float | None = None
) -> tuple[float, float, float] | None:
    """Return how large a difference must be to be detected in 80 % of all cases.

    Args:
        contributions: What each task adds to each score, or the pseudo-values of clusters of tasks.
        degrees: Degrees of freedom of their variance, where clusters are of uneven size; by
            default one less than there are.

    Returns:
        The smallest, the median and the largest over all pairs that differ at any task, each pair
        tested alone, in the metric's unit. None where there are too few tasks, or no such pair.
    """
    units = contributions.shape[1]
    if units < FEWEST:
        return None
    centred = contributions - contributions.mean(axis=1, keepdims=True)
    squares = (centred**2).sum(axis=1)
    first, second = np.triu_indices(len(contributions), 1)
    products = (centred @ centred.T)[first, second]
    squared_differences = squares[first] + squares[second] - 2 * products
    variances = squared_differences / (units - 1)
    spreads = np.sqrt(np.maximum(variances, 0.0))
    spreads = spreads[spreads > _SAME]
    if not len(spreads):
        return None
    detectable = detectable_effect(units, degrees) * spreads
    smallest, median, largest = np.quantile(detectable, (0, 0.5, 1)).tolist()
    return smallest, median, largest


def item_rest_correlations(contributions: Contributions) -> list[float | None]:
    """Return the correlation of each task with the score over all other tasks, over the rows.

    A task on which better agents do worse has a value below 0: it measures something else, or is
    broken. It takes at least 3 rows; None where none of them differs from another.

    Source:
        F. M. Lord, M. R. Novick, Statistical Theories of Mental Test Scores, 1968, chapter 15.
    """
    rest_scores = contributions.sum(axis=1, keepdims=True) - contributions
    items = contributions - contributions.mean(axis=0)
    rests = rest_scores - rest_scores.mean(axis=0)
    item_squares = (items**2).sum(axis=0)
    rest_squares = (rests**2).sum(axis=0)
    products = (items * rests).sum(axis=0)
    scales = np.sqrt(item_squares * rest_squares)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlations = np.where(scales > ROUNDING, products / scales, np.nan)
    return [None if np.isnan(value) else value for value in correlations.tolist()]


def correlation_interval(correlation: float, agents: int) -> Interval | None:
    """Return the 95 % interval of a correlation over agents; None for fewer than `FEWEST`.

    Source:
        R. A. Fisher, On the probable error of a coefficient of correlation, Metron 1, 1921: the z
        transform.
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


def pooled_rate(
    counts: Mapping[str, tuple[int, int]], cluster_of: Mapping[str, str] | None = None
) -> Rate | None:
    """Return k of n pooled over tasks; None where there is nothing to pool.

    Args:
        counts: k and n by task. Tasks without any n have no part in the interval either.
        cluster_of: The cluster of each task, where tasks of one cluster depend on each other.
    """
    counted_tasks = {}
    for task, (k_of_task, n_of_task) in counts.items():
        if n_of_task:
            counted_tasks[task] = (k_of_task, n_of_task)
    if not counted_tasks:
        return None
    units = sampling_units(list(counted_tasks), cluster_of or {})
    pairs = np.array(list(counted_tasks.values()), dtype=np.float64)
    k, n = pairs.sum(axis=0)
    interval = None
    if len(units) >= fewest_units(cluster_of):
        by_unit = np.array([pairs[indices].sum(axis=0) for indices in units.values()])
        unit_k = by_unit[np.newaxis, :, 0]
        unit_n = by_unit[np.newaxis, :, 1]
        weights = task_weights(list(units))
        (interval,) = bounded_intervals(TaskParts(unit_k, unit_n), weights, 1.0)
    return Rate(int(k), int(n), interval)


def sampling_units(tasks: Sequence[str], cluster_of: Mapping[str, str]) -> dict[str, list[int]]:
    """Return the units that are sampled: clusters of tasks, or single tasks.

    Args:
        tasks: Ids of tasks.
        cluster_of: The cluster of each task, by its id; empty where tasks are independent.

    Returns:
        By the name of the unit, the indices of its tasks.
    """
    units: dict[str, list[int]] = {}
    for index, task in enumerate(tasks):
        unit = cluster_of.get(task, task)
        units.setdefault(unit, []).append(index)
    return units


def fewest_units(cluster_of: Mapping[str, str] | None) -> int:
    """Return how many tasks, or clusters of tasks, an interval takes at least."""
    return FEWEST_CLUSTERS if cluster_of else FEWEST


def turns_after(rewards: TaskRewards, *, passed: bool) -> tuple[int, int]:
    """Return how many rounds pass right after one that passed, or that failed, and of how many."""
    earlier = rewards[:, :-1]
    later = rewards[:, 1:]
    is_counted = earlier if passed else ~earlier
    passes_after = is_counted & later
    return int(passes_after.sum()), int(is_counted.sum())


def breakdowns_at(rewards: TaskRewards, index: int) -> tuple[int, int]:
    """Return how many attempts fail a round, and how many passed every round before it.

    Both are 0 for a task without a round of this index, from 0.
    """
    if index >= rewards.shape[1]:
        return 0, 0
    is_intact = rewards[:, :index].all(axis=1)
    fails_here = is_intact & ~rewards[:, index]
    return int(fails_here.sum()), int(is_intact.sum())


def kept(rewards: TaskRewards) -> TaskRewards:
    """Return which rounds each attempt passes with every round before them.

    Shape (attempts, rounds).
    """
    return np.logical_and.accumulate(rewards, axis=1)


def task_scores(task_parts: TaskParts) -> list[list[float]]:
    """Return for each task the scores of the rows that have one on it."""
    scores = []
    for numerators, denominators in zip(
        task_parts.numerators.T, task_parts.denominators.T, strict=True
    ):
        has_part = denominators > 0
        row_scores = numerators[has_part] / denominators[has_part]
        scores.append(row_scores.tolist())
    return scores


def pass_at_and_hat_k(task_rewards: Sequence[TaskRewards], k: int) -> tuple[float, float]:
    """Return pass@k and pass^k of rounds: that one of k attempts passes, and that all k do.

    Every task weighs the same, and has at least k attempts. All ways to take k of them count alike.

    Source:
        M. Chen et al., Evaluating Large Language Models Trained on Code, arXiv:2107.03374, section
        2.1, for pass@k; S. Yao et al., tau-bench, arXiv:2406.12045, section 3, for pass^k.
    """
    pass_at_k = []
    pass_hat_k = []
    for rewards in task_rewards:
        n = len(rewards)
        passes = rewards.sum(axis=0)
        ways = scipy.special.comb(n, k)
        failing_ways = scipy.special.comb(n - passes, k)
        passing_ways = scipy.special.comb(passes, k)
        pass_at_k.append(float((1 - failing_ways / ways).mean()))
        pass_hat_k.append(float((passing_ways / ways).mean()))
    return float(np.mean(pass_at_k)), float(np.mean(pass_hat_k))


def _ranks(scores: NDArray[np.float64], *, upwards: bool) -> NDArray[np.int64]:
    """Return ranks from 0; equal scores share the better rank."""
    signed = np.round(scores if upwards else -scores, 9)
    ranks: NDArray[np.int64] = (signed[:, np.newaxis] < signed).sum(axis=1)
    return ranks
