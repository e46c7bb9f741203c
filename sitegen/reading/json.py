"""Read JSON and JSON Lines of a results folder into records.

`read_lines` reads JSON Lines. Almost every file is tidy and valid: one call of msgspec reads it.
Any other file is read line by line, to report the invalid lines and keep the others.
"""

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

from sitegen.models.record import Sharing
from sitegen.problems import Problem, Rule, counted, limited, reasons
from sitegen.reading.files import read_bytes, read_text, utf8_problem
from sitegen.reading.shape import (
    KEY_DUPLICATE,
    NUMBER_NOT_FINITE,
    Location,
    adapter_of,
    shape_problems,
)

JSON_SYNTAX = Rule.error(
    "JSON-SYNTAX",
    "A file is not valid JSON, or a line of JSON Lines is not an object.",
    "correct the line",
    unwaivable=reasons.LOST,
)
FILE_EMPTY = Rule.error(
    "FILE-EMPTY",
    "A file is empty.",
    "remove the file, or add its lines",
    unwaivable=reasons.LOST,
)

V = TypeVar("V")

FloatMode = Literal["float", "decimal"]
"""How numbers are parsed: as floats, or as decimals that keep their digits as written."""

_LINE_OF_ERROR = re.compile(r" at line (\d+) column \d+")


def strict_json(text: bytes, float_mode: FloatMode = "float") -> Any:  # noqa: ANN401 - any JSON
    """Return the value of a JSON text.

    Raises:
        ValueError: The text is not JSON, repeats a key, or contains a number that is not finite.
    """
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
    float_mode: FloatMode = "float",
) -> tuple[V | None, list[Problem]]:
    """Return the record of a JSON file, and no problems; or None and the problems.

    Args:
        path: The file.
        model: The type of its record.
        root: The folder below which no part of the path may be a link.
        float_mode: How numbers are parsed.
    """
    text, problems = read_text(path, root)
    if text is None:
        return None, problems
    adapter = adapter_of(model)
    document: object = None
    try:
        document = strict_json(text.encode(), float_mode)
        if float_mode == "decimal":
            return adapter.validate_python(document), []
        return adapter.validate_json(text), []
    except ValidationError as error:
        return None, shape_problems(error, path, _no_line, adapter, document)
    except ValueError as error:
        match = _LINE_OF_ERROR.search(str(error))
        line = int(match[1]) if match else None
        return None, [JSON_SYNTAX.broken(path, line, f"broken JSON: {error}")]


def _no_line(_location: Location) -> None:
    """Return None, since the lines of values in a JSON file are not known."""


