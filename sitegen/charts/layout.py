"""Layout of drawings: the colours of the site, axes, and positions for the names of dots."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Literal, NamedTuple

from sitegen.charts.chart import AxisScale, BarList, Cloud, Curves, Dot

WIDTH = 360
"""The width of every drawing, so that text has the same size in all of them."""

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
"""The token of the site's design for each colour; it follows the colour scheme."""

_AGENTS = range(0xA10000, 0xA20000)

AGENTS = "#a1"
"""The prefix of the colours that identify the agent of a mark."""


def of_agent(index: int | None) -> str:
    """Return the colour that identifies an agent by its index on the board; `MARK` for None.

    The colour only identifies the agent: all marks look the same.
    """
    return MARK if index is None else f"#{_AGENTS[index]:06x}"


def agent_of(colour: str) -> int | None:
    """Return the index of the agent that a colour stands for; None for any other colour."""
    if not colour.startswith("#"):
        return None
    number = int(colour[1:], 16)
    return _AGENTS.index(number) if number in _AGENTS else None


def tenths(value: float) -> str:
    """Return a number with at most one decimal; 0 has no sign."""
    return f"{round(value, 1) + 0.0:g}"


WIDE = 20
"""The ratio of the largest to the smallest value above which an axis is logarithmic."""

_MARKS = 5
"""The approximate number of ticks on an axis."""


@dataclass(frozen=True, slots=True)
class Ruler:
    """An axis: its title, its ends and its ticks."""

    title: str
    low: float
    high: float
    marks: Sequence[float]
    is_log: bool = False

    def place(self, value: float, length: float) -> float:
        """Return the distance of a value from the low end, on an axis of a given length."""
        low = self.low
        high = self.high
        if self.is_log:
            low = math.log(low)
            high = math.log(high)
            value = math.log(value)
        return (value - low) / (high - low) * length


def from_zero(scale: AxisScale, values: Sequence[float]) -> Ruler:
    """Return an axis from 0, or from below it for negative values, to a tick or to the scale's end.

    If all values are whole numbers and the scale has no end, the ticks are whole numbers too.
    """
    low = min([0.0, *values])
    high = max([0.0, *values])
    step = _step((high - low) or 1.0)
    if scale.most is None and all(float(value).is_integer() for value in values):
        step = max(step, 1.0)
    first = math.floor(low / step)
    last = max(math.ceil(high / step - 1e-9), 1)
    marks = [number * step for number in range(first, last + 1)]
    end = marks[-1]
    if scale.most is not None:
        end = max(high, min(end, scale.most))
    visible_marks = [mark for mark in marks if mark <= end]
    return Ruler(scale.title, marks[0], end, visible_marks)


def _step(length: float) -> float:
    """Return the distance between ticks on an axis of some length: 1, 2 or 5 times 10^n."""
    rough = length / _MARKS
    power: float = 10.0 ** math.floor(math.log10(rough))
    least = rough * (1 - 1e-9)
    for factor in (1, 2, 5):
        if factor * power >= least:
            return power * factor
    return power * 10


def fitting(scale: AxisScale, values: Sequence[float]) -> Ruler:
    """Return an axis from 0, or a logarithmic axis if values vary too much for a linear axis."""
    low = min(values)
    high = max(values)
    if low <= 0 or high < WIDE * low:
        return from_zero(scale, values)
    low /= 1.25
    high *= 1.25
    marks = []
    for power in range(-6, 16):
        for factor in (1, 2, 5):
            mark = factor * 10.0**power
            if low <= mark <= high:
                marks.append(mark)
    return Ruler(f"{scale.title}, logarithmic", low, high, marks, is_log=True)


Align = Literal["start", "middle", "end"]
"""The part of a text that is at its position, as in SVG."""

Point = tuple[float, float]
"""A position in a drawing: to the right, and downwards."""

LETTER = 6.5
"""The approximate width of a letter, in the units of a drawing whose text is 12 units high."""
_BOLD_LETTER = 7.0
"""The approximate width of a letter of a name, which is bold."""

