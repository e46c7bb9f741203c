"""JSON values of a text of any size, one at a time."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TextIO

import jiter

from sitegen.problems import SitegenError

_STEP = 1024 * 1024
_BLANKS = re.compile(r"[ \t\n\r,\ufeff]*")
"""What may stand between values; commas do in an array."""
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_NUMBER_END = re.compile(r"[-+.\deE\s]*")


class JsonError(SitegenError):
    """A text is no JSON; carries the line, and whether it only ends too early."""

    def __init__(self, line: int, message: str, *, is_cut: bool = False) -> None:
        super().__init__(message)
        self.line = line
        self.is_cut = is_cut


class _RepeatedKeyError(ValueError):
    """An object has a key twice."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise _RepeatedKeyError(f'the key "{repeated}" comes twice in an object')
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def json_value(line: str, number: int = 1) -> Any:  # noqa: ANN401 - any JSON
    """Return the one value in a line of JSON Lines; NaN and Infinity may stand in it.

    Raises:
        JsonError: It is no JSON.
    """
    try:
        return jiter.from_json(
            line.encode(), allow_inf_nan=True, catch_duplicate_keys=True, cache_mode="keys"
        )
    except ValueError:
        pass  # the parser that is slower says better what is wrong
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
    """Return whether a text stops being JSON only because it ends."""
    if error.msg.startswith(("Unterminated string", "Invalid \\uXXXX", "Invalid \\escape")):
        return error.msg.startswith("Unterminated") or error.pos >= len(error.doc) - len("\\uXXXX")
    rest = error.doc[error.pos : error.pos + _STEP].strip()
    return _NUMBER_END.fullmatch(rest) is not None or any(
        word.startswith(rest) for word in _LITERALS
    )


@dataclass(slots=True)
class JsonValues:
    """Reads the values of a text one after the other."""

    stream: TextIO
    line: int = 1
    """The line that is read."""
    _text: str = ""
    _place: int = 0
    _is_ended: bool = False

    def next_mark(self) -> str:
        """Return the next character that is no blank and no comma; empty at the end."""
        while True:
            end = self._blank_end()
            self._go_to(end)
            if self._place < len(self._text):
                return self._text[self._place]
            if self._is_ended:
                return ""
            self._read_on()

    def skip_mark(self) -> None:
        """Go on behind a character."""
        self._place += 1

    def value(self) -> Any:  # noqa: ANN401 - any JSON
        """Return the value that begins here.

        Raises:
            JsonError: It is no JSON, or the text ends inside it.
        """
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._place)
            except _RepeatedKeyError as error:
                raise JsonError(self.line, str(error)) from error
            except json.JSONDecodeError as error:
                is_at_end = _is_at_end(error)
                if not is_at_end or self._is_ended:
                    line = self.line + self._text.count("\n", self._place, error.pos)
                    raise JsonError(line, error.msg, is_cut=is_at_end) from error
                self._read_on()
            except RecursionError as error:
                raise JsonError(self.line, "it is nested too deeply") from error
            except ValueError as error:  # a number of thousands of digits
                raise JsonError(self.line, str(error)) from error
            else:
                if end < len(self._text) or self._is_ended:
                    self._go_to(end)
                    return value
                self._read_on()

    def items(self) -> Iterator[tuple[int, Any]]:
        """Yield the values of the array that begins here, each with its line.

        Raises:
            JsonError: It is no JSON, or the text ends inside it.
        """
        self.skip_mark()
        while (mark := self.next_mark()) != "]":
            if not mark:
                raise JsonError(self.line, "the array does not end", is_cut=True)
            line = self.line
            yield line, self.value()
        self.skip_mark()

    def _blank_end(self) -> int:
        found = _BLANKS.match(self._text, self._place)
        return found.end() if found else self._place

    def _go_to(self, place: int) -> None:
        self.line += self._text.count("\n", self._place, place)
        self._place = place

    def _read_on(self) -> None:
        """Read more of the text; twice as much each time that a value does not end."""
        rest = self._text[self._place :]
        more = self.stream.read(max(_STEP, len(rest)))
        self._is_ended = not more
        self._text = rest + more
        self._place = 0
