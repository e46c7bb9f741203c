"""JSON documents as tools write them."""

import math
from pathlib import Path

import pytest

from sitegen.importers.kit.documents import read_document


def document(folder: Path, data: bytes) -> Path:
    """Write a file."""
    path = folder / "document.json"
    path.write_bytes(data)
    return path


def test_numbers_may_be_none(tmp_path: Path) -> None:
    value, problem = read_document(document(tmp_path, b'\xef\xbb\xbf{"a": NaN, "b": -Infinity, "c": [1]}'))
    assert problem is None
    assert isinstance(value, dict)
    assert math.isnan(value["a"])
    assert (value["b"], value["c"]) == (-math.inf, [1])


@pytest.mark.parametrize("data", [b"", b" \n", b'{"a": [1, ', b'{"a": 12', b'{"a": "caf\xc3', b'{"a": tru'])
def test_a_file_that_ends_too_early_is_cut_off(tmp_path: Path, data: bytes) -> None:
    value, problem = read_document(document(tmp_path, data))
    assert value is None
    assert problem is not None
    assert problem.code == "SOURCE-CUT-OFF"


@pytest.mark.parametrize("data", [b"{]", b'{"a": 1, "a": 2}', b"[" * 5_000, b'{"a": "\xff"}', b"{} x"])
def test_a_file_that_is_not_json_is_broken(tmp_path: Path, data: bytes) -> None:
    value, problem = read_document(document(tmp_path, data))
    assert value is None
    assert problem is not None
    assert problem.code == "SOURCE-BROKEN"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(document(tmp_path, b"{}"))
    value, problem = read_document(tmp_path / "link.json")
    assert value is None
    assert problem is not None
    assert problem.code == "LINK-REFUSED"
