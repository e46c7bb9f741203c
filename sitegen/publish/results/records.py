"""Write records as JSON Lines and TOML, and add them to hand-written TOML.

Equal records give equal bytes. Start with `json_lines` and `toml`.
"""

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields
from decimal import Decimal
from itertools import islice
from math import isfinite
from operator import attrgetter
from types import NoneType
from typing import Any, NamedTuple, get_args

import tomlkit
import yaml
from tomlkit.items import AoT, Array, Table, Whitespace

from sitegen.models.journal import Arrival, Check
from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.record import Record
from sitegen.models.task import Case, Task, TaskRound

JsonRecord = RoundResult | RunFigures | Failure | Task | TaskRound | Case | Arrival | Check
"""A record that is written as a line of JSON, or inside such a line."""

_REQUIRED = object()
"""The default of a required key; it equals no value, so the key is always written."""

_COMMA = ", "

_MAX_LINE_LENGTH = 100
"""Maximum number of characters on a line of TOML; a longer list takes several lines."""

_BATCH_SIZE = 5_000
"""Number of records written together, key by key; most keys have their default in all records."""

_LAST_TASK_FIELDS = frozenset({"rounds", "url", "digest"})
"""Fields of a task that are written last, because a task's rounds are long."""


def json_lines(records: Iterable[JsonRecord]) -> bytes:
    """Return records of one kind as JSON Lines, with their keys in the schema's order.

    Keys with their default value are left out.
    """
    iterator = iter(records)
    texts = []
    while batch := list(islice(iterator, _BATCH_SIZE)):
        texts.append(_batch_lines(batch))
    return b"".join(texts)


def _batch_lines(batch: Sequence[JsonRecord]) -> bytes:
    """Return a batch of records as JSON Lines."""
    columns = []
    for name, default, get in _FIELDS[type(batch[0])]:
        values = list(map(get, batch))
        if values.count(default) < len(values):
            columns.append(_member_texts(name, values, default))
    lines = []
    for members in zip(*columns, strict=True):
        text = "".join(members)
        lines.append(f"{{{text[len(_COMMA) :]}}}\n")
    return "".join(lines).encode()


def _member_texts(name: str, values: Sequence[object], default: object) -> list[str]:
    """Return the text of one key for each record, after a comma; empty for a default value."""
    prefix = f"{_COMMA}{_ENCODER.encode(name)}: "
    kinds = set(map(type, values))
    if kinds <= {str, int, float, NoneType}:
        # Some values occur often, such as names of tasks, and each is encoded only once.
        texts = {value: _member_text(prefix, value, default) for value in set(values)}
        return [texts[value] for value in values]
    return [_member_text(prefix, value, default) for value in values]


def _member_text(prefix: str, value: object, default: object) -> str:
    """Return the text of a key and its value; a float that is whole is written as 1, not 1.0."""
    if value == default:
        return ""
    if isinstance(value, float) and isfinite(value):
        return f"{prefix}{int(value) if value.is_integer() else value!r}"
    return prefix + _ENCODER.encode(value)


def _inner_record(record: JsonRecord) -> dict[str, object]:
    """Return the keys and values to write for a record inside another record."""
    values: dict[str, object] = {}
    for name, default, get in _FIELDS[type(record)]:
        value = get(record)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # equal, and written as 1, not 1.0
        if value != default:
            values[name] = value
    return values


class _Field(NamedTuple):
    """A key of a record."""

    name: str
    default: object
    get: Callable[[JsonRecord], object]
    """Returns the value of the key in a record."""


def _record_fields(kind: type[JsonRecord]) -> list[_Field]:
    """Return the keys of a record in the order in which they are written."""
    record_fields = list(fields(kind))
    if kind is Task:
        record_fields.sort(key=lambda task_field: task_field.name in _LAST_TASK_FIELDS)
    return list(map(_read_field, record_fields))


def _read_field(record_field: Field[Any]) -> _Field:
    name = record_field.name
    return _Field(name, _default_of(record_field), attrgetter(name))


def _default_of(record_field: Field[Any]) -> object:
    """Return the default of a field, or `_REQUIRED`."""
    if record_field.default_factory is not MISSING:
        return record_field.default_factory()
    return _REQUIRED if record_field.default is MISSING else record_field.default


_FIELDS = {kind: _record_fields(kind) for kind in get_args(JsonRecord)}
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_inner_record)


def toml(record: Record) -> str:
    """Return a record as the text of a TOML file."""
    return tomlkit.dumps(record_values(record))


def selected_keys(text: str, keys: Sequence[str], clean: Callable[[object], object]) -> str:
    """Return the given keys of a TOML file that exist in it, without comments.

    Args:
        text: The file.
        keys: The keys, in the order in which they are written.
        clean: Takes a value and returns the value to write.
    """
    table = tomllib.loads(text)
    values = {key: clean(table[key]) for key in keys if key in table}
    return tomlkit.dumps(values)


