"""Writes the records that people edit, as TOML."""

import tomllib
from collections.abc import Sequence
from decimal import Decimal

import tomlkit

from sitegen.models.record import Record

_WIDE = 100
"""Characters beyond which a list is written over several lines."""


def toml(record: Record) -> str:
    """Write a file with one record."""
    return tomlkit.dumps(told(record))


def excerpt(text: str, keys: Sequence[str]) -> str:
    """Write some keys of a file anew, as far as it has them: without its other keys, and without a comment."""
    found = tomllib.loads(text)
    return tomlkit.dumps({key: found[key] for key in keys if key in found})


def told(record: Record) -> dict[str, object]:
    """Give a record's keys and values in the schema's order, without the keys that say nothing.

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
        case Record():
            return _short(told(value)) if value.is_short else told(value)
        case dict():
            return {key: _written(each) for key, each in value.items()}
        case tuple():
            return _list([_written(each) for each in value])
    return _plain(value)


def _plain(value: object) -> object:
    if isinstance(value, str) and "\n" in value and "\r" not in value:
        return tomlkit.string(value, multiline=True)
    return tomlkit.value(f"{value:f}") if isinstance(value, Decimal) else value


def _short(values: dict[str, object]) -> object:
    table = tomlkit.inline_table()
    table.update(values)
    return table


def _list(values: list[object]) -> object:
    """Write tables below each other, other values in one line or, where that is long, in one each."""
    if values and all(isinstance(each, dict) for each in values):
        return values
    array = tomlkit.array()
    array.extend(values)
    return array.multiline(len(array.as_string()) > _WIDE)
