"""Values that differ between two states."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

from sitegen.models.outcome import Failure, RoundResult, RunFigures

Value: TypeAlias = str | float | bool | None
"""What a document holds at one place."""


Kind = Literal["new", "removed", "changed"]
"""What became of something from one state to the next."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that differs.

    Attributes:
        name: What it is called: a key, or several with dots between them.
        before: None where it was not there.
        after: None where it is not there any more.
    """

    name: str
    before: Value
    after: Value


def kind_of(before: object | None, after: object | None) -> Kind:
    """Say what became of something of which at least one state has a form."""
    if before is None:
        return "new"
    return "removed" if after is None else "changed"


def differences(before: Mapping[str, Value], after: Mapping[str, Value]) -> list[Difference]:
    """Compare two documents by what stands at each place, in the order of the later one."""
    names = dict.fromkeys((*after, *before))
    return [
        Difference(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)
    ]


def flattened(document: object, name: str = "") -> dict[str, Value]:
    """Give what stands at each place of a document of mappings, lists and plain values, by its keys with dots.

    An empty text or list says no more than an absent one, and is left out.
    """
    return {place: value for place, value in _leaves(document, name) if value not in {"", None}}


def _leaves(document: object, name: str) -> Iterator[tuple[str, Value]]:
    if isinstance(document, Mapping):
        for key, value in document.items():
            yield from _leaves(value, f"{name}.{key}" if name else str(key))
    elif isinstance(document, str | int | float | bool | None):
        yield name, document
    elif isinstance(document, Sequence):
        yield name, ", ".join(str(each) for each in document)
    else:
        yield name, str(document)


def record_differences(
    before: RoundResult | RunFigures | Failure | None, after: RoundResult | RunFigures | Failure | None
) -> list[Difference]:
    """Compare two records of the same kind field by field; what is not known is left out."""
    return differences(_fields(before), _fields(after))


def _fields(record: RoundResult | RunFigures | Failure | None) -> dict[str, Value]:
    if record is None:
        return {}
    known = {each.name: getattr(record, each.name) for each in fields(record)}
    return flattened({name: value for name, value in known.items() if value is not None})