def record_values(record: Record) -> dict[str, object]:
    """Return a record's keys and values in the schema's order, as values for tomlkit.

    Empty values that are the default of their key are left out.
    Empty values that equal the default of their key are left out.
    """
    values: dict[str, object] = {}
    schema = type(record).model_fields
    for name, value in record:
        info = schema.get(name)
        if info and not value and value == info.get_default(call_default_factory=True):
            continue
        toml_value = _toml_value(value)
        if toml_value != {}:
            key = info.alias if info and info.alias else name
            values[key] = toml_value
    return values


def _toml_value(value: object) -> object:
    """Return a value in the form that tomlkit needs."""
    match value:
        case Record() if value.is_short:
            table = tomlkit.inline_table()
            table.update(record_values(value))
            return table
        case Record():
            return record_values(value)
        case dict():
            return {key: _toml_value(inner_value) for key, inner_value in value.items()}
        case tuple():
            return _toml_list(list(map(_toml_value, value)))
        case str() if "\n" in value and "\r" not in value:
            return tomlkit.string(value, multiline=True)
        case Decimal():
            return tomlkit.value(f"{value:f}")
    return value


def _toml_list(values: list[object]) -> object:
    """Return a list in the form that tomlkit needs: an array of tables, or an array."""
    if values and all(isinstance(value, dict) for value in values):
        return values
    array = tomlkit.array()
    array.extend(values)
    return array.multiline(len(array.as_string()) > _MAX_LINE_LENGTH)


def yaml_text(document: object) -> str:
    """Return a document as YAML, with its keys in their given order."""
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=_MAX_LINE_LENGTH)


def parse_written_toml(text: str) -> tomlkit.TOMLDocument:
    """Parse hand-written TOML for editing; its comments and its order are kept."""
    return tomlkit.parse(text if text.endswith("\n") else f"{text}\n")


def table_in(
    document: tomlkit.TOMLDocument, name: str, *, is_super_table: bool = False
) -> MutableMapping[str, object]:
    """Return a table of a file, adding it if it is missing.

    Args:
        document: The file.
        name: The key of the table.
        is_super_table: Whether the table only contains other tables, and so needs no header.

    Raises:
        ValueError: The value of the key is not a table.
    """
    table = document.setdefault(name, tomlkit.table(is_super_table=is_super_table))
    if not isinstance(table, MutableMapping):
        raise ValueError(f"`{name}` is not a table")  # noqa: TRY004 - of the file
    return table


def put(table: MutableMapping[str, object], key: str, value: object) -> None:
    """Add a key to a table, or replace it."""
    with _keeping_trailing_comments(table):
        table[key] = value


def rows_of(document: tomlkit.TOMLDocument, name: str) -> list[MutableMapping[str, object]]:
    """Return the tables in a list of tables; empty if the document has no such list."""
    rows = document.get(name)
    if not isinstance(rows, list):
        return []
    return [row for row in rows if isinstance(row, MutableMapping)]


def add_row(document: tomlkit.TOMLDocument, name: str, row: Mapping[str, object]) -> None:
    """Add a table to a list of tables, adding the list if it is missing."""
    rows = document.get(name)
    if not isinstance(rows, AoT | Array):
        document[name] = [row]
        return
    with _keeping_trailing_comments(rows):
        rows.append(row)


@contextmanager
def _keeping_trailing_comments(container: object) -> Iterator[None]:
    """Keep the comments after a container in place while an item is added to the container.

    The parser assigns blank lines and comments to the table before them, although most comments are
    about the table after them. Therefore, everything after a blank line is removed, and put back at
    the end. A file changes as follows when `[axes.b]` is added to `axes`::

        [axes.a]                      [axes.a]
        values = ["x"]                values = ["x"]

        # The current track.          [axes.b]
        [[tracks]]                    values = ["y"]

                                      # The current track.
                                      [[tracks]]
    """
    last_table = _last_table(container)
    if last_table is None:
        yield
        return
    trailer = _cut_trailer(last_table)
    yield
    new_last_table = _last_table(container) or last_table
    added_table = container[-1] if isinstance(container, AoT) else new_last_table
    has_new_table = new_last_table is not last_table
    if has_new_table and not added_table.trivia.indent.startswith("\n"):
        last_table.add(tomlkit.nl())
    new_last_table.value.body.extend(trailer)


def _cut_trailer(table: Table) -> list[tuple[Any, Any]]:
    """Remove and return everything after the first blank line behind a table's last key."""
    body = table.value.body
    start = 0
    for index, (key, _) in enumerate(body):
        if key is not None:
            start = index + 1
    while start < len(body) and not isinstance(body[start][1], Whitespace):
        start += 1
    trailer = body[start:]
    del body[start:]
    return trailer


def _last_table(container: object) -> Table | None:
    """Return the innermost table at the end of a container; None if there is no such table."""
    if isinstance(container, AoT):
        return _last_table(container[-1])
    if not isinstance(container, Table):
        return None
    members = [item for key, item in container.value.body if key is not None]
    inner_table = _last_table(members[-1]) if members else None
    return inner_table or container
