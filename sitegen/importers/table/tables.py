"""What every kind of file becomes: a table, read by columns, some thousand rows at a time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rules import CUT_OFF
from sitegen.importers.table import rules
from sitegen.importers.table.columns import SURE, Asked, header_score
from sitegen.importers.table.values import Cell
from sitegen.problems import ProblemsError, Rule, counted, listed

SAMPLE_ROWS = 1_000
"""Rows of the first chunk: what columns mean is found out from them."""
CHUNK_ROWS = 10_000
CHUNK_CELLS = 400_000
"""Cells of a chunk, at most: a table may have thousands of columns."""

GUESSED_ENCODING = "the file is no UTF-8, and its letters are those of Windows-1252 (Latin-1)"

DELIMITER_HINT = "sep="
"""What a first line begins with that tells Excel what separates the cells."""

HEADER_ROWS = 20
"""Rows among which the names of the columns are looked for."""


class Chunk(NamedTuple):
    """Some rows of a table, by columns."""

    names: Sequence[str]
    """Names of the columns, in the order of the table; later chunks may have more at the end."""
    lines: Sequence[int]
    """Where each row stands: its line in a text, its row in a sheet, else its number."""
    columns: Sequence[Sequence[Cell]]
    """The cells of each column."""

    def rows(self, are_kept: Sequence[bool]) -> "Chunk":
        """Return only some of the rows."""
        if all(are_kept):
            return self
        columns = [list(compress(column, are_kept)) for column in self.columns]
        return Chunk(self.names, list(compress(self.lines, are_kept)), columns)


@dataclass(slots=True)
class Table:
    """A table in a file."""

    path: Path
    place: Literal["line", "row"]
    """What the numbers of its rows count."""
    chunks: Iterator[Chunk] = field(default_factory=lambda: iter(()))
    delimiter: str = ""
    """What separates its cells, in a text."""
    is_part: bool = False
    """Whether it is one of several things in a document, or a single row: no table to be sure."""
    unfinished_line: int | None = None
    """The line of the last row, if the file does not end with a line break."""
    notes: list[str] = field(default_factory=list)
    """What was left out of the file before its rows were read, and after."""
    assumptions: list[str] = field(default_factory=list)
    """What was taken for granted about the file, as clauses."""

    def stop(
        self, rule: Rule, line: int | None, message: str, fix: str | None = None
    ) -> ProblemsError:
        """Return the error that ends the reading."""
        return ProblemsError([rule.broken(self.path, line, message, fix)])


TakeRows: TypeAlias = Callable[[int], tuple[Sequence[int], Sequence[Sequence[Cell]]]]
"""Gives the next rows of a file with their numbers, at most so many, and none at its end."""


class Row(NamedTuple):
    """A row as the file has it."""

    line: int
    cells: Sequence[Cell]


def filled(cells: Iterable[Cell]) -> int:
    """Return how many cells of a row hold something."""
    texts = ["" if cell is None else str(cell).strip() for cell in cells]
    return len(texts) - texts.count("")


def header_position(rows: Sequence[Row], asked: Asked) -> int | None:
    """Return which of the first rows names the columns; None if no row holds anything."""
    scores = [header_score(row.cells, asked) for row in rows]
    widths = [len(row.cells) for row in rows if len(row.cells) > 1 and filled(row.cells)]
    usual_width = max(widths, key=widths.count, default=1)
    for score in (SURE, 1):
        for position, row in enumerate(rows):
            if scores[position] >= score and len(row.cells) > 1:
                return position
    for position, row in enumerate(rows):
        if len(row.cells) == usual_width and filled(row.cells):
            return position
    return next((position for position, row in enumerate(rows) if filled(row.cells)), None)


def rows_to_chunks(
    table: Table, take: TakeRows, asked: Asked, *, are_padded: bool
) -> Iterator[Chunk]:
    """Turn rows, one of which names the columns, into chunks.

    Args:
        table: Takes notes about what is left out.
        take: Gives the next rows of the file, as many as are asked for, and none at its end.
        asked: What the user says about columns.
        are_padded: Whether a row may end before the last column, if its further cells are empty.
    """
    lines, cells = take(HEADER_ROWS)
    head = list(map(Row, lines, cells))
    position = header_position(head, asked)
    if position is None:
        return
    note_rows_above(table, head[:position])
    names = names_of(head[position].cells, are_padded=are_padded)
    first_rows = head[position + 1 :]
    if not are_padded and has_row_numbers(first_rows, len(names)):
        names.insert(0, "")
    tidier = RowTidier(table, names, are_padded=are_padded)
    more_lines, more_cells = take(chunk_size(len(names), SAMPLE_ROWS))
    lines = [*(row.line for row in first_rows), *more_lines]
    cells = [*(row.cells for row in first_rows), *more_cells]
    while lines:
        yield tidier.chunk(lines, cells)
        lines, cells = take(chunk_size(len(names), CHUNK_ROWS))
    table.notes += tidier.notes()


def has_row_numbers(rows: Sequence[Row], width: int) -> bool:
    """Return whether rows have a number in front of the cells of the columns, as R writes them."""
    if not rows or any(len(row.cells) != width + 1 for row in rows):
        return False
    numbers = {str(row.cells[0]) for row in rows}
    return len(numbers) == len(rows) and all(map(str.isdecimal, numbers))


def chunk_size(width: int, most: int) -> int:
    """Return how many rows of a table of some columns are read at once."""
    return max(1, min(most, CHUNK_CELLS // max(1, width)))


def names_of(cells: Sequence[Cell], *, are_padded: bool) -> list[str]:
    """Return the names of columns; in files that pad their rows without empty ones at the end."""
    names = ["" if cell is None else clean_name(str(cell)) for cell in cells]
    while are_padded and names and not names[-1]:
        names.pop()
    return names


def clean_name(name: str) -> str:
    """Return the name of a column as it can be shown."""
    return one_line(name.lstrip("\ufeff"))


def note_rows_above(table: Table, rows: Sequence[Row]) -> None:
    """Note the rows above the names of the columns that hold something."""
    texts = [str(next(filter(None, row.cells))) for row in rows if filled(row.cells)]
    texts = [text for text in texts if not text.startswith(DELIMITER_HINT)]
    if texts:
        shown_texts = listed(map(one_line, texts), 3)
        table.notes.append(f"left out above the names of the columns: {shown_texts}")


class RowTidier:
    """Brings rows to the width of their table, and leaves out those that hold no data."""

    def __init__(self, table: Table, names: Sequence[str], *, are_padded: bool) -> None:
        self.table = table
        self.names = list(names)
        self.are_padded = are_padded
        self.repeated_headers: list[int] = []
        self.comments: list[int] = []

    def chunk(self, lines: Sequence[int], rows: Sequence[Sequence[Cell]]) -> Chunk:
        """Return rows as a chunk.

        Raises:
            ProblemsError: A row has other cells than there are columns.
        """
        width = len(self.names)
        is_tidy = set(map(len, rows)) == {width} and all(map(any, rows)) and self.names not in rows
        if not is_tidy:
            lines, rows = self._tidied(lines, rows)
        columns: Sequence[Sequence[Cell]] = list(zip(*rows, strict=True)) if rows else [()] * width
        return Chunk(self.names, lines, columns)

    def _tidied(
        self, lines: Sequence[int], rows: Sequence[Sequence[Cell]]
    ) -> tuple[list[int], list[Sequence[Cell]]]:
        """Return the rows that hold data, each with a cell for each column."""
        kept_lines: list[int] = []
        kept_rows: list[Sequence[Cell]] = []
        for line, cells in zip(lines, rows, strict=True):
            row = self._row(line, cells)
            if row is not None:
                kept_lines.append(line)
                kept_rows.append(row)
        return kept_lines, kept_rows

    def _row(self, line: int, cells: Sequence[Cell]) -> Sequence[Cell] | None:
        """Return the cells of a row that holds data; None for another one."""
        if not filled(cells):
            return None
        width = len(self.names)
        if names_of(cells, are_padded=self.are_padded) == self.names:
            self.repeated_headers.append(line)
            return None
        if len(cells) == width:
            return cells
        first = cells[0]
        if isinstance(first, str) and first.lstrip().startswith("#"):
            self.comments.append(line)
            return None
        if len(cells) > width and not filled(cells[width:]):
            return cells[:width]
        if len(cells) < width and self.are_padded:
            return [*cells, *[None] * (width - len(cells))]
        if len(cells) < width and line == self.table.unfinished_line:
            message = f"the file ends in the middle of a row, after {len(cells)} of {width} cells"
            raise self.table.stop(CUT_OFF, line, message)
        message = f"{counted(len(cells), 'cell')} under {counted(width, 'column')}"
        raise self.table.stop(rules.SYNTAX, line, message)

    def notes(self) -> list[str]:
        """Return what was left out, as notes."""
        notes = []
        if self.repeated_headers:
            where = listed(map(str, self.repeated_headers), 5)
            notes.append(
                f"left out: the names of the columns, which come again in {self.table.place} {where}"
            )
        if self.comments:
            where = listed(map(str, self.comments), 5)
            notes.append(f"left out: comments in {self.table.place} {where}")
        return notes
