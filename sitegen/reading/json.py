"""Reads JSON and JSON Lines into what they should hold."""

import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from types import GenericAlias
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

import jiter
from msgspec import Struct
from msgspec.json import Decoder
from pydantic import TypeAdapter, ValidationError
from pydantic_core import SchemaValidator, core_schema

from sitegen.problems import Problem, Rule, counted, limited, reasons
from sitegen.reading.files import read_bytes, read_text, utf8_problem
from sitegen.reading.shape import KEY_DUPLICATE, NUMBER_NOT_FINITE, adapter_of, shape_problems

JSON_SYNTAX = Rule.error(
    "JSON-SYNTAX",
    "JSON follows its grammar, and every line of JSON Lines is one object.",
    "correct the line",
    unwaivable=reasons.LOST,
)

V = TypeVar("V")

_LINE = re.compile(r" at line (\d+) column \d+")


def strict_json(text: bytes, float_mode: Literal["float", "decimal"] = "float") -> Any:  # noqa: ANN401 - of any kind
    """Parse JSON; a ValueError also where parsers let pass: for a key that stands twice, and numbers that are none."""
    return jiter.from_json(
        text,
        allow_inf_nan=False,
        catch_duplicate_keys=True,
        cache_mode="keys",
        float_mode=float_mode,
    )


def read_json(
    path: Path,
    model: type[V],
    root: Path | None = None,
    float_mode: Literal["float", "decimal"] = "float",
) -> tuple[V | None, list[Problem]]:
    """Read a JSON file below `root`, None where it has problems; "decimal" keeps the decimals of numbers as printed."""
    text, problems = read_text(path, root)
    if text is None:
        return None, problems
    adapter = adapter_of(model)
    found: object = None
    try:
        found = strict_json(text.encode(), float_mode)
        return adapter.validate_python(found) if float_mode == "decimal" else adapter.validate_json(
            text
        ), []
    except ValidationError as error:
        return None, shape_problems(error, path, lambda _: None, adapter, found)
    except ValueError as error:
        at = _LINE.search(str(error))
        return None, [JSON_SYNTAX.broken(path, int(at[1]) if at else None, f"broken JSON: {error}")]


FILE_EMPTY = Rule.error(
    "FILE-EMPTY",
    "A file that is there holds something.",
    "remove it, or add its lines",
    unwaivable=reasons.LOST,
)


class _Fields(Protocol):
    """A dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


_FILLED = re.compile(rb"\S[^\n]*")

T = TypeVar("T", bound=_Fields)
Numbered = list[tuple[int, bytes]]
"""Lines, each with its number from 1."""


@dataclass(frozen=True)  # no slots: a parametrised generic marks its instances
class Lines(Generic[T]):
    """What a JSON Lines file holds."""

    records: Sequence[T] = ()
    numbers: Sequence[int] = ()
    """Line of each record, from 1."""
    raw: Sequence[bytes] = ()
    """JSON text of each record."""
    refused: Sequence[bytes] = ()
    """Lines that hold no record: broken JSON, or another shape."""
    problems: tuple[Problem, ...] = ()
    private: tuple[Problem, ...] = ()
    """What of its texts is nobody's business; they are records all the same."""
    is_read: bool = False
    """Whether the file is there and could be opened."""

    @property
    def is_empty(self) -> bool:
        """Whether the file holds nothing at all."""
        return self.is_read and not self.records and not self.refused

    @cached_property
    def numbered(self) -> list[tuple[int, T]]:
        """Records, each with its line."""
        return list(zip(self.numbers, self.records, strict=True))


_TEXT = r'"(?:[^"\\\x00-\x1f]|\\.)*"'
_VALUE = rf"(?:{_TEXT}|-?[0-9][0-9.eE+-]*|true|false|null|\[(?:{_TEXT}(?:, ?)?)*\])"


class Look:
    """What lines all look like. The expression is pydantic's, which reads some hundred megabytes a second."""

    def __init__(self, line: str) -> None:
        """Take the expression of a line."""
        self._lines = SchemaValidator(
            core_schema.str_schema(pattern=rf"\A{line}(?:\n{line})*\n?\z")
        )

    def is_seen_in(self, data: bytes) -> bool:
        """Whether every line of a file looks so."""
        return self._lines.isinstance_python(data)


def tidy_look(keys: Iterable[str]) -> Look:
    """What lines look like mostly that may tell of some keys. They may be no JSON yet: commas are not looked at."""
    pairs = "".join(f'(?:"{key}": ?{_VALUE}(?:, ?)?)?' for key in keys)
    return Look(rf"\{{{pairs}\}}")


class LineKind(Generic[T]):
    """What the lines of a file are to hold."""

    def __init__(self, record: type[T]) -> None:
        """Take the dataclass of a line's record."""
        self._record: Any = record

    @cached_property
    def adapter(self) -> TypeAdapter[list[T]]:
        """Validates lines as one list, which is several times faster than line by line."""
        lines: Any = GenericAlias(list, (self._record,))
        return TypeAdapter(lines)

    @cached_property
    def tidiness(self) -> Look:
        """What lines look like mostly."""
        return tidy_look(each.name for each in fields(self._record))

    @cached_property
    def decoder(self) -> Decoder[T] | None:
        """Reads sound lines several times faster; None where their records are too deep for it."""
        return Decoder(self._record) if issubclass(self._record, Struct) else None

    def read(self, text: bytes) -> list[T]:
        """Read tidy lines; a ValueError where one is no JSON, or holds no such record."""
        try:
            if self.decoder:
                return self.decoder.decode_lines(text)
        except ValueError:
            pass
        return self.adapter.validate_json(
            b"[" + text.removesuffix(b"\n").replace(b"\n", b",") + b"]"
        )


