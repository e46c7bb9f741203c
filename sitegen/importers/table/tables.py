"""Represent a file of any kind as a table: chunks of a few thousand rows, stored by column."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rules import CUT_OFF
from sitegen.importers.table import rules
from sitegen.importers.table.columns import AskedColumns, score_header
from sitegen.importers.table.values import Cell
from sitegen.problems import ProblemsError, Rule, counted, listed

SAMPLE_ROWS = 1_000
"""Number of rows in the first chunk, from which the meanings of columns are determined."""
CHUNK_ROWS = 10_000
CHUNK_CELLS = 400_000
"""Maximum number of cells in a chunk; a table may have thousands of columns."""

GUESSED_ENCODING = "the file is not UTF-8, so it is read as Windows-1252 (Latin-1)"

DELIMITER_HINT = "sep="
"""The start of a first line that tells Excel the delimiter of the text."""

HEADER_ROWS = 20
"""Number of rows at the start of a file in which the column names are searched for."""


class Chunk(NamedTuple):
    """Consecutive rows of a table, stored by column."""

    names: Sequence[str]
    """Names of the columns, in the order of the table; later chunks may have more at the end."""
    lines: Sequence[int]
    """The number of each row: its line in a text, its row in a sheet, or its position."""
    columns: Sequence[Sequence[Cell]]
    """The cells of each column."""

    def keep(self, are_kept: Sequence[bool]) -> "Chunk":
        """Return only the rows of the chunk that are marked as kept."""
        if all(are_kept):
            return self
        columns = [list(compress(column, are_kept)) for column in self.columns]
        return Chunk(self.names, list(compress(self.lines, are_kept)), columns)


@dataclass(slots=True)
class TableFile:
    """A table in a file."""

    path: Path
    row_noun: Literal["line", "row"]
    """The unit that the row numbers count."""
    chunks: Iterator[Chunk] = field(default_factory=lambda: iter(()))
    delimiter: str = ""
    """The separator of the cells, in a text file."""
    is_part: bool = False
    """Whether the data are part of a document or a single row, and so may not be a table."""
    unfinished_line: int | None = None
    """The line of the last row, if the file does not end with a line break."""
    notes: list[str] = field(default_factory=list)
    """Notes on parts of the file that were left out, one line each."""
    assumptions: list[str] = field(default_factory=list)
    """Assumptions about the file, as clauses."""

    def error(
        self, rule: Rule, line: int | None, message: str, fix: str | None = None
    ) -> ProblemsError:
        """Return the error that ends the reading of the file."""
        return ProblemsError([rule.broken(self.path, line, message, fix)])


TakeRows: TypeAlias = Callable[[int], tuple[Sequence[int], Sequence[Sequence[Cell]]]]
"""A function that returns the numbers and the cells of at most N next rows; empty at the end."""


class FileRow(NamedTuple):
    """A row as written in the file."""

    line: int
    cells: Sequence[Cell]


def count_filled(cells: Iterable[Cell]) -> int:
    """Return the number of cells of a row that are not empty."""
    texts = [str(cell).strip() for cell in cells if cell is not None]
    return len(texts) - texts.count("")


def find_header(rows: Sequence[FileRow], asked: AskedColumns) -> int | None:
    """Return the index of the row that names the columns; None if all rows are empty.

    The row with the highest `score_header` is chosen or, if no row scores, the first row of the
    usual width.
    """
    filled_rows = [position for position, row in enumerate(rows) if count_filled(row.cells)]
    wide_rows = [position for position in filled_rows if len(rows[position].cells) > 1]
    scores = {position: score_header(rows[position].cells, asked) for position in wide_rows}
    best = max(wide_rows, key=scores.__getitem__, default=None)
    if best is not None and scores[best] > 0:
        return best
    widths = [len(rows[position].cells) for position in wide_rows]
    usual_width = max(widths, key=widths.count, default=1)
    for position in filled_rows:
        if len(rows[position].cells) == usual_width:
            return position
    return next(iter(filled_rows), None)


def rows_to_chunks(
    table: TableFile, take: TakeRows, asked: AskedColumns, *, are_padded: bool
) -> Iterator[Chunk]:
    """Yield the rows below the column names as chunks.

    Args:
        table: Receives notes about rows that are left out.
        take: Returns the next rows of the file.
        asked: The user's options about the columns.
        are_padded: Whether a row may end before the last column if its remaining cells are empty.
    """
    lines, cells = take(HEADER_ROWS)
    head = list(map(FileRow, lines, cells))
    position = find_header(head, asked)
    if position is None:
        return
    note_rows_above(table, head[:position])
    names = read_names(head[position].cells, are_padded=are_padded)
    first_rows = head[position + 1 :]
    if not are_padded and has_row_numbers(first_rows, len(names)):
        names.insert(0, "")
    tidier = RowTidier(table, names, are_padded=are_padded)
    next_lines, next_cells = take(chunk_size(len(names), SAMPLE_ROWS))
    lines = [row.line for row in first_rows]
    lines += next_lines
    cells = [row.cells for row in first_rows]
    cells += next_cells
    while lines:
        yield tidier.chunk(lines, cells)
        lines, cells = take(chunk_size(len(names), CHUNK_ROWS))
    table.notes += tidier.notes()


def has_row_numbers(rows: Sequence[FileRow], width: int) -> bool:
    """Return whether rows have a number before the cells of the columns, as written by R."""
    if not rows or any(len(row.cells) != width + 1 for row in rows):
        return False
    numbers = {str(row.cells[0]) for row in rows}
    return len(numbers) == len(rows) and all(map(str.isdecimal, numbers))


def chunk_size(width: int, max_rows: int) -> int:
    """Return the number of rows to read at once from a table that has `width` columns."""
    return max(1, min(max_rows, CHUNK_CELLS // max(1, width)))


def read_names(cells: Sequence[Cell], *, are_padded: bool) -> list[str]:
    """Return the names of columns; trailing empty names are dropped if the file pads its rows."""
    names = ["" if cell is None else clean_name(str(cell)) for cell in cells]
    while are_padded and names and not names[-1]:
        names.pop()
    return names


def clean_name(name: str) -> str:
    """Return the name of a column, cleaned for display."""
    return one_line(name.lstrip("\ufeff"))


def note_rows_above(table: TableFile, rows: Sequence[FileRow]) -> None:
    """Note the non-empty rows above the names of the columns."""
    texts = []
    for row in rows:
        if not count_filled(row.cells):
            continue
        first_cell = str(next(filter(None, row.cells)))
        if not first_cell.startswith(DELIMITER_HINT):
            texts.append(first_cell)
    if texts:
        shown_texts = listed(map(one_line, texts), 3)
        table.notes.append(f"left out above the names of the columns: {shown_texts}")


class RowTidier:
    """Adjusts rows to the width of their table, and leaves out rows without data."""

    def __init__(self, table: TableFile, names: Sequence[str], *, are_padded: bool) -> None:
        self.table = table
        self.names = list(names)
        self.are_padded = are_padded
        self.repeated_headers: list[int] = []
        self.comments: list[int] = []

    def chunk(self, lines: Sequence[int], rows: Sequence[Sequence[Cell]]) -> Chunk:
        """Return rows as a chunk.

        Raises:
            ProblemsError: A row has more or fewer cells than there are columns.
        """
        width = len(self.names)
        # A quick test that few chunks fail.
        has_full_rows = set(map(len, rows)) == {width} and all(map(any, rows))
        if not has_full_rows or self.names in rows:
            lines, rows = self._tidy_rows(lines, rows)
        columns: Sequence[Sequence[Cell]] = [()] * width
        if rows:
            columns = list(zip(*rows, strict=True))
        return Chunk(self.names, lines, columns)

    def _tidy_rows(
        self, lines: Sequence[int], rows: Sequence[Sequence[Cell]]
    ) -> tuple[list[int], list[Sequence[Cell]]]:
        """Return the rows with data, each with a cell for each column."""
        tidy_lines: list[int] = []
        tidy_rows: list[Sequence[Cell]] = []
        for line, cells in zip(lines, rows, strict=True):
            row = self._row(line, cells)
            if row is not None:
                tidy_lines.append(line)
                tidy_rows.append(row)
        return tidy_lines, tidy_rows

    def _row(self, line: int, cells: Sequence[Cell]) -> Sequence[Cell] | None:
        """Return the cells of a row with data; None for an empty row, a comment or a header."""
        if not count_filled(cells):
            return None
        width = len(self.names)
        if read_names(cells, are_padded=self.are_padded) == self.names:
            self.repeated_headers.append(line)
            return None
        if len(cells) == width:
            return cells
        first = cells[0]
        if isinstance(first, str) and first.lstrip().startswith("#"):
            self.comments.append(line)
            return None
        if len(cells) > width and not count_filled(cells[width:]):
            return cells[:width]
        if len(cells) < width and self.are_padded:
            return [*cells, *[None] * (width - len(cells))]
        if len(cells) < width and line == self.table.unfinished_line:
            message = f"the file ends in the middle of a row, after {len(cells)} of {width} cells"
            raise self.table.error(CUT_OFF, line, message)
        message = f"{counted(len(cells), 'cell')} under {counted(width, 'column')}"
        raise self.table.error(rules.SYNTAX, line, message)

    def notes(self) -> list[str]:
        """Return notes about repeated column names and comments that were left out."""
        notes = []
        if self.repeated_headers:
            lines = listed(map(str, self.repeated_headers), 5)
            location = f"{self.table.row_noun} {lines}"
            notes.append(f"left out: the column names, which are repeated in {location}")
        if self.comments:
            lines = listed(map(str, self.comments), 5)
            notes.append(f"left out: comments in {self.table.row_noun} {lines}")
        return notes
