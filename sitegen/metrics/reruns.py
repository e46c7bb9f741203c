"""How often an honest rerun of an agent is shown to score the same, and the margin needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy  # loads its submodules on first use

from sitegen.metrics.arrays import FloatArray
from sitegen.metrics.contributions import Contributions, weighted_contributions
from sitegen.metrics.intervals import CONFIDENCE_LEVEL, HIGH, LOW
from sitegen.metrics.metric import Metric
from sitegen.metrics.resampling import split_scores
from sitegen.metrics.results import SubmissionResults
from sitegen.metrics.tolerances import SCORE_TOLERANCE, VARIANCE_TOLERANCE

HONEST_PASS_RATE = 0.8
"""Chance that an honest rerun passes at a margin derived from the variance between runs."""
MAX_ALIKE_SHARE = 0.05
"""At such a margin, fewer than this share of the pairs of different agents may pass."""

_SPREAD_QUANTILES = 64
"""Number of quantiles that represent the distribution of the estimated spread over tasks."""
_STANDARD_ERROR_QUANTILES = 48
"""Number of quantiles that represent the distribution of the estimated standard error."""

_MIN_DEGREES = 1.0
_HALVING_STEPS = 25


@dataclass(frozen=True, slots=True)
class RerunStandardError:
    """The standard error of the difference between the scores of two runs of one agent."""

    value: float
    """The standard error, in the metric's unit."""
    degrees: float
    """Degrees of freedom of the standard error."""
    units: int
    """Number of tasks, or of clusters of tasks, over which the two runs are compared."""

    @classmethod
    def from_variances(cls, variances: FloatArray, tasks: int, units: int) -> "RerunStandardError":
        """Return the standard error, from the variances between runs of scores on single tasks.

        Args:
            variances: Estimates of the variance of an agent's score on each task; at least 2 tasks.
            tasks: Number of tasks over which the score is a mean.
            units: Number of tasks, or of clusters of tasks, over which the two runs are compared.

        Source:
            Degrees of freedom of the chi-square distribution with the same uncertainty: F. E.
            Satterthwaite, An approximate distribution of estimates of variance components, 1946.
        """
        mean = float(variances.mean())
        variance_of_mean = float(variances.var(ddof=1)) / len(variances)
        degrees = float(len(variances))
        if variance_of_mean > VARIANCE_TOLERANCE:
            degrees = 2 * mean**2 / variance_of_mean
        value = (2 * mean / tasks) ** 0.5
        return cls(value, max(degrees, _MIN_DEGREES), units)

    def chance_within(self, margin: float) -> float:
        """Return the chance that two one-sided tests show an honest rerun to be within a margin.

        It is averaged over the plausible standard errors, given the uncertainty of the estimate.
        """
        if self.value <= SCORE_TOLERANCE:
            return float(margin > 0)
        return _chance(margin / self.value, self.degrees, self.units)

    def range_within(self, margin: float) -> tuple[float, float]:
        """Return the range of `chance_within`, given the uncertainty of the standard error.

        In trials with 25 tasks, the range contains the true chance 97 % of the time if the standard
        error is estimated from five attempts, and 92 % of the time if it is estimated from two
        runs.
        """
        if self.value <= SCORE_TOLERANCE:
            chance = float(margin > 0)
            return chance, chance
        tails = 1 - np.array([HIGH, LOW]) / 100
        quantiles = scipy.special.chdtri(self.degrees, tails)
        smaller_factor, larger_factor = np.sqrt(self.degrees / quantiles).tolist()
        multiple = margin / self.value
        low = _chance_at(multiple / larger_factor, self.units)
        high = _chance_at(multiple / smaller_factor, self.units)
        return low, high

    def margin_for(self, chance: float = HONEST_PASS_RATE) -> float:
        """Return the smallest margin at which an honest rerun passes with at least this chance."""
        if self.value <= SCORE_TOLERANCE:
            return 0.0
        return self.value * _multiple_for(chance, self.degrees, self.units)


class TwoRuns(NamedTuple):
    """Contributions of tasks to an agent's score in two runs, each of shape (tasks,)."""

    studied: FloatArray
    """Contributions in the studied run."""
    other: FloatArray
    """Contributions in the run with which it is compared."""


def split_two_runs(
    metric: Metric, first: SubmissionResults, second: SubmissionResults
) -> TwoRuns | None:
    """Return the contributions of tasks to a score in two runs; None if a run has no score.

    Args:
        metric: The metric by which the runs are scored.
        first: The results of the studied run.
        second: The results of the other run, on the same tasks.
    """
    tasks = [task_results.task.id for task_results in first.tasks]
    fractions = split_scores(metric, [first, second], tasks)
    contributions = weighted_contributions(fractions)
    if np.isnan(contributions).any():
        return None
    return TwoRuns(contributions[0], contributions[1])


