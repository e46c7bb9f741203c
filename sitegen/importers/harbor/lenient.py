"""Records of files whose shape varies from version to version: what is not of its type is taken for absent."""

from collections.abc import Iterator
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from sitegen.importers.harbor.stream import Shape
from sitegen.models.record import LIMIT

T = TypeVar("T")


class Lenient(BaseModel):
    """Base of such records. Keys that nothing here needs are passed over."""

    model_config = ConfigDict(extra="ignore", strict=True, allow_inf_nan=False, frozen=True)

    @classmethod
    def shape(cls) -> Shape:
        """Give the keys that it has, for `pick`."""
        return {info.alias or name: _shape_of(info.annotation) for name, info in cls.model_fields.items()}


def _or_none(value: object, read: ValidatorFunctionWrapHandler) -> object:
    try:
        return read(value)
    except ValidationError:
        return None


def or_blank(kind: type[Lenient]) -> WrapValidator:
    """Take a record of which everything is absent for something else than such a record."""

    def read(value: object, inner: ValidatorFunctionWrapHandler) -> object:
        return kind() if (found := _or_none(value, inner)) is None else found

    return WrapValidator(read)


Perhaps = Annotated[T | None, WrapValidator(_or_none)]
"""A value of a type, or None where something else stands."""

Text = Perhaps[str]
Amount = Perhaps[Annotated[float, Field(ge=0, le=LIMIT)]]
"""A figure that can't be below 0."""

Whole = Perhaps[Annotated[int, Field(ge=0, le=LIMIT)]]
"""A count."""


def _shape_of(annotation: Any) -> "Shape | None":  # noqa: ANN401 - a type as it is written
    types = list(_types_in(annotation))
    records = [each for each in types if isinstance(each, type) and issubclass(each, Lenient)]
    if records:
        return records[0].shape()
    if dict in types:
        return {"*": None}
    return {} if {list, object} & set(types) else None


def _types_in(annotation: Any) -> Iterator[Any]:  # noqa: ANN401 - a type as it is written
    yield get_origin(annotation) or annotation
    for inner in get_args(annotation):
        if isinstance(inner, type) or get_args(inner):
            yield from _types_in(inner)
