"""Intervals of many submissions take the memory of few: their draws are made for some rows at a time."""

import tracemalloc

import numpy as np
import pytest

from sitegen.metrics.contributions import TaskFractions
from sitegen.metrics.intervals import Weights, bounded_intervals, draw_weights

SUBMISSIONS = 600
TASKS = [f"task-{number}" for number in range(12)]


@pytest.fixture(scope="module")
def weights() -> Weights:
    return draw_weights(TASKS)


@pytest.fixture(scope="module")
def fractions() -> TaskFractions:
    numerators = np.random.default_rng(1).integers(0, 9, (SUBMISSIONS, len(TASKS))) / 8
    return TaskFractions(numerators, np.ones_like(numerators), "mean")


def test_draws_of_many_submissions_are_not_held_at_once(fractions: TaskFractions, weights: Weights) -> None:
    """One array of draws for all of them takes 48 MB, and four would be needed."""
    tracemalloc.start()
    intervals = bounded_intervals(fractions, weights, 1.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(intervals) == SUBMISSIONS
    assert peak < 80 * 1024 * 1024


@pytest.mark.parametrize("row", [0, 127, 128, 400, SUBMISSIONS - 1])
def test_a_submission_among_many_has_the_interval_that_it_has_alone(
    fractions: TaskFractions, weights: Weights, row: int
) -> None:
    intervals = bounded_intervals(fractions, weights, 1.0)
    assert [intervals[row]] == bounded_intervals(fractions.select([row]), weights, 1.0)
