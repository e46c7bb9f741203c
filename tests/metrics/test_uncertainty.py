"""How sure a score is, on tables small enough to know the answer."""

from collections.abc import Sequence
from fractions import Fraction
from math import comb

import numpy as np
import pytest
import scipy  # its fractions load where they are first used
from hypothesis import given
from hypothesis import strategies as st

from sitegen.metrics.contributions import (
    TaskFractions,
    cluster_contributions,
    cluster_degrees,
    influence_contributions,
    jackknife_contributions,
    weighted_contributions,
)
from sitegen.metrics.estimates import estimate_mean
from sitegen.metrics.intervals import (
    MAX_DRAWN_TASKS,
    Interval,
    bounded_intervals,
    clustered_intervals,
    draw_weights,
    median_interval,
    unbounded_intervals,
    weights_of_draws,
)

TASKS = ("a", "b", "c", "d")
HIGHEST = 100.0
NONE = draw_weights(("unused",), 1)
"""Weights of draws, where none are made."""


def fractions(*submissions: list[float]) -> TaskFractions:
    """One list of task scores per submission; every task weighs the same."""
    scores = np.array(submissions, dtype=np.float64)
    return TaskFractions(scores, np.ones_like(scores))


def intervals(table: TaskFractions, draws: int = 2000) -> list[Interval]:
    names = [f"task-{number}" for number in range(table.numerators.shape[1])]
    return bounded_intervals(table, draw_weights(names, draws), HIGHEST)


def interval(*scores: float, draws: int = 10_000) -> Interval:
    (score_interval,) = intervals(fractions(list(scores)), draws)
    return score_interval


def bounds(score_interval: Interval) -> tuple[float, float]:
    return score_interval.low, score_interval.high


def rows(tasks: int) -> st.SearchStrategy[list[float]]:
    """Make up scores, most of them lumpy, as those of few rounds are."""
    lumps = st.sampled_from([0.0, 12.5, 50.0, 100.0])
    return st.lists(st.one_of(lumps, st.floats(0, HIGHEST)), min_size=tasks, max_size=tasks)


def test_all_tasks_weigh_1_together_in_every_draw() -> None:
    weights = draw_weights(TASKS, draws=50)
    assert weights.shape == (6, 50)
    assert weights.sum(axis=0) == pytest.approx(1)
    assert (weights > 0).all()


def test_tasks_weigh_the_same_on_average_and_what_was_not_seen_one_task_in_all() -> None:
    """Four tasks and two halves: a fifth each, and a tenth for either half."""
    assert draw_weights(TASKS).mean(axis=1) == pytest.approx([0.2] * 4 + [0.1] * 2, abs=0.005)


@pytest.mark.parametrize(("line", "ours"), [(0, 1.0), (5, 0.5)])
def test_weights_vary_as_those_of_dirichlet_do(line: int, ours: float) -> None:
    """Each weight follows a beta distribution: its own part, against the rest of 5."""
    drawn = draw_weights(TASKS)[line]
    assert scipy.stats.kstest(drawn, scipy.stats.beta(ours, 5 - ours).cdf).pvalue > 0.001


def test_weights_of_few_tasks_are_drawn_once_and_cannot_be_changed() -> None:
    weights = weights_of_draws(["e", "f"])
    assert weights is not None
    assert weights_of_draws(("e", "f")) is weights
    assert not weights.flags.writeable
    assert weights.tobytes() == draw_weights(("e", "f")).tobytes()


def test_the_same_tasks_give_the_same_bytes() -> None:
    assert draw_weights(TASKS).tobytes() == draw_weights(list(TASKS)).tobytes()


def test_draws_are_the_same_on_every_machine() -> None:
    """Numbers of one run, which every other one has to repeat."""
    assert draw_weights(("a", "b"), 3)[:, 0] == pytest.approx([0.281019667, 0.590896542, 0.018423277, 0.109660514])


def test_other_tasks_give_other_draws() -> None:
    assert (draw_weights(TASKS) != draw_weights(("a", "b", "c", "e"))).any()


