"""Scores split by task, and their intervals from resampled tasks.

All submissions of a board share the same draws. Read `Resampling.intervals` first; the other
methods return the contributions of tasks to scores, see `contributions`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.arrays import kept_rounds
from sitegen.metrics.contributions import (
    Clusters,
    Contributions,
    TaskFractions,
    cluster_contributions,
    cluster_degrees,
    influence_contributions,
    jackknife_contributions,
    ratio_contributions,
    weighted_contributions,
)
from sitegen.metrics.intervals import (
    FEWEST_CLUSTERS,
    FEWEST_TASKS,
    Interval,
    Weights,
    binomial_interval,
    bounded_intervals,
    clustered_intervals,
    difference_intervals,
    median_intervals,
    unbounded_intervals,
    weights_of_draws,
)
from sitegen.metrics.metric import Metric, MetricError
from sitegen.metrics.reduction import Reduction
from sitegen.metrics.results import ResultsBatch, SubmissionResults, batch_results
from sitegen.metrics.tolerances import SCORE_TOLERANCE

Scores = Mapping[str, float]
"""A metric's scores by submission, excluding submissions without a score."""


def split_scores(
    metric: Metric, submissions: Sequence[SubmissionResults], tasks: Sequence[str]
) -> TaskFractions:
    """Return the scores of submissions split by task, in the metric's unit.

    Rows of submissions without a score are meaningless. A task that does not enter a submission's
    score has a numerator and a denominator of 0.

    Args:
        metric: The metric by which submissions are scored.
        submissions: The submissions, in the order of the rows.
        tasks: Ids of the tasks, in the order of the columns.
    """
    if metric.difference_of:
        first, second = metric.difference_of
        fractions = split_scores(first, submissions, tasks)
        return replace(fractions, subtrahend=split_scores(second, submissions, tasks))
    if metric.ratio_of:
        dividend, divisor = metric.ratio_of
        fractions = split_scores(dividend, submissions, tasks)
        return _divide_fractions(metric, fractions, split_scores(divisor, submissions, tasks))
    shape = len(submissions), len(tasks)
    split = metric.computation.split_scores
    if split:
        fractions = split(batch_results(submissions, tasks), shape)
        return _in_unit(metric, fractions)
    column_by_task = {task: column for column, task in enumerate(tasks)}
    numerators = np.zeros(shape)
    denominators = np.zeros(shape)
    for row, submission in enumerate(submissions):
        for task_results in submission.tasks:
            value, weight = _task_score(metric, replace(submission, tasks=[task_results]))
            column = column_by_task[task_results.task.id]
            numerators[row, column] = weight * value
            denominators[row, column] = weight
    return TaskFractions(numerators, denominators, metric.aggregation or "mean")


def _divide_fractions(
    metric: Metric, dividend: TaskFractions, divisor: TaskFractions
) -> TaskFractions:
    """Return the scores of a ratio split by task, from the fractions of the two metrics.

    Percentages are treated as shares.
    """
    if metric.ratio_of is None:
        raise MetricError(f"{metric.title} is not a ratio")
    first, second = metric.ratio_of
    numerators = dividend.numerators * (metric.factor / first.factor)
    shares = replace(divisor, numerators=divisor.numerators / second.factor)
    return replace(dividend, numerators=numerators, divisor=shares)


def _task_score(metric: Metric, submission: SubmissionResults) -> tuple[float, float]:
    """Return a submission's score on one task, and the weight of the task; 0 for a gap."""
    try:
        value: float | None = metric.compute(submission)
    except MetricError:
        value = None
    if metric.aggregation == "sum":
        return value or 0.0, 1
    if not metric.task_weighting:
        return value or 0.0, value is not None
    try:
        weight = metric.weight(submission)
    except MetricError:
        weight = 0
    return value or 0.0, weight


