"""Take values of a type out of parsed JSON; a value of a wrong type counts as absent."""

from collections.abc import Mapping, Sequence
from typing import Any

from sitegen.models.record import LIMIT


def parse_text(value: object) -> str | None:
    """Return a text; None for another value."""
    return value if isinstance(value, str) else None


def parse_count(value: object) -> int | None:
    """Return a whole number of at least 0; None for another value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 <= value <= LIMIT or value != int(value):
        return None
    return int(value)


def parse_object(value: object) -> Mapping[str, Any]:
    """Return an object; an empty one for another value."""
    return value if isinstance(value, dict) else {}


def parse_list(value: object) -> Sequence[object]:
    """Return a list; an empty one for another value."""
    return value if isinstance(value, list) else []