def test_many_tasks_have_the_same_intervals_without_draws() -> None:
    """Weights of 100,000 tasks in each draw would take 8 GB."""
    names = [f"task-{number}" for number in range(MAX_DRAWN_TASKS + 1)]
    assert weights_of_draws(names) is None
    assert weights_of_draws(names[1:]) is not None
    scores = [float(number * 37 % 101) for number in range(1_000)]
    table = fractions(scores, [score / 20 for score in scores])
    drawn = intervals(table, draws=10_000)
    computed = bounded_intervals(table, None, HIGHEST)
    assert [score_interval.kind for score_interval in computed] == ["effective", "effective"]
    for first, second in zip(drawn, computed, strict=True):
        assert bounds(second) == pytest.approx(bounds(first), abs=0.2)


def test_a_submission_more_leaves_the_intervals_of_the_others() -> None:
    """Also those that end where the scale does."""
    rows: tuple[list[float], ...] = ([10, 50, 90], [0, 0, 0], [100, 100, 100])
    assert intervals(fractions(*rows)) == [interval for row in rows for interval in intervals(fractions(row))]


def test_nothing_solved_may_be_up_to_what_so_few_tasks_leave() -> None:
    """0 of 8 is what a share of 36.9 % gives in 2.5 of 100 cases."""
    low, high = bounds(interval(*[0.0] * 8))
    assert low == 0
    assert high == pytest.approx(100 * (1 - 0.025 ** (1 / 8)))


def test_all_solved_may_be_down_to_what_so_few_tasks_leave() -> None:
    low, high = bounds(interval(*[HIGHEST] * 8))
    assert low == pytest.approx(100 * 0.025 ** (1 / 8))
    assert high == HIGHEST


def test_the_interval_of_solved_and_unsolved_tasks_is_that_of_a_count() -> None:
    """30 of 100 tasks; drawn again, as Jeffreys has it, a count is held in 89 to 99 of 100 samples, by its level."""
    score_interval = interval(*[0.0] * 70, *[HIGHEST] * 30)
    theirs = scipy.stats.binomtest(30, 100).proportion_ci(0.95)
    assert bounds(score_interval) == pytest.approx((100 * theirs.low, 100 * theirs.high))
    assert score_interval.kind == "binomial"


def test_few_tasks_near_the_floor_are_drawn_without_the_half_task_at_the_other_end() -> None:
    """With both half tasks 3 % on each of 5 tasks would have a low end of 2.5; so it has on 10 tasks and more."""
    assert interval(*[3.0] * 5).low < 2.2
    assert interval(*[3.0] * 10).low > 2.5


def test_a_few_long_tasks_make_a_pooled_share_less_sure() -> None:
    """One task of 60 rounds among 24 of one round each decides more than all others together."""
    sizes = np.array([[60.0] + [1.0] * 24])
    tops = np.array([[3000.0] + [50.0] * 12 + [100.0] * 6 + [0.0] * 6])
    (pooled,) = intervals(TaskFractions(tops, sizes))
    assert pooled.kind == "effective"
    assert pooled.high - pooled.low > 60


def test_a_task_that_nobody_was_measured_on_leaves_the_half_tasks_as_they_are() -> None:
    measured_fractions = TaskFractions(np.array([[20.0, 40.0, 60.0] * 5]), np.ones((1, 15)))
    extended_fractions = TaskFractions(
        np.array([[20.0, 40.0, 60.0] * 5 + [0.0] * 30]), np.array([[1.0] * 15 + [0.0] * 30])
    )
    (alone,), (among,) = intervals(measured_fractions), intervals(extended_fractions)
    assert bounds(among) == pytest.approx(bounds(alone), abs=1.5)


def test_equal_scores_on_every_task_leave_a_doubt() -> None:
    """Tasks that were not seen may be otherwise."""
    low, high = bounds(interval(40, 40, 40))
    assert low < 30
    assert high > 50


def test_more_tasks_leave_less_doubt() -> None:
    interval_of_few, interval_of_many = interval(0, 50, 100), interval(*[0, 50, 100] * 20)
    assert interval_of_many.high - interval_of_many.low < 0.5 * (interval_of_few.high - interval_of_few.low)


