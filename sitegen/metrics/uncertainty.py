"""How sure a score is: intervals over tasks, which are a sample of the tasks that the benchmark could have had."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy  # its parts load where they are first used
from numpy.typing import NDArray

RESAMPLES = 10_000
LOW, HIGH = 2.5, 97.5
"""Percentiles that bound a 95 % interval."""

ROUNDING = 1e-9
"""Scores that differ by less are equal: their sums were added in another order."""

_FEWEST_ON_LOG_SCALE = 5
"""With fewer tasks the interval of an amount is not drawn on a logarithmic scale, where it would have no end."""

_LONGEST_REACH = 50.0
"""How far an interval reaches on a logarithmic scale at most."""

_DIGITS = 9
"""Digits after the point of an interval's bounds."""

Weights = NDArray[np.float64]
"""How much each task weighs in each draw, two half tasks at the end, shape (tasks + 2, draws)."""

Contributions = NDArray[np.float64]
"""What each task adds to each score, in its unit: a score is the mean of its row. Shape (submissions, tasks)."""

IntervalKind = Literal["bootstrap", "binomial", "effective", "t", "log-t"]
"""What an interval rests on.

`bootstrap`: the tasks, weighed anew in each draw. `binomial`: a count of tasks, k of n. `effective`: the number of
independent tasks that would vary as much, for means over groups, means with weights, and tasks in clusters. `t`: the
mean and the spread of differences at the tasks. `log-t`: the same on a logarithmic scale, for amounts such as costs;
it holds less often than 95 times in 100 where few tasks cost much more than the others.
"""

FEWEST_CLUSTERS = 6
"""Fewer clusters give no interval: their spread says too little of other clusters."""


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
    has_own_weights: bool = False
    """Whether the denominators are weights that a benchmark gives its tasks."""

    def of(self, rows: Sequence[int]) -> "TaskParts":
        """Keep some submissions, by their place."""
        less = self.less.of(rows) if self.less else None
        return replace(self, numerators=self.numerators[rows, :], denominators=self.denominators[rows, :], less=less)

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
        return replace(self, numerators=self.numerators * factors, denominators=self.denominators * factors, less=None)

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

    @property
    def words(self) -> str:
        """What the interval may be called: only one that was shown to hold 95 times in 100 says so."""
        return "approximate interval" if self.kind == "log-t" else "95 % interval"

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


def by_cluster(made: Contributions, clusters: Sequence[Sequence[int]]) -> Contributions:
    """Return what each cluster of tasks adds to each score, shape (submissions, clusters): a score is its row's mean.

    Args:
        made: What each task adds.
        clusters: Places of the tasks of each cluster; every task is in one.
    """
    sums = [made[:, list(places)].sum(axis=1) for places in clusters]
    by_unit: Contributions = np.stack(sums, axis=1) * (len(clusters) / made.shape[1])
    return by_unit


def clustered_intervals(made: Contributions, highest: float, tasks: int) -> list[Interval]:
    """Return the 95 % intervals of scores between 0 and a highest one whose tasks lie in clusters.

    Args:
        made: What each cluster adds, as `by_cluster` gives it, at least `FEWEST_CLUSTERS` of them.
        highest: The highest score that there can be.
        tasks: How many tasks there are.

    Source:
        E. Miller, Adding Error Bars to Evals, arXiv:2411.00640, section 2.2: the variance is that of whole clusters.
    """
    clusters = made.shape[1]
    intervals = []
    for values in made:
        share = min(max(float(values.mean()) / highest, 0.0), 1.0)
        variance = float(values.var(ddof=1)) / clusters / highest**2
        interval = effective_interval(share, variance, clusters - 1, tasks, clusters)
        intervals.append(interval.scaled(highest).rounded())
    return intervals


def bounded_intervals(parts: TaskParts, weights: Weights, highest: float) -> list[Interval]:
    """Return the 95 % intervals of scores that lie between 0 and a highest one.

    Plain means and means pooled over rounds draw the tasks again. Means over groups and means with task weights of
    their own go by the number of independent tasks that would vary as much, see `effective_interval`: weighing a few
    tasks heavily, or drawing within small groups, makes bootstrap intervals too short or far too wide.
    """
    if parts.groups:
        return _intervals_of_groups(parts, highest)
    if parts.has_own_weights:
        return _intervals_of_weighted_tasks(parts, highest)
    low_task_count = parts.denominators.mean(axis=1, keepdims=True)
    counts = np.hstack([parts.denominators, low_task_count, low_task_count])
    sums = np.hstack([parts.numerators, np.zeros_like(low_task_count), highest * low_task_count])
    drawn = (sums @ weights) / (counts @ weights)
    scores = parts.scores
    low, high = np.percentile(drawn, (LOW, HIGH), axis=1)
    low[scores <= ROUNDING] = 0.0
    high[scores >= highest - ROUNDING] = highest
    low, high = np.minimum(low, scores), np.maximum(high, scores)
    return [Interval(*pair).rounded() for pair in zip(low.tolist(), high.tolist(), strict=True)]