_ASCENT, _DESCENT, _RADIUS = 10.0, 3.0, 7.0
_BEYOND, _ABOVE = 14.0, 6.0
"""The maximum distance of names beyond a field, to the right and upwards."""

_MAX_CROSSED = 2
"""Maximum number of points of lines that a name may cover unless it is a key: one interval."""

_SHARE_TO_THE_LEFT: dict[Align, float] = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""The share of a text that is to the left of its position."""

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
"""Positions around a dot, the best first: to the right, downwards, and the anchor of the name."""


class LabelAnchor(NamedTuple):
    """A dot to be named, in the units of the drawing: x to the right, y downwards."""

    x: float
    y: float
    name: str
    is_key: bool = True
    """Whether its name may cover any amount of lines.

    Any other name covers at most one interval, or is left out.
    """


class Label(NamedTuple):
    """The position of a name next to its dot."""

    anchor: int
    """The index of the dot."""
    right: float
    """The distance to the right of the dot."""
    down: float
    """The distance from the dot down to the baseline of the letters."""
    align: Align


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, x: float, y: float, radius: float) -> "_Box":
        """Return the square around a point."""
        return cls(x - radius, y - radius, x + radius, y + radius)

    def overlaps(self, other_box: "_Box") -> bool:
        """Return whether two boxes share any area."""
        is_apart_across = self.right <= other_box.left or other_box.right <= self.left
        is_apart_down = self.bottom <= other_box.top or other_box.bottom <= self.top
        return not (is_apart_across or is_apart_down)

    def overlaps_any(self, boxes: Sequence["_Box"]) -> bool:
        """Return whether a box overlaps any of several boxes."""
        return any(self.overlaps(other_box) for other_box in boxes)


@dataclass(frozen=True, slots=True)
class Field:
    """The area in which names are placed, so that they cover no dot and no other name."""

    width: float
    """The area in the units of the drawing; names may extend a little to the right and upwards."""
    height: float
    line: Sequence[Point] = ()
    """Points of a line that names should not cover."""
    bars: Sequence[tuple[Point, Point]] = ()
    """Intervals that names should not cover, each from end to end."""
    written: Sequence[_Box] = ()
    """Text that is already placed."""

    def labels(self, anchors: Sequence[LabelAnchor]) -> list[Label]:
        """Return the positions of the names that fit, the most important name first."""
        line = self._line_boxes()
        occupied = [_Box.around(anchor.x, anchor.y, _RADIUS) for anchor in anchors]
        occupied += self.written
        labels: list[Label] = []
        for index, anchor in enumerate(anchors):
            obstacles = occupied[:index] + occupied[index + 1 :]
            free = list(self._free_places(index, anchor, obstacles))
            if not free:
                continue
            crossed = [sum(map(box.overlaps, line)) for _, box in free]
            fewest = min(crossed)
            if anchor.is_key or fewest <= _MAX_CROSSED:
                label, box = free[crossed.index(fewest)]
                labels.append(label)
                occupied.append(box)
        return labels

    def _line_boxes(self) -> list[_Box]:
        """Return points of the lines as boxes, so close together that no name fits between them."""
        boxes = []
        for (x, y), (end_x, end_y) in (*pairwise(self.line), *self.bars):
            length = math.hypot(end_x - x, end_y - y)
            steps = max(1, math.ceil(length / _ASCENT))
            for step in range(steps + 1):
                share = step / steps
                point_x = x + (end_x - x) * share
                point_y = y + (end_y - y) * share
                boxes.append(_Box.around(point_x, point_y, 1))
        return boxes

    def _free_places(
        self, index: int, anchor: LabelAnchor, obstacles: Sequence[_Box]
    ) -> Iterator[tuple[Label, _Box]]:
        """Yield the positions around a dot in the field that overlap nothing, the best first."""
        for right, down, align in _SHIFTS:
            label = Label(index, right, down, align)
            box = _name_box(anchor.x, anchor.y, anchor.name, label)
            is_within_width = box.left >= 0 and box.right <= self.width + _BEYOND
            is_within_height = box.top >= -_ABOVE and box.bottom <= self.height
            if is_within_width and is_within_height and not box.overlaps_any(obstacles):
                yield label, box


def _name_box(x: float, y: float, name: str, label: Label) -> _Box:
    """Return the box of a dot's name, given the position of the dot."""
    width = _BOLD_LETTER * len(name)
    left_edge = x + label.right - _SHARE_TO_THE_LEFT[label.align] * width
    foot = y + label.down
    return _Box(left_edge, foot - _ASCENT, left_edge + width, foot + _DESCENT)


