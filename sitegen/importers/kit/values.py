"""Values of files that anybody may have edited: what is of another kind than it should be is unknown."""

from collections.abc import Mapping, Sequence

from sitegen.importers.kit.redaction import one_line
from sitegen.models.record import LIMIT


def mapping_of(value: object) -> Mapping[str, object]:
    """Return a JSON object; an empty one where the value is something else."""
    return value if isinstance(value, dict) else {}


def mappings_of(value: object) -> Sequence[Mapping[str, object]]:
    """Return the objects of a JSON list, without its other members; none where the value is no list."""
    return (
        [member for member in value if isinstance(member, dict)] if isinstance(value, list) else []
    )


def text_of(value: object, longest: int = 200) -> str | None:
    """Return a text on one line, redacted; None where the value is no text, or an empty one."""
    return one_line(value, longest) or None if isinstance(value, str) else None


def name_of(value: object) -> str | None:
    """Return an id, which may be a number in the file, as a text; None where there is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_of(value)


def figure_of(value: object) -> float | None:
    """Return a number, which may be negative; None where the value is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if -LIMIT <= value <= LIMIT else None


def amount_of(value: object) -> float | None:
    """Return a number from 0 on; None where the value is none."""
    figure = figure_of(value)
    return figure if figure is not None and figure >= 0 else None


def count_of(value: object, most: int = LIMIT) -> int | None:
    """Return a whole number from 0 to a limit; None where the value is none."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= most else None