class _Fields(Protocol):
    """A dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


T = TypeVar("T", bound=_Fields)
Numbered = list[tuple[int, bytes]]
"""Lines of a file, each with its number, from 1."""


@dataclass(frozen=True)  # no slots: a parametrised generic marks its instances
class Lines(Generic[T]):
    """The records of a JSON Lines file, and its problems."""

    records: Sequence[T] = ()
    numbers: Sequence[int] = ()
    """Line number of each record, from 1."""
    raw: Sequence[bytes] = ()
    """JSON text of each record; empty if the caller does not need it."""
    refused: Sequence[bytes] = ()
    """Lines that yield no record because the JSON is broken or has another shape."""
    problems: tuple[Problem, ...] = ()
    private: tuple[Problem, ...] = ()
    """Problems with private data in the texts; the lines are still read as records."""
    is_read: bool = False
    """Whether the file exists and could be opened."""

    @property
    def is_empty(self) -> bool:
        """Whether the file has no lines at all."""
        return self.is_read and not self.records and not self.refused

    @property
    def numbered(self) -> Iterator[tuple[int, T]]:
        """Pairs of line number and record.

        The pairs are built again on each use, because a list of a million pairs would take 100 MB.
        """
        return zip(self.numbers, self.records, strict=True)


_STRING = r'"(?:[^"\\\x00-\x1f]|\\.)*"'
_VALUE = rf"(?:{_STRING}|-?[0-9][0-9.eE+-]*|true|false|null|\[(?:{_STRING}(?:, ?)?)*\])"


class Look:
    """A regular expression that every line of a file should match.

    Pydantic does the matching; its engine reads some hundred megabytes a second.
    """

    def __init__(self, line: str) -> None:
        """Set the expression that matches a line."""
        pattern = rf"\A{line}(?:\n{line})*\n?\z"
        self._lines = SchemaValidator(core_schema.str_schema(pattern=pattern))

    def is_seen_in(self, data: bytes) -> bool:
        """Return whether every line of a file matches."""
        return self._lines.isinstance_python(data)


def tidy_look(keys: Iterable[str]) -> Look:
    """Return an expression for lines that are objects with some of these keys, in this order.

    A line that matches may still be invalid JSON, because commas are not checked.
    """
    pairs = "".join(f'(?:"{key}": ?{_VALUE}(?:, ?)?)?' for key in keys)
    return Look(rf"\{{{pairs}\}}")


class LineKind(Generic[T]):
    """The type of a file's lines, with the parsers for it, which are built on first use."""

    def __init__(self, record: type[T], shared: Sequence[str] = ()) -> None:
        """Set the dataclass of a line's record, and the fields whose values are shared.

        Args:
            record: The dataclass.
            shared: Fields with few distinct values; equal values in a file share one object.
        """
        self._record: Any = record
        self._shared = shared

    @cached_property
    def adapter(self) -> TypeAdapter[list[T]]:
        """The validator of a list of all lines, faster than validating line by line."""
        lines: Any = GenericAlias(list, (self._record,))
        return TypeAdapter(lines)

    @cached_property
    def tidiness(self) -> Look:
        """The expression that tidy lines match."""
        return tidy_look(field.name for field in fields(self._record))

    @cached_property
    def decoder(self) -> Decoder[T] | None:
        """A decoder that is several times faster; None if the record is not a struct."""
        return Decoder(self._record) if issubclass(self._record, Struct) else None

    def read(self, text: bytes) -> list[T]:
        """Return the records of tidy lines.

        Raises:
            ValueError: A line is not JSON, or has another shape.
        """
        if self.decoder:
            with suppress(ValueError):
                return self._decode(self.decoder, text)
        lines = text.removesuffix(b"\n").split(b"\n")
        return self.adapter.validate_json(_json_list(lines))

    def sharing(self) -> Sharing:
        """Return the hooks that let a file's records share equal values."""
        return Sharing(self._shared)

    def _decode(self, decoder: Decoder[T], text: bytes) -> list[T]:
        """Return the records of tidy lines, read in chunks so that duplicates are freed early."""
        records: list[T] = []
        sharing = self.sharing()
        for start, end in chunks_of_lines(text, _CHUNK_SIZE):
            chunk = decoder.decode_lines(memoryview(text)[start:end])
            sharing.apply(chunk)
            records += chunk
        return records


_CHUNK_SIZE = 1024 * 1024
"""Bytes of lines that are decoded in one chunk."""


