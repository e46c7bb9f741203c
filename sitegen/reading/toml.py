"""Read the TOML files that people write, and find the lines of their keys.

`read_toml` returns a `Document`: the record, the problems, and `Places`, which finds the line of a
key. Python's TOML reader has no line numbers, so a second pass over the text finds them, but only
if a problem needs one.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from sitegen.models.names import FROM_FILE
from sitegen.models.record import Record
from sitegen.problems import Problem, Rule, reasons
from sitegen.reading.files import read_text
from sitegen.reading.shape import KEY_DUPLICATE, Location, adapter_of, shape_problems
from sitegen.reading.versions import SCHEMA_NEWER, STEPS, Step, brought_up, newest

TOML_SYNTAX = Rule.error(
    "TOML-SYNTAX",
    "A file is not valid TOML 1.0.",
    'correct the line: write strings in "quotes", and dates as 2026-06-25',
    unwaivable=reasons.LOST,
)

R = TypeVar("R", bound=Record)

_POSITION_IN_MESSAGE = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")
_KEY = re.compile(r"\s*([^=\s]+)\s*=")
_LONG_KEY = re.compile(
    r"""(?<![\w-])((?:(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)[ \t]*+\.[ \t]*+){100})"""
)
"""A key with more parts than any record has levels; Python's reader takes minutes for thousands."""
_LONG_KEY_MESSAGE = "a key has more than 100 parts"
_LONG_NUMBER = re.compile(r"[=\[,\n]\s*([+-]?[\d_.eE+-]{20,})")
_REPEATED_KEY_MESSAGE = re.compile(r"overwrite|twice|Duplicate|mutate immutable|redefine")
_FIXED_LIST_MESSAGE = "Cannot mutate immutable namespace"
"""Message of Python's reader if a table is added to a list whose brackets are closed."""
_ADDED_TABLE = re.compile(r"\s*\[\[\s*([^\]]+?)\s*\]\]")
_MERGE_MARKS = ("<<<<<<<", "=======", ">>>>>>>")

_MAX_WASTED_LENGTH = 500_000
"""Maximum number of characters, a second's work, that `_statements` parses in vain."""

_CLOSERS = re.compile(r"""[]}]|\"{3}|'{3}""")
"""Marks that end a value that spans several lines."""


@dataclass(frozen=True)  # no slots: the lines are cached
class Places:
    """The lines of the keys of one TOML file, which must be valid."""

    text: str = ""

    def line_of(self, location: Location) -> int | None:
        """Return the line of a key, or of the nearest table around it; None if there is none."""
        for length in range(len(location), 0, -1):
            line = self._lines.get(location[:length])
            if line is not None:
                return line
        return None

    @cached_property
    def _lines(self) -> dict[Location, int]:
        """The first line of each location, and of each table on the way to it."""
        lines: dict[Location, int] = {}
        for line, table, content in _statements(self.text):
            for length in range(1, len(table) + 1):
                lines.setdefault(table[:length], line)
            for location in _locations_in(content, table):
                lines.setdefault(location, line)
        return lines


@dataclass(frozen=True)  # no slots: a parametrised generic marks its instances
class Document(Generic[R]):
    """The content of a TOML file, with the lines of its keys."""

    record: R | None = None
    """The record, with blanks around names removed; None if the file has problems."""
    raw: Mapping[str, object] = field(default_factory=dict)
    """The keys and values as written; empty if the file is not TOML."""
    places: Places = field(default_factory=Places)
    problems: tuple[Problem, ...] = ()
    path: Path = Path()

    def broken(self, rule: Rule, location: Location, fact: str, fix: str | None = None) -> Problem:
        """Return the problem of a rule broken at a location of the file."""
        return rule.broken(self.path, self.places.line_of(location), fact, fix)

    def has_problem(self, location: Location) -> bool:
        """Return whether the line of a location has a problem, so another would only repeat it."""
        lines_with_problems = {problem.line for problem in self.problems}
        return self.places.line_of(location) in lines_with_problems

    @property
    def is_newer(self) -> bool:
        """Whether the file uses a newer version of the format, which makes other problems moot."""
        return any(problem.code == SCHEMA_NEWER.code for problem in self.problems)


