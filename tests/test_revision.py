"""Results as a git repository had them at a revision: all of them, byte for byte."""

import os
import subprocess
from pathlib import Path

import pytest

from sitegen.pipeline.revision import state_of
from sitegen.problems import UsageError


def git(folder: Path, *words: str) -> None:
    who = {
        f"GIT_{role}_{what}": "someone@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, env={**os.environ, **who})  # noqa: S607 - wherever git is


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a results folder, in which the test works."""
    (tmp_path / "results" / "mini").mkdir(parents=True)
    (tmp_path / "results" / "mini" / "rounds.jsonl").write_bytes(b"$Format:%H$\r\none\n")
    (tmp_path / "other.txt").write_text("none of the results", encoding="utf-8")
    git(tmp_path, "init", "-q")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def committed(repository: Path, results: str = "results") -> dict[str, bytes]:
    """Commit what is there, and give what a results folder was."""
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "First")
    with state_of("HEAD", Path(results)) as folder:
        paths = [path for path in folder.rglob("*") if path.is_symlink() or path.is_file()]
        return {
            path.relative_to(folder).as_posix(): str(path.readlink()).encode()
            if path.is_symlink()
            else path.read_bytes()
            for path in paths
        }


FILES = {"mini/rounds.jsonl": b"$Format:%H$\r\none\n"}


def test_a_folder_is_as_it_was(repository: Path) -> None:
    assert committed(repository) == FILES


def test_attributes_hide_and_edit_nothing(repository: Path) -> None:
    """Whoever sends a change in may send attributes with it, by which an archive would leave files out."""
    attributes = repository / "results" / ".gitattributes"
    attributes.write_text("mini export-ignore\nrounds.jsonl export-subst eol=crlf\n", encoding="utf-8")
    found = committed(repository)
    assert found["mini/rounds.jsonl"].startswith(b"$Format:%H$")


def test_links_stay_links(repository: Path) -> None:
    (repository / "results" / "mini" / "link").symlink_to("/etc/passwd")
    assert committed(repository) == {**FILES, "mini/link": b"/etc/passwd"}


@pytest.mark.parametrize(("inside", "results"), [("results", "."), ("results/mini", ".."), (".", "results/")])
def test_the_folder_is_found_from_anywhere(
    repository: Path, monkeypatch: pytest.MonkeyPatch, inside: str, results: str
) -> None:
    git(repository, "add", ".")
    monkeypatch.chdir(repository / inside)
    assert committed(repository, results) == FILES


def test_a_repository_may_be_the_results_folder(repository: Path) -> None:
    assert committed(repository, ".") == {
        "results/mini/rounds.jsonl": FILES["mini/rounds.jsonl"],
        "other.txt": b"none of the results",
    }


@pytest.mark.parametrize("results", ["elsewhere", "..", "/", "other.txt"])
def test_a_folder_that_the_revision_has_not_is_said(repository: Path, results: str) -> None:
    with pytest.raises(UsageError, match="there is no"):
        committed(repository, results)
