"""Differences between two states, used by all comparisons of an earlier and a later state.

A document is split into its values, each with its path. Values of two states are paired by their
keys; a value that differs is new, removed or changed. Reports of changes, rules about the history
of a folder, releases and the changelog are made of such differences.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias, TypeVar

from sitegen.models.outcome import RoundResult, RunFigures, Start
from sitegen.models.results import Bundle
from sitegen.models.task import Case, Task, TaskRound
from sitegen.reading.shape import Location

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
T = TypeVar("T")

Value: TypeAlias = str | float | bool | None
"""A plain value in a document."""

ChangeKind = Literal["new", "removed", "changed"]
"""How an item changed from one state to the next."""

_MAX_DEPTH = 20
"""Maximum depth of nesting; anything nested deeper is treated as one value."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that differs between two states; None if it is absent."""

    name: str
    """The name of the value: a key, or several keys joined by dots."""
    before: Value
    after: Value


def only_item(items: Sequence[T]) -> T | None:
    """Return the only item of a list; None if the list is empty or has several items."""
    if len(items) != 1:
        return None
    return items[0]


def change_kind(before: object | None, after: object | None) -> ChangeKind:
    """Return how an item that exists in at least one state changed."""
    if before is None:
        return "new"
    if after is None:
        return "removed"
    return "changed"


def side_by_side(
    first: Mapping[K, V], second: Mapping[K, V]
) -> Iterator[tuple[K, V | None, V | None]]:
    """Yield each key with its values in both states, None if absent; keys of `first` come first."""
    keys = dict.fromkeys((*first, *second))
    return ((key, first.get(key), second.get(key)) for key in keys)


def differing(
    first: Mapping[K, V], second: Mapping[K, V]
) -> Iterator[tuple[K, V | None, V | None]]:
    """Yield each key whose values differ between two states, with both values."""
    for key, value, other_value in side_by_side(first, second):
        if value != other_value:
            yield key, value, other_value


def leaves(
    document: object,
    place: Location = (),
    part: Callable[[object, int], str | int] | None = lambda _, position: position,
) -> Iterator[tuple[Location, object]]:
    """Yield the values of a document, each with its path.

    Args:
        document: Nested mappings, lists and plain values.
        place: The path of the document itself.
        part: Returns the name of an item in a list of mappings, from the item and its position. If
            it is None, such a list is one value, as a list of plain values always is.
    """
    is_nested = len(place) <= _MAX_DEPTH
    if is_nested and isinstance(document, Mapping):
        for key, value in document.items():
            yield from leaves(value, (*place, str(key)), part)
    elif is_nested and part and isinstance(document, list | tuple) and _has_mapping(document):
        for position, value in enumerate(document):
            yield from leaves(value, (*place, part(value, position)), part)
    else:
        yield place, document


def _has_mapping(items: Sequence[object]) -> bool:
    return any(isinstance(item, Mapping) for item in items)


def dotted(place: Location) -> str:
    """Return a path as one name, its parts joined by dots."""
    return ".".join(map(str, place))


def flattened(document: object, name: str = "") -> dict[str, Value]:
    """Return the values of a document by their dotted paths, excluding empty values.

    A list is one value, its items joined by commas.
    """
    values: dict[str, Value] = {}
    for place, leaf in leaves(document, (name,) if name else (), None):
        value = leaf
        if isinstance(leaf, list | tuple):
            value = ", ".join(map(str, leaf))
        if not isinstance(value, str | int | float | bool | None):
            value = str(value)
        if value not in {"", None}:
            values[dotted(place)] = value
    return values


def differences(before: Mapping[str, Value], after: Mapping[str, Value]) -> list[Difference]:
    """Return the values that differ between two documents, in the order of the later document."""
    changes = []
    for name, after_value, before_value in differing(after, before):
        changes.append(Difference(name, before_value, after_value))
    return changes


VERDICT_FIELDS = {"state", "reward", "passed", "total"}
"""The fields of a round's record that determine its scores."""


@dataclass(frozen=True, slots=True)
class CellChange:
    """A record that differs: of a round, or of a complete attempt if `round` is None."""

    task: str
    attempt: int
    round: int | None
    start: Start
    kind: ChangeKind
    differences: Sequence[Difference]
    """The values that differ; all values of a new or removed record."""

    @property
    def changes_verdict(self) -> bool:
        """Whether the change may affect scores of the round; False for a complete attempt."""
        if self.round is None:
            return False
        names = {difference.name for difference in self.differences}
        return self.kind != "changed" or not names.isdisjoint(VERDICT_FIELDS)


@dataclass(frozen=True, slots=True)
class TextChange:
    """How many texts of a task's failed cases are gone, and how many are new."""

    task: str
    gone: int
    new: int


def cell_changes(before: Bundle, after: Bundle) -> list[CellChange]:
    """Return the differences in records of rounds and runs, in the order of the later state."""
    changes = []
    for key, record, earlier in side_by_side(_records(after), _records(before)):
        changed_fields = differences(_record_values(earlier), _record_values(record))
        if changed_fields:
            changes.append(CellChange(*key, change_kind(earlier, record), changed_fields))
    return changes


_Record = RoundResult | RunFigures
_RecordKey = tuple[str, int, int | None, Start]
"""Task, attempt, round and start; the round is None for a complete run."""


def _records(bundle: Bundle) -> dict[_RecordKey, _Record]:
    records: dict[_RecordKey, _Record] = {}
    for result in bundle.rounds:
        records[result.place] = result
    for run in bundle.runs:
        records[run.task, run.attempt, None, "own"] = run
    return records


def _record_values(record: _Record | None) -> dict[str, Value]:
    if not record:
        return {}
    return flattened(known_fields(record))


def known_fields(record: _Record | Task | TaskRound | Case, *omitted: str) -> dict[str, object]:
    """Return the known values of a record's fields by name, excluding omitted fields."""
    names = [field.name for field in fields(record) if field.name not in omitted]
    values = {}
    for name in names:
        value = getattr(record, name)
        if value is not None:
            values[name] = value
    return values


def text_changes(before: Bundle, after: Bundle) -> list[TextChange]:
    """Return how many texts of a submission's failed cases are gone, and how many new, by task."""
    changes = []
    for task in sorted({*before.failures.texts, *after.failures.texts}):
        lines_before = Counter(before.failures.lines_of(task))
        lines_after = Counter(after.failures.lines_of(task))
        gone = (lines_before - lines_after).total()
        new = (lines_after - lines_before).total()
        if gone or new:
            changes.append(TextChange(task, gone, new))
    return changes
