"""Read values from files that anybody may have edited; unexpected types count as unknown."""

from collections.abc import Mapping, Sequence

from sitegen.importers.kit.redaction import one_line
from sitegen.models.record import LIMIT


def mapping_of(value: object) -> Mapping[str, object]:
    """Return a JSON object; an empty mapping for any other value."""
    return value if isinstance(value, dict) else {}


def mappings_of(value: object) -> Sequence[Mapping[str, object]]:
    """Return the objects in a JSON list, skipping its other items; empty for any other value."""
    if not isinstance(value, list):
        return []
    return [member for member in value if isinstance(member, dict)]


def text_of(value: object, longest: int = 200) -> str | None:
    """Return a text on one line, redacted; None for an empty string or any other value."""
    if not isinstance(value, str):
        return None
    return one_line(value, longest) or None


def name_of(value: object) -> str | None:
    """Return an id as text, even if it is an integer in the file; None for any other value."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_of(value)


def figure_of(value: object) -> float | None:
    """Return a positive or negative number; None for other values or beyond the limit."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -LIMIT <= value <= LIMIT else None


def amount_of(value: object) -> float | None:
    """Return a number of at least 0; None for any other value."""
    figure = figure_of(value)
    return None if figure is None or figure < 0 else figure


def count_of(value: object, most: int = LIMIT) -> int | None:
    """Return an integer from 0 to a limit; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= most else None


def score_of(value: object) -> float | None:
    """Return a score as a float, with True as 1 and False as 0; None for any other value."""
    if not isinstance(value, bool | int | float) or not abs(value) <= LIMIT:
        return None
    return float(value)
