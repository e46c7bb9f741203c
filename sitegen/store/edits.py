"""What differs between two states of one file, told by what it holds: records, keys, or lines of another kind."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sitegen.board.differences import differing, dotted, leaves
from sitegen.problems import ProblemsError, counted, listed
from sitegen.reading.files import packed_bytes
from sitegen.reading.toml import Places, read_values

Document: TypeAlias = Mapping[str, object]
"""What a TOML file or a line of JSON holds; numbers as written."""

_NAMED = 12
"""So many records are named; of more it is said how many there are."""

_SHOWN = 40

_PARTS = ("task", "attempt", "round", "start", "case")
"""The keys that tell what a record is about."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What differs in a file, with what stood there and what does now."""

    what: str
    line: int | None = None
    """Of the first difference in the later state; None where nothing stands there any more."""


def read_document(path: Path) -> Document | None:
    """Read a TOML file with its numbers as written; None where it can't be read."""
    _, values, problems = read_values(path, str)
    return None if problems else values


def content_of(path: Path) -> bytes:
    """What a file holds; of a link, where it leads, since what is there is no part of the results.

    Of a file that is too large to be read it is the size: such a file keeps everything from being published.
    """
    if path.is_symlink():
        return b"-> " + str(path.readlink()).encode()
    try:
        return packed_bytes(path)
    except ProblemsError:
        return f"{path.stat().st_size} bytes".encode()


def document_edits(was: Document, now: Document, text: str) -> Iterator[Edit]:
    """Tell which keys of a document differ, one by one; the text of the later state tells their lines."""
    before, after = (dict(leaves(each)) for each in (was, now))
    places = Places(text)
    for place, old, new in differing(before, after):
        line = places.line_of(place) if place in after else None
        yield Edit(f"`{dotted(place)}` {shown(old)} → {shown(new)}", line)


def shown(value: object) -> str:
    """Show a value on one line; a dash for none."""
    if value is None:
        return "–"
    text = str(value)
    if isinstance(value, list | dict | bool):
        try:
            text = json.dumps(value, ensure_ascii=False, default=str)
        except RecursionError:
            text = "values that are nested too deeply to be shown"
    plain = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}…"


def lines_edit(was: bytes, now: bytes) -> Edit:
    """Tell how the records of a JSON Lines file differ, each by what it is about: changed ones, new ones, gone ones."""
    before, after = (list(json_lines(each)) for each in (was, now))
    gone, new = (Counter(text for _, text, _ in records) for records in (before, after))
    lost, found = _only(before, gone - new), _only(after, new - gone)
    if not (lost or found):
        pairs = enumerate(zip(was.split(b"\n"), now.split(b"\n"), strict=False), start=1)
        shorter = min(was.count(b"\n"), now.count(b"\n")) + 1
        line = next((number for number, (old, new) in pairs if old != new), shorter)
        return Edit("its lines were written anew, in another order or form", line)
    went, came = (
        {_about(number, record): record for number, _, record in records}
        for records in (lost, found)
    )
    told = []
    for about in (about for about in came if about in went):
        values = differing(went[about], came[about])
        turns = ", ".join(f"{name} {shown(one)} → {shown(other)}" for name, one, other in values)
        told.append(f"{about} ({turns or 'written anew'})")
    told += [f"{about} (new)" for about in came if about not in went]
    told += [f"{about} (gone)" for about in went if about not in came]
    verb = "differs" if len(told) == 1 else "differ"
    what = (
        f"{counted(len(told), 'record')} {verb}: {listed(told, _NAMED, more=MORE, separator='; ')}"
    )
    return Edit(what, min((number for number, *_ in found), default=None))


MORE = " … and {} more"
"""Follows what is listed of the differences, with the number of the others."""


Line: TypeAlias = tuple[int, str, Document]
"""A line of JSON Lines: its number, its text, and what it holds."""


def json_lines(content: bytes) -> Iterator[Line]:
    """The lines that hold something; nothing in those that hold no object."""
    for number, line in enumerate(content.decode(errors="replace").split("\n"), start=1):
        if line.strip():
            yield number, line, json_line(line)


def json_line(line: str | bytes) -> Document:
    """The object that a line holds, with its numbers as written; nothing where it is none."""
    try:
        found = json.loads(line, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _about(number: int, record: Document) -> str:
    """Say what a record is about: task, attempt, round; its line where that can't be told."""
    named = ((name, shown(record[name])) for name in _PARTS if name in record)
    return (
        ", ".join(value if name == "task" else f"{name} {value}" for name, value in named)
        or f"line {number}"
    )


def _only(records: Sequence[Line], texts: Counter[str]) -> list[Line]:
    """Keep the records that only one state has, each as often as it has it more."""
    left, kept = Counter(texts), []
    for record in records:
        if left[record[1]] > 0:
            left[record[1]] -= 1
            kept.append(record)
    return kept
