"""Contributions of tasks to scores, on which intervals, comparisons and rank tests are based.

`TaskFractions` contains scores split by task: a numerator and a denominator for each task. The
contributions of tasks to a score are derived from these: one number per task, in the score's unit,
whose mean is the score. `Contributions` is an array of these numbers, with one row per submission
and one column per task, or per cluster of tasks that depend on each other. Functions keep the order
of rows and columns; `resampling.Resampling` takes the names of the rows.

There are several kinds of contributions, for different purposes; the mean of each kind is the
score:

- `weighted_contributions`: a task's own score times its weight. If two submissions are equal, the
  sign of their difference on a task is random, as rank tests require. `ratio_contributions` are the
  equivalent for ratios; only their order is that of the ratios. The t tests of pairs, and the
  intervals of differences and of scores without a highest value, are also based on their spread,
  see `Resampling.variance_contributions`.
- `influence_contributions`: the influence of a task on the score, plus the score. A long task does
  not have more influence merely because it is long. The intervals of scores with a highest value
  are based on their spread if tasks lie in clusters. They also replace weighted contributions for
  ratios and for scores that lack some task.
- `cluster_contributions` and `jackknife_contributions` combine the tasks of a cluster, the former
  for rank tests, the latter for spreads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, assert_never

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.arrays import FloatArray
from sitegen.metrics.tolerances import SCORE_TOLERANCE

Contributions = NDArray[np.float64]
"""The contribution of each task, or of each cluster of tasks, to each score, in the score's unit.

Shape (submissions, tasks) or (submissions, clusters). The mean of a row is a score.
"""

Aggregation = Literal["mean", "sum", "median"]
"""How tasks' scores are combined into the score: by weighted mean, sum or median."""


@dataclass(frozen=True, slots=True)
class TaskFractions:
    """Scores split by task: the sum of a score's numerators over that of its denominators."""

    numerators: FloatArray
    """Shape (submissions, tasks)."""
    denominators: FloatArray
    """Shape (submissions, tasks); 0 for a task that does not enter a submission's score.

    For a mean over tasks, the denominators are 1; for a mean pooled over rounds, they are the
    number of rounds of each task.
    """
    aggregation: Aggregation = "mean"
    """How the fractions of tasks are combined into the score.

    A sum adds the numerators; resampling draws the same number of tasks. A median is taken over the
    numerators of the tasks whose denominator is not 0.
    """
    subtrahend: "TaskFractions | None" = None
    """Fractions of the subtracted score, if the score is a difference of two scores."""
    divisor: "TaskFractions | None" = None
    """Fractions of the divisor, if the score is a ratio of two scores."""
    groups: Sequence[Sequence[int]] = ()
    """Indices of the tasks of each group, if the score is the mean of the groups' scores.

    The tasks of a group share the group's weight, whichever of its tasks are drawn.
    """
    has_declared_weights: bool = False
    """Whether the denominators are task weights that the benchmark declares."""

    def select(self, rows: Sequence[int]) -> "TaskFractions":
        """Return the fractions of the given rows, in this order."""
        return self.part(list(rows))

    def part(self, rows: slice | list[int]) -> "TaskFractions":
        """Return the fractions of some rows; a slice shares memory with the original."""
        numerators = self.numerators[rows, :]
        denominators = self.denominators[rows, :]
        subtrahend = self.subtrahend.part(rows) if self.subtrahend else None
        divisor = self.divisor.part(rows) if self.divisor else None
        return replace(
            self,
            numerators=numerators,
            denominators=denominators,
            subtrahend=subtrahend,
            divisor=divisor,
        )

    def weighted_by_group(self, groups: Sequence[tuple[Sequence[int], float]]) -> "TaskFractions":
        """Return the fractions with tasks weighted by group.

        Args:
            groups: Indices of the tasks of each group, and the group's weight. The tasks on which a
                submission has a score share this weight.
        """
        if not groups:
            return self
        factors = np.zeros_like(self.denominators)
        with np.errstate(invalid="ignore", divide="ignore"):
            for columns, weight in groups:
                sums = self.denominators[:, columns].sum(axis=1, keepdims=True)
                factors[:, columns] = weight / sums
        factors[self.denominators == 0] = 0.0
        numerators = self.numerators * factors
        denominators = self.denominators * factors
        group_columns = [columns for columns, _ in groups]
        return replace(self, numerators=numerators, denominators=denominators, groups=group_columns)

    def ungrouped(self) -> "TaskFractions":
        """Return the fractions before weighting by group; unchanged if there are no groups.

        All tasks of a group have the same weight, so each task with a score has weight 1 here.
        """
        if not self.groups:
            return self
        has_part = self.denominators > 0
        divisors = np.where(has_part, self.denominators, 1.0)
        values = np.where(has_part, self.numerators / divisors, 0.0)
        weights = has_part.astype(np.float64)
        return replace(self, numerators=values, denominators=weights, groups=())

    def without(self, column: int) -> "TaskFractions":
        """Return the fractions without a task; other tasks of its group take over its weight."""
        factors = np.ones_like(self.denominators)
        for group in self.groups:
            if column in group:
                sums = self.denominators[:, group].sum(axis=1)
                remaining = sums - self.denominators[:, column]
                has_others = remaining > SCORE_TOLERANCE
                divisors = np.where(has_others, remaining, 1.0)
                group_factors = np.where(has_others, sums / divisors, 0)
                factors[:, group] = group_factors[:, np.newaxis]
        factors[:, column] = 0.0
        numerators = self.numerators * factors
        denominators = self.denominators * factors
        divisor = self.divisor.without(column) if self.divisor else None
        return replace(
            self,
            numerators=numerators,
            denominators=denominators,
            subtrahend=None,
            divisor=divisor,
        )

    @property
    def scores(self) -> FloatArray:
        """The score of each submission; NaN if it has no tasks or its divisor is 0."""
        if self.divisor is not None:
            dividends = replace(self, divisor=None).scores
            divisors = self.divisor.scores
            return dividends / np.where(divisors == 0, np.nan, divisors)
        sums: FloatArray = self.numerators.sum(axis=1)
        match self.aggregation:
            case "mean":
                with np.errstate(invalid="ignore", divide="ignore"):
                    scores: FloatArray = sums / self.denominators.sum(axis=1)
                return scores
            case "sum":
                return sums
            case "median":
                return self._medians()
            case _:
                assert_never(self.aggregation)

    def _medians(self) -> FloatArray:
        """Return each submission's median over tasks; NaN if it has no tasks."""
        medians = np.full(len(self.numerators), np.nan)
        for row, (numerators, denominators) in enumerate(
            zip(self.numerators, self.denominators, strict=True)
        ):
            values = numerators[denominators > 0]
            if len(values):
                medians[row] = np.median(values)
        return medians


