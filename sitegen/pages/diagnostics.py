"""Diagnostics as tables: on the pages of a benchmark, a task and a submission."""

from collections.abc import Mapping, Sequence
from itertools import chain, groupby
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.score import GAP
from sitegen.metrics.diagnostics import Cell, Diagnostic, Figure, Line, Share
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

Section = Mapping[str, object]
"""The diagnostics of a page, or of one track on it; `diagnostics.html.j2` says what is in it."""


def section_of(
    board: Board, subject: str, diagnostics: Sequence[Diagnostic], track: str = ""
) -> Section | None:
    """Show how the rounds of a track, a task or a submission went; None where there is no data for it.

    Of a track's, which stand beside others, the title tells which; of the others the page does.
    """
    title = (
        f"How the {labels.rounds_word(board.benchmark, 2)} went{f': {subject}' if track else ''}"
    )
    tables = [_table(each, f"{each.title}, {subject}") for each in diagnostics]
    anchor = f"diagnostics-{track}" if track else "diagnostics"
    return {"title": title, "anchor": anchor, "tables": tables} if tables else None


def _table(diagnostic: Diagnostic, caption: str) -> Mapping[str, object]:
    """Lay a diagnostic out; notes stand below their numbers where there is no room beside them."""
    total = _line(diagnostic.total) if diagnostic.total else None
    groups = [
        (title, list(map(_line, lines)))
        for title, lines in groupby(diagnostic.lines, key=lambda line: line.group)
    ]
    shown = [*chain.from_iterable(lines for _, lines in groups), *([total] if total else [])]
    width = max(len(label) for label, _ in shown)
    for head, *column in zip(diagnostic.columns, *(cells for _, cells in shown), strict=True):
        width += _SPACE + max(
            *map(len, head.split()), *(len(cell.text) + len(cell.note) for cell in column)
        )
    note_width = max(len(cell.note) for _, cells in shown for cell in cells)
    about = {
        "diagnostic": diagnostic,
        "caption": caption,
        "note_width": note_width,
        "is_tall": width > _ROOM,
    }
    return {**about, "groups": groups, "total": total}


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
