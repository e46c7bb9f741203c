"""Means over tasks with their intervals, and slopes over rounds."""

from collections.abc import Mapping, Sequence
from statistics import fmean, linear_regression
from typing import NamedTuple

import numpy as np

from sitegen.metrics.contributions import (
    ClusterByTask,
    TaskFractions,
    cluster_degrees,
    jackknife_contributions,
    sampling_units,
    sum_clusters,
)
from sitegen.metrics.intervals import (
    Interval,
    bounded_intervals,
    fewest_units,
    unbounded_intervals,
    weights_of_draws,
)


class Estimate(NamedTuple):
    """A mean or a score over tasks, with its interval."""

    value: float
    tasks: int
    interval: Interval | None
    """The interval of the value; None if there are too few tasks."""


def estimate_mean(
    values: Mapping[str, Sequence[float]], cluster_by_task: ClusterByTask
) -> Estimate | None:
    """Return the mean of amounts over the values of each task, then over tasks.

    Amounts have no highest value, so the interval is approximate.

    Args:
        values: The values for each task, by its id.
        cluster_by_task: The clusters of the tasks.

    Returns:
        The estimate; None if there are no values.
    """
    means = {}
    for task, amounts in values.items():
        if amounts:
            means[task] = fmean(amounts)
    if not means:
        return None
    units = sampling_units(list(means), cluster_by_task)
    interval = None
    if len(units) >= fewest_units(cluster_by_task):
        contributions = np.array([list(means.values())])
        degrees = None
        if cluster_by_task:
            contributions = jackknife_contributions(contributions, units)
            degrees = cluster_degrees(units)
        (interval,) = unbounded_intervals(contributions, degrees)
    return Estimate(fmean(means.values()), len(means), interval)


def estimate_score(
    fractions: TaskFractions,
    tasks: Sequence[str],
    chosen: Sequence[str],
    highest: float,
    cluster_by_task: ClusterByTask,
) -> Estimate | None:
    """Return the combined score of all submissions on some of the tasks.

    Args:
        fractions: Scores between 0 and the highest possible score, by submission and task.
        tasks: Ids of the tasks, in the order of the columns of `fractions`.
        chosen: Ids of the tasks to score on.
        highest: The highest possible score.
        cluster_by_task: The clusters of the tasks.

    Returns:
        The estimate; None if none of the chosen tasks enters a score.
    """
    chosen_tasks = set(chosen)
    columns = [column for column, task in enumerate(tasks) if task in chosen_tasks]
    submissions = len(fractions.numerators)
    # Averaging over the submissions keeps a task's weight comparable to that of a half task.
    denominators = fractions.denominators[:, columns].sum(axis=0, keepdims=True)
    if not denominators.any():
        return None
    denominators = denominators / submissions
    numerators = fractions.numerators[:, columns].sum(axis=0, keepdims=True) / submissions
    counted_tasks = int((denominators > 0).sum())
    interval = None
    units = sampling_units([tasks[column] for column in columns], cluster_by_task)
    if min(counted_tasks, len(units)) >= fewest_units(cluster_by_task):
        unit_numerators = sum_clusters(numerators, units)
        unit_denominators = sum_clusters(denominators, units)
        by_unit = TaskFractions(unit_numerators, unit_denominators)
        (interval,) = bounded_intervals(by_unit, weights_of_draws(list(units)), highest)
    score = float(TaskFractions(numerators, denominators).scores[0])
    return Estimate(score, counted_tasks, interval)


def slope_over_rounds(values: Sequence[tuple[int, float]]) -> float | None:
    """Return the mean change of a value from one round to the next, by least squares.

    Args:
        values: Pairs of a round's number and a value.

    Returns:
        The slope; None if there are fewer than two rounds.
    """
    if len(values) <= 1:
        return None
    rounds, amounts = zip(*values, strict=True)
    return linear_regression(rounds, amounts).slope