def equivalence_margins(contributions: Contributions, degrees: float | None = None) -> FloatArray:
    """Return the margin within which each pair is shown to be equal, shape (pairs,).

    Pairs of rows are in the order of `np.triu_indices`.

    Args:
        contributions: Contributions of at least 2 tasks, or the jackknife contributions of
            clusters.
        degrees: Degrees of freedom, if clusters are of unequal size; by default one less than the
            number of contributions.

    Source:
        D. J. Schuirmann, A comparison of the two one-sided tests procedure and the power approach,
        1987.
    """
    differences, standard_errors = _differences_with_standard_errors(contributions)
    if degrees is None:
        degrees = contributions.shape[1] - 1
    quantile = float(scipy.special.stdtrit(degrees, CONFIDENCE_LEVEL))
    margins: FloatArray = np.abs(differences) + quantile * standard_errors
    return margins


def pooled_variances(variances: Sequence[FloatArray]) -> FloatArray:
    """Return the mean over agents of the variances on each task, shape (tasks,)."""
    pooled: FloatArray = np.mean(np.array(variances), axis=0)
    return pooled


def median_standard_error(contributions: Contributions) -> float:
    """Return the median standard error of the differences between at least 2 submissions."""
    _, standard_errors = _differences_with_standard_errors(contributions)
    return float(np.median(standard_errors))


def _differences_with_standard_errors(
    contributions: Contributions,
) -> tuple[FloatArray, FloatArray]:
    """Return the difference and its standard error for every pair of submissions.

    Pairs are in the order of `np.triu_indices`.
    """
    units = contributions.shape[1]
    first, second = np.triu_indices(len(contributions), 1)
    means = contributions.mean(axis=1)
    centred = contributions - means[:, np.newaxis]
    squares = (centred**2).sum(axis=1)
    products = (centred @ centred.T)[first, second]
    spreads = squares[first] + squares[second] - 2 * products
    standard_errors = np.sqrt(np.maximum(spreads, 0.0) / (units - 1) / units)
    return means[first] - means[second], standard_errors


def _chance_at(multiple: float, units: int) -> float:
    """Return the chance that equal runs are shown to be equal within a margin.

    Args:
        multiple: The margin, in true standard errors of the difference.
        units: Number of tasks, or of clusters, over which the runs are compared.
    """
    quantile, spreads = _spreads(units)
    quantiles = multiple - quantile * spreads
    within = 2 * scipy.special.ndtr(quantiles) - 1
    return float(np.maximum(within, 0.0).mean())


def _chance(multiple: float, degrees: float, units: int) -> float:
    """Return the chance of `_chance_at` for a margin in estimated standard errors.

    The chance is averaged over the plausible true standard errors.

    Args:
        multiple: The margin, in estimated standard errors of the difference.
        degrees: Degrees of freedom of the estimate.
        units: Number of tasks, or of clusters, over which the runs are compared.
    """
    quantile, spreads = _spreads(units)
    shares = (np.arange(_STANDARD_ERROR_QUANTILES) + 0.5) / _STANDARD_ERROR_QUANTILES
    factors = np.sqrt(degrees / scipy.special.chdtri(degrees, 1 - shares))
    quantiles = multiple / factors[:, np.newaxis] - quantile * spreads
    within = 2 * scipy.special.ndtr(quantiles) - 1
    return float(np.maximum(within, 0.0).mean())


@lru_cache(maxsize=256)
def _multiple_for(chance: float, degrees: float, units: int) -> float:
    """Return the margin, in estimated standard errors, that gives a chance; found by bisection."""
    low, high = 0.0, 4.0
    while _chance(high, degrees, units) < chance:
        low, high = high, 2 * high
    for _ in range(_HALVING_STEPS):
        middle = (low + high) / 2
        if _chance(middle, degrees, units) < chance:
            low = middle
        else:
            high = middle
    return high


@lru_cache(maxsize=16)
def _spreads(units: int) -> tuple[float, FloatArray]:
    """Return the quantile of a one-sided t test, and quantiles of the estimated spread."""
    shares = (np.arange(_SPREAD_QUANTILES) + 0.5) / _SPREAD_QUANTILES
    degrees = units - 1
    variances = scipy.special.chdtri(degrees, 1 - shares) / degrees
    spreads: FloatArray = np.sqrt(variances)
    quantile = float(scipy.special.stdtrit(degrees, CONFIDENCE_LEVEL))
    return quantile, spreads
