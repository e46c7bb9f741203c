"""Every two submissions at once, as one pair after the other would give it."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.metrics.pairs import pair_intervals
from sitegen.metrics.uncertainty import Draws, Interval, TaskParts, differences, draws, task_weights


def one_by_one(drawn: Draws) -> list[Interval]:
    found = (differences(drawn[first], drawn[[second]]) for first, second in combinations(range(len(drawn)), 2))
    return [interval for (interval,) in found]


def drawn_from(scores: list[list[float]]) -> Draws:
    """Draw the tasks of submissions, whose scores by task are given, 1,000 times."""
    table = np.array(scores, dtype=np.float64)
    weights = task_weights([f"task-{number}" for number in range(table.shape[1])], resamples=1000)
    return draws(TaskParts(table, np.ones_like(table)), weights)


def tables(tasks: int) -> st.SearchStrategy[list[list[float]]]:
    """Give scores on so many tasks."""
    row = st.lists(st.floats(0, 100), min_size=tasks, max_size=tasks)
    return st.lists(row, min_size=2, max_size=5)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6).flatmap(tables))
def test_all_at_once_say_what_each_pair_says(scores: list[list[float]]) -> None:
    drawn = drawn_from(scores)
    for found, alone in zip(pair_intervals(drawn), one_by_one(drawn), strict=True):
        assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=1e-8)


def test_more_pairs_than_are_looked_at_together_keep_their_order() -> None:
    """The first's pairs are more than one block."""
    drawn = drawn_from([[float(row), 50.0, 100.0 - row] for row in range(30)])
    assert len(pair_intervals(drawn)) == 30 * 29 / 2
    assert pair_intervals(drawn) == one_by_one(drawn)


def test_equal_submissions_lie_nowhere_apart() -> None:
    assert pair_intervals(drawn_from([[1.0, 7.0], [1.0, 7.0]])) == [Interval(0, 0)]


def test_a_guess_that_takes_too_little_is_made_good() -> None:
    """The draws come in order, so that the first ones tell nothing of the others."""
    leads = np.arange(2000, dtype=np.float64)
    drawn = np.stack([leads, np.zeros_like(leads)])
    assert pair_intervals(drawn) == pair_intervals(drawn[:, ::-1]) == one_by_one(drawn)


def test_draws_without_a_score_are_left_out() -> None:
    drawn = np.array([[1.0, 2.0, np.nan, 4.0], [0.0, 0.0, 0.0, 0.0]])
    assert pair_intervals(drawn) == one_by_one(drawn)
