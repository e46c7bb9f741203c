"""Two boards compared: a dot for each agent on both, with both intervals.

`scatter_of` places dots, intervals and names for the template. `agents-page.js` does the same for
another pair of boards, with the same sizes.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sitegen.pages.agent_matrix import AgentMatrix, MatrixCell, MatrixColumn, shared_rows
from sitegen.pages.score_axis import REPORTED

HEIGHT = 380
"""The height of the drawing in pixels; it is as wide as the page."""

_WIDE = 760
_NARROW = 300
"""Widths in pixels at which names must not overlap."""
_LETTER = 6.4
"""Mean width of a letter in pixels."""
_LINE = 14
"""Height of a name in pixels."""
_OFFSETS = ((9, 4, "start"), (-9, 4, "end"), (9, -9, "start"), (9, 17, "start"), (-9, -9, "end"))
"""Positions of a name beside its dot: offset to the right, offset down, and text anchor."""

_Box = tuple[float, float, float, float]


class ScatterPoint(NamedTuple):
    """An agent: its dot, its intervals and its name; x in percent, y in pixels."""

    name: str
    words: str
    """The text of its tooltip."""
    x: float
    y: float
    x_interval: tuple[float, float] | None
    y_interval: tuple[float, float] | None
    look: str
    """`REPORTED` if one of the scores is not recomputed here; otherwise empty."""
    dx: float = 0
    dy: float = 0
    anchor: str = ""
    """The end of the name that is at the dot; empty if there is no room for the name."""
    is_crowded: bool = False
    """Whether there is no room for the name in a narrow window."""


class Scatter(NamedTuple):
    """A drawing of two columns of the matrix."""

    across: MatrixColumn
    up: MatrixColumn
    points: Sequence[ScatterPoint]

    @property
    def across_marks(self) -> list[tuple[float, str]]:
        """The ticks of the horizontal axis, in percent, with their texts."""
        ruler = self.across.axis.ruler
        return [(ruler.place(mark, 100), f"{mark:,.10g}") for mark in ruler.marks]

    @property
    def up_marks(self) -> list[tuple[float, str]]:
        """The ticks of the vertical axis, in pixels from the top, with their texts."""
        ruler = self.up.axis.ruler
        return [(HEIGHT - ruler.place(mark, HEIGHT), f"{mark:,.10g}") for mark in ruler.marks]


def scatter_of(matrix: AgentMatrix, pair: tuple[int, int]) -> Scatter:
    """Return the drawing of two columns, given by their positions."""
    first, second = pair
    across = matrix.columns[first]
    up = matrix.columns[second]
    points = []
    for agent, across_cell, up_cell in shared_rows(matrix, first, second):
        points.append(_point(agent.name, across, across_cell, up, up_cell))
    return Scatter(across, up, _with_names(points))


def _point(
    name: str, across: MatrixColumn, across_cell: MatrixCell, up: MatrixColumn, up_cell: MatrixCell
) -> ScatterPoint:
    x = across.axis.ruler.place(across_cell.number or 0.0, 100)
    y = HEIGHT - up.axis.ruler.place(up_cell.number or 0.0, HEIGHT)
    x_interval = None
    y_interval = None
    if across_cell.interval:
        ruler = across.axis.ruler
        interval = across_cell.interval
        x_interval = (ruler.place(interval.low, 100), ruler.place(interval.high, 100))
    if up_cell.interval:
        ruler = up.axis.ruler
        interval = up_cell.interval
        top = HEIGHT - ruler.place(interval.high, HEIGHT)
        y_interval = (top, HEIGHT - ruler.place(interval.low, HEIGHT))
    is_reported = across_cell.is_reported or up_cell.is_reported
    words = f"{name}: {_score_words(across_cell)} and {_score_words(up_cell)}"
    look = REPORTED if is_reported else ""
    return ScatterPoint(name, words, x, y, x_interval, y_interval, look)


def _score_words(cell: MatrixCell) -> str:
    """Return a score with its interval in words."""
    if not cell.interval_text:
        return cell.text
    return f"{cell.text} ({cell.interval_text})"


def _with_names(points: Sequence[ScatterPoint]) -> list[ScatterPoint]:
    """Return points with their names if these overlap no other name and no dot."""
    wide = _name_places(points, _WIDE)
    narrow = _name_places(points, _NARROW)
    named = []
    for point, place, narrow_place in zip(points, wide, narrow, strict=True):
        if place is None:
            named.append(point)
            continue
        dx, dy, anchor = place
        is_crowded = narrow_place != place
        named.append(point._replace(dx=dx, dy=dy, anchor=anchor, is_crowded=is_crowded))
    return named


def _name_places(
    points: Sequence[ScatterPoint], width: float
) -> list[tuple[float, float, str] | None]:
    """Return the position of each point's name, for a width in pixels; None if there is no room.

    Points are named from the top; a name takes the first free position beside its dot.
    """
    taken: list[_Box] = []
    for point in points:
        x = point.x / 100 * width
        taken.append((x - 5, point.y - 5, x + 5, point.y + 5))
    places: list[tuple[float, float, str] | None] = [None] * len(points)
    order = sorted(range(len(points)), key=lambda index: points[index].y)
    for index in order:
        point = points[index]
        for dx, dy, anchor in _OFFSETS:
            box = _name_box(point, width, (dx, dy, anchor))
            is_inside = box[0] >= 0 and box[2] <= width
            if is_inside and not any(_overlap(box, other) for other in taken):
                places[index] = (dx, dy, anchor)
                taken.append(box)
                break
    return places


def _name_box(point: ScatterPoint, width: float, place: tuple[float, float, str]) -> _Box:
    """Return the left, top, right and bottom of a name, in pixels."""
    dx, dy, anchor = place
    length = len(point.name) * _LETTER
    start = point.x / 100 * width + dx
    if anchor == "end":
        start -= length
    bottom = point.y + dy + 3
    return start, bottom - _LINE, start + length, bottom


def _overlap(box: _Box, other: _Box) -> bool:
    """Return whether two boxes overlap."""
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
