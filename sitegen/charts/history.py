"""Scores over time, drawn directly: a step from day to day, with the interval of each score.

Every row and every task may have such a drawing. Altair takes 30 ms for a drawing, and this module
takes 2 ms.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

from sitegen.charts.chart import AxisScale
from sitegen.charts.layout import (
    INK,
    LETTER,
    MARK,
    PAPER,
    QUIET,
    RULE,
    TOKENS,
    WIDTH,
    Field,
    LabelAnchor,
    Point,
    Ruler,
    from_zero,
    tenths,
)

_LEFT, _RIGHT, _TOP, _BOTTOM, _HEIGHT = 34, 40, 24, 24, 140
_PLOT = WIDTH - _LEFT - _RIGHT
_END = float(_LEFT + _PLOT)
"""The right end of the plot."""

_NOW = 0.2
"""The share of the width between the last day and the current score, which has no day."""

_BESIDE = 24
"""The maximum distance of names to the right of the plot."""

_DOT = 2.8


class Moment(NamedTuple):
    """A score at a point in time."""

    day: date | None
    """The day from which the score holds; None for the current score."""
    value: float
    name: str
    """The text next to its dot."""
    about: str
    """The text shown when the pointer rests on the dot."""
    low: float | None = None
    """The lower end of its 95 % interval; None if the score has no interval."""
    high: float | None = None

    @property
    def ends(self) -> list[float]:
        """The score and, if it has one, both ends of its interval."""
        return [end for end in (self.value, self.low, self.high) if end is not None]


@dataclass(frozen=True, slots=True)
class History:
    """Scores over time, the earliest first; each score holds until the next score."""

    scale: AxisScale
    moments: Sequence[Moment]
    """At least two scores; the current score comes last."""
    until: date
    """The last day of the axis; no score is later."""

    @property
    def days(self) -> list[date]:
        """The days of the scores that have a day."""
        return [moment.day for moment in self.moments if moment.day]

    @property
    def _has_current_score(self) -> bool:
        return len(self.days) < len(self.moments)

    @property
    def _last_day(self) -> date:
        return max(self.until, self.days[-1])

    def place(self, day: date | None) -> float:
        """Return the horizontal position of a day; for the current score, the right end."""
        if day is None:
            return _LEFT + _PLOT
        first = self.days[0]
        width = _PLOT * (1 - _NOW) if self._has_current_score else _PLOT
        elapsed_days = (day - first).days
        total_days = max(1, (self._last_day - first).days)
        return _LEFT + width * elapsed_days / total_days

    def named_days(self) -> list[tuple[float, str]]:
        """Return the days that fit as labels: both ends first, then days between them."""
        named = [(_END, "now")] if self._has_current_score else []
        for day in dict.fromkeys((self._last_day, self.days[0], *self.days)):
            label = (self.place(day), str(day))
            if all(_is_apart(label, other_label) for other_label in named):
                named.append(label)
        return sorted(named)


def _is_apart(label: tuple[float, str], other_label: tuple[float, str]) -> bool:
    """Return whether two texts centred at their positions fit side by side."""
    x, text = label
    other_x, other_text = other_label
    letters = len(text) + len(other_text)
    return abs(x - other_x) >= LETTER * letters / 2 + 6


def drawn_history(history: History, title: str, described_by: str) -> str:
    """Return scores over time as SVG, in the colours of the page.

    `described_by` is the anchor of the text that describes the drawing.
    """
    attributes = {
        "viewBox": f"0 0 {WIDTH} {_TOP + _HEIGHT + _BOTTOM}",
        "role": "img",
        "aria-label": title,
        "aria-describedby": described_by,
    }
    svg = Element("svg", attributes)
    ends: list[float] = []
    for moment in history.moments:
        ends += moment.ends
    ruler = from_zero(history.scale, ends)
    _draw_axes(svg, history, ruler)
    points = []
    for moment in history.moments:
        points.append((history.place(moment.day), _height(ruler, moment.value)))
    corners = [f"{tenths(x)},{tenths(y)}" for x, y in _steps(points)]
    path = "M" + "L".join(corners)
    _add(svg, "path", d=path, fill="none", stroke=MARK, **{"stroke-width": "1.5"})
    outline: list[Point] = []
    for moment, (x, y) in zip(history.moments, points, strict=True):
        heights = [_height(ruler, end) for end in moment.ends]
        low = min(heights)
        high = max(heights)
        outline += ((x, y), (x, low), (x, high), (x, y))
        if low < high:
            _add(svg, "line", x1=x, x2=x, y1=low, y2=high, stroke=INK)
        dot = _add(svg, "circle", cx=x, cy=y, r=_DOT, fill=MARK)
        _add(dot, "title").text = moment.about
    _draw_names(svg, history.moments, points, _steps(outline))
    return tostring(svg, encoding="unicode")


def _draw_axes(svg: Element, history: History, ruler: Ruler) -> None:
    """Draw the title, the marks of the scores, and the days."""
    _text(svg, (4, _TOP - 10), ruler.title, QUIET)
    for mark in ruler.marks:
        y = _height(ruler, mark)
        _add(svg, "line", x1=_LEFT, x2=_LEFT + _PLOT, y1=y, y2=y, stroke=RULE)
        _text(svg, (_LEFT - 6, y + 4), f"{mark:,.10g}", QUIET, "end")
    for x, text in history.named_days():
        _text(svg, (x, _TOP + _HEIGHT + 18), text, QUIET, "middle")


def _draw_names(
    svg: Element, moments: Sequence[Moment], points: Sequence[Point], outline: Sequence[Point]
) -> None:
    """Draw the names that fit, the latest first, and keep them off the line if possible."""
    latest = list(zip(moments, points, strict=True))[::-1]
    anchors = []
    for moment, (x, y) in latest:
        anchors.append(LabelAnchor(x - _LEFT, y - _TOP, moment.name))
    line = [(x - _LEFT, y - _TOP) for x, y in outline]
    field = Field(_PLOT + _BESIDE, _HEIGHT, line)
    for label in field.labels(anchors):
        moment, (x, y) = latest[label.anchor]
        name = _text(svg, (x + label.right, y + label.down), moment.name, INK, label.align)
        # An outline in the colour of the paper hides lines behind letters.
        name.attrib |= {"stroke": TOKENS[PAPER], "stroke-width": "3", "paint-order": "stroke"}


def _height(ruler: Ruler, value: float) -> float:
    return _TOP + _HEIGHT - ruler.place(value, _HEIGHT)


def _steps(points: Sequence[Point]) -> list[Point]:
    """Return the corners of the line: each score holds until the next score or the right end."""
    steps: list[Point] = []
    for (x, y), (next_x, _) in pairwise((*points, (_END, 0.0))):
        steps += [(x, y), (next_x, y)]
    return steps


def _text(svg: Element, point: Point, text: str, colour: str, anchor: str = "start") -> Element:
    element = _add(svg, "text", x=point[0], y=point[1], fill=colour, **{"text-anchor": anchor})
    element.text = text
    return element


def _add(parent: Element, tag: str, **attributes: float | str) -> Element:
    """Add an element; colours become tokens of the page's style."""
    texts = {name: _written(value) for name, value in attributes.items()}
    return SubElement(parent, tag, texts)


def _written(value: float | str) -> str:
    if isinstance(value, str):
        return TOKENS.get(value, value)
    return tenths(value)
