"""Takes a score apart into its tasks, so that tasks can be drawn again."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sitegen.metrics.gaps import MetricError
from sitegen.metrics.grids import Sheet, TaskGrid
from sitegen.metrics.metric import Metric
from sitegen.metrics.uncertainty import TaskParts


def parts_of(metric: Metric, sheets: Sequence[Sheet], tasks: Sequence[str]) -> TaskParts:
    """Score each task of each submission by itself.

    Args:
        metric: A mean over tasks, or a share pooled over rounds; in the metric's unit.
        sheets: One per submission.
        tasks: Ids of the track's tasks.

    Returns:
        Numerators and denominators, shape (submissions, tasks), whose ratio of sums is the score. A task
        that a submission has no value on counts for nothing.
    """
    column = {task: index for index, task in enumerate(tasks)}
    numerators = np.zeros((len(sheets), len(tasks)))
    denominators = np.zeros_like(numerators)
    for row, sheet in enumerate(sheets):
        for grid in sheet.tasks:
            value = _alone(metric, sheet, grid)
            if value is not None:
                weight = len(grid.rounds) if metric.pooling == "rounds" else 1
                numerators[row, column[grid.task.id]] = weight * value
                denominators[row, column[grid.task.id]] = weight
    return TaskParts(numerators, denominators)


def _alone(metric: Metric, sheet: Sheet, grid: TaskGrid) -> float | None:
    try:
        return metric.compute(replace(sheet, tasks=[grid]))
    except MetricError:
        return None
