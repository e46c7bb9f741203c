"""How numbers stand in sentences, and texts of others in a line."""

import json


def counted(number: int, noun: str) -> str:
    """Write a number with its noun: 1 round, 3 rounds."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def visible(text: str) -> str:
    """Write a text on one line, as JSON does: an escape for what ends a line, steers a terminal or can't be seen."""
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)
