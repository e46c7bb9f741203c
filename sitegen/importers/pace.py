"""How far an import is: told run by run to whoever watches it."""

from collections.abc import Callable
from dataclasses import dataclass

Watch = Callable[[int, int], None]
"""Told how many runs were read, and of how many."""


@dataclass(slots=True)
class Pace:
    """Counts the runs that were read.

    Attributes:
        total: Runs that are to be read.
        watch: Who is told; None where nobody looks.
        done: Runs that were read.
    """

    total: int = 0
    watch: Watch | None = None
    done: int = 0

    def step(self) -> None:
        """Count one more."""
        self.done += 1
        if self.watch:
            self.watch(self.done, self.total)