HEIGHT = 340
"""The height of a plot that a page draws, in pixels, as in `charts.html.j2`."""

_WIDE, _WIDE_BESIDE, _NARROW = (520, 1240), (440, 907), (288, 688)
"""The narrowest and the widest plot in pixels: alone, next to another plot, and on a phone."""

_NAMED_AT = (0.7, 0.8, 0.9, 0.6, 0.5, 0.4, 0.3)
"""Where a diagonal's label may end, as fractions of the diagonal's length, best position first."""

_LINE = 14.0
"""The height of a line of text."""


Mark = tuple[str, str]
"""A position on an axis, in percent of the width or in pixels from the top, and its text."""

Name = tuple[str, str, str, float, float, str, str]
"""A name next to a dot.

The position of the dot across and down, the text, its distance to the right and down, its
alignment, and the widths at which it is shown.
"""

PlottedDot = tuple[Dot, str, str, str | None, str | None, str | None, str | None]
"""A dot with its position, and the ends of its intervals if it has them.

The position across and down, then the lower and upper end of the vertical interval, and the left
and right end of the horizontal interval.
"""


class Plotted(NamedTuple):
    """A scatter plot as a page draws it: across in percent, down in pixels."""

    across: Sequence[Mark]
    up: Sequence[Mark]
    lines: Sequence[tuple[str, str, str, str]]
    """Lines from x, y to x, y: the diagonal, or the steps of the front."""
    dots: Sequence[PlottedDot]
    names: Sequence[Name]
    below: str
    """The quantity on the horizontal axis."""
    references: Sequence[tuple[str, str]] = ()
    """Horizontal lines for baselines: the position of each line, and its name with its score."""


def plotted(panel: Cloud, beside: int = 1) -> Plotted:
    """Return the layout of a scatter plot that is one of `beside` panels in a row."""
    layout = _cloud_layout(panel)
    across = []
    for mark in layout.across.marks:
        across.append((layout.right(mark), layout.mark_text(mark)))
    up = []
    for mark in layout.up.marks:
        up.append((layout.down(mark), f"{mark:,g}"))
    points = []
    for x, y in layout.line:
        points.append((layout.right(x), layout.down(y)))
    lines = [(*start, *end) for start, end in pairwise(points)]
    dots = layout.dots()
    names = layout.names(dots, _WIDE if beside == 1 else _WIDE_BESIDE)
    references = []
    for reference in panel.references:
        references.append((layout.down(reference.value), f"{reference.name} {reference.text}"))
    below = layout.across.title or panel.x.title
    return Plotted(across, up, lines, dots, names, below, references)


