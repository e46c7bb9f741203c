"""Read JSON files as Python's `json` does, because the tools that write them use it."""

import json
from pathlib import Path
from typing import NamedTuple

import jiter

from sitegen.problems import ProblemsError
from sitegen.reading.files import packed_bytes, read_head


class JsonFile(NamedTuple):
    """The content of a JSON file, or the reason why it can't be read."""

    value: object = None
    fault: str = ""
    """A clause to follow the file's name, such as "is empty"; empty if there is no fault."""
    is_cut: bool = False
    """Whether the file is truncated."""


def read_json_file(path: Path) -> JsonFile:
    """Return the content of a JSON file; a byte order mark and NaN are allowed."""
    try:
        data = packed_bytes(path)
    except ProblemsError as error:
        return JsonFile(fault=f"can't be read: {error.problems[0].what}")
    if not data.strip():
        return JsonFile(fault="is empty")
    try:
        return JsonFile(json.loads(data))
    except (ValueError, RecursionError) as error:
        if _is_cut(data):
            return JsonFile(fault="is cut off", is_cut=True)
        reason = "a value is too large or nested too deep"
        if isinstance(error, json.JSONDecodeError):
            reason = error.msg
        return JsonFile(fault=f"is not valid JSON ({reason})")


def head_of(path: Path, size: int = 65_536) -> str:
    """Return the beginning of a file as text, in any JSON encoding; empty if it can't be read."""
    data = read_head(path, size) or b""
    return data.decode(json.detect_encoding(data), "ignore")


def _is_cut(data: bytes) -> bool:
    """Return whether the only fault of invalid JSON is that it is truncated."""
    try:
        jiter.from_json(data.removeprefix(b"\xef\xbb\xbf"))
    except ValueError as error:
        return "EOF while parsing" in str(error)
    return False