def test_a_pooled_share_weighs_long_tasks_more() -> None:
    """Nine rounds that all pass, and one that fails."""
    pooled = TaskFractions(np.array([[900.0, 0.0]]), np.array([[9.0, 1.0]]))
    (long,) = intervals(pooled)
    (even,) = intervals(fractions([100, 0]))
    assert long.low <= 90 <= long.high
    assert long.low > even.low


def test_a_task_without_results_of_a_submission_is_no_part_of_its_score() -> None:
    """The second was not measured on the first task: its interval is about 60."""
    table = TaskFractions(
        np.array([[20.0, 40.0, 60.0], [0.0, 60.0, 60.0]]), np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    )
    _, second = intervals(table)
    assert second.low < 60 < second.high
    assert second.low > 10


@given(st.integers(1, 12).flatmap(rows))
def test_an_interval_holds_the_score_has_a_width_and_stays_within_the_scale(scores: list[float]) -> None:
    score_interval = interval(*scores, draws=500)
    mean = sum(scores) / len(scores)
    assert 0 <= score_interval.low <= mean + 1e-6
    assert mean - 1e-6 <= score_interval.high <= HIGHEST
    assert score_interval.high - score_interval.low > 1


@given(st.integers(1, 12).flatmap(rows))
def test_what_is_lacking_has_the_interval_turned_round(scores: list[float]) -> None:
    """Up to chance: the half tasks at both ends have draws of their own."""
    score_interval, lacking = interval(*scores), interval(*[HIGHEST - score for score in scores])
    assert bounds(lacking) == pytest.approx((HIGHEST - score_interval.high, HIGHEST - score_interval.low), abs=4)


def test_a_score_above_the_highest_that_there_should_be_is_held_all_the_same() -> None:
    """Some definitions reach further than their unit."""
    assert interval(110, 130).high == 120


def test_contributions_of_a_mean_are_the_scores_of_the_tasks() -> None:
    assert weighted_contributions(fractions([10, 50, 90])).tolist() == [[10, 50, 90]]


def test_contributions_of_a_sum_add_up_to_as_many_times_the_tasks() -> None:
    """Two of three tasks are perfect: the mean of 3, 3 and 0 is 2."""
    counted = TaskFractions(np.array([[1.0, 1.0, 0.0]]), np.ones((1, 3)), aggregation="sum")
    assert weighted_contributions(counted).tolist() == [[3, 3, 0]]


def test_contributions_of_a_pooled_share_weigh_long_tasks_more() -> None:
    """Three of three rounds and none of one: 75 %, of which the long task gives more."""
    pooled = TaskFractions(np.array([[300.0, 0.0]]), np.array([[3.0, 1.0]]))
    (contributions,) = weighted_contributions(pooled)
    assert contributions.tolist() == [150, 0]
    assert contributions.mean() == 75


def test_a_task_that_weighs_more_adds_more_of_its_own_score_alone() -> None:
    """A deviation from the score is next to nothing at a heavy task, so that signs of differences would not be chance.

    The only task of a group adds half of the score; the three of the other add the rest.
    """
    scores = np.array([[100.0, 0.0, 0.0, 0.0], [0.0, 30.0, 30.0, 30.0]])
    grouped = TaskFractions(scores, np.ones_like(scores)).weighted_by_group(groups_of(1, 3))
    assert weighted_contributions(grouped) == pytest.approx(np.array([[200.0, 0, 0, 0], [0, 20.0, 20.0, 20.0]]))


def test_a_task_that_is_no_part_of_a_score_leaves_it_where_it_is() -> None:
    task_fractions = TaskFractions(np.array([[30.0, 0.0, 60.0]]), np.array([[1.0, 0.0, 1.0]]))
    (contributions,) = weighted_contributions(task_fractions)
    assert contributions.mean() == 45
    assert contributions[1] == 45