def split_batched_scores(
    metric: Metric, batches: Sequence[ResultsBatch], shape: tuple[int, int]
) -> TaskFractions | None:
    """Return the result of `split_scores`, from batches; None if the metric can't score batches.

    Scoring a single task takes some microseconds, and a large board has ten thousand scores per
    metric.

    Args:
        metric: The metric by which submissions are scored.
        batches: The results of the submissions.
        shape: Number of submissions and of tasks.
    """
    split = metric.computation.split_scores
    if split:
        return _in_unit(metric, split(batches, shape))
    if metric.computation.score_batch is None:
        return None
    numerators = np.zeros(shape)
    denominators = np.zeros(shape)
    for batch in batches:
        numerators[batch.rows, batch.columns] = metric.score_batch(batch)
        denominators[batch.rows, batch.columns] = 1
    return TaskFractions(numerators, denominators, metric.aggregation or "mean")


def _in_unit(metric: Metric, fractions: TaskFractions) -> TaskFractions:
    """Convert fractions from shares, 0 to 1, to the metric's unit."""
    return replace(fractions, numerators=metric.factor * fractions.numerators)


def attempt_scores(metric: Metric, submission: SubmissionResults) -> NDArray[np.float64]:
    """Return the score of each attempt at each task, in the metric's unit, shape (tasks, attempts).

    Declared metrics score each attempt by their reduction over its rounds. For all other metrics,
    the score is the share of the rounds that the attempt passes, or that it keeps on a fail-stop
    track.
    """
    reduction = None
    if metric.declared and metric.declared.of:
        reduction = Reduction.from_declared(metric.declared)
    scores = np.empty((len(submission.tasks), submission.attempts_made))
    for batch in submission.batches:
        if reduction is not None:
            values = metric.factor * reduction.reduce_rounds(batch)
        elif submission.is_fail_stop:
            values = metric.factor * kept_rounds(batch.rewards).mean(axis=2)
        else:
            values = metric.factor * batch.rewards.mean(axis=2)
        scores[list(batch.columns)] = values
    return scores


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class Resampling:
    """The results of submissions, with intervals from resampled tasks.

    Methods that return arrays take the submissions to include as rows, in the given order. Columns
    are `tasks`, or `units` if the method says so.
    """

    submissions: Mapping[str, SubmissionResults]
    """Results by submission."""
    scores: Mapping[str, Scores]
    """Scores by metric."""
    tasks: Sequence[str]
    """Ids of the tasks."""
    clusters: Clusters = field(default_factory=dict)
    """The clusters of the tasks; empty if tasks are independent."""
    _fractions: dict[str, TaskFractions] = field(default_factory=dict, init=False)
    _contributions: dict[str, Contributions] = field(default_factory=dict, init=False)
    _intervals: dict[str, Mapping[str, Interval]] = field(default_factory=dict, init=False)

    @cached_property
    def weights(self) -> Weights | None:
        """Weight of each task in each draw; None if there are too many tasks to resample."""
        return weights_of_draws(self.tasks)

    @cached_property
    def batches(self) -> list[ResultsBatch]:
        """The results of all submissions, task by task."""
        return batch_results(list(self.submissions.values()), self.tasks)

    @property
    def units(self) -> Sequence[str]:
        """Names of the sampling units: clusters, or tasks if tasks are independent."""
        return tuple(self.clusters) or self.tasks

    def scored_submissions(self, metric: Metric) -> list[str]:
        """Return the submissions that have a score, in the order of `submissions`."""
        scores = self.scores[metric.id]
        return [name for name in self.submissions if name in scores]

    def fractions(self, metric: Metric, submissions: Sequence[str]) -> TaskFractions:
        """Return the scores of submissions split by task; every submission must have a score."""
        return self._scored_fractions(metric).select(self._rows(metric, submissions))

    def task_contributions(self, metric: Metric, submissions: Sequence[str]) -> Contributions:
        """Return the contributions of tasks to scores; every submission must have a score."""
        return self._scored_contributions(metric)[self._rows(metric, submissions)]

    def order_contributions(self, metric: Metric, submissions: Sequence[str]) -> Contributions:
        """Return the contributions of units to the scores of submissions, for rank tests.

        Their signs are random if scores are equal. Variances are computed from
        `variance_contributions` instead, because the sum over a cluster varies with its size. For
        ratios, the means of these contributions only order the submissions as their scores do.
        """
        contributions = self._scored_contributions(metric)
        fractions = self._scored_fractions(metric)
        if fractions.divisor is not None:
            contributions = ratio_contributions(fractions, fractions.divisor)
        if self.clusters:
            contributions = cluster_contributions(contributions, self.clusters)
        return contributions[self._rows(metric, submissions)]

    def variance_contributions(self, metric: Metric, submissions: Sequence[str]) -> Contributions:
        """Return the contributions of units to the scores of submissions, for variances.

        They are used in the t tests of pairs, and in the intervals of differences, of ratios and of
        scores without a highest value.
        """
        return self._scored_variance_contributions(metric)[self._rows(metric, submissions)]

    def _rows(self, metric: Metric, submissions: Sequence[str]) -> list[int]:
        """Return the row of each submission in arrays of all submissions that have a score."""
        row_by_submission = {}
        for row, name in enumerate(self.scored_submissions(metric)):
            row_by_submission[name] = row
        return [row_by_submission[name] for name in submissions]

    # Arrays of all submissions with a score, in the order of `scored_submissions`

    def _scored_fractions(self, metric: Metric) -> TaskFractions:
        """Return the scores split by task."""
        if metric.id not in self._fractions:
            names = self.scored_submissions(metric)
            self._fractions[metric.id] = self._split_scores(metric, names)
        return self._fractions[metric.id]

    def _split_scores(self, metric: Metric, names: Sequence[str]) -> TaskFractions:
        """Return the scores of some submissions split by task, in the order of `submissions`."""
        if metric.difference_of:
            first, second = metric.difference_of
            minuend = self._split_scores(first, names)
            subtrahend = self._split_scores(second, names)
            return replace(minuend, subtrahend=subtrahend)
        if metric.ratio_of:
            dividend, divisor = metric.ratio_of
            dividend_fractions = self._split_scores(dividend, names)
            return _divide_fractions(metric, dividend_fractions, self._split_scores(divisor, names))
        shape = len(self.submissions), len(self.tasks)
        all_fractions = split_batched_scores(metric, self.batches, shape)
        if all_fractions is not None:
            chosen = set(names)
            rows = [row for row, name in enumerate(self.submissions) if name in chosen]
            return all_fractions.select(rows)
        submissions = [self.submissions[name] for name in names]
        return split_scores(metric, submissions, self.tasks)

    def _scored_contributions(self, metric: Metric) -> Contributions:
        """Return the contributions of tasks: each task's own score times its weight."""
        if metric.id not in self._contributions:
            fractions = self._scored_fractions(metric)
            self._contributions[metric.id] = weighted_contributions(fractions)
        return self._contributions[metric.id]

    def _scored_variance_contributions(self, metric: Metric) -> Contributions:
        """Return the contributions of units, for variances.

        They are based on weighted contributions, not on influences. Rank tests also use weighted
        contributions, so a pair's interval and its rank test are based on the same numbers. If two
        scores are equal and have the same weights, both kinds give the same differences.
        Contributions of amounts are never below 0, so intervals can use a logarithmic scale. If
        long tasks have more weight, the spread of these contributions includes the spread of the
        lengths: intervals are then wider than with influences.
        """
        contributions = self._scored_contributions(metric)
        if not self.clusters:
            return contributions
        return jackknife_contributions(contributions, self.clusters)

    @property
    def degrees(self) -> float:
        """Degrees of freedom of a variance between units."""
        if self.clusters:
            return cluster_degrees(self.clusters)
        return float(len(self.tasks) - 1)

    @property
    def has_too_few_clusters(self) -> bool:
        """Whether tasks lie in too few clusters for an interval."""
        return 0 < len(self.clusters) < FEWEST_CLUSTERS

    def intervals(self, metric: Metric) -> Mapping[str, Interval]:
        """Return the interval of each submission's score, if there is one.

        There is no interval if tasks lie in too few clusters, for a median over few tasks or over
        tasks in clusters, and for a ratio that few tasks decide.
        """
        if self.has_too_few_clusters:
            return {}
        if metric.id not in self._intervals:
            names = self.scored_submissions(metric)
            intervals: Sequence[Interval | None] = []
            if names:
                intervals = self._compute_intervals(metric, names)
            interval_by_submission = {}
            for name, interval in zip(names, intervals, strict=True):
                if interval is not None:
                    score = self.scores[metric.id][name]
                    interval_by_submission[name] = interval.around(score)
            self._intervals[metric.id] = interval_by_submission
        return self._intervals[metric.id]

    def _compute_intervals(self, metric: Metric, names: Sequence[str]) -> Sequence[Interval | None]:
        """Return the intervals of at least one submission with a score, in the order of `names`."""
        if metric.aggregation == "median":
            # Order statistics assume that tasks are independent of each other.
            if self.clusters:
                return [None] * len(names)
            return median_intervals(self._scored_fractions(metric))
        if metric.ratio_of:
            return self._ratio_intervals(metric)
        if metric.difference_of and metric.difference_of[0].highest is not None:
            contributions = self._scored_variance_contributions(metric)
            largest_difference = metric.difference_of[0].highest
            return difference_intervals(contributions, self.degrees, largest_difference)
        if self.clusters:
            return self._clustered_intervals(metric)
        if self._counts_independent_tasks(metric, names):
            return self._exact_intervals(metric, names)
        if metric.highest is not None:
            return bounded_intervals(self._scored_fractions(metric), self.weights, metric.highest)
        return self._unbounded_intervals(metric)

    def _counts_independent_tasks(self, metric: Metric, names: Sequence[str]) -> bool:
        """Return whether scores are counts k of n tasks, each attempted once or counted once."""
        if metric.counted_unit == "attempts":
            return all(self.submissions[name].attempts_made == 1 for name in names)
        return metric.counted_unit == "tasks"

    def _exact_intervals(self, metric: Metric, names: Sequence[str]) -> list[Interval]:
        """Return exact intervals of scores that are counts k of n independent tasks."""
        intervals = []
        for name in names:
            count = metric.count(self.submissions[name], self.scores[metric.id][name])
            if count:
                k, n = count
                exact = binomial_interval(k, n)
                interval = exact.scaled(metric.full_value(n))
                intervals.append(interval.rounded())
        return intervals

    def _clustered_intervals(self, metric: Metric) -> list[Interval]:
        """Return intervals of scores whose tasks lie in clusters."""
        highest = metric.highest
        if metric.is_count:
            highest = metric.full_value(len(self.tasks))
        if highest is None:
            return self._unbounded_intervals(metric)
        contributions = influence_contributions(self._scored_fractions(metric))
        return clustered_intervals(contributions, self.clusters, highest)

    def _ratio_intervals(self, metric: Metric) -> list[Interval | None]:
        """Return intervals of ratios, by the delta method on a logarithmic scale.

        There is no interval if the ratio is 0, or if fewer than `FEWEST_TASKS` tasks contribute to
        its divisor.
        """
        divisor = self._scored_fractions(metric).divisor
        contributions = self._scored_variance_contributions(metric)
        may_be_negative = metric.measurement is not None
        unbounded = unbounded_intervals(
            contributions, self.degrees, is_positive=not may_be_negative
        )
        intervals: list[Interval | None] = []
        for row, interval in enumerate(unbounded):
            adding_tasks = 0
            if divisor is not None:
                adding_tasks = int(np.count_nonzero(divisor.numerators[row]))
            if adding_tasks < FEWEST_TASKS or abs(contributions[row].mean()) <= SCORE_TOLERANCE:
                intervals.append(None)
            else:
                intervals.append(interval)
        return intervals

    def _unbounded_intervals(self, metric: Metric) -> list[Interval]:
        """Return intervals of scores that have no highest value."""
        lowest = None if metric.measurement else 0.0
        unbounded = unbounded_intervals(self._scored_variance_contributions(metric), self.degrees)
        return [interval.above(lowest) for interval in unbounded]
