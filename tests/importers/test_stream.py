"""JSON of any size as tools write it: NaN and Infinity in it, and files that are cut off."""

import io
import json

import pytest

from sitegen.importers.kit.stream import CutOffJsonError, ShortTexts, picked

VALUES = ("NaN", "-Infinity", "Infinity", "true", '"NaN"', "12.5", "null", "-1e-5")
READ = [None, None, None, True, "NaN", 12.5, None, -1e-5]


class Slow(io.BytesIO):
    """A file that gives a few bytes at a time."""

    def __init__(self, data: bytes, step: int) -> None:
        super().__init__(data)
        self.step = step

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self.step if size else 0)


@pytest.mark.parametrize("step", [1, 2, 3, 5, 8, 13, 400])
def test_numbers_that_json_does_not_have_are_null_wherever_the_reading_stops(step: int) -> None:
    data = f'{{"values": [{", ".join(VALUES * 20)}], "long": "{"NaN " * 50}"}}'.encode()
    texts, chunks = ShortTexts(Slow(data, step), longest=40), list[bytes]()
    while chunk := texts.read():
        chunks.append(chunk)
    assert json.loads(b"".join(chunks)) == {"values": READ * 20, "long": "..."}


def test_a_value_that_is_nan_is_taken_as_none() -> None:
    data = b'{"a": NaN, "b": {"c": [1, NaN]}}'
    assert picked(io.BytesIO(data), len(data), {"a": None, "b": {"c": {}}}) == {"a": None, "b": {"c": [1, None]}}


@pytest.mark.parametrize(
    "data", [b"", b"  ", b'{"a": [1, 2', b'{"a": tru', b'{"a": "xx', b'{"a": {"b": 1}', b'{"a": Na']
)
def test_json_that_ends_too_early_is_told_from_json_that_is_broken(data: bytes) -> None:
    with pytest.raises(CutOffJsonError):
        picked(io.BytesIO(data), len(data), {"a": None})


@pytest.mark.parametrize("data", [b"hello", b'{"a": 1}x', b"{a}", b'{"a": 1,}'])
def test_json_that_is_broken_is_not_cut_off(data: bytes) -> None:
    with pytest.raises(ValueError, match="not complete JSON") as raised:
        picked(io.BytesIO(data), len(data), {"a": None})
    assert not isinstance(raised.value, CutOffJsonError)
