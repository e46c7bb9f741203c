"""Writes records as text: as JSON Lines, as TOML, and into TOML that people wrote. Equal records give equal bytes."""

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields
from decimal import Decimal
from operator import attrgetter
from typing import get_args

import tomlkit
import yaml
from tomlkit.items import AoT, Array, Table, Whitespace

from sitegen.models.journal import Arrival, Check
from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.record import Record
from sitegen.models.task import Case, Task, TaskRound

Line = RoundResult | RunFigures | Failure | Task | TaskRound | Case | Arrival | Check
"""What a line is about, and what stands inside one."""

_UNTOLD = object()
"""Equals no value, so that a required key is always told."""

_WIDE = 100
"""Characters beyond which a list in TOML is written over several lines."""


def json_lines(records: Iterable[Line]) -> bytes:
    """Write records, one a line, with their keys in the schema's order and without those at their default."""
    return "".join(f"{_ENCODER.encode(_line(record))}\n" for record in records).encode()


def _line(record: Line) -> dict[str, object]:
    """What is told of a record; whole numbers are written as such: 1, not 1.0."""
    names, defaults, get = _SHAPES[type(record)]
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value, default in zip(names, get(record), defaults, strict=True)
        if value != default
    }


def _shape(kind: type[Line]) -> tuple[list[str], list[object], Callable[[Line], tuple[object, ...]]]:
    """The keys of a record in the order they are written in, their defaults, and a way to its values."""
    # A task's rounds are long: what is told of it as a whole stands before them.
    written = sorted(fields(kind), key=lambda field: kind is Task and field.name in {"rounds", "url", "digest"})
    names = [field.name for field in written]
    made = (field.default if field.default_factory is MISSING else field.default_factory() for field in written)
    return names, [_UNTOLD if default is MISSING else default for default in made], attrgetter(*names)


_SHAPES = {kind: _shape(kind) for kind in get_args(Line)}

# Records inside a record are met by the encoder, which asks how to write them.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_line)


def toml(record: Record) -> str:
    """Write a file with one record."""
    return tomlkit.dumps(told(record))


def excerpt(text: str, keys: Sequence[str]) -> str:
    """Write some keys of a file anew, as far as it has them: without its other keys, and without a comment."""
    found = tomllib.loads(text)
    return tomlkit.dumps({key: found[key] for key in keys if key in found})


def told(record: Record) -> dict[str, object]:
    """A record's keys and values in the schema's order, without the keys that say nothing.

    A key says nothing where its value is empty and the schema takes that for granted.
    """
    values: dict[str, object] = {}
    schema = type(record).model_fields
    for name, value in record:
        info = schema.get(name)
        if info and not value and value == info.get_default(call_default_factory=True):
            continue
        written = _written(value)
        if written != {}:
            values[(info.alias or name) if info else name] = written
    return values


def _written(value: object) -> object:
    match value:
        case Record() if value.is_short:
            table = tomlkit.inline_table()
            table.update(told(value))
            return table
        case Record():
            return told(value)
        case dict():
            return {key: _written(each) for key, each in value.items()}
        case tuple():
            values = [_written(each) for each in value]
            if values and all(isinstance(each, dict) for each in values):
                return values  # tables below each other
            array = tomlkit.array()
            array.extend(values)
            return array.multiline(len(array.as_string()) > _WIDE)
        case str() if "\n" in value and "\r" not in value:
            return tomlkit.string(value, multiline=True)
        case Decimal():
            return tomlkit.value(f"{value:f}")
    return value


def yaml_text(document: object) -> str:
    """Write a document as YAML, its keys in their order."""
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=_WIDE)


def manuscript(text: str) -> tomlkit.TOMLDocument:
    """Read TOML that people wrote and that is added to: its comments and its order stay."""
    return tomlkit.parse(text if text.endswith("\n") else f"{text}\n")


def table_in(document: tomlkit.TOMLDocument, name: str, *, headless: bool = False) -> MutableMapping[str, object]:
    """A table of a file, an empty one where there is none; a headless one holds tables only."""
    table = document.setdefault(name, tomlkit.table(is_super_table=headless))
    return table if isinstance(table, MutableMapping) else {}


def put(table: MutableMapping[str, object], key: str, value: object) -> None:
    """Add a key to a table."""
    with _growing(table):
        table[key] = value


def rows_of(document: tomlkit.TOMLDocument, name: str) -> list[MutableMapping[str, object]]:
    """The tables of a list of tables."""
    rows = document.get(name)
    return [row for row in rows if isinstance(row, MutableMapping)] if isinstance(rows, list) else []


def add_row(document: tomlkit.TOMLDocument, name: str, row: Mapping[str, object]) -> None:
    """Add a table to a list of tables, the first one included."""
    rows = document.get(name)
    if not isinstance(rows, AoT | Array):
        document[name] = [row]
        return
    with _growing(rows):
        rows.append(row)


@contextmanager
def _growing(container: object) -> Iterator[None]:
    """Keep what stands between a container and its successor between them, while something is added to it.

    The parser takes blank lines and comments for the end of the table before them; most often they are about the table
    behind: those behind a blank line are taken off, and put back at the end.
    """
    before = _last_table(container)
    if before is None:
        yield
        return
    body = before.value.body
    last = max((place for place, (key, _) in enumerate(body) if key is not None), default=-1)
    blanks = (place for place in range(last + 1, len(body)) if isinstance(body[place][1], Whitespace))
    cut = next(blanks, len(body))
    between = body[cut:]
    del body[cut:]
    yield
    after = _last_table(container) or before
    first = container[-1] if isinstance(container, AoT) else after
    if after is not before and not first.trivia.indent.startswith("\n"):
        before.add(tomlkit.nl())
    after.value.body.extend(between)


def _last_table(container: object) -> Table | None:
    """The innermost table that a container ends with; None where it is written in one line."""
    if isinstance(container, AoT):
        return _last_table(container[-1])
    if not isinstance(container, Table):
        return None
    members = [item for key, item in container.value.body if key is not None]
    return (_last_table(members[-1]) if members else None) or container