@dataclass(frozen=True, slots=True)
class _CloudLayout:
    """A scatter plot with its axes, and with its diagonal or its front."""

    panel: Cloud
    across: Ruler
    up: Ruler
    line: Sequence[Point]
    """The points that the diagonal or the front goes through."""

    @property
    def has_ends(self) -> bool:
        """Whether intervals are drawn; along a diagonal, they would hide more than they show."""
        return self.panel.diagonal is None

    def right(self, value: float) -> str:
        """Return the horizontal position of a value."""
        return f"{self.across.place(value, 100):.2f}%"

    def down(self, value: float) -> str:
        """Return the distance of a value from the top."""
        return tenths(HEIGHT - self.up.place(value, HEIGHT))

    def mark_text(self, mark: float) -> str:
        """Return the text of a tick on the horizontal axis."""
        if not self.panel.is_dated:
            return f"{mark:,g}"
        day = date.fromordinal(round(mark))
        return f"{day:%b %Y}"

    def dots(self) -> list[PlottedDot]:
        """Return the dots with their positions."""
        dots: list[PlottedDot] = []
        for dot in self.panel.dots:
            x = self.right(dot.x)
            y = self.down(dot.y)
            low = self._end_down(dot.low)
            high = self._end_down(dot.high)
            start = self._end_across(dot.x_low)
            end = self._end_across(dot.x_high)
            dots.append((dot, x, y, low, high, start, end))
        return dots

    def _end_down(self, value: float | None) -> str | None:
        """Return the position of an end of a vertical interval; None if it is not drawn."""
        if value is None or not self.has_ends:
            return None
        return self.down(value)

    def _end_across(self, value: float | None) -> str | None:
        """Return the position of an end of a horizontal interval, at the edge if it lies beyond."""
        if value is None:
            return None
        return self.right(min(max(value, self.across.low), self.across.high))

    def names(self, dots: Sequence[PlottedDot], wide: tuple[int, int]) -> list[Name]:
        """Return the names that fit, on a screen and on a phone.

        `wide` is the narrowest and the widest plot on a screen; names of dots on the front are
        placed first.
        """
        ordered = sorted(dots, key=lambda plotted_dot: not plotted_dot[0].is_front)
        looks_by_label: dict[Label, list[str]] = {}
        for look, (narrowest, widest) in (("sg-wide", wide), ("sg-narrow", _NARROW)):
            labels = self._labels(ordered, narrowest)
            for label in self._apart(labels, ordered, widest):
                looks_by_label.setdefault(label, []).append(look)
        names: list[Name] = []
        for label, looks in looks_by_label.items():
            dot, x, y, *_ = ordered[label.anchor]
            look = looks[0] if len(looks) == 1 else ""
            names.append((x, y, dot.name, label.right, label.down, label.align, look))
        return names

    def _labels(self, dots: Sequence[PlottedDot], width: int) -> list[Label]:
        """Return the positions of the names of dots on a plot of a given width, in pixels."""
        anchors = []
        bars = []
        for dot, _, y, low, high, _, _ in dots:
            x_pixels = self.across.place(dot.x, width)
            is_key = not self.has_ends or dot.is_front
            anchors.append(LabelAnchor(x_pixels, float(y), dot.name, is_key))
            if low and high:
                bottom = (x_pixels, float(low))
                top = (x_pixels, float(high))
                bars.append((bottom, top))
        field = Field(width, HEIGHT, self._line_points(width), bars, self._written(width))
        return field.labels(anchors)

    def _line_points(self, width: int) -> list[Point]:
        """Return the points of the diagonal or the front on a plot of a given width."""
        points = []
        for x, up in self.line:
            points.append((self.across.place(x, width), HEIGHT - self.up.place(up, HEIGHT)))
        return points

    def _written(self, width: int) -> list[_Box]:
        """Return the boxes of the vertical axis's ticks and title, and of the diagonal's name."""
        texts = [f"{mark:,g}" for mark in self.up.marks]
        texts[-1] += f" {self.panel.y.title}"
        boxes = []
        for mark, text in zip(self.up.marks, texts, strict=True):
            foot = HEIGHT - self.up.place(mark, HEIGHT) - 4
            boxes.append(_Box(0, foot - _ASCENT, LETTER * len(text), foot + _DESCENT))
        if self.panel.diagonal:
            name_end = self._line_points(width)[1]
            boxes.append(_diagonal_name_box(self.panel.diagonal, name_end))
        return boxes

    def _apart(
        self, labels: Sequence[Label], dots: Sequence[PlottedDot], width: int
    ) -> list[Label]:
        """Return the labels, excluding labels that cover other text on a plot of a given width."""
        boxes = self._written(width)
        apart = []
        for label in labels:
            dot, _, y, *_ = dots[label.anchor]
            box = _name_box(self.across.place(dot.x, width), float(y), dot.name, label)
            if not box.overlaps_any(boxes):
                boxes.append(box)
                apart.append(label)
        return apart


