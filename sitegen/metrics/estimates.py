"""Means and shares over tasks, each with how many tasks it is over and the interval that they tell."""

from collections.abc import Mapping, Sequence
from statistics import fmean, linear_regression
from typing import NamedTuple

import numpy as np

from sitegen.metrics.sureness import Rate, rate_of
from sitegen.metrics.uncertainty import Interval, TaskParts, bounded_intervals, mean_intervals, task_weights

FEWEST = 5
"""Fewer tasks tell of themselves: there is no interval."""


class Estimate(NamedTuple):
    """A value over tasks."""

    value: float
    tasks: int
    interval: Interval | None
    """None where the tasks are too few to tell one."""


def mean_over(values: Mapping[str, Sequence[float]]) -> Estimate | None:
    """Average what has no highest value: over the values of a task first, then over tasks; None without a value."""
    means = [fmean(each) for each in values.values() if each]
    if not means:
        return None
    interval = mean_intervals(np.array([means]))[0] if len(means) >= FEWEST else None
    return Estimate(fmean(means), len(means), interval)


def share_over(counts: Mapping[str, tuple[int, int]]) -> Rate | None:
    """Pool k of n over tasks; None where there is nothing to pool. Its interval draws the tasks again."""
    return rate_of(counts)


def score_on(parts: TaskParts, tasks: Sequence[str], chosen: Sequence[str], highest: float) -> Estimate | None:
    """Score all submissions together on some of the tasks; None where none of these is part of a score.

    Scores lie between 0 and a highest one; `tasks` are what the columns of the parts are.
    """
    columns = [place for place, name in enumerate(tasks) if name in set(chosen)]
    tops, sizes = (each[:, columns].sum(axis=0, keepdims=True) for each in (parts.numerators, parts.denominators))
    if not sizes.any():
        return None
    # Half tasks weigh as tasks do: so a task's part is a mean over the submissions.
    made = TaskParts(tops / len(parts.numerators), sizes / len(parts.numerators))
    counted = int((sizes > 0).sum())
    interval = None
    if counted >= FEWEST:
        (interval,) = bounded_intervals(made, task_weights([tasks[place] for place in columns]), highest)
    return Estimate(float(made.scores[0]), counted, interval)


def slope_of(values: Sequence[tuple[int, float]]) -> float | None:
    """By how much a value rises from one round to the next, by least squares; None with fewer than two rounds."""
    return linear_regression(*zip(*values, strict=True)).slope if len(values) > 1 else None
