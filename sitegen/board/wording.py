"""Numbers and names as sentences write them."""

import re
from collections.abc import Sequence
from typing import Literal

_SLUG = re.compile(r"[a-z]+(_[a-z]+)+")
"""Words that underscores join."""


def number_text(value: float, decimals: int, sign: Literal["+", "-"] = "-") -> str:
    """Return a number with a real minus sign, and with a plus sign where asked; 0 has no sign."""
    text = f"{value:{sign}.{decimals}f}"
    return (text if float(text) else text.lstrip("+-")).replace("-", "−")


def joined(names: Sequence[str]) -> str:
    """Return names as in a sentence: one, two and three."""
    *first_names, last_name = names
    if not first_names:
        return last_name
    return f"{', '.join(first_names)} and {last_name}"


def capitalized(text: str) -> str:
    """Return a text with its first letter in upper case, and the others as they are."""
    return f"{text[:1].upper()}{text[1:]}"


def value_title(value: str) -> str:
    """Return a value of an axis as readers see it: "spec_evolution" as "spec evolution"."""
    return value.replace("_", " ") if _SLUG.fullmatch(value) else value
