"""Read TOML and JSON Lines as written, without requiring them to match a model.

Two states of a results folder are compared by the content of their files, even if a file is not
valid: a key is read if it exists and has the expected type, and anything else is left out.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from sitegen.problems import ProblemsError
from sitegen.reading.files import packed_bytes, read_text
from sitegen.reading.toml import Places, read_values

RawTable: TypeAlias = Mapping[str, object]
"""The content of a TOML file or of a line of JSON; numbers are texts, as written."""

RawLine: TypeAlias = tuple[int, str, RawTable]
"""A line of JSON Lines: its number, its text and its object."""

NumberedTasks: TypeAlias = Mapping[str, tuple[int, RawTable]]
"""The line and the content of each task of a set, by the task's id."""

_MAX_VALUE_LENGTH = 40


def read_document(path: Path) -> RawTable | None:
    """Return the content of a TOML file, with numbers as written; None if it can't be read."""
    _, values, problems = read_values(path, str)
    return None if problems else values


def read_stored_bytes(path: Path) -> bytes:
    """Return bytes that identify the content of a file: its bytes as stored.

    A compressed file is not decompressed; `reading.files.read_bytes` does that. A link is
    identified by its target, which is not part of the results and is not read. A file that is too
    large to read is identified by its size; such a file prevents publication anyway.
    """
    if path.is_symlink():
        return b"-> " + str(path.readlink()).encode()
    try:
        return packed_bytes(path)
    except ProblemsError:
        return f"{path.stat().st_size} bytes".encode()


def read_places(path: Path) -> Places:
    """Return the places of the keys in a TOML file; empty if it can't be read."""
    text, _ = read_text(path)
    return Places(text or "")


def parse_json_lines(content: bytes) -> Iterator[RawLine]:
    """Yield the non-blank lines; a line that is not a JSON object has an empty table."""
    for number, line in enumerate(content.decode(errors="replace").split("\n"), start=1):
        if line.strip():
            yield number, line, parse_json_object(line)


def parse_json_object(line: str | bytes) -> RawTable:
    """Return the JSON object of a line, with numbers as written; empty for anything else."""
    try:
        value = json.loads(line, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def index_tasks(content: bytes) -> dict[str, tuple[int, RawTable]]:
    """Return the tasks of a task set's file by id, each with its line."""
    tasks = {}
    for line_number, _, task in parse_json_lines(content):
        if task:
            tasks[format_value(task.get("id"))] = (line_number, task)
    return tasks


def list_tables(document: RawTable | None, key: str) -> list[RawTable]:
    """Return the tables under a key of a document; values of other types are left out."""
    values = (document or {}).get(key)
    if not isinstance(values, list):
        return []
    return [value for value in values if isinstance(value, Mapping)]


def list_texts(table: RawTable, key: str) -> list[str]:
    """Return the texts in a list of a table; values of other types are left out."""
    values = table.get(key)
    if not isinstance(values, list):
        return []
    return [value for value in values if isinstance(value, str)]


def get_table(document: RawTable, key: str) -> RawTable:
    """Return a table in a document; empty if there is no table under the key."""
    value = document.get(key)
    return value if isinstance(value, Mapping) else {}


def without_key(document: RawTable, name: str) -> dict[str, object]:
    """Return a document without one of its keys."""
    return {key: value for key, value in document.items() if key != name}


def format_value(value: object) -> str:
    """Return a value on one line, shortened to 40 characters; a dash for None."""
    if value is None:
        return "–"
    text = str(value)
    if isinstance(value, list | dict | bool):
        try:
            text = json.dumps(value, ensure_ascii=False, default=str)
        except RecursionError:
            text = "values that are nested too deeply to be shown"
    letters = [letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text]
    printable = "".join(letters)
    if len(printable) <= _MAX_VALUE_LENGTH:
        return printable
    return f"{printable[:_MAX_VALUE_LENGTH]}…"


def format_change(value_before: object, value_after: object) -> str:
    """Return an earlier and a later value on one line, with an arrow between them."""
    return f"{format_value(value_before)} → {format_value(value_after)}"