def test_a_submission_more_leaves_the_contributions_of_the_others() -> None:
    """75 % of four rounds, and 50 % of two."""
    pooled = TaskFractions(
        np.array([[300.0, 0.0, 0.0], [0.0, 50.0, 50.0]]), np.array([[3.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    )
    alone = [weighted_contributions(pooled.select([row])).tolist()[0] for row in range(2)]
    assert weighted_contributions(pooled).tolist() == alone
    assert np.mean(alone, axis=1).tolist() == [75, 50]


def test_no_task_adds_to_a_score_that_there_is_none_of() -> None:
    assert np.isnan(weighted_contributions(TaskFractions(np.zeros((1, 2)), np.zeros((1, 2))))).all()


def test_contributions_of_a_difference_are_differences() -> None:
    first, second = fractions([10, 50, 100]), fractions([0, 40, 90])
    table = TaskFractions(first.numerators, first.denominators, subtrahend=second)
    assert weighted_contributions(table).tolist() == [[10, 10, 10]]


@given(
    st.lists(st.tuples(st.floats(0, 100), st.integers(0, 9)), min_size=1, max_size=8).filter(
        lambda tasks: any(rounds for _, rounds in tasks)
    )
)
def test_the_mean_of_the_contributions_is_the_score(tasks: list[tuple[float, int]]) -> None:
    sums = np.array([[share * rounds for share, rounds in tasks]])
    counts = np.array([[float(rounds) for _, rounds in tasks]])
    assert weighted_contributions(TaskFractions(sums, counts)).mean() == pytest.approx(
        sums.sum() / counts.sum(), abs=1e-9
    )


def test_an_amount_has_the_interval_of_student_on_a_logarithmic_scale() -> None:
    """Mean 4, standard error sqrt(2.5) × 2 / sqrt(5), and t is 2.776 for four degrees of freedom."""
    (amount_interval,) = unbounded_intervals(np.array([[0.0, 2.0, 4.0, 6.0, 8.0]]))
    factor = np.exp(2.776 * 10**0.5 / 5**0.5 / 4)
    assert bounds(amount_interval) == pytest.approx((4 / factor, 4 * factor), rel=1e-3)
    assert amount_interval.words == "approximate interval"


def test_what_may_be_negative_has_the_interval_of_student() -> None:
    (amount_interval,) = unbounded_intervals(np.array([[-2.0, 4.0, 6.0]]))
    theirs = scipy.stats.ttest_1samp([-2.0, 4.0, 6.0], 0).confidence_interval(0.95)
    assert bounds(amount_interval) == pytest.approx((theirs.low, theirs.high))


def groups_of(*sizes: int) -> list[tuple[Sequence[int], float]]:
    """Return groups of tasks of these sizes, one after the other, that weigh the same."""
    starts = [sum(sizes[:index]) for index in range(len(sizes))]
    return [(range(start, start + size), 1.0) for start, size in zip(starts, sizes, strict=True)]


def test_a_mean_over_groups_varies_by_the_tasks_within_each() -> None:
    """10 groups of 12 tasks at 0.92: what two half tasks a group made 17 points wide is 11."""
    values = np.tile([100.0] * 11 + [4.0], 10)[np.newaxis]
    (score_interval,) = bounded_intervals(
        TaskFractions(values, np.ones_like(values)).weighted_by_group(groups_of(*[12] * 10)), NONE, 100
    )
    assert (score_interval.low, score_interval.high) == pytest.approx((85.4, 96.2), abs=0.3)
    assert score_interval.kind == "effective"


def test_groups_that_do_not_vary_are_as_sure_as_their_number_of_tasks() -> None:
    values = np.array([[100.0] * 6 + [0.0] * 6])
    (score_interval,) = bounded_intervals(
        TaskFractions(values, np.ones_like(values)).weighted_by_group(groups_of(6, 6)), NONE, 100
    )
    theirs = scipy.stats.binomtest(6, 12).proportion_ci(0.95)
    assert bounds(score_interval) == pytest.approx((100 * theirs.low, 100 * theirs.high), abs=1e-6)


def test_groups_of_one_task_each_are_taken_for_tasks() -> None:
    values = np.array([[100.0, 0.0, 100.0, 100.0]])
    (score_interval,) = bounded_intervals(
        TaskFractions(values, np.ones_like(values)).weighted_by_group(groups_of(1, 1, 1, 1)), NONE, 100
    )
    assert score_interval.low < 30
    assert score_interval.high > 75


def test_few_heavy_tasks_make_a_score_less_sure() -> None:
    values = np.array([[100.0, 0.0] * 10])
    even, heavy = np.ones_like(values), np.ones_like(values)
    heavy[0, :2] = 20.0
    made = (TaskFractions(values * weights, weights, has_declared_weights=True) for weights in (even, heavy))
    (plain,), (uneven,) = (bounded_intervals(weighted_fractions, NONE, 100) for weighted_fractions in made)
    assert uneven.high - uneven.low > 1.3 * (plain.high - plain.low)


def test_tasks_of_one_cluster_count_as_little_as_they_differ() -> None:
    """8 repositories of 10 tasks that all go the same way are worth 8 tasks, not 80."""
    made = np.array([[100.0] * 40 + [0.0] * 40])
    clusters = {str(index): range(10 * index, 10 * index + 10) for index in range(8)}
    (score_interval,) = clustered_intervals(made, clusters, 100.0)
    assert score_interval.low < 20
    assert score_interval.high > 80
    (apart,) = bounded_intervals(
        TaskFractions(made, np.ones_like(made)), draw_weights([str(n) for n in range(80)]), 100
    )
    assert apart.high - apart.low < 25


def test_what_clusters_add_has_the_score_as_its_mean() -> None:
    made = np.array([[10.0, 20.0, 60.0]])
    assert cluster_contributions(made, {"a": [0, 1], "b": [2]}).mean() == pytest.approx(30.0)
    assert jackknife_contributions(made, {"a": [0, 1], "b": [2]}).mean() == pytest.approx(30.0)


def test_clusters_of_uneven_size_do_not_make_a_score_less_sure_by_their_size() -> None:
    """About 9 in 10 tasks are solved in every cluster; by what clusters add, the interval would be 80 points wide."""
    sizes = [10, 10, 10, 20, 20, 30, 100, 200]
    made = np.where(np.random.default_rng(1).random((1, 400)) < 0.9, 100.0, 0.0)
    ends = np.cumsum(sizes)
    clusters = {str(end): range(end - size, end) for end, size in zip(ends.tolist(), sizes, strict=True)}
    (score_interval,) = clustered_intervals(made, clusters, 100.0)
    assert score_interval.low > 70
    assert score_interval.high < 99


def test_a_large_cluster_is_worth_less_than_as_many_small_ones() -> None:
    assert cluster_degrees({name: range(10) for name in "abcdefgh"}) == pytest.approx(7)
    assert cluster_degrees({name: range(10) for name in "abcdefg"} | {"h": range(70)}) == pytest.approx(0.9, abs=0.3)


def test_fractions_of_some_submissions_keep_what_is_taken_off() -> None:
    first, second = fractions([10, 50], [20, 60], [30, 70]), fractions([0, 40], [0, 30], [0, 20])
    selected_fractions = TaskFractions(first.numerators, first.denominators, subtrahend=second).select([2, 0])
    assert weighted_contributions(selected_fractions).tolist() == [[30, 50], [10, 10]]


def test_fractions_of_some_submissions_stay_those_of_a_sum() -> None:
    counts = TaskFractions(np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]]), np.ones((2, 3)), aggregation="sum")
    assert weighted_contributions(counts.select([1])).tolist() == [[3, 0, 0]]