def weighted_contributions(fractions: TaskFractions) -> Contributions:
    """Return each task's own score times its weight, for rank tests.

    If two submissions are equal, the sign of their difference on a task is random. This is not true
    of deviations from the score or from a group's mean, which are close to zero for a heavy task
    and for the only task of a group. Scores that lack some task, and ratios, have only deviations,
    see `influence_contributions`.
    """
    _require_additive(fractions)
    if fractions.divisor is not None:
        return influence_contributions(fractions)
    if fractions.aggregation == "sum":
        contributions: Contributions = fractions.numerators * fractions.numerators.shape[1]
    else:
        has_all_tasks = (fractions.denominators > 0).all(axis=1, keepdims=True)
        sums = fractions.denominators.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            factors = fractions.numerators.shape[1] / sums
            task_scores = factors * fractions.numerators
        influences = influence_contributions(replace(fractions, subtrahend=None))
        contributions = np.where(has_all_tasks, task_scores, influences)
    if fractions.subtrahend is None:
        return contributions
    return contributions - weighted_contributions(fractions.subtrahend)


def influence_contributions(fractions: TaskFractions) -> Contributions:
    """Return the influence of each task on each score, plus the score.

    A long task does not have more influence merely because it is long. If all tasks have the same
    weight, these contributions are equal to `weighted_contributions`.
    """
    _require_additive(fractions)
    if fractions.divisor is not None:
        return _ratio_influence_contributions(fractions, fractions.divisor)
    if fractions.aggregation == "sum":
        contributions: Contributions = fractions.numerators * fractions.numerators.shape[1]
    else:
        sums = fractions.denominators.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = fractions.numerators.sum(axis=1, keepdims=True) / sums
            factors = fractions.numerators.shape[1] / sums
            deviations = fractions.numerators - scores * fractions.denominators
            contributions = scores + factors * deviations
    if fractions.subtrahend is None:
        return contributions
    return contributions - influence_contributions(fractions.subtrahend)


def _ratio_influence_contributions(
    fractions: TaskFractions, divisor: TaskFractions
) -> Contributions:
    """Return the influence of each task on each ratio, plus the ratio.

    To first order, the influence of a task on a ratio is its influence on the dividend minus the
    ratio times the divisor (the delta method).
    """
    ratios = fractions.scores[:, np.newaxis]
    dividends = influence_contributions(replace(fractions, divisor=None))
    divisors = influence_contributions(divisor)
    with np.errstate(invalid="ignore", divide="ignore"):
        influences: FloatArray = (dividends - ratios * divisors) / divisors.mean(
            axis=1, keepdims=True
        )
    return ratios + influences


def _require_additive(fractions: TaskFractions) -> None:
    """Raise a ValueError if the score is a median, which is not a sum over tasks."""
    if fractions.aggregation == "median":
        raise ValueError("a task contributes nothing to a median that sums or tests could use")


