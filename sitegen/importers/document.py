"""Reads single files of a foreign tree. What is wrong with a file is one problem, however often it is wrong."""

import re
import tomllib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

import jiter
from pydantic import TypeAdapter, ValidationError

from sitegen.errors import Problem
from sitegen.importers import rules
from sitegen.models.record import Record

T = TypeVar("T")
R = TypeVar("R", bound=Record)

_SHOWN = 3
"""Places named of those where a file has another shape than it should."""

_LINE = re.compile(r" \(?at line (\d+),? column \d+\)?")


def read_text(path: Path) -> tuple[str | None, list[Problem]]:
    """Read a file as UTF-8.

    Returns:
        The text, or None where the file can't be read; and the problems.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None, [rules.FILE_MISSING.broken(path, None, f"there is no {path.name}")]
    except OSError as error:
        return None, [rules.FILE_UNREADABLE.broken(path, None, f"{path.name} can't be read: {error.strerror}")]
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return None, [rules.NOT_UTF8.broken(path, line, f"byte 0x{data[error.start]:02x} is not UTF-8")]


def read_json(path: Path, model: type[T]) -> tuple[T | None, list[Problem]]:
    """Read a JSON file into what it should hold.

    Returns:
        The value, or None where the file has problems; and the problems.
    """
    return _read(path, lambda text: TypeAdapter(model).validate_json(_strict(text)))


def read_printed_json(path: Path, model: type[T]) -> tuple[T | None, list[Problem]]:
    """Read a JSON file as `read_json` does, and keep the decimals that its numbers were printed with."""

    def parse(text: str) -> T:
        return TypeAdapter(model).validate_python(jiter.from_json(_strict(text), float_mode="decimal"))

    return _read(path, parse)


def read_toml(path: Path, model: type[R]) -> tuple[R | None, list[Problem]]:
    """Read a TOML file into a record.

    Returns:
        The record, or None where the file has problems; and the problems.
    """
    return _read(path, lambda text: model.model_validate(_frozen(tomllib.loads(text, parse_float=Decimal))))


def _read(path: Path, parse: Callable[[str], T]) -> tuple[T | None, list[Problem]]:
    text, problems = read_text(path)
    if text is None:
        return None, problems
    try:
        return parse(text), []
    except ValidationError as error:
        return None, [_shape_problem(path, error)]
    except ValueError as error:
        return None, [_syntax_problem(path, str(error))]


def _strict(text: str) -> bytes:
    """Refuse what JSON parsers let pass: a key that stands twice, and numbers that are none."""
    data = text.encode()
    jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")
    return data


def _syntax_problem(path: Path, message: str) -> Problem:
    at = _LINE.search(message)
    return rules.SYNTAX.broken(path, int(at[1]) if at else None, f"broken {path.suffix[1:].upper()}: {message}")


def _shape_problem(path: Path, error: ValidationError) -> Problem:
    details = error.errors(include_url=False)
    shown = [f"`{_place(each['loc'])}`: {each['msg']}, found {_found(each['input'])}" for each in details[:_SHOWN]]
    more = f"; and {len(details) - _SHOWN} more places" if len(details) > _SHOWN else ""
    return rules.SHAPE.broken(path, None, "; ".join(shown) + more)


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location))


def _found(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"  # noqa: PLR2004 - a message stays one line


def _frozen(value: object) -> object:
    """Turn lists into tuples, as frozen records hold them."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value