def read_lines(
    path: Path,
    kind: LineKind[T],
    private: Callable[[Path, bytes], Iterable[Problem]] = lambda *_: (),
) -> Lines[T]:
    """Read every line that can be read, and say what is wrong with the others. Blank lines hold nothing."""
    data, problems = read_bytes(path)
    if data is None:
        return Lines(problems=tuple(problems))
    found: Lines[T] | None = None
    if kind.tidiness.is_seen_in(data):
        raw = data.removesuffix(b"\n").split(b"\n")
        with suppress(ValueError):  # a line that is not sound takes a closer look
            found = Lines(kind.read(data), range(1, len(raw) + 1), raw, is_read=True)
    return replace(found or untidy_lines(path, data, kind), private=tuple(private(path, data)))


def untidy_lines(path: Path, data: bytes, kind: LineKind[T]) -> Lines[T]:
    """Read what is not written the usual way, or not sound, and say at which line."""
    lines = list(_filled(data))
    broken = {
        number: problem
        for number, line in lines
        if (problem := _syntax_problem(path, number, line))
    }
    refused, sound = _parted(lines, broken)
    found = _shaped(path, sound, kind.adapter)
    told = (*limited(broken.values()), *found.problems)
    return replace(found, refused=[*refused, *found.refused], problems=told) if broken else found


def _filled(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, quick about the others: a packed file may have millions."""
    number, end = 1, 0
    for found in _FILLED.finditer(data):
        number += data.count(b"\n", end, found.start())
        yield number, data[data.rfind(b"\n", end, found.start()) + 1 or end : found.end()]
        end = found.end()


def empty_problem(path: Path) -> Problem:
    """Say that a file holds nothing at all."""
    return FILE_EMPTY.broken(path, None, f"{path.name} is empty")


def _parted(lines: Numbered, bad: Container[int]) -> tuple[list[bytes], Numbered]:
    """Part the lines with bad numbers from the others, which keep theirs."""
    refused = [line for number, line in lines if number in bad]
    return refused, [(number, line) for number, line in lines if number not in bad]


def _shaped(path: Path, lines: Numbered, adapter: TypeAdapter[list[T]]) -> Lines[T]:
    try:
        records = adapter.validate_json(b"[" + b",".join(line for _, line in lines) + b"]")
    except ValidationError as error:
        problems = shape_problems(error, path, lambda place: lines[int(place[0])][0], adapter)
        details = error.errors(include_url=False, include_input=False)
        refused, good = _parted(lines, {lines[int(detail["loc"][0])][0] for detail in details})
        return replace(_shaped(path, good, adapter), refused=refused, problems=tuple(problems))
    return Lines(
        records, [number for number, _ in lines], [line for _, line in lines], is_read=True
    )


class _Found(ValueError):  # noqa: N818 - it carries a finding out of the parser's hooks
    def __init__(self, rule: Rule, what: str) -> None:
        super().__init__(what)
        self.rule = rule


class _Constant(str):
    """A number that JSON does not know: NaN, Infinity, -Infinity."""

    __slots__ = ()


def _syntax_problem(path: Path, number: int, line: bytes) -> Problem | None:
    """What is wrong with a line; None where it is one strict JSON object: no NaN, no key twice."""
    try:
        (values, *others) = strict_json(b"[[" + line + b"]]")
    except ValueError as error:
        said = re.sub(r" at line \d+ column \d+$", "", str(error))
    else:
        if not others and len(values) == 1 and isinstance(values[0], dict):
            return None
        what = f"the line holds {counted(len(values), 'JSON value')}, and not one object"
        return JSON_SYNTAX.broken(path, number, what, 'write one {"key": value, …} a line')
    try:  # once more, slowly, to say what exactly is wrong with it
        json.loads(line.decode(), object_pairs_hook=_strict_object, parse_constant=_Constant)
    except UnicodeDecodeError as undecodable:
        return utf8_problem(path, number, undecodable)
    except _Found as found:
        return found.rule.broken(path, number, str(found))
    except json.JSONDecodeError as syntax:
        said = f"{syntax.msg.removesuffix(' at')} at column {syntax.colno}"
    except (ValueError, RecursionError):
        pass  # a number or a depth beyond Python's limits: the strict parser has said so
    return JSON_SYNTAX.broken(path, number, f"broken JSON: {said}")


def _strict_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    seen: dict[str, object] = {}
    for key, value in pairs:
        if key in seen:
            raise _Found(KEY_DUPLICATE, f"the key `{key}` stands twice")
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, _Constant):
                raise _Found(NUMBER_NOT_FINITE, f"`{key}` is {part}")
        seen[key] = value
    return seen
