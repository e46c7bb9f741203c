"""Scores over time, drawn at once: a step from day to day, with the interval of each score.

Every row and every task may have such a drawing. Altair takes 30 ms for one, this takes two.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, pairwise
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

from sitegen.charts.chart import Scale
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
    Point,
    Ruler,
    Spot,
    from_zero,
    tenths,
)

_LEFT, _RIGHT, _TOP, _BOTTOM, _HEIGHT = 34, 40, 24, 24, 140
_PLOT = WIDTH - _LEFT - _RIGHT
_NOW = 0.2
"""So much of the width lies between the last day and what holds now, which has no day."""

_BESIDE = 24
"""So far to the right of the plot names may stand."""

_DOT = 2.8


class Moment(NamedTuple):
    """A score at a time."""

    day: date | None
    """Since when; None for what holds now."""
    value: float
    name: str
    """What stands beside its dot."""
    about: str
    """What a reader is told who points at it."""
    low: float | None = None
    """Where its 95 % interval begins; None where nothing tells how sure it is."""
    high: float | None = None

    @property
    def ends(self) -> list[float]:
        """The score and, where it has one, both ends of its interval."""
        return [end for end in (self.value, self.low, self.high) if end is not None]


@dataclass(frozen=True, slots=True)
class History:
    """Scores over time, the earliest first: each holds until the next."""

    scale: Scale
    moments: Sequence[Moment]
    """At least two. What holds now comes last."""
    until: date
    """The last day that is known to have been; not before any moment's."""

    @property
    def days(self) -> list[date]:
        """The days of the moments that have one."""
        return [moment.day for moment in self.moments if moment.day]

    def place(self, day: date | None) -> float:
        """Measure how far to the right a day stands; what holds now, at the right end."""
        if day is None:
            return _LEFT + _PLOT
        first, last = self.days[0], max(self.until, self.days[-1])
        width = _PLOT * (1 - _NOW) if len(self.days) < len(self.moments) else _PLOT
        return _LEFT + width * (day - first).days / max(1, (last - first).days)

    def named_days(self) -> list[tuple[float, str]]:
        """Choose the days that there is room to name: both ends, then what lies between them."""
        first, last = self.days[0], max(self.until, self.days[-1])
        named = [(float(_LEFT + _PLOT), "now")] if len(self.days) < len(self.moments) else []
        for day in (last, *([first] if last > first else []), *self.days):
            place, text = self.place(day), str(day)
            if all(
                abs(place - other) >= LETTER * (len(text) + len(beside)) / 2 + 6
                for other, beside in named
            ):
                named.append((place, text))
        return sorted(named)


def drawn_history(history: History, title: str, described_by: str) -> str:
    """Draw scores over time as SVG, in the colours of the page; `described_by` is the anchor of what it shows."""
    about = {"role": "img", "aria-label": title, "aria-describedby": described_by}
    svg = Element("svg", {"viewBox": f"0 0 {WIDTH} {_TOP + _HEIGHT + _BOTTOM}", **about})
    moments = history.moments
    ruler = from_zero(history.scale, [end for moment in moments for end in moment.ends])
    _text(svg, (4, _TOP - 10), ruler.title, QUIET)
    for mark in ruler.marks:
        y = _height(ruler, mark)
        _add(svg, "line", x1=_LEFT, x2=_LEFT + _PLOT, y1=y, y2=y, stroke=RULE)
        _text(svg, (_LEFT - 6, y + 4), f"{mark:,.10g}", QUIET, "end")
    for place, text in history.named_days():
        _text(svg, (place, _TOP + _HEIGHT + 18), text, QUIET, "middle")
    places = [(history.place(moment.day), _height(ruler, moment.value)) for moment in moments]
    path = "M" + "L".join(f"{tenths(x)},{tenths(y)}" for x, y in _steps(places))
    _add(svg, "path", d=path, fill="none", stroke=MARK, **{"stroke-width": "1.5"})
    taken: list[Point] = []
    for moment, (x, y) in zip(moments, places, strict=True):
        low, *_, high = sorted(_height(ruler, end) for end in (*moment.ends, moment.value))
        taken += ((x, y), (x, low), (x, high), (x, y))
        if low < high:
            _add(svg, "line", x1=x, x2=x, y1=low, y2=high, stroke=INK)
        dot = _add(svg, "circle", cx=x, cy=y, r=_DOT, fill=MARK)
        _add(dot, "title").text = moment.about
    # The dots that there is room to name, the latest ones first, and beside the line where that can be had.
    field = Field(_PLOT + _BESIDE, _HEIGHT, [(x - _LEFT, y - _TOP) for x, y in _steps(taken)])
    latest = list(zip(places, moments, strict=True))[::-1]
    for label in field.labels(
        [Spot(x - _LEFT, y - _TOP, moment.name) for (x, y), moment in latest]
    ):
        (x, y), moment = latest[label.spot]
        name = _text(svg, (x + label.right, y + label.down), moment.name, INK, label.align)
        name.attrib |= {
            "stroke": TOKENS[PAPER],
            "stroke-width": "3",
            "paint-order": "stroke",
        }  # lines end at letters
    return tostring(svg, encoding="unicode")


def _height(ruler: Ruler, value: float) -> float:
    return _TOP + _HEIGHT - ruler.place(value, _HEIGHT)


def _steps(places: Sequence[Point]) -> list[Point]:
    """List the corners of the line: a score holds until the next, and the last one on to the right end."""
    pairs = pairwise((*places, (float(_LEFT + _PLOT), 0.0)))
    return list(chain.from_iterable(((x, y), (to_x, y)) for (x, y), (to_x, _) in pairs))


def _text(svg: Element, at: Point, text: str, colour: str, anchor: str = "start") -> Element:
    added = _add(svg, "text", x=at[0], y=at[1], fill=colour, **{"text-anchor": anchor})
    added.text = text
    return added


def _add(parent: Element, tag: str, **attributes: float | str) -> Element:
    """Add an element; colours become tokens of the page's style."""
    written = {
        name: TOKENS.get(value, value) if isinstance(value, str) else tenths(value)
        for name, value in attributes.items()
    }
    return SubElement(parent, tag, written)
