"""Which format a source is of, told by what lies in it."""

from pathlib import Path

import pytest
from kit.import_sources import MADE
from kit.real_data import real_data

from sitegen.importers.formats import FORMATS, recognise_formats


@pytest.mark.parametrize("form", FORMATS)
def test_a_source_is_known_for_its_format_alone_and_why(form: str, tmp_path: Path) -> None:
    sources = MADE[form](tmp_path)
    (recognition,) = recognise_formats(sources.root / sources.plain)
    assert recognition.form == form
    assert recognition.reason


@pytest.mark.parametrize(
    ("path_parts", "form"),
    [
        (("evocodebench", "2026-06-25"), "evocodebench"),
        (("harbor", "harbor-0.9.0"), "harbor"),
        (("slop-code-bench",), "slopcodebench"),
    ],
)
def test_real_results_are_known(path_parts: tuple[str, ...], form: str) -> None:
    assert [recognition.form for recognition in recognise_formats(real_data(*path_parts))] == [form]


def test_a_table_whose_tasks_are_tried_once_is_known(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("task,reward\na,1\n", encoding="utf-8")
    assert [recognition.form for recognition in recognise_formats(tmp_path / "runs.csv")] == ["table"]


def test_other_folders_and_files_are_of_no_format(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("task,day\n", encoding="utf-8")
    assert (
        recognise_formats(tmp_path)
        == recognise_formats(tmp_path / "notes.csv")
        == recognise_formats(tmp_path / "absent")
        == ()
    )


def test_a_look_at_a_large_tree_is_short(tmp_path: Path) -> None:
    for number in range(3_000):
        (tmp_path / "a" / f"{number}").mkdir(parents=True)
    sources = MADE["harbor"](tmp_path / "z")
    assert recognise_formats(tmp_path) == ()
    assert len(recognise_formats(sources.root / sources.plain)) == 1
