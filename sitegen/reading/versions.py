"""Convert files of earlier versions of the format to the current version, one step at a time.

An optional key is added without a new version, in TOML and in JSON Lines. Removing a key, or
changing its meaning, requires a new version: `models.record.SchemaVersion` is incremented, and a
function that converts older files is appended to `STEPS`. The files are never rewritten,
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
"""Converts the content of one kind of file to the next version of the format."""

STEPS: Sequence[Step] = ()
"""Conversions from version 1 to 2, from 2 to 3, and so on; so far there is only version 1."""


def newest(steps: Sequence[Step] = STEPS) -> int:
    """Return the current version of the format."""
    return 1 + len(steps)


def brought_up(
    kind: type[Record], values: dict[str, object], steps: Sequence[Step] = STEPS
) -> dict[str, object]:
    """Return the content of a file in the current format; unchanged if its version is unknown."""
    version = values.get("schema")
    if type(version) is not int or not 1 <= version < newest(steps):
        return values
    for step in steps[version - 1 :]:
        values = step(kind, values)
    return {**values, "schema": newest(steps)}
