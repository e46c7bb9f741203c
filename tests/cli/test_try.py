"""`sitegen try`: any runs as a board, in a folder that goes."""

import re
import urllib.request
from pathlib import Path

import pytest
from kit.command import sitegen, tried
from kit.import_sources import MADE

from sitegen.importers.formats import FORMATS


@pytest.fixture(autouse=True)
def folder_for_temporary_files(tmp_path: Path) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def source_of(form: str, tmp_path: Path) -> Path:
    sources = MADE[form](tmp_path / "sources")
    return sources.root / sources.plain


TOLD = {"every-eval-ever", "harbor", "harbor-multiturn", "inspect", "lm-eval", "tau2"}
"""Formats whose sources here have transcripts."""


@pytest.mark.parametrize("form", FORMATS)
def test_runs_of_every_format_become_a_site_without_a_flag(form: str, tmp_path: Path) -> None:
    """Every agent has a row, and its transcripts, where the runs have some, can be opened."""
    temporary = tmp_path / "temporary"
    ended = sitegen("try", source_of(form, tmp_path), "--no-serve", folder=tmp_path, TMPDIR=str(temporary))
    assert ended.returncode == 0, ended.stderr
    assert f"is read as {form}, because it has " in ended.stderr
    index = Path(ended.stdout.removeprefix("Open ").removesuffix("\n"))
    assert index.is_relative_to(temporary)
    boards = [path.read_text(encoding="utf-8") for path in index.parent.glob("*/*/index.html")]
    rows = {name for text in boards for name in re.findall(r'<tr [^>]*data-submission="([^"]+)"', text)}
    assert {name.rpartition("-")[2] for name in rows} >= {"ada", "bob"}, rows
    assert {path.parts[-4] for path in index.parent.glob("transcripts/*/*/1/**/trajectory.json")} or form not in TOLD
    pages = [path.read_text(encoding="utf-8") for path in index.parent.glob("*/*/*/tasks/trajectory/index.html")]
    assert len(pages) == 2 * (form in TOLD)
    assert all("/{task}/{attempt}" in text for text in pages)


def test_the_site_is_served_and_gone_afterwards(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    with tried(source_of("evocodebench", tmp_path), temporary) as address:
        page = urllib.request.urlopen(address)  # noqa: S310 - it begins with http, as the program says
        with page:
            assert "<title>" in page.read().decode()
    assert list(temporary.iterdir()) == []


def test_what_can_not_be_read_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ended = sitegen("try", tmp_path / "empty", "--no-serve", TMPDIR=str(tmp_path / "temporary"))
    assert ended.returncode == 2
    assert "empty is not in a format that Recount recognises. Name the format with `--format`. The " in ended.stderr
    assert ". The formats are " in ended.stderr
    log = tmp_path / "empty" / "a.log"
    log.touch()
    ended = sitegen("try", log, "--no-serve", TMPDIR=str(tmp_path / "temporary"))
    assert f"or the folder that the runner wrote, such as {log.parent}. The formats are " in ended.stderr
    (tmp_path / "runs.csv").write_text("task,attempt,round,reward,passed,total\ntidy,1,1,1,1,1\n", encoding="utf-8")
    ended = sitegen("try", tmp_path / "runs.csv", "--no-serve", TMPDIR=str(tmp_path / "temporary"))
    assert ended.returncode == 1
    assert "name the agent with `--agent`" in ended.stderr
    assert list((tmp_path / "temporary").iterdir()) == []
