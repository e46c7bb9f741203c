"""What drawings are laid out with: colours of the site's look, axes, and places for the names of dots."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise, zip_longest
from typing import Literal, NamedTuple

from sitegen.charts.chart import Cloud, Curves, Dot, Scale

WIDTH = 360
"""Of every drawing, so that text is as large in one as in another."""

INK = "#0a0b01"
QUIET = "#0a0b02"
RULE = "#0a0b03"
STRONG_RULE = "#0a0b04"
MARK = "#0a0b05"
PAPER = "#0a0b06"

TOKENS = {
    INK: "var(--ink)",
    QUIET: "var(--ink-2)",
    RULE: "var(--rule)",
    STRONG_RULE: "var(--ink-3)",
    MARK: "var(--mark)",
    PAPER: "var(--paper)",
    "none": "none",
    "transparent": "none",
}
"""What each colour stands for: a token of the site's look, which follows the colour scheme."""

_AGENTS = range(0xA10000, 0xA20000)

AGENTS = "#a1"
"""How colours begin that say which agent a mark is about."""


def of_agent(place: int | None) -> str:
    """The colour that says which agent of a board a mark is about, if it is about one; it is shown as any other is."""
    return MARK if place is None else f"#{_AGENTS[place]:06x}"


def agent_of(colour: str) -> int | None:
    """Tell which agent a colour says a mark is about; None for any other colour."""
    number = int(colour[1:], 16) if colour.startswith("#") else 0
    return _AGENTS.index(number) if number in _AGENTS else None


def tenths(value: float) -> str:
    """Write a number in tenths; a zero has no sign."""
    return f"{round(value, 1) + 0.0:g}"


WIDE = 20
"""Values this many times apart are told apart on a logarithmic axis only."""

_MARKS = 5
"""About so many marks stand on an axis."""


@dataclass(frozen=True, slots=True)
class Ruler:
    """An axis: its title, its ends, its marks."""

    title: str
    low: float
    high: float
    marks: Sequence[float]
    is_log: bool = False

    def place(self, value: float, length: float) -> float:
        """Measure the way from the low end to a value on an axis of some length."""
        low, high, at = (
            math.log(each) if self.is_log else each for each in (self.low, self.high, value)
        )
        return (at - low) / (high - low) * length


def from_zero(scale: Scale, values: Sequence[float]) -> Ruler:
    """Make an axis that begins at 0, or below it where values do, and ends at a mark or at the scale's end.

    Whole numbers without a bound have no marks between them.
    """
    low, high = min(0.0, *values), max(0.0, *values)
    rough = ((high - low) or 1.0) / _MARKS
    power: float = 10.0 ** math.floor(math.log10(rough))
    step = power * next(each for each in (1, 2, 5, 10) if each * power >= rough * (1 - 1e-9))
    if scale.most is None and all(float(value).is_integer() for value in values):
        step = max(step, 1.0)
    first, last = math.floor(low / step), max(math.ceil(high / step - 1e-9), 1)
    marks = [number * step for number in range(first, last + 1)]
    end = marks[-1] if scale.most is None else max(high, min(marks[-1], scale.most))
    return Ruler(scale.title, marks[0], end, [mark for mark in marks if mark <= end])


def fitting(scale: Scale, values: Sequence[float]) -> Ruler:
    """Make an axis from 0, or a logarithmic one where values lie too far apart to be read on that."""
    low, high = min(values), max(values)
    if low <= 0 or high < WIDE * low:
        return from_zero(scale, values)
    marks = [number * 10.0**power for power in range(-6, 16) for number in (1, 2, 5)]
    low, high = low / 1.25, high * 1.25
    title = f"{scale.title}, logarithmic"
    return Ruler(title, low, high, [mark for mark in marks if low <= mark <= high], is_log=True)


Align = Literal["start", "middle", "end"]
"""The part of a text that stands at its place, as SVG has it."""

Point = tuple[float, float]
"""A place in a drawing: to the right, and downwards."""

LETTER = 6.5
"""About as wide is a letter, in the units of a drawing whose text is 12 high."""

