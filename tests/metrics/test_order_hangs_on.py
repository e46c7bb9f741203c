"""What an order hangs on, on tables small enough to count by hand."""

import numpy as np
import pytest
from kit.result_grids import grid

from sitegen.metrics.arrays import kept_rounds
from sitegen.metrics.attempts import count_breakdowns, count_passes_after, pass_at_and_hat_k
from sitegen.metrics.contributions import TaskFractions
from sitegen.metrics.estimates import estimate_mean, estimate_score
from sitegen.metrics.intervals import Interval
from sitegen.metrics.paired import smallest_differences
from sitegen.metrics.rates import pooled_rate
from sitegen.metrics.task_effects import (
    correlation_interval,
    item_rest_correlations,
    task_scores,
    without_each_task,
)


def fractions(*rows: list[float]) -> TaskFractions:
    scores = np.array(rows, dtype=np.float64)
    return TaskFractions(scores, np.ones_like(scores))


def test_a_task_decides_the_rank_of_those_who_differ_there_alone() -> None:
    """Without the last task both have 50; without any other the first stays ahead."""
    task_effects = without_each_task(fractions([50, 50, 100], [50, 50, 0]), upwards=True)
    assert [task_effect.moved_rows for task_effect in task_effects] == [0, 0, 1]
    assert task_effects[2].row == 0
    assert task_effects[2].score_change == pytest.approx(-50 / 3)


def test_less_may_be_better_without_a_task() -> None:
    task_effects = without_each_task(fractions([10, 10, 90], [30, 30, 30]), upwards=False)
    assert [task_effect.moved_rows for task_effect in task_effects] == [0, 0, 2]


def test_a_row_without_a_score_after_a_task_is_left_out_changes_no_rank() -> None:
    """The second row has results for the first task alone, as where a finding excludes the other."""
    numerators = np.array([[0.0, 60.0], [50.0, 0.0]])
    task_effects = without_each_task(TaskFractions(numerators, np.array([[1.0, 1.0], [1.0, 0.0]])), upwards=True)
    assert [task_effect.moved_rows for task_effect in task_effects] == [0, 0]


def test_a_pooled_score_loses_a_task_with_its_weight() -> None:
    pooled = TaskFractions(np.array([[9.0, 0.0], [0.0, 1.0]]), np.array([[9.0, 1.0], [9.0, 1.0]]))
    first, _ = without_each_task(pooled, upwards=True)
    assert first.row == 0
    assert first.score_change == pytest.approx(-0.9)


def test_pairs_that_differ_nowhere_say_nothing_of_what_can_be_detected() -> None:
    """Else the smallest difference would be 0."""
    equal_rows = [[1.0, 5.0, 9.0, 2.0, 3.0], [0.0, 4.0, 8.0, 1.0, 2.0]]
    assert smallest_differences(np.array(equal_rows)) is None
    differences = smallest_differences(np.array([*equal_rows, [9.0, 0.0, 3.0, 1.0, 7.0]]))
    assert differences
    assert min(differences) > 1


def test_few_tasks_say_nothing_of_what_can_be_detected() -> None:
    assert smallest_differences(np.array([[1.0, 5.0, 9.0, 0.0], [0.0, 4.0, 0.0, 8.0]])) is None


def test_a_difference_that_varies_by_ten_takes_30_points_over_the_root_of_16_tasks() -> None:
    made = np.array([[10.0, -10.0] * 8, [0.0, 0.0] * 8])
    differences = smallest_differences(made)
    assert differences
    assert differences[1] == pytest.approx(2.9979 * 10 * (16 / 15) ** 0.5 / 4, abs=1e-3)


def test_a_task_on_which_better_rows_do_worse_correlates_below_zero() -> None:
    made = np.array([[3.0, 3.0, 3.0, 0.0], [2.0, 2.0, 2.0, 1.0], [1.0, 1.0, 1.0, 2.0]])
    first_correlation, _, _, turned = item_rest_correlations(made)
    assert turned == pytest.approx(-1)
    assert first_correlation == pytest.approx(1)


def test_a_task_that_is_the_same_for_all_correlates_with_nothing() -> None:
    assert item_rest_correlations(np.array([[1.0, 5.0], [1.0, 7.0], [1.0, 9.0]]))[0] is None


def test_rounds_are_counted_after_a_pass_and_after_a_fail() -> None:
    rewards = grid("##.#", "..#.")
    assert count_passes_after(rewards, passed=True) == (1, 3)
    assert count_passes_after(rewards, passed=False) == (2, 3)