def test_a_bound_that_is_the_score_but_for_rounding_is_the_score() -> None:
    assert Interval(0.3 - 1e-12, 0.5, "t").around(0.3) == Interval(0.3, 0.5, "t")


def test_an_interval_in_another_unit_keeps_its_kind() -> None:
    """A factor below 0 turns it round."""
    assert Interval(2.0, 3.0, "binomial").scaled(100) == Interval(200.0, 300.0, "binomial")
    assert Interval(2.0, 3.0, "binomial").scaled(-2) == Interval(-6.0, -4.0, "binomial")


def test_an_interval_ends_where_scores_do() -> None:
    assert Interval(-3.0, 5.0, "t").above(0.0) == Interval(0.0, 5.0, "t")
    assert Interval(-3.0, 5.0, "t").above(None) == Interval(-3.0, 5.0, "t")


def test_parts_weighted_by_group_stay_what_they_were() -> None:
    scores = np.array([[1.0, 2.0]])
    subtracted = TaskFractions(scores, np.ones_like(scores))
    weighted = TaskFractions(scores, np.ones_like(scores), subtrahend=subtracted, has_declared_weights=True)
    by_group = weighted.weighted_by_group(groups_of(1, 1))
    assert by_group.has_declared_weights
    assert by_group.subtrahend is subtracted


