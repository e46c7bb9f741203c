"""The lines of a foreign text file, one at a time: a file of gigabytes is refused, and never held."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.errors import Problem, Rule
from sitegen.importers import rules

LARGEST = 64 * 1024 * 1024
"""Bytes of a file that is read at all."""

LONGEST = 1024 * 1024
"""Bytes of a line that is read at all."""


@dataclass(slots=True)
class Lines:
    """The lines of a UTF-8 file. They end where the file can't be read further; `problems` then says why.

    Attributes:
        path: The file.
        too_large: The rule that a file or a line breaks by its size.
        problems: What was wrong, once the lines were walked through.
    """

    path: Path
    too_large: Rule
    problems: list[Problem] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Give each line with its number, from 1, and with its line break."""
        number = 0
        try:
            with self.path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size > LARGEST:
                    what = f"{self.path.name} has {size:,} bytes, and at most {LARGEST:,} are read"
                    self.problems.append(self.too_large.broken(self.path, None, what))
                    return
                while line := file.readline(LONGEST + 1):
                    number += 1
                    if len(line) > LONGEST:
                        what = f"a line has more than {LONGEST:,} bytes"
                        self.problems.append(self.too_large.broken(self.path, number, what))
                        return
                    yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            what = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
            self.problems.append(rules.NOT_UTF8.broken(self.path, number, what))
        except OSError as error:
            what = f"{self.path.name} can't be read: {error.strerror}"
            self.problems.append(rules.FILE_UNREADABLE.broken(self.path, None, what))