def effective_interval(
    share: float, variance: float, degrees: float, tasks: int, independent: float | None = None
) -> Interval:
    """Return the interval of a share that varies as a share of fewer, or more, independent tasks would.

    Args:
        share: The share, 0 to 1.
        variance: Of the share, over samples of tasks.
        degrees: Degrees of freedom of that variance.
        tasks: How many tasks it is over.
        independent: How many independent tasks these stand for where nothing varies; all of them if it is not given.

    Returns:
        The exact binomial interval on the effective number of tasks: share × (1 − share) / variance, made smaller
        where the variance itself is not well known.

    Source:
        E. L. Korn, B. I. Graubard, Confidence intervals for proportions with small expected number of positive counts
        estimated from survey data, Survey Methodology 24, 1998.
    """
    effective = float(independent or tasks)
    if variance > ROUNDING**2 and 0 < share < 1:
        well_known = scipy.special.stdtrit(max(tasks - 1, 1), HIGH / 100)
        as_known = scipy.special.stdtrit(max(degrees, 1.0), HIGH / 100)
        effective = share * (1 - share) / variance * float(well_known / as_known) ** 2
    k = share * effective
    low = float(scipy.special.betaincinv(k, effective - k + 1, LOW / 100)) if share > 0 else 0.0
    high = float(scipy.special.betaincinv(k + 1, effective - k, HIGH / 100)) if share < 1 else 1.0
    return Interval(min(low, share), max(high, share), "effective")


def _intervals_of_groups(parts: TaskParts, highest: float) -> list[Interval]:
    """Return the intervals of means over groups: what varies is the tasks within each group.

    A group of few tasks says little of its own variance, and one of a single task nothing. So each variance is drawn
    towards that of all groups, as if it had been seen at one more task. Degrees of freedom after F. E. Satterthwaite,
    1946.
    """
    intervals = []
    for numerators, denominators, score in zip(parts.numerators, parts.denominators, parts.scores, strict=True):
        group_weights, sizes, variances = [], [], []
        for group in parts.groups:
            columns = [column for column in group if denominators[column] > 0]
            if columns:
                values = numerators[columns] / denominators[columns]
                group_weights.append(float(denominators[columns].sum()))
                sizes.append(len(columns))
                variances.append(float(values.var(ddof=1)) if len(columns) > 1 else 0.0)
        weight = np.array(group_weights) / sum(group_weights) if group_weights else np.ones(1)
        count, variance = np.array(sizes, dtype=np.float64), np.array(variances)
        seen = count - 1
        if not seen.sum():  # no group has two tasks: they are taken for tasks of one group
            values = (numerators / np.where(denominators > 0, denominators, 1.0))[denominators > 0]
            own = float(values.var(ddof=1)) if len(values) > 1 else 0.0
            variance, seen = np.full(len(count), own), np.full(len(count), max(len(values) - 1, 1) / len(count))
        else:
            pooled = float((seen * variance).sum() / seen.sum())
            variance = (seen * variance + pooled) / (seen + 1)
        terms = weight**2 * variance / count / highest**2
        total = float(terms.sum())
        degrees = total**2 / float((terms**2 / np.maximum(seen, 1)).sum()) if total else float(seen.sum())
        share = min(max(float(score) / highest, 0.0), 1.0)
        intervals.append(effective_interval(share, total, degrees, int(count.sum())).scaled(highest).rounded())
    return intervals


def _intervals_of_weighted_tasks(parts: TaskParts, highest: float) -> list[Interval]:
    """Return the intervals of means in which tasks have weights of their own.

    As many tasks of equal weight vary like them as (Σw)² / Σw²: few, if few tasks weigh most. So few tasks say little
    of the variance, which is drawn towards that of tasks with all or nothing.
    """
    intervals = []
    for numerators, denominators, score in zip(parts.numerators, parts.denominators, parts.scores, strict=True):
        has_part = denominators > 0
        weight = denominators[has_part] / denominators[has_part].sum()
        values = numerators[has_part] / denominators[has_part] / highest
        share = min(max(float(score) / highest, 0.0), 1.0)
        count, effective = len(weight), 1 / float((weight**2).sum())
        variance = 0.0
        if count > 1:
            variance = count / (count - 1) * float(((weight * (values - share)) ** 2).sum())
        all_or_nothing = share * (1 - share) / effective
        pull = effective**-0.5
        variance = (1 - pull) * variance + pull * max(variance, all_or_nothing)
        interval = effective_interval(share, variance, effective - 1, count, effective)
        intervals.append(interval.scaled(highest).rounded())
    return intervals


def mean_intervals(made: Contributions) -> list[Interval]:
    """Return Student's intervals of means over at least two tasks, for what is not skewed as amounts are."""
    tasks = made.shape[1]
    reach = float(scipy.special.stdtrit(tasks - 1, HIGH / 100))
    intervals = []
    for values in made:
        score, error = float(values.mean()), float(values.std(ddof=1)) / tasks**0.5
        intervals.append(Interval(score - reach * error, score + reach * error, "t").rounded())
    return intervals


def unbounded_intervals(made: Contributions) -> list[Interval]:
    """Return intervals of scores that have no highest value, from the spread of at least two tasks.

    Amounts such as costs are skewed: a few tasks cost much more than the others. On a logarithmic scale the interval
    reaches further upwards, and holds more often than a plain t interval (in trials with 25 tasks of log-normal cost,
    90 times in 100 against 87). It is not called a 95 % interval.
    """
    tasks = made.shape[1]
    reach = float(scipy.special.stdtrit(tasks - 1, HIGH / 100))
    intervals = []
    for values in made:
        score, error = float(values.mean()), float(values.std(ddof=1)) / tasks**0.5
        if tasks >= _FEWEST_ON_LOG_SCALE and score > 0 and values.min() >= 0:
            factor = float(np.exp(min(reach * error / score, _LONGEST_REACH)))
            intervals.append(Interval(score / factor, score * factor, "log-t").rounded())
        else:
            intervals.append(Interval(score - reach * error, score + reach * error, "log-t").rounded())
    return intervals


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
