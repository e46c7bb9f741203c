"""A plot of two boards, with a dot and both intervals for each agent on both boards.

`scatter_of` places dots, intervals and names for the template. `agents-page.js` does the same for
another pair of boards, with the same sizes.
"""

from collections.abc import Sequence
from math import hypot
from typing import NamedTuple

from sitegen.pages.agent_matrix import AgentMatrix, MatrixCell, MatrixColumn, shared_rows
from sitegen.pages.score_axis import REPORTED

HEIGHT = 380
"""The height of the drawing in pixels; it is as wide as the page."""

_WIDE = (600, 864)
"""The narrowest and the widest drawing in a wide window, in pixels."""
_NARROW = (230, 616)
"""The narrowest and the widest drawing in a narrow window, in pixels."""
_LETTER = 6.4
"""Mean width of a letter in pixels."""
_LINE = 14
"""Height of a name in pixels."""
_RADIUS = 5
"""Radius of a dot in pixels."""
_MARGIN = 2
"""How much closer a name must be to its own dot than to any other dot, in pixels."""


class NamePlace(NamedTuple):
    """The position of a name beside its dot."""

    dx: float
    """Offset to the right in pixels."""
    dy: float
    """Offset down in pixels."""
    anchor: str
    """The part of the name that is at the dot: "start", "middle" or "end"."""


_PLACES = (
    NamePlace(9, 4, "start"),
    NamePlace(-9, 4, "end"),
    NamePlace(0, -9, "middle"),
    NamePlace(6, -8, "start"),
    NamePlace(-6, -8, "end"),
    NamePlace(0, 17, "middle"),
    NamePlace(6, 16, "start"),
    NamePlace(-6, 16, "end"),
)
"""Possible positions of a name, best first; beside the dot only if there is no line."""

_Box = tuple[float, float, float, float]
"""The left, top, right and bottom edges of a box, in pixels."""


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
    wide_place: NamePlace | None = None
    """The position of the name in a wide window; None if there is no room for the name."""
    narrow_place: NamePlace | None = None
    """The position of the name in a narrow window; None if there is no room for the name."""


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
    """Return points with the positions of their names."""
    wide = name_places(points, _WIDE)
    narrow = name_places(points, _NARROW)
    named = []
    for point, wide_place, narrow_place in zip(points, wide, narrow, strict=True):
        named.append(point._replace(wide_place=wide_place, narrow_place=narrow_place))
    return named


def name_places(
    points: Sequence[ScatterPoint], widths: tuple[float, float]
) -> list[NamePlace | None]:
    """Return the position of each point's name, for a range of widths; None if there is no room.

    The outermost points are named first. A name takes the first position inside the drawing that is
    free of dots, other names and horizontal lines, and nearer to its own dot than to any other.
    A name crosses the vertical line of another point only if it has no other position.
    """
    places: list[NamePlace | None] = [None] * len(points)
    drawings = [_Drawing(points, places, width) for width in widths]
    for is_strict in (True, False):
        for index in _outermost_first(points):
            if places[index] is None:
                places[index] = _free_place(drawings, index, avoids_vertical_lines=is_strict)
    return places


def _outermost_first(points: Sequence[ScatterPoint]) -> list[int]:
    """Return the indices of points, with the most extreme scores first."""
    last = len(points) - 1
    depths = [last] * len(points)
    for axis in ("x", "y"):
        order = sorted(range(len(points)), key=lambda index: getattr(points[index], axis))
        for rank, index in enumerate(order):
            depths[index] = min(depths[index], rank, last - rank)
    return sorted(range(len(points)), key=lambda index: depths[index])


class _Drawing(NamedTuple):
    """Points and names in a drawing of a certain width."""

    points: Sequence[ScatterPoint]
    places: Sequence[NamePlace | None]
    width: float

    def has_room(self, index: int, place: NamePlace, *, avoids_vertical_lines: bool) -> bool:
        """Return whether a name has room at a position."""
        box = self.name_box(index, place)
        if box[0] < 0 or box[2] > self.width or box[1] < -_LINE or box[3] > HEIGHT + _RADIUS:
            return False
        distance = self.distance(index, box)
        for other in range(len(self.points)):
            if other != index and self.distance(other, box) < max(distance, _RADIUS) + _MARGIN:
                return False
            name = self.places[other]
            if name is not None and _overlap(box, self.name_box(other, name)):
                return False
            if self.has_horizontal_line(other, box):
                return False
            if (avoids_vertical_lines or other == index) and self.has_vertical_line(other, box):
                return False
        return True

    def name_box(self, index: int, place: NamePlace) -> _Box:
        """Return the box of a point's name at a position."""
        point = self.points[index]
        length = len(point.name) * _LETTER
        start = point.x / 100 * self.width + place.dx
        if place.anchor == "middle":
            start -= length / 2
        if place.anchor == "end":
            start -= length
        bottom = point.y + place.dy + 3
        return start, bottom - _LINE, start + length, bottom

    def distance(self, index: int, box: _Box) -> float:
        """Return the distance from the centre of a dot to a box, in pixels."""
        point = self.points[index]
        x = point.x / 100 * self.width
        across = max(box[0] - x, x - box[2], 0)
        down = max(box[1] - point.y, point.y - box[3], 0)
        return hypot(across, down)

    def has_horizontal_line(self, index: int, box: _Box) -> bool:
        """Return whether a box is on the horizontal line of a point."""
        point = self.points[index]
        if point.x_interval is None:
            return False
        left, right = point.x_interval
        x_scale = self.width / 100
        return _overlap(box, (left * x_scale, point.y - 1, right * x_scale, point.y + 1))

    def has_vertical_line(self, index: int, box: _Box) -> bool:
        """Return whether a box is on the vertical line of a point."""
        point = self.points[index]
        if point.y_interval is None:
            return False
        x = point.x / 100 * self.width
        top, bottom = point.y_interval
        return _overlap(box, (x - 1, top, x + 1, bottom))


def _free_place(
    drawings: Sequence[_Drawing], index: int, *, avoids_vertical_lines: bool
) -> NamePlace | None:
    """Return the first position at which a point's name has room in every drawing, if any."""
    for place in _PLACES:
        has_room = True
        for drawing in drawings:
            if not drawing.has_room(index, place, avoids_vertical_lines=avoids_vertical_lines):
                has_room = False
        if has_room:
            return place
    return None


def _overlap(box: _Box, other: _Box) -> bool:
    """Return whether two boxes overlap."""
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
