"""How sure a score is, on tables small enough to know the answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.metrics.uncertainty import (
    ROUNDING,
    Draws,
    Interval,
    TaskParts,
    differences,
    draws,
    intervals,
    is_above,
    task_weights,
)

TASKS = ("a", "b", "c", "d")


def parts(*submissions: list[float]) -> TaskParts:
    """One list of task scores per submission; every task weighs the same."""
    scores = np.array(submissions, dtype=np.float64)
    return TaskParts(scores, np.ones_like(scores))


def drawn(*submissions: list[float]) -> Draws:
    table = parts(*submissions)
    return draws(table, task_weights([f"task-{number}" for number in range(table.numerators.shape[1])]))


def test_every_draw_has_as_many_tasks_as_there_are() -> None:
    weights = task_weights(TASKS, resamples=50)
    assert weights.shape == (4, 50)
    assert (weights.sum(axis=0) == 4).all()


def test_every_task_is_drawn_as_often_as_any_other() -> None:
    weights = task_weights(TASKS)
    assert weights.mean(axis=1) == pytest.approx(1, abs=0.03)


def test_the_same_tasks_give_the_same_draws() -> None:
    assert (task_weights(TASKS) == task_weights(list(TASKS))).all()


def test_other_tasks_give_other_draws() -> None:
    assert (task_weights(TASKS) != task_weights(("a", "b", "c", "e"))).any()


def test_a_submission_more_leaves_the_draws_of_the_others() -> None:
    alone = drawn([0.1, 0.5, 0.9])
    assert drawn([0.1, 0.5, 0.9], [0.2, 0.2, 0.4])[0].tolist() == alone[0].tolist()


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
    assert draws(pooled, np.array([[1.0], [1.0]]))[0, 0] == pytest.approx(0.9)


def test_submissions_may_be_scored_on_other_tasks() -> None:
    """The second was not measured on the first task: a draw of the second task twice says 0.6 of it."""
    table = TaskParts(np.array([[0.2, 0.4], [0.0, 0.6]]), np.array([[1.0, 1.0], [0.0, 1.0]]))
    assert draws(table, np.array([[1.0, 0.0], [1.0, 2.0]])).tolist() == [
        pytest.approx([0.3, 0.4]),
        pytest.approx([0.6, 0.6]),
    ]


def test_a_sum_is_drawn_over_as_many_tasks() -> None:
    """Two of three tasks are perfect; a draw that has one of these twice and the other once has three."""
    counted = TaskParts(np.array([[1.0, 1.0, 0.0]]), np.ones((1, 3)), is_sum=True)
    assert draws(counted, np.array([[1.0, 2.0], [1.0, 1.0], [1.0, 0.0]])).tolist() == [[2.0, 3.0]]


def test_a_difference_is_drawn_from_the_same_tasks() -> None:
    """The second term is always one tenth lower, however the tasks fall."""
    first, second = parts([0.1, 0.5, 1.0]), parts([0.0, 0.4, 0.9])
    (interval,) = intervals(
        draws(TaskParts(first.numerators, first.denominators, less=second), task_weights(("a", "b", "c")))
    )
    assert (interval.low, interval.high) == pytest.approx((0.1, 0.1))


def test_a_draw_without_any_of_a_submission_s_tasks_is_left_out() -> None:
    one_known = TaskParts(np.array([[0.5, 0.0]]), np.array([[1.0, 0.0]]))
    (interval,) = intervals(draws(one_known, task_weights(("a", "b"))))
    assert (interval.low, interval.high) == (0.5, 0.5)


def test_differences_are_paired() -> None:
    """Scores that vary widely over tasks, but always one tenth apart."""
    scores = drawn([0.1, 0.5, 1.0], [0.0, 0.4, 0.9], [0.2, 0.6, 1.1])
    behind, ahead = differences(scores[0], scores[1:])
    assert (behind.low, behind.high) == pytest.approx((0.1, 0.1))
    assert (ahead.low, ahead.high) == pytest.approx((-0.1, -0.1))


@given(st.integers(0, 400), st.integers(2, 401), st.floats(-1, 1), st.integers(0, 2))
def test_counting_draws_says_what_the_interval_says(behind: int, resamples: int, lead: float, unknown: int) -> None:
    """Some draws are behind, by more and more, the others are ahead or not, and some are not known."""
    ahead = np.full(resamples, lead)
    ahead[:behind] = -np.arange(len(ahead[:behind])) / 100
    ahead[resamples - unknown :] = np.nan
    if not np.isnan(ahead).all():
        (interval,) = differences(ahead, np.zeros((1, resamples)))
        assert is_above(ahead, np.zeros(resamples)) == (interval.low > ROUNDING)


def test_a_bound_that_is_the_score_but_for_rounding_is_the_score() -> None:
    assert Interval(0.3 - 1e-12, 0.5).around(0.3) == Interval(0.3, 0.5)


def test_an_interval_turned_round_keeps_its_kind() -> None:
    assert Interval(1.0, 2.0, "binomial").scaled(-1) == Interval(-2.0, -1.0, "binomial")
