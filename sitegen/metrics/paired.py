"""Compare two submissions on the same tasks: their difference and its uncertainty."""

from dataclasses import dataclass, replace
from math import ceil, inf

import numpy as np
import scipy  # loads its submodules on first use

from sitegen.metrics.arrays import FloatArray
from sitegen.metrics.contributions import Contributions
from sitegen.metrics.intervals import (
    CONFIDENCE_LEVEL,
    FEWEST_TASKS,
    Interval,
    difference_interval,
)
from sitegen.metrics.tolerances import SCORE_TOLERANCE, SPREAD_TOLERANCE

POWER = 0.8
"""The chance with which a sufficient number of tasks detects an existing difference."""
MOST_TASKS = 100_000
"""Number of tasks above which normal quantiles are accurate enough."""
FEWEST_TO_DETECT = 6
"""Minimum number of tasks that can detect a difference: 5 equal signs may well be chance."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The first of two scores minus the second."""

    value: float
    """The difference, in the metric's unit."""
    interval: Interval
    p: float
    """The two-sided p-value: how often equal submissions are at least this far apart."""
    needed_tasks: int | None
    """The number of tasks like these needed to detect this difference 80 % of the time.

    None if there is no difference.
    """
    margin: float
    """Margin within which the scores are shown to be equal, by two one-sided tests at 95 % each."""

    def counted_in(self, tasks_per_unit: float) -> "PairedDifference":
        """Return the same difference with the needed tasks counted in tasks instead of clusters."""
        if self.needed_tasks is None:
            return self
        return replace(self, needed_tasks=ceil(self.needed_tasks * tasks_per_unit))

    @property
    def is_shown(self) -> bool:
        """Whether this pair, tested alone, is shown to differ."""
        return self.p < 1 - CONFIDENCE_LEVEL


def compare_paired(
    first: FloatArray,
    others: Contributions,
    largest_difference: float | None,
    degrees: float | None = None,
) -> list[PairedDifference]:
    """Compare a submission with other submissions by a paired t test of differences on the tasks.

    Rounds belong to tasks and are not independent, so tasks are the sampling units. If scores have
    no highest value, the interval is approximate.

    Args:
        first: Contributions to the submission's score, shape (tasks,), at least 2 tasks.
        others: Contributions to the scores of the other submissions. Results are in the same order.
        largest_difference: The highest minus the lowest possible score; None if there is no highest
            score. No interval exceeds it.
        degrees: Degrees of freedom of their standard deviation, if the differences are between
            clusters of unequal size; by default one less than the number of differences.

    Source:
        Student, The probable error of a mean, 1908. Margin: D. J. Schuirmann, A comparison of the
        two one-sided tests procedure and the power approach, 1987. If differences do not vary: a
        sign test, and C. J. Clopper, E. S. Pearson, 1934, for the share of unseen tasks, on which
        results may differ. On unseen tasks, equal scores may have the largest difference, and other
        differences may be reversed.
    """
    differences = first - others
    tasks = len(first)
    if degrees is None:
        degrees = tasks - 1
    values = differences.mean(axis=1)
    deviations = differences.std(axis=1, ddof=1)
    standard_errors = deviations / tasks**0.5
    varies = deviations > SCORE_TOLERANCE
    differs = np.abs(values) > SCORE_TOLERANCE

    statistics = -np.abs(values) / np.where(varies, standard_errors, 1.0)
    p_of_t_test = 2 * scipy.special.stdtr(degrees, statistics)
    p_of_sign_test = np.where(differs, 2.0 ** (1 - tasks), 1.0)
    p_values = np.where(varies, p_of_t_test, p_of_sign_test)

    unseen_differences = np.where(differs, 2 * np.abs(values), largest_difference or 0.0)
    half_widths = _unseen_share((1 - CONFIDENCE_LEVEL) / 2, tasks) * unseen_differences
    # Two submissions that score 0 on every task are equal, except on unseen tasks.
    unseen_margin = 0.0
    if not first.any():
        unseen_margin = _unseen_share(1 - CONFIDENCE_LEVEL, tasks) * (largest_difference or 0.0)
    seen_margins = _quantile(CONFIDENCE_LEVEL, degrees) * standard_errors
    margins = np.abs(values) + np.where(varies, seen_margins, unseen_margin)

    pairs = []
    columns = [column.tolist() for column in (values, deviations, half_widths, p_values, margins)]
    for value, deviation, half_width, p_value, margin in zip(*columns, strict=True):
        if deviation > SCORE_TOLERANCE:
            interval = difference_interval(value, deviation, tasks, degrees, largest_difference)
        else:
            interval = _constant_interval(value, half_width, largest_difference)
        needed_tasks = tasks_to_detect(value, deviation)
        pairs.append(PairedDifference(value, interval.rounded(), p_value, needed_tasks, margin))
    return pairs


