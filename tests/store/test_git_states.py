"""Results as a git repository had them at a revision: all of them, byte for byte."""

import os
import subprocess
from pathlib import Path

import pytest
from kit.command import sitegen

from sitegen.pipeline.evaluating import state_of
from sitegen.problems import UsageError
from sitegen.store.files.git_states import has_tracked_files, is_ahead, submissions_by_commit


def git(folder: Path, *arguments: str, told: bytes = b"") -> str:
    who = {
        f"GIT_{role}_{field}": "someone@example.org" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")
    }
    command = ["git", *arguments]
    done = subprocess.run(command, cwd=folder, input=told, check=True, capture_output=True, env={**os.environ, **who})
    return done.stdout.decode(errors="replace").strip()


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


def test_tracked_files_of_a_folder_are_noticed_and_others_are_not(repository: Path) -> None:
    (repository / ".sitegen").mkdir()
    (repository / ".sitegen" / "record").touch()
    assert not has_tracked_files(Path(".sitegen"))
    assert not has_tracked_files(Path("absent"))
    git(repository, "add", "--force", ".sitegen/record")
    assert has_tracked_files(Path(".sitegen"))
    done = sitegen("build", folder=repository)
    assert (done.returncode, "git tracks files in .sitegen" in done.stderr) == (2, True)


FILES = {"mini/rounds.jsonl": b"$Format:%H$\r\none\n"}


def test_a_folder_is_as_it_was(repository: Path) -> None:
    assert committed(repository) == FILES


def test_attributes_hide_and_edit_nothing(repository: Path) -> None:
    """Whoever sends a change in may send attributes with it, by which an archive would leave files out."""
    attributes = repository / "results" / ".gitattributes"
    attributes.write_text("mini export-ignore\nrounds.jsonl export-subst eol=crlf\n", encoding="utf-8")
    files = committed(repository)
    assert files["mini/rounds.jsonl"].startswith(b"$Format:%H$")


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


SIGNATURE = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----\ncommitter "


@pytest.fixture
def hostile(repository: Path) -> Path:
    """A repository whose own settings name a program for everything; gives what that would write."""
    committed(repository)
    program, ran = repository / "evil", repository / "ran"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\n", encoding="utf-8")
    program.chmod(0o700)
    commit = git(repository, "cat-file", "commit", "HEAD").replace("committer ", SIGNATURE, 1)
    signed = git(repository, "hash-object", "-w", "-t", "commit", "--stdin", told=commit.encode())
    git(repository, "update-ref", "HEAD", signed)
    settings = {
        "log.showSignature": "true",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "protocol.ext.allow": "always",
        "core.repositoryFormatVersion": "1",
        "remote.origin.url": f"ext::{program}",
    }
    programs = ("gpg.program", "core.fsmonitor", "diff.external", "core.pager", "core.sshCommand")
    for name, value in (settings | dict.fromkeys(programs, str(program))).items():
        git(repository, "config", name, value)
    return ran


def test_no_program_is_run_that_a_repository_names(hostile: Path) -> None:
    """A signature is not looked at, which git would do with a program of its owner's choice."""
    submissions_by_commit(hostile.parent / "results")
    assert is_ahead("HEAD") is False
    assert not hostile.exists()


def test_what_is_missing_is_said_and_not_fetched(hostile: Path) -> None:
    missing = git(hostile.parent, "rev-parse", "HEAD:results/mini/rounds.jsonl")
    (hostile.parent / ".git" / "objects" / missing[:2] / missing[2:]).unlink()
    with pytest.raises(UsageError, match="git does not have all of HEAD"), state_of("HEAD", Path("results")):
        pass
    assert not hostile.exists()


@pytest.mark.parametrize("name", ["{}/evil", "../../evil", ".git"])
def test_no_name_of_a_revision_leads_out_of_it(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    """Git itself makes no such tree, and takes one that somebody else made."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    committed(repository)
    blob = git(repository, "rev-parse", "HEAD:results/mini/rounds.jsonl")
    folder = git(repository, "rev-parse", "HEAD:results/mini")
    entries = [(f"100644 {name.format(elsewhere)}", blob), ("40000 mini", folder)]
    for inside in ("results", None):
        raw = b"".join(about.encode() + b"\0" + bytes.fromhex(number) for about, number in entries)
        tree = git(repository, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", told=raw)
        entries = [(f"40000 {inside}", tree)]
    commit = git(repository, "commit-tree", tree, "-m", "Evil")
    with state_of(commit, Path("results")) as results_folder:
        assert [path.name for path in results_folder.iterdir()] == ["mini"]
    assert list(elsewhere.iterdir()) == []


def test_nothing_stands_in_the_place_of_what_was_committed(repository: Path) -> None:
    committed(repository)
    before = git(repository, "rev-parse", "HEAD:results/mini/rounds.jsonl")
    git(repository, "replace", before, git(repository, "hash-object", "-w", "--stdin", told=b"other"))
    with state_of("HEAD", Path("results")) as folder:
        assert (folder / "mini" / "rounds.jsonl").read_bytes() == FILES["mini/rounds.jsonl"]
