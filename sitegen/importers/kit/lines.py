"""Read JSON objects, one per line or in a list, even from a truncated or partly broken file."""

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from sitegen.importers.kit.documents import is_cut, parse_document, read_document
from sitegen.importers.kit.rules import SOURCE_BROKEN
from sitegen.problems import Problem
from sitegen.reading.files import LARGEST_SOURCE, MEGABYTE, opened

LONGEST_LINE = 64 * MEGABYTE
"""Maximum length of a line in bytes, or an item in characters; it may contain a transcript."""

_DECODER = json.JSONDecoder()


class JsonLine(NamedTuple):
    """An object in a file, or the fault found instead."""

    number: int
    """The line number, from 1; in a list, the position of the item."""
    value: dict[str, Any] | None
    """The object; None if the line does not contain an object."""
    fault: str = ""
    """The reason why there is no object; empty if there is an object."""
    is_cut: bool = False
    """Whether the file ends in the middle of this line."""


def read_table(path: Path) -> tuple[dict[str, Any] | None, list[Problem]]:
    """Return the object in a JSON file; None and a problem if it contains no readable object."""
    value, problem = read_document(path)
    if problem:
        return None, [problem]
    if not isinstance(value, dict):
        return None, [
            SOURCE_BROKEN.broken(path, None, f"{path.name} does not contain a JSON object")
        ]
    return value, []


def read_objects(path: Path) -> Iterator[JsonLine]:
    """Yield the objects in JSON Lines or in a JSON list; blank lines are skipped.

    Raises:
        ProblemsError: The file can't be opened.
    """
    with opened(path, largest=LARGEST_SOURCE) as file:
        head = file.peek(4096).lstrip(b"\xef\xbb\xbf \t\r\n")
        if head.startswith(b"["):
            yield from _list_members(file)
        else:
            yield from _lines(file)


def _lines(file: BinaryIO) -> Iterator[JsonLine]:
    """Yield the objects in JSON Lines."""
    number = 0
    while data := file.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            data = data.removeprefix(codecs.BOM_UTF8)
        if data.isspace() or not data:
            continue
        if len(data) > LONGEST_LINE:
            yield JsonLine(number, None, "the line is too long")
            _skip_line(file, data)
        else:
            yield _line(number, data)


def _line(number: int, data: bytes) -> JsonLine:
    """Return the object in a line of JSON Lines, or the fault of the line."""
    try:
        value = parse_document(data)
    except ValueError as error:
        has_no_end = not data.endswith(b"\n") and is_cut(error)
        return JsonLine(number, None, "the line is not JSON", has_no_end)
    if isinstance(value, dict):
        return JsonLine(number, value)
    return JsonLine(number, None, "the line is not a JSON object")


def _skip_line(file: BinaryIO, data: bytes) -> None:
    """Skip the rest of a line that is too long."""
    while data and not data.endswith(b"\n"):
        data = file.readline(LONGEST_LINE)


def _list_members(file: BinaryIO) -> Iterator[JsonLine]:
    """Yield the items of a list, reading only as much of the file as needed for each item."""
    characters = codecs.getincrementaldecoder("utf-8-sig")("replace")
    text = characters.decode(file.read(MEGABYTE))
    position = text.index("[") + 1
    number = 1
    while True:
        while position < len(text) and text[position] in ", \t\r\n":
            position += 1
        if text.startswith("]", position):
            return
        value, end = _decoded(text, position)
        if end > position:
            if isinstance(value, dict):
                yield JsonLine(number, value)
            else:
                yield JsonLine(number, None, "the list item is not an object")
            number += 1
            position = end
            continue
        # The item may continue beyond the text read so far.
        pending = text[position:]
        added = characters.decode(file.read(max(MEGABYTE, len(pending))))
        if not added or len(pending) > LONGEST_LINE:
            has_no_end = not added and not text.rstrip().endswith("]")
            yield JsonLine(number, None, "the list items from here on are not JSON", has_no_end)
            return
        text = pending + added
        position = 0


def _decoded(text: str, position: int) -> tuple[object, int]:
    """Return the JSON value at a position and its end; None and the position if incomplete."""
    if position >= len(text):
        return None, position
    try:
        return _DECODER.raw_decode(text, position)
    except (ValueError, RecursionError):
        return None, position
