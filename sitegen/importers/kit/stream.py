"""Read selected keys of JSON files of any size, without keeping long texts or lists in memory."""

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias, assert_never

import ijson
import jiter

from sitegen.importers.kit.rules import FILE_BROKEN
from sitegen.problems import Problem, ProblemsError
from sitegen.reading.files import LARGEST_SOURCE, opened, read_head

Shape: TypeAlias = "Mapping[str, Shape | None]"
"""The keys to read from an object, mapped to the shapes of their values; None for a single value.

The key `*` means every other key. For a list, the keys are those of its objects.
"""

Sink: TypeAlias = Callable[[object], None]
"""A function that receives the items of a list, one at a time."""

_KeyPath: TypeAlias = tuple[str, ...]
"""The keys of a shape that lead to a value."""

_Event: TypeAlias = tuple[str, object]
_Kind: TypeAlias = Literal["object", "list", "value"]

_DEPTH_CHANGE = {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}
"""The change of depth for each parser event; other events do not change the depth."""

_CHUNK = 256 * 1024
_SMALL = 2 * 1024 * 1024
"""Maximum size of a file to parse at once: fast, but needs up to 30 times the file's size."""

_MIDDLING = 16 * 1024 * 1024
"""Maximum size of a file with few values, such as a long transcript, to parse at once."""

_MAX_MEMORY = 96 * 1024 * 1024
"""Maximum memory needed to parse such a file at once, in bytes, as estimated beforehand."""

_LONGEST = 4096
"""Maximum size of a useful text, in bytes; a longer text is a message, an output or a trace."""

_MOST = 20_000
"""Maximum number of members of a list or object to keep in memory."""

