"""How sure a score is: a bootstrap over tasks, with the same resamples for every submission.

The tasks of a benchmark are a sample of the tasks that it could have had. Drawing as many of them again,
with replacement, shows how far scores and ranks would move with another sample. One set of resamples serves
all submissions of a track, so that differences between them are paired.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Literal

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
LOW, HIGH = 2.5, 97.5
"""Percentiles that bound a 95 % interval."""

ROUNDING = 1e-9
"""Scores that differ by less are equal: their sums were added in another order."""

_DIGITS = 9
"""Digits after the point of an interval's bounds."""

Weights = NDArray[np.float64]
"""How often each task was drawn, shape (tasks, resamples)."""

Draws = NDArray[np.float64]
"""A score in every resample, shape (submissions, resamples)."""

IntervalKind = Literal["bootstrap", "binomial"]
"""What an interval rests on.

`bootstrap`: the tasks, drawn again. `binomial`: a count, k of n, with nothing else known.
"""


@dataclass(frozen=True, slots=True)
class TaskParts:
    """Scores by tasks: the sum of a submission's numerators over the sum of its denominators.

    Attributes:
        numerators: Shape (submissions, tasks).
        denominators: Shape (submissions, tasks); 0 where a task is no part of a submission's score. A mean over
            tasks has ones, a mean pooled over rounds has the tasks' numbers of rounds.
        is_sum: Whether the score is the sum of the numerators, each of one task. Drawn again, it is the sum over
            as many tasks.
        less: Parts of a score that is taken off, where a score is the difference of two.
    """

    numerators: NDArray[np.float64]
    denominators: NDArray[np.float64]
    is_sum: bool = False
    less: "TaskParts | None" = None

    def of(self, rows: Sequence[int]) -> "TaskParts":
        """Keep some submissions, by their place."""
        less = self.less.of(rows) if self.less else None
        return TaskParts(self.numerators[rows, :], self.denominators[rows, :], self.is_sum, less)


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval, in the unit of what it is about."""

    low: float
    high: float
    kind: IntervalKind = "bootstrap"

    def scaled(self, factor: float) -> "Interval":
        """Give it in another unit; a factor below 0 turns it round."""
        low, high = sorted((factor * self.low, factor * self.high))
        return Interval(low, high, self.kind)

    def rounded(self) -> "Interval":
        """Give it without the digits in which machines differ."""
        return Interval(round(self.low, _DIGITS), round(self.high, _DIGITS), self.kind)

    def around(self, score: float) -> "Interval":
        """Give it about a score: a bound that differs from that by rounding only is the score."""
        low, high = (float(score) if abs(bound - score) < ROUNDING else bound for bound in (self.low, self.high))
        return Interval(low, high, self.kind)


def task_weights(tasks: Sequence[str], resamples: int = RESAMPLES) -> Weights:
    """Draw tasks with replacement, seeded from their names: the same tasks give the same draws.

    A submission more or less leaves the draws as they are, and with them the intervals of all others.

    Args:
        tasks: Ids of the track's tasks, at least one.
        resamples: How many draws.
    """
    count = len(tasks)
    digest = hashlib.sha256("\n".join(tasks).encode()).digest()
    # Raw numbers, since numpy gives the same ones in all its releases; the upper halves, spread over the tasks.
    raw = np.random.PCG64(int.from_bytes(digest[:8])).random_raw(count * resamples)
    cells = ((raw >> 32) * count >> 32).astype(np.intp).reshape(count, resamples)
    cells *= resamples
    cells += np.arange(resamples)
    return np.bincount(cells.ravel(), minlength=count * resamples).reshape(count, resamples).astype(np.float64)


def draws(parts: TaskParts, weights: Weights) -> Draws:
    """Compute a score in every resample; NaN where a draw has none of a submission's tasks."""
    counts = parts.denominators
    if (counts == counts[:1]).all():
        counts = counts[:1]  # submissions that were scored on the same tasks share the sums
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn: Draws = (parts.numerators @ weights) / (counts @ weights)
    if parts.is_sum:
        drawn *= counts.sum(axis=1, keepdims=True)
    return drawn - draws(parts.less, weights) if parts.less else drawn


def intervals(drawn: Draws) -> list[Interval]:
    """Give each submission's 95 % percentile interval.

    Source:
        B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    bounds = np.nanpercentile if np.isnan(drawn).any() else np.percentile
    low, high = bounds(drawn, (LOW, HIGH), axis=1)
    pairs = zip(low.tolist(), high.tolist(), strict=True)
    return [Interval(lower, upper).rounded() for lower, upper in pairs]


def differences(first: NDArray[np.float64], others: Draws) -> list[Interval]:
    """Give the interval of a submission's lead over each of others, which is paired.

    Args:
        first: Draws of the submission, shape (resamples,).
        others: Draws of the others, from the same resamples.
    """
    return intervals(first - others)


def is_above(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    """Whether the whole interval of a submission's lead lies above 0.

    As `differences` would say it, but by counting the draws without a lead, which is much faster than putting them
    in order. Only where that leaves the bound between two draws, it is computed.

    Args:
        first: Draws of the submission, shape (resamples,).
        second: Draws of the other, from the same resamples.
    """
    leads = first - second
    if np.isnan(leads).any():
        leads = leads[~np.isnan(leads)]
    bound = (len(leads) - 1) * LOW / 100
    without = int(np.count_nonzero(leads <= ROUNDING))
    if without <= floor(bound):
        return True
    return without <= ceil(bound) and float(np.percentile(leads, LOW)) > ROUNDING
