"""Which offers are on the Pareto front."""

from hypothesis import given
from hypothesis import strategies as st

from sitegen.charts.board_charts import pareto_front

OFFERS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8)


def test_an_offer_that_costs_more_and_is_worth_less_is_not_on_the_front() -> None:
    assert pareto_front([(1, 10), (2, 9), (3, 20)]) == [0, 2]


def test_of_equal_worth_the_cheaper_one_is_on_the_front() -> None:
    assert pareto_front([(2, 10), (1, 10)]) == [1]


def test_of_equal_cost_the_better_one_is_on_the_front() -> None:
    assert pareto_front([(1, 10), (1, 11)]) == [1]


def test_equal_offers_are_on_the_front_together() -> None:
    assert pareto_front([(1, 10), (1, 10)]) == [0, 1]


def test_the_front_goes_by_rising_cost() -> None:
    assert pareto_front([(3, 30), (1, 10), (2, 20)]) == [1, 2, 0]


def test_no_offers_have_no_front() -> None:
    assert pareto_front([]) == []


@given(OFFERS)
def test_worth_rises_with_cost_along_the_front(offers: list[tuple[float, float]]) -> None:
    front = [offers[index] for index in pareto_front(offers)]
    assert sorted(set(front), key=lambda offer: offer[1]) == sorted(set(front))


@given(OFFERS)
def test_whatever_is_not_on_the_front_is_beaten_by_something_on_it(offers: list[tuple[float, float]]) -> None:
    front = [offers[index] for index in pareto_front(offers)]
    for cost, worth in offers:
        assert any(front_offer[0] <= cost and front_offer[1] >= worth for front_offer in front)
