"""Takes single figures out of JSON of any size: nothing else is held, however long its texts or lists are."""

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

import ijson
import jiter

from sitegen.importers.kit.rules import FILE_BROKEN
from sitegen.problems import Problem, ProblemsError
from sitegen.reading.files import LARGEST_SOURCE, opened, read_head

Shape: TypeAlias = "Mapping[str, Shape | None]"
"""The keys to take of an object, each with the keys to take of what stands there; None for a single value.

The key `*` stands for every other one. Where a list stands, the keys are those of its objects.
"""

Sink: TypeAlias = Callable[[object], None]
"""Takes the members of a list, one at a time."""

_Event: TypeAlias = tuple[str, object]
_Kind: TypeAlias = Literal["object", "list", "value"]
_STARTS, _ENDS = frozenset({"start_map", "start_array"}), frozenset({"end_map", "end_array"})

_CHUNK = 256 * 1024
_SMALL = 2 * 1024 * 1024
"""Bytes of a file that is parsed as a whole, many times faster; at worst it takes thirty times as much memory."""

_MIDDLING = 16 * 1024 * 1024
"""Bytes of a file that is parsed as a whole where it holds few values, as transcripts of long texts do."""

_ROOM = 96 * 1024 * 1024
"""Bytes of memory that such a file may take."""

_LONGEST = 4096
"""Bytes of a text that is worth taking. A longer one is a message, an output or a trace."""

_MOST = 20_000
"""Members of a list that are held at once."""