def read_toml(path: Path, model: type[R], steps: Sequence[Step] = STEPS) -> Document[R]:
    """Return the content of a TOML file as a record, converted from an earlier version if needed.

    Args:
        path: The file.
        model: The type of its record.
        steps: The conversions from each version of the format to the next.
    """
    text, raw, problems = read_values(path, _exact_number)
    if problems:
        return Document(problems=tuple(problems), path=path)
    places = Places(text)
    version = raw.get("schema")
    if type(version) is int and version > newest(steps):
        known_version = f"this version of the program supports up to {newest(steps)}"
        fact = f"`schema` is {version}, but {known_version}"
        problem = SCHEMA_NEWER.broken(path, places.line_of(("schema",)), fact)
        return Document(problems=(problem,), path=path)
    raw = brought_up(model, raw, steps)
    record = None
    try:
        record = model.model_validate(_with_tuples(raw), context=FROM_FILE)
    except ValidationError as error:
        problems = shape_problems(error, path, places.line_of, adapter_of(model), raw)
    return Document(record, raw, places, tuple(problems), path)


def broken_in(
    path: Path, rule: Rule, location: Location, fact: str, fix: str | None = None
) -> Problem:
    """Return the problem of a rule broken in a TOML file, which is read again to find the line."""
    text, _ = read_text(path)
    return rule.broken(path, Places(text or "").line_of(location), fact, fix)


def read_values(
    path: Path, parse_float: Callable[[str], object] = float
) -> tuple[str, dict[str, object], list[Problem]]:
    """Return the text and the values of a TOML file, both empty on failure, and its problems.

    Args:
        path: The file.
        parse_float: Converts the text of a number that is not whole.
    """
    text, problems = read_text(path)
    if text is None:
        return "", {}, problems
    try:
        values = parsed(text, parse_float)
    except tomllib.TOMLDecodeError as error:
        return "", {}, [_syntax_problem(path, text, str(error))]
    except ValueError as error:
        return "", {}, [_limit_problem(path, text, error)]
    oversized = next(_oversized_numbers(values), None)
    if oversized is not None:
        name = ".".join(map(str, oversized))
        fact = f"`{name}` is a whole number of more than 64 bits"
        line = Places(text).line_of(oversized)
        return "", {}, [TOML_SYNTAX.broken(path, line, fact, "give a smaller number")]
    return text, values, []


def parsed(text: str, parse_float: Callable[[str], object] = float) -> dict[str, object]:
    """Return the values of a TOML text.

    Raises:
        ValueError: The text is not TOML, or exceeds Python's limits.
    """
    if _LONG_KEY.search(text):
        raise ValueError(_LONG_KEY_MESSAGE)
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise ValueError("a number has too many digits, or values are nested too deeply") from error


def _limit_problem(path: Path, text: str, error: ValueError) -> Problem:
    """Return the problem of a text that exceeds the limits of Python's reader."""
    culprit = _LONG_KEY.search(text) or _LONG_NUMBER.search(text)
    line = text.count("\n", 0, culprit.start(1)) + 1 if culprit else None
    return TOML_SYNTAX.broken(path, line, str(error), "shorten the number, or use less nesting")