def chunks_of_lines(text: bytes, size: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of chunks of complete lines, each but the last of at least `size` bytes."""
    start = 0
    while start < len(text):
        end = text.find(b"\n", start + size) + 1 or len(text)
        yield start, end
        start = end


def _json_list(lines: Iterable[bytes]) -> bytes:
    """Return lines of JSON as one JSON list."""
    return b"[" + b",".join(lines) + b"]"


def _no_problems(_path: Path, _data: bytes) -> Iterable[Problem]:
    return ()


def read_lines(
    path: Path,
    kind: LineKind[T],
    private: Callable[[Path, bytes], Iterable[Problem]] = _no_problems,
    *,
    has_raw: bool = True,
) -> Lines[T]:
    """Return the records of the valid lines, and the problems of the other lines.

    Blank lines are skipped.

    Args:
        path: The file, which is unpacked if its name ends in `.gz`.
        kind: The type of its lines.
        private: Returns problems with private data in the text of the file.
        has_raw: Whether the caller needs the text of each record (100 MB for a million lines).
    """
    data, problems = read_bytes(path)
    if data is None:
        return Lines(problems=tuple(problems))
    lines = _tidy_lines(data, kind, has_raw=has_raw)
    if lines is None:
        lines = untidy_lines(path, data, kind)
        kind.sharing().apply(lines.records)
    return replace(lines, private=tuple(private(path, data)))


def _tidy_lines(data: bytes, kind: LineKind[T], *, has_raw: bool) -> Lines[T] | None:
    """Return the records of a tidy, valid file; None if it has to be read line by line."""
    if not kind.tidiness.is_seen_in(data):
        return None
    try:
        records = kind.read(data)
    except ValueError:
        return None
    numbers = range(1, len(records) + 1)  # no line of a tidy file is blank
    raw: Sequence[bytes] = ()
    if has_raw:
        raw = data.removesuffix(b"\n").split(b"\n")
    return Lines(records, numbers, raw, is_read=True)


def untidy_lines(path: Path, data: bytes, kind: LineKind[T]) -> Lines[T]:
    """Return the records of a file that is formatted unusually or has faults."""
    lines = list(_lines_with_content(data))
    broken: dict[int, Problem] = {}
    for number, line in lines:
        problem = _syntax_problem(path, number, line)
        if problem is not None:
            broken[number] = problem
    if not broken:
        return _validated(path, lines, kind.adapter)
    refused, sound = _partition(lines, broken)
    validated = _validated(path, sound, kind.adapter)
    problems = (*limited(broken.values()), *validated.problems)
    return replace(validated, refused=[*refused, *validated.refused], problems=problems)


_LINE_WITH_CONTENT = re.compile(rb"\S[^\n]*")


def _lines_with_content(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank; a packed file may have millions of blank lines."""
    number = 1
    end = 0
    for match in _LINE_WITH_CONTENT.finditer(data):
        number += data.count(b"\n", end, match.start())
        line_start = data.rfind(b"\n", end, match.start()) + 1 or end
        yield number, data[line_start : match.end()]
        end = match.end()


def empty_problem(path: Path) -> Problem:
    """Return the problem of a file without lines."""
    return FILE_EMPTY.broken(path, None, f"{path.name} is empty")


def _partition(lines: Numbered, refused_numbers: Container[int]) -> tuple[list[bytes], Numbered]:
    """Return the lines with the given numbers, and the other lines with their numbers."""
    refused: list[bytes] = []
    sound: Numbered = []
    for number, line in lines:
        if number in refused_numbers:
            refused.append(line)
        else:
            sound.append((number, line))
    return refused, sound


def _validated(path: Path, lines: Numbered, adapter: TypeAdapter[list[T]]) -> Lines[T]:
    """Return the records of JSON lines, leaving out lines of another shape."""
    numbers = [number for number, _ in lines]
    raw = [line for _, line in lines]
    try:
        records = adapter.validate_json(_json_list(raw))
    except ValidationError as error:
        problems = shape_problems(error, path, lambda location: numbers[int(location[0])], adapter)
        details = error.errors(include_url=False, include_input=False)
        refused_numbers = {numbers[int(detail["loc"][0])] for detail in details}
        refused, sound = _partition(lines, refused_numbers)
        # The other lines are valid, so this recursion is only one level deep.
        return replace(_validated(path, sound, adapter), refused=refused, problems=tuple(problems))
    return Lines(records, numbers, raw, is_read=True)


class _BrokenRuleError(ValueError):
    """Raised in parser hooks when a line breaks a rule that JSON itself does not have."""

    def __init__(self, rule: Rule, message: str) -> None:
        super().__init__(message)
        self.rule = rule


class _NonFiniteNumber(str):
    """A number that JSON does not allow: NaN, Infinity or -Infinity."""

    __slots__ = ()


def _syntax_problem(path: Path, number: int, line: bytes) -> Problem | None:
    """Return the problem of a line that is not exactly one strict JSON object, or None."""
    try:
        # Within two lists, a line of several values or of none is valid JSON as well.
        (values, *more_lists) = strict_json(b"[[" + line + b"]]")
    except ValueError as error:
        return _describe_syntax_error(path, number, line, error)
    if not more_lists and len(values) == 1 and isinstance(values[0], dict):
        return None
    fact = f"the line has {counted(len(values), 'JSON value')}, but must be one object"
    return JSON_SYNTAX.broken(path, number, fact, 'write one {"key": value, …} per line')


def _describe_syntax_error(path: Path, number: int, line: bytes, error: ValueError) -> Problem:
    """Return the problem of a line that is not strict JSON, as described by a slower parser.

    Args:
        path: The file.
        number: Number of the line.
        line: The line.
        error: The strict parser's error, whose message is used if the slower parser has none:
            a number or the nesting depth exceeds Python's limits.
    """
    message = re.sub(r" at line \d+ column \d+$", "", str(error))
    try:
        json.loads(line.decode(), object_pairs_hook=_strict_object, parse_constant=_NonFiniteNumber)
    except UnicodeDecodeError as undecodable:
        return utf8_problem(path, number, undecodable)
    except _BrokenRuleError as broken:
        return broken.rule.broken(path, number, str(broken))
    except json.JSONDecodeError as syntax:
        message = f"{syntax.msg.removesuffix(' at')} at column {syntax.colno}"
    except (ValueError, RecursionError):
        pass
    return JSON_SYNTAX.broken(path, number, f"broken JSON: {message}")


def _strict_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object built from its key-value pairs.

    Raises:
        _BrokenRuleError: A key is repeated, or a number is not finite.
    """
    values: dict[str, object] = {}
    for key, value in pairs:
        if key in values:
            raise _BrokenRuleError(KEY_DUPLICATE, f"the key `{key}` occurs twice")
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, _NonFiniteNumber):
                raise _BrokenRuleError(NUMBER_NOT_FINITE, f"`{key}` is {item}")
        values[key] = value
    return values