def ratio_contributions(fractions: TaskFractions, divisor: TaskFractions) -> Contributions:
    """Return the contributions of tasks to ratios, for rank tests.

    Their mean is not the ratio, but orders the submissions as their ratios do. A task contributes
    its part of the dividend, minus its part of the divisor times the ratio of all submissions
    combined. Equal ratios therefore have equal sums, and if two submissions are equal, the sign of
    their difference on a task is random. This is not true of the influence of tasks on a ratio, see
    `influence_contributions`. Each submission's numbers are divided by its dividend or by its
    divisor, whichever varies less between tasks: a small number of solved tasks is a poor estimate
    of the expected number.
    """
    dividends = weighted_contributions(replace(fractions, divisor=None))
    divisors = weighted_contributions(divisor)
    dividend_scores = dividends.mean(axis=1, keepdims=True)
    divisor_scores = divisors.mean(axis=1, keepdims=True)
    common_ratio = float(dividend_scores.sum() / divisor_scores.sum())
    sizes = common_ratio * divisor_scores
    if (dividend_scores > 0).all():
        dividend_spread = np.mean(dividends.std(axis=1, keepdims=True) / dividend_scores)
        divisor_spread = np.mean(divisors.std(axis=1, keepdims=True) / divisor_scores)
        if dividend_spread < divisor_spread:
            sizes = dividend_scores
    contributions: Contributions = (dividends - common_ratio * divisors) / sizes
    return contributions


# Tasks in clusters

ClusterByTask = Mapping[str, str]
"""The name of each task's cluster, by the task's id; empty if tasks are independent.

Tasks of one cluster depend on each other, for example because they come from one repository.
"""

Clusters = Mapping[str, Sequence[int]]
"""Columns of the tasks of each cluster, by the cluster's name."""


def sampling_units(tasks: Sequence[str], cluster_by_task: ClusterByTask) -> Clusters:
    """Return the units that are sampled: clusters of tasks, or individual tasks.

    Args:
        tasks: Ids of tasks.
        cluster_by_task: The clusters of these tasks.

    Returns:
        The clusters, in the order of their first tasks. A task without a cluster is its own unit.
    """
    units: dict[str, list[int]] = {}
    for index, task in enumerate(tasks):
        unit = cluster_by_task.get(task, task)
        units.setdefault(unit, []).append(index)
    return units


def cluster_contributions(task_contributions: Contributions, clusters: Clusters) -> Contributions:
    """Return the contributions of clusters of tasks to scores, shape (submissions, clusters).

    Args:
        task_contributions: Contributions of tasks.
        clusters: The clusters; every task is in a cluster.
    """
    clusters_per_task = len(clusters) / task_contributions.shape[1]
    sums = sum_clusters(task_contributions, clusters)
    contributions: Contributions = sums * clusters_per_task
    return contributions


def sum_clusters(table: FloatArray, clusters: Clusters) -> FloatArray:
    """Return the sums over the columns of each cluster, shape (rows, clusters).

    Columns of the result are in the order of `clusters`.
    """
    sums = []
    for columns in clusters.values():
        cluster_table = table[:, list(columns)]
        sums.append(cluster_table.sum(axis=1))
    return np.stack(sums, axis=1)


def jackknife_contributions(task_contributions: Contributions, clusters: Clusters) -> Contributions:
    """Return the jackknife's pseudo-values of clusters, shape (submissions, clusters).

    Their variance is the jackknife variance of the score, leaving out each cluster in turn. Unlike
    the variance of `cluster_contributions`, it does not grow with the sizes of the clusters.

    Args:
        task_contributions: Contributions of tasks.
        clusters: At least 2 clusters; every task is in a cluster.

    Source:
        J. W. Tukey, Bias and confidence in not quite large samples, Annals of Mathematical
        Statistics 29, 1958; R. M. Bell, D. F. McCaffrey, Bias reduction in standard errors for
        linear regression with multi-stage samples, Survey Methodology 28, 2002.
    """
    count = len(clusters)
    scores = task_contributions.mean(axis=1, keepdims=True)
    deviations = task_contributions - scores
    sums = sum_clusters(deviations, clusters)
    sizes = np.array([len(columns) for columns in clusters.values()])
    changes = -sums / (task_contributions.shape[1] - sizes)
    mean_changes = changes.mean(axis=1, keepdims=True)
    contributions: Contributions = scores + (count - 1) * (mean_changes - changes)
    return contributions


def cluster_degrees(clusters: Clusters) -> float:
    """Return the degrees of freedom of a variance between clusters.

    Clusters of equal size have one degree of freedom less than their number. Otherwise a cluster
    counts by its size to the power of 1.5, between its weight in the score and its share of the
    variance. If clusters counted by weight alone, intervals of scores with little variation would
    cover the true score 92 to 93 % of the time.
    """
    sizes = np.array([len(columns) for columns in clusters.values()], dtype=np.float64)
    effective = float((sizes**1.5).sum() ** 2 / (sizes**3).sum())
    return max(effective - 1, 1.0)
