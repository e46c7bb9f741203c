"""Slim rows hold what records hold, and the two readers refuse the same lines."""

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.json import Decoder
from pydantic import TypeAdapter

from sitegen.models.outcome import Failure

READER = Decoder(Failure)
RECORDS = TypeAdapter(list[Failure])
NAMES = [each.name for each in fields(Failure)]
ROW: dict[str, Any] = {"task": "a", "attempt": 1, "round": 2, "case": "one", "reason": 'exit "1"\n', "truncated": True}
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, 10_000, 10_001, -1, 1.0, 2.5, 10**30]),
    st.text(max_size=5),
    st.sampled_from(["failed", "error", "skipped", "own", "reference"]),
    st.lists(st.text(max_size=2), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=1),
)


def told(records: list[Failure]) -> list[list[Any]]:
    return [[getattr(each, name) for name in NAMES] for each in records]


def lines(*rows: object) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_list(text: bytes) -> bytes:
    return b"[" + text.removesuffix(b"\n").replace(b"\n", b",") + b"]"


def is_read(text: bytes) -> bool:
    try:
        READER.decode_lines(text)
    except ValueError:
        return False
    return True


def is_valid(text: bytes) -> bool:
    try:
        RECORDS.validate_json(as_list(text))
    except ValueError:
        return False
    return True


def test_rows_have_the_values_of_records() -> None:
    text = lines(ROW, {**ROW, "status": "skipped", "requirement_failed": 3, "start": "reference"})
    assert told(READER.decode_lines(text)) == told(RECORDS.validate_json(as_list(text)))


@settings(max_examples=500)
@given(st.sampled_from([*NAMES, "other"]), VALUES)
def test_whatever_stands_in_a_field_both_readers_take_it_or_neither(name: str, value: object) -> None:
    text = lines(ROW, {**ROW, name: value})
    assert is_read(text) == is_valid(text)
    if is_valid(text):
        assert told(READER.decode_lines(text)) == told(RECORDS.validate_json(as_list(text)))


@pytest.mark.parametrize("name", ["task", "attempt", "round", "case"])
def test_a_row_without_a_key_that_records_need_is_refused(name: str) -> None:
    assert not is_read(lines({key: value for key, value in ROW.items() if key != name}))


@pytest.mark.parametrize(
    "text",
    [b'{"task": "\xff"}', b'{"task": "a\x01"}', b'{"task": "\\ud800"}', b'{"task": "a"', b"[]", b'{"round": NaN}'],
)
def test_what_is_no_strict_json_is_refused(text: bytes) -> None:
    whole = lines(ROW).removesuffix(b"}\n")
    assert not is_read(text)
    assert not is_read(whole + b", " + text.removeprefix(b"{"))


@pytest.mark.parametrize("name", ["attempt", "round", "requirement_failed"])
def test_numbers_keep_their_limits(name: str) -> None:
    assert [is_read(lines({**ROW, name: value})) for value in (0, 1, 10_000, 10_001)] == [False, True, True, False]
