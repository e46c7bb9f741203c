"""Exact statements about counts, against values worked out by hand and by another program."""

from math import comb

import pytest
import scipy  # its parts load where they are first used
from hypothesis import given
from hypothesis import strategies as st

from sitegen.metrics.intervals import binomial_interval


def test_none_of_n_may_be_up_to_the_share_that_gives_none_in_one_sample_of_forty() -> None:
    """(1 - p) ** 10 = 0.025."""
    interval = binomial_interval(0, 10)
    assert (interval.low, interval.high) == pytest.approx((0.0, 1 - 0.025**0.1))


def test_all_of_n_may_be_down_to_the_share_that_gives_all_in_one_sample_of_forty() -> None:
    interval = binomial_interval(10, 10)
    assert (interval.low, interval.high) == pytest.approx((0.025**0.1, 1.0))


def test_one_of_two_may_be_almost_anything() -> None:
    """Two of two or one: p ** 2 + 2 p (1 - p) = 0.025, and the same from the other end."""
    interval = binomial_interval(1, 2)
    assert (interval.low, interval.high) == pytest.approx((1 - 0.975**0.5, 0.975**0.5))


@pytest.mark.parametrize(("k", "n"), [(9, 26), (5, 93), (174, 227), (1, 1), (0, 1), (114, 115), (6000, 10_000)])
def test_intervals_are_those_of_clopper_and_pearson(k: int, n: int) -> None:
    theirs = scipy.stats.binomtest(k, n).proportion_ci(method="exact")
    ours = binomial_interval(k, n)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    assert ours.kind == "binomial"


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_share_and_mirrors_that_of_what_is_lacking(counted: tuple[int, int]) -> None:
    k, n = counted
    interval, lacking = binomial_interval(k, n), binomial_interval(n - k, n)
    assert 0 <= interval.low <= k / n <= interval.high <= 1
    assert interval.high - interval.low > 0.01
    assert (interval.low, interval.high) == pytest.approx((1 - lacking.high, 1 - lacking.low))


@given(st.integers(1, 40), st.floats(0.001, 0.999))
def test_at_least_95_of_100_samples_have_an_interval_that_holds_the_true_share(n: int, share: float) -> None:
    intervals = [binomial_interval(k, n) for k in range(n + 1)]
    held = sum(
        comb(n, k) * share**k * (1 - share) ** (n - k)
        for k, interval in enumerate(intervals)
        if interval.low <= share <= interval.high
    )
    assert held >= 0.95
