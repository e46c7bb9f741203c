"""Read tables in Markdown documents, and tables that databases print with lines of dashes."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.kit.rules import CUT_OFF
from sitegen.importers.table import rules
from sitegen.importers.table.columns import AskedColumns, score_header
from sitegen.importers.table.tables import (
    GUESSED_ENCODING,
    Chunk,
    TableFile,
    TakeRows,
    rows_to_chunks,
)
from sitegen.importers.table.values import Cell
from sitegen.problems import counted
from sitegen.reading.streams import TextFormat, opened_text

_RULE_MARKS = frozenset("|+:=- \t\r\n")
"""Characters of a line between the column names and the rows: `|---|:--:|`, `+----+----+`."""
_SEPARATOR = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MAX_STYLED_LENGTH = 1_000
"""Maximum length of a cell that is searched for links and emphasis."""
_EMPHASIS = re.compile(r"(\*\*|__|\*|`)(.+)\1")


class _Line(NamedTuple):
    """A line of a document."""

    number: int
    text: str


class _Table(NamedTuple):
    """A table of a document: its column names, the line of dashes below them, and its rows."""

    header: _Line
    rule: _Line
    rows: Sequence[_Line]


def has_markdown_table(head: str) -> bool:
    """Return whether a text contains a Markdown table.

    The line below the column names needs three dashes or a colon, because `-` and `--` may be cells
    of a text delimited by `|`.
    """
    lines = [_Line(number, line) for number, line in enumerate(head.splitlines(), start=1)]
    return any(_is_long_rule(table.rule.text) for table in _tables(lines))


def markdown_table(path: Path, text: TextFormat, asked: AskedColumns) -> TableFile:
    """Return the table of results in a Markdown document."""
    table = TableFile(path, "line", delimiter="|")
    if text.is_guessed:
        table.assumptions.append(GUESSED_ENCODING)
    table.chunks = _chunks(table, text, asked)
    return table


def _chunks(table: TableFile, text: TextFormat, asked: AskedColumns) -> Iterator[Chunk]:
    """Yield the rows of the only table that looks like results.

    Raises:
        ProblemsError: Several tables look alike, or the last row is truncated.
    """
    with opened_text(table.path, text.encoding) as stream:
        lines = [_Line(number, line) for number, line in enumerate(stream, start=1)]
    tables = list(_tables(lines))
    if not tables:
        message = f"{table.path.name} has no table: a table begins with column names and `| --- |`"
        raise table.error(rules.FORMAT, None, message)
    scores = [score_header(_cells(item.header.text), asked) for item in tables]
    best_tables = [item for item, score in zip(tables, scores, strict=True) if score == max(scores)]
    if len(best_tables) > 1:
        starts = " and ".join(str(item.header.number) for item in best_tables[:3])
        message = f"the document has several tables of results, for example in lines {starts}"
        fix = "keep one of the tables in the file, or import each from a file of its own"
        raise table.error(rules.FORMAT, None, message, fix)
    if len(tables) > 1:
        table.notes.append(f"left out: {counted(len(tables) - 1, 'other table')} of the document")
    results = best_tables[0]
    last = lines[-1]
    if results.rows[-1:] == [last] and not text.ends_with_line_break:
        table.unfinished_line = last.number
        if _is_closed(results.header.text) and not _is_closed(last.text):
            raise table.error(CUT_OFF, last.number, "the file ends in the middle of a row")
    take = _row_reader([results.header, *results.rows])
    yield from rows_to_chunks(table, take, asked, are_padded=False)


def _is_closed(line: str) -> bool:
    """Return whether a row ends with a separator."""
    return line.rstrip().endswith("|")


def _tables(lines: Sequence[_Line]) -> Iterator[_Table]:
    """Yield the tables of a document: adjacent lines with separators, the second with dashes."""
    block: list[_Line] = []
    for line in lines:
        if "|" in line.text or _is_rule(line.text):
            block.append(line)
            continue
        yield from _table_in(block)
        block = []
    yield from _table_in(block)


def _table_in(block: Sequence[_Line]) -> Iterator[_Table]:
    """Yield the table in adjacent lines with separators, if they form a table."""
    if block and _is_long_rule(block[0].text):  # the upper edge of a table from a database
        block = block[1:]
    if len(block) < 2 or not _is_rule(block[1].text):  # noqa: PLR2004 - names and dashes
        return
    rows = [line for line in block[2:] if not _is_long_rule(line.text)]
    if len(_cells(block[0].text)) > 1:
        yield _Table(block[0], block[1], rows)


def _is_rule(line: str) -> bool:
    """Return whether a line has only dashes and separators, with at least one of each."""
    has_separator = "|" in line or "+" in line
    return has_separator and "-" in line and _RULE_MARKS.issuperset(line)


def _is_long_rule(line: str) -> bool:
    """Return whether a line of dashes can't be a row whose cells are `-` or `--`."""
    return _is_rule(line) and ("---" in line or ":-" in line or "-:" in line)


def _cells(line: str) -> list[Cell]:
    """Return the cells of a row as plain text."""
    text = line.strip()
    if text.startswith("|"):
        text = text[1:]
        if not text.endswith(r"\|"):
            text = text.removesuffix("|")
    return [_plain(cell) for cell in _SEPARATOR.split(text)]


def _plain(cell: str) -> str:
    """Return the text of a cell without links, emphasis and escapes."""
    text = cell.replace(r"\|", "|").strip()
    if len(text) > _MAX_STYLED_LENGTH:
        return text
    text = _LINK.sub(r"\1", text)
    while match := _EMPHASIS.fullmatch(text):
        text = match[2].strip()
    return text


def _row_reader(lines: Sequence[_Line]) -> TakeRows:
    """Return a function that takes the next rows of a table."""
    remaining = iter(lines)

    def take(size: int) -> tuple[Sequence[int], Sequence[Sequence[Cell]]]:
        """Return the numbers and the cells of the next rows."""
        next_lines = list(islice(remaining, size))
        numbers = [line.number for line in next_lines]
        return numbers, [_cells(line.text) for line in next_lines]

    return take
