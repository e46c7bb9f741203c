"""What differs between two states of something: the one engine of all that compares then and now.

A document is taken apart into what stands at each of its places, two states are put side by side by their keys, and
what is not the same is new, gone or changed. Reports, rules of history, releases and the changelog all ask here.
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

Value: TypeAlias = str | float | bool | None
"""What a document holds at one place."""

Kind = Literal["new", "removed", "changed"]
"""What became of something from one state to the next."""

_DEEPEST = 20
"""What is nested deeper is one value."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that differs; None where it was not there, or is not there any more."""

    name: str
    """What it is called: a key, or several with dots between them."""
    before: Value
    after: Value


def kind_of(before: object | None, after: object | None) -> Kind:
    """Say what became of something of which at least one state has a form."""
    if before is None:
        return "new"
    return "removed" if after is None else "changed"


def side_by_side(
    one: Mapping[K, V], other: Mapping[K, V]
) -> Iterator[tuple[K, V | None, V | None]]:
    """Pair what two states hold under each key: in the order of the first, then what the second alone has."""
    return ((key, one.get(key), other.get(key)) for key in dict.fromkeys((*one, *other)))


def differing(one: Mapping[K, V], other: Mapping[K, V]) -> Iterator[tuple[K, V | None, V | None]]:
    """Pair what two states hold under each key, where that is not the same."""
    return (each for each in side_by_side(one, other) if each[1] != each[2])


def leaves(
    document: object,
    place: Location = (),
    part: Callable[[object, int], str | int] | None = lambda _, place: place,
) -> Iterator[tuple[Location, object]]:
    """Take a document apart: each of its values with its place.

    Args:
        document: Mappings, lists and plain values in each other.
        place: Where it stands itself.
        part: Says what a part of a list of mappings is called, from the part and its position; where it is None, a list
            is one value, as one of plain values always is.
    """
    is_list = isinstance(document, list | tuple) and any(
        isinstance(each, Mapping) for each in document
    )
    if isinstance(document, Mapping) and len(place) <= _DEEPEST:
        for key, value in document.items():
            yield from leaves(value, (*place, str(key)), part)
    elif isinstance(document, Sequence) and is_list and part and len(place) <= _DEEPEST:
        for number, value in enumerate(document):
            yield from leaves(value, (*place, part(value, number)), part)
    else:
        yield place, document


def dotted(place: Location) -> str:
    """Write a place with dots."""
    return ".".join(map(str, place))


def flattened(document: object, name: str = "") -> dict[str, Value]:
    """What stands at each place of a document, a list as its parts with commas; nothing where that is empty."""
    found: dict[str, Value] = {}
    for place, value in leaves(document, (name,) if name else (), None):
        plain = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        known = plain if isinstance(plain, str | int | float | bool | None) else str(plain)
        if known not in {"", None}:
            found[dotted(place)] = known
    return found


def differences(before: Mapping[str, Value], after: Mapping[str, Value]) -> list[Difference]:
    """Compare two documents by what stands at each place, in the order of the later one."""
    return [Difference(name, was, now) for name, now, was in differing(after, before)]


VERDICT = {"state", "reward", "passed", "total"}
"""What scores are made of, in a round's record."""


@dataclass(frozen=True, slots=True)
class CellChange:
    """A record that differs: of a round, or of a whole attempt, where `round` is None."""

    task: str
    attempt: int
    round: int | None
    start: Start
    kind: Kind
    differences: Sequence[Difference]
    """Its values that differ; all that it had, or has, where it is gone or new."""

    @property
    def changes_verdict(self) -> bool:
        """Whether scores of a round hang on it."""
        return self.round is not None and (
            self.kind != "changed" or any(each.name in VERDICT for each in self.differences)
        )


@dataclass(frozen=True, slots=True)
class TextChange:
    """Texts of failed cases of one task that differ: how many are gone, and how many are new."""

    task: str
    gone: int
    new: int


def cell_changes(before: Bundle, after: Bundle) -> list[CellChange]:
    """Compare the records of a submission's rounds and runs field by field, in the order of the later state."""
    found = []
    for where, now, was in side_by_side(dict(_cells(after)), dict(_cells(before))):
        values = (flattened(known_fields(each)) if each else {} for each in (was, now))
        if differs := differences(*values):
            found.append(CellChange(*where, kind_of(was, now), differs))
    return found


def _cells(
    bundle: Bundle,
) -> Iterator[tuple[tuple[str, int, int | None, Start], RoundResult | RunFigures]]:
    for result in bundle.rounds:
        yield result.place, result
    for run in bundle.runs:
        yield (run.task, run.attempt, None, "own"), run


def known_fields(
    record: RoundResult | RunFigures | Task | TaskRound | Case, *but: str
) -> dict[str, object]:
    """The values of a record's fields that are known, some left out."""
    known = {
        each.name: getattr(record, each.name) for each in fields(record) if each.name not in but
    }
    return {name: value for name, value in known.items() if value is not None}


def text_changes(before: Bundle, after: Bundle) -> list[TextChange]:
    """Compare the texts of a submission's failed cases, line by line."""
    was, now = before.failures, after.failures
    changes = []
    for task in sorted({*was.texts, *now.texts}):
        gone, new = Counter(was.lines_of(task)), Counter(now.lines_of(task))
        changes.append(TextChange(task, (gone - new).total(), (new - gone).total()))
    return [change for change in changes if change.gone or change.new]
