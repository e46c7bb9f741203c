"""Submissions whose tasks are drawn again, all by the same draws."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.grids import Sheet
from sitegen.metrics.metric import Metric
from sitegen.metrics.parts import parts_of
from sitegen.metrics.stacks import STACKED, Stack, stacked_parts, stacks_of
from sitegen.metrics.uncertainty import Draws, Interval, TaskParts, Weights, draws, intervals, task_weights

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

    def draws(self, metric: Metric, names: Sequence[str]) -> Draws:
        """Give a metric of some submissions in every draw of the tasks.

        Args:
            metric: The metric.
            names: The submissions, in the order of the draws' rows; all of them have a score.
        """
        rows = {name: row for row, name in enumerate(self.scores[metric.id])}
        return draws(self.parts(metric).of([rows[name] for name in names]), self._weights)

    def intervals(self, metric: Metric) -> Mapping[str, Interval]:
        """Give the interval of each submission's score."""
        if metric.id not in self._intervals:
            scores = self.scores[metric.id]
            found = intervals(self.draws(metric, list(scores)))
            pairs = zip(scores.items(), found, strict=True)
            self._intervals[metric.id] = {name: interval.around(score) for (name, score), interval in pairs}
        return self._intervals[metric.id]

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
    def _weights(self) -> Weights:
        return task_weights(self.tasks)

    @cached_property
    def _stacks(self) -> list[Stack]:
        return stacks_of(list(self.sheets.values()), self.tasks)

    @cached_property
    def _taken_apart(self) -> dict[str, TaskParts]:
        """Parts of the metrics that were asked for so far."""
        return {}

    @cached_property
    def _intervals(self) -> dict[str, Mapping[str, Interval]]:
        """Intervals of the metrics that were asked for so far."""
        return {}
