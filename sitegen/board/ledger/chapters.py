"""The changelog: what each release brought, and what has come since the last one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, pairwise
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.changes.cells import CellChange, cell_changes
from sitegen.board.entry import Entry
from sitegen.board.ledger.events import BoardEvents, Event, events_between
from sitegen.board.ledger.locking import release_of
from sitegen.models.digests import finding_digest
from sitegen.models.release import Release
from sitegen.models.results import Bundle

_VERDICT = {"state", "reward", "passed", "total"}
"""What scores are made of, in a round's record."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """What a release brought.

    Attributes:
        release: The release; the boards as they are, for what has come since the last one.
        before: The one before; None for the first.
        boards: What happened, by board.
    """

    release: Release
    before: Release | None
    boards: Sequence[BoardEvents]


class Row(NamedTuple):
    """A row of a board as it is."""

    board: Board
    entry: Entry


@dataclass(frozen=True, slots=True)
class Ledger:
    """The books of a results folder.

    Attributes:
        chapters: One a release, the oldest first.
        since: What has come since the last one; None where there is no release, or nothing has.
        benchmarks: The boards as they are, by benchmark.
    """

    chapters: Sequence[Chapter]
    since: Chapter | None
    benchmarks: Sequence[Sequence[Board]]

    def deciding_cells(self, where: BoardEvents, event: Event) -> list[CellChange]:
        """Give the rounds whose verdict differs between a row and the one that it takes the place of.

        Tasks that only one of them has are left out: they are of another task set.
        """
        if event.earlier is None:
            return []
        rows = (event.earlier, (where.board.track, event.row.id))
        was, now = (self._bundle(where.benchmark.id, track, name) for track, name in rows)
        return _verdict_changes(was, now) if was and now else []

    def row(self, benchmark: str, track: str, name: str) -> Row | None:
        """Give what stands for a row of a release; None where nothing does."""
        for board in chain.from_iterable(self.benchmarks):
            if (board.benchmark.id, board.track.id) == (benchmark, track):
                entry = board.standing_for(name)
                return Row(board, entry) if entry else None
        return None

    def _bundle(self, benchmark: str, track: str, name: str) -> Bundle | None:
        """Give a row's own results; None where there are none."""
        row = self.row(benchmark, track, name)
        return row.entry.bundle if row and row.entry.id == name else None


def ledger_of(releases: Sequence[Release], benchmarks: Sequence[Sequence[Board]], program: str) -> Ledger:
    """Keep the books.

    Args:
        releases: The oldest first.
        benchmarks: The boards as they are, by benchmark.
        program: The version of the program that computed their scores.
    """
    findings = {
        (board.benchmark.id, board.track.id): {finding_digest(each.finding): each for each in board.marks.all}
        for board in chain.from_iterable(benchmarks)
    }
    steps = pairwise((None, *releases))
    chapters = [
        Chapter(after, before, events_between(before, after, findings)) for before, after in steps if after is not None
    ]
    if not releases:
        return Ledger((), None, benchmarks)
    now = release_of(benchmarks, {}, date.max, "", program)
    since = events_between(releases[-1], now, findings)
    return Ledger(chapters, Chapter(now, releases[-1], since) if since else None, benchmarks)


def _verdict_changes(was: Bundle, now: Bundle) -> list[CellChange]:
    both = {each.task for each in was.rounds} & {each.task for each in now.rounds}
    return [cell for cell in cell_changes(was, now) if cell.task in both and _is_verdict(cell)]


def _is_verdict(cell: CellChange) -> bool:
    return cell.round is not None and (
        cell.kind != "changed" or any(each.name in _VERDICT for each in cell.differences)
    )
