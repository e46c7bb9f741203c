"""Read tables in Excel workbooks, row by row."""

import io
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import openpyxl

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rules import CUT_OFF, SOURCE_BROKEN
from sitegen.importers.table import rules
from sitegen.importers.table.columns import AskedColumns, can_be_needed, score_header
from sitegen.importers.table.tables import (
    HEADER_ROWS,
    SAMPLE_ROWS,
    Chunk,
    FileRow,
    TableFile,
    count_filled,
    find_header,
    rows_to_chunks,
)
from sitegen.importers.table.values import Cell, json_cell
from sitegen.problems import ProblemsError, listed
from sitegen.reading.streams import has_zip_directory, opened_stream

MAX_MERGED_SIZE = 4 * 1024 * 1024
"""Maximum size, in bytes, of a workbook to search for merged cells; the search loads all of it."""


def excel_table(path: Path, asked: AskedColumns) -> TableFile:
    """Return the table in a workbook, from the sheet that looks most like a table."""
    table = TableFile(path, "row")
    table.chunks = _chunks(table, asked)
    return table


def _chunks(table: TableFile, asked: AskedColumns) -> Iterator[Chunk]:
    """Yield the rows of a workbook.

    Raises:
        ProblemsError: The file is truncated, or is not a workbook.
    """
    with opened_stream(table.path) as stream:
        file = io.BytesIO(stream.read())
    if not has_zip_directory(file):
        raise table.error(CUT_OFF, None, "the workbook lacks its end, where its parts are listed")
    try:
        with warnings.catch_warnings():
            # The library warns about styles and charts that it ignores.
            warnings.simplefilter("ignore")
            yield from _sheet_chunks(table, file, asked)
    except ProblemsError:
        raise
    except Exception as error:  # the library's exceptions for broken workbooks share no base class
        message = f"the workbook can't be read: {one_line(str(error)) or type(error).__name__}"
        raise table.error(SOURCE_BROKEN, None, message) from error


def _sheet_chunks(table: TableFile, file: BinaryIO, asked: AskedColumns) -> Iterator[Chunk]:
    """Yield the rows of the sheet that looks most like a table."""
    workbook = openpyxl.load_workbook(file, read_only=True, data_only=True)
    heads = {}
    for sheet in workbook.worksheets:
        head = list(islice(_rows(sheet), HEADER_ROWS))
        if any(count_filled(row.cells) for row in head):
            heads[sheet.title] = head
    if not heads:
        return
    title = max(heads, key=lambda name: _score_sheet(heads[name], asked))
    left_out = [one_line(name) for name in heads if name != title]
    if left_out:
        sheets = f"the sheet {one_line(title)}; left out: the sheets {listed(left_out)}"
        table.notes.append(f"read: {sheets}")
    _check_formulas(table, file, title, heads[title], asked)
    rows = _with_merged_cells(_rows(workbook[title]), _merged_cells(file, title))

    def take(size: int) -> tuple[Sequence[int], Sequence[Sequence[Cell]]]:
        next_rows = list(islice(rows, size))
        return [row.line for row in next_rows], [row.cells for row in next_rows]

    yield from rows_to_chunks(table, take, asked, are_padded=True)


def _score_sheet(head: Sequence[FileRow], asked: AskedColumns) -> int:
    """Return the highest `score_header` of the first rows of a sheet."""
    scores = [score_header(row.cells, asked) for row in head]
    return max(scores)


def _rows(sheet: Any) -> Iterator[FileRow]:  # noqa: ANN401 - the library has no types
    """Yield the rows of a sheet, beginning with the first."""
    sheet.reset_dimensions()  # some programs state too few rows
    for number, values in enumerate(sheet.iter_rows(values_only=True), start=1):
        yield FileRow(number, list(map(json_cell, values)))


def _merged_cells(file: BinaryIO, title: str) -> dict[int, list[int]]:
    """Return the cells that are merged with the cell above, as in the index of a data frame.

    Returns:
        The positions of merged cells by row number; empty for a large workbook.
    """
    if file.seek(0, io.SEEK_END) > MAX_MERGED_SIZE:
        return {}
    merged: defaultdict[int, list[int]] = defaultdict(list)
    sheet = openpyxl.load_workbook(file, data_only=True)[title]
    for cells in sheet.merged_cells.ranges:
        for row in range(cells.min_row + 1, cells.max_row + 1):
            merged[row].append(cells.min_col - 1)
    return dict(merged)


def _with_merged_cells(
    rows: Iterator[FileRow], merged: Mapping[int, Sequence[int]]
) -> Iterator[FileRow]:
    """Yield rows in which merged cells repeat the content of the cell above."""
    above: Sequence[Cell] = []
    for row in rows:
        cells = list(row.cells)
        for position in merged.get(row.line, ()):
            if position < min(len(cells), len(above)) and cells[position] is None:
                cells[position] = above[position]
        above = cells
        yield FileRow(row.line, cells)


def _check_formulas(
    table: TableFile, file: BinaryIO, title: str, head: Sequence[FileRow], asked: AskedColumns
) -> None:
    """Check that the workbook stores the results of formulas in the table's columns.

    Programs that write workbooks without computing them leave the results empty.

    Raises:
        ProblemsError: At least one result is not stored.
    """
    position = find_header(head, asked)
    header = () if position is None else head[position].cells
    needed = [number for number, name in enumerate(header) if can_be_needed(name, asked)]
    formulas = openpyxl.load_workbook(file, read_only=True)
    results = openpyxl.load_workbook(file, read_only=True, data_only=True)
    pairs = zip(_rows(formulas[title]), _rows(results[title]), strict=False)
    for written, computed in islice(pairs, SAMPLE_ROWS):
        for number in needed:
            if number >= min(len(written.cells), len(computed.cells)):
                continue
            cell = written.cells[number]
            if isinstance(cell, str) and cell.startswith("=") and computed.cells[number] is None:
                message = f"`{header[number]}` contains a formula without a stored result: {cell}"
                fix = "open the workbook in a spreadsheet program and save it, then import it again"
                raise table.error(rules.VALUE, written.line, message, fix)