def test_clusters_of_uneven_size_make_intervals_of_amounts_wider() -> None:
    """A variance between few effective clusters is known less well."""
    amounts = np.array([[2.0, 3.0, 4.0, 5.0, 6.0, 7.0]])
    (even,) = unbounded_intervals(amounts)
    (uneven,) = unbounded_intervals(amounts, degrees=2.5)
    assert unbounded_intervals(amounts, degrees=5) == [even]
    assert uneven.low < even.low < even.high < uneven.high


def test_the_mean_of_amounts_knows_how_uneven_its_clusters_are() -> None:
    """A cluster of seven tasks beside five single ones counts as fewer than six clusters."""
    values = {f"task {number}": [float(number)] for number in range(12)}
    clusters = {task: "large" if number < 7 else task for number, task in enumerate(values)}
    estimate = estimate_mean(values, clusters)
    columns = {"large": list(range(7))} | {str(number): [number] for number in range(7, 12)}
    spread = jackknife_contributions(np.arange(12.0)[np.newaxis], columns)
    (expected,) = unbounded_intervals(spread, cluster_degrees(columns))
    assert estimate is not None
    assert estimate.interval == expected
    assert [expected] != unbounded_intervals(spread)


def exact_chance(n: int, skipped: int) -> Fraction:
    """How likely the interval between two of n values in order, so many from each end, holds the median."""
    below = sum(comb(n, k) for k in range(skipped + 1))
    return 1 - 2 * Fraction(below, 2**n)


@pytest.mark.parametrize("n", [*range(1, 40), 115, 400])
def test_a_median_has_the_narrowest_interval_of_two_values_in_order_that_holds(n: int) -> None:
    interval = median_interval(np.arange(n, dtype=np.float64)[::-1])
    if n < 6:
        assert interval is None
        return
    assert interval is not None
    assert interval.low + interval.high == n - 1
    assert (interval.kind, interval.words) == ("order", "95 % interval")
    assert exact_chance(n, int(interval.low)) >= Fraction(95, 100) > exact_chance(n, int(interval.low) + 1)


def test_a_median_over_tasks_leaves_out_tasks_without_a_score() -> None:
    fractions = TaskFractions(np.array([[1.0, 9.0, 0.0, 2.0]]), np.array([[1.0, 1.0, 0.0, 1.0]]), "median")
    assert fractions.scores.tolist() == [2.0]
    assert fractions.without(1).scores.tolist() == [1.5]
    assert np.isnan(fractions.without(1).without(0).without(3).scores).all()


def test_what_a_task_adds_to_a_median_is_never_computed() -> None:
    fractions = TaskFractions(np.ones((2, 3)), np.ones((2, 3)), "median")
    for compute in (weighted_contributions, influence_contributions):
        with pytest.raises(ValueError, match="median"):
            compute(fractions)


def test_a_row_without_any_task_has_the_widest_interval_of_a_weighted_mean() -> None:
    """Rows without a score mean nothing, but must not end the intervals of the others."""
    weights = np.array([[1.0, 9.0, 1.0], [0.0, 0.0, 0.0]])
    values = TaskFractions(np.array([[100.0, 0.0, 50.0], [0.0, 0.0, 0.0]]), weights, has_declared_weights=True)
    scored, empty = bounded_intervals(values, draw_weights(("a", "b", "c"), 100), HIGHEST)
    assert scored.high < HIGHEST
    assert (empty.low, empty.high) == (0.0, HIGHEST)