_ASCENT, _DESCENT, _RADIUS = 10.0, 3.0, 7.0
_BEYOND, _ABOVE = 14.0, 6.0
_CROSSED = 2
"""Points of lines that a name of less weight may stand on: those of one interval."""
_SHIFTS: Sequence[tuple[float, float, Align]] = (
    (6, 4, "start"),
    (-6, 4, "end"),
    (0, -7, "middle"),
    (0, 14, "middle"),
    (5, -5, "start"),
    (-5, -5, "end"),
    (5, 12, "start"),
    (-5, 12, "end"),
)
"""Places around a dot, the best first: to the right and down, and the part of the name that stands there."""


class Spot(NamedTuple):
    """A dot that is to be named, in the units of the drawing: x to the right, y downwards."""

    x: float
    y: float
    name: str
    is_key: bool = True
    """Whether its name may hide as much of lines as it must; else it hides an interval's width, or is left out."""


class Label(NamedTuple):
    """A name that found its place: so far to the right of its dot, and so far down to the foot of its letters."""

    spot: int
    right: float
    down: float
    align: Align


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, x: float, y: float, radius: float) -> "_Box":
        return cls(x - radius, y - radius, x + radius, y + radius)

    def meets(self, other: "_Box") -> bool:
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.bottom <= other.top or other.bottom <= self.top)


@dataclass(frozen=True, slots=True)
class Field:
    """The ground that names are placed on, so that they stand on no dot and on no other name."""

    width: float
    """In the units of the drawing, as all here; names may reach a little further to the right, and upwards."""
    height: float
    line: Sequence[Point] = ()
    """Points of a line that names should not stand on."""
    bars: Sequence[tuple[Point, Point]] = ()
    """Intervals, each from end to end, as `line`."""
    kept: Sequence[_Box] = ()
    """What is written on it already."""

    def labels(self, spots: Sequence[Spot]) -> list[Label]:
        """Place the names that there is room for, the most important first; a dot that has none is left out."""
        line = []
        for (x, y), (to_x, to_y) in (
            *pairwise(self.line),
            *self.bars,
        ):  # so close that no name passes between points
            steps = max(1, math.ceil(math.hypot(to_x - x, to_y - y) / _ASCENT))
            along = (step / steps for step in range(steps + 1))
            line += [
                _Box.around(x + (to_x - x) * share, y + (to_y - y) * share, 1) for share in along
            ]
        taken = [*(_Box.around(spot.x, spot.y, _RADIUS) for spot in spots), *self.kept]
        placed: list[Label] = []
        for number, spot in enumerate(spots):
            free = list(self._free(number, spot, taken[:number] + taken[number + 1 :]))
            crossed = [sum(map(box.meets, line)) for _, box in free]
            if free and (spot.is_key or min(crossed) <= _CROSSED):
                label, box = free[crossed.index(min(crossed))]
                placed.append(label)
                taken.append(box)
        return placed

    def _free(self, number: int, spot: Spot, taken: Sequence[_Box]) -> Iterator[tuple[Label, _Box]]:
        """Yield the places around a dot that lie in the field and meet nothing that is taken, the best first."""
        width = LETTER * len(spot.name)
        for right, down, align in _SHIFTS:
            left = spot.x + right - {"start": 0.0, "middle": 0.5, "end": 1.0}[align] * width
            foot = spot.y + down
            box = _Box(left, foot - _ASCENT, left + width, foot + _DESCENT)
            is_within = box.left >= 0 and box.top >= -_ABOVE and box.bottom <= self.height
            if is_within and box.right <= self.width + _BEYOND and not any(map(box.meets, taken)):
                yield Label(number, right, down, align), box


HEIGHT = 340
"""Of a plot that a page draws, in pixels, as in `charts.html.j2`; its width is the page's."""

_PAGE, _WIDE, _NARROW = 1240, 620, 330
"""What is reckoned with as the width of a page and of a plot on a screen, and on a phone."""

_NAMED_AT = (0.7, 0.8, 0.9, 0.6, 0.5, 0.4, 0.3)
"""How far up a diagonal its name may end, the best place first, on the side where dots are rare."""

_LINE = 14.0
"""Height of a line of text."""


Mark = tuple[str, str]
"""A place on an axis, in percent of the width or in pixels from the top, and what stands there."""

