"""Base classes and kinds of values that every record read from `results/` uses."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, asdict, field, fields
from decimal import Decimal
from functools import reduce
from itertools import repeat
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
"""Refuses unknown keys and converts nothing: a number in quotes is a mistake to report.

Validators are built when they are first used, because no command meets every kind of record.
"""


class Record(BaseModel):
    """The base class of records that people write: frozen, and closed to unknown keys."""

    model_config = ConfigDict(**CLOSED, frozen=True, populate_by_name=True)
    is_short: ClassVar[bool] = False
    """Whether the record is written on one line."""


LIMIT = 10**15
"""The largest accepted figure. Larger figures are typing errors, and their sums would overflow."""

Printed = Annotated[
    Decimal,
    BeforeValidator(lambda value: Decimal(value) if type(value) is int else value),
    Field(ge=-LIMIT, le=LIMIT),
]
"""A number with its decimals as published, so that 42.0 is not read as 42."""

_SLUG = r"^[a-z0-9][a-z0-9_-]*$"
_MAX_SLUG_LENGTH = 120
"""Maximum number of characters in a slug; an address has several slugs."""

DEVICE = "device"
"""Pydantic's error type for a name that Windows reserves for a device."""


def _refuse_device(name: str) -> str:
    """Return the name; raise a pydantic error if Windows reserves it for a device."""
    if DEVICES.fullmatch(name):
        raise PydanticCustomError(
            DEVICE, 'is "{name}", a name that Windows reserves', {"name": name}
        )
    return name


Slug = Annotated[
    str, Field(pattern=_SLUG, max_length=_MAX_SLUG_LENGTH), AfterValidator(_refuse_device)
]
"""A name that can be part of an address and the name of a folder: lower case, digits, `-`, `_`."""

Position = Annotated[int, Field(ge=1, le=10_000)]
"""A position in an order, counted from 1."""

Count = Annotated[int, Field(ge=0, le=LIMIT)]
"""A number of items."""

Amount = Annotated[float, Field(ge=0, le=LIMIT)]
"""A quantity, in the unit at the end of the field's name."""

Measure = Annotated[float, Field(ge=-LIMIT, le=LIMIT)]
"""A measured value, in the unit that its definition states."""


SchemaVersion = Annotated[
    Literal[1],
    BeforeValidator(lambda value: value if type(value) is int else str(value)),
    Field(alias="schema"),
]
"""The version of the format that the file follows."""


def is_slug(name: str) -> bool:
    """Return whether a name can be part of an address."""
    has_slug_form = len(name) <= _MAX_SLUG_LENGTH and re.fullmatch(_SLUG, name) is not None
    return has_slug_form and not DEVICES.fullmatch(name)


class Sharing:
    """Lets slim records share one object for equal values of some fields, to save memory."""

    def __init__(self, names: Iterable[str]) -> None:
        """Set the fields, which should have few distinct values."""
        self._first_equal: dict[str, dict[Any, Any]] = {name: {} for name in names}

    def apply(self, records: Sequence[Any]) -> None:
        """Replace values of records with equal values of earlier records."""
        for name, first_equal in self._first_equal.items():
            values = list(map(attrgetter(name), records))
            if values.count(None) == len(values):
                continue
            shared_values = map(first_equal.setdefault, values, values)
            # A file may have a million records: `map` takes half the time of a loop's body.
            for _ in map(msgspec.structs.force_setattr, records, repeat(name), shared_values):
                pass


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def slim(declared: type[T]) -> type[T]:
    """Return a class for the records of files with one record per line: small, and fast to read.

    The declaration becomes two classes with the same fields and limits. A pydantic dataclass says
    what is wrong with a line, and makes the JSON Schema. A msgspec struct is the record itself: it
    takes a quarter of the memory, and msgspec reads sound lines three times as fast.
    `dataclasses.replace` and `dataclasses.fields` treat the struct as a dataclass. Limits are
    checked when lines are read, not when a record is constructed.
    """
    checked = pydantic.dataclasses.dataclass(frozen=True, slots=True, config=CLOSED)(declared)
    hints = get_type_hints(checked, include_extras=True)
    record_fields = fields(checked)
    namespace: dict[str, Any] = {
        name: value for name, value in vars(declared).items() if isinstance(value, property)
    }
    namespace["__doc__"] = declared.__doc__
    namespace["__dataclass_fields__"] = {item.name: item for item in record_fields}
    namespace["__get_pydantic_core_schema__"] = classmethod(_struct_schema(checked))

    struct_fields: list[tuple[Any, ...]] = []
    for item in record_fields:
        struct_field = (item.name, _as_msgspec_hint(hints[item.name]))
        has_default = item.default is not MISSING
        struct_fields.append((*struct_field, item.default) if has_default else struct_field)

    struct: Any = msgspec.defstruct(
        declared.__name__,
        struct_fields,
        namespace=namespace,
        module=declared.__module__,
        frozen=True,
        forbid_unknown_fields=True,
        gc=False,  # records have no cycles, so the garbage collector need not track them
    )
    record: type[T] = struct
    return record


_CoreSchemaMethod = Callable[[type, object, pydantic.GetCoreSchemaHandler], core_schema.CoreSchema]


def _struct_schema(checked: Any) -> _CoreSchemaMethod:  # noqa: ANN401 - a dataclass
    """Return the method by which pydantic validates like a dataclass and constructs a struct."""
    values_of = attrgetter(*(item.name for item in fields(checked)))

    def schema(
        struct: type, _: object, handler: pydantic.GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(
            lambda valid: struct(*values_of(valid)), handler(checked)
        )

    return schema


def _as_msgspec_hint(hint: Any) -> Any:  # noqa: ANN401 - an annotation
    """Return an annotation with pydantic's limits converted to those of msgspec."""
    origin = get_origin(hint)
    if origin is Annotated:
        kind, *notes = get_args(hint)
        limits: dict[str, Any] = {}
        for note in notes:
            for limit in note.metadata:
                limits |= _msgspec_limit(limit)
        return Annotated[kind, msgspec.Meta(**limits)]
    arguments = tuple(map(_as_msgspec_hint, get_args(hint)))
    if origin in {Union, UnionType}:
        return reduce(or_, arguments)
    if origin in {tuple, dict}:
        return origin[arguments]
    return hint


def _msgspec_limit(limit: Any) -> dict[str, Any]:  # noqa: ANN401 - pydantic has many kinds
    """Return one of pydantic's limits as an argument of `msgspec.Meta`."""
    pattern: str | None = getattr(limit, "pattern", None)
    if pattern is None:
        return asdict(limit)
    # A `$` of Python's expressions also matches before a final line break; pydantic's does not.
    return {"pattern": pattern.removesuffix("$") + r"\Z"}
