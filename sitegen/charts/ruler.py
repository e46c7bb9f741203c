"""How far an axis reaches, and where its marks stand."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.charts.panel import Scale

WIDE = 20
"""Values this many times apart are told apart on a logarithmic axis only."""

_STEPS = (1, 2, 5, 10)
_MARKS = 5


@dataclass(frozen=True, slots=True)
class Ruler:
    """An axis: its title, its ends, its marks."""

    title: str
    low: float
    high: float
    marks: Sequence[float]
    is_log: bool = False

    def place(self, value: float, length: float) -> float:
        """Give the way from the low end to a value on an axis of some length."""
        low, high, at = (math.log(each) if self.is_log else each for each in (self.low, self.high, value))
        return (at - low) / (high - low) * length


def from_zero(scale: Scale, values: Sequence[float]) -> Ruler:
    """Make an axis that begins at 0, or below it where values do, and ends at a mark or at the scale's end."""
    low, high = min(0.0, *values), max(0.0, *values)
    step = _step((high - low) or 1.0)
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


def _step(span: float) -> float:
    rough = span / _MARKS
    power: float = 10.0 ** math.floor(math.log10(rough))
    return power * next(step for step in _STEPS if step * power >= rough * (1 - 1e-9))
