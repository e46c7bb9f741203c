"""Brings files of an earlier version of the format to the current one, version by version.

An optional key is added without a new version, to TOML and to lines. A key that is removed, or that
changes its meaning, begins a new version: `models.record.SchemaVersion` is incremented, and a
function that converts older files is appended to `STEPS`. Files themselves are never rewritten,
because releases and checksums contain their bytes.
"""

from collections.abc import Callable, Sequence

from sitegen.models.record import Record
from sitegen.problems import Rule, reasons

SCHEMA_NEWER = Rule.error(
    "SCHEMA-NEWER",
    "A file is written for a newer version of the format.",
    "read it with a newer version of the program, or write it as `sitegen schema` describes",
    unwaivable=reasons.LOST,
)

Step = Callable[[type[Record], dict[str, object]], dict[str, object]]
"""Returns the content of a file of some kind in the form of the next version."""

STEPS: Sequence[Step] = ()
"""Conversions from version 1 to 2, from 2 to 3, and so on: there has been one version so far."""


def newest(steps: Sequence[Step] = STEPS) -> int:
    """Return the current version of the format."""
    return 1 + len(steps)


def brought_up(
    kind: type[Record], values: dict[str, object], steps: Sequence[Step] = STEPS
) -> dict[str, object]:
    """Return the content of a file in the current form; unchanged if it states no known version."""
    version = values.get("schema")
    if type(version) is not int or not 1 <= version < newest(steps):
        return values
    for step in steps[version - 1 :]:
        values = step(kind, values)
    return {**values, "schema": newest(steps)}
