"""How far axes reach."""

import pytest

from sitegen.charts.chart import AxisScale
from sitegen.charts.layout import fitting, from_zero

SHARE, COST = AxisScale("Share (%)", 100.0), AxisScale("Cost ($)")


@pytest.mark.parametrize(
    ("values", "marks"),
    [
        ([59.1, 5.1], [0, 20, 40, 60]),
        ([95.6], [0, 20, 40, 60, 80, 100]),
        ([100.0], [0, 20, 40, 60, 80, 100]),
        ([0.0, 0.0], [0, 0.2]),
        ([17.2, 4.3], [0, 5, 10, 15, 20]),
    ],
)
def test_an_axis_of_shares_begins_at_0_and_ends_at_a_mark(values: list[float], marks: list[float]) -> None:
    assert list(from_zero(SHARE, values).marks) == pytest.approx(marks)


def test_no_axis_goes_beyond_what_can_be() -> None:
    assert from_zero(AxisScale("Share", 1.0), [0.97]).high == 1.0


def test_no_mark_lies_between_two_whole_numbers() -> None:
    assert list(from_zero(AxisScale("Tasks"), [0, 2]).marks) == [0, 1, 2]


def test_an_axis_holds_values_below_0() -> None:
    assert from_zero(COST, [-12.0, 30.0]).low <= -12.0


def test_values_that_lie_close_are_seen_from_0() -> None:
    ruler = fitting(COST, [18.5, 168.8])
    assert (ruler.low, ruler.is_log) == (0, False)


def test_values_that_lie_far_apart_are_seen_logarithmically_and_that_is_said() -> None:
    ruler = fitting(COST, [18.5, 734.2])
    assert ruler.is_log
    assert ruler.title == "Cost ($), logarithmic"
    assert list(ruler.marks) == [20, 50, 100, 200, 500]


def test_a_value_of_0_is_never_seen_logarithmically() -> None:
    assert not fitting(COST, [0.0, 734.2]).is_log


def test_a_value_is_placed_between_the_ends() -> None:
    assert from_zero(SHARE, [100.0]).place(25.0, 200) == 50
