"""How far two submissions lie apart, on differences small enough to reckon with and against another program."""

from math import sqrt

import numpy as np
import pytest
import scipy  # its parts load where they are first used
from hypothesis import given
from hypothesis import strategies as st

from sitegen.metrics.paired import (
    FEWEST_TO_DETECT,
    PairedDifference,
    compare_paired,
    detectable_effect,
    detection_power,
    tasks_to_detect,
)

PERCENT = 100.0

Pair = tuple[list[float], list[float]]


def held(first: list[float], second: list[float], reach: float | None = PERCENT) -> PairedDifference:
    (difference,) = compare_paired(np.array(first), np.array([second]), reach)
    return difference


def simulated(number: int, tasks: int = 25) -> Pair:
    """Make up scores of two submissions on the same tasks, of which the first is somewhat better."""
    random = np.random.default_rng(number)
    level = random.normal(40, 20, tasks)
    first, second = (np.clip(level + random.normal(advantage, 15, tasks), 0, 100) for advantage in (8, 0))
    return first.tolist(), second.tolist()


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    """Make up scores in whole percent, some of them alike at every task or apart by the same everywhere."""
    row = st.lists(st.integers(0, 100), min_size=draw(st.integers(2, 12)), max_size=12)
    first = draw(row)
    shift = draw(st.integers(0, 100 - max(first)))
    shifted = st.just([score + shift for score in first])
    second = draw(st.one_of(st.lists(st.integers(0, 100), min_size=len(first), max_size=len(first)), shifted))
    return [float(score) for score in first], [float(score) for score in second]


def test_the_mean_difference_and_its_interval_are_those_of_student() -> None:
    """Differences 1, 2, 3: mean 2, standard error 1 / sqrt(3), and t is 4.303 for two degrees of freedom."""
    difference = held([11, 22, 33], [10, 20, 30], None)
    assert difference.value == pytest.approx(2)
    assert (difference.interval.low, difference.interval.high) == pytest.approx(
        (2 - 4.303 / sqrt(3), 2 + 4.303 / sqrt(3)), abs=1e-3
    )
    assert difference.interval.words == "approximate interval"


def test_few_tasks_that_differ_the_same_way_leave_open_how_large_the_difference_is() -> None:
    """Where scores end at 100, a task that was not seen may differ by all of that; 0 is as far away as before."""
    plain = held([10, 20, 0, 0, 30], [0] * 5, None).interval
    bounded_interval = held([10, 20, 0, 0, 30], [0] * 5).interval
    assert bounded_interval.low == plain.low
    assert bounded_interval.high > plain.high + 10
    turned = held([0] * 5, [10, 20, 0, 0, 30]).interval
    assert (turned.low, turned.high) == pytest.approx((-bounded_interval.high, -bounded_interval.low))
    assert bounded_interval.words == "95 % interval"


@pytest.mark.parametrize("number", range(5))
def test_p_values_and_intervals_are_those_of_another_program(number: int) -> None:
    first, second = simulated(number)
    theirs = scipy.stats.ttest_rel(first, second)
    difference = held(first, second, None)
    assert difference.p == pytest.approx(theirs.pvalue)
    expected_interval = theirs.confidence_interval(0.95)
    assert (difference.interval.low, difference.interval.high) == pytest.approx(
        (expected_interval.low, expected_interval.high)
    )


@pytest.mark.parametrize("number", range(5))
def test_the_margin_is_how_far_the_interval_of_90_percent_reaches(number: int) -> None:
    """Which is the smallest margin that two one-sided tests at 5 % pass."""
    first, second = simulated(number)
    within = scipy.stats.ttest_rel(first, second).confidence_interval(0.9)
    margin = held(first, second).margin
    assert margin == pytest.approx(max(abs(within.low), abs(within.high)))
    apart = np.array(first) - second
    one_sided = (
        scipy.stats.ttest_1samp(apart, -margin, alternative="greater"),
        scipy.stats.ttest_1samp(apart, margin, alternative="less"),
    )
    assert max(test_result.pvalue for test_result in one_sided) == pytest.approx(0.05)


@pytest.mark.parametrize("number", range(5))
def test_flipping_the_signs_of_whole_tasks_says_nearly_the_same(number: int) -> None:
    first, second = simulated(number)
    flipped = scipy.stats.permutation_test(
        (np.array(first), np.array(second)),
        lambda ours, theirs: float(np.mean(ours - theirs)),
        permutation_type="samples",
        vectorized=False,
        n_resamples=4000,
        rng=np.random.default_rng(0),
    )
    assert held(first, second).p == pytest.approx(float(flipped.pvalue), abs=0.02)


def test_all_others_at_once_are_as_one_by_one() -> None:
    first, second = simulated(1)
    _, third = simulated(2)
    differences = compare_paired(np.array(first), np.array([second, third, first]), PERCENT)
    assert differences == [held(first, other_scores) for other_scores in (second, third, first)]


def test_no_others_are_no_pairs() -> None:
    assert compare_paired(np.array([1.0, 2.0]), np.empty((0, 2)), PERCENT) == []


@given(pairs())
def test_turned_round_the_pair_says_the_same(pair: Pair) -> None:
    first, second = pair
    ours, theirs = held(first, second), held(second, first)
    assert (theirs.value, theirs.p, theirs.needed_tasks) == pytest.approx((-ours.value, ours.p, ours.needed_tasks))
    assert theirs.interval.low == pytest.approx(-ours.interval.high)
    assert theirs.interval.high == pytest.approx(-ours.interval.low)


