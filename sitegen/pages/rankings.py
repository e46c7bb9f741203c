"""The rows of a board, best first, each with its score as a dot on one axis."""

from collections.abc import Sequence
from typing import NamedTuple

from sitegen.board import Board, Entry
from sitegen.pages.score_axis import ScoreAxis, ScoreStrip, has_single_rank, score_axis, strip_on


class RankedRow(NamedTuple):
    """A row of a ranking."""

    entry: Entry
    has_single_rank: bool
    """Whether it has a single rank."""
    about: str
    """The scaffold, if it distinguishes the row from another row of the same agent."""
    strip: ScoreStrip


class BoardRanking(NamedTuple):
    """The rows of a board, best first, by its headline score alone."""

    board: Board
    axis: ScoreAxis
    rows: Sequence[RankedRow]
    left: int
    """The number of further rows on the board."""


def ranking_of(board: Board, max_rows: int) -> BoardRanking:
    """Return the first rows of a board, or the first rows with a score if no row is ranked.

    On a new version of a track, carried results have a score but no rank yet.
    """
    ranked = board.ranked_entries
    if not ranked:
        ranked = [entry for entry in board.entries if entry.value(board.headline.id) is not None]
    shown = ranked[:max_rows]
    axis = score_axis(board, shown)
    rows = []
    for entry in shown:
        has_namesake = board.names[entry.id] != entry.agent.name
        about = ""
        if has_namesake:
            about = entry.agent.scaffold or ""
        strip = strip_on(axis, board, entry, is_alone=True)
        rows.append(RankedRow(entry, has_single_rank(board, entry), about, strip))
    return BoardRanking(board, axis, rows, len(ranked) - len(rows))
