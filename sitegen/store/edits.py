"""Describe what differs between two states of one file: by keys, by records, or by bytes."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sitegen.board.differences import differing, dotted, leaves, side_by_side
from sitegen.models.submission import MAINTAINED
from sitegen.problems import ProblemsError, counted, listed
from sitegen.reading.files import packed_bytes, read_text
from sitegen.reading.shape import Location
from sitegen.reading.toml import Places, read_values

RawTable: TypeAlias = Mapping[str, object]
"""Content of a TOML file or of a line of JSON; numbers are texts, as written."""

Line: TypeAlias = tuple[int, str, RawTable]
"""A line of JSON Lines: its number, its text and its object."""

NumberedTasks: TypeAlias = Mapping[str, tuple[int, RawTable]]
"""The line and the content of each task of a set, by the task's id."""

Difference: TypeAlias = tuple[Location, object, object]
"""A key, its earlier and its later value."""

MORE_DIFFERENCES = " … and {} more"
"""Suffix of a shortened list of differences, with the number of those left out."""

_NO_PLACES = Places()
_MAX_NAMED_RECORDS = 12
_MAX_VALUE_LENGTH = 40
_KEY_FIELDS = ("task", "attempt", "round", "start", "case")
"""The fields that say what a record is about."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One difference between two states of a file."""

    text: str
    """The difference in words, with the earlier and the later value."""
    line: int | None = None
    """Line of the first difference in the later state; None where nothing is left of it."""


def read_document(path: Path) -> RawTable | None:
    """Return the content of a TOML file with numbers as written; None for an unreadable file."""
    _, values, problems = read_values(path, str)
    return None if problems else values


def read_stored_bytes(path: Path) -> bytes:
    """Return what identifies the content of a file: its bytes as they are stored.

    A compressed file is not decompressed: `reading.files.read_bytes` does that. A link is
    represented by its target, which is no part of the results and is not read; and a file that is
    too large to read by its size, since it is an error that prevents publication anyway.
    """
    if path.is_symlink():
        return b"-> " + str(path.readlink()).encode()
    try:
        return packed_bytes(path)
    except ProblemsError:
        return f"{path.stat().st_size} bytes".encode()


def read_places(path: Path) -> Places:
    """Return the places of the keys in a TOML file; no places for an unreadable file."""
    text, _ = read_text(path)
    return Places(text or "")


def compare_documents(
    before: RawTable, after: RawTable, places_after: Places = _NO_PLACES
) -> Iterator[Edit]:
    """Yield an edit for each key that differs, with its line in the later document."""
    values_after = dict(leaves(after))
    for location, value_before, value_after in differing(dict(leaves(before)), values_after):
        line = places_after.line_of(location) if location in values_after else None
        change = f"{format_value(value_before)} → {format_value(value_after)}"
        yield Edit(f"`{dotted(location)}` {change}", line)


def compare_tasks(
    before: NumberedTasks,
    after: NumberedTasks,
    find_differences: Callable[[RawTable, RawTable], Iterable[Difference]],
) -> Iterator[Edit]:
    """Yield the tasks of a set that are new or gone, and keys that differ in the others.

    Args:
        before: The earlier tasks.
        after: The later tasks.
        find_differences: Returns the differences that count between two states of a task.
    """
    for name, task_before, task_after in side_by_side(before, after):
        if task_after is None:
            yield Edit(f"task {name} is missing")
            continue
        line, document_after = task_after
        if task_before is None:
            yield Edit(f"task {name} is new", line)
            continue
        _, document_before = task_before
        differences = find_differences(document_before, document_after)
        for location, value_before, value_after in differences:
            change = f"{format_value(value_before)} → {format_value(value_after)}"
            yield Edit(f"`{dotted(location)}` of task {name} {change}", line)


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


def compare_lines(before: bytes, after: bytes) -> Edit:
    """Return how the records of a JSON Lines file differ: first changed, then new, then gone."""
    lines_before = list(parse_json_lines(before))
    lines_after = list(parse_json_lines(after))
    texts_before = Counter(text for _, text, _ in lines_before)
    texts_after = Counter(text for _, text, _ in lines_after)
    removed_lines = _select_lines(lines_before, texts_before - texts_after)
    added_lines = _select_lines(lines_after, texts_after - texts_before)
    if not removed_lines and not added_lines:
        line_number = _first_differing_line(before, after)
        return Edit("its lines were rewritten in another order or format", line_number)

    descriptions = _describe_records(_by_subject(removed_lines), _by_subject(added_lines))
    verb = "differs" if len(descriptions) == 1 else "differ"
    details = listed(descriptions, _MAX_NAMED_RECORDS, more=MORE_DIFFERENCES, separator="; ")
    text = f"{counted(len(descriptions), 'record')} {verb}: {details}"
    first_added_line = min((number for number, _, _ in added_lines), default=None)
    return Edit(text, first_added_line)


