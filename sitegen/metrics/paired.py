"""Two submissions on the same tasks: how far they lie apart, how sure that is, and how many tasks would tell."""

from dataclasses import dataclass, replace
from math import ceil, inf

import numpy as np
import scipy  # its parts load where they are first used
from numpy.typing import NDArray

from sitegen.metrics.uncertainty import (
    ROUNDING,
    Contributions,
    Interval,
    IntervalKind,
    difference_interval,
)

SURE = 0.95
POWER = 0.8
"""How often enough tasks tell a difference that is there."""
MOST_TASKS = 100_000
"""Beyond so many tasks normal quantiles are as good."""
FEWEST = 6
"""So many tasks tell two submissions apart at the least: that all of 5 signs agree is no surprise."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The first of two scores less the second."""

    value: float
    """In the metric's unit."""
    interval: Interval
    p: float
    """How often equal submissions lie so far apart, two-sided."""
    tasks: int | None
    """How many tasks like these would show a difference of this size in 80 % of all cases; None where there is none."""
    margin: float
    """Within how much the two are shown to be the same: two one-sided tests at 95 % each."""

    def counted_in(self, tasks_per_unit: float) -> "Paired":
        """The same, with the number of tasks counted in tasks and not in clusters of so many tasks each."""
        tasks = None if self.tasks is None else ceil(self.tasks * tasks_per_unit)
        return replace(self, tasks=tasks)

    @property
    def is_shown(self) -> bool:
        """Whether the two are told apart, if they are looked at alone."""
        return self.p < 1 - SURE


def against(
    first: NDArray[np.float64],
    others: Contributions,
    reach: float | None,
    degrees: float | None = None,
) -> list[Paired]:
    """Hold a submission against others by the differences at the tasks: a paired t test.

    Rounds lie within tasks and are not independent; so no round is a sample of its own. Where scores have no highest
    value, the interval is approximate.

    Args:
        first: What each task adds to the submission's score, at least 2 tasks; the score is the mean.
        others: The same of the others.
        reach: From the lowest to the highest score that there can be; None where there is no highest. No interval goes
            beyond it.
        degrees: Degrees of freedom of the spread of the differences, where these are clusters of uneven size; else one
            less than there are differences.

    Source:
        Student, The probable error of a mean, 1908. Margin: D. J. Schuirmann, A comparison of the two one-sided tests
        procedure and the power approach, 1987. Where differences do not vary: signs that fall like a coin, and C. J.
        Clopper, E. S. Pearson, 1934, for the share of tasks that was not seen and may be otherwise. There equal
        scores may differ by all of the reach, and others be turned round.
    """
    apart = first - others
    tasks = len(first)
    degrees = tasks - 1 if degrees is None else degrees
    values, spreads = apart.mean(axis=1), apart.std(axis=1, ddof=1)
    varies, differs = spreads > ROUNDING, np.abs(values) > ROUNDING
    error = spreads / tasks**0.5
    unseen = np.where(differs, 2 * np.abs(values), reach or 0.0)
    halves = _share((1 - SURE) / 2, tasks) * unseen
    chances = 2 * scipy.special.stdtr(degrees, -np.abs(values) / np.where(varies, error, 1.0))
    coins = np.where(differs, 2.0 ** (1 - tasks), 1.0)
    # Who scores nothing anywhere is the same as nobody: tasks on which they would differ were not seen.
    nothing = 0.0 if first.any() else _share(1 - SURE, tasks) * (reach or 0.0)
    margins = np.abs(values) + np.where(varies, _quantile(SURE, degrees) * error, nothing)
    chances = np.where(varies, chances, coins)
    columns = zip(
        *(column.tolist() for column in (values, halves, chances, spreads, margins)), strict=True
    )
    pairs = []
    for value, half, chance, spread, margin in columns:
        if spread > ROUNDING:
            interval = difference_interval(value, spread, tasks, degrees, reach)
        else:
            most = inf if reach is None else max(reach, abs(value))
            kind: IntervalKind = "plain-t" if reach is None else "t"
            interval = Interval(max(value - half, -most), min(value + half, most), kind)
        pairs.append(
            Paired(value, interval.rounded(), chance, tasks_to_tell(value, spread), margin)
        )
    return pairs


def tasks_to_tell(value: float, spread: float) -> int | None:
    """Return how many tasks it takes to detect a difference in 80 % of all cases; None where there is none.

    Args:
        value: The difference of the means.
        spread: Standard deviation of the differences at the tasks.

    Source:
        The power of the paired t test, by the noncentral t distribution: J. Cohen, Statistical Power Analysis for the
        Behavioral Sciences, 1988, section 2.5.
    """
    if abs(value) <= ROUNDING:
        return None
    effect = abs(value) / spread if spread > 0 else inf
    fewest, most = FEWEST, FEWEST
    while power_of(effect, most) < POWER:
        if most > MOST_TASKS:
            return ceil(_normal_tasks(effect))
        fewest, most = most, 2 * most
    while fewest < most:
        middle = (fewest + most) // 2
        if power_of(effect, middle) < POWER:
            fewest = middle + 1
        else:
            most = middle
    return most


def power_of(effect: float, tasks: int, degrees: float | None = None) -> float:
    """Return how often a paired t test over so many tasks detects an effect, at 95 %, two-sided.

    Args:
        effect: The difference of the means, in standard deviations of the differences.
        tasks: How many tasks, at least 2.
        degrees: Degrees of freedom, where these are clusters of uneven size; else one less than there are tasks.
    """
    if effect == inf:
        return 1.0
    degrees = tasks - 1 if degrees is None else degrees
    bound = _quantile((1 + SURE) / 2, degrees)
    shift = effect * tasks**0.5
    above = 1 - scipy.special.nctdtr(degrees, shift, bound)
    below = scipy.special.nctdtr(degrees, shift, -bound)
    return float(above + below)


def detectable_effect(tasks: int, degrees: float | None = None) -> float:
    """Return the smallest effect that a paired t test over so many tasks detects in 80 % of all cases.

    In standard deviations of the differences at the tasks; at least 5 tasks. Degrees of freedom are as in `power_of`.
    """
    low, high = 0.0, _normal_effect(tasks)
    while power_of(high, tasks, degrees) < POWER:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        if power_of(middle, tasks, degrees) < POWER:
            low = middle
        else:
            high = middle
    return high


def _normal_effect(tasks: int) -> float:
    """Return the same by normal quantiles, which is too small where tasks are few."""
    quantiles = float(scipy.special.ndtri((1 + SURE) / 2) + scipy.special.ndtri(POWER))
    effect: float = quantiles / tasks**0.5
    return effect


def _normal_tasks(effect: float) -> float:
    """Return the tasks that an effect takes by normal quantiles: right where they are many."""
    return (_normal_effect(1) / effect) ** 2


def _quantile(share: float, degrees: float) -> float:
    """Return a quantile of the t distribution."""
    return float(scipy.special.stdtrit(degrees, share))


def _share(chance: float, tasks: int) -> float:
    """The share of tasks of which none is seen among so many with that chance."""
    return float(1 - chance ** (1 / tasks))
