"""A table that is its own chart: each row has its score as a dot, with the band of its interval, on one axis."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.charts.chart import Scale
from sitegen.charts.layout import Ruler, from_zero
from sitegen.metrics.uncertainty import Interval, ends_of
from sitegen.models.release import LockedRow
from sitegen.pages import addresses, labels

REPORTED, ONLY = "sg-reported", "sg-only"
"""How a score looks that nobody recomputed, and one whose rank is one place."""

_ROOM = 22
"""Percent of the axis that an interval in words takes beside its band."""


class Strip(NamedTuple):
    """A score on an axis, and its interval where something tells how sure it is; places are in percent of its width."""

    words: str
    """What it shows, for those who do not see it; empty where it stands beside it."""
    at: str
    low: str | None = None
    width: str = ""
    high: str = ""
    look: str = ""
    """`ONLY`, `REPORTED` or empty."""
    sure: str = ""
    """The interval in words, where there is room beside its band."""
    side: str = ""
    """Where that stands: "end" right of the band, "start" left of it."""


class Axis(NamedTuple):
    """What the scores of a table are shown on; `name` tells it from others on its page."""

    name: str
    ruler: Ruler

    @property
    def marks(self) -> Iterator[tuple[str, str, str]]:
        """Yield the places of its marks, what stands there, and which part of that does."""
        for mark in self.ruler.marks:
            at = self.ruler.place(mark, 100)
            anchor = "middle"
            if at <= 0:
                anchor = "start"
            elif at >= 100:  # noqa: PLR2004 - percent
                anchor = "end"
            yield f"{at:.2f}%", f"{mark:,.10g}", anchor

    def strip(
        self, words: str, value: float, found: Interval | None, look: str, sure: str
    ) -> Strip:
        """Place a score, with its interval where it has one."""
        if found is None:
            return Strip(words, self.at(value), look=look)
        low, high = (self.ruler.place(end, 100) for end in (found.low, found.high))
        side = "end" if high <= 100 - _ROOM else "start" if low >= _ROOM else ""
        band = (self.at(found.low), f"{high - low:.2f}%", self.at(found.high))
        return Strip(words, self.at(value), *band, look, sure if side else "", side)

    def at(self, value: float) -> str:
        """Place a value."""
        return f"{self.ruler.place(value, 100):.2f}%"


def drawn_on(board: Board, entries: Sequence[Entry]) -> Axis:
    """Make an axis from 0 that holds the headline scores of some rows, and their intervals."""
    metric = board.headline
    known = [
        (entry.value(metric.id), *ends_of(board.certainty.interval(entry, metric.id)))
        for entry in entries
    ]
    values = [each for each in chain.from_iterable(known) if each is not None]
    return Axis(
        f"axis-{'-'.join(addresses.of(board))}",
        from_zero(Scale(metric.title, metric.highest), values),
    )


def strip_on(axis: Axis, board: Board, entry: Entry, *, is_alone: bool) -> Strip:
    """Place a row's headline score on an axis; one that stands alone says its number, too."""
    metric, sure = board.headline, labels.sure_text(board, entry, board.headline)
    look = REPORTED if entry.table else ONLY if _has_one_rank(board, entry) else ""
    words = f"{metric.interval_words}{' ' if is_alone else ': '}{sure}" if sure else ""
    if is_alone:
        words = ", ".join(filter(None, (labels.score_text(entry.scores[metric.id]), words)))
    found = board.certainty.interval(entry, metric.id)
    return axis.strip(words, entry.value(metric.id) or 0.0, found, look, "" if is_alone else sure)


def _has_one_rank(board: Board, entry: Entry) -> bool:
    """Whether the data leaves a row a single rank, of several that there are."""
    return len({*board.certainty.ranks.get(entry.id, ())}) == 1 < len(board.ranks)


class Span(NamedTuple):
    """Ranks next to each other that a row may have, in percent of the axis.

    `look` is "" for those that stay, "sg-added" and "sg-gone" for others, "sg-new" for all of a new row.
    """

    start: str
    width: str
    look: str


class RankAxis(NamedTuple):
    """All ranks of a board, side by side, each with as much room."""

    most: int

    @property
    def marks(self) -> Iterator[tuple[str, str, str]]:
        """Yield the places of the ranks that there is room to name, the ranks, and which part of them stands there."""
        step = next(each for each in (1, 2, 5, 10, 20, 50, 100, 1000) if self.most <= each * 20)
        for rank in range(1, self.most + 1):
            if rank == 1 or rank % step == 0:
                yield f"{100 * (rank - 0.5) / self.most:.2f}%", str(rank), "middle"

    def spans(self, was: LockedRow | None, row: LockedRow) -> Iterator[Span]:
        """Yield the ranks that a row may have, apart by whether it might have them before."""
        before, after = _reach(was), _reach(row)
        kept = after & before if before else after
        parts = [(kept, "" if was else "sg-new")]
        parts += [(after - before, "sg-added"), (before - after, "sg-gone")] if before else []
        for ranks, look in parts:
            for first in sorted(rank for rank in ranks if rank - 1 not in ranks):
                last = next(rank for rank in range(first, self.most + 1) if rank + 1 not in ranks)
                start, width = (100 * each / self.most for each in (first - 1, last - first + 1))
                yield Span(f"{start:.2f}%", f"{width:.2f}%", look)


def _reach(row: LockedRow | None) -> set[int]:
    return {*range(row.first, row.last + 1)} if row and row.first and row.last else set()


class RankedRow(NamedTuple):
    """A row of a ranking."""

    entry: Entry
    is_sure: bool
    about: str
    """What tells it from another row of the same agent; empty where nothing has to."""
    strip: Strip


class Ranking(NamedTuple):
    """The ranked rows of a board, best first, by its headline score alone; `left` more are on the board."""

    board: Board
    axis: Axis
    rows: Sequence[RankedRow]
    left: int


def ranking_of(board: Board, most: int) -> Ranking:
    """Show so many rows of a board at most."""
    ranked = board.placed
    axis, rows = drawn_on(board, ranked[:most]), []
    for entry in ranked[:most]:
        about = (entry.agent.scaffold or "") if board.names[entry.id] != entry.agent.name else ""
        strip = strip_on(axis, board, entry, is_alone=True)
        rows.append(RankedRow(entry, _has_one_rank(board, entry), about, strip))
    return Ranking(board, axis, rows, len(ranked) - len(rows))
