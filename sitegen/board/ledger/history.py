"""Scores over time: of a row from release to release, and the best that a board or a task has seen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.ledger.locking import locked_board
from sitegen.models.release import LockedRow, Release


@dataclass(frozen=True, slots=True)
class Past:
    """A row as a release has it; as it is, where there is no release."""

    release: Release | None
    row: LockedRow


@dataclass(frozen=True, slots=True)
class Record:
    """The best score so far, on the day of the row that reached it.

    Attributes:
        entry: The row that reached it.
        value: The score, in its metric's unit.
    """

    entry: Entry
    value: float


def row_history(board: Board, releases: Sequence[Release]) -> Mapping[str, Sequence[Past]]:
    """Give the rows of a board as releases have them and as they are, by id; rows that no release has are left out."""
    found: dict[str, list[Past]] = {}
    for release in releases:
        locked = release.board(board.benchmark.id, board.track.id)
        for row in locked.rows if locked else ():
            found.setdefault(row.id, []).append(Past(release, row))
    for row in locked_board(board).rows if found else ():
        if row.id in found:
            found[row.id].append(Past(None, row))
    return found


def records_of(board: Board) -> list[Record]:
    """Give the rows that were the best of their day by the headline score, the earliest first; those that stand."""
    scores = ((entry, entry.value(board.headline.id)) for entry in board.entries if not entry.is_incomplete)
    return list(_records(board, [(entry, value) for entry, value in scores if value is not None]))


def _records(board: Board, scores: Sequence[tuple[Entry, float]]) -> Iterator[Record]:
    sign = 1 if board.headline.direction == "higher" else -1
    best: float | None = None
    for entry, value in sorted(scores, key=lambda each: (each[0].date, -sign * each[1], each[0].id)):
        if best is None or sign * value > sign * best:
            best = value
            yield Record(entry, value)
