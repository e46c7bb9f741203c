"""Reads the rows of a table, one at a time, from CSV or from JSON Lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sitegen.importers.kit.agents import repeated
from sitegen.importers.table import rules
from sitegen.importers.table.columns import COLUMNS, REQUIRED, value_of
from sitegen.importers.table.faults import Faults, shown
from sitegen.problems import Problem, ProblemsError
from sitegen.reading.json import strict_json
from sitegen.reading.lines import TextLines

Values = Mapping[str, object]
"""What a row tells, by column; empty cells are left out."""

MOST_ROWS = 100_000
"""Rows that are read at all: 20 agents with four attempts at 115 tasks of ten rounds have fewer."""

_OTHER_MARKS = (";", "\t", "|")
"""What else programs separate columns by."""


@dataclass(slots=True)
class TableReader:
    """Reads the rows of a table.

    Attributes:
        path: The file.
        faults: What is wrong with its rows.
    """

    path: Path
    faults: Faults

    def rows(self) -> Iterator[tuple[int, Values]]:
        """Give each row with its line.

        Raises:
            ProblemsError: The file can't be read as a table.
        """
        lines = TextLines(self.path)
        for count, row in enumerate(self._read(lines)):
            if count == MOST_ROWS:
                raise ProblemsError([rules.LARGE.broken(self.path, row[0], f"there are more than {MOST_ROWS:,} rows")])
            yield row
        if lines.problems:
            raise ProblemsError(lines.problems)

    def _read(self, lines: TextLines) -> Iterator[tuple[int, Values]]:
        kind = self.path.suffix.lower()
        if kind not in {".csv", ".jsonl"} or not self.path.is_file():
            what = f"{self.path.name} is no file, or neither CSV nor JSON Lines"
            raise ProblemsError([rules.FORMAT.broken(self.path, None, what)])
        return self._csv(lines) if kind == ".csv" else self._jsonl(lines)

    def _csv(self, lines: TextLines) -> Iterator[tuple[int, Values]]:
        rows = lines.rows(rules.SYNTAX)
        header = [name.strip() for _, cells in islice(rows, 1) for name in cells]
        if not lines.problems:
            _require_columns(self.path, header)
        for start, cells in rows:
            yield from self._row(start, header, cells)

    def _row(self, line: int, header: Sequence[str], cells: Sequence[str]) -> Iterator[tuple[int, Values]]:
        if len(cells) != len(header):
            self.faults.add(rules.SYNTAX, "cells", line, f"{len(cells)} cells under {len(header)} columns")
            return
        told = ((name, cell) for name, cell in zip(header, cells, strict=True) if cell.strip())
        yield line, {name: value_of(name, cell) for name, cell in told}

    def _jsonl(self, lines: TextLines) -> Iterator[tuple[int, Values]]:
        columns: set[str] = set()
        for number, line in lines:
            found = self._object(number, line) if line.strip() else None
            if found is not None:
                self._require_known(number, sorted(found.keys() - columns))
                columns |= found.keys()
                yield number, {name: value for name, value in found.items() if value is not None and name in COLUMNS}
        if columns:
            _require_columns(self.path, sorted(columns & COLUMNS.keys()))

    def _require_known(self, line: int, names: Sequence[str]) -> None:
        unknown = [name for name in names if name not in COLUMNS]
        if unknown:
            self.faults.add(rules.COLUMN_UNKNOWN, "", line, _unknown_told(unknown))

    def _object(self, number: int, line: str) -> dict[str, object] | None:
        """Parse a line; None where it holds no object."""
        try:
            found = strict_json(line.encode())
        except ValueError as error:
            what = f"broken JSON: {str(error).partition(' at line')[0]}"
            self.faults.add(rules.SYNTAX, "json", number, what)
            return None
        if isinstance(found, dict):
            return found
        self.faults.add(rules.SYNTAX, "object", number, f"the line holds {shown(found)}, and no object")
        return None


def _require_columns(path: Path, header: Sequence[str]) -> None:
    """Refuse a table whose columns are not those of a bundle.

    Raises:
        ProblemsError: Some are unknown, missing, or there twice.
    """
    if not header:
        raise ProblemsError([rules.EMPTY.broken(path, None, f"{path.name} is empty")])
    problems = _separation_problems(path, header) or list(_column_problems(path, header))
    if problems:
        raise ProblemsError(problems)


def _separation_problems(path: Path, header: Sequence[str]) -> list[Problem]:
    marks = [mark for mark in _OTHER_MARKS if mark in header[0]] if len(header) == 1 else []
    told = (f"the columns are separated by {shown(mark)}" for mark in marks[:1])
    return [rules.SYNTAX.broken(path, 1, what, "separate them by commas") for what in told]


def _column_problems(path: Path, header: Sequence[str]) -> Iterator[Problem]:
    unknown = [name for name in dict.fromkeys(header) if name not in COLUMNS]
    if unknown:
        yield rules.COLUMN_UNKNOWN.broken(path, 1, _unknown_told(unknown))
    missing = [name for name in REQUIRED if name not in header]
    if missing:
        yield rules.COLUMN_MISSING.broken(path, 1, f"no column is called {', '.join(missing)}")
    twice = repeated(header)
    if twice:
        yield rules.COLUMN_TWICE.broken(path, 1, f"there twice: {', '.join(map(shown, twice))}")


def _unknown_told(unknown: Sequence[str]) -> str:
    return f"unknown: {', '.join(map(shown, unknown))}; known are: {', '.join(COLUMNS)}"
