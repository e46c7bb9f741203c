"""What every record read from `results/` has in common."""

import re
from collections.abc import Sequence
from dataclasses import MISSING, asdict, field, fields
from decimal import Decimal
from functools import reduce
from operator import attrgetter, or_
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
import pydantic
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError, core_schema

from sitegen.models.addresses import DEVICES

T = TypeVar("T")

CLOSED = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)
"""Unknown keys are refused, nothing is converted: a number in quotes is a mistake to report. What checks
records is made when the first is checked, since no command meets all kinds."""


class Record(BaseModel):
    """Base of the records that people write: frozen, and closed to unknown keys."""

    model_config = ConfigDict(**CLOSED, frozen=True, populate_by_name=True)
    is_short: ClassVar[bool] = False
    """Whether it is written on one line."""


LIMIT = 10**15
"""No figure is larger. A larger one is a slip of the keyboard, and sums of such figures overflow."""

Printed = Annotated[
    Decimal,
    BeforeValidator(lambda value: Decimal(value) if type(value) is int else value),
    Field(ge=-LIMIT, le=LIMIT),
]
"""A number with the decimals it was printed with, so that 42.0 is not taken for 42."""

_SLUG = r"^[a-z0-9][a-z0-9_-]*$"
_LONGEST = 120
"""Characters of a slug: several stand in one address."""

DEVICE = "device"
"""The kind of complaint about a name that is one's."""


def _no_device(name: str) -> str:
    if DEVICES.fullmatch(name):
        raise PydanticCustomError(DEVICE, 'is "{name}", the name of a device', {"name": name})
    return name


Slug = Annotated[str, Field(pattern=_SLUG, max_length=_LONGEST), AfterValidator(_no_device)]
"""A name that can stand in an address, and be that of a folder: lower case, digits, `-` and `_`."""

Position = Annotated[int, Field(ge=1, le=10_000)]
"""A place in an order, counted from 1."""

Count = Annotated[int, Field(ge=0, le=LIMIT)]
"""How many."""

Amount = Annotated[float, Field(ge=0, le=LIMIT)]
"""How much, in the unit that the field's name ends with."""

Measure = Annotated[float, Field(ge=-LIMIT, le=LIMIT)]
"""What was measured, in the unit that its definition gives."""


SchemaVersion = Annotated[
    Literal[1],
    BeforeValidator(lambda value: value if type(value) is int else str(value)),
    Field(alias="schema"),
]
"""Version of the format that the file follows."""


def is_slug(name: str) -> bool:
    """Whether a name can stand in an address."""
    return (
        len(name) <= _LONGEST
        and re.fullmatch(_SLUG, name) is not None
        and not DEVICES.fullmatch(name)
    )


def share(records: Sequence[Any], *names: str) -> None:
    """Let slim records have the same object where they tell the same: of many values, few differ."""
    for name in names:
        known: dict[Any, Any] = {}
        for each in records:
            value = getattr(each, name)
            msgspec.structs.force_setattr(each, name, known.setdefault(value, value))


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def slim(declared: type[T]) -> type[T]:
    """Make a class of records that stand in a file one a line: a quarter of the memory, and read at once.

    As pydantic has them, what is declared is a dataclass: it says what is wrong with a line, and writes the schema.
    A record itself is a struct of msgspec, which has the same fields and limits and reads sound lines three times as
    fast. `dataclasses.replace` and `dataclasses.fields` take it for a dataclass. Limits are held where lines are read,
    not where a record is made.
    """
    checked = pydantic.dataclasses.dataclass(frozen=True, slots=True, config=CLOSED)(declared)
    hints = get_type_hints(checked, include_extras=True)
    told = fields(checked)
    values = attrgetter(*(each.name for each in told))

    def schema(
        made: type, _: object, handler: pydantic.GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        """Have pydantic check what was declared, and make a record of it."""
        return core_schema.no_info_after_validator_function(
            lambda found: made(*values(found)), handler(checked)
        )

    own: dict[str, Any] = {
        name: value for name, value in vars(declared).items() if isinstance(value, property)
    }
    own |= {
        "__doc__": declared.__doc__,
        "__dataclass_fields__": {each.name: each for each in told},
        "__get_pydantic_core_schema__": classmethod(schema),
    }
    made: Any = msgspec.defstruct(
        declared.__name__,
        [
            (
                each.name,
                _hint(hints[each.name]),
                *([] if each.default is MISSING else [each.default]),
            )
            for each in told
        ],
        namespace=own,
        module=declared.__module__,
        frozen=True,
        forbid_unknown_fields=True,
        gc=False,  # the collector need not know records: what they hold can't hold them
    )
    record: type[T] = made
    return record


def _hint(hint: Any) -> Any:  # noqa: ANN401 - an annotation
    """An annotation with its limits in the words of the other library."""
    if get_origin(hint) is Annotated:
        kind, *notes = get_args(hint)
        limits: dict[str, Any] = {}
        for limit in (limit for note in notes for limit in note.metadata):
            pattern = getattr(limit, "pattern", None)  # in Python, its `$` lets a line break follow
            limits |= (
                asdict(limit) if pattern is None else {"pattern": pattern.removesuffix("$") + r"\Z"}
            )
        return Annotated[kind, msgspec.Meta(**limits)]
    parts = tuple(map(_hint, get_args(hint)))
    if get_origin(hint) in {Union, UnionType}:
        return reduce(or_, parts)
    return get_origin(hint)[parts] if get_origin(hint) in {tuple, dict} else hint
