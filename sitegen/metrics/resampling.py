"""Scores taken apart into their tasks, and submissions whose tasks are drawn again, all by the same draws."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics import uncertainty
from sitegen.metrics.declared import Recipe
from sitegen.metrics.grids import Sheet, Stack, stacks_of
from sitegen.metrics.metric import Metric, MetricError

Scores = Mapping[str, float]
"""A metric's scores by submission, those without one left out."""


def parts_of(
    metric: Metric, sheets: Sequence[Sheet], tasks: Sequence[str]
) -> uncertainty.TaskParts:
    """Score each task of each submission by itself, in the metric's unit.

    Rows of submissions that have no score mean nothing. A task that is no part of one's score has 0 in both tables.
    """
    if metric.terms:
        whole, less = (parts_of(term, sheets, tasks) for term in metric.terms)
        return uncertainty.TaskParts(whole.numerators, whole.denominators, less=less)
    shape = len(sheets), len(tasks)
    stacked = stacked_parts(metric, stacks_of(sheets, tasks), shape) if metric.table else None
    if stacked:
        return stacked
    column = {task: index for index, task in enumerate(tasks)}
    numerators = np.zeros(shape)
    denominators = np.zeros_like(numerators)
    for row, sheet in enumerate(sheets):
        for grid in sheet.tasks:
            place, alone = (row, column[grid.task.id]), replace(sheet, tasks=[grid])
            try:
                value: float | None = metric.compute(alone)
            except MetricError:
                value = None
            try:
                weight = metric.weight(alone) if metric.weigh else value is not None
            except MetricError:
                weight = 0
            if metric.form == "sum":
                weight = 1
            numerators[place], denominators[place] = weight * (value or 0.0), weight
    return uncertainty.TaskParts(numerators, denominators, is_sum=metric.form == "sum")


def stacked_parts(
    metric: Metric, stacks: Sequence[Stack], shape: tuple[int, int]
) -> uncertainty.TaskParts | None:
    """Score each task of each submission, as `parts_of` does, all at once; None where a metric can't.

    A score of one task takes some microseconds, and a large board has ten thousand of them a metric.
    """
    if metric.table:
        found = metric.table(stacks, shape)
        return replace(found, numerators=metric.factor * found.numerators)
    if metric.of_task is None:
        return None
    numerators, denominators = np.zeros(shape), np.zeros(shape)
    for stack in stacks:
        numerators[stack.rows, stack.columns] = metric.scores(stack)
        denominators[stack.rows, stack.columns] = 1
    return uncertainty.TaskParts(numerators, denominators, is_sum=metric.form == "sum")


def attempt_scores(metric: Metric, sheet: Sheet) -> NDArray[np.float64]:
    """Return what each attempt at each task scores, in the metric's unit, shape (tasks, attempts).

    Metrics that follow from a recipe score each attempt by what it takes of rounds; of all others it is the share of
    the rounds that the attempt passes, or keeps where nothing counts after the first failure.
    """
    recipe = (
        Recipe.from_declared(metric.declared)
        if metric.declared and not metric.declared.reported
        else None
    )
    scores = np.empty((len(sheet.tasks), sheet.made))
    for stack in sheet.stacks:
        if recipe is not None:
            values = metric.factor * recipe.by_attempt(stack)
        elif sheet.is_fail_stop:
            values = metric.factor * np.logical_and.accumulate(stack.rewards, axis=2).mean(axis=2)
        else:
            values = metric.factor * stack.rewards.mean(axis=2)
        scores[list(stack.columns)] = values
    return scores


