"""The return type of functions that read a file or a folder without stopping at a problem."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sitegen.problems import Problem

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """The readable content of a file or a folder, and its problems.

    `reading.toml.Document` and `reading.json.Lines` are readings of one file, with its lines.
    """

    record: T
    """The record that was read; may be None if the content is unusable and the type allows it."""
    problems: Sequence[Problem] = ()
    """All problems that are not stored in the record itself."""
