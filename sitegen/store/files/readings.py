"""What the functions return that read a file or a folder and do not stop at a fault."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sitegen.problems import Problem

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What could be read of a file or a folder, and what is wrong with it.

    `reading.toml.Document` and `reading.json.Lines` are readings of one file, with its lines.
    """

    record: T
    """What was read; None, where the type allows it, if it can't be used at all."""
    problems: Sequence[Problem] = ()
    """Every problem that the record does not hold itself."""
