"""Disarms a stranger's Markdown, so that a comment can quote it under a trusted name.

Headings, lists and code are kept; everything else with a meaning for GitHub is shown as plain characters: HTML, links,
pictures, addresses, mentions of people and teams, and issue numbers. Characters that are invisible, or that change the
direction of text, are replaced.
"""

import re
import string
import unicodedata
from collections.abc import Iterator

LONGEST_LINE = 2_000
"""Maximum number of characters quoted from a line."""

_MARK = "\N{REPLACEMENT CHARACTER}"
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_UNSEEN = "\N{ZERO WIDTH SPACE}"

_SHAPE = re.compile(r"(#{1,6} |(?:  ){0,3}- )?(.*)", re.DOTALL)
_ACTIVE = re.compile(f"[{re.escape(string.punctuation)}]")
_NAMING = re.compile(r"(?<=[@#])|(?<=:)(?=//)|(?<=www)(?=\.)|(?<=gh)(?=-)", re.IGNORECASE)
"""Matches positions at which GitHub would detect a mention, an issue or an address, even in disarmed Markdown."""


def harmless(text: str, room: int) -> tuple[str, int]:
    """Return as many quoted lines of a text as fit, and the number of lines left out.

    Args:
        text: Any text.
        room: The maximum size of the quoted text in bytes.

    Returns:
        Markdown without mentions and links, and the number of lines that were left out.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    quoted_lines: list[str] = []
    for line in lines:
        quoted = _line(line)
        room -= len(quoted.encode()) + 1
        if room < 0:
            break
        quoted_lines.append(quoted)
    return "\n".join(quoted_lines), len(lines) - len(quoted_lines)


def _line(line: str) -> str:
    short = line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + _ELLIPSIS
    shape = _SHAPE.fullmatch("".join(map(_seen, short)))
    head, text = shape.groups(default="") if shape else ("", short)
    return head + "".join(_spans(text.strip()))


def _seen(letter: str) -> str:
    """Return a visible character unchanged, a space for white space, and a mark for any other character."""
    kind = unicodedata.category(letter)
    if letter == "\t" or kind == "Zs":
        return " "
    return _MARK if kind[0] == "C" or kind in {"Zl", "Zp"} else letter


def _spans(text: str) -> Iterator[str]:
    """Yield disarmed text and unchanged code, since GitHub interprets nothing between backticks."""
    plain, *pieces = re.split("`([^`]+)`", text)
    yield _disarmed(plain)
    for number, piece in enumerate(pieces):
        yield _disarmed(piece) if number % 2 else f"`{piece}`"


def _disarmed(text: str) -> str:
    return _ACTIVE.sub(r"\\\g<0>", _NAMING.sub(_UNSEEN, text))
