"""Scores of single tasks for many submissions at once: their grids, stacked.

A score of one task takes some microseconds, and a large board has ten thousand of them a metric. The metrics that
follow from a task's grid alone are computed here on all submissions together. Their definitions stand where those of
all metrics stand; these say the same of stacked grids.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sitegen.metrics.grids import Sheet, TaskGrid
from sitegen.metrics.metric import Metric
from sitegen.metrics.uncertainty import TaskParts


@dataclass(frozen=True)  # no slots: grids are stacked once, where somebody asks
class Stack:
    """The results of several submissions on one task, in grids of one shape.

    Attributes:
        task: Place of the task in its track.
        rows: Places of the submissions.
        grids: Their results.
    """

    task: int
    rows: Sequence[int]
    grids: Sequence[TaskGrid]

    @cached_property
    def rewards(self) -> NDArray[np.bool_]:
        """Which rounds passed, shape (submissions, attempts, rounds)."""
        return np.array([grid.rewards for grid in self.grids])

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share of cases passed, shape (submissions, attempts, rounds)."""
        return np.array([grid.shares for grid in self.grids])

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Rounds passed with every round before them, shape (submissions, attempts, rounds)."""
        return np.logical_and.accumulate(self.rewards, axis=2)


STACKED: Mapping[str, Callable[[Stack], ArrayLike]] = {
    "dataset_score": lambda stack: 100 * np.mean(stack.rewards, axis=(1, 2)),
    "case_score": lambda stack: 100 * np.mean(stack.shares, axis=(1, 2)),
    "perfect_tasks": lambda stack: np.any(np.all(stack.rewards, axis=2), axis=1),
    "mt_at_k": lambda stack: 100 * np.mean(np.any(stack.kept, axis=1), axis=1),
    "comp": lambda stack: 100 * np.any(stack.kept[:, :, -1], axis=1),
    "resolved": lambda stack: 100 * np.mean(np.all(stack.rewards, axis=2), axis=1),
    "strict": lambda stack: 100 * np.mean(stack.rewards, axis=(1, 2)),
    "partial": lambda stack: 100 * np.mean(np.any(stack.rewards, axis=2), axis=1),
    "solved": lambda stack: 100 * np.mean(np.all(stack.rewards, axis=2), axis=1),
}
"""What each submission of a stack scores on its task, shape (submissions,), in the metric's unit."""


def stacks_of(sheets: Sequence[Sheet], tasks: Sequence[str]) -> list[Stack]:
    """Stack the grids of submissions task by task."""
    column = {task: place for place, task in enumerate(tasks)}
    alike: dict[tuple[int, tuple[int, ...]], tuple[list[int], list[TaskGrid]]] = defaultdict(lambda: ([], []))
    for row, sheet in enumerate(sheets):
        for grid in sheet.tasks:
            rows, grids = alike[column[grid.task.id], grid.rewards.shape]
            rows.append(row)
            grids.append(grid)
    return [Stack(task, rows, grids) for (task, _), (rows, grids) in alike.items()]


def stacked_parts(metric: Metric, stacks: Sequence[Stack], shape: tuple[int, int]) -> TaskParts:
    """Score each task of each submission, as `parts_of` does, by a metric that is defined on stacks.

    Args:
        metric: A metric that `STACKED` names.
        stacks: The submissions' results.
        shape: Numbers of submissions and tasks.
    """
    numerators, denominators = np.zeros(shape), np.zeros(shape)
    for stack in stacks:
        weight = stack.rewards[0].size if metric.weigh else 1
        numerators[stack.rows, stack.task] = weight * np.asarray(STACKED[metric.id](stack), dtype=np.float64)
        denominators[stack.rows, stack.task] = weight
    return TaskParts(numerators, denominators, is_sum=metric.form == "sum")
