"""Records of which a large board holds hundreds of thousands: a quarter of the memory, and read at once."""

from collections.abc import Callable
from dataclasses import MISSING, asdict, field, fields
from functools import reduce
from operator import attrgetter, or_
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, dataclass_transform, get_args, get_origin, get_type_hints

import msgspec
import pydantic
from pydantic_core import core_schema

from sitegen.models.record import CLOSED

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def slim(declared: type[T]) -> type[T]:
    """Make a class of records that stand in a file one a line.

    As pydantic has them, what is declared is a dataclass: it says what is wrong with a line, and writes the schema.
    A record itself is a struct of msgspec, which has the same fields and limits and reads sound lines three times as
    fast. `dataclasses.replace` and `dataclasses.fields` take it for a dataclass. Limits are held where lines are read,
    not where a record is made.

    Args:
        declared: Fields with their annotations, and properties.
    """
    checked = pydantic.dataclasses.dataclass(frozen=True, slots=True, config=CLOSED)(declared)
    hints = get_type_hints(checked, include_extras=True)
    told = fields(checked)
    members: Any = [
        (each.name, _hint(hints[each.name]), *([] if each.default is MISSING else [each.default])) for each in told
    ]
    own: dict[str, Any] = {name: value for name, value in vars(declared).items() if isinstance(value, property)}
    own |= {
        "__doc__": declared.__doc__,
        "__dataclass_fields__": {each.name: each for each in told},
        "__get_pydantic_core_schema__": classmethod(_schema_of(checked, attrgetter(*(each.name for each in told)))),
    }
    made: Any = msgspec.defstruct(
        declared.__name__,
        members,
        namespace=own,
        module=declared.__module__,
        frozen=True,
        forbid_unknown_fields=True,
        gc=False,  # the collector need not know records: what they hold can't hold them
    )
    record: type[T] = made
    return record


def _schema_of(checked: type, values: Callable[[object], tuple[object, ...]]) -> Callable[..., core_schema.CoreSchema]:
    """Have pydantic check what was declared, and make a record of it."""

    def schema(made: type, _: object, handler: pydantic.GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(lambda found: made(*values(found)), handler(checked))

    return schema


def _hint(hint: Any) -> Any:  # noqa: ANN401 - an annotation
    """Give an annotation with its limits in the words of the other library."""
    if get_origin(hint) is Annotated:
        kind, *notes = get_args(hint)
        limits = [limit for note in notes for limit in note.metadata]
        return Annotated[kind, msgspec.Meta(**{name: value for each in limits for name, value in _limit(each)})]
    parts = tuple(map(_hint, get_args(hint)))
    if get_origin(hint) in {Union, UnionType}:
        return reduce(or_, parts)
    return get_origin(hint)[parts] if get_origin(hint) in {tuple, dict} else hint


def _limit(limit: Any) -> list[tuple[str, Any]]:  # noqa: ANN401 - any of pydantic's marks
    pattern = getattr(limit, "pattern", None)
    if pattern is None:
        return list(asdict(limit).items())
    return [("pattern", pattern.removesuffix("$") + r"\Z")]  # in Python, `$` lets a line break follow
