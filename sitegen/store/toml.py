"""Reads the TOML files that people write."""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from sitegen.errors import Problem
from sitegen.models.names import FROM_FILE
from sitegen.models.record import Record
from sitegen.store import rules
from sitegen.store.places import Location, Places
from sitegen.store.shape import shape_problems
from sitegen.store.text import read_text

R = TypeVar("R", bound=Record)

_AT = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")
_KEY = re.compile(r"\s*([^=\s]+)\s*=")
_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)[ \t]*+\.[ \t]*+){100}""")
"""A key of more parts than any record is deep; Python's reader takes minutes for one of many thousands."""
_LONG = "a key has more than 100 parts"
_TWICE = re.compile(r"overwrite|twice|Duplicate|mutate immutable|redefine")


@dataclass(frozen=True)  # no slots: a parametrised generic marks its instances
class Document(Generic[R]):
    """What a TOML file holds, with the way back to its lines."""

    record: R | None = None
    """None where the file has problems."""
    raw: Mapping[str, object] = field(default_factory=dict)
    """Its keys and values as written; none where it is no TOML."""
    places: Places = field(default_factory=Places)
    problems: tuple[Problem, ...] = ()

    def has_problem(self, place: Location) -> bool:
        """Whether a place's line has a problem already, so that a second one would only repeat it."""
        return self.places.line_of(place) in {problem.line for problem in self.problems}


def read_toml(path: Path, model: type[R]) -> Document[R]:
    """Read one TOML file into a record."""
    text, problems = read_text(path)
    if text is None:
        return Document(problems=tuple(problems))
    if long := _LONG_KEY.search(text):
        line = text.count("\n", 0, long.start()) + 1
        return Document(problems=(rules.TOML_SYNTAX.broken(path, line, _LONG, "write a key of few parts"),))
    try:
        raw = tomllib.loads(text, parse_float=_number)
        values = _frozen(raw)
    except tomllib.TOMLDecodeError as error:
        return Document(problems=(_syntax_problem(path, text, str(error)),))
    except (ValueError, RecursionError):
        what = "a number has too many digits, or values are nested too deeply"
        return Document(problems=(rules.TOML_SYNTAX.broken(path, None, what, "write it shorter, or nest less"),))
    places = Places(text)
    try:
        return Document(model.model_validate(values, context=FROM_FILE), raw, places)
    except ValidationError as error:
        return Document(None, raw, places, tuple(shape_problems(error, path, places.line_of, TypeAdapter(model), raw)))


def parsed(text: str, parse_float: Callable[[str], object] = float) -> dict[str, object]:
    """Parse TOML of which only the values matter, and not what may be wrong with it.

    Args:
        text: The TOML.
        parse_float: Makes a number of its text.

    Raises:
        ValueError: It is no TOML, has a key of more parts than any record is deep, or is nested too deeply.
    """
    if _LONG_KEY.search(text):
        raise ValueError(_LONG)
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except RecursionError as error:
        raise ValueError(str(error)) from error


def _number(text: str) -> Decimal:
    """Keep a number's decimals as written."""
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise ValueError(text) from error


def _syntax_problem(path: Path, text: str, message: str) -> Problem:
    at = _AT.search(message)
    line = int(at["line"]) if at and at["line"] else text.rstrip().count("\n") + 1
    said = _AT.sub("", message)
    if not _TWICE.search(said):
        return rules.TOML_SYNTAX.broken(path, line, f"broken TOML: {said}")
    names = re.findall(r"'([^']*)'", said)
    key = _KEY.match(text.split("\n")[line - 1])
    name = ".".join(names) or (key[1] if key else "")
    return rules.KEY_DUPLICATE.broken(path, line, f"the key `{name}` stands twice" if name else "a key stands twice")


def _frozen(value: object) -> object:
    """Turn lists into tuples, as frozen records hold them."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value
