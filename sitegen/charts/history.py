"""Scores over time, drawn at once: a step from day to day, with the interval of each score.

Every row and every task may have such a drawing. Altair takes 30 ms for one, this takes two.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from xml.etree.ElementTree import Element, SubElement, tostring

from sitegen.charts.layout import WIDTH
from sitegen.charts.naming import LETTER, Field, Point, Spot
from sitegen.charts.palette import INK, MARK, PAPER, QUIET, RULE, TOKENS
from sitegen.charts.panel import Scale
from sitegen.charts.ruler import Ruler, from_zero

_LEFT, _RIGHT, _TOP, _BOTTOM, _HEIGHT = 34, 40, 24, 24, 140
_PLOT = WIDTH - _LEFT - _RIGHT
_NOW = 0.2
"""So much of the width lies between the last day and what holds now, which has no day."""

_BESIDE = 24
"""So far to the right of the plot names may stand."""

_DOT = 2.8
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}


@dataclass(frozen=True, slots=True)
class Moment:
    """A score at a time.

    Attributes:
        day: Since when; None for what holds now.
        value: The score.
        name: What stands beside its dot.
        about: What a reader is told who points at it.
        low: Where its 95 % interval begins; None where nothing tells how sure it is.
        high: Where it ends.
    """

    day: date | None
    value: float
    name: str
    about: str
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> list[float]:
        """The score and, where it has one, both ends of its interval."""
        return [end for end in (self.value, self.low, self.high) if end is not None]


@dataclass(frozen=True, slots=True)
class History:
    """Scores over time, the earliest first: each holds until the next.

    Attributes:
        scale: Of the scores.
        moments: At least two. What holds now comes last.
        until: The last day that is known to have been; not before any moment's.
    """

    scale: Scale
    moments: Sequence[Moment]
    until: date


def drawn_history(history: History, title: str, described_by: str) -> str:
    """Draw scores over time as SVG, in the colours of the page.

    Args:
        history: The scores.
        title: What readers who do not see it are told that it is.
        described_by: Anchor of the sentence that says what it shows.
    """
    about = {"role": "img", "aria-label": title, "aria-describedby": described_by}
    svg = Element("svg", {"viewBox": f"0 0 {WIDTH} {_TOP + _HEIGHT + _BOTTOM}", **about})
    ruler = from_zero(history.scale, [end for moment in history.moments for end in moment.ends])
    days = _Days.of(history)
    _draw_axes(svg, ruler, days)
    places = [(days.place(moment.day), _height(ruler, moment.value)) for moment in history.moments]
    _add(svg, "path", d=_path(_steps(places)), fill="none", stroke=MARK, **{"stroke-width": "1.5"})
    taken: list[Point] = []
    for moment, (x, y) in zip(history.moments, places, strict=True):
        low, *_, high = sorted(_height(ruler, end) for end in (*moment.ends, moment.value))
        taken += ((x, y), (x, low), (x, high), (x, y))
        if low < high:
            _add(svg, "line", x1=x, x2=x, y1=low, y2=high, stroke=INK)
        dot = _add(svg, "circle", cx=x, cy=y, r=_DOT, fill=MARK)
        _add(dot, "title").text = moment.about
    _draw_names(svg, history.moments, places, list(_steps(taken)))
    return tostring(svg, encoding="unicode")


@dataclass(frozen=True, slots=True)
class _Days:
    """Where days stand, from left to right."""

    first: date
    last: date
    has_now: bool
    known: Sequence[date]

    @classmethod
    def of(cls, history: History) -> "_Days":
        known = [moment.day for moment in history.moments if moment.day]
        return cls(known[0], max(history.until, known[-1]), len(known) < len(history.moments), known)

    def place(self, day: date | None) -> float:
        """Give the place of a day; of what holds now, the right end."""
        if day is None:
            return _LEFT + _PLOT
        width = _PLOT * (1 - _NOW) if self.has_now else _PLOT
        return _LEFT + width * (day - self.first).days / max(1, (self.last - self.first).days)

    def marks(self) -> Iterator[tuple[float, str]]:
        """Give the days that there is room to name: both ends, then what lies between them."""
        ends = [self.last, self.first] if self.last > self.first else [self.first]
        named = [(float(_LEFT + _PLOT), "now")] if self.has_now else []
        for day in (*ends, *self.known):
            place, text = self.place(day), str(day)
            if all(abs(place - other) >= LETTER * (len(text) + len(beside)) / 2 + 6 for other, beside in named):
                named.append((place, text))
        yield from sorted(named)


def _height(ruler: Ruler, value: float) -> float:
    return _TOP + _HEIGHT - ruler.place(value, _HEIGHT)


def _draw_axes(svg: Element, ruler: Ruler, days: _Days) -> None:
    _text(svg, (4, _TOP - 10), ruler.title, QUIET)
    for mark in ruler.marks:
        y = _height(ruler, mark)
        _add(svg, "line", x1=_LEFT, x2=_LEFT + _PLOT, y1=y, y2=y, stroke=RULE)
        _text(svg, (_LEFT - 6, y + 4), f"{mark:,.10g}", QUIET, "end")
    for place, text in days.marks():
        _text(svg, (place, _TOP + _HEIGHT + 18), text, QUIET, "middle")


def _steps(places: Sequence[Point]) -> Iterator[Point]:
    """Give the corners of the line: a score holds until the next, and the last one on to the right end."""
    for (x, y), (to_x, _) in pairwise((*places, (float(_LEFT + _PLOT), 0.0))):
        yield from ((x, y), (to_x, y))


def _path(line: Iterable[Point]) -> str:
    return "M" + "L".join(f"{_number(x)},{_number(y)}" for x, y in line)


def _draw_names(svg: Element, moments: Sequence[Moment], places: Sequence[Point], line: Sequence[Point]) -> None:
    """Name the dots that there is room to name, the latest ones first, and beside the line where that can be had."""
    latest = list(reversed(range(len(moments))))
    field = Field(_PLOT + _BESIDE, _HEIGHT, [(x - _LEFT, y - _TOP) for x, y in line])
    spots = [Spot(places[each][0] - _LEFT, places[each][1] - _TOP, moments[each].name) for each in latest]
    for label in field.labels(spots):
        (x, y), name = places[latest[label.spot]], moments[latest[label.spot]].name
        text = _text(svg, (x + label.right, y + label.down), name, INK, _ANCHORS[label.align])
        text.attrib |= {"stroke": TOKENS[PAPER], "stroke-width": "3", "paint-order": "stroke"}  # lines end at letters


def _text(svg: Element, at: Point, text: str, colour: str, anchor: str = "start") -> Element:
    added = _add(svg, "text", x=at[0], y=at[1], fill=colour, **{"text-anchor": anchor})
    added.text = text
    return added


def _add(parent: Element, tag: str, **attributes: float | str) -> Element:
    """Add an element; colours become tokens of the page's style."""
    written = {
        name: TOKENS.get(value, value) if isinstance(value, str) else _number(value)
        for name, value in attributes.items()
    }
    return SubElement(parent, tag, written)


def _number(value: float) -> str:
    return f"{round(value, 1) + 0.0:g}"  # a zero has no sign
