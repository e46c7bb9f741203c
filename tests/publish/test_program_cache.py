"""What follows from the program alone: kept beside it, and never believed when it is damaged or of something else."""

import sys
from functools import partial
from pathlib import Path

import pytest
import tinycss2

from sitegen.pipeline import build_cache, program_cache
from sitegen.pipeline.build_cache import BuildCache, reusing_parsed_styles
from sitegen.pipeline.program_cache import keep, read_kept
from sitegen.publish.projects.project import Project
from sitegen.publish.site import styles
from sitegen.publish.site.cache import cache_in
from sitegen.publish.site.inputs import Inputs


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


def test_another_project_reuses_the_sheets_that_were_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program"
    monkeypatch.setattr(build_cache, "keep", partial(keep, folder=program))
    monkeypatch.setattr(build_cache, "read_kept", partial(read_kept, folder=program))
    parsed = []

    def parse(sheet: str, **options: bool) -> object:
        parsed.append(sheet)
        return original(sheet, **options)

    original = tinycss2.parse_stylesheet
    monkeypatch.setattr(tinycss2, "parse_stylesheet", parse)

    def build(name: str, *sheets: str) -> list[str]:
        """Reduce sheets in a new process, as it were; return those that it parsed."""
        monkeypatch.setattr(styles, "_RULES", {})
        parsed.clear()
        results = tmp_path / name
        results.mkdir(exist_ok=True)
        with cache_in(tmp_path / f"{name}-cache", tmp_path / f"{name}-site", results) as cache:
            inputs = Inputs.read(Project(Path(__file__).parents[2]), results)
            with reusing_parsed_styles(BuildCache(cache, inputs)):
                reduced = [styles.reduce_sheet(sheet, {"a"}) for sheet in sheets]
        assert reduced == [".a{top:0}"] * len(sheets)
        return list(parsed)

    theme, brand = ".a{top:0}.b{top:1px}", ".a{top:0}.c{top:1px}"
    assert build("first", theme) == [theme]
    assert build("second", theme, brand) == [brand]
    assert build("third", theme) == []
