"""What a failing git command leaves in a repository is what its message says."""

import os
import subprocess
from pathlib import Path

import pytest

from sitegen.problems import UsageError
from sitegen.publish.results.branches import Repository

FILES = {"demo/a.toml": b"a = 1\n"}
HEAD_OF_NEW = "refs/heads/new"


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    root = tmp_path / "board"
    results = root / "results"
    results.mkdir(parents=True)
    (results / "readme.txt").write_text("results\n", encoding="utf-8")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "config", "user.name", "Ann")
    git(root, "config", "user.email", "ann@example.org")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message=begin")
    repository = Repository.around(results)
    assert repository
    return repository


def write_script(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def break_git(folder: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a git first on the path that fails for arguments with a command in them."""
    path = os.environ["PATH"]
    script = f'case "$*" in *"{command}"*) exit 1;; esac\nPATH="{path}" exec git "$@"'
    write_script(folder / "git", script)
    monkeypatch.setenv("PATH", f"{folder}:{path}")


def test_a_push_that_fails_says_that_the_commit_stays(repository: Repository) -> None:
    repository.commit("new", FILES, "add")
    with pytest.raises(UsageError, match="git push failed") as failure:
        repository.open_request("gh", "new", "add", "")
    message = failure.value.args[0]
    assert message == "git push failed; branch new is committed here, but not pushed"
    assert git(repository.root, "symbolic-ref", "HEAD").strip() == HEAD_OF_NEW


def test_a_hook_that_fails_after_the_switch_leaves_the_branch(repository: Repository) -> None:
    write_script(repository.root / ".git" / "hooks" / "post-checkout", "exit 1")
    with pytest.raises(UsageError, match="git switch failed") as failure:
        repository.commit("new", FILES, "add")
    message = failure.value.args[0]
    assert message == "git switch failed; branch new has the commit and is checked out"
    assert git(repository.root, "rev-parse", "HEAD") == git(repository.root, "rev-parse", "new")


def test_a_commit_whose_hash_git_does_not_abbreviate_is_undone(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_git(tmp_path / "bin", "rev-parse --short", monkeypatch)
    with pytest.raises(UsageError, match="nothing was changed here"):
        repository.commit("new", FILES, "add")
    assert git(repository.root, "for-each-ref", "--format=%(refname)") == "refs/heads/main\n"
    assert git(repository.root, "symbolic-ref", "HEAD") == "refs/heads/main\n"


def test_a_new_branch_that_can_not_be_removed_is_named(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "bin"
    break_git(script, "switch", monkeypatch)
    text = (script / "git").read_text(encoding="utf-8")
    (script / "git").write_text(text.replace('*"switch"*', '*switch*|*"update-ref -d"*'), "utf-8")
    with pytest.raises(UsageError, match="git update-ref failed") as failure:
        repository.commit("new", FILES, "add")
    assert "branch new was created and kept" in failure.value.args[0]
    assert git(repository.root, "symbolic-ref", "HEAD") == "refs/heads/main\n"
