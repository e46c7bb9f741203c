"""Means and shares over tasks, each with its number of tasks and its interval."""

from collections.abc import Mapping, Sequence
from statistics import fmean, linear_regression
from typing import NamedTuple

import numpy as np

from sitegen.metrics.contributions import (
    TaskFractions,
    cluster_degrees,
    jackknife_contributions,
    sampling_units,
    sum_clusters,
)
from sitegen.metrics.intervals import (
    Interval,
    bounded_intervals,
    draw_weights,
    fewest_units,
    unbounded_intervals,
)
from sitegen.metrics.rates import Rate, pooled_rate

Clusters = Mapping[str, str]
"""The cluster of each task, by its id; empty where tasks are independent."""


class Estimate(NamedTuple):
    """A value over tasks."""

    value: float
    tasks: int
    interval: Interval | None
    """None where there are too few tasks."""


def mean_over(values: Mapping[str, Sequence[float]], clusters: Clusters) -> Estimate | None:
    """Return the mean of amounts over the values of each task, then over tasks.

    Amounts have no highest value, so the interval is approximate.

    Args:
        values: The values at each task, by its id.
        clusters: The cluster of each task.

    Returns:
        None without any value.
    """
    means = {}
    for task, amounts in values.items():
        if amounts:
            means[task] = fmean(amounts)
    if not means:
        return None
    units = sampling_units(list(means), clusters)
    interval = None
    if len(units) >= fewest_units(clusters):
        contributions = np.array([list(means.values())])
        degrees = None
        if clusters:
            unit_columns = list(units.values())
            contributions = jackknife_contributions(contributions, unit_columns)
            degrees = cluster_degrees(unit_columns)
        (interval,) = unbounded_intervals(contributions, degrees)
    return Estimate(fmean(means.values()), len(means), interval)


def share_over(counts: Mapping[str, tuple[int, int]], clusters: Clusters) -> Rate | None:
    """Return k of n pooled over tasks; None where there is nothing to pool."""
    return pooled_rate(counts, clusters)


def score_on(
    fractions: TaskFractions,
    tasks: Sequence[str],
    chosen: Sequence[str],
    highest: float,
    clusters: Clusters,
) -> Estimate | None:
    """Return the score of all submissions together on some of the tasks.

    Args:
        fractions: Scores between 0 and a highest one, by submission and task.
        tasks: Ids of the tasks, in the order of the columns of `fractions`.
        chosen: Ids of the tasks to score on.
        highest: The highest possible score.
        clusters: The cluster of each task.

    Returns:
        None where none of the chosen tasks is part of a score.
    """
    chosen_tasks = set(chosen)
    columns = [column for column, task in enumerate(tasks) if task in chosen_tasks]
    submissions = len(fractions.numerators)
    # A task's part is a mean over the submissions, so that half tasks weigh as tasks do.
    denominators = fractions.denominators[:, columns].sum(axis=0, keepdims=True)
    if not denominators.any():
        return None
    denominators = denominators / submissions
    numerators = fractions.numerators[:, columns].sum(axis=0, keepdims=True) / submissions
    counted_tasks = int((denominators > 0).sum())
    interval = None
    units = sampling_units([tasks[column] for column in columns], clusters)
    if min(counted_tasks, len(units)) >= fewest_units(clusters):
        unit_columns = list(units.values())
        unit_numerators = sum_clusters(numerators, unit_columns)
        unit_denominators = sum_clusters(denominators, unit_columns)
        by_unit = TaskFractions(unit_numerators, unit_denominators)
        (interval,) = bounded_intervals(by_unit, draw_weights(list(units)), highest)
    score = float(TaskFractions(numerators, denominators).scores[0])
    return Estimate(score, counted_tasks, interval)


def slope_of(values: Sequence[tuple[int, float]]) -> float | None:
    """Return by how much a value rises from one round to the next, by least squares.

    Args:
        values: Pairs of a round's number and a value.

    Returns:
        None with fewer than two rounds.
    """
    if len(values) <= 1:
        return None
    rounds, amounts = zip(*values, strict=True)
    return linear_regression(rounds, amounts).slope
