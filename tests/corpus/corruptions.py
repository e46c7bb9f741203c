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

    def corruption(field: str, action: str, changed: Sequence[str]) -> Corruption:
        return Corruption(file, f"{kind} {field}", action, partial("".join, changed))

    yield corruption("(lines)", "reordered lines", lines[::-1])
    for number, line in enumerate(lines):
        before, after = lines[:number], lines[number + 1 :]
        yield corruption("(lines)", "removed line", [*before, *after])
        yield corruption("(lines)", "duplicated line", [*before, line, line, *after])
        for key, value in records[number].items():
            twice = line.replace("{", f"{{{json.dumps({key: value})[1:-1]}, ", 1)
            yield corruption(key, "duplicated key", [*before, twice, *after])
        for key_path, how, new in _changes(records[number], [*records[:number], *records[number + 1 :]]):
            changed = json.dumps(_changed(records[number], key_path, new)) + "\n"
            yield corruption(_named(key_path), how, [*before, changed, *after])


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
    for key_path, action, new in _changes(document, []):
        if new is not None:  # TOML has no null
            changed = _changed(document, key_path, new)
            yield Corruption(file, f"{kind} {_named(key_path)}", action, partial(tomlkit.dumps, changed))


def _changes(record: Value, other_records: Sequence[Value]) -> Iterator[tuple[Way, str, Value]]:
    """Give every change to a value of a record, with what is done to it."""
    for key_path, value in _ways(record):
        yield key_path, "removed", _LOST
        yield key_path, "null", None
        for new in _of_other_types(value):
            yield key_path, "other type", new
        for new in _out_of_range(value):
            yield key_path, "out of range", new
        for new in _neighbours(value):
            yield key_path, "off by one", new
        for new in _valid_values(key_path, value, other_records):
            yield key_path, "another valid value", new


def _ways(value: Value, key_path: Way = ()) -> Iterator[tuple[Way, Value]]:
    """Give every value inside a record, lists and objects included, with the way to it."""
    if key_path:
        yield key_path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _ways(inner, (*key_path, key))
    if isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _ways(inner, (*key_path, position))


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


def _valid_values(key_path: Way, value: Value, other_records: Sequence[Value]) -> Iterator[Value]:
    """Give the values that the same field has elsewhere, and those that it may have."""
    candidates = [
        other_value for other_record in other_records if (other_value := _value_at(other_record, key_path)) is not _LOST
    ]
    candidates += ALTERNATIVES.get(str(key_path[-1]), ()) if isinstance(value, str) else ()
    seen = [value]
    for candidate in candidates:
        if candidate not in seen:
            seen.append(candidate)
            yield candidate


def _value_at(record: Value, key_path: Way) -> Value:
    for key in key_path:
        try:
            record = record[key]
        except (KeyError, IndexError, TypeError):
            return _LOST
    return record


def _changed(record: Value, key_path: Way, new: Value) -> Value:
    """Give a record with another value in one place, or without it."""
    changed = copy.deepcopy(record)
    holder = changed
    for key in key_path[:-1]:
        holder = holder[key]
    if new is _LOST:
        del holder[key_path[-1]]
    else:
        holder[key_path[-1]] = new
    return changed


def _named(key_path: Way) -> str:
    return ".".join("*" if isinstance(key, int) else key for key in key_path)
