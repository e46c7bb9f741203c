"""A board as a release has it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.score import GAP
from sitegen.metrics.catalogue import METRICS
from sitegen.models.release import LockedBoard, LockedRow, LockedScore, Release
from sitegen.pages import addresses, labels
from sitegen.pages.environment import Crumb, Page, Templates
from sitegen.pages.figures import locked_interval_text, locked_text
from sitegen.pages.releases import place_text


@dataclass(frozen=True, slots=True)
class SnapshotCell:
    """A score as it was; `value` has all its digits, and is None for a gap."""

    metric: str
    value: str | None
    text: str
    sure: str


@dataclass(frozen=True, slots=True)
class SnapshotRow:
    """A row as it was, with the way to what stands for it now; `address` is None where nothing does."""

    row: LockedRow
    place: str
    address: str | None
    cells: Sequence[SnapshotCell]


def snapshot_page(board: Board, locked: LockedBoard, release: Release, templates: Templates) -> Page:
    """Show a board as a release has it.

    Args:
        board: The board as it is.
        locked: The board as it was.
        release: The release that has it.
        templates: Where the template stands.
    """
    benchmark = board.benchmark
    address = addresses.snapshot_address(release.date, benchmark.id, locked.track)
    columns = [METRICS[name] for name in locked.columns if name in METRICS]
    title = f"{benchmark.title}: {locked.title}, release {release.name}"
    values = {
        "title": f"{locked.title}, as released on {release.date}",
        "crumbs": [
            Crumb("Changelog", addresses.CHANGELOG),
            Crumb(release.name, addresses.release_address(release.date)),
        ],
        "benchmark": benchmark,
        "release": release,
        "current": addresses.board_address(benchmark.id, locked.track),
        "heads": [labels.title_of(metric, board.track, benchmark) for metric in columns],
        "rows": [_row(board, locked, row) for row in locked.rows],
    }
    told = f"{title}: {len(locked.rows)} rows with their scores and ranks as they were."
    return Page(address, title, told, templates.fill("snapshot.html.j2", address, values))


def _row(board: Board, locked: LockedBoard, row: LockedRow) -> SnapshotRow:
    now = board.standing_for(row.id)
    address = addresses.entry_address(board.benchmark.id, locked.track, now.id) if now else None
    cells = [_cell(name, row.scores.get(name)) for name in locked.columns if name in METRICS]
    return SnapshotRow(row, place_text(row), address, cells)


def _cell(metric: str, score: LockedScore | None) -> SnapshotCell:
    if score is None:
        return SnapshotCell(metric, None, GAP, "")
    decimals = METRICS[metric].decimals
    text, sure = locked_text(score, decimals), locked_interval_text(score, decimals)
    return SnapshotCell(metric, repr(score.value) if score.printed is None else score.printed, text, sure)
