"""Parse JSON values one at a time, from texts of any size.

Unlike `reading.json`, this module reads files of foreign programs: NaN and Infinity are allowed,
and the text need not fit into memory.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TextIO

import jiter

from sitegen.problems import SitegenError

_STEP = 1024 * 1024
_BLANKS = re.compile(r"[ \t\n\r,\ufeff]*")
"""Characters between values, including the commas in an array."""
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_NUMBER_END = re.compile(r"[-+.\deE\s]*")


class JsonError(SitegenError):
    """Raised for a text that is not JSON; carries the line, and whether the text was cut off."""

    def __init__(self, line: int, message: str, *, is_cut: bool = False) -> None:
        super().__init__(message)
        self.line = line
        self.is_cut = is_cut


class _RepeatedKeyError(ValueError):
    """Raised when an object repeats a key."""


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object built from its key-value pairs; raise an error if a key is repeated."""
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise _RepeatedKeyError(f'the key "{repeated}" occurs twice in an object')
    return values


_DECODER = json.JSONDecoder(object_pairs_hook=_object_without_repeats)


def json_value(line: str, number: int = 1) -> Any:  # noqa: ANN401 - any JSON
    """Return the value of a line of JSON Lines; NaN and Infinity are allowed.

    Raises:
        JsonError: The line is not JSON.
    """
    try:
        return jiter.from_json(
            line.encode(), allow_inf_nan=True, catch_duplicate_keys=True, cache_mode="keys"
        )
    except ValueError:
        pass  # the slower parser below has better messages
    try:
        return _DECODER.decode(line)
    except _RepeatedKeyError as error:
        raise JsonError(number, str(error)) from error
    except json.JSONDecodeError as error:
        raise JsonError(number, error.msg, is_cut=_is_at_end(error)) from error
    except RecursionError as error:
        raise JsonError(number, "it is nested too deeply") from error
    except ValueError as error:  # a number of thousands of digits
        raise JsonError(number, str(error)) from error


def _is_at_end(error: json.JSONDecodeError) -> bool:
    """Return whether a text is invalid JSON only because it ends too early."""
    if error.msg.startswith("Unterminated string"):
        return True
    if error.msg.startswith(("Invalid \\uXXXX", "Invalid \\escape")):
        return error.pos >= len(error.doc) - len("\\uXXXX")
    remainder = error.doc[error.pos : error.pos + _STEP].strip()
    if _NUMBER_END.fullmatch(remainder) is not None:
        return True
    return any(literal.startswith(remainder) for literal in _LITERALS)


@dataclass(slots=True)
class JsonValues:
    """A reader that returns the values of a text one after the other."""

    stream: TextIO
    line: int = 1
    """Number of the current line."""
    _text: str = ""
    """The part of the text that is in memory."""
    _position: int = 0
    """Index of the next character in `_text`."""
    _is_ended: bool = False
    """Whether the stream has been read to its end."""

    def next_mark(self) -> str:
        """Return the next character that is neither blank nor a comma; empty at the end."""
        while True:
            self._skip_blanks()
            if self._position < len(self._text):
                return self._text[self._position]
            if self._is_ended:
                return ""
            self._read_more()

    def skip_mark(self) -> None:
        """Skip one character."""
        self._position += 1

    def value(self) -> Any:  # noqa: ANN401 - any JSON
        """Return the value that starts at the current position.

        Raises:
            JsonError: The text is not JSON, or ends inside the value.
        """
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._position)
            except _RepeatedKeyError as error:
                raise JsonError(self.line, str(error)) from error
            except json.JSONDecodeError as error:
                is_at_end = _is_at_end(error)
                if not is_at_end or self._is_ended:
                    line = self.line + self._text.count("\n", self._position, error.pos)
                    raise JsonError(line, error.msg, is_cut=is_at_end) from error
                self._read_more()
            except RecursionError as error:
                raise JsonError(self.line, "it is nested too deeply") from error
            except ValueError as error:  # a number of thousands of digits
                raise JsonError(self.line, str(error)) from error
            else:
                if end < len(self._text) or self._is_ended:
                    self._go_to(end)
                    return value
                self._read_more()  # a number may go on

    def items(self) -> Iterator[tuple[int, Any]]:
        """Yield the values of the array that starts at the current position, each with its line.

        Raises:
            JsonError: The text is not JSON, or ends inside the array.
        """
        self.skip_mark()
        while (mark := self.next_mark()) != "]":
            if not mark:
                raise JsonError(self.line, "the array does not end", is_cut=True)
            line = self.line
            yield line, self.value()
        self.skip_mark()

    def _skip_blanks(self) -> None:
        match = _BLANKS.match(self._text, self._position)
        if match:
            self._go_to(match.end())

    def _go_to(self, position: int) -> None:
        self.line += self._text.count("\n", self._position, position)
        self._position = position

    def _read_more(self) -> None:
        """Read more of the text; the amount doubles each time a value is still incomplete."""
        unread = self._text[self._position :]
        addition = self.stream.read(max(_STEP, len(unread)))
        self._is_ended = not addition
        self._text = unread + addition
        self._position = 0
