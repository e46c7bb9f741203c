"""Reads text files line by line, as text or as rows of CSV, without holding the file in memory."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.problems import Problem, ProblemsError, Rule
from sitegen.reading.files import FILE_TOO_LARGE, opened, utf8_problem

LONGEST = 1024 * 1024
"""Bytes of the longest line that is read."""


@dataclass(slots=True)
class TextLines:
    """The lines of a UTF-8 file. They end early if it can't be read; `problems` then says why."""

    path: Path
    root: Path | None = None
    """The folder below which no part of its path may be a link; the file's own by default."""
    problems: list[Problem] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yield each line with its number, from 1, and its line break; without byte order mark."""
        number = 0
        try:
            with opened(self.path, root=self.root) as file:
                while line := file.readline(LONGEST + 1):
                    number += 1
                    if len(line) > LONGEST:
                        fact = f"a line has more than {LONGEST:,} bytes"
                        self.problems.append(FILE_TOO_LARGE.broken(self.path, number, fact))
                        return
                    yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            self.problems.append(utf8_problem(self.path, number, error))
        except ProblemsError as error:
            self.problems += error.problems

    def rows(self, syntax: Rule) -> Iterator[tuple[int, list[str]]]:
        """Yield the cells of each row of CSV that is not blank, with the row's first line.

        Args:
            syntax: The rule that is broken if the file is not CSV.
        """
        reader = csv.reader((line for _, line in self), strict=True)
        start = 1
        try:
            for cells in reader:
                if any(map(str.strip, cells)):
                    yield start, cells
                start = reader.line_num + 1
        except csv.Error as error:
            self.problems.append(syntax.broken(self.path, reader.line_num, f"broken CSV: {error}"))
