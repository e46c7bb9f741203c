"""Numbers and names as they are written in sentences."""

import re
from collections.abc import Sequence
from typing import Literal

_SLUG = re.compile(r"[a-z]+(_[a-z]+)+")
"""Words joined by underscores."""


def number_text(value: float, decimals: int, sign: Literal["+", "-"] = "-") -> str:
    """Return a number with a minus sign (−), and with a plus sign if asked for; 0 has no sign."""
    text = f"{value:{sign}.{decimals}f}"
    return (text if float(text) else text.lstrip("+-")).replace("-", "−")


def joined(names: Sequence[str]) -> str:
    """Return names as a list in a sentence: one, two and three."""
    *first_names, last_name = names
    if not first_names:
        return last_name
    return f"{', '.join(first_names)} and {last_name}"


def capitalized(text: str) -> str:
    """Return a text with its first letter in upper case and the rest unchanged."""
    return f"{text[:1].upper()}{text[1:]}"


def value_title(value: str) -> str:
    """Return a value of an axis as it is displayed: "spec_evolution" as "spec evolution"."""
    return value.replace("_", " ") if _SLUG.fullmatch(value) else value
