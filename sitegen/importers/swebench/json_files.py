"""Reads JSON as Python's own parser does: the tools of this format read and write it that way."""

import json
from pathlib import Path
from typing import NamedTuple

import jiter

from sitegen.problems import ProblemsError
from sitegen.reading.files import packed_bytes, read_head


class JsonFile(NamedTuple):
    """The contents of a JSON file, or why there are none."""

    value: object = None
    fault: str = ""
    """What is wrong with the file, to follow its name: "is empty"; empty where nothing is."""
    is_cut: bool = False
    """Whether the file ends before its contents do."""


def read_json_file(path: Path) -> JsonFile:
    """Return the contents of a JSON file, which may begin with a byte order mark and hold NaN."""
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
        reason = (
            error.msg
            if isinstance(error, json.JSONDecodeError)
            else "a value is too large or nested too deep"
        )
        return JsonFile(fault=f"is not valid JSON ({reason})")


def head_of(path: Path, size: int = 65_536) -> str:
    """Return the first characters of a file in any encoding of JSON; empty if it can't be read."""
    data = read_head(path, size) or b""
    return data.decode(json.detect_encoding(data), "ignore")


def _is_cut(data: bytes) -> bool:
    """Return whether broken JSON breaks at its end."""
    try:
        jiter.from_json(data.removeprefix(b"\xef\xbb\xbf"))
    except ValueError as error:
        return "EOF while parsing" in str(error)
    return False
