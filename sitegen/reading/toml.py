"""Reads the TOML files that people write."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from sitegen.models.names import FROM_FILE
from sitegen.models.record import Record
from sitegen.problems import Problem
from sitegen.reading import rules
from sitegen.reading.files import read_text
from sitegen.reading.places import Location, Places
from sitegen.reading.shape import shape_problems

R = TypeVar("R", bound=Record)

_AT = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")
_KEY = re.compile(r"\s*([^=\s]+)\s*=")
_LONG_KEY = re.compile(r"""(?<![\w-])((?:(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)[ \t]*+\.[ \t]*+){100})""")
"""A key of more parts than any record is deep; Python's reader takes minutes for one of many thousands."""
_LONG_NUMBER = re.compile(r"[=\[,\n]\s*([+-]?[\d_.eE+-]{20,})")
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
    text, raw, problems = read_values(path, _number)
    if problems:
        return Document(problems=tuple(problems))
    places = Places(text)
    try:
        return Document(model.model_validate(_frozen(raw), context=FROM_FILE), raw, places)
    except ValidationError as error:
        return Document(None, raw, places, tuple(shape_problems(error, path, places.line_of, TypeAdapter(model), raw)))


def read_values(
    path: Path, parse_float: Callable[[str], object] = float
) -> tuple[str, dict[str, object], list[Problem]]:
    """Read the keys and values of a TOML file.

    Args:
        path: The file.
        parse_float: Makes a number of its text.

    Returns:
        Its text; the keys and values; and the problems, without which these are all there.
    """
    text, problems = read_text(path)
    if text is None:
        return "", {}, problems
    try:
        values = parsed(text, parse_float)
    except tomllib.TOMLDecodeError as error:
        return "", {}, [_syntax_problem(path, text, str(error))]
    except ValueError as error:
        long = _LONG_KEY.search(text) or _LONG_NUMBER.search(text)
        line = text.count("\n", 0, long.start(1)) + 1 if long else None
        return "", {}, [rules.TOML_SYNTAX.broken(path, line, str(error), "write it shorter, or nest less")]
    beyond = next(_beyond(values), None)
    if beyond:
        what = f"`{'.'.join(map(str, beyond))}` is a whole number of more than 64 bits"
        return "", {}, [rules.TOML_SYNTAX.broken(path, Places(text).line_of(beyond), what, "give a smaller number")]
    return text, values, []


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
    except tomllib.TOMLDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise ValueError("a number has too many digits, or values are nested too deeply") from error


def _beyond(value: object, place: Location = ()) -> Iterator[Location]:
    """Find whole numbers beyond what TOML asks readers to take: Python can't even write the longest of them."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        yield place
    for part, inner in (
        value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ())
    ):
        yield from _beyond(inner, (*place, part))


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
