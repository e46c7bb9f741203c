"""A table that is its own chart: each row has its score as a dot, with the band of its 95 % interval, on one axis."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.charts.chart import Scale
from sitegen.charts.layout import Ruler, from_zero
from sitegen.metrics.metric import Metric
from sitegen.models.release import LockedRow
from sitegen.pages import addresses, labels

REPORTED, ONLY = "sg-reported", "sg-only"
"""How a score looks that nobody recomputed, and one whose rank is one place."""

_ROOM = 22
"""Percent of the axis that an interval in words takes beside its band."""


class Strip(NamedTuple):
    """A score on an axis; places are in percent of its width.

    Attributes:
        words: What it shows, for those who do not see it; empty where it stands beside it.
        at: Place of the score.
        low: Where its interval begins; None where nothing tells how sure it is.
        width: How wide the interval is.
        high: Where it ends.
        look: `ONLY`, `REPORTED` or empty.
        sure: The interval in words, beside its band; empty where it is not told there.
        side: Where that stands: "end" right of the band, "start" left of it.
    """

    words: str
    at: str
    low: str | None = None
    width: str = ""
    high: str = ""
    look: str = ""
    sure: str = ""
    side: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """What the scores of a table are shown on; `name` tells it from others on its page."""

    name: str
    ruler: Ruler

    @property
    def marks(self) -> Iterator[tuple[str, str, str]]:
        """Yield the places of its marks, what stands there, and which part of that does."""
        for mark in self.ruler.marks:
            at = self.ruler.place(mark, 100)
            yield f"{at:.2f}%", f"{mark:,.10g}", "start" if at <= 0 else "end" if at >= 100 else "middle"  # noqa: PLR2004

    def strip(
        self, words: str, value: float, ends: tuple[float, float] | None, look: str = "", sure: str = ""
    ) -> Strip:
        """Place a score, with the ends of its interval where it has one."""
        if ends is None:
            return Strip(words, self.at(value), look=look)
        low, high = (self.ruler.place(end, 100) for end in ends)
        side = "end" if high <= 100 - _ROOM else "start" if low >= _ROOM else ""
        width = f"{high - low:.2f}%"
        return Strip(words, self.at(value), self.at(ends[0]), width, self.at(ends[1]), look, sure if side else "", side)

    def at(self, value: float) -> str:
        """Place a value."""
        return f"{self.ruler.place(value, 100):.2f}%"


def axis_of(name: str, metric: Metric, values: Iterable[float | None]) -> Axis:
    """Make an axis from 0 that holds some values."""
    return Axis(name, from_zero(Scale(metric.title, metric.highest), [each for each in values if each is not None]))


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
    """A row of a ranking.

    Attributes:
        entry: What it shows.
        place: The ranks that it may have.
        is_sure: Whether that is one rank.
        about: What tells it from another row of the same agent; empty where nothing has to.
        value: Its score in full.
        text: Its score as people read it.
        strip: The same on the axis.
    """

    entry: Entry
    place: str
    is_sure: bool
    about: str
    value: str | None
    text: str
    strip: Strip


class Ranking(NamedTuple):
    """The ranked rows of a board, best first, by its headline score alone; `left` more are on the board."""

    board: Board
    axis: Axis
    rows: Sequence[RankedRow]
    left: int

    @property
    def has_bands(self) -> bool:
        """Whether anything tells how sure a score is."""
        return any(row.strip.low for row in self.rows)


def ranking_of(board: Board, most: int) -> Ranking:
    """Show so many rows of a board at most."""
    metric, ranked = board.headline, [entry for entry in board.entries if entry.id in board.ranks]
    shown = [(entry, board.certainty.interval(entry, metric.id)) for entry in ranked[:most]]
    ends = [end for _, sure in shown if sure for end in (sure.low, sure.high)]
    axis = axis_of(f"axis-{'-'.join(addresses.of(board))}", metric, [*(e.value(metric.id) for e, _ in shown), *ends])
    rows = []
    for entry, sure in shown:
        score, known = entry.scores[metric.id], board.certainty.ranks.get(entry.id)
        is_sure = known is not None and known[0] == known[1] and len(ranked) > 1
        told = labels.score_text(score) + (f", 95 % interval {labels.interval_text(sure, metric)}" if sure else "")
        look = REPORTED if entry.table else ONLY if is_sure else ""
        strip = axis.strip(told, entry.value(metric.id) or 0.0, (sure.low, sure.high) if sure else None, look)
        about = entry.agent.scaffold if board.names[entry.id] != entry.agent.name else None
        value, text = labels.full_precision(score), labels.score_text(score)
        rows.append(RankedRow(entry, labels.place_text(board, entry), is_sure, about or "", value, text, strip))
    return Ranking(board, axis, rows, len(ranked) - len(rows))