def _oversized_numbers(value: object, location: Location = ()) -> Iterator[Location]:
    """Yield the locations of whole numbers of more than 64 bits, which TOML readers may refuse.

    Python can't even print the longest such numbers.
    """
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        yield location
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _oversized_numbers(item, (*location, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _oversized_numbers(item, (*location, index))


def _exact_number(text: str) -> Decimal:
    """Return a number with the decimals as written."""
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise ValueError(text) from error


def _syntax_problem(path: Path, text: str, message: str) -> Problem:
    """Return the problem of a text that is not TOML.

    Args:
        path: The file.
        text: Its text.
        message: The message of Python's reader.
    """
    position = _POSITION_IN_MESSAGE.search(message)
    number = int(position["line"]) if position and position["line"] else _last_line(text)
    line = text.split("\n")[number - 1]
    if line.startswith(_MERGE_MARKS):
        fix = "keep the entries of both sides, merge their lists, and remove the conflict markers"
        return TOML_SYNTAX.broken(path, number, "the file has conflict markers of a merge", fix)
    reason = _POSITION_IN_MESSAGE.sub("", message)
    added_table = _ADDED_TABLE.match(line)
    if added_table and _FIXED_LIST_MESSAGE in reason:
        name = added_table[1]
        fact = f"`[[{name}]]` adds to `{name}`, which is a list in brackets above"
        fix = (
            f"write every item of `{name}` below a `[[{name}]]` of its own, or all in the brackets"
        )
        return TOML_SYNTAX.broken(path, number, fact, fix)
    if not _REPEATED_KEY_MESSAGE.search(reason):
        return TOML_SYNTAX.broken(path, number, f"broken TOML: {reason}")
    name = _repeated_key(reason, line)
    fact = f"the key `{name}` occurs twice" if name else "a key occurs twice"
    return KEY_DUPLICATE.broken(path, number, fact)


def _last_line(text: str) -> int:
    """Return the number of the last line that is not blank."""
    return text.rstrip().count("\n") + 1


def _repeated_key(reason: str, line: str) -> str:
    """Return the key that a message names, or else the line; empty if neither names a key."""
    name = ".".join(re.findall(r"'([^']*)'", reason))
    if name:
        return name
    key = _KEY.match(line)
    return key[1] if key else ""


def _with_tuples(value: object) -> object:
    """Return a value with lists converted to tuples, as frozen records require."""
    if isinstance(value, list):
        return tuple(_with_tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: _with_tuples(item) for key, item in value.items()}
    return value


def _locations_in(content: Mapping[str, object], table: Location) -> Iterator[Location]:
    """Yield the location of each key of a table, and of the tables inside it."""
    for key, value in content.items():
        location = (*table, key)
        yield location
        if isinstance(value, Mapping):
            yield from _locations_in(value, location)


def _statements(text: str) -> Iterator[tuple[int, Location, Mapping[str, object]]]:
    """Yield the statements of a file: its table headers, and its keys with their values.

    A statement is the shortest run of lines that is valid TOML by itself. A value of thousands of
    lines would be parsed again with each line, so the search stops there once it takes too long.

    Yields:
        The line where a statement starts, from 1; the table that the statement is in or opens; and
        the values that it sets there.
    """
    table: Location = ()
    positions: dict[Location, int] = {}
    begin = 1
    run = ""
    wasted_length = 0
    for number, line in enumerate(text.split("\n"), start=1):
        run += line + "\n"
        if number > begin and not _CLOSERS.search(line):
            continue
        try:
            content = tomllib.loads(run)
        except tomllib.TOMLDecodeError:
            wasted_length += len(run)
            if wasted_length > _MAX_WASTED_LENGTH:
                return
            continue
        if run.lstrip().startswith("["):
            table = _opened_table(content, positions)
            yield begin, table, {}
        elif content:
            yield begin, table, content
        begin = number + 1
        run = ""


def _opened_table(header: object, positions: dict[Location, int]) -> Location:
    """Return the table that a header opens, with its position in each list of tables.

    Args:
        header: The header, parsed by itself into empty tables.
        positions: Position of the current table in each list; a new table increments the position.
    """
    table: Location = ()
    while isinstance(header, dict) and header:
        key, header = next(iter(header.items()))
        table += (key,)
        if isinstance(header, list):
            positions[table] = positions.get(table, -1) + 1
            header = header[0]
        if table in positions:
            table += (positions[table],)
    return table
