"""Extract values from parsed JSON by type; a value of the wrong type counts as absent."""

from collections.abc import Mapping, Sequence
from typing import Any

from sitegen.models.record import LIMIT


def parse_text(value: object) -> str | None:
    """Return a value that is a string; None for other values."""
    return value if isinstance(value, str) else None


def parse_count(value: object) -> int | None:
    """Return a value as an integer from 0 to `LIMIT`; None for other values."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if not 0 <= value <= LIMIT or value != int(value):
        return None
    return int(value)


def parse_object(value: object) -> Mapping[str, Any]:
    """Return a value that is an object; an empty mapping for other values."""
    return value if isinstance(value, dict) else {}


def parse_list(value: object) -> Sequence[object]:
    """Return a value that is a list; an empty list for other values."""
    return value if isinstance(value, list) else []
