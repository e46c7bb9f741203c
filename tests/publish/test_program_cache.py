"""What follows from the program alone: kept beside it, and never believed when it is damaged or of something else."""

import sys
from pathlib import Path

import pytest

from sitegen.pipeline import program_cache
from sitegen.pipeline.program_cache import keep, read_kept


@pytest.fixture(autouse=True)
def _writing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


def kept_file(folder: Path) -> Path:
    """Give the one file that a folder has."""
    (path,) = folder.iterdir()
    return path


def test_what_is_kept_is_returned_under_its_key_alone(tmp_path: Path) -> None:
    keep("templates", "one", b"data", tmp_path)
    assert read_kept("templates", "one", tmp_path) == b"data"
    assert read_kept("templates", "other", tmp_path) is None
    assert read_kept("rules", "one", tmp_path) is None


def test_a_later_value_takes_the_place_of_the_earlier_one(tmp_path: Path) -> None:
    keep("templates", "one", b"old", tmp_path)
    keep("templates", "two", b"new", tmp_path)
    assert (read_kept("templates", "one", tmp_path), read_kept("templates", "two", tmp_path)) == (None, b"new")
    kept_file(tmp_path)


@pytest.mark.parametrize("harm", [lambda data: data[:-1], lambda data: data[:-1] + b"x", lambda _: b""])
def test_a_damaged_file_is_not_believed(tmp_path: Path, harm: object) -> None:
    keep("templates", "one", b"data", tmp_path)
    path = kept_file(tmp_path)
    assert callable(harm)
    path.write_bytes(harm(path.read_bytes()))
    assert read_kept("templates", "one", tmp_path) is None


def test_nothing_is_kept_without_a_key_or_where_python_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep("templates", "", b"data", tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    keep("templates", "one", b"data", tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_program_whose_folder_cannot_be_written_builds_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    keep("templates", "one", b"data", tmp_path / "file")
    assert read_kept("templates", "one", tmp_path / "file") is None


def test_the_program_keeps_it_with_what_python_compiles() -> None:
    assert program_cache.PROGRAM_FOLDER.name == "__pycache__"
    assert (program_cache.PROGRAM_FOLDER.parent / "py.typed").is_file()