Name = tuple[str, str, str, float, float, str, str]
"""A name beside a dot: the dot's place, the text, the way to it, which part stands there, and at which widths."""


class Plotted(NamedTuple):
    """A cloud as a page draws it: across in percent, down in pixels."""

    across: Sequence[Mark]
    up: Sequence[Mark]
    lines: Sequence[tuple[str, str, str, str]]
    """From x, y to x, y: the diagonal, or the steps of the front."""
    dots: Sequence[tuple[Dot, str, str, str | None, str | None, str | None, str | None]]
    """Each with its place, and the ends of its intervals where it has them: lower and upper end of the one upwards,
    left and right end of the one across."""
    names: Sequence[Name]
    below: str
    """What the axis across measures."""


def plotted(panel: Cloud, beside: int = 1) -> Plotted:
    """Lay a cloud out, which is one of so many side by side."""
    xs = [dot.x for dot in panel.dots]
    has_ends = panel.diagonal is None  # along a diagonal they would say less than they hide
    ys = [
        end
        for dot in panel.dots
        for end in ((dot.y, dot.low, dot.high) if has_ends else (dot.y,))
        if end is not None
    ]
    if panel.diagonal:  # both axes are the same one
        across, up = from_zero(panel.x, [*xs, *ys]), from_zero(panel.y, [*xs, *ys])
        line = [(at, at) for at in _diagonal(panel, across, up)]
    else:  # the front as steps: up to the next dot, nothing better can be had for less
        across = _calendar(xs) if panel.is_dated else fitting(panel.x, [*xs, *_near_ends(panel)])
        up = from_zero(panel.y, ys)
        on = sorted((dot.x, dot.y) for dot in panel.dots if dot.is_front)
        corners = [(to_x, y) for (_, y), (to_x, _) in pairwise(on)]
        line = [point for pair in zip_longest(on, corners) for point in pair if point]

    def right(value: float) -> str:
        return f"{across.place(value, 100):.2f}%"

    def side(value: float | None) -> str | None:
        """Return the place of an end of an interval, at the edge of the plot where it lies beyond."""
        return None if value is None else right(min(max(value, across.low), across.high))

    def down(value: float | None) -> str | None:
        return None if value is None else tenths(HEIGHT - up.place(value, HEIGHT))

    def text(mark: float) -> str:
        return f"{date.fromordinal(round(mark)):%b %Y}" if panel.is_dated else f"{mark:,g}"

    dots = []
    for dot in panel.dots:
        low, high = (down(dot.low), down(dot.high)) if has_ends else (None, None)
        dots.append(
            (dot, right(dot.x), down(dot.y) or "", low, high, side(dot.x_low), side(dot.x_high))
        )
    first = sorted(dots, key=lambda each: not each[0].is_front)
    found: dict[tuple[int, float, float], list[str]] = {}
    for look, width in (("sg-wide", min(_WIDE, _PAGE // beside)), ("sg-narrow", _NARROW)):
        way = [(across.place(x, width), HEIGHT - up.place(y, HEIGHT)) for x, y in line]
        spots = [
            Spot(across.place(dot.x, width), float(y), dot.name, not has_ends or dot.is_front)
            for dot, _, y, *_ in first
        ]
        named = zip(spots, first, strict=True)
        bars = [
            ((spot.x, float(low)), (spot.x, float(high)))
            for spot, (_, _, _, low, high, _, _) in named
            if low and high
        ]
        kept = [_beside(panel.diagonal, way[1])] if panel.diagonal else []
        for label in Field(width, HEIGHT, way, bars, kept).labels(spots):
            found.setdefault((label.spot, label.right, label.down), [label.align]).append(look)
    names = [
        (x, y, dot.name, to_x, to_y, align, looks[0] if len(looks) == 1 else "")
        for (spot, to_x, to_y), (align, *looks) in found.items()
        for dot, x, y, *_ in [first[spot]]
    ]
    ends = [(right(x), down(y) or "") for x, y in line]
    return Plotted(
        [(right(mark), text(mark)) for mark in across.marks],
        [(down(mark) or "", f"{mark:,g}") for mark in up.marks],
        [(*start, *end) for start, end in pairwise(ends)],
        dots,
        names,
        across.title or panel.x.title,
    )


_WIDENED = 1.5
"""How many times as far as the dots an axis reaches for the ends of intervals, which may lie very far off."""


def _near_ends(panel: Cloud) -> list[float]:
    """Return the ends of the intervals across, those far beyond all dots moved nearer."""
    values = [dot.x for dot in panel.dots]
    least, most = min(values) / _WIDENED, max(values) * _WIDENED
    ends: list[float] = []
    for dot in panel.dots:
        if dot.x_low is not None and dot.x_high is not None:
            ends += [max(dot.x_low, least), min(dot.x_high, most)]
    return ends


def _beside(name: str, at: Point) -> _Box:
    """Reckon what the name of a diagonal takes that ends at a point of it."""
    return _Box(at[0] - 8 - LETTER * len(name), at[1] - _ASCENT, at[0] - 8, at[1] + _DESCENT)


def _diagonal(panel: Cloud, across: Ruler, up: Ruler) -> list[float]:
    """Say where a diagonal begins, where its name stands on no dot, and where it ends."""
    begin, end = max(across.low, up.low), min(across.high, up.high)

    def is_free(at: float) -> bool:
        fields = [
            (_beside(panel.diagonal or "", place(at, at, width)), width)
            for width in (_WIDE, _NARROW)
        ]
        dots = [
            (box, _Box.around(*place(dot.x, dot.y, width), _RADIUS))
            for box, width in fields
            for dot in panel.dots
        ]
        return not any(box.meets(dot) for box, dot in dots)

    def place(x: float, y: float, width: float) -> Point:
        return across.place(x, width), HEIGHT - up.place(y, HEIGHT)

    places = [begin + share * (end - begin) for share in _NAMED_AT]
    return [begin, next(filter(is_free, places), places[0]), end]


def _calendar(days: Sequence[float]) -> Ruler:
    """Make an axis of days, marked at the beginnings of months."""
    first, last = (date.fromordinal(round(end)) for end in (min(days), max(days)))
    months = 12 * (last.year - first.year) + last.month - first.month + 1
    step = max(1, math.ceil(months / _MARKS))
    counts = range(12 * first.year + first.month - 1, 12 * last.year + last.month + step, step)
    marks = [float(date(count // 12, count % 12 + 1, 1).toordinal()) for count in counts]
    return Ruler("", marks[0], max(marks[-1], *days), marks)


class PlottedCurves(NamedTuple):
    """Curves as a page draws them."""

    across: Sequence[Mark]
    up: Sequence[Mark]
    curves: Sequence[tuple[str, str, str, str]]
    """Points between 0 and 100 both ways, the look, the name, and where that stands, in pixels from the top."""


def plotted_curves(panel: Curves) -> PlottedCurves:
    """Lay curves out; those with a look are drawn last, and named at their end, the highest first."""
    ruler = from_zero(
        Scale(panel.title, 100.0), [value for curve in panel.curves for value in curve.values]
    )
    last = max(1, len(panel.steps) - 1)
    every = math.ceil(len(panel.steps) / 12)
    taken, places = -_LINE, {}
    for curve in sorted(panel.curves, key=lambda curve: -curve.values[-1]):
        if curve.look:
            taken = max(HEIGHT - ruler.place(curve.values[-1], HEIGHT), taken + _LINE)
            places[curve.name] = tenths(taken + 4)
    drawn = []
    for curve in sorted(panel.curves, key=lambda curve: bool(curve.look)):
        heights = (100 - ruler.place(value, 100) for value in curve.values)
        points = " ".join(
            f"{tenths(100 * step / last)},{tenths(height)}" for step, height in enumerate(heights)
        )
        drawn.append((points, curve.look, curve.name, places.get(curve.name, "")))
    across = [
        (f"{100 * step / last:.2f}%", text)
        for step, text in enumerate(panel.steps)
        if step % every == 0
    ]
    up = [(tenths(HEIGHT - ruler.place(mark, HEIGHT)), f"{mark:,g}") for mark in ruler.marks]
    return PlottedCurves(across, up, drawn)
