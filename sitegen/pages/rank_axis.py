"""An axis of ranks: the ranks that a row may have now, and those it might have had before."""

from collections.abc import Iterator
from typing import NamedTuple

from sitegen.models.release import LockedRow
from sitegen.pages.score_axis import AxisTick

_MAX_RANK_TICKS = 20


class RankSpan(NamedTuple):
    """Consecutive ranks that a row may have, in percent of the axis.

    `look` is empty for unchanged ranks, "sg-added" or "sg-gone" for changed ranks, and "sg-new" for
    the ranks of a new row.
    """

    start: str
    width: str
    look: str


class RankAxis(NamedTuple):
    """All ranks of a board side by side, each with the same width."""

    rank_count: int

    @property
    def ticks(self) -> Iterator[AxisTick]:
        """The ticks of the ranks whose labels fit."""
        step = _rank_step(self.rank_count)
        for rank in range(1, self.rank_count + 1):
            if rank == 1 or rank % step == 0:
                yield self._percent(rank - 0.5), str(rank), "middle"

    def spans(self, row_before: LockedRow | None, row: LockedRow) -> Iterator[RankSpan]:
        """Yield spans of the ranks that a row may have now or might have had before."""
        before = _possible_ranks(row_before)
        after = _possible_ranks(row)
        if before:
            yield from self._spans_of(after & before, "")
            yield from self._spans_of(after - before, "sg-added")
            yield from self._spans_of(before - after, "sg-gone")
        else:
            yield from self._spans_of(after, "" if row_before else "sg-new")

    def _spans_of(self, ranks: set[int], look: str) -> Iterator[RankSpan]:
        """Yield a span for each run of consecutive ranks."""
        for first in sorted(rank for rank in ranks if rank - 1 not in ranks):
            length = 1
            while first + length in ranks:
                length += 1
            yield RankSpan(self._percent(first - 1), self._percent(length), look)

    def _percent(self, ranks: float) -> str:
        """Return the position of a rank, or the width of several ranks, in percent of the axis."""
        return f"{100 * ranks / self.rank_count:.2f}%"


def _rank_step(rank_count: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, … that leaves few enough ticks."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            step = factor * power
            if rank_count <= step * _MAX_RANK_TICKS:
                return step
        power *= 10


def _possible_ranks(row: LockedRow | None) -> set[int]:
    """Return the ranks that a row may have; empty if it has none."""
    if row is None or not row.first or not row.last:
        return set()
    return set(range(row.first, row.last + 1))
