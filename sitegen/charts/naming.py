"""Where the names of dots go, so that they stand on no dot and on no other name."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Align = Literal["left", "center", "right"]
"""The part of a text that stands at its place."""

Point = tuple[float, float]
"""A place in a drawing: to the right, and downwards."""

LETTER = 6.5
"""About as wide is a letter, in the units of a drawing whose text is 11 high."""

_ASCENT, _DESCENT, _RADIUS = 9.0, 2.0, 4.0
_BEYOND, _ABOVE = 14.0, 6.0
_SHIFTS: Sequence[tuple[float, float, Align]] = (
    (6, 4, "left"),
    (-6, 4, "right"),
    (0, -7, "center"),
    (0, 14, "center"),
    (5, -5, "left"),
    (-5, -5, "right"),
    (5, 12, "left"),
    (-5, 12, "right"),
)
"""Places around a dot, the best first: to the right and down, and the part of the name that stands there."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A dot that is to be named, in the units of the drawing: x to the right, y downwards."""

    x: float
    y: float
    name: str


@dataclass(frozen=True, slots=True)
class Label:
    """A name that found its place: so far to the right of its dot, and so far down to the foot of its letters."""

    spot: int
    right: float
    down: float
    align: Align


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "_Box") -> bool:
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.bottom <= other.top or other.bottom <= self.top)

    def is_within(self, width: float, height: float) -> bool:
        return self.left >= 0 and self.top >= -_ABOVE and self.right <= width and self.bottom <= height


@dataclass(frozen=True, slots=True)
class Field:
    """The ground that names are placed on.

    Attributes:
        width: In the units of the drawing; names may reach a little further to the right, and upwards.
        height: As `width`.
        line: Points of a line that names should not stand on, from one end to the other; a name that finds no
            other place stands on it.
    """

    width: float
    height: float
    line: Sequence[Point] = ()

    def labels(self, spots: Sequence[Spot]) -> list[Label]:
        """Place the names that there is room for; a dot that has none is left out.

        Args:
            spots: The most important ones first: they choose their places before others.
        """
        line = [_around(x, y, 1) for x, y in _along(self.line)]
        taken = [_around(spot.x, spot.y, _RADIUS) for spot in spots]
        placed: list[Label] = []
        for number, spot in enumerate(spots):
            free = list(self._free(number, spot, taken))
            best = next((choice for choice in free if not any(map(choice[1].meets, line))), next(iter(free), None))
            if best:
                placed.append(best[0])
                taken.append(best[1])
        return placed

    def _free(self, number: int, spot: Spot, taken: Sequence[_Box]) -> Iterator[tuple[Label, _Box]]:
        """Give the places around a dot that lie in the field and meet nothing that is taken, the best first."""
        for label, box in _choices(number, spot):
            if box.is_within(self.width + _BEYOND, self.height) and not any(map(box.meets, taken)):
                yield label, box


def _around(x: float, y: float, radius: float) -> _Box:
    return _Box(x - radius, y - radius, x + radius, y + radius)


def _along(line: Sequence[Point]) -> Iterator[Point]:
    """Give points on a line that are so close to each other that no name passes between them."""
    for (x, y), (to_x, to_y) in pairwise(line):
        steps = max(1, math.ceil(math.hypot(to_x - x, to_y - y) / _ASCENT))
        yield from ((x + (to_x - x) * step / steps, y + (to_y - y) * step / steps) for step in range(steps + 1))


def _choices(number: int, spot: Spot) -> Iterator[tuple[Label, _Box]]:
    """Give the places around a dot, the best first."""
    width = LETTER * len(spot.name)
    for right, down, align in _SHIFTS:
        left = spot.x + right - {"left": 0.0, "center": 0.5, "right": 1.0}[align] * width
        foot = spot.y + down
        yield Label(number, right, down, align), _Box(left, foot - _ASCENT, left + width, foot + _DESCENT)
