"""What `sitegen validate --fix` does about breaches of rules."""

import codecs
from collections.abc import Callable
from dataclasses import dataclass

Done = list[tuple[int | None, str]]
"""What was done to a file, each with the line that it concerns, numbered as before: a problem counts as mended where
every line that it names is among these."""

TextRepair = Callable[[bytes], tuple[bytes, Done]]
"""Gives a text as it is to be, and what was done to it: nothing where it is so already."""


@dataclass(frozen=True, slots=True)
class Mend:
    """What is done about breaches of some rules."""

    words: str
    """What it does, as the page of checks tells it."""
    repair: TextRepair | None = None
    """Mends the file that a problem names; None where more than its text is looked at."""


def without_mark(text: bytes) -> tuple[bytes, Done]:
    """Take off the byte order mark."""
    if not text.startswith(codecs.BOM_UTF8):
        return text, []
    return text.removeprefix(codecs.BOM_UTF8), [(1, "byte order mark removed")]


def without_repeats(text: bytes) -> tuple[bytes, Done]:
    """Leave out lines that are byte by byte what an earlier line is, but for blanks around them."""
    first: dict[bytes, int] = {}
    kept: list[bytes] = []
    done: Done = []
    for number, line in enumerate(text.split(b"\n"), start=1):
        key = line.strip()
        if key and key in first:
            done.append((number, f"removed, the line repeats line {first[key]}"))
        else:
            first.setdefault(key, number)
            kept.append(line)
    return b"\n".join(kept), done


MARKS = Mend("removes the mark", without_mark)
REPEATS = Mend("removes lines that say what another line says, byte by byte", without_repeats)
LEFTOVERS = Mend("removes what operating systems leave")
CHECKSUMS = Mend("writes SHA256SUMS, where nothing else is wrong with the bundle")