def _cloud_layout(panel: Cloud) -> _CloudLayout:
    """Return a scatter plot with its axes, and with its diagonal or its front."""
    xs = [dot.x for dot in panel.dots]
    if panel.diagonal:  # both axes are the same one
        values = xs + [dot.y for dot in panel.dots]
        across = from_zero(panel.x, values)
        up = from_zero(panel.y, values + [line.value for line in panel.references])
        line = [(value, value) for value in _diagonal(panel, across, up)]
        return _CloudLayout(panel, across, up, line)
    ys = [line.value for line in panel.references]
    for dot in panel.dots:
        for end in (dot.y, dot.low, dot.high):
            if end is not None:
                ys.append(end)
    up = from_zero(panel.y, ys)
    across = _calendar(xs) if panel.is_dated else fitting(panel.x, xs + _near_ends(panel))
    return _CloudLayout(panel, across, up, _front_steps(panel))


def _front_steps(panel: Cloud) -> list[Point]:
    """Return the corners of the front, which keeps the score of a dot up to the next dot."""
    front = sorted((dot.x, dot.y) for dot in panel.dots if dot.is_front)
    steps = front[:1]
    for (_, y), (next_x, next_y) in pairwise(front):
        steps += [(next_x, y), (next_x, next_y)]
    return steps


_WIDENED = 1.5
"""The factor by which an axis may extend beyond its dots, to include ends of intervals."""


def _near_ends(panel: Cloud) -> list[float]:
    """Return the ends of the horizontal intervals; ends far beyond all dots are moved nearer."""
    xs = [dot.x for dot in panel.dots]
    least = min(xs) / _WIDENED
    highest = max(xs) * _WIDENED
    ends: list[float] = []
    for dot in panel.dots:
        if dot.x_low is not None and dot.x_high is not None:
            ends += [max(dot.x_low, least), min(dot.x_high, highest)]
    return ends


def _diagonal_name_box(name: str, end: Point) -> _Box:
    """Return the box of a diagonal's name that ends at a point of the diagonal."""
    end_x, end_y = end
    right = end_x - 8
    left = right - LETTER * len(name)
    return _Box(left, end_y - _ASCENT, right, end_y + _DESCENT)


def _diagonal(panel: Cloud, across: Ruler, up: Ruler) -> list[float]:
    """Return where a diagonal starts, where its name ends so that it covers no dot, and its end."""
    begin = max(across.low, up.low)
    end = min(across.high, up.high)
    values = [begin + share * (end - begin) for share in _NAMED_AT]
    for value in values:
        covered = []
        for width in (*_WIDE, *_NARROW):
            covered.append(_covers_dot(panel, across, up, value, width))
        if not any(covered):
            return [begin, value, end]
    return [begin, values[0], end]


def _covers_dot(panel: Cloud, across: Ruler, up: Ruler, value: float, width: int) -> bool:
    """Return whether a diagonal's name that ends at a value covers a dot, on a plot this wide."""

    def point(x: float, y: float) -> Point:
        return across.place(x, width), HEIGHT - up.place(y, HEIGHT)

    dots = []
    for dot in panel.dots:
        x, y = point(dot.x, dot.y)
        dots.append(_Box.around(x, y, _RADIUS))
    name_box = _diagonal_name_box(panel.diagonal or "", point(value, value))
    return name_box.overlaps_any(dots)


def _calendar(days: Sequence[float]) -> Ruler:
    """Return an axis of days, with ticks at the beginnings of months."""
    first = date.fromordinal(round(min(days)))
    last = date.fromordinal(round(max(days)))
    months = 12 * (last.year - first.year) + last.month - first.month + 1
    step = max(1, math.ceil(months / _MARKS))
    first_month = 12 * first.year + first.month - 1
    last_month = 12 * last.year + last.month - 1
    marks = []
    for month_count in range(first_month, last_month + 1 + step, step):
        year, month = divmod(month_count, 12)
        start = date(year, month + 1, 1)
        marks.append(float(start.toordinal()))
    return Ruler("", marks[0], max(marks[-1], *days), marks)


