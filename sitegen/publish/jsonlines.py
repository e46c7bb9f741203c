"""Writes records as JSON Lines: equal records give equal bytes, on any machine and at any time."""

import json
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields
from operator import attrgetter
from typing import Any

from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.task import Case, Task, TaskRound

Line = RoundResult | RunFigures | Failure | Task | TaskRound | Case
"""What a line is about, and what stands inside one."""

_UNTOLD = object()
"""Equals no value, so that a required key is always told."""


def json_lines(records: Iterable[Line]) -> bytes:
    """Write records, one a line, with their keys in the schema's order and without those at their default."""
    return "".join(f"{_ENCODER.encode(_told(record))}\n" for record in records).encode()


def _told(record: Line) -> dict[str, object]:
    names, defaults, get = _SHAPES[type(record)]
    values = zip(names, get(record), defaults, strict=True)
    return {name: _plain(value) for name, value, default in values if value != default}


def _shape(kind: type[Line]) -> tuple[list[str], list[object], Callable[[Line], tuple[object, ...]]]:
    """Give the keys of a record in the order they are written in, their defaults, and a way to its values."""
    # A task's rounds are long: what is told of it as a whole stands before them.
    written = sorted(fields(kind), key=lambda field: kind is Task and field.name in {"rounds", "url", "digest"})
    names = [field.name for field in written]
    return names, [_default(field) for field in written], attrgetter(*names)


def _default(field: Field[Any]) -> object:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return _UNTOLD if field.default is MISSING else field.default


def _plain(value: object) -> object:
    """Write a whole number as one: 1, not 1.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_SHAPES = {kind: _shape(kind) for kind in (RoundResult, RunFigures, Failure, Task, TaskRound, Case)}

# Records inside a record are met by the encoder, which asks how to write them.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_told)
