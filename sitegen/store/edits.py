"""What differs between two states of one file, told by what it holds: records, keys, or lines of another kind."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sitegen.problems import ProblemsError, counted
from sitegen.reading.files import packed_bytes
from sitegen.reading.shape import Location
from sitegen.reading.toml import Places, read_values

Document: TypeAlias = Mapping[str, object]
"""What a TOML file or a line of JSON holds; numbers as written."""

_NAMED = 12
"""So many records are named; of more it is said how many there are."""

_SHOWN = 40
"""So much of a value is quoted."""

_DEEPEST = 20
"""What is nested deeper is one value."""

_PARTS = ("task", "attempt", "round", "start", "case")
"""The keys that tell what a record is about."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What differs in a file.

    Attributes:
        what: The fact, with what stood there and what does now.
        line: Line of the first difference in the later state; None where nothing stands there any more.
    """

    what: str
    line: int | None = None


def read_document(path: Path) -> Document | None:
    """Read a TOML file with its numbers as written; None where it can't be read."""
    _, values, problems = read_values(path, str)
    return None if problems else values


def content_of(path: Path) -> bytes:
    """Give what a file holds; of a link, where it leads, since what is there is no part of the results.

    Of a file that is too large to be read it is the size: such a file keeps everything from being published.
    """
    if path.is_symlink():
        return b"-> " + str(path.readlink()).encode()
    try:
        return packed_bytes(path)
    except ProblemsError:
        return f"{path.stat().st_size} bytes".encode()


def lines_edit(was: bytes, now: bytes) -> Edit:
    """Tell how the records of a JSON Lines file differ, each by what it is about."""
    before, after = _records(was), _records(now)
    gone, new = Counter(text for _, _, text in before), Counter(text for _, _, text in after)
    lost, found = _only(before, gone - new), _only(after, new - gone)
    if not (lost or found):
        return Edit("its lines were written anew, in another order or form", _first_difference(was, now))
    told = list(_told({key: text for _, key, text in lost}, {key: text for _, key, text in found}))
    line = min((line for line, _, _ in found), default=None)
    return Edit(_counted(told), line)


def _counted(told: Sequence[str]) -> str:
    more = f" … and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
    verb = "differs" if len(told) == 1 else "differ"
    return f"{counted(len(told), 'record')} {verb}: {'; '.join(told[:_NAMED])}{more}"


def _told(lost: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    """Name the records of which the states have other forms, then those of which only one has any."""
    yield from _changed(lost, found)
    yield from (f"{key} (new)" for key in found if key not in lost)
    yield from (f"{key} (gone)" for key in lost if key not in found)


def document_edits(was: Document, now: Document, text: str) -> Iterator[Edit]:
    """Tell which keys of a document differ, one by one.

    Args:
        was: The earlier state.
        now: The later state.
        text: Text of the later state, which tells its lines.
    """
    before, after = dict(leaves(was)), dict(leaves(now))
    places = Places(text)
    for place in dict.fromkeys((*before, *after)):
        if before.get(place) != after.get(place):
            name = ".".join(map(str, place))
            turn = f"{shown(before.get(place))} → {shown(after.get(place))}"
            yield Edit(f"`{name}` {turn}", places.line_of(place) if place in after else None)


def leaves(document: object, place: Location = ()) -> Iterator[tuple[Location, object]]:
    """Give what stands at each place of a document; lists of plain values are one value."""
    if len(place) > _DEEPEST:
        yield place, document
    elif isinstance(document, Mapping):
        for key, value in document.items():
            yield from leaves(value, (*place, str(key)))
    elif isinstance(document, list) and any(isinstance(each, Mapping) for each in document):
        for position, value in enumerate(document):
            yield from leaves(value, (*place, position))
    else:
        yield place, document


def shown(value: object) -> str:
    """Show a value on one line; a dash for none."""
    if value is None:
        return "–"
    text = _as_json(value) if isinstance(value, list | dict | bool) else str(value)
    plain = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    return plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}…"


def _as_json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        return "values that are nested too deeply to be shown"


_Record: TypeAlias = tuple[int, str, str]
"""Line, what it is about, and text."""


def _records(content: bytes) -> list[_Record]:
    lines = enumerate(content.decode(errors="replace").split("\n"), start=1)
    return [(number, _about(line, number), line) for number, line in lines if line.strip()]


def _about(line: str, number: int) -> str:
    """Say what a record is about: task, attempt, round; its line where it can't be told."""
    record = _parsed(line)
    parts = [
        f"{name} {shown(record[name])}" if name != "task" else shown(record[name]) for name in _PARTS if name in record
    ]
    return ", ".join(parts) or f"line {number}"


def _parsed(line: str) -> Document:
    try:
        found = json.loads(line, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _only(records: Sequence[_Record], texts: Counter[str]) -> list[_Record]:
    """Keep the records that only one state has."""
    left = Counter(texts)
    kept = []
    for record in records:
        if left[record[2]] > 0:
            left[record[2]] -= 1
            kept.append(record)
    return kept


def _changed(lost: Mapping[str, str], found: Mapping[str, str]) -> Iterator[str]:
    """Name the records that both states have, each with the values that differ."""
    for key in found:
        if key in lost:
            was, now = _parsed(lost[key]), _parsed(found[key])
            names = [name for name in dict.fromkeys((*was, *now)) if was.get(name) != now.get(name)]
            turns = [f"{name} {shown(was.get(name))} → {shown(now.get(name))}" for name in names]
            yield f"{key} ({', '.join(turns) or 'written anew'})"


def _first_difference(was: bytes, now: bytes) -> int:
    """Find the first line that differs, from 1."""
    before, after = was.split(b"\n"), now.split(b"\n")
    pairs = enumerate(zip(before, after, strict=False), start=1)
    return next((number for number, (old, new) in pairs if old != new), min(len(before), len(after)))
