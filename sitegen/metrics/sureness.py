"""What the order of a board hangs on: single tasks, how many there are, and how they relate to the scores."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load where they are first used
from numpy.typing import NDArray

from sitegen.metrics.grids import RewardGrid
from sitegen.metrics.paired import detectable_effect
from sitegen.metrics.uncertainty import ROUNDING, Contributions, Interval, TaskParts, Weights, bounded_intervals


@dataclass(frozen=True, slots=True)
class WithoutTask:
    """A board without one of its tasks."""

    moved: int
    """How many rows get another rank by score."""
    row: int
    """Place of the row whose score moves most."""
    by: float
    """How far it moves, in the metric's unit."""


def without_each_task(parts: TaskParts, *, upwards: bool) -> list[WithoutTask]:
    """Score and rank all rows without each of the tasks, one after the other."""
    whole = parts.scores
    before = _ranks(whole, upwards=upwards)
    found = []
    for scores in (parts.without(task).scores for task in range(parts.numerators.shape[1])):
        moves = np.nan_to_num(scores - whole)
        row = int(np.abs(moves).argmax())
        moved = int((_ranks(scores, upwards=upwards) != before).sum())
        found.append(WithoutTask(moved, row, float(moves[row])))
    return found


def smallest_differences(made: Contributions) -> tuple[float, float, float]:
    """Say how large a difference must be to be shown in 80 % of all cases, a pair looked at alone.

    Of at least 2 rows and 2 tasks: the smallest, the median and the largest over all pairs, in the metric's unit.
    """
    first, second = np.triu_indices(len(made), 1)
    spread = (made[first] - made[second]).std(axis=1, ddof=1)
    effect = detectable_effect(made.shape[1])
    low, middle, high = np.quantile(effect * spread, (0, 0.5, 1)).tolist()
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


@dataclass(frozen=True, slots=True)
class Rate:
    """k of n, with a 95 % interval over the tasks that they belong to."""

    k: int
    n: int
    interval: Interval


def rate_of(counts: Sequence[tuple[int, int]], weights: Weights) -> Rate | None:
    """Pool the k of n of each task over tasks; None where there is nothing to pool."""
    found = np.array(counts, dtype=np.float64)
    k, n = found.sum(axis=0)
    if not n:
        return None
    (interval,) = bounded_intervals(TaskParts(found[np.newaxis, :, 0], found[np.newaxis, :, 1]), weights, 1.0)
    return Rate(int(k), int(n), interval)


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


def run_share(grids: Sequence[RewardGrid]) -> float | None:
    """Share of the variance of a score that is run-to-run: the rest is the choice of the tasks.

    The score is the mean over tasks and attempts of the share of rounds passed. It takes at least 2 tasks with at least
    2 attempts each; None where all tasks have the same score.

    Source:
        E. Miller, Adding Error Bars to Evals, arXiv:2411.00640, section 3.1: the variance of a mean over questions is
        that of their own scores and, divided by the attempts at each, that of attempts at the same question.
    """
    shares = [grid.mean(axis=1) for grid in grids]
    run = float(np.mean([each.var(ddof=1) / len(each) for each in shares]))
    whole = float(np.var([each.mean() for each in shares], ddof=1))
    return min(1.0, run / whole) if whole > ROUNDING else None


def _ranks(scores: NDArray[np.float64], *, upwards: bool) -> NDArray[np.int64]:
    """Rank scores; equal ones share the better rank."""
    signed = np.round(np.nan_to_num(scores if upwards else -scores, nan=-np.inf), 9)
    ranks: NDArray[np.int64] = (signed[:, np.newaxis] < signed).sum(axis=1)
    return ranks
