"""What files of tools tell: JSON of which only some keys are needed, and lines of any number, one at a time."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args, get_origin

import yaml
from pydantic import AliasPath, BaseModel, ConfigDict, Field

from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rules import SOURCE_BROKEN
from sitegen.importers.kit.stream import Shape
from sitegen.models.record import LIMIT
from sitegen.problems import ProblemsError
from sitegen.reading.files import LARGEST_SOURCE, MEGABYTE, opened
from sitegen.reading.json import strict_json

LONGEST = 64 * MEGABYTE
"""Bytes of a line: transcripts stand in one."""


def at(*keys: str, default: object = None) -> Any:  # noqa: ANN401 - what stands for a field's value in a model
    """A field that stands deeper in its file: the keys that lead there."""
    return Field(default, validation_alias=AliasPath(*keys))


class Told(BaseModel):
    """Base of what is taken of a tool's file: other keys are passed over, and nothing is converted."""

    model_config = ConfigDict(
        strict=True, extra="ignore", frozen=True, allow_inf_nan=False, defer_build=True
    )

    @classmethod
    def shape(cls) -> "Shape":
        """The keys that it has, for whoever takes them out of a large file."""
        shape: dict[str, Any] = {}
        for name, info in cls.model_fields.items():
            path, part = info.validation_alias, shape
            *above, key = (
                map(str, path.path) if isinstance(path, AliasPath) else (info.alias or name,)
            )
            for each in above:
                part = part.setdefault(each, {})
            part[key] = _shape_of(info.annotation)
        return shape


def _shape_of(kind: Any) -> "Shape | None":  # noqa: ANN401 - a type as it is written
    """The keys of a value of a kind: those of records, in lists or by any name; None for a single value."""
    if isinstance(kind, type) and issubclass(kind, Told):
        return kind.shape()
    inner = next((shape for each in get_args(kind) if (shape := _shape_of(each)) is not None), None)
    if get_origin(kind) is dict:
        return {"*": inner}
    return {"*": None} if kind is object or (get_origin(kind) is list and inner is None) else inner


def objects(path: Path, report: Report) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON Lines, each with its line, up to the first that is none, which is told."""
    number = 0
    try:
        with opened(path, largest=LARGEST_SOURCE) as file:
            while line := file.readline(LONGEST + 1):
                number += 1
                if line.isspace():
                    continue
                value = strict_json(line) if len(line) <= LONGEST else None
                if not isinstance(value, dict):
                    what = (
                        "the line is no object" if len(line) <= LONGEST else "the line is too long"
                    )
                    report.add(SOURCE_BROKEN, path, what, number)
                    return
                yield number, value
    except ProblemsError as error:
        report.problems += error.problems
    except ValueError as error:
        report.add(SOURCE_BROKEN, path, f"the line is no whole JSON: {error}", number)


def plain_yaml(text: str) -> object:
    """Parse YAML into text, lists and mappings, and nothing else."""
    parsed: object = yaml.load(text, yaml.BaseLoader)  # noqa: S506 - the one loader that builds nothing else
    return parsed


def number_of(value: object) -> float | None:
    """A value as a number, a truth value as 1 or 0; None where it is neither, or too large."""
    return float(value) if isinstance(value, bool | int | float) and abs(value) <= LIMIT else None


def moment(text: str | None) -> datetime | None:
    """A time as ISO 8601 has it, in UTC where it tells no offset; None where there is none."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def local_moment(text: str | None) -> datetime | None:
    """The same by the clock of the machine: versions of a tool differ in whether they write a zone."""
    found = moment(text)
    return found.replace(tzinfo=None) if found else None
