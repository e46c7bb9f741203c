"""Diagnostics as tables: on the pages of a benchmark, a task and a submission."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.metrics.diagnostics import Cell, Diagnostic, Figure, Line, Share
from sitegen.models.task import Task
from sitegen.pages import addresses, labels

_ROOM = 49
"""Characters of a line that fit where three tables stand side by side."""

_SPACE = 3
"""Characters that the space before a column takes."""


@dataclass(frozen=True, slots=True)
class CellView:
    """What stands in a table. `note` says k of n, `bar` is a share of a full bar in percent, where there are any."""

    text: str
    note: str = ""
    bar: str = ""


@dataclass(frozen=True, slots=True)
class LineView:
    """A line of a table."""

    label: str
    cells: Sequence[CellView]


@dataclass(frozen=True, slots=True)
class GroupView:
    """Lines that have something in common; no title where all lines of a table do."""

    title: str
    lines: Sequence[LineView]


@dataclass(frozen=True, slots=True)
class TableView:
    """A diagnostic as its table needs it.

    Attributes:
        diagnostic: The diagnostic.
        caption: What it is about.
        groups: Its lines.
        total: All lines together, where that says something.
        note_width: Characters of the longest note.
        is_tall: Whether notes stand below their numbers, because beside them there is no room.
    """

    diagnostic: Diagnostic
    caption: str
    groups: Sequence[GroupView]
    total: LineView | None
    note_width: int
    is_tall: bool


@dataclass(frozen=True, slots=True)
class SectionView:
    """The diagnostics of a page, or of one track on it."""

    title: str
    anchor: str
    tables: Sequence[TableView]


def track_section(board: Board) -> SectionView | None:
    """Show how the rounds of a track went over all submissions; None where there is no data for it."""
    title = f"How the {_rounds(board)} went: {board.track.title}"
    return _section(title, _anchor(board), board.track.title, board.diagnosis.of_track)


def task_section(board: Board, task: Task) -> SectionView | None:
    """Show how the rounds of a task went over all submissions; None where there is no data for it."""
    return _section(f"How the {_rounds(board)} went", "diagnostics", task.name, board.diagnosis.of_task(task))


def submission_section(board: Board, entry: Entry) -> SectionView | None:
    """Show how the rounds of a submission went; None where there is no data for it."""
    found = board.diagnosis.of_submission(entry.id) if entry.sheet else ()
    return _section(f"How the {_rounds(board)} went", "diagnostics", entry.agent.name, found)


def diagnostics_address(board: Board) -> str | None:
    """Give the address of a track's diagnostics on its benchmark's page; None where there are none."""
    if not board.diagnosis.of_track:
        return None
    return f"{addresses.benchmark_address(board.benchmark.id)}#{_anchor(board)}"


def cell_view(cell: Cell) -> CellView:
    """Write what stands in a table; a gap is a dash."""
    if isinstance(cell, Figure):
        return _figure(cell)
    if isinstance(cell, Share) and cell.value is not None:
        percent = 100 * cell.value
        return CellView(f"{percent:.1f} %", f"{cell.k:,} of {cell.n:,}", f"{percent:.1f}%")
    return CellView(f"{cell:,}" if isinstance(cell, int) else GAP)


def _figure(figure: Figure) -> CellView:
    unit, decimals = figure.metric.unit, figure.metric.decimals
    number = f"{round(figure.value, decimals) + 0.0:.{decimals}f}"  # a zero has no sign
    if unit == "percent":
        return CellView(f"{number} %", bar=f"{figure.value:.1f}%")
    return CellView(number, bar=f"{100 * figure.value:.1f}%" if unit == "share" else "")


def _rounds(board: Board) -> str:
    return labels.rounds_word(board.benchmark, 2)


def _anchor(board: Board) -> str:
    return f"diagnostics-{board.track.id}"


def _section(title: str, anchor: str, subject: str, diagnostics: Sequence[Diagnostic]) -> SectionView | None:
    tables = [_table(diagnostic, subject) for diagnostic in diagnostics]
    return SectionView(title, anchor, tables) if tables else None


def _table(diagnostic: Diagnostic, subject: str) -> TableView:
    grouped = groupby(diagnostic.lines, key=lambda line: line.group)
    groups = [GroupView(title, list(map(_line, lines))) for title, lines in grouped]
    total = _line(diagnostic.total) if diagnostic.total else None
    shown = [*chain.from_iterable(group.lines for group in groups), *filter(None, [total])]
    note_width = max(len(cell.note) for line in shown for cell in line.cells)
    is_tall = _width(diagnostic.columns, shown) > _ROOM
    return TableView(diagnostic, f"{diagnostic.title}, {subject}", groups, total, note_width, is_tall)


def _width(heads: Sequence[str], lines: Sequence[LineView]) -> int:
    """Estimate the characters that lines take with their notes beside the numbers, and space between columns."""
    width = max(len(line.label) for line in lines)
    for head, *column in zip(heads, *(line.cells for line in lines), strict=True):
        cells = (len(cell.text) + len(cell.note) for cell in column)
        width += _SPACE + max(*map(len, head.split()), *cells)
    return width


def _line(line: Line) -> LineView:
    return LineView(line.label, [cell_view(cell) for cell in line.cells])
