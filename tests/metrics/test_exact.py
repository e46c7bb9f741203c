"""Exact statements about counts, against values worked out by hand and by another program."""

from fractions import Fraction
from math import comb

import pytest
from scipy.stats import binomtest

from sitegen.metrics.exact import binomial_interval, mcnemar


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
    theirs = binomtest(k, n).proportion_ci(method="exact")
    ours = binomial_interval(k, n)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    assert ours.kind == "binomial"


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [(0, 0, 1), (1, 0, 1), (0, 5, Fraction(2, 32)), (1, 5, Fraction(14, 64)), (4, 4, 1), (2, 8, Fraction(112, 1024))],
)
def test_rounds_that_one_passes_fall_like_a_coin(only_first: int, only_second: int, p: Fraction) -> None:
    """Of six, one or none falls to the first in 7 of 64 cases, and as often to the second."""
    assert mcnemar(only_first, only_second) == pytest.approx(float(p))
    assert mcnemar(only_second, only_first) == mcnemar(only_first, only_second)


@pytest.mark.parametrize(("only_first", "only_second"), [(12, 30), (76, 61), (300, 200), (3, 1000)])
def test_p_values_are_those_of_whole_numbers(only_first: int, only_second: int) -> None:
    rounds = only_first + only_second
    ways = sum(comb(rounds, fewer) for fewer in range(min(only_first, only_second) + 1))
    assert mcnemar(only_first, only_second) == pytest.approx(float(min(Fraction(1), Fraction(2 * ways, 2**rounds))))
    assert mcnemar(only_first, only_second) == pytest.approx(binomtest(only_first, rounds).pvalue)
