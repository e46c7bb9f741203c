"""Scores over time as drawings: steps from day to day, their intervals, and what holds now at the right end."""

import re
from datetime import date
from itertools import pairwise
from xml.etree.ElementTree import Element, fromstring

import pytest

from sitegen.charts.chart import AxisScale
from sitegen.charts.history import History, Moment, drawn_history

SCALE = AxisScale("Dataset Score (%)", 100.0)
JUNE, JULY, AUGUST = date(2026, 6, 1), date(2026, 7, 1), date(2026, 7, 31)
THREE = History(
    SCALE,
    [
        Moment(JUNE, 20.0, "Acme", "2026-06-01, Acme: 20.0"),
        Moment(JULY, 40.0, "Bolt", "2026-07-01, Bolt: 40.0"),
        Moment(AUGUST, 60.0, "Cedar", "2026-07-31, Cedar: 60.0"),
    ],
    AUGUST,
)
SURE = History(
    SCALE,
    [
        Moment(JUNE, 50.0, "50.0", "First: 50.0", 40.0, 80.0),
        Moment(None, 50.0, "50.0", "now: 50.0"),
    ],
    JUNE,
)


def drawn(history: History) -> Element:
    return fromstring(drawn_history(history, "Scores", "history-about"))  # noqa: S314 - our own drawing


def places(svg: Element) -> list[tuple[float, float]]:
    return [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in svg.iter("circle")]


def texts(svg: Element) -> list[str]:
    return [text.text or "" for text in svg.iter("text")]


def corners(svg: Element) -> list[tuple[float, float]]:
    (line,) = svg.iter("path")
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", line.attrib["d"])]


def whiskers(svg: Element) -> list[Element]:
    return [line for line in svg.iter("line") if line.get("stroke") == "var(--ink)"]


def test_days_stand_as_far_apart_as_they_are() -> None:
    first, second, third = (x for x, _ in places(drawn(THREE)))
    assert second - first == pytest.approx(third - second, abs=0.1)


def test_higher_scores_stand_higher_by_as_much() -> None:
    first, second, third = (y for _, y in places(drawn(THREE)))
    assert first - second == pytest.approx(second - third, abs=0.2)
    assert first > second


def test_a_score_holds_until_the_next() -> None:
    """The line goes on at the same height, or straight up, and never from one score to another at a slant."""
    line = corners(drawn(THREE))
    assert all(x == to_x or y == to_y for (x, y), (to_x, to_y) in pairwise(line))
    assert set(places(drawn(THREE))) < set(line)


def test_the_last_score_holds_to_the_right_end() -> None:
    later = History(SCALE, THREE.moments[:2], AUGUST)
    (_, height), (end, last) = corners(drawn(later))[-2:]
    assert (end, last) == (320.0, height)
    assert places(drawn(later))[-1][0] < end


def test_what_holds_now_stands_at_the_right_end_by_its_name() -> None:
    svg = drawn(SURE)
    assert [x for x, _ in places(svg)] == [34.0, 320.0]
    assert {"now", "2026-06-01"} <= set(texts(svg))


def test_an_interval_is_a_line_through_its_dot_and_none_is_none() -> None:
    """The axis goes from 0 to 80 over 140 units."""
    (line,) = whiskers(drawn(SURE))
    top, bottom = sorted(float(line.attrib[end]) for end in ("y1", "y2"))
    assert bottom - top == pytest.approx(140 * 40 / 80, abs=0.1)
    assert top < places(drawn(SURE))[0][1] < bottom


def test_dots_are_named_and_say_what_they_stand_for() -> None:
    svg = drawn(THREE)
    assert {"Acme", "Bolt", "Cedar", "Dataset Score (%)"} <= set(texts(svg))
    assert [title.text for title in svg.iter("title")] == [moment.about for moment in THREE.moments]


def test_it_says_what_it_is_to_those_who_do_not_see_it() -> None:
    svg = drawn(THREE)
    assert (svg.get("role"), svg.get("aria-label"), svg.get("aria-describedby")) == ("img", "Scores", "history-about")


def test_colours_are_tokens_of_the_page() -> None:
    written = drawn_history(SURE, "Scores", "about")
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', written)) <= {
        *(f"var(--{token})" for token in ("ink", "ink-2", "rule", "mark", "paper")),
        "none",
    }


def test_a_name_that_looks_like_markup_stays_text() -> None:
    moments = [Moment(JUNE, 1.0, "<script>", "</svg><script>"), Moment(JULY, 2.0, "b", "b")]
    written = drawn_history(History(SCALE, moments, JULY), '"><script>', "about")
    assert "<script" not in written
    assert "<script>" in texts(fromstring(written))  # noqa: S314 - our own drawing


def test_days_that_have_no_room_are_not_named() -> None:
    """A day takes a quarter of the width: of twenty days in the left third, the first and the 16th have it."""
    close = [Moment(date(2026, 6, day), float(day), "a", "a") for day in range(1, 21)]
    shown = [text for text in texts(drawn(History(SCALE, close, AUGUST))) if text.startswith("2026")]
    assert shown == ["2026-06-01", "2026-06-16", "2026-07-31"]


def test_several_scores_on_one_day_can_be_drawn() -> None:
    moments = [Moment(JUNE, 1.0, "a", "a"), Moment(JUNE, 2.0, "b", "b")]
    assert [x for x, _ in places(drawn(History(SCALE, moments, JUNE)))] == [34.0, 34.0]
