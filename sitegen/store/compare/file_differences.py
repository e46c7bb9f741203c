"""Describe the differences between two states of one file: by key, by record, or by byte."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sitegen.board.history.differences import differing, dotted, leaves, side_by_side
from sitegen.problems import counted, listed
from sitegen.reading.shape import Location
from sitegen.reading.toml import Places
from sitegen.store.files.raw_documents import (
    NumberedTasks,
    RawLine,
    RawTable,
    format_change,
    format_value,
    parse_json_lines,
)

KeyDifference: TypeAlias = tuple[Location, object, object]
"""A key with its earlier and its later value."""

MORE_DIFFERENCES = " … and {} more"
"""Suffix of a shortened list of differences, with the number of omitted differences."""

_NO_PLACES = Places()
_MAX_NAMED_RECORDS = 12
_KEY_FIELDS = ("task", "attempt", "round", "start", "case")
"""The fields that identify a record."""


@dataclass(frozen=True, slots=True)
class FileDifference:
    """One difference between two states of a file."""

    text: str
    """The difference in words, with the earlier and the later value."""
    line: int | None = None
    """The line of the difference in the later state; None if the later state lacks it."""


def compare_documents(
    before: RawTable, after: RawTable, places_after: Places = _NO_PLACES
) -> Iterator[FileDifference]:
    """Yield a difference for each key that differs, with its line in the later document."""
    values_after = dict(leaves(after))
    for location, value_before, value_after in differing(dict(leaves(before)), values_after):
        line = places_after.line_of(location) if location in values_after else None
        change = format_change(value_before, value_after)
        yield FileDifference(f"`{dotted(location)}` {change}", line)


def compare_tasks(
    before: NumberedTasks,
    after: NumberedTasks,
    find_differences: Callable[[RawTable, RawTable], Iterable[KeyDifference]],
) -> Iterator[FileDifference]:
    """Yield the tasks of a set that are new or missing, and the keys that differ in other tasks.

    Args:
        before: The earlier tasks.
        after: The later tasks.
        find_differences: Returns the relevant differences between two states of a task.
    """
    for name, task_before, task_after in side_by_side(before, after):
        if task_after is None:
            yield FileDifference(f"task {name} is missing")
            continue
        line, document_after = task_after
        if task_before is None:
            yield FileDifference(f"task {name} is new", line)
            continue
        _, document_before = task_before
        differences = find_differences(document_before, document_after)
        for location, value_before, value_after in differences:
            change = format_change(value_before, value_after)
            yield FileDifference(f"`{dotted(location)}` of task {name} {change}", line)


def compare_lines(before: bytes, after: bytes) -> FileDifference:
    """Return how the records of a JSON Lines file differ: changed, then new, then gone records."""
    lines_before = list(parse_json_lines(before))
    lines_after = list(parse_json_lines(after))
    texts_before = Counter(text for _, text, _ in lines_before)
    texts_after = Counter(text for _, text, _ in lines_after)
    removed_lines = _select_lines(lines_before, texts_before - texts_after)
    added_lines = _select_lines(lines_after, texts_after - texts_before)
    if not removed_lines and not added_lines:
        line_number = _first_differing_line(before, after)
        return FileDifference("its lines were rewritten in another order or format", line_number)

    descriptions = _describe_records(_by_subject(removed_lines), _by_subject(added_lines))
    verb = "differs" if len(descriptions) == 1 else "differ"
    details = listed(descriptions, _MAX_NAMED_RECORDS, more=MORE_DIFFERENCES, separator="; ")
    text = f"{counted(len(descriptions), 'record')} {verb}: {details}"
    first_added_line = min((number for number, _, _ in added_lines), default=None)
    return FileDifference(text, first_added_line)


def _describe_records(removed: Mapping[str, RawTable], added: Mapping[str, RawTable]) -> list[str]:
    """Return one text per record that changed, is new or is gone, in this order."""
    changed: list[str] = []
    new: list[str] = []
    for subject, record in added.items():
        if subject not in removed:
            new.append(f"{subject} (new)")
            continue
        changes = []
        for name, value_before, value_after in differing(removed[subject], record):
            change = format_change(value_before, value_after)
            changes.append(f"{name} {change}")
        changed.append(f"{subject} ({', '.join(changes) or 'rewritten'})")
    gone = [f"{subject} (removed)" for subject in removed if subject not in added]
    return [*changed, *new, *gone]


def _first_differing_line(before: bytes, after: bytes) -> int:
    """Return the number of the first line that differs between two texts."""
    line_pairs = zip(before.split(b"\n"), after.split(b"\n"), strict=False)
    for number, (line_before, line_after) in enumerate(line_pairs, start=1):
        if line_before != line_after:
            return number
    return min(before.count(b"\n"), after.count(b"\n")) + 1


def _by_subject(lines: Sequence[RawLine]) -> dict[str, RawTable]:
    """Return the records of lines by their subject."""
    return {_subject(number, record): record for number, _, record in lines}


def _subject(line_number: int, record: RawTable) -> str:
    """Return the subject of a record: its task, attempt and round, or else its line."""
    labels = []
    for name in _KEY_FIELDS:
        if name in record:
            value = format_value(record[name])
            labels.append(value if name == "task" else f"{name} {value}")
    return ", ".join(labels) or f"line {line_number}"


def _select_lines(lines: Sequence[RawLine], text_counts: Counter[str]) -> list[RawLine]:
    """Return the first lines with the given texts, as many of each text as its count."""
    remaining = Counter(text_counts)
    selected = []
    for line in lines:
        _, text, _ = line
        if remaining[text] > 0:
            remaining[text] -= 1
            selected.append(line)
    return selected
