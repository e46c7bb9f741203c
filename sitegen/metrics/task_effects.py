"""How individual tasks affect the order of a board.

`without_each_task` ranks the submissions with each task left out in turn; `item_rest_correlations`
compares each task with all other tasks. In arrays, each submission is a row.
"""

from dataclasses import dataclass

import numpy as np
import scipy  # loads its submodules on first use

from sitegen.metrics.arrays import FloatArray, IntArray
from sitegen.metrics.contributions import Contributions, TaskFractions
from sitegen.metrics.intervals import (
    FEWEST_TASKS,
    HIGH,
    Interval,
)
from sitegen.metrics.tolerances import COMPONENT_TOLERANCE, LARGEST_CORRELATION, SCORE_DIGITS


@dataclass(frozen=True, slots=True)
class WithoutTask:
    """The effect on a board of leaving out one of its tasks."""

    moved_rows: int
    """Number of submissions whose rank by score changes, if they have a score without the task."""
    row: int
    """Index of the submission whose score changes most."""
    score_change: float
    """The change of this score, in the metric's unit."""


def without_each_task(fractions: TaskFractions, *, upwards: bool) -> list[WithoutTask]:
    """Score and rank all submissions with each task left out in turn."""
    full_scores = fractions.scores
    results = []
    for column in range(fractions.numerators.shape[1]):
        scores = fractions.without(column).scores
        has_score = ~np.isnan(scores)
        ranks_before = _ranks(full_scores[has_score], upwards=upwards)
        ranks_after = _ranks(scores[has_score], upwards=upwards)
        moved_rows = int((ranks_after != ranks_before).sum())
        score_changes = np.nan_to_num(scores - full_scores)
        row = int(np.abs(score_changes).argmax())
        results.append(WithoutTask(moved_rows, row, float(score_changes[row])))
    return results


def item_rest_correlations(contributions: Contributions) -> list[float | None]:
    """Return the correlation of each task with the score over all other tasks, over submissions.

    A task on which better agents do worse has a value below 0: it measures something else, or is
    broken. At least 3 submissions are needed; None for a task on which none of them differ.

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
        correlations = np.where(scales > COMPONENT_TOLERANCE, products / scales, np.nan)
    return [None if np.isnan(value) else value for value in correlations.tolist()]


def correlation_interval(correlation: float, agents: int) -> Interval | None:
    """Return the 95 % interval of a correlation over agents; None for fewer than `FEWEST_TASKS`.

    Source:
        R. A. Fisher, On the probable error of a coefficient of correlation, Metron 1, 1921: the z
        transform.
    """
    if agents < FEWEST_TASKS:
        return None
    centre = np.arctanh(min(max(correlation, -LARGEST_CORRELATION), LARGEST_CORRELATION))
    half = scipy.special.ndtri(HIGH / 100) / (agents - 3) ** 0.5
    low, high = np.tanh((centre - half, centre + half)).tolist()
    return Interval(low, high).rounded()


def task_scores(fractions: TaskFractions) -> list[list[float]]:
    """Return for each task the scores of the submissions that have a score on it."""
    scores = []
    for numerators, denominators in zip(
        fractions.numerators.T, fractions.denominators.T, strict=True
    ):
        has_part = denominators > 0
        row_scores = numerators[has_part] / denominators[has_part]
        scores.append(row_scores.tolist())
    return scores


def _ranks(scores: FloatArray, *, upwards: bool) -> IntArray:
    """Return ranks from 0; equal scores share the better rank."""
    signed = np.round(scores if upwards else -scores, SCORE_DIGITS)
    ranks: IntArray = (signed[:, np.newaxis] < signed).sum(axis=1)
    return ranks
