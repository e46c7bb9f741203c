"""Writes records as text: as JSON Lines, as TOML, and into TOML that people wrote. Equal records give equal bytes."""

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields
from decimal import Decimal
from itertools import islice
from math import isfinite
from operator import attrgetter
from types import NoneType
from typing import NamedTuple, get_args

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

_COMMA = ", "

_WIDE = 100
"""Characters beyond which a list in TOML is written over several lines."""

_BATCH = 5_000
"""Records that are written at once, key by key: most keys are at their default in all of them."""


def json_lines(records: Iterable[Line]) -> bytes:
    """Write records of one kind, one a line: their keys in the schema's order, without those at their default."""
    rest = iter(records)
    parts = []
    while batch := list(islice(rest, _BATCH)):
        parts.append(_batch_lines(batch))
    return b"".join(parts)


def _batch_lines(batch: Sequence[Line]) -> bytes:
    """Write some records."""
    texts = []
    for name, default, get in _FIELDS[type(batch[0])]:
        values = list(map(get, batch))
        if values.count(default) < len(values):
            texts.append(_member_texts(name, values, default))
    lines = []
    for members in zip(*texts, strict=True):
        text = "".join(members)
        lines.append(f"{{{text[len(_COMMA) :]}}}\n")
    return "".join(lines).encode()


def _member_texts(name: str, values: Sequence[object], default: object) -> list[str]:
    """Return the text of one key of each record, after a comma; empty where the value is the default."""
    head = f"{_COMMA}{_ENCODER.encode(name)}: "
    kinds = set(map(type, values))
    if kinds <= {str, int, float, NoneType}:  # few values come often, as names of tasks do
        known = {value: _member_text(head, value, default) for value in set(values)}
        return [known[value] for value in values]
    return [_member_text(head, value, default) for value in values]


def _member_text(head: str, value: object, default: object) -> str:
    """Return the text of one key; whole numbers are written as such: 1, not 1.0."""
    if value == default:
        return ""
    if isinstance(value, float) and isfinite(value):
        return f"{head}{int(value) if value.is_integer() else value!r}"
    return head + _ENCODER.encode(value)


def _line(record: Line) -> dict[str, object]:
    """Return what is written of a record inside another one; whole numbers are written as such: 1, not 1.0."""
    line: dict[str, object] = {}
    for name, default, get in _FIELDS[type(record)]:
        value = get(record)
        if value != default:
            line[name] = int(value) if isinstance(value, float) and value.is_integer() else value
    return line


class _Field(NamedTuple):
    """A key of a record."""

    name: str
    default: object
    get: Callable[[Line], object]


def _fields(kind: type[Line]) -> list[_Field]:
    """Return the keys of a record in the order they are written in."""
    # A task's rounds are long: what is told of it as a whole stands before them.
    written = sorted(
        fields(kind), key=lambda field: kind is Task and field.name in {"rounds", "url", "digest"}
    )
    found = []
    for each in written:
        default = each.default if each.default_factory is MISSING else each.default_factory()
        found.append(
            _Field(each.name, _UNTOLD if default is MISSING else default, attrgetter(each.name))
        )
    return found


_FIELDS = {kind: _fields(kind) for kind in get_args(Line)}

# Records inside a record are met by the encoder, which asks how to write them.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_line)


def toml(record: Record) -> str:
    """Write a file with one record."""
    return tomlkit.dumps(told(record))


def excerpt(text: str, keys: Sequence[str], cleaned: Callable[[object], object]) -> str:
    """Return some keys of a TOML file, as far as it has them, without comments.

    Args:
        text: The file.
        keys: The keys to keep, in their order.
        cleaned: Returns a value of theirs as it may stay.
    """
    table = tomllib.loads(text)
    kept = {key: cleaned(table[key]) for key in keys if key in table}
    return tomlkit.dumps(kept)


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


def table_in(
    document: tomlkit.TOMLDocument, name: str, *, headless: bool = False
) -> MutableMapping[str, object]:
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
    return (
        [row for row in rows if isinstance(row, MutableMapping)] if isinstance(rows, list) else []
    )


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
    blanks = (
        place for place in range(last + 1, len(body)) if isinstance(body[place][1], Whitespace)
    )
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
