"""Repairs made by `sitegen validate --fix`; rules refer to them as their `mend`."""

import codecs
from collections.abc import Callable
from dataclasses import dataclass

LineChanges = list[tuple[int | None, str]]
"""The changes made to a file, each with its line, numbered as before the change.

A problem counts as fixed if all its lines are in this list.
"""

TextRepair = Callable[[bytes], tuple[bytes, LineChanges]]
"""Returns the repaired text and the changes; the changes are empty if nothing needs repair."""


@dataclass(frozen=True, slots=True)
class Mend:
    """A repair for data that breaks certain rules, as `validate --fix` makes it."""

    words: str
    """Description of the repair for the page of checks."""
    repair: TextRepair | None = None
    """Repairs a file from its text; None if the repair needs more than the text."""


def without_mark(text: bytes) -> tuple[bytes, LineChanges]:
    """Return the text without its byte order mark, and the change made."""
    if not text.startswith(codecs.BOM_UTF8):
        return text, []
    return text.removeprefix(codecs.BOM_UTF8), [(1, "byte order mark removed")]


def without_repeats(text: bytes) -> tuple[bytes, LineChanges]:
    """Return the text without repeated lines, and the changes; blanks around lines are ignored."""
    first_numbers: dict[bytes, int] = {}
    lines: list[bytes] = []
    changes: LineChanges = []
    for number, line in enumerate(text.split(b"\n"), start=1):
        content = line.strip()
        if content and content in first_numbers:
            changes.append((number, f"removed, because it repeats line {first_numbers[content]}"))
        else:
            first_numbers.setdefault(content, number)
            lines.append(line)
    return b"\n".join(lines), changes


MARKS = Mend("removes the mark", without_mark)
REPEATS = Mend("removes lines that repeat another line byte for byte", without_repeats)
LEFTOVERS = Mend("removes files that operating systems leave behind")
CHECKSUMS = Mend("writes SHA256SUMS if nothing else is wrong with the bundle")
