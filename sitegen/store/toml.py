"""Reads the TOML files that people write."""

import re
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from sitegen.errors import Problem
from sitegen.models.record import Record
from sitegen.store import rules
from sitegen.store.shape import Location, shape_problems
from sitegen.store.text import read_text

R = TypeVar("R", bound=Record)

_HEADER = re.compile(r"^\s*(\[\[|\[)\s*([^\]]+?)\s*\]")


def read_toml(path: Path, model: type[R]) -> tuple[R | None, list[Problem]]:
    """Read one TOML file into a record.

    Returns:
        The record, or None where the file has problems; and the problems.
    """
    text, problems = read_text(path)
    if text is None:
        return None, problems
    try:
        raw = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        return None, [_syntax_problem(path, str(error))]
    try:
        return model.model_validate(_frozen(raw)), []
    except ValidationError as error:
        return None, shape_problems(error, path, lambda place: line_of(text, place))


def line_of(text: str, place: Location) -> int | None:
    """Find the line of a key, or of the table it belongs in.

    Args:
        text: The TOML file.
        place: Keys and positions from the root, such as ("tracks", 1, "protocol").
    """
    wanted = [part for part in place if isinstance(part, str)]
    tables: dict[str, int] = {}
    table, best = "", None
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER.match(line)
        if header:
            table = header[2]
            tables[table] = tables.get(table, -1) + 1
        if not _inside(table, tables, place):
            continue
        key = wanted[len(table.split(".")) if table else 0 :][:1]
        if header:
            best = number
        elif key and re.match(rf'^\s*"?{re.escape(key[0])}"?\s*[=.]', line):
            return number
    return best


def _inside(table: str, tables: dict[str, int], place: Location) -> bool:
    """Whether a table is the one that a location leads through, the position in a list of tables included."""
    parts = table.split(".") if table else []
    keys = [part for part in place if isinstance(part, str)]
    if keys[: len(parts)] != parts:
        return False
    positions = [
        place[at + 1] for at, part in enumerate(place[:-1]) if part == table and isinstance(place[at + 1], int)
    ]
    return not positions or positions[0] == tables[table]


def _syntax_problem(path: Path, message: str) -> Problem:
    at = re.search(r"\(at line (\d+), column \d+\)", message)
    rule = rules.KEY_DUPLICATE if "overwrite" in message or "twice" in message else rules.TOML_SYNTAX
    return rule.broken(path, int(at[1]) if at else None, message)


def _frozen(value: object) -> object:
    """Turn lists into tuples, as frozen records hold them."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value
