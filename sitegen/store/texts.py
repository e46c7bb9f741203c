"""Texts of failed cases that stay in their file until a page asks for them."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sitegen.problems import ProblemsError
from sitegen.reading.files import opened
from sitegen.reading.rules import FILE_UNREADABLE


@dataclass(frozen=True, slots=True)
class FileTexts(Mapping[str, bytes]):
    """Lines of a plain file, by task.

    A large board has gigabytes of them: validation looks at each once, and a page needs those of one task.
    """

    path: Path
    places: Mapping[str, Sequence[slice]]
    """Where the lines of each task stand."""
    state: tuple[int, int]
    """Size of the file and when it was changed, so that no other one is taken for it."""

    def __getitem__(self, task: str) -> bytes:
        """Read the lines of a task, without an empty one at the end.

        Raises:
            ProblemsError: The file is another one by now, or gone.
        """
        places = self.places[task]
        try:
            with opened(self.path) as file:
                if state_of(os.fstat(file.fileno())) == self.state:
                    return b"".join(_part(file, place) for place in places).removesuffix(b"\n")
        except ProblemsError:
            pass  # it is told below, as any other change
        what = f"{self.path.name} was changed while it was read"
        raise ProblemsError([FILE_UNREADABLE.broken(self.path, None, what, "run the command again")])

    def __iter__(self) -> Iterator[str]:
        """Give the tasks that have lines."""
        return iter(self.places)

    def __len__(self) -> int:
        """Count the tasks that have lines."""
        return len(self.places)


def state_of(status: os.stat_result) -> tuple[int, int]:
    """Give what tells a file from the one that it was before: its size, and when it was changed."""
    return status.st_size, status.st_mtime_ns


def _part(file: BinaryIO, place: slice) -> bytes:
    file.seek(place.start)
    return file.read(place.stop - place.start)