def test_a_breakdown_is_counted_among_those_who_got_there_whole() -> None:
    rewards = grid("##.", "#.#", "...")
    assert [count_breakdowns(rewards, index) for index in range(4)] == [(1, 3), (1, 2), (1, 1), (0, 0)]


def test_a_rate_is_pooled_and_its_interval_is_over_tasks() -> None:
    """Ten of ten at three tasks and none of ten at three others: that is six tasks, not sixty rounds."""
    rate = pooled_rate({name: (10 if name < "d" else 0, 10) for name in "abcdef"}, {})
    assert rate is not None
    assert (rate.k, rate.n) == (30, 60)
    assert rate.interval
    assert rate.interval.low < 0.25
    assert rate.interval.high > 0.75


def test_tasks_without_data_have_no_part_in_a_rate() -> None:
    """Nine of nine from two tasks have no interval, however many tasks have no data."""
    counts = {"a": (5, 5), "b": (4, 4), **{f"empty {number}": (0, 0) for number in range(20)}}
    rate = pooled_rate(counts, {})
    assert rate
    assert (rate.k, rate.n, rate.interval) == (9, 9, None)
    five = dict.fromkeys("abcde", (3, 4))
    assert pooled_rate(five, {}) == pooled_rate(five | {"empty": (0, 0)}, {})


@pytest.mark.parametrize(("agents", "is_told"), [(4, False), (5, True)])
def test_a_correlation_over_few_agents_has_no_interval(agents: int, *, is_told: bool) -> None:
    assert (correlation_interval(0.5, agents) is not None) is is_told


def test_a_correlation_over_13_agents_is_vague() -> None:
    interval = correlation_interval(0.5, 13)
    assert interval
    assert (interval.low, interval.high) == pytest.approx((-0.07, 0.82), abs=0.01)


def test_a_rate_over_clusters_is_as_sure_as_its_clusters() -> None:
    """60 tasks that go the same way within 6 clusters are worth 6, and within 5 clusters nothing."""
    counts = {f"{index}": (10 * (index < 30), 10) for index in range(60)}
    six = {f"{task_number}": f"{task_number // 10}" for task_number in range(60)}
    alone, clustered = pooled_rate(counts, {}), pooled_rate(counts, six)
    assert alone
    assert clustered
    assert (clustered.k, clustered.n) == (alone.k, alone.n) == (300, 600)
    assert width(clustered.interval) > 2 * width(alone.interval) > 0
    five = pooled_rate(counts, {f"{task_index}": f"{task_index // 12}" for task_index in range(60)})
    assert five
    assert five.interval is None


def width(interval: Interval | None) -> float:
    """Return how wide an interval is; 0 where there is none."""
    return interval.high - interval.low if interval else 0.0


def test_means_and_scores_over_clusters_are_as_sure_as_their_clusters() -> None:
    tasks = [f"{index}" for index in range(60)]
    values = {task: [float(position >= 30)] for position, task in enumerate(tasks)}
    fractions = TaskFractions(np.array([[value for (value,) in values.values()]]), np.ones((1, 60)))
    six = {task: f"{task_index // 10}" for task_index, task in enumerate(tasks)}
    widths = []
    for clusters in ({}, six, dict.fromkeys(tasks, "one")):
        mean, score = estimate_mean(values, clusters), estimate_score(fractions, tasks, tasks, 1.0, clusters)
        assert mean
        assert score
        assert (mean.value, score.value) == (0.5, 0.5)
        widths.append((width(mean.interval), width(score.interval)))
    alone, clustered, one_cluster = widths
    assert clustered[0] > 2 * alone[0] > 0
    assert clustered[1] > 2 * alone[1] > 0
    assert one_cluster == (0.0, 0.0)


def test_nothing_to_pool_has_no_rate() -> None:
    assert pooled_rate({"a": (0, 0)}, {}) is None


def test_two_of_four_attempts_pass_some_of_two_in_five_of_six_ways() -> None:
    """A round that 2 of 4 attempts pass: of 6 pairs one has none, and one has both."""
    pass_at_k, pass_hat_k = pass_at_and_hat_k([grid("#", "#", ".", ".")], 2)
    assert [pass_at_k, pass_hat_k] == pytest.approx([5 / 6, 1 / 6])


def test_an_attempt_keeps_nothing_after_its_first_failure() -> None:
    assert kept_rounds(grid("#.#")).tolist() == [[True, False, False]]


def test_tasks_are_scored_by_those_who_have_them() -> None:
    task_fractions = TaskFractions(np.array([[5.0, 0.0], [1.0, 2.0]]), np.array([[10.0, 0.0], [10.0, 4.0]]))
    assert task_scores(task_fractions) == [[0.5, 0.1], [0.5]]
