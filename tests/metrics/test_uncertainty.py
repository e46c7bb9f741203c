"""How sure a score and a rank are, on tables small enough to know the answer."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sitegen.metrics.uncertainty import (
    Draws,
    TaskParts,
    difference,
    draws,
    intervals,
    rank_intervals,
    task_weights,
    tie_groups,
)


def parts(*submissions: list[float]) -> TaskParts:
    """One list of task scores per submission; every task weighs the same."""
    scores = np.array(submissions, dtype=np.float64)
    return TaskParts(scores, np.ones_like(scores))


def drawn(*submissions: list[float]) -> Draws:
    table = parts(*submissions)
    return draws(table, task_weights(table))


def test_every_draw_has_as_many_tasks_as_there_are() -> None:
    weights = task_weights(parts([0.1, 0.5, 0.9]), resamples=50)
    assert weights.shape == (50, 3)
    assert (weights.sum(axis=1) == 3).all()


def test_the_same_results_give_the_same_draws() -> None:
    table = parts([0.1, 0.5, 0.9], [0.3, 0.3, 0.3])
    assert (task_weights(table) == task_weights(parts([0.1, 0.5, 0.9], [0.3, 0.3, 0.3]))).all()


def test_other_results_give_other_draws() -> None:
    assert (task_weights(parts([0.1, 0.5])) != task_weights(parts([0.1, 0.6]))).any()


def test_equal_tasks_leave_no_doubt() -> None:
    """Whatever tasks are drawn, the mean of equal scores is that score."""
    (interval,) = intervals(drawn([0.4, 0.4, 0.4]))
    assert (interval.low, interval.high) == pytest.approx((0.4, 0.4))


def test_two_tasks_that_disagree_leave_every_doubt() -> None:
    """One task solved and one not: a quarter of the draws has twice the first, a quarter twice the second."""
    (interval,) = intervals(drawn([0.0, 1.0]))
    assert (interval.low, interval.high) == (0.0, 1.0)


def test_the_interval_of_a_coin_is_that_of_the_binomial() -> None:
    """Of 100 tasks half are solved: the share of a draw is binomial, 0.40 to 0.60 at 95 %."""
    (interval,) = intervals(drawn([0.0, 1.0] * 50))
    assert (interval.low, interval.high) == pytest.approx((0.40, 0.60), abs=0.011)


def test_a_pooled_share_weighs_long_tasks_more() -> None:
    pooled = TaskParts(np.array([[9.0, 0.0]]), np.array([[9.0, 1.0]]))
    once_each: NDArray[np.float64] = np.array([[1.0, 1.0]])
    assert draws(pooled, once_each)[0, 0] == pytest.approx(0.9)


def test_a_draw_without_any_of_a_submission_s_tasks_is_left_out() -> None:
    one_known = TaskParts(np.array([[0.5, 0.0]]), np.array([[1.0, 0.0]]))
    (interval,) = intervals(draws(one_known, task_weights(one_known)))
    assert (interval.low, interval.high) == (0.5, 0.5)


def test_who_is_better_on_every_task_is_first_in_every_draw() -> None:
    assert rank_intervals(drawn([0.9, 0.8, 0.7], [0.5, 0.4, 0.3])) == [(1, 1), (2, 2)]


def test_equal_submissions_share_the_better_place() -> None:
    assert rank_intervals(drawn([0.2, 0.8], [0.2, 0.8], [0.1, 0.1])) == [(1, 1), (1, 1), (3, 3)]


def test_differences_are_paired() -> None:
    """Scores that vary widely over tasks, but always one tenth apart."""
    scores = drawn([0.1, 0.5, 1.0], [0.0, 0.4, 0.9])
    apart = difference(scores[0], scores[1])
    assert (apart.low, apart.high) == pytest.approx((0.1, 0.1))


def test_groups_begin_where_the_data_tells_two_apart() -> None:
    """The second may be the first's equal; the third is worse on every task."""
    groups = tie_groups(drawn([0.9, 0.8, 0.7, 0.8], [0.8, 0.9, 0.8, 0.6], [0.1, 0.2, 0.1, 0.2]))
    assert groups == [(1, 2), (1, 2), (3, 3)]