_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+("?)', re.DOTALL)
"""A JSON string; group 1 is empty if the closing quote is missing, so that later bytes are never
read as another string."""
_INSIDE = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_ENDLESS = re.compile(rb"[-+.0-9eE]{1025}")
_OMITTED = b'"..."'
_NOT_FINITE = re.compile(rb"-?(?:NaN|Infinity)\b")
"""Numbers that many programs write but JSON does not allow; searched for only outside strings."""
_LITERAL_AT_END = re.compile(rb"(?:-|-?[A-Za-z]{1,8})$")
"""A literal that may continue in the following bytes."""


class _ExcessError(ValueError):
    """A file exceeds a limit that no useful file reaches."""


class CutOffJsonError(ValueError):
    """JSON is truncated."""


class ShortTexts:
    """A JSON file that is read with long texts replaced by `...`, and NaN and Infinity by null."""

    def __init__(self, file: BinaryIO, longest: int = _LONGEST) -> None:
        self._file = file
        self._longest = longest
        self._unfinished = b""
        """Bytes that have been read but can't be processed without the following bytes."""
        self._is_in_long_text = False

    def read(self, size: int = _CHUNK) -> bytes:
        """Return the next bytes of the file, shortened; empty at the end of the file."""
        while True:
            chunk = self._file.read(size) if size else b""
            data = self._unfinished + chunk
            self._unfinished = b""
            if not chunk:
                return data if self._is_in_long_text else _NOT_FINITE.sub(b"null", data)
            shortened = self._shortened(data)
            if _ENDLESS.search(shortened):
                raise _ExcessError("a number has more than 1,024 digits")
            if shortened:
                return shortened

    def _shortened(self, data: bytes) -> bytes:
        """Return data with long texts replaced; keep an unfinished text or literal for later."""
        start = 0
        if self._is_in_long_text:
            start = self._skip_long_text(data)
            if self._is_in_long_text:
                return b""
        end = start
        pieces = []
        for match in _TEXT.finditer(data, start):
            pieces.append(_NOT_FINITE.sub(b"null", data[end : match.start()]))
            has_end = bool(match[1])
            if not has_end:
                pieces.append(self._unfinished_text(data[match.start() :]))
                return b"".join(pieces)
            pieces.append(match[0] if len(match[0]) <= self._longest else _OMITTED)
            end = match.end()
        tail = data[end:]
        literal = _LITERAL_AT_END.search(tail)
        if literal:
            self._unfinished = literal[0]
            tail = tail[: literal.start()]
        pieces.append(_NOT_FINITE.sub(b"null", tail))
        return b"".join(pieces)

    def _unfinished_text(self, text: bytes) -> bytes:
        """Keep an unfinished text for later, or return its replacement if already too long."""
        if len(text) <= self._longest:
            self._unfinished = text
            return b""
        self._is_in_long_text = True
        self._skip_long_text(text[1:])
        return _OMITTED

    def _skip_long_text(self, data: bytes) -> int:
        """Return the position after the end of a long text; keep a final backslash for later."""
        match = _INSIDE.match(data)
        end = match.end() if match else 0
        if data[end : end + 1] == b'"':
            self._is_in_long_text = False
            return end + 1
        self._unfinished = data[end:]
        return len(data)


def pick(
    path: Path,
    shape: Shape,
    sinks: Mapping[tuple[str, ...], Sink] | None = None,
    longest: int = _LONGEST,
) -> tuple[object, list[Problem]]:
    """Return the part of a JSON file that a shape names; None and a problem if it can't be read.

    Args:
        path: The file.
        shape: The keys to read.
        sinks: Functions that receive the items of lists, by the keys that lead to the lists.
        longest: The maximum size of a text in bytes; a longer text is read as `...`.
    """
    try:
        with opened(path, largest=LARGEST_SOURCE) as file:
            size = os.fstat(file.fileno()).st_size
            return picked(file, size, shape, sinks, longest), []
    except ProblemsError as error:
        fault = error.problems[0].what
    except ValueError as error:
        fault = str(error)
    return None, [FILE_BROKEN.broken(path, None, f"nothing in {path.name} can be used: {fault}")]


def picked(
    file: BinaryIO,
    size: int,
    shape: Shape,
    sinks: Mapping[tuple[str, ...], Sink] | None = None,
    longest: int = _LONGEST,
) -> object:
    """Return the part of an open JSON file that a shape names. NaN and Infinity are read as null.

    Args:
        file: The file, at its beginning.
        size: The size of the file, in bytes.
        shape: The keys to read.
        sinks: As in `pick`.
        longest: As in `pick`.

    Raises:
        CutOffJsonError: The JSON is truncated.
        ValueError: The file can't be read to its end for another reason.
    """
    try:
        parsed = _parsed(file, size)
        if parsed is not None:
            return _Picker(sinks, longest).value(parsed, shape, ())
        file.seek(0)
        events = iter(ijson.basic_parse(ShortTexts(file, longest), use_float=True, buf_size=_CHUNK))
        value = _EventPicker(sinks, longest, events).value(next(events), shape, ())
        for _ in events:  # the rest of the file must be JSON as well
            pass
    except _ExcessError:
        raise
    except (ijson.JSONError, UnicodeDecodeError, ValueError, StopIteration) as error:
        if _is_cut_off(file, size, str(error)):
            raise CutOffJsonError("it is not complete JSON: it ends too early") from error
        raise ValueError("it is not complete JSON") from error
    return value


def _is_cut_off(file: BinaryIO, size: int, error: str) -> bool:
    """Return whether a file that could not be parsed is empty, or is JSON that lacks its end."""
    file.seek(0)
    beginning = file.read(_LONGEST).lstrip()
    file.seek(max(0, size - _LONGEST))
    end = file.read(_LONGEST).rstrip()
    if not beginning.startswith((b"{", b"[")):
        return not beginning and not end
    if "premature EOF" in error:
        return True
    return "trailing garbage" not in error and not end.endswith((b"}", b"]"))


def _parsed(file: BinaryIO, size: int) -> object:
    """Return the value in a small file; None if the event parser must read the file."""
    if size > _MIDDLING:
        return None
    data = file.read(size + 1)
    if size > _SMALL:
        # Parsed JSON takes at most six times the size of the file, plus 128 bytes per value.
        values = sum(map(data.count, (b",", b":", b"[", b"{")))
        if 6 * len(data) + 128 * values > _MAX_MEMORY:
            return None
    try:
        return jiter.from_json(data, allow_inf_nan=False)
    except ValueError:
        return None


def pick_early(path: Path, key: str, shape: Shape, before: str) -> object:
    """Return part of a value in a JSON file's outermost object, if it is near the beginning.

    Args:
        path: The file, of which only the beginning is read.
        key: The key of the value.
        shape: The keys to read from the value.
        before: A key that ends the search if it comes first.

    Returns:
        The parts that the shape names; None if there is no such value.
    """
    try:
        head = jiter.from_json(read_head(path, _CHUNK) or b"", partial_mode=True)
        value = _value_before(head, key, before)
        return _Picker({}, _LONGEST).value(value, shape, ())
    except ValueError:
        return None


def _value_before(document: object, key: str, before: str) -> object:
    """Return the value of a key that comes before another key; None if there is no such key."""
    if not isinstance(document, dict):
        return None
    for name, value in document.items():
        if name == before:
            return None
        if name == key:
            return value
    return None


class _Picker:
    """Extracts the parts that a shape names from a parsed value."""

    def __init__(self, sinks: Mapping[_KeyPath, Sink] | None, longest: int) -> None:
        self._sinks = sinks or {}
        self._longest = longest

    def value(
        self,
        node: Any,  # noqa: ANN401 - any JSON
        shape: "Shape | None",
        path: _KeyPath,
    ) -> object:
        """Return the parts of a node that a shape names; None for objects or lists without a shape.

        Args:
            node: A parsed value, or the event that begins it.
            shape: The keys to read.
            path: The keys that lead to the node.
        """
        kind, content = self._opened(node)
        if kind == "value":
            return self._single_value(content)
        if shape is None:
            self._pass_over(node)
            return None
        match kind:
            case "object":
                return self._object(content, shape, path)
            case "list":
                return self._list(content, shape, path)
            case unknown:
                assert_never(unknown)

    def _single_value(self, value: object) -> object:
        """Return a value that is neither an object nor a list; a long text becomes `...`."""
        if isinstance(value, float) and math.isinf(value):
            raise _ExcessError("a number is too large")
        is_long = isinstance(value, str) and len(value) > self._longest
        return "..." if is_long else value

    def _object(
        self, members: Iterator[tuple[str, Any]], shape: Shape, path: _KeyPath
    ) -> dict[str, object]:
        """Return the members of an object that a shape names."""
        picked_members: dict[str, object] = {}
        for name, node in members:
            key = name if name in shape else "*"
            if key not in shape:
                self._pass_over(node)
                continue
            picked_members[name] = self.value(node, shape[key], (*path, key))
            if len(picked_members) > _MOST:
                raise _ExcessError(f"an object has more than {_MOST:,} keys")
        return picked_members

    def _list(self, nodes: Iterator[Any], shape: Shape, path: _KeyPath) -> list[object]:
        """Return the parts of list items that a shape names; empty if a sink receives the items."""
        members: list[object] = []
        take = self._sinks.get(path, members.append)
        for node in nodes:
            kind, _ = self._opened(node)
            if kind == "list":
                self._pass_over(node)
                continue
            take(self.value(node, shape, path))
            if len(members) > _MOST:
                raise _ExcessError(f"a list has more than {_MOST:,} members")
        return members

    def _opened(self, node: Any) -> tuple[_Kind, Any]:  # noqa: ANN401 - any JSON
        """Return the kind of a node, and its members or, for a single value, the value."""
        if isinstance(node, dict):
            return "object", node.items()
        return ("list" if isinstance(node, list) else "value"), node

    def _pass_over(self, node: Any) -> None:  # noqa: ANN401 - any JSON
        """Skip the contents of a node."""


class _EventPicker(_Picker):
    """Extracts the same parts from a parser's events; a node is represented by its first event."""

    def __init__(
        self, sinks: Mapping[_KeyPath, Sink] | None, longest: int, events: Iterator[_Event]
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
        kind, _ = node
        depth = _DEPTH_CHANGE.get(kind, 0)
        while depth > 0:
            kind, _ = next(self._events)
            depth += _DEPTH_CHANGE.get(kind, 0)
