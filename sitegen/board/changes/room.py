"""How long a report of changes may get, and what of it is left out first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

LARGEST_REPORT = 45_000
"""Bytes that a report may have as Markdown: with what makes it harmless it then fits a comment, which takes 65,536
characters on GitHub."""

_ALL = 1_000_000_000
_FEWER = (200, 100, 50, 20, 10, 5, 3, 2, 1, 0)

_ROWS_TO_ENTRIES = 20
"""So many rows, or boards, are told for each entry that a list of one of them may have."""

_LONGEST_LINE = 1_500
"""Characters of a list within a line: what makes a report harmless cuts lines of 2,000."""


@dataclass(frozen=True, slots=True)
class Room:
    """How many entries of a list are told before the rest is counted.

    Attributes:
        additions: Of lists of what came without touching what was there: rows, tasks, records.
        moves: Of lists of what follows from the rest: ranks, problems that are gone.
        others: Of all other lists: problems, what is gone, what differs.
    """

    additions: int = _ALL
    moves: int = _ALL
    others: int = _ALL

    @property
    def rows(self) -> int:
        """How many rows, or boards, that differ or are gone are told: more than of the lists in them."""
        return self.others * _ROWS_TO_ENTRIES

    @property
    def new_boards(self) -> int:
        """How many new boards are told, where a few may come at once and many hardly do."""
        return self.additions * _ROWS_TO_ENTRIES


ROOMS: Sequence[Room] = (
    Room(),
    *(Room(number) for number in _FEWER),
    *(Room(0, number) for number in _FEWER),
    *(Room(0, 0, number) for number in _FEWER),
)
"""The whole report, then shorter and shorter ones: what is gone or differs is left out last, since it hides there."""


def listed(lines: Sequence[str], most: int, indent: str = "") -> Iterator[str]:
    """Give the first lines of a list, and count the rest.

    Args:
        lines: The list's entries, each a line.
        most: So many are given.
        indent: What stands before the count.
    """
    yield from islice(lines, most)
    yield from rest_of(len(lines) - most, indent)


def rest_of(number: int, indent: str = "", what: str = "") -> Iterator[str]:
    """Count what a list leaves out, where it leaves out anything."""
    if number > 0:
        yield f"{indent}- and {number} more{what}"


def in_a_line(title: str, parts: Sequence[str], most: int) -> Iterator[str]:
    """Give a list in one line after its title, or below it where that is too long; where it leaves any out, count them.

    Args:
        title: What the list is of.
        parts: Its entries.
        most: So many are given.
    """
    left = len(parts) - most
    line = "; ".join([*parts[:most], f"and {left} more"] if left > 0 else parts)
    if len(line) <= _LONGEST_LINE:
        yield f"- {title}: {line}"
    else:
        yield f"- {title}: {len(parts)}"
        yield from listed([f"  - {part}" for part in parts], most, "  ")
