"""`--base` of a state before the first results: all is new, unless the results were elsewhere."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from kit.command import sitegen
from kit.results_folders import Tree

PERSON = {f"GIT_{role}_{field}": "ada@example.org" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")}


def git(folder: Path, *arguments: str) -> None:
    environment = {**os.environ, **PERSON}
    command = ["git", "-C", str(folder), *arguments]
    subprocess.run(command, check=True, capture_output=True, env=environment)


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """A repository whose first commit has no results, and whose working tree has the first."""
    (tmp_path / "README.md").write_text("A leaderboard.\n", encoding="utf-8")
    for arguments in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "Begin")):
        git(tmp_path, *arguments)
    Tree(tmp_path / "results")
    return tmp_path


@pytest.mark.parametrize("command", ["validate", "diff"])
def test_the_first_results_are_new(board: Path, command: str) -> None:
    arguments = ("validate", "results", "--base", "HEAD") if command == "validate" else ("diff", "HEAD", "results")
    done = sitegen(*arguments, folder=board)
    assert done.returncode == 0, done.stderr
    if command == "validate":
        assert "HEAD has no results, so everything here counts as new" in done.stderr


def test_an_empty_folder_is_the_state_before_the_first_results(board: Path) -> None:
    (board / "empty").mkdir()
    done = sitegen("validate", "results", "--base", "empty", folder=board)
    assert (done.returncode, "empty has no results" in done.stderr) == (0, True)


def test_a_folder_around_the_results_is_none_of_results(board: Path) -> None:
    """Else nothing would count as published, and every edit would pass."""
    shutil.copytree(board / "results", board / "base" / "results")
    done = sitegen("validate", "results", "--base", "base", folder=board)
    assert done.returncode == 2
    assert "base has no results here, but has some in results; name the folder of the benchmarks" in done.stderr


def test_results_that_were_in_another_folder_are_named(board: Path) -> None:
    git(board, "add", ".")
    git(board, "commit", "-qm", "Results")
    git(board, "mv", "results", "boards")
    done = sitegen("validate", "boards", "--base", "HEAD", folder=board)
    assert done.returncode == 2
    assert "HEAD has no results here, but has some in results" in done.stderr