_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+("?)', re.DOTALL)
"""A text, and whether its end is there: without it, what follows is never taken for the beginning of another."""
_INSIDE = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_ENDLESS = re.compile(rb"[-+.0-9eE]{1025}")
_OMITTED = b'"..."'
_NOT_FINITE = re.compile(rb"-?(?:NaN|Infinity)\b")
"""Numbers that JSON does not have, as many programs write them; only outside of texts."""
_LITERAL_AT_END = re.compile(rb"(?:-|-?[A-Za-z]{1,8})$")
"""A literal that the following bytes may belong to."""


class _ExcessError(ValueError):
    """A file holds more of something than there is any use for."""


class CutOffError(ValueError):
    """JSON ends before it is complete."""


class ShortTexts:
    """A JSON file as a parser may read it.

    Every long text in it is replaced by `...`, and NaN and Infinity by null.
    """

    def __init__(self, file: BinaryIO, longest: int = _LONGEST) -> None:
        self._file = file
        self._longest = longest
        self._left = b""
        """What was read and needs what follows it to be told."""
        self._inside = False
        """Whether a long text is being passed over."""

    def read(self, size: int = _CHUNK) -> bytes:
        """More of the file; nothing at its end."""
        while True:
            chunk = self._file.read(size) if size else b""
            data, self._left = self._left + chunk, b""
            if not chunk:
                return data if self._inside else _NOT_FINITE.sub(b"null", data)
            shortened = self._shortened(data)
            if _ENDLESS.search(shortened):
                raise _ExcessError("a number has more than 1,024 digits")
            if shortened:
                return shortened

    def _shortened(self, data: bytes) -> bytes:
        start = 0
        if self._inside:
            start = self._past(data)
            if self._inside:
                return b""
        end = start
        pieces = []
        for match in _TEXT.finditer(data, start):
            pieces.append(_NOT_FINITE.sub(b"null", data[end : match.start()]))
            if not match[1]:
                # It has not ended yet: it is kept for later, or is begun to be passed over.
                text = data[match.start() :]
                if len(text) <= self._longest:
                    self._left = text
                else:
                    self._inside = True
                    self._past(text[1:])
                    pieces.append(_OMITTED)
                return b"".join(pieces)
            pieces.append(match[0] if len(match[0]) <= self._longest else _OMITTED)
            end = match.end()
        rest = data[end:]
        literal = _LITERAL_AT_END.search(rest)
        if literal:
            self._left = literal[0]
            rest = rest[: literal.start()]
        return b"".join([*pieces, _NOT_FINITE.sub(b"null", rest)])

    def _past(self, data: bytes) -> int:
        """The place after the end of a long text; where it does not end, a lone backslash is kept."""
        match = _INSIDE.match(data)
        end = match.end() if match else 0
        if data[end : end + 1] == b'"':
            self._inside = False
            return end + 1
        self._left = data[end:]
        return len(data)


def pick(
    path: Path,
    shape: Shape,
    sinks: Mapping[tuple[str, ...], Sink] | None = None,
    longest: int = _LONGEST,
) -> tuple[object, list[Problem]]:
    """Take what a shape names out of a JSON file: None, and the problem, where it can't be read to its end.

    Sinks take the members of lists, by the keys that lead there. A text over the longest is given as `...`.
    """
    try:
        with opened(path, largest=LARGEST_SOURCE) as file:
            return picked(file, os.fstat(file.fileno()).st_size, shape, sinks, longest), []
    except ProblemsError as error:
        fault = error.problems[0].what
    except ValueError as error:
        fault = str(error)
    return None, [FILE_BROKEN.broken(path, None, f"nothing of {path.name} can be used: {fault}")]


def picked(
    file: BinaryIO,
    size: int,
    shape: Shape,
    sinks: Mapping[tuple[str, ...], Sink] | None = None,
    longest: int = _LONGEST,
) -> object:
    """Take what a shape names out of JSON of a size. NaN and Infinity are taken as null.

    Raises:
        CutOffError: The JSON ends before it is complete.
        ValueError: It can't be read to its end for another reason.
    """
    try:
        whole = _parsed(file, size)
        if whole is not None:
            return _Picker(sinks, longest).value(whole, shape, ())
        file.seek(0)
        events = iter(ijson.basic_parse(ShortTexts(file, longest), use_float=True, buf_size=_CHUNK))
        value = _EventPicker(sinks, longest, events).value(next(events), shape, ())
        for _ in events:
            pass
    except _ExcessError:
        raise
    except (ijson.JSONError, UnicodeDecodeError, ValueError, StopIteration) as error:
        if _is_cut_off(file, size, str(error)):
            raise CutOffError("it is no whole JSON: it ends too early") from error
        raise ValueError("it is no whole JSON") from error
    return value


def _is_cut_off(file: BinaryIO, size: int, error: str) -> bool:
    """Return whether JSON that could not be parsed begins as it should and lacks its end."""
    file.seek(0)
    begin = file.read(_LONGEST).lstrip()
    file.seek(max(0, size - _LONGEST))
    end = file.read(_LONGEST).rstrip()
    if not begin.startswith((b"{", b"[")):
        return not begin and not end
    return "premature EOF" in error or (
        "trailing garbage" not in error and not end.endswith((b"}", b"]"))
    )


def _parsed(file: BinaryIO, size: int) -> object:
    """Parse a small file as a whole; None where it is large, or holds what only the patient parser can judge."""
    if size > _MIDDLING:
        return None
    data = file.read(size + 1)
    # At most, JSON takes its bytes, four for each while a text is read, and what its values cost.
    if (
        size > _SMALL
        and 6 * len(data) + 128 * sum(map(data.count, (b",", b":", b"[", b"{"))) > _ROOM
    ):
        return None
    try:
        return jiter.from_json(data, allow_inf_nan=False)
    except ValueError:
        return None


def pick_early(path: Path, key: str, shape: Shape, before: str) -> object:
    """Take one value of the outermost object of a JSON file, if it stands at its beginning and before another key."""
    try:
        head = jiter.from_json(read_head(path, _CHUNK) or b"", partial_mode=True)
        early = (
            dict(takewhile(lambda each: each[0] != before, head.items()))
            if isinstance(head, dict)
            else {}
        )
        return _Picker({}, _LONGEST).value(early.get(key), shape, ())
    except ValueError:
        return None


class _Picker:
    """Takes what a shape names out of a parsed value."""

    def __init__(self, sinks: Mapping[tuple[str, ...], Sink] | None, longest: int) -> None:
        self._sinks = sinks or {}
        self._longest = longest

    def value(self, node: Any, shape: "Shape | None", place: tuple[str, ...]) -> object:  # noqa: ANN401 - any JSON
        """What is to be taken of a value; None where another kind of value stands than the shape asks for."""
        kind, content = self._opened(node)
        if kind == "value":
            if isinstance(content, float) and math.isinf(content):
                raise _ExcessError("a number is too large")
            return "..." if isinstance(content, str) and len(content) > self._longest else content
        if shape is None:
            self._pass_over(node)
            return None
        if kind == "object":
            found: dict[str, object] = {}
            for name, each in content:
                key = name if name in shape else "*"
                if key in shape:
                    found[name] = self.value(each, shape[key], (*place, key))
                else:
                    self._pass_over(each)
                if len(found) > _MOST:
                    raise _ExcessError(f"an object has more than {_MOST:,} keys")
            return found
        sink = self._sinks.get(place)
        members: list[object] = []
        for each in content:
            if self._opened(each)[0] == "list":
                self._pass_over(each)
                continue
            (sink or members.append)(self.value(each, shape, place))
            if len(members) > _MOST:
                raise _ExcessError(f"a list has more than {_MOST:,} members")
        return members

    def _opened(self, node: Any) -> tuple[_Kind, Any]:  # noqa: ANN401 - any JSON
        """What a node is, and its members: pairs of names and nodes, or nodes; a single value is its own."""
        if isinstance(node, dict):
            return "object", node.items()
        return ("list" if isinstance(node, list) else "value"), node

    def _pass_over(self, node: Any) -> None:  # noqa: ANN401 - any JSON
        """Leave out what a node holds."""


class _EventPicker(_Picker):
    """Takes the same out of the events of a parser: a node is the event that begins it, and comes only once."""

    def __init__(
        self, sinks: Mapping[tuple[str, ...], Sink] | None, longest: int, events: Iterator[_Event]
    ) -> None:
        super().__init__(sinks, longest)
        self._events = events

    def _opened(self, node: _Event) -> tuple[_Kind, Any]:
        kind, content = node
        if kind == "start_map":
            keys = iter(self._events.__next__, ("end_map", None))
            return "object", ((str(key), next(self._events)) for _, key in keys)
        if kind == "start_array":
            return "list", iter(self._events.__next__, ("end_array", None))
        return "value", content

    def _pass_over(self, node: _Event) -> None:
        depth = int(node[0] in _STARTS)
        while depth:
            kind, _ = next(self._events)
            depth += (kind in _STARTS) - (kind in _ENDS)
