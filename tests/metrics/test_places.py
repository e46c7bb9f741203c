"""Which places the data supports, on rows small enough to know the answer."""

import numpy as np
import pytest

from sitegen.metrics.places import Contender, places_drawn, rank_intervals, tie_groups
from sitegen.metrics.uncertainty import Interval, TaskParts, draws, intervals, task_weights


def drawn(*submissions: list[float]) -> list[Contender]:
    """Draw submissions that have one score a task."""
    scores = np.array(submissions, dtype=np.float64)
    found = draws(TaskParts(scores, np.ones_like(scores)), task_weights([str(task) for task in range(scores.shape[1])]))
    rows = zip(scores.mean(axis=1), intervals(found), found, strict=True)
    return [Contender(float(score), interval, line) for score, interval, line in rows]


def counted(*bounds: tuple[float, float]) -> list[Contender]:
    """Give rows that are known by their count only."""
    return [Contender((low + high) / 2, Interval(low, high, "binomial")) for low, high in bounds]


def in_order(rows: list[Contender]) -> list[int]:
    return list(range(1, len(rows) + 1))


def test_who_is_better_on_every_task_is_first_in_every_draw() -> None:
    assert rank_intervals(drawn([0.9, 0.8, 0.7], [0.5, 0.4, 0.3])) == [(1, 1), (2, 2)]


def test_equal_rows_share_the_better_rank() -> None:
    assert rank_intervals(drawn([0.2, 0.8], [0.2, 0.8], [0.1, 0.1])) == [(1, 1), (1, 1), (3, 3)]


def test_a_rank_that_one_draw_in_four_gives_is_in_the_interval() -> None:
    """Each is better on one of two tasks: either leads where its task is drawn twice."""
    assert rank_intervals(drawn([1.0, 0.0], [0.0, 0.9])) == [(1, 2), (1, 2)]


def test_a_rank_that_one_draw_in_a_hundred_gives_is_not() -> None:
    table = np.array([[1.0] * 100, [0.0] * 99 + [2.0]])
    assert places_drawn(table) == [(1, 1), (2, 2)]


def test_rank_intervals_do_not_hang_on_how_draws_are_worked_through() -> None:
    """More resamples than are put in order together, of which every third turns the order round."""
    turned = np.where(np.arange(2500) % 3 == 0, -1.0, 1.0)
    assert places_drawn(np.array([turned, -turned])) == [(1, 2), (1, 2)]


def test_a_draw_that_has_nothing_of_a_row_puts_it_last() -> None:
    assert places_drawn(np.array([[2.0, np.nan], [1.0, 1.0]])) == [(1, 2), (1, 2)]


def test_a_score_that_is_only_printed_is_the_same_in_every_draw() -> None:
    """0.5 lies within what the first may be, and beyond what the second may be."""
    wide, low = drawn([1.0, 0.2], [0.1, 0.1])
    assert rank_intervals([wide, Contender(0.5), low]) == [(1, 2), (1, 2), (3, 3)]


def test_counts_leave_the_ranks_that_their_intervals_leave() -> None:
    assert rank_intervals(counted((0.7, 0.9), (0.5, 0.8), (0.1, 0.4))) == [(1, 2), (1, 2), (3, 3)]


def test_groups_begin_where_the_data_tells_two_apart() -> None:
    """The second may be the first's equal; the third is worse on every task."""
    rows = drawn([0.9, 0.8, 0.7, 0.8], [0.8, 0.9, 0.8, 0.6], [0.1, 0.2, 0.1, 0.2])
    assert tie_groups(rows, [1, 2, 3]) == [(1, 2), (1, 2), (3, 3)]


def test_counts_are_told_apart_from_the_best_of_their_group_only() -> None:
    """Each overlaps with the next, but the third not with the first."""
    rows = counted((0.6, 0.9), (0.4, 0.7), (0.2, 0.5), (0.1, 0.4))
    assert tie_groups(rows, in_order(rows)) == [(1, 2), (1, 2), (3, 4), (3, 4)]


def test_intervals_that_touch_overlap() -> None:
    rows = counted((0.5, 0.9), (0.1, 0.5))
    assert tie_groups(rows, in_order(rows)) == [(1, 2), (1, 2)]


def test_draws_of_both_go_before_intervals_of_each() -> None:
    """The intervals overlap widely, but task by task the second is one tenth worse."""
    rows = drawn([0.1, 0.5, 1.0], [0.0, 0.4, 0.9])
    assert rows[0].low < rows[1].high
    assert tie_groups(rows, [1, 2]) == [(1, 1), (2, 2)]


def test_a_drawn_row_and_a_count_are_told_apart_by_their_intervals() -> None:
    (row,) = drawn([0.9, 0.7])
    assert tie_groups([row, *counted((0.5, 0.75), (0.1, 0.6))], [1, 2, 3]) == [(1, 2), (1, 2), (3, 3)]


def test_rows_of_equal_rank_stay_together() -> None:
    """Of two that tie, one is worse than the best on every task and the other is not: both begin the next group."""
    rows = drawn([0.6, 0.6, 0.6, 0.6], [0.5, 0.5, 0.5, 0.5], [1.0, 0.0, 1.0, 0.0])
    assert [row.score for row in rows[1:]] == [0.5, 0.5]
    assert tie_groups(rows, [1, 2, 2]) == [(1, 1), (2, 3), (2, 3)]


@pytest.mark.parametrize("last", [[0.9, 0.1], [0.1, 0.9]])
def test_which_of_two_equal_rows_is_called_best_decides_nothing(last: list[float]) -> None:
    """The third is worse than one of the first two on every task, and better than the other on one."""
    rows = drawn([1.0, 0.2], [0.2, 1.0], last)
    assert tie_groups(rows, [1, 1, 3]) == [(1, 2), (1, 2), (3, 3)]


def test_differences_by_rounding_tell_nothing_apart() -> None:
    rows = drawn([0.3, 0.3], [0.1 + 0.2, 0.1 + 0.2])
    assert tie_groups(rows[::-1], [1, 1]) == [(1, 2), (1, 2)]
    assert rank_intervals(rows) == [(1, 1), (1, 1)]
