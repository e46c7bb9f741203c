"""Tasks scored together score as each alone."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from sitegen.metrics.effort import typical
from sitegen.metrics.results import score_by_task

GRIDS = st.lists(
    arrays.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 40)), elements=st.floats(0, 1)), max_size=6
)


@given(GRIDS)
def test_tasks_scored_together_score_to_the_last_digit_as_each_alone(grids: list[NDArray[np.float64]]) -> None:
    assert score_by_task(grids, lambda stack: stack.mean(axis=(1, 2))) == [float(grid.mean()) for grid in grids]


def test_scores_come_in_the_order_of_the_tasks() -> None:
    grids = [np.array([[1.0]]), np.array([[2.0, 2.0]]), np.array([[3.0]])]
    assert score_by_task(grids, lambda stack: stack.max(axis=(1, 2))) == [1, 2, 3]


def test_typical_is_told_of_what_was_measured_and_is_not_0() -> None:
    assert typical([None, 4, 0, 1, 3, None]) == (3, 4)
    assert typical([4.0, 2.0]) == (3, 4)


def test_nothing_is_typical_of_nothing() -> None:
    assert typical([None, 0]) == typical([]) == (0, 0)
