"""Submissions whose tasks are drawn again, all by the same draws."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.exact import binomial_interval
from sitegen.metrics.grids import Sheet
from sitegen.metrics.metric import Metric
from sitegen.metrics.parts import parts_of
from sitegen.metrics.stacks import STACKED, Stack, stacked_parts, stacks_of
from sitegen.metrics.uncertainty import (
    Contributions,
    Interval,
    TaskParts,
    Weights,
    bounded_intervals,
    contributions,
    task_weights,
    unbounded_intervals,
)

Scores = Mapping[str, float]
"""A metric's scores by submission, those without one left out."""


@dataclass(frozen=True)  # no slots: what is asked for is computed once and stays
class Resampling:
    """The results of some submissions, on any choice of the tasks that chance makes.

    Attributes:
        sheets: Results by submission.
        scores: Scores by metric and submission.
        tasks: Ids of the track's tasks, at least one where there is a score.
    """

    sheets: Mapping[str, Sheet]
    scores: Mapping[str, Scores]
    tasks: Sequence[str]

    def contributions(self, metric: Metric) -> Contributions:
        """Say what each task adds to each submission's score, a row for each that has one."""
        if metric.id not in self._contributions:
            self._contributions[metric.id] = contributions(self.parts(metric))
        return self._contributions[metric.id]

    def intervals(self, metric: Metric) -> Mapping[str, Interval]:
        """Give the interval of each submission's score."""
        if metric.id not in self._intervals:
            scores = self.scores[metric.id]
            pairs = zip(scores.items(), self._found(metric), strict=True)
            self._intervals[metric.id] = {name: interval.around(score) for (name, score), interval in pairs}
        return self._intervals[metric.id]

    def _found(self, metric: Metric) -> list[Interval]:
        if not self.scores[metric.id]:
            return []
        exact = self._counted(metric)
        if exact:
            return exact
        if metric.highest is not None and not metric.terms:
            return bounded_intervals(self.parts(metric), self.weights, metric.highest)
        lowest = None if metric.terms else 0.0
        return [each.above(lowest) for each in unbounded_intervals(self.contributions(metric))]

    def _counted(self, metric: Metric) -> list[Interval]:
        """Give exact intervals where scores are k of n tasks; none where they are not."""
        counted = [metric.count(self.sheets[name], value) for name, value in self.scores[metric.id].items()]
        of_tasks = metric.counts == "tasks" or (
            metric.counts == "attempts" and all(self.sheets[name].made == 1 for name in self.scores[metric.id])
        )
        if not of_tasks:
            return []
        found = [(k, n) for k, n in filter(None, counted)]
        return [binomial_interval(k, n).scaled(n if metric.unit == "tasks" else 100).rounded() for k, n in found]

    def parts(self, metric: Metric) -> TaskParts:
        """Take the scores apart, a row for each submission that has one."""
        if metric.id not in self._taken_apart:
            self._taken_apart[metric.id] = self._take_apart(metric, self.scores[metric.id])
        return self._taken_apart[metric.id]

    def _take_apart(self, metric: Metric, names: Collection[str]) -> TaskParts:
        if metric.terms:
            whole, less = (self._take_apart(METRICS[term], names) for term in metric.terms)
            return TaskParts(whole.numerators, whole.denominators, less=less)
        if metric.id in STACKED:
            all_rows = stacked_parts(metric, self._stacks, (len(self.sheets), len(self.tasks)))
            return all_rows.of([row for row, name in enumerate(self.sheets) if name in names])
        return parts_of(metric, [self.sheets[name] for name in names], self.tasks)

    @cached_property
    def weights(self) -> Weights:
        """How much each task weighs in each draw."""
        return task_weights(self.tasks)

    @cached_property
    def _stacks(self) -> list[Stack]:
        return stacks_of(list(self.sheets.values()), self.tasks)

    @cached_property
    def _taken_apart(self) -> dict[str, TaskParts]:
        """Parts of the metrics that were asked for so far."""
        return {}

    @cached_property
    def _contributions(self) -> dict[str, Contributions]:
        """Contributions of the metrics that were asked for so far."""
        return {}

    @cached_property
    def _intervals(self) -> dict[str, Mapping[str, Interval]]:
        """Intervals of the metrics that were asked for so far."""
        return {}
