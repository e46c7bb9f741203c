"""Faults of a file's shape are said in this program's words: pydantic's never reach a user."""

import re
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core._pydantic_core import list_all_errors

from sitegen.reading.shape import fault_text, shape_problems

RAW = re.compile(
    r"Value error|Input should|Field required|Extra inputs|should be|should have|unable to parse|pydantic|not permitted"
)
ERRORS: dict[str, Any] = {error["type"]: error for error in list_all_errors()}


class Colour(StrEnum):
    RED = "red"


class Record(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, Field(min_length=1, max_length=5, pattern="^[a-z]*$")] = "a"
    number: Annotated[int, Field(ge=0, le=9)] = 0
    fraction: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.5
    flag: bool = False
    day: date = date(2026, 1, 1)
    moment: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    word: Literal["a", "b"] = "a"
    colour: Colour = Colour.RED
    either: int | list[int] = 0
    items: Annotated[list[int], Field(min_length=1, max_length=2)] = [1]
    table: dict[str, int] = {}
    inner: "Record | None" = None


VALUES: list[Any] = [
    None,
    "",
    "x y",
    "abcdefgh",
    -1,
    10,
    2.5,
    10**30,
    float("nan"),
    "2026/01/01",
    [],
    [1, 2, 3],
    {},
    "1",
]


@pytest.mark.parametrize("name", [*Record.model_fields, "unknown"])
@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("strict", [True, False])
def test_a_wrong_value_of_any_type_is_refused_in_plain_words(name: str, value: object, *, strict: bool) -> None:
    kind = TypeAdapter(Record)
    document = {name: value}
    try:
        kind.validate_python(document, strict=strict)
    except ValidationError as error:
        (problem,) = shape_problems(error, Path("file.json"), lambda _: 1, kind, document)
        assert problem.what.startswith((f"`{name}", "the key `"))
        assert problem.fix
        for text in (problem.what, problem.fix, fault_text(error)):
            assert not RAW.search(text), text


@pytest.mark.parametrize("kind", ERRORS)
def test_no_kind_of_error_shows_the_words_of_pydantic(kind: str) -> None:
    """Whatever pydantic finds: its own sentence is in neither the fact nor the fix."""
    detail: Any = {"type": kind, "loc": ("key",), "input": "value", "ctx": ERRORS[kind]["example_context"] or {}}
    try:
        error = ValidationError.from_exception_data("Record", [detail])
    except TypeError:  # numbers where the example has texts, or the other way round
        detail["ctx"] = {key: str(value) for key, value in detail["ctx"].items()}
        error = ValidationError.from_exception_data("Record", [detail])
    raw = error.errors()[0]["msg"]
    text = fault_text(error)
    assert raw not in text or kind in {"value_error", "assertion_error"}
    assert not RAW.search(text), text
