"""Progress of commands on a terminal: how far, of how much, and how long; nothing in a pipe or on a dumb terminal."""

import errno
import os
import re
import shutil
from pathlib import Path

import pytest
from kit.command import sitegen
from kit.results_folders import Tree

from sitegen.cli.console import count_bundles, failure_text, show_progress, show_steps


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard error is a terminal of 100 columns without colours."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)


@pytest.mark.usefixtures("terminal")
def test_a_progress_has_a_total_and_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    with show_steps("reading bundles", 3) as step:
        for name in ("a", "b", "c"):
            step(name)
    printed = shown(capsys)
    assert "1/3" in printed
    assert re.search(r"reading bundles .* 3/3 0:00:0\d", printed)


@pytest.mark.usefixtures("terminal")
def test_a_total_that_was_too_small_grows(capsys: pytest.CaptureFixture[str]) -> None:
    with show_steps("reading bundles", 1) as step:
        step("a")
        step("b")
    assert "2/2" in shown(capsys)


@pytest.mark.usefixtures("terminal")
def test_a_forked_process_draws_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with show_progress("writing pages") as update:
        update(1, 7)
        monkeypatch.setattr(os, "getpid", lambda: -1)
        update(7, 7)
    assert "7/7" not in shown(capsys)


def test_a_pipe_gets_no_progress(tmp_path: Path) -> None:
    Tree(tmp_path / "results")
    assert "reading" not in sitegen("validate", folder=tmp_path).stderr


def test_bundles_are_counted_below_results_benchmarks_and_bundles(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    assert count_bundles([tree.folder, tree.benchmark, tree.bundle]) == 3


def test_a_copy_that_fails_names_the_limit_and_the_file() -> None:
    """Copying a folder gives one error for all files, with the reason as a text."""
    reason = str(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "source", None, "target"))
    text = failure_text(shutil.Error([("source", "target", reason)]))
    assert text == "no space left on the disk: target"
