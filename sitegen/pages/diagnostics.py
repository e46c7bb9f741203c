"""Diagnostics as tables: on the pages of a benchmark, a task and a submission."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

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


class CellView(NamedTuple):
    """What stands in a table. `note` says k of n, `bar` is a share of a full bar in percent, where there are any."""

    text: str
    note: str = ""
    bar: str = ""


LineView = tuple[str, Sequence[CellView]]
"""What a line of a table is about, and its cells."""


@dataclass(frozen=True, slots=True)
class TableView:
    """A diagnostic as its table needs it, about a subject."""

    diagnostic: Diagnostic
    caption: str

    @property
    def groups(self) -> list[tuple[str, list[LineView]]]:
        """Its lines by what they have in common; no title where all do."""
        grouped = groupby(self.diagnostic.lines, key=lambda line: line.group)
        return [(title, list(map(_line, lines))) for title, lines in grouped]

    @property
    def total(self) -> LineView | None:
        """All lines together, where that says something."""
        return _line(self.diagnostic.total) if self.diagnostic.total else None

    @property
    def _shown(self) -> list[LineView]:
        total = self.diagnostic.total
        return list(map(_line, [*self.diagnostic.lines, *([total] if total else [])]))

    @property
    def note_width(self) -> int:
        """Characters of the longest note."""
        return max(len(cell.note) for _, cells in self._shown for cell in cells)

    @property
    def is_tall(self) -> bool:
        """Whether notes stand below their numbers, because beside them, with space between columns, is no room."""
        width = max(len(label) for label, _ in self._shown)
        for head, *column in zip(self.diagnostic.columns, *(cells for _, cells in self._shown), strict=True):
            width += _SPACE + max(*map(len, head.split()), *(len(cell.text) + len(cell.note) for cell in column))
        return width > _ROOM


class SectionView(NamedTuple):
    """The diagnostics of a page, or of one track on it."""

    title: str
    anchor: str
    tables: Sequence[TableView]


def track_section(board: Board) -> SectionView | None:
    """Show how the rounds of a track went over all submissions; None where there is no data for it."""
    title = f"How the {labels.rounds_word(board.benchmark, 2)} went: {board.track.title}"
    return _section(title, f"diagnostics-{board.track.id}", board.track.title, board.diagnosis.of_track)


def task_section(board: Board, task: Task) -> SectionView | None:
    """Show how the rounds of a task went over all submissions; None where there is no data for it."""
    title = f"How the {labels.rounds_word(board.benchmark, 2)} went"
    return _section(title, "diagnostics", task.name, board.diagnosis.of_task(task))


def submission_section(board: Board, entry: Entry) -> SectionView | None:
    """Show how the rounds of a submission went; None where there is no data for it."""
    title = f"How the {labels.rounds_word(board.benchmark, 2)} went"
    found = board.diagnosis.of_submission(entry.id) if entry.sheet else ()
    return _section(title, "diagnostics", entry.agent.name, found)


def _section(title: str, anchor: str, subject: str, diagnostics: Sequence[Diagnostic]) -> SectionView | None:
    tables = [TableView(each, f"{each.title}, {subject}") for each in diagnostics]
    return SectionView(title, anchor, tables) if tables else None


def diagnostics_address(board: Board) -> str | None:
    """Tell where a track's diagnostics stand on its benchmark's page; None where there are none."""
    if not board.diagnosis.of_track:
        return None
    return f"{addresses.benchmark_address(board.benchmark.id)}#diagnostics-{board.track.id}"


def cell_view(cell: Cell) -> CellView:
    """Write what stands in a table; a gap is a dash."""
    if isinstance(cell, Figure):
        unit, decimals = cell.metric.unit, cell.metric.decimals
        number = f"{round(cell.value, decimals) + 0.0:.{decimals}f}"  # a zero has no sign
        if unit == "percent":
            return CellView(f"{number} %", bar=f"{cell.value:.1f}%")
        return CellView(number, bar=f"{100 * cell.value:.1f}%" if unit == "share" else "")
    if isinstance(cell, Share) and cell.value is not None:
        percent = 100 * cell.value
        return CellView(f"{percent:.1f} %", f"{cell.k:,} of {cell.n:,}", f"{percent:.1f}%")
    return CellView(f"{cell:,}" if isinstance(cell, int) else GAP)


def _line(line: Line) -> LineView:
    return line.label, [cell_view(cell) for cell in line.cells]
