"""Read text files as lines or CSV rows, without keeping the file in memory."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.problems import Problem, ProblemsError, Rule
from sitegen.reading.files import FILE_TOO_LARGE, opened, utf8_problem

LONGEST = 1024 * 1024
"""Maximum length of a line that is read, in bytes."""


@dataclass(slots=True)
class TextLines:
    """The lines of a UTF-8 file. Iteration ends early at a fault, which is added to `problems`."""

    path: Path
    root: Path | None = None
    """No part of the path below this folder may be a link; by default, the file's folder."""
    problems: list[Problem] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yield each line number, from 1, and the line with its break, but no byte order mark."""
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
        """Yield the cells of each CSV row that is not blank, with the line where the row starts.

        Args:
            syntax: The rule to report if the file is not CSV.
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
