"""Makes Markdown of a stranger harmless, so that a comment can quote it under a trusted name.

Headings, lists and code stay; whatever else would mean something to GitHub is shown as the characters that it is made
of: HTML, links, pictures, addresses, people and teams that are named, and numbers of issues. Characters that cannot be
seen, or that turn the direction of text, are replaced.
"""

import re
import string
import unicodedata
from collections.abc import Iterator

LONGEST_LINE = 2_000
"""Characters of a line that are quoted."""

_MARK = "\N{REPLACEMENT CHARACTER}"
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_UNSEEN = "\N{ZERO WIDTH SPACE}"

_SHAPE = re.compile(r"(#{1,6} |(?:  ){0,3}- )?(.*)", re.DOTALL)
_ACTIVE = re.compile(f"[{re.escape(string.punctuation)}]")
_NAMING = re.compile(r"(?<=[@#])|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=gh)(?=-)", re.IGNORECASE)
"""Where GitHub would begin to read a person, an issue or an address, even in text whose Markdown is disarmed."""


def harmless(text: str, room: int) -> tuple[str, int]:
    """Quote a text, line by line, as far as there is room.

    Args:
        text: Anything.
        room: Bytes that the quoted text may have.

    Returns:
        Markdown that names nobody and leads nowhere, and how many lines were left out.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    kept: list[str] = []
    for line in lines:
        quoted = _line(line)
        room -= len(quoted.encode()) + 1
        if room < 0:
            break
        kept.append(quoted)
    return "\n".join(kept), len(lines) - len(kept)


def _line(line: str) -> str:
    short = line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + _ELLIPSIS
    shape = _SHAPE.fullmatch("".join(map(_seen, short)))
    head, text = shape.groups(default="") if shape else ("", short)
    return head + "".join(_spans(text.strip()))


def _seen(letter: str) -> str:
    """Give a character that shows itself, or a mark in its place."""
    kind = unicodedata.category(letter)
    if letter == "\t" or kind == "Zs":
        return " "
    return _MARK if kind[0] == "C" or kind in {"Zl", "Zp"} else letter


def _spans(text: str) -> Iterator[str]:
    """Tell code from text: between two backticks GitHub looks for nothing."""
    plain, *rest = re.split("`([^`]+)`", text)
    yield _disarmed(plain)
    for number, piece in enumerate(rest):
        yield _disarmed(piece) if number % 2 else f"`{piece}`"


def _disarmed(text: str) -> str:
    return _ACTIVE.sub(r"\\\g<0>", _NAMING.sub(_UNSEEN, text))