class PlottedCurves(NamedTuple):
    """Curves as a page draws them."""

    across: Sequence[Mark]
    up: Sequence[Mark]
    curves: Sequence[tuple[str, str, str, str]]
    """Points with coordinates from 0 to 100, the look, the name, and its distance from the top."""


_MAX_STEPS_NAMED = 12


def plotted_curves(panel: Curves) -> PlottedCurves:
    """Return the layout of curves; those with a `look` are labelled and drawn on top."""
    values: list[float] = []
    for curve in panel.curves:
        values += curve.values
    ruler = from_zero(AxisScale(panel.title, 100.0), values)
    last = max(1, len(panel.steps) - 1)
    step_width = math.ceil(len(panel.steps) / _MAX_STEPS_NAMED)
    name_places = _curve_name_places(panel, ruler)
    drawn = []
    for curve in sorted(panel.curves, key=lambda curve: bool(curve.look)):
        points = []
        for step, value in enumerate(curve.values):
            x = tenths(100 * step / last)
            y = tenths(100 - ruler.place(value, 100))
            points.append(f"{x},{y}")
        name_y = name_places.get(curve.name, "")
        drawn.append((" ".join(points), curve.look, curve.name, name_y))
    across = []
    for step in range(0, len(panel.steps), step_width):
        across.append((f"{100 * step / last:.2f}%", panel.steps[step]))
    up = []
    for mark in ruler.marks:
        down = tenths(HEIGHT - ruler.place(mark, HEIGHT))
        up.append((down, f"{mark:,g}"))
    return PlottedCurves(across, up, drawn)


def _curve_name_places(panel: Curves, ruler: Ruler) -> dict[str, str]:
    """Return the distance of each named curve's name from the top in pixels, without overlaps."""
    named = [curve for curve in panel.curves if curve.look]
    named.sort(key=lambda curve: -curve.values[-1])
    name_y = -_LINE
    name_places = {}
    for curve in named:
        end_y = HEIGHT - ruler.place(curve.values[-1], HEIGHT)
        name_y = max(end_y, name_y + _LINE)
        name_places[curve.name] = tenths(name_y + 4)
    return name_places


class PlottedBar(NamedTuple):
    """A value in a list of bars as a page draws it, in percent of the width."""

    name: str
    text: str
    start: str
    width: str
    """The width of the bar, from 0."""
    at: str
    """The position of the value."""
    low: str = ""
    """The lower end of the interval; empty if there is none."""
    interval_width: str = ""
    high: str = ""


class PlottedBars(NamedTuple):
    """A list of bars as a page draws it."""

    marks: Sequence[Mark]
    bars: Sequence[PlottedBar]
    has_intervals: bool
    """Whether dots are drawn on intervals instead of bars."""


def plotted_bars(panel: BarList) -> PlottedBars:
    """Return the layout of a list of bars on one axis from 0."""
    ends: list[float] = []
    for bar in panel.bars:
        ends += bar.ends
    ruler = from_zero(panel.scale, ends)
    zero = ruler.place(0.0, 100)
    bars = []
    for bar in panel.bars:
        at = ruler.place(bar.value, 100)
        plotted_bar = PlottedBar(
            name=bar.name,
            text=bar.text,
            start=f"{min(zero, at):.2f}%",
            width=f"{abs(at - zero):.2f}%",
            at=f"{at:.2f}%",
        )
        if bar.low is not None and bar.high is not None:
            low = ruler.place(bar.low, 100)
            high = ruler.place(bar.high, 100)
            plotted_bar = plotted_bar._replace(
                low=f"{low:.2f}%", interval_width=f"{high - low:.2f}%", high=f"{high:.2f}%"
            )
        bars.append(plotted_bar)
    marks = [(f"{ruler.place(mark, 100):.2f}%", f"{mark:,g}") for mark in ruler.marks]
    return PlottedBars(marks, bars, any(bar.low for bar in bars))
