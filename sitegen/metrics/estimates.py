"""Means and shares over tasks, each with how many tasks it is over and the interval that they tell."""

from collections.abc import Mapping, Sequence
from statistics import fmean, linear_regression
from typing import NamedTuple

import numpy as np

from sitegen.metrics.sureness import Rate, fewest_units, rate_of, units_of
from sitegen.metrics.uncertainty import (
    Interval,
    TaskParts,
    bounded_intervals,
    pseudo_values,
    task_weights,
    unbounded_intervals,
)

Clusters = Mapping[str, str]
"""The cluster of each task, by its id; empty where tasks are independent."""


class Estimate(NamedTuple):
    """A value over tasks."""

    value: float
    tasks: int
    interval: Interval | None
    """None where the tasks are too few to tell one."""


def mean_over(values: Mapping[str, Sequence[float]], clusters: Clusters) -> Estimate | None:
    """Average amounts without a highest value over the values of a task, then over tasks.

    The interval is approximate.

    Args:
        values: The values at each task, by its id.
        clusters: Whether tasks are independent.

    Returns:
        None without a value.
    """
    means = {task: fmean(of_task) for task, of_task in values.items() if of_task}
    if not means:
        return None
    units = units_of(list(means), clusters)
    interval = None
    if len(units) >= fewest_units(clusters):
        made = np.array([list(means.values())])
        if clusters:
            made = pseudo_values(made, list(units.values()))
        (interval,) = unbounded_intervals(made)
    return Estimate(fmean(means.values()), len(means), interval)


def share_over(counts: Mapping[str, tuple[int, int]], clusters: Clusters) -> Rate | None:
    """Pool k of n over tasks; None where there is nothing to pool. Its interval draws the tasks again."""
    return rate_of(counts, clusters)


def score_on(
    parts: TaskParts,
    tasks: Sequence[str],
    chosen: Sequence[str],
    highest: float,
    clusters: Clusters,
) -> Estimate | None:
    """Score all submissions together on some of the tasks; None where none of these is part of a score.

    Args:
        parts: Scores between 0 and a highest one, by submission and task.
        tasks: The ids of the tasks, which are the columns of the parts.
        chosen: The ids of the tasks to score on.
        highest: The highest score that there can be.
        clusters: Whether tasks are independent.
    """
    columns = [place for place, name in enumerate(tasks) if name in set(chosen)]
    tops, sizes = (
        each[:, columns].sum(axis=0, keepdims=True)
        for each in (parts.numerators, parts.denominators)
    )
    if not sizes.any():
        return None
    # Half tasks weigh as tasks do: so a task's part is a mean over the submissions.
    made = TaskParts(tops / len(parts.numerators), sizes / len(parts.numerators))
    counted = int((sizes > 0).sum())
    interval = None
    units = units_of([tasks[place] for place in columns], clusters)
    if min(counted, len(units)) >= fewest_units(clusters):
        summed = [made.numerators[:, places].sum(axis=1) for places in units.values()]
        sizes = [made.denominators[:, places].sum(axis=1) for places in units.values()]
        by_unit = TaskParts(np.stack(summed, axis=1), np.stack(sizes, axis=1))
        (interval,) = bounded_intervals(by_unit, task_weights(list(units)), highest)
    return Estimate(float(made.scores[0]), counted, interval)


def slope_of(values: Sequence[tuple[int, float]]) -> float | None:
    """By how much a value rises from one round to the next, by least squares; None with fewer than two rounds."""
    return linear_regression(*zip(*values, strict=True)).slope if len(values) > 1 else None
