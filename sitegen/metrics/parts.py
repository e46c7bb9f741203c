"""Takes a score apart into its tasks, so that tasks can be drawn again."""

from collections.abc import Sequence

import numpy as np

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.gaps import MetricError
from sitegen.metrics.grids import Sheet
from sitegen.metrics.metric import Metric
from sitegen.metrics.uncertainty import TaskParts


def parts_of(metric: Metric, sheets: Sequence[Sheet], tasks: Sequence[str]) -> TaskParts:
    """Score each task of each submission by itself.

    Args:
        metric: Any metric of the catalogue.
        sheets: One per submission; rows of those that have no score mean nothing.
        tasks: Ids of the track's tasks.

    Returns:
        What the scores are made of, in the metric's unit. A task that is no part of a submission's score has 0 in
        both tables.
    """
    if metric.terms:
        whole, less = (parts_of(METRICS[term], sheets, tasks) for term in metric.terms)
        return TaskParts(whole.numerators, whole.denominators, less=less)
    column = {task: index for index, task in enumerate(tasks)}
    numerators = np.zeros((len(sheets), len(tasks)))
    denominators = np.zeros_like(numerators)
    for row, sheet in enumerate(sheets):
        for grid in sheet.tasks:
            place = row, column[grid.task.id]
            numerators[place], denominators[place] = _part(metric, Sheet([grid], sheet.attempts, sheet.made))
    return TaskParts(numerators, denominators, is_sum=metric.form == "sum")


def _part(metric: Metric, alone: Sheet) -> tuple[float, float]:
    """Give the score of one task times its weight, and the weight."""
    value = _value(metric, alone)
    if metric.form == "sum":
        return value or 0.0, 1.0
    weight = _weight(metric, alone) if metric.weigh else float(value is not None)
    return weight * (value or 0.0), weight


def _value(metric: Metric, alone: Sheet) -> float | None:
    try:
        return metric.compute(alone)
    except MetricError:
        return None


def _weight(metric: Metric, alone: Sheet) -> float:
    try:
        return metric.weight(alone)
    except MetricError:
        return 0.0
