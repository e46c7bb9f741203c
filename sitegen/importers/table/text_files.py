"""Read tables of delimited text: CSV, TSV and texts with other delimiters."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from sitegen.importers.kit.rules import CUT_OFF
from sitegen.importers.table import rules
from sitegen.importers.table.columns import AskedColumns, score_header
from sitegen.importers.table.tables import (
    DELIMITER_HINT,
    GUESSED_ENCODING,
    HEADER_ROWS,
    Chunk,
    TableFile,
    rows_to_chunks,
)
from sitegen.importers.table.values import Cell
from sitegen.problems import ProblemsError
from sitegen.reading.streams import (
    DelimitedRows,
    Dialect,
    RowError,
    TextFormat,
    first_rows,
    line_numbers,
    opened_text,
)

DELIMITERS = (",", "\t", ";", "|")


def text_table(path: Path, text: TextFormat, asked: AskedColumns) -> TableFile:
    """Return the table in a text file with delimiters."""
    is_named_after_tabs = ".tsv" in path.name or ".tab" in path.name
    dialect = guess_dialect(text.head, asked, prefers_tabs=is_named_after_tabs)
    table = TableFile(path, "line", delimiter=dialect.delimiter)
    if text.is_guessed:
        table.assumptions.append(GUESSED_ENCODING)
    table.chunks = _chunks(table, text, dialect, asked)
    return table


def guess_dialect(head: str, asked: AskedColumns, *, prefers_tabs: bool = False) -> Dialect:
    """Return the dialect of a delimited text, guessed from its beginning.

    The delimiter is chosen by which a row has the highest `score_header`; in a tie, the delimiter
    that splits the most rows into the same number of cells.

    Args:
        head: The beginning of the text.
        asked: The user's options about the columns.
        prefers_tabs: Whether tabs win over delimiters that split the text equally well.
    """
    hinted = head.removeprefix(DELIMITER_HINT)[:1]
    if head.startswith(DELIMITER_HINT) and hinted in DELIMITERS:
        delimiter = hinted
    else:
        delimiters = ("\t", *DELIMITERS) if prefers_tabs else DELIMITERS
        delimiter = max(delimiters, key=lambda mark: _quality(head, mark, asked))
    _, is_readable = first_rows(head, Dialect(delimiter), HEADER_ROWS)
    return Dialect(delimiter, has_escapes=not is_readable and '\\"' in head)


def _quality(head: str, delimiter: str, asked: AskedColumns) -> tuple[int, int]:
    """Return a measure of how well a delimiter splits the first rows of a text.

    Returns:
        The score of the header, and the number of rows of the usual width.
    """
    rows, _ = first_rows(head, Dialect(delimiter), HEADER_ROWS)
    scores = [score_header(cells, asked) for cells in rows]
    widths = [len(cells) for cells in rows if len(cells) > 1]
    return max(scores, default=0), max(map(widths.count, widths), default=0)


def _chunks(
    table: TableFile, text: TextFormat, dialect: Dialect, asked: AskedColumns
) -> Iterator[Chunk]:
    """Yield the rows of a delimited text.

    Raises:
        ProblemsError: The text is truncated, or is not written as rows of cells.
    """
    with opened_text(table.path, text.encoding) as stream:
        reader = _TextReader(table, text, stream, dialect)
        yield from rows_to_chunks(table, reader.take, asked, are_padded=False)
    if text.is_cut:
        message = "the file ends in the middle of a character"
        raise table.error(CUT_OFF, reader.rows.last_line, message)


class _TextReader:
    """Reads the rows of a delimited text."""

    def __init__(
        self, table: TableFile, text: TextFormat, stream: TextIO, dialect: Dialect
    ) -> None:
        self.table = table
        self.text = text
        self.rows = DelimitedRows(stream, dialect)

    def take(self, size: int) -> tuple[Sequence[int], Sequence[Sequence[Cell]]]:
        """Return the next rows with their line numbers.

        Raises:
            ProblemsError: The text is truncated, or is not written as rows of cells.
        """
        first = self.rows.last_line + 1
        try:
            rows = self.rows.take(size)
        except RowError as error:
            raise self._syntax_error(error) from error
        lines = line_numbers(rows, first, self.rows.last_line)
        if self.rows.is_ended and rows and not self.text.ends_with_line_break:
            self.table.unfinished_line = lines[-1]
        return lines, rows

    def _syntax_error(self, error: RowError) -> ProblemsError:
        """Return the error for a text that can't be split into cells."""
        if "unexpected end of data" not in str(error):
            message = f"the row can't be split into cells: {error}"
            return self.table.error(rules.SYNTAX, error.line, message)
        if self.text.ends_with_line_break:
            message = "a cell begins with a quote, but no quote ends it"
            return self.table.error(rules.SYNTAX, error.line, message)
        return self.table.error(CUT_OFF, error.line, "the file ends inside a quoted cell")
