"""Files that an earlier version of the program wrote, brought to the form of today a version at a time.

A key that may be left out is added without a new version, to TOML and to lines. One that goes, or means something
else, begins one: `models.record.SchemaVersion` counts one more, and what brings older files there is the last of
`STEPS`. Files stay as they were written, since releases and checksums hold their bytes.
"""

from collections.abc import Callable, Sequence

from sitegen.models.record import Record
from sitegen.problems import Rule, reasons

SCHEMA_NEWER = Rule.error(
    "SCHEMA-NEWER",
    "Files follow a version of the format that the program knows.",
    "read it with a newer version of the program, or write it as `sitegen schema` says",
    unwaivable=reasons.LOST,
)

Step = Callable[[type[Record], dict[str, object]], dict[str, object]]
"""Gives what a file of a kind holds in the form of the next version."""

STEPS: Sequence[Step] = ()
"""What makes version 2 of version 1, 3 of 2, and so on: there has been one version so far."""


def newest(steps: Sequence[Step] = STEPS) -> int:
    """The version of today."""
    return 1 + len(steps)


def brought_up(
    kind: type[Record], values: dict[str, object], steps: Sequence[Step] = STEPS
) -> dict[str, object]:
    """What a file holds in the form of today; as it is where it does not say which version it follows."""
    written = values.get("schema")
    if type(written) is not int or not 1 <= written < newest(steps):
        return values
    for step in steps[written - 1 :]:
        values = step(kind, values)
    return {**values, "schema": newest(steps)}
