"""How sure a score is: intervals over tasks, which are a sample of the tasks that the benchmark could have had."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy  # its parts load where they are first used
from numpy.typing import NDArray

RESAMPLES = 10_000
LOW, HIGH = 2.5, 97.5
"""Percentiles that bound a 95 % interval."""

ROUNDING = 1e-9
"""Scores that differ by less are equal: their sums were added in another order."""

_DIGITS = 9
"""Digits after the point of an interval's bounds."""

Weights = NDArray[np.float64]
"""How much each task weighs in each draw, two half tasks at the end, shape (tasks + 2, draws)."""

Contributions = NDArray[np.float64]
"""What each task adds to each score, in its unit: a score is the mean of its row. Shape (submissions, tasks)."""

IntervalKind = Literal["bootstrap", "binomial", "t"]
"""What an interval rests on.

`bootstrap`: the tasks, weighed anew in each draw. `binomial`: a count of tasks, k of n. `t`: the mean and the spread of
the tasks, for what has no highest value; how often such an interval holds was not simulated.
"""


@dataclass(frozen=True, slots=True)
class TaskParts:
    """Scores by tasks: the sum of a submission's numerators over the sum of its denominators."""

    numerators: NDArray[np.float64]
    """Shape (submissions, tasks)."""
    denominators: NDArray[np.float64]
    """Shape (submissions, tasks); 0 where a task is no part of a submission's score. A mean over tasks has ones, a mean
    pooled over rounds has the tasks' numbers of rounds."""
    is_sum: bool = False
    """Whether the score is the sum of the numerators, each of one task. Drawn again, it is the sum over as many
    tasks."""
    less: "TaskParts | None" = None
    """Parts of a score that is taken off, where a score is the difference of two."""
    groups: Sequence[Sequence[int]] = ()
    """Places of the tasks of each group, where a score is the mean of the scores of groups. What the tasks of a group
    weigh together is what the group weighs, whichever of its tasks are drawn."""

    def of(self, rows: Sequence[int]) -> "TaskParts":
        """Keep some submissions, by their place."""
        less = self.less.of(rows) if self.less else None
        return TaskParts(self.numerators[rows, :], self.denominators[rows, :], self.is_sum, less, self.groups)

    def grouped(self, groups: Sequence[tuple[Sequence[int], float]]) -> "TaskParts":
        """Weigh the tasks so that each group weighs what is said, of those that a submission has a score on."""
        if not groups:
            return self
        share = np.zeros_like(self.denominators)
        with np.errstate(invalid="ignore", divide="ignore"):
            for columns, weight in groups:
                share[:, columns] = weight / self.denominators[:, columns].sum(axis=1, keepdims=True)
        share[self.denominators == 0] = 0.0
        return TaskParts(self.numerators * share, self.denominators * share, groups=[columns for columns, _ in groups])

    def without(self, task: int) -> "TaskParts":
        """Leave a task out; the others of its group weigh what the group did."""
        factors = np.ones_like(self.denominators)
        for group in self.groups:
            if task in group:
                sums = self.denominators[:, group].sum(axis=1)
                rest = sums - self.denominators[:, task]
                factors[:, group] = np.where(rest > ROUNDING, sums / np.where(rest > ROUNDING, rest, 1.0), 0.0)[
                    :, np.newaxis
                ]
        factors[:, task] = 0.0
        return TaskParts(self.numerators * factors, self.denominators * factors, self.is_sum, groups=self.groups)

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of each submission."""
        found: NDArray[np.float64] = self.numerators.sum(axis=1)
        if not self.is_sum:
            with np.errstate(invalid="ignore", divide="ignore"):
                found = found / self.denominators.sum(axis=1)
        return found


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

    def above(self, lowest: float | None) -> "Interval":
        """Give it without what lies below the lowest score that there can be; None where there is no lowest."""
        return self if lowest is None else Interval(max(self.low, lowest), self.high, self.kind)

    def around(self, score: float) -> "Interval":
        """Give it about a score: a bound that differs from that by rounding only is the score."""
        low, high = (float(score) if abs(bound - score) < ROUNDING else bound for bound in (self.low, self.high))
        return Interval(low, high, self.kind)


def ends_of(interval: Interval | None) -> tuple[float, float] | tuple[None, None]:
    """Both ends of an interval; None where there is none."""
    return (interval.low, interval.high) if interval else (None, None)


def raw_draws(tasks: Sequence[str], count: int) -> NDArray[np.uint64]:
    """Draw numbers that the names of tasks are the seed of: raw ones, which numpy has the same in all its releases."""
    digest = hashlib.sha256("\n".join(tasks).encode()).digest()
    return np.random.PCG64(int.from_bytes(digest[:8])).random_raw(count)


def task_weights(tasks: Sequence[str], draws: int = RESAMPLES) -> Weights:
    """Draw weights of tasks, seeded from their names: the same tasks give the same draws.

    A submission more or less leaves the draws as they are, and with them the intervals of all others. The weights of a
    draw follow a Dirichlet distribution with 1 for each task, and 1/2 for a task with the lowest and one with the
    highest score that there can be: they stand for what was not seen. There is at least one task.

    Source:
        D. B. Rubin, The Bayesian bootstrap, 1981; the half tasks act as Jeffreys' prior does on a share.
    """
    count = len(tasks)
    raw = raw_draws(tasks, (count + 4) * draws)
    uniform = ((raw >> 11).astype(np.float64) + 0.5).reshape(count + 4, draws) / 2**53
    weights = -np.log(uniform[: count + 2])
    weights[count:] *= np.cos(2 * np.pi * uniform[count + 2 :]) ** 2  # half of a chi-square number with one degree
    weights /= weights.sum(axis=0)
    return weights


def contributions(parts: TaskParts) -> Contributions:
    """Say what each task adds to each score. A task that is no part of a score leaves it where it is."""
    if parts.is_sum:
        made: Contributions = parts.numerators * parts.numerators.shape[1]
    else:
        sums = parts.denominators.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = parts.numerators.sum(axis=1, keepdims=True) / sums
            weight = parts.numerators.shape[1] / sums
            inside = np.broadcast_to(scores, parts.numerators.shape).copy()
            for group in parts.groups:
                own = parts.denominators[:, group].sum(axis=1, keepdims=True)
                inside[:, group] = np.where(own > 0, parts.numerators[:, group].sum(axis=1, keepdims=True) / own, 0.0)
        made = scores + weight * (parts.numerators - inside * parts.denominators)
    return made - contributions(parts.less) if parts.less else made


def bounded_intervals(parts: TaskParts, weights: Weights, highest: float) -> list[Interval]:
    """The 95 % interval of scores that lie between 0 and a highest one.

    Where a score is a mean over groups, tasks are drawn within each, and each has the two half tasks.
    """
    whole = parts.denominators.sum(axis=1, keepdims=True)
    drawn = np.zeros((len(whole), weights.shape[1]))
    for group in parts.groups or [range(parts.denominators.shape[1])]:
        inside = parts.denominators[:, group]
        share, usual = inside.sum(axis=1, keepdims=True) / whole, inside.mean(axis=1, keepdims=True)
        counts = np.hstack([inside, usual, usual])
        sums = np.hstack([parts.numerators[:, group], np.zeros_like(usual), highest * usual])
        of_group = weights if not parts.groups else weights[[*group, -2, -1]]
        drawn += share * np.divide(sums @ of_group, counts @ of_group, where=share > 0, out=np.zeros_like(drawn))
    scores = parts.scores
    low, high = np.percentile(drawn, (LOW, HIGH), axis=1)
    low[scores <= ROUNDING] = 0.0
    high[scores >= highest - ROUNDING] = highest
    low, high = np.minimum(low, scores), np.maximum(high, scores)
    return [Interval(*pair).rounded() for pair in zip(low.tolist(), high.tolist(), strict=True)]


def unbounded_intervals(made: Contributions) -> list[Interval]:
    """The 95 % interval of scores that have no highest value, from the spread of at least two tasks."""
    tasks = made.shape[1]
    half = scipy.special.stdtrit(tasks - 1, HIGH / 100) * made.std(axis=1, ddof=1) / tasks**0.5
    return [
        Interval(score - reach, score + reach, "t").rounded()
        for score, reach in zip(made.mean(axis=1).tolist(), half.tolist(), strict=True)
    ]


def binomial_interval(k: int, n: int) -> Interval:
    """Say how high a share, 0 to 1, may be, of which k of n are known: the exact 95 % interval.

    It takes the n things for a sample that was drawn one by one, each with the same chance. It holds the true share in
    at least 95 of 100 such samples, and is wide where n is small. There is at least one thing.

    Source:
        C. J. Clopper, E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of the
        binomial, Biometrika 26, 1934, by way of the beta distribution's quantiles.
    """
    low = float(scipy.special.betaincinv(k, n - k + 1, LOW / 100)) if k > 0 else 0.0
    high = float(scipy.special.betaincinv(k + 1, n - k, HIGH / 100)) if k < n else 1.0
    return Interval(low, high, "binomial")