@given(pairs())
def test_two_are_told_apart_where_the_interval_does_not_contain_0(pair: Pair) -> None:
    difference = held(*pair)
    assert difference.is_shown == (not difference.interval.low <= 0 <= difference.interval.high)


@given(pairs())
def test_the_interval_holds_the_difference_and_has_a_width(pair: Pair) -> None:
    difference = held(*pair)
    assert difference.interval.low <= difference.value + 1e-9
    assert difference.interval.high >= difference.value - 1e-9
    assert difference.interval.high - difference.interval.low > 1e-6


@given(pairs())
def test_no_interval_goes_beyond_what_scores_can_differ_by(pair: Pair) -> None:
    interval = held(*pair).interval
    assert -PERCENT <= interval.low <= interval.high <= PERCENT


@given(pairs())
def test_a_margin_is_never_less_than_the_difference(pair: Pair) -> None:
    difference = held(*pair)
    assert difference.margin >= abs(difference.value) - 1e-9


@given(pairs(), st.integers(-100, 100))
def test_tasks_that_are_easier_for_both_change_nothing(pair: Pair, more: int) -> None:
    first, second = pair
    difference = held([score + more for score in first], [score + more for score in second])
    assert (difference.value, difference.p) == pytest.approx((held(*pair).value, held(*pair).p))
    assert (difference.interval.low, difference.interval.high) == pytest.approx(
        (held(*pair).interval.low, held(*pair).interval.high), abs=1e-6
    )


def test_equal_at_every_task_seen_may_be_apart_at_others() -> None:
    """Were two apart by 100 at 13.7 % of all tasks, 25 would show none in one sample of forty: 0.863 ** 25 = 0.025."""
    difference = held([0.0, 50.0, *[100.0] * 23], [0.0, 50.0, *[100.0] * 23])
    assert (difference.value, difference.p, difference.needed_tasks, difference.margin) == (0, 1, None, 0)
    assert (difference.interval.low, difference.interval.high) == pytest.approx((-13.7, 13.7), abs=0.05)


def test_who_solves_nothing_is_not_shown_to_be_the_same_as_another() -> None:
    """Of 11.3 % of all tasks 25 would show none in one sample of twenty."""
    assert held([0.0] * 25, [0.0] * 25).margin == pytest.approx(100 * (1 - 0.05 ** (1 / 25)))


@pytest.mark.parametrize(("tasks", "is_shown"), [(2, False), (5, False), (6, True), (25, True)])
def test_the_same_difference_everywhere_is_shown_where_so_many_signs_rarely_agree(tasks: int, is_shown: bool) -> None:  # noqa: FBT001
    """2 of 32 ways for five tasks, 2 of 64 for six."""
    difference = held([60.0] * tasks, [55.0] * tasks)
    assert difference.p == pytest.approx(2 / 2**tasks)
    assert difference.is_shown is is_shown
    assert (difference.interval.low > 0) is is_shown
    assert difference.needed_tasks == FEWEST_TO_DETECT


def test_a_score_without_bounds_may_differ_by_any_amount() -> None:
    difference = held([1.0, 2.0, 1000.0], [1.0, 2.0, 3.0], None)
    assert difference.interval.high > 1000
    assert held([5.0, 5.0], [5.0, 5.0], None).interval.high == 0
    assert held([0.0, 0.0], [0.0, 0.0], None).margin == 0


@pytest.mark.parametrize(
    ("value", "spread", "tasks"),
    [(10, 10, 10), (-10, 10, 10), (5, 10, 34), (1, 10, 787), (10, 1, FEWEST_TO_DETECT), (10, 0, FEWEST_TO_DETECT)],
)
def test_tasks_to_tell_are_those_of_tables_of_power(value: float, spread: float, tasks: int) -> None:
    """As G*Power has them for a paired t test, two-sided, at 0.05 and 0.8: effects of 1, 0.5 and 0.1."""
    assert tasks_to_detect(value, spread) == tasks


@pytest.mark.parametrize("tasks", [5, 6, 25, 400])
def test_the_smallest_effect_is_detected_in_80_percent_of_cases(tasks: int) -> None:
    assert detection_power(detectable_effect(tasks), tasks) == pytest.approx(0.8, abs=1e-6)


def test_eight_tasks_detect_an_effect_of_1_in_68_percent_of_cases() -> None:
    """Normal quantiles take them for enough."""
    assert detection_power(1.0, 8) == pytest.approx(0.681, abs=1e-3)


def test_very_many_tasks_are_counted_by_normal_quantiles() -> None:
    assert tasks_to_detect(1, 1000) == pytest.approx(7_848_900, rel=1e-3)


def test_no_number_of_tasks_shows_a_difference_that_is_none() -> None:
    assert tasks_to_detect(0.0, 10.0) is None
    assert tasks_to_detect(1e-12, 10.0) is None


def test_so_many_tasks_do_tell_in_80_percent_of_cases() -> None:
    """A difference of 6 with a spread of 15 takes 52 tasks."""
    tasks = tasks_to_detect(6, 15)
    assert tasks == 52
    random = np.random.default_rng(3)
    drawn = random.normal(6, 15, (2000, tasks))
    differences = compare_paired(np.zeros(tasks), -drawn, None)
    assert np.mean([difference.is_shown for difference in differences]) == pytest.approx(0.8, abs=0.03)
