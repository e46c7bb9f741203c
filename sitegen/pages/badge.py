"""A badge: what a row is and what it reached, as a small picture to show elsewhere."""

from collections.abc import Iterator, Sequence

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.release import LockedRow, Release
from sitegen.pages import addresses, labels
from sitegen.pages.environment import Templates
from sitegen.pages.figures import place_text, score_text
from sitegen.problems import counted

_LETTER, _ROOM = 6.4, 12
"""Width of a letter, and the room around words. The words are stretched to fit, whatever the font."""


def badges_of(board: Board, releases: Sequence[Release], templates: Templates) -> Iterator[tuple[str, str]]:
    """Draw the badge of every row, and of the board: each with its address.

    Args:
        board: The board.
        releases: The oldest first.
        templates: Where the template stands.
    """
    benchmark, track = board.benchmark.id, board.track.id
    title = f"{board.benchmark.title} {board.track.title}"
    for entry in board.all_entries:
        told = " · ".join(part for part in (_reached(board, entry), released(board, entry, releases)) if part)
        yield (
            addresses.badge_address(benchmark, track, entry.id),
            _drawn(title, told, templates, stands=entry.is_ranked),
        )
    rows = counted(len(board.entries), "agent")
    latest = releases[-1].name if releases else ""
    yield addresses.badge_address(benchmark, track), _drawn(title, " · ".join(filter(None, (rows, latest))), templates)


def _reached(board: Board, entry: Entry) -> str:
    """Say what a row reached: its rank among how many, and its score."""
    score = entry.scores.get(board.headline.id)
    if not entry.is_ranked or score is None or score.value is None:
        return entry.status.state
    unit = labels.unit_of(board.headline) if board.headline.unit == "percent" else ""
    rank = entry.remark or f"rank {place_text(board, entry)} of {len(board.entries)}"
    return f"{rank} · {score_text(score)}{f' {unit}' if unit else ''}"


def released(board: Board, entry: Entry, releases: Sequence[Release]) -> str:
    """Name the last release in which a row has the score and the rank that it has now; empty where none does."""
    if not releases:
        return ""
    locked = releases[-1].board(board.benchmark.id, board.track.id)
    rows = {row.id: row for row in locked.rows} if locked else {}
    is_same = entry.id in rows and _is_as(board, entry, rows[entry.id])
    return str(releases[-1].date) if is_same else ""


def _is_as(board: Board, entry: Entry, row: LockedRow) -> bool:
    """Whether a row has the score and the rank that a release has of it."""
    score = row.scores.get(board.headline.id)
    value = score.value if score else None
    ranks = (row.first, row.last) if row.first and row.last else None
    return (ranks, value) == (board.certainty.ranks.get(entry.id), entry.value(board.headline.id))


def _drawn(label: str, told: str, templates: Templates, *, stands: bool = True) -> str:
    """Draw a badge; on a ground without colour where its row does not stand."""
    widths = [round(_LETTER * len(text)) + _ROOM for text in (label, told)]
    first, second = widths
    values = {"label": label, "told": told, "first": first, "second": second, "room": _ROOM, "stands": stands}
    return templates.fill("badge.svg.j2", "", values)
