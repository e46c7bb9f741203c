"""Rates k of n, pooled over tasks, with their intervals."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sitegen.metrics.contributions import ClusterByTask, TaskFractions, sampling_units
from sitegen.metrics.intervals import (
    Interval,
    bounded_intervals,
    fewest_units,
    weights_of_draws,
)


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate k of n, pooled over the tasks for which n is not 0."""

    k: int
    n: int
    interval: Interval | None
    """The 95 % interval over these tasks, or their clusters; None if there are too few."""


def pooled_rate(
    counts: Mapping[str, tuple[int, int]], cluster_by_task: ClusterByTask
) -> Rate | None:
    """Return the rate k of n pooled over tasks; None if no task has an n above 0.

    Args:
        counts: k and n by task. Tasks with n = 0 are left out of the interval as well.
        cluster_by_task: The clusters of the tasks.
    """
    counted_tasks = {}
    for task, (k_of_task, n_of_task) in counts.items():
        if n_of_task:
            counted_tasks[task] = (k_of_task, n_of_task)
    if not counted_tasks:
        return None
    units = sampling_units(list(counted_tasks), cluster_by_task)
    pairs = np.array(list(counted_tasks.values()), dtype=np.float64)
    k, n = pairs.sum(axis=0)
    interval = None
    if len(units) >= fewest_units(cluster_by_task):
        by_unit = np.array([pairs[indices].sum(axis=0) for indices in units.values()])
        unit_k = by_unit[np.newaxis, :, 0]
        unit_n = by_unit[np.newaxis, :, 1]
        weights = weights_of_draws(list(units))
        (interval,) = bounded_intervals(TaskFractions(unit_k, unit_n), weights, 1.0)
    return Rate(int(k), int(n), interval)