def _describe_records(removed: Mapping[str, RawTable], added: Mapping[str, RawTable]) -> list[str]:
    """Return one text for each record that changed, is new or is gone, in this order."""
    changed: list[str] = []
    new: list[str] = []
    for subject, record in added.items():
        if subject not in removed:
            new.append(f"{subject} (new)")
            continue
        changes = []
        for name, value_before, value_after in differing(removed[subject], record):
            change = f"{format_value(value_before)} → {format_value(value_after)}"
            changes.append(f"{name} {change}")
        changed.append(f"{subject} ({', '.join(changes) or 'rewritten'})")
    gone = [f"{subject} (gone)" for subject in removed if subject not in added]
    return [*changed, *new, *gone]


def _first_differing_line(before: bytes, after: bytes) -> int:
    """Return the number of the first line of two texts that is not the same."""
    line_pairs = zip(before.split(b"\n"), after.split(b"\n"), strict=False)
    for number, (line_before, line_after) in enumerate(line_pairs, start=1):
        if line_before != line_after:
            return number
    return min(before.count(b"\n"), after.count(b"\n")) + 1


def parse_json_lines(content: bytes) -> Iterator[Line]:
    """Yield the lines that are not blank; a line that is no JSON object has an empty document."""
    for number, line in enumerate(content.decode(errors="replace").split("\n"), start=1):
        if line.strip():
            yield number, line, parse_json_object(line)


def parse_json_object(line: str | bytes) -> RawTable:
    """Return the JSON object of a line with numbers as written; an empty one for anything else."""
    try:
        value = json.loads(line, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def index_tasks(content: bytes) -> dict[str, tuple[int, RawTable]]:
    """Return the tasks of a task set's file by their ids, each with its line."""
    tasks = {}
    for line_number, _, task in parse_json_lines(content):
        if task:
            tasks[format_value(task.get("id"))] = (line_number, task)
    return tasks


def list_tables(document: RawTable | None, key: str) -> list[RawTable]:
    """Return the tables under a key of a document; anything else under the key is left out."""
    values = (document or {}).get(key)
    if not isinstance(values, list):
        return []
    return [value for value in values if isinstance(value, Mapping)]


def list_texts(table: RawTable, key: str) -> list[str]:
    """Return the texts in a list of a table; anything else in the list is left out."""
    values = table.get(key)
    if not isinstance(values, list):
        return []
    return [value for value in values if isinstance(value, str)]


def get_table(document: RawTable, key: str) -> RawTable:
    """Return a table in a document; an empty one if there is no table under the key."""
    value = document.get(key)
    return value if isinstance(value, Mapping) else {}


def without_key(document: RawTable, name: str) -> dict[str, object]:
    """Return a document without one of its keys."""
    return {key: value for key, value in document.items() if key != name}


def without_maintained(manifest: RawTable) -> dict[str, object]:
    """Return a manifest without what may change once it is published: its status, for example."""
    fixed = dict(manifest)
    for key in ("status", *MAINTAINED):
        fixed.pop(key, None)
    return fixed


def hides_again(before: RawTable, after: RawTable) -> bool:
    """Return whether a manifest gains an embargo, or one that ends later than before."""
    embargo = after.get("embargo")
    if embargo is None:
        return False
    return "embargo" not in before or str(embargo) > str(before["embargo"])


def _by_subject(lines: Sequence[Line]) -> dict[str, RawTable]:
    """Return the records of some lines by what they are about."""
    return {_subject(number, record): record for number, _, record in lines}


def _subject(line_number: int, record: RawTable) -> str:
    """Return what a record is about: its task, attempt and round; else its line."""
    labels = []
    for name in _KEY_FIELDS:
        if name in record:
            value = format_value(record[name])
            labels.append(value if name == "task" else f"{name} {value}")
    return ", ".join(labels) or f"line {line_number}"


def _select_lines(lines: Sequence[Line], text_counts: Counter[str]) -> list[Line]:
    """Return the first lines with the given texts, each text as often as it is counted."""
    remaining = Counter(text_counts)
    selected = []
    for line in lines:
        _, text, _ = line
        if remaining[text] > 0:
            remaining[text] -= 1
            selected.append(line)
    return selected
