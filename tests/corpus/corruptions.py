"""Every way to corrupt one field, or one line, of a valid results folder."""

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import tomlkit
from kit.results_folders import seal

Value: TypeAlias = Any
"""What JSON or TOML can hold."""

Way = tuple[str | int, ...]
"""Keys and positions from a record to a value in it."""

ALTERNATIVES: Mapping[str, Sequence[str]] = {
    "state": ("scored", "no_cases", "aborted", "unreached", "fast_forwarded", "withdrawn", "superseded"),
    "start": ("own", "reference"),
    "status": ("failed", "error", "skipped", "legacy", "current"),
    "protocol": ("chain", "fail-stop", "once"),
    "headline": ("resolved", "completion", "strict", "dataset_score", "mt_at_k"),
    "effect": ("note", "exclude", "zero", "withdraw"),
    "kind": ("leak", "contamination", "defect", "note", "tool", "game"),
    "cases": ("all", "failures", "sample", "counts", "none"),
    "round_name": ("Round", "Checkpoint", "Target"),
    "track": ("chain", "relay", "checks"),
    "tasks": ("steps", "checks"),
}
"""Valid values of fields that know few."""

_OUT_OF_RANGE = (-1, 10**400, 1e300)
"""Beyond what counts, amounts and positions may be."""

_LOST = object()
"""In the place of a value that is taken away."""


class Corruption(NamedTuple):
    """One change to one file."""

    file: str
    """The file, from the results folder."""
    field: str
    """Kind of file and the way to the field without positions: `rounds.jsonl by_category.*`."""
    kind: str
    """What is done to it: null, off by one, removed line."""
    content: Callable[[], str]
    """What the file holds afterwards: few are asked."""

    @contextmanager
    def applied(self, tree: Path) -> Iterator[None]:
        """Corrupt the folder, its checksums written again, and put it right afterwards."""
        file = tree / self.file
        before = file.read_bytes()
        try:
            _write(file, self.content().encode())
            yield
        finally:
            _write(file, before)


def corruptions(tree: Path) -> Iterator[Corruption]:
    """Give every corruption of every file of a results folder, checksums apart."""
    for path in sorted(tree.rglob("*.jsonl")):
        yield from _of_lines(path, path.relative_to(tree).as_posix())
    for path in sorted(tree.rglob("*.toml")):
        yield from _of_toml(path, path.relative_to(tree).as_posix())


def _write(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    if file.parent.parent.name == "submissions":
        seal(file.parent)


def _kind_of_file(path: Path) -> str:
    """Name the kind of a file: task sets and published tables go by their folder."""
    return path.parent.name if path.parent.name in {"tasks", "reported"} else path.name


def _of_lines(path: Path, file: str) -> Iterator[Corruption]:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kind = _kind_of_file(path)
    records = [json.loads(line) for line in lines]

    def corruption(field: str, how: str, changed: Sequence[str]) -> Corruption:
        return Corruption(file, f"{kind} {field}", how, partial("".join, changed))

    yield corruption("(lines)", "reordered lines", lines[::-1])
    for number, line in enumerate(lines):
        before, after = lines[:number], lines[number + 1 :]
        yield corruption("(lines)", "removed line", [*before, *after])
        yield corruption("(lines)", "duplicated line", [*before, line, line, *after])
        for key, value in records[number].items():
            twice = line.replace("{", f"{{{json.dumps({key: value})[1:-1]}, ", 1)
            yield corruption(key, "duplicated key", [*before, twice, *after])
        for way, how, new in _changes(records[number], [*records[:number], *records[number + 1 :]]):
            changed = json.dumps(_changed(records[number], way, new)) + "\n"
            yield corruption(_named(way), how, [*before, changed, *after])


def _of_toml(path: Path, file: str) -> Iterator[Corruption]:
    text = path.read_text(encoding="utf-8")
    kind = _kind_of_file(path)
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        key, is_key, _ = line.partition(" = ")
        if is_key:
            twice = "".join([*lines[: number + 1], *lines[number:]])
            yield Corruption(file, f"{kind} {key}", "duplicated key", partial(str, twice))
    document: dict[str, Value] = tomlkit.parse(text).unwrap()
    for way, how, new in _changes(document, []):
        if new is not None:  # TOML has no null
            changed = _changed(document, way, new)
            yield Corruption(file, f"{kind} {_named(way)}", how, partial(tomlkit.dumps, changed))


def _changes(record: Value, others: Sequence[Value]) -> Iterator[tuple[Way, str, Value]]:
    """Give every change to a value of a record, with what is done to it."""
    for way, value in _ways(record):
        yield way, "removed", _LOST
        yield way, "null", None
        for new in _of_other_types(value):
            yield way, "other type", new
        for new in _out_of_range(value):
            yield way, "out of range", new
        for new in _neighbours(value):
            yield way, "off by one", new
        for new in _valid_values(way, value, others):
            yield way, "another valid value", new


def _ways(value: Value, way: Way = ()) -> Iterator[tuple[Way, Value]]:
    """Give every value inside a record, lists and objects included, with the way to it."""
    if way:
        yield way, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _ways(inner, (*way, key))
    if isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _ways(inner, (*way, position))


def _of_other_types(value: Value) -> Iterator[Value]:
    if isinstance(value, str):
        yield from (7, [value])
    else:
        yield from (f"{value}", {"key": 1})


def _out_of_range(value: Value) -> Iterator[Value]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from _OUT_OF_RANGE[: 3 if isinstance(value, float) else 2]
    elif isinstance(value, str | list):
        yield type(value)()


def _neighbours(value: Value) -> Iterator[Value]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield from (value + 1, value - 1)
    elif isinstance(value, str):
        yield from (value + "x", value[:-1])
    elif isinstance(value, datetime | date):
        yield value + timedelta(days=1)
    elif isinstance(value, list):
        yield [*value, *value[-1:]]


def _valid_values(way: Way, value: Value, others: Sequence[Value]) -> Iterator[Value]:
    """Give the values that the same field has elsewhere, and those that it may have."""
    known = [each for other in others if (each := _value_at(other, way)) is not _LOST]
    known += ALTERNATIVES.get(str(way[-1]), ()) if isinstance(value, str) else ()
    seen = [value]
    for each in known:
        if each not in seen:
            seen.append(each)
            yield each


def _value_at(record: Value, way: Way) -> Value:
    for part in way:
        try:
            record = record[part]
        except (KeyError, IndexError, TypeError):
            return _LOST
    return record


def _changed(record: Value, way: Way, new: Value) -> Value:
    """Give a record with another value in one place, or without it."""
    changed = copy.deepcopy(record)
    holder = changed
    for part in way[:-1]:
        holder = holder[part]
    if new is _LOST:
        del holder[way[-1]]
    else:
        holder[way[-1]] = new
    return changed


def _named(way: Way) -> str:
    return ".".join("*" if isinstance(part, int) else part for part in way)
