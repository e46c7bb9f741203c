"""Diagnostics as tables, for the pages of benchmarks, tasks and submissions."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import NamedTuple, assert_never

from sitegen.board import GAP, Board
from sitegen.metrics.diagnostics import Cell, Diagnostic, Line, MetricValue, Share
from sitegen.pages import addresses, labels

_MAX_LINE_WIDTH = 49
"""Number of characters that fit on a line if three tables are side by side."""

_COLUMN_GAP = 3
"""Width of the space before a column, in characters."""


class CellView(NamedTuple):
    """A cell of a table."""

    text: str
    note: str = ""
    """The counts behind a share, such as "3 of 5"; empty for other numbers."""
    bar: str = ""
    """The length of its bar in percent; empty if it has no bar."""


LineView = tuple[str, Sequence[CellView]]
"""The label of a line of a table, and its cells."""


@dataclass(frozen=True, slots=True)
class DiagnosticTable:
    """A diagnostic as a table."""

    diagnostic: Diagnostic
    caption: str
    note_width: int
    """The length of the longest note, in characters."""
    is_tall: bool
    """Whether notes are shown below their numbers."""
    groups: Sequence[tuple[str, Sequence[LineView]]]
    """The titles of groups, each with its lines."""
    total: LineView | None


@dataclass(frozen=True, slots=True)
class DiagnosticsSection:
    """The diagnostics of a page, or of one track on it."""

    title: str
    anchor: str
    tables: Sequence[DiagnosticTable]


def section_of(
    board: Board, subject: str, diagnostics: Sequence[Diagnostic], track: str = ""
) -> DiagnosticsSection | None:
    """Return the diagnostics of a track, a task or a submission; None if there are none.

    Sections of several tracks appear on one page, so the title of a track's section names the
    track.
    """
    if not diagnostics:
        return None
    title = f"How the {labels.rounds_word(board.benchmark, 2)} went"
    anchor = "diagnostics"
    if track:
        title = f"{title}: {subject}"
        anchor = f"{anchor}-{track}"
    tables = [_table(diagnostic, subject) for diagnostic in diagnostics]
    return DiagnosticsSection(title, anchor, tables)


def _table(diagnostic: Diagnostic, subject: str) -> DiagnosticTable:
    """Return the table of a diagnostic; notes go below their numbers if the lines are too wide."""
    groups = []
    lines: list[LineView] = []
    for group_title, group_lines in groupby(diagnostic.lines, key=lambda line: line.group):
        line_views = list(map(_line_view, group_lines))
        groups.append((group_title, line_views))
        lines += line_views
    total = None
    if diagnostic.total:
        total = _line_view(diagnostic.total)
    if total:
        lines.append(total)
    all_cells = chain.from_iterable(cells for _, cells in lines)
    note_width = max(len(cell.note) for cell in all_cells)
    return DiagnosticTable(
        diagnostic=diagnostic,
        caption=f"{diagnostic.title}, {subject}",
        note_width=note_width,
        is_tall=_line_width(diagnostic.columns, lines) > _MAX_LINE_WIDTH,
        groups=groups,
        total=total,
    )


def _line_width(heads: Sequence[str], lines: Sequence[LineView]) -> int:
    """Return the width of a line in characters, with notes next to their numbers."""
    width = max(len(label) for label, _ in lines)
    columns = zip(*(cells for _, cells in lines), strict=True)
    for head, column in zip(heads, columns, strict=True):
        lengths = [len(cell.text) + len(cell.note) for cell in column]
        lengths += map(len, head.split())
        width += _COLUMN_GAP + max(lengths)
    return width


def diagnostics_address(board: Board) -> str | None:
    """Return the address of a track's diagnostics on its benchmark's page; None if it has none."""
    if not board.diagnosis.of_track:
        return None
    return f"{addresses.benchmark_address(board.benchmark.id)}#diagnostics-{board.track.id}"


def cell_view(cell: Cell) -> CellView:
    """Return a cell as it is displayed; a gap is a dash."""
    match cell:
        case MetricValue():
            return _figure_view(cell)
        case Share():
            return _share_view(cell)
        case int():
            return CellView(f"{cell:,}")
        case None:
            return CellView(GAP)
        case _:
            assert_never(cell)


def _figure_view(figure: MetricValue) -> CellView:
    """Return a metric's value; shares and percentages have a bar."""
    unit = figure.metric.unit
    decimals = figure.metric.decimals
    number = (
        f"{round(figure.value, decimals) + 0.0:.{decimals}f}"  # adding 0.0 drops a sign of zero
    )
    if unit == "percent":
        return CellView(f"{number} %", bar=f"{figure.value:.1f}%")
    if unit == "share":
        return CellView(number, bar=f"{100 * figure.value:.1f}%")
    return CellView(number)


def _share_view(share: Share) -> CellView:
    if share.value is None:
        return CellView(GAP)
    percent = 100 * share.value
    return CellView(f"{percent:.1f} %", f"{share.k:,} of {share.n:,}", f"{percent:.1f}%")


def _line_view(line: Line) -> LineView:
    return line.label, list(map(cell_view, line.cells))
