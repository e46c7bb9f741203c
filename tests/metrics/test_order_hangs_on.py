"""What an order hangs on, on tables small enough to count by hand."""

import numpy as np
import pytest
from grids import grid

from sitegen.metrics.sureness import (
    breakdowns_at,
    item_rest_correlations,
    kept,
    of_k_attempts,
    rate_of,
    run_share,
    smallest_differences,
    task_scores,
    turns_after,
    without_each_task,
)
from sitegen.metrics.uncertainty import TaskParts, task_weights


def parts(*rows: list[float]) -> TaskParts:
    scores = np.array(rows, dtype=np.float64)
    return TaskParts(scores, np.ones_like(scores))


def test_a_task_decides_the_rank_of_those_who_differ_there_alone() -> None:
    """Without the last task both have 50; without any other the first stays ahead."""
    found = without_each_task(parts([50, 50, 100], [50, 50, 0]), upwards=True)
    assert [each.moved for each in found] == [0, 0, 1]
    assert found[2].row == 0
    assert found[2].by == pytest.approx(-50 / 3)


def test_less_may_be_better_without_a_task() -> None:
    found = without_each_task(parts([10, 10, 90], [30, 30, 30]), upwards=False)
    assert [each.moved for each in found] == [0, 0, 2]


def test_a_pooled_score_loses_a_task_with_its_weight() -> None:
    pooled = TaskParts(np.array([[9.0, 0.0], [0.0, 1.0]]), np.array([[9.0, 1.0], [9.0, 1.0]]))
    first, _ = without_each_task(pooled, upwards=True)
    assert first.row == 0
    assert first.by == pytest.approx(-0.9)


def test_differences_that_do_not_vary_are_shown_however_small() -> None:
    low, _, high = smallest_differences(np.array([[1.0, 5.0, 9.0], [0.0, 4.0, 8.0]]))
    assert (low, high) == pytest.approx((0, 0), abs=1e-9)


def test_a_difference_that_varies_by_ten_takes_30_points_over_the_root_of_16_tasks() -> None:
    made = np.array([[10.0, -10.0] * 8, [0.0, 0.0] * 8])
    _, middle, _ = smallest_differences(made)
    assert middle == pytest.approx(2.9979 * 10 * (16 / 15) ** 0.5 / 4, abs=1e-3)


def test_a_task_on_which_better_rows_do_worse_correlates_below_zero() -> None:
    made = np.array([[3.0, 3.0, 3.0, 0.0], [2.0, 2.0, 2.0, 1.0], [1.0, 1.0, 1.0, 2.0]])
    same, _, _, turned = item_rest_correlations(made)
    assert turned == pytest.approx(-1)
    assert same == pytest.approx(1)


def test_a_task_that_is_the_same_for_all_correlates_with_nothing() -> None:
    assert item_rest_correlations(np.array([[1.0, 5.0], [1.0, 7.0], [1.0, 9.0]]))[0] is None


def test_rounds_are_counted_after_a_pass_and_after_a_fail() -> None:
    rewards = grid("##.#", "..#.")
    assert turns_after(rewards, passed=True) == (1, 3)
    assert turns_after(rewards, passed=False) == (2, 3)


def test_a_breakdown_is_counted_among_those_who_got_there_whole() -> None:
    rewards = grid("##.", "#.#", "...")
    assert [breakdowns_at(rewards, place) for place in range(4)] == [(1, 3), (1, 2), (1, 1), (0, 0)]


def test_a_rate_is_pooled_and_its_interval_is_over_tasks() -> None:
    """Ten of ten at one task and none of ten at the other: that is two tasks, not twenty rounds."""
    rate = rate_of([(10, 10), (0, 10)], task_weights(("a", "b")))
    assert rate is not None
    assert (rate.k, rate.n) == (10, 20)
    assert rate.interval.low < 0.1
    assert rate.interval.high > 0.9


def test_nothing_to_pool_has_no_rate() -> None:
    assert rate_of([(0, 0)], task_weights(("a",))) is None


def test_two_of_four_attempts_pass_some_of_two_in_five_of_six_ways() -> None:
    """A round that 2 of 4 attempts pass: of 6 pairs one has none, and one has both."""
    some, each = of_k_attempts([grid("#", "#", ".", ".")], 2)
    assert [some, each] == pytest.approx([5 / 6, 1 / 6])


def test_an_attempt_keeps_nothing_after_its_first_failure() -> None:
    assert kept(grid("#.#")).tolist() == [[True, False, False]]


def test_tasks_are_scored_by_those_who_have_them() -> None:
    some = TaskParts(np.array([[5.0, 0.0], [1.0, 2.0]]), np.array([[10.0, 0.0], [10.0, 4.0]]))
    assert task_scores(some) == [[0.5, 0.1], [0.5]]


def test_what_attempts_at_one_task_differ_by_is_run_to_run() -> None:
    """Means 1 and 0.5 vary by 1/8; attempts by 0 and 1/2, of which their mean of two has half: 1/8 on average."""
    assert run_share([grid("#", "#"), grid("#", ".")]) == 1.0
    assert run_share([grid("#", "#"), grid(".", ".")]) == 0.0
    assert run_share([grid("#", "."), grid("#", ".")]) is None
