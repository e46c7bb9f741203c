"""Reads the TOML files that people write, and finds the lines that keys stand on, so that problems can name them."""

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
    "TOML files follow TOML 1.0.",
    'correct the line: texts stand in "quotes", and days are as 2026-06-25',
    unwaivable=reasons.LOST,
)

R = TypeVar("R", bound=Record)

_AT = re.compile(r" \(at (?:line (?P<line>\d+), column \d+|end of document)\)$")
_KEY = re.compile(r"\s*([^=\s]+)\s*=")
_LONG_KEY = re.compile(
    r"""(?<![\w-])((?:(?:"[^"\n]*+"|'[^'\n]*+'|[\w-]++)[ \t]*+\.[ \t]*+){100})"""
)
"""A key of more parts than any record is deep; Python's reader takes minutes for one of many thousands."""
_LONG_NUMBER = re.compile(r"[=\[,\n]\s*([+-]?[\d_.eE+-]{20,})")
_LONG = "a key has more than 100 parts"
_TWICE = re.compile(r"overwrite|twice|Duplicate|mutate immutable|redefine")


_PATIENCE = 500_000
"""So many characters are read in vain, which takes a second."""

_CLOSERS = re.compile(r"""[]}]|\"{3}|'{3}""")
"""What a value of several lines ends with."""


@dataclass(frozen=True)  # no slots: lines are found once, where one is asked for
class Places:
    """The places of one TOML file, which must be valid."""

    text: str = ""

    def line_of(self, place: Location) -> int | None:
        """Find the line of a key, or of what leads nearest to it; None where nothing does."""
        ways = (place[:length] for length in range(len(place), 0, -1))
        return next((self._lines[way] for way in ways if way in self._lines), None)

    @cached_property
    def _lines(self) -> dict[Location, int]:
        """Where each place stands first, and each that is on the way to it."""
        lines: dict[Location, int] = {}
        for line, table, content in _statements(self.text):
            for place in (
                *(table[:length] for length in range(1, len(table) + 1)),
                *_inside(table, content),
            ):
                lines.setdefault(place, line)
        return lines


@dataclass(frozen=True)  # no slots: a parametrised generic marks its instances
class Document(Generic[R]):
    """What a TOML file holds, with the way back to its lines."""

    record: R | None = None
    """None where the file has problems; in names, blanks at the ends are gone."""
    raw: Mapping[str, object] = field(default_factory=dict)
    """Its keys and values as written; none where it is no TOML."""
    places: Places = field(default_factory=Places)
    problems: tuple[Problem, ...] = ()
    path: Path = Path()

    def broken(self, rule: Rule, place: Location, what: str, fix: str | None = None) -> Problem:
        """A breach of a rule at a place of the file."""
        return rule.broken(self.path, self.places.line_of(place), what, fix)

    def has_problem(self, place: Location) -> bool:
        """Whether a place's line has a problem already, so that a second one would only repeat it."""
        return self.places.line_of(place) in {problem.line for problem in self.problems}

    @property
    def is_newer(self) -> bool:
        """Whether it follows a version of the format that nobody here knows, so that nothing else of it counts."""
        return any(problem.code == SCHEMA_NEWER.code for problem in self.problems)


def read_toml(path: Path, model: type[R], steps: Sequence[Step] = STEPS) -> Document[R]:
    """Read one TOML file into a record, by steps where an earlier version of the program wrote it."""
    text, raw, problems = read_values(path, _number)
    if problems:
        return Document(problems=tuple(problems), path=path)
    record, places, written = None, Places(text), raw.get("schema")
    if type(written) is int and written > newest(steps):
        what = (
            f"`schema` is {written}, and this version of the program knows {newest(steps)} at most"
        )
        return Document(
            problems=(SCHEMA_NEWER.broken(path, places.line_of(("schema",)), what),), path=path
        )
    raw = brought_up(model, raw, steps)
    try:
        record = model.model_validate(_frozen(raw), context=FROM_FILE)
    except ValidationError as error:
        problems = shape_problems(error, path, places.line_of, adapter_of(model), raw)
    return Document(record, raw, places, tuple(problems), path)


def broken_in(
    path: Path, rule: Rule, place: Location, what: str, fix: str | None = None
) -> Problem:
    """A breach of a rule at a place of a TOML file that is read again for its line: hardly any is at fault."""
    text, _ = read_text(path)
    return rule.broken(path, Places(text or "").line_of(place), what, fix)


def read_values(
    path: Path, parse_float: Callable[[str], object] = float
) -> tuple[str, dict[str, object], list[Problem]]:
    """The text of a TOML file, its values, with numbers as `parse_float` makes them; and the problems."""
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
        return (
            "",
            {},
            [TOML_SYNTAX.broken(path, line, str(error), "write it shorter, or nest less")],
        )
    beyond = next(_beyond(values), None)
    if beyond:
        what = f"`{'.'.join(map(str, beyond))}` is a whole number of more than 64 bits"
        return (
            "",
            {},
            [TOML_SYNTAX.broken(path, Places(text).line_of(beyond), what, "give a smaller number")],
        )
    return text, values, []


def parsed(text: str, parse_float: Callable[[str], object] = float) -> dict[str, object]:
    """Parse TOML of which only the values matter; a ValueError where it is none, or too deep."""
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
        value.items()
        if isinstance(value, dict)
        else enumerate(value if isinstance(value, list) else ())
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
    if text.split("\n")[line - 1].startswith(("<<<<<<<", "=======", ">>>>>>>")):
        mend = "keep what both sides say, lists joined, and take the marks out"
        return TOML_SYNTAX.broken(path, line, "a merge left both sides here", mend)
    if not _TWICE.search(said):
        return TOML_SYNTAX.broken(path, line, f"broken TOML: {said}")
    names = re.findall(r"'([^']*)'", said)
    key = _KEY.match(text.split("\n")[line - 1])
    name = ".".join(names) or (key[1] if key else "")
    return KEY_DUPLICATE.broken(
        path, line, f"the key `{name}` stands twice" if name else "a key stands twice"
    )


def _frozen(value: object) -> object:
    """Turn lists into tuples, as frozen records hold them."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value


def _inside(place: Location, content: Mapping[str, object]) -> Iterator[Location]:
    for key, value in content.items():
        yield (*place, key)
        if isinstance(value, Mapping):
            yield from _inside((*place, key), value)


def _statements(text: str) -> Iterator[tuple[int, Location, Mapping[str, object]]]:
    """Split a file into headers and keys with their values: each is the shortest run of lines that is TOML by itself.

    A value over thousands of lines would be read from its beginning with each: what follows it has no place.

    Yields:
        The line where it begins, from 1; the table that it stands in, or opens; and what it sets there.
    """
    table: Location = ()
    positions: dict[Location, int] = {}
    begin, run, spent = 1, "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        run += line + "\n"
        if number > begin and not _CLOSERS.search(line):
            continue
        try:
            content = tomllib.loads(run)
        except tomllib.TOMLDecodeError:
            spent += len(run)
            if spent > _PATIENCE:
                return
            continue
        if run.lstrip().startswith("["):
            table, content = _opened(content, positions), {}
            yield begin, table, content
        elif content:
            yield begin, table, content
        begin, run = number + 1, ""


def _opened(header: object, positions: dict[Location, int]) -> Location:
    """Which table a header opens, the position in a list of tables included."""
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
