"""How sure a score and a rank are: a bootstrap over tasks, with the same resamples for every submission.

The tasks of a benchmark are a sample of the tasks that it could have had. Drawing as many of them again,
with replacement, shows how far scores and ranks would move with another sample. One set of resamples serves
all submissions of a track, so that differences between them are paired.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
LOW, HIGH = 2.5, 97.5
"""Percentiles that bound a 95 % interval."""

Weights = NDArray[np.float64]
"""How often each task was drawn, shape (resamples, tasks)."""

Draws = NDArray[np.float64]
"""A score in every resample, shape (submissions, resamples)."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class TaskParts:
    """A score by tasks: the sum of numerators over the sum of denominators.

    Attributes:
        numerators: Shape (submissions, tasks).
        denominators: Shape (submissions, tasks); 0 where a submission has nothing to say of a task. A mean
            over tasks has ones, a share pooled over rounds has the tasks' numbers of rounds.
    """

    numerators: NDArray[np.float64]
    denominators: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % percentile interval, in the unit of what it is about."""

    low: float
    high: float


def task_weights(parts: TaskParts, resamples: int = RESAMPLES) -> Weights:
    """Draw tasks with replacement, seeded from the data: the same results give the same draws.

    Args:
        parts: The headline score by tasks; at least one task.
        resamples: How many draws.
    """
    tasks = parts.numerators.shape[1]
    digest = hashlib.sha256(parts.numerators.tobytes() + parts.denominators.tobytes()).digest()
    drawn = np.random.default_rng(int.from_bytes(digest[:8])).integers(0, tasks, (resamples, tasks))
    cells = drawn + tasks * np.arange(resamples)[:, None]
    return np.bincount(cells.ravel(), minlength=resamples * tasks).reshape(resamples, tasks).astype(np.float64)


def draws(parts: TaskParts, weights: Weights) -> Draws:
    """Compute a score in every resample; NaN where a draw has none of a submission's tasks."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio: Draws = (parts.numerators @ weights.T) / (parts.denominators @ weights.T)
    return ratio


def intervals(drawn: Draws) -> list[Interval]:
    """Give each submission's 95 % percentile interval.

    Source:
        B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    low, high = np.nanpercentile(drawn, (LOW, HIGH), axis=1)
    return [Interval(float(lower), float(upper)) for lower, upper in zip(low, high, strict=True)]


def rank_intervals(drawn: Draws) -> list[tuple[int, int]]:
    """Give the places that each submission holds in 95 % of the resamples, from 1 for the highest draw.

    Submissions that tie in a resample share the better place.
    """
    order = np.argsort(-drawn, axis=0, kind="stable")
    ordered = np.take_along_axis(drawn, order, axis=0)
    is_lower = np.vstack([np.ones((1, drawn.shape[1]), dtype=np.bool_), np.diff(ordered, axis=0) < -_ROUNDING])
    places = np.empty_like(order)
    position = np.arange(len(drawn))[:, None]
    np.put_along_axis(places, order, 1 + np.maximum.accumulate(np.where(is_lower, position, 0), axis=0), axis=0)
    low = np.floor(np.percentile(places, LOW, axis=1))
    high = np.ceil(np.percentile(places, HIGH, axis=1))
    return [(int(lower), int(upper)) for lower, upper in zip(low, high, strict=True)]


def difference(first: NDArray[np.float64], second: NDArray[np.float64]) -> Interval:
    """Give the interval of a paired difference: both submissions' draws come from the same resamples."""
    low, high = np.nanpercentile(first - second, (LOW, HIGH))
    return Interval(float(low), float(high))


def tie_groups(drawn: Draws) -> list[tuple[int, int]]:
    """Group submissions that the data does not tell apart from the best of their group.

    Args:
        drawn: Draws of the submissions in the order of their scores, best first.

    Returns:
        First and last place of each submission's group, from 1.
    """
    groups: list[tuple[int, int]] = []
    while len(groups) < len(drawn):
        first = len(groups)
        last = first
        while last + 1 < len(drawn) and difference(drawn[first], drawn[last + 1]).low <= 0:
            last += 1
        groups += [(first + 1, last + 1)] * (last + 1 - first)
    return groups
