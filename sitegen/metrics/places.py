"""Which places the data supports: a rank says who came out ahead here, a place who would do so again."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, product

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.uncertainty import HIGH, LOW, ROUNDING, Draws, Interval, is_above

Places = tuple[int, int]
"""First and last place, from 1."""

_BLOCK = 1000
"""Resamples that are put in order together: all at once would take ten times the memory."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A row that has a rank, with what is known of how far its score may reach. The higher, the better.

    Attributes:
        score: The score, its sign turned where less is better.
        interval: Where it may lie; None where nothing but the score is known.
        drawn: The score in every resample, shape (resamples,); None where there is nothing to draw from.
    """

    score: float
    interval: Interval | None = None
    drawn: NDArray[np.float64] | None = None

    @property
    def low(self) -> float:
        """How low it may lie, as far as that is known."""
        return self.interval.low if self.interval else self.score

    @property
    def high(self) -> float:
        """How high it may lie, as far as that is known."""
        return self.interval.high if self.interval else self.score

    def leads(self, other: "Contender") -> bool:
        """Whether the data tells it from a worse one.

        By the interval of their difference where both were drawn, which is paired; else where the worse one's
        interval ends below its own. A score without an interval stands for itself.
        """
        if self.drawn is not None and other.drawn is not None:
            return is_above(self.drawn, other.drawn)
        return self.low > other.high + ROUNDING


def rank_intervals(rows: Sequence[Contender]) -> list[Places]:
    """Give the places that each row may hold, at 95 %.

    Where there is no interval that comes from a count, these are the places that it holds in 95 % of the resamples;
    a score that was not drawn is the same in all of them. Else they are what the intervals leave.
    """
    if any(row.interval and row.interval.kind == "binomial" for row in rows):
        return places_left(rows)
    resamples = next((row.drawn.shape for row in rows if row.drawn is not None), (1,))
    same = np.ones(resamples)
    return places_drawn(np.stack([row.score * same if row.drawn is None else row.drawn for row in rows]))


def places_drawn(drawn: Draws) -> list[Places]:
    """Give the places that each row holds in 95 % of the resamples, from 1 for the highest draw.

    Rows that tie in a resample share the better place. A row that a resample has no score of stands last in it.

    Args:
        drawn: The score of each row, the higher the better.
    """
    rows, resamples = drawn.shape
    known = np.nan_to_num(drawn, nan=np.nanmin(drawn) - 1) if np.isnan(drawn).any() else drawn
    blocks = (known[:, start : start + _BLOCK] for start in range(0, resamples, _BLOCK))
    times = np.sum([_times_held(block) for block in blocks], axis=0)
    so_far = np.cumsum(times.reshape(rows, rows), axis=1)
    low = 1 + (so_far <= np.floor((resamples - 1) * LOW / 100)).sum(axis=1)
    high = 1 + (so_far <= np.ceil((resamples - 1) * HIGH / 100)).sum(axis=1)
    return [(int(first), int(final)) for first, final in zip(low, high, strict=True)]


def _times_held(drawn: Draws) -> NDArray[np.int64]:
    """Count how often each row holds each place, shape (rows times places,)."""
    rows = len(drawn)
    order = np.argsort(-drawn.T, axis=1)
    ordered = np.take_along_axis(drawn.T, order, axis=1)
    is_lower = np.ones(ordered.shape, dtype=np.bool_)
    is_lower[:, 1:] = np.diff(ordered, axis=1) < -ROUNDING
    places = np.maximum.accumulate(np.where(is_lower, np.arange(rows), 0), axis=1)
    return np.bincount((order * rows + places).ravel(), minlength=rows * rows)


def places_left(rows: Sequence[Contender]) -> list[Places]:
    """Give the places that intervals leave: below every row that lies above, and above every row that lies below."""
    lows, highs = np.array([row.low for row in rows]), np.array([row.high for row in rows])
    better = (lows > highs[:, np.newaxis] + ROUNDING).sum(axis=1)
    worse = (highs < lows[:, np.newaxis] - ROUNDING).sum(axis=1)
    return [(1 + int(above), len(rows) - int(below)) for above, below in zip(better, worse, strict=True)]


def tie_groups(rows: Sequence[Contender], ranks: Sequence[int]) -> list[Places]:
    """Group rows that the data does not tell apart from the best of their group.

    A group begins with the best row that is left, and takes in every next row until one is told apart from it. Rows
    of equal rank stay together: where one of them is told apart, all begin the next group.

    Args:
        rows: Best first.
        ranks: Their ranks; equal scores share one.

    Returns:
        First and last place of each row's group.
    """
    best: Sequence[int] = ()
    first: list[int] = []
    for _, equal in groupby(range(len(rows)), key=ranks.__getitem__):
        tied = list(equal)
        if not best or any(rows[above].leads(rows[below]) for above, below in product(best, tied)):
            best = tied
        first += [best[0]] * len(tied)
    last = {start: position for position, start in enumerate(first)}
    return [(start + 1, last[start] + 1) for start in first]
