"""How numbers stand in sentences, and texts of others in a line."""

import json
from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 round, 3 rounds."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(parts: Sequence[str], most: int, *, more: str = " and {} more", separator: str = "; ") -> str:
    """The first `most` parts of a sentence, and behind them `more`, with the number of the others, if there are any."""
    return separator.join(parts[:most]) + (more.format(len(parts) - most) if len(parts) > most else "")


def visible(text: str) -> str:
    """A text on one line, as JSON does: an escape for what ends a line, steers a terminal or can't be seen."""
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)