def _constant_interval(
    value: float, half_width: float, largest_difference: float | None
) -> Interval:
    """Return the interval of a difference that is the same on every task."""
    low = value - half_width
    high = value + half_width
    if largest_difference is None:
        return Interval(low, high, "plain-t")
    largest = max(largest_difference, abs(value))
    return Interval(max(low, -largest), min(high, largest), "t")


def tasks_to_detect(value: float, deviation: float) -> int | None:
    """Return how many tasks are needed to detect a difference 80 % of the time.

    Args:
        value: The difference of the means.
        deviation: Standard deviation of the differences on the tasks.

    Returns:
        None if there is no difference.

    Source:
        The power of the paired t test, by the noncentral t distribution: J. Cohen, Statistical
        Power Analysis for the Behavioral Sciences, 1988, section 2.5.
    """
    if abs(value) <= SCORE_TOLERANCE:
        return None
    effect = abs(value) / deviation if deviation > 0 else inf
    fewest = FEWEST_TO_DETECT
    enough = FEWEST_TO_DETECT
    while detection_power(effect, enough) < POWER:
        if enough > MOST_TASKS:
            return ceil(_normal_needed_tasks(effect))
        fewest = enough
        enough = 2 * enough
    while fewest < enough:
        middle = (fewest + enough) // 2
        if detection_power(effect, middle) < POWER:
            fewest = middle + 1
        else:
            enough = middle
    return enough


def detection_power(effect: float, tasks: int, degrees: float | None = None) -> float:
    """Return how often a paired, two-sided t test detects an effect at the 95 % level.

    Args:
        effect: The difference of the means, in standard deviations of the differences.
        tasks: Number of tasks, at least 2.
        degrees: Degrees of freedom, if the tasks are clusters of unequal size; by default one less
            than the number of tasks.
    """
    if effect == inf:
        return 1.0
    if degrees is None:
        degrees = tasks - 1
    bound = _quantile((1 + CONFIDENCE_LEVEL) / 2, degrees)
    shift = effect * tasks**0.5
    above = 1 - scipy.special.nctdtr(degrees, shift, bound)
    below = scipy.special.nctdtr(degrees, shift, -bound)
    return float(above + below)


def detectable_effect(tasks: int, degrees: float | None = None) -> float:
    """Return the smallest effect that a paired t test detects 80 % of the time.

    The effect is in standard deviations of the differences on the tasks. There must be at least 5
    tasks. Degrees of freedom are as in `detection_power`.
    """
    low, high = 0.0, _normal_detectable_effect(tasks)
    while detection_power(high, tasks, degrees) < POWER:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        if detection_power(middle, tasks, degrees) < POWER:
            low = middle
        else:
            high = middle
    return high


def smallest_differences(
    contributions: Contributions, degrees: float | None = None
) -> tuple[float, float, float] | None:
    """Return how large differences must be to be detected 80 % of the time.

    Args:
        contributions: Contributions of tasks, or the jackknife contributions of clusters.
        degrees: Degrees of freedom of their variance, if clusters are of unequal size; by default
            one less than the number of contributions.

    Returns:
        The smallest, the median and the largest such difference over all pairs that differ on at
        least one task, each pair tested alone, in the metric's unit. None if there are too few
        tasks, or no such pair.
    """
    units = contributions.shape[1]
    if units < FEWEST_TASKS:
        return None
    centred = contributions - contributions.mean(axis=1, keepdims=True)
    squares = (centred**2).sum(axis=1)
    first, second = np.triu_indices(len(contributions), 1)
    products = (centred @ centred.T)[first, second]
    squared_differences = squares[first] + squares[second] - 2 * products
    variances = squared_differences / (units - 1)
    spreads = np.sqrt(np.maximum(variances, 0.0))
    spreads = spreads[spreads > SPREAD_TOLERANCE]
    if not len(spreads):
        return None
    detectable = detectable_effect(units, degrees) * spreads
    smallest, median, largest = np.quantile(detectable, (0, 0.5, 1)).tolist()
    return smallest, median, largest


def _normal_detectable_effect(tasks: int) -> float:
    """Return the detectable effect from normal quantiles, which is too small for few tasks."""
    significance_quantile = scipy.special.ndtri((1 + CONFIDENCE_LEVEL) / 2)
    power_quantile = scipy.special.ndtri(POWER)
    return float((significance_quantile + power_quantile) / tasks**0.5)


def _normal_needed_tasks(effect: float) -> float:
    """Return how many tasks are needed to detect an effect, from normal quantiles.

    The number is accurate if it is large.
    """
    return (_normal_detectable_effect(1) / effect) ** 2


def _quantile(share: float, degrees: float) -> float:
    """Return a quantile of the t distribution."""
    return float(scipy.special.stdtrit(degrees, share))


def _unseen_share(chance: float, tasks: int) -> float:
    """Return the largest share of all tasks that a sample of `tasks` may miss with this chance."""
    return float(1 - chance ** (1 / tasks))