@dataclass(frozen=True)  # no slots: what is asked for is computed once and stays
class Resampling:
    """The results of some submissions, on any choice of the tasks that chance makes."""

    sheets: Mapping[str, Sheet]
    scores: Mapping[str, Scores]
    tasks: Sequence[str]
    clusters: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Places of the tasks of each cluster, by its name; none where tasks are independent."""
    _parts: dict[str, uncertainty.TaskParts] = field(default_factory=dict, init=False)
    _contributions: dict[str, uncertainty.Contributions] = field(default_factory=dict, init=False)
    _intervals: dict[str, Mapping[str, uncertainty.Interval]] = field(
        default_factory=dict, init=False
    )

    @cached_property
    def weights(self) -> uncertainty.Weights:
        """How much each task weighs in each draw."""
        return uncertainty.task_weights(self.tasks)

    @cached_property
    def stacks(self) -> list[Stack]:
        """The results of all submissions, task by task."""
        return stacks_of(list(self.sheets.values()), self.tasks)

    def parts(self, metric: Metric) -> uncertainty.TaskParts:
        """The scores by tasks, a row for each submission that has one."""
        if metric.id not in self._parts:
            self._parts[metric.id] = self._take_apart(metric, self.scores[metric.id])
        return self._parts[metric.id]

    def _take_apart(self, metric: Metric, names: Collection[str]) -> uncertainty.TaskParts:
        if metric.terms:
            whole, less = (self._take_apart(term, names) for term in metric.terms)
            return uncertainty.TaskParts(whole.numerators, whole.denominators, less=less)
        all_rows = stacked_parts(metric, self.stacks, (len(self.sheets), len(self.tasks)))
        if all_rows:
            return all_rows.of([row for row, name in enumerate(self.sheets) if name in names])
        return parts_of(metric, [self.sheets[name] for name in names], self.tasks)

    def contributions(self, metric: Metric) -> uncertainty.Contributions:
        """What each task adds to each submission's score, a row for each that has one."""
        if metric.id not in self._contributions:
            self._contributions[metric.id] = uncertainty.contributions(self.parts(metric))
        return self._contributions[metric.id]

    @property
    def units(self) -> Sequence[str]:
        """What is sampled: the names of the clusters, or of the tasks where these are independent."""
        return tuple(self.clusters) or self.tasks

    def unit_contributions(self, metric: Metric) -> uncertainty.Contributions:
        """What each unit adds to each submission's score, a row for each that has one: its mean is the score.

        Its sign is chance where scores are equal, which is what the order of rows is tested by. How far a score or a
        difference may be off follows from `unit_values`: what clusters add varies with their sizes.
        """
        made = self.contributions(metric)
        return uncertainty.by_cluster(made, self._places_of_clusters) if self.clusters else made

    def unit_values(self, metric: Metric) -> uncertainty.Contributions:
        """The units as a sample: a row for each submission that has a score, which is the mean of the row."""
        made = self.contributions(metric)
        return uncertainty.pseudo_values(made, self._places_of_clusters) if self.clusters else made

    @property
    def degrees(self) -> float:
        """Degrees of freedom of a variance between units."""
        if self.clusters:
            return uncertainty.cluster_degrees(self._places_of_clusters)
        return float(len(self.tasks) - 1)

    @property
    def _places_of_clusters(self) -> Sequence[Sequence[int]]:
        return tuple(self.clusters.values())

    @property
    def has_too_few_clusters(self) -> bool:
        """Whether tasks lie in so few clusters that nothing can be said of others."""
        return 0 < len(self.clusters) < uncertainty.FEWEST_CLUSTERS

    def intervals(self, metric: Metric) -> Mapping[str, uncertainty.Interval]:
        """The interval of each submission's score; none where tasks lie in too few clusters."""
        if self.has_too_few_clusters:
            return {}
        if metric.id not in self._intervals:
            scores = self.scores[metric.id]
            pairs = zip(scores.items(), self._found(metric, scores) if scores else (), strict=True)
            self._intervals[metric.id] = {
                name: interval.around(score) for (name, score), interval in pairs
            }
        return self._intervals[metric.id]

    def _found(self, metric: Metric, scores: Scores) -> list[uncertainty.Interval]:
        """The intervals of at least one score: exact ones where scores are k of n independent tasks."""
        if metric.terms and metric.terms[0].highest is not None:
            return uncertainty.difference_intervals(
                self.unit_values(metric), self.degrees, metric.terms[0].highest
            )
        if self.clusters:
            highest = metric.full(len(self.tasks)) if metric.is_count else metric.highest
            if highest is not None:
                made = uncertainty.influences(self.parts(metric))
                return uncertainty.clustered_intervals(made, self._places_of_clusters, highest)
            return self._unbounded(metric)
        is_single_attempt = all(self.sheets[name].made == 1 for name in scores)
        if metric.counts == "tasks" or (metric.counts == "attempts" and is_single_attempt):
            counted = (metric.count(self.sheets[name], value) for name, value in scores.items())
            return [
                uncertainty.binomial_interval(k, n).scaled(metric.full(n)).rounded()
                for k, n in filter(None, counted)
            ]
        if metric.highest is not None:
            return uncertainty.bounded_intervals(self.parts(metric), self.weights, metric.highest)
        return self._unbounded(metric)

    def _unbounded(self, metric: Metric) -> list[uncertainty.Interval]:
        """Return intervals of scores that have no highest value."""
        lowest = None if metric.measurement else 0.0
        unbounded = uncertainty.unbounded_intervals(self.unit_values(metric))
        return [interval.above(lowest) for interval in unbounded]
