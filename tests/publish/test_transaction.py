"""Files come into a folder together, or not at all."""

import errno
import fcntl
from pathlib import Path

import pytest
from kit.small_import import files_in

from sitegen.problems import UsageError
from sitegen.publish.machine.transaction import transaction


def bring(root: Path, names: dict[str, list[str]], fault: BaseException | None = None) -> None:
    """Write files by their folder, then fail where a fault is given."""
    with transaction(root) as changes:
        for folder, files in names.items():
            changes.write(folder, dict.fromkeys(files, b"new"))
        if fault:
            raise fault


def take_out(root: Path, *names: str) -> None:
    """Write a file, and take others out."""
    with transaction(root) as changes:
        changes.write(".", {"b.toml": b"new"})
        for name in names:
            changes.remove(Path(name))


def test_files_are_added_and_replaced(tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "a.toml").write_bytes(b"old")
    (tmp_path / "bench" / "b.toml").write_bytes(b"kept")
    with transaction(tmp_path) as changes:
        changes.write("bench", {"a.toml": b"new"})
        changes.write("bench/submissions/one", {"rounds.jsonl": b"{}"})
    assert files_in(tmp_path) == {
        "bench/a.toml": b"new",
        "bench/b.toml": b"kept",
        "bench/submissions/one/rounds.jsonl": b"{}",
    }


def test_a_folder_without_locks_is_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse_lock(_file: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse_lock)
    bring(tmp_path, {"bench": ["a.toml"]})
    assert files_in(tmp_path) == {"bench/a.toml": b"new"}


def test_files_leave_when_the_others_come(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"old")
    (tmp_path / "b.toml").write_bytes(b"old")
    with transaction(tmp_path) as changes:
        changes.remove(Path("a.toml"))
        changes.write(".", {"b.toml": b"new"})
        assert (tmp_path / "a.toml").exists()
    assert files_in(tmp_path) == {"b.toml": b"new"}


def test_files_that_left_are_back_after_a_fault(tmp_path: Path) -> None:
    """What is to come can't, since a folder has its name."""
    (tmp_path / "a.toml").write_bytes(b"old")
    (tmp_path / "b.toml").mkdir()
    with pytest.raises(OSError, match=r"b\.toml"):
        take_out(tmp_path, "a.toml")
    assert files_in(tmp_path) == {"a.toml": b"old"}


def test_nothing_is_there_before_everything_is(tmp_path: Path) -> None:
    with transaction(tmp_path / "results") as changes:
        changes.write("bench", {"a.toml": b"new"})
        assert not (tmp_path / "results" / "bench").exists()


def test_a_fault_while_writing_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        bring(tmp_path / "some" / "results", {"bench": ["a.toml"]}, KeyboardInterrupt())
    assert list(tmp_path.iterdir()) == []


def test_a_fault_while_moving_takes_everything_back(tmp_path: Path) -> None:
    """The last folder can't be moved in, since a file has its name; those before were."""
    (tmp_path / "b.toml").write_bytes(b"old")
    (tmp_path / "z").write_bytes(b"in the way")
    before = files_in(tmp_path)
    with pytest.raises(OSError, match="z"):
        bring(tmp_path, {".": ["b.toml", "c.toml"], "a": ["one"], "z": ["one"]})
    assert files_in(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.toml", "z"]


def test_a_folder_that_somebody_works_in_stays_the_same_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell in it would see nothing any more; what can't come is taken back all the same."""
    root = tmp_path / "results"
    root.mkdir()
    (root / "z").write_bytes(b"in the way")
    monkeypatch.chdir(root)
    bring(root, {".": ["b.toml", "c.toml"], "a": ["one"]})
    assert sorted(path.name for path in root.iterdir()) == ["a", "b.toml", "c.toml", "z"]
    with pytest.raises(NotADirectoryError):
        bring(root, {".": ["b.toml", "d.toml"], "z": ["one"]})
    assert sorted(path.name for path in root.iterdir()) == ["a", "b.toml", "c.toml", "z"]
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_each_preview_has_the_files_that_are_named_for_it(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "old").write_bytes(b"old")
        (tmp_path / name / "kept").write_bytes(b"kept")
    with transaction(tmp_path) as changes:
        changes.write("b", {"new": b"new"})
        assert files_in(changes.preview_copy(("a",))) == {"a/kept": b"kept", "a/old": b"old", "b/new": b"new"}
        changes.remove(Path("b/old"))
        changes.write("a", {"new": b"new"})
        later = {"a/kept": b"kept", "a/new": b"new", "a/old": b"old", "b/new": b"new"}
        assert files_in(changes.preview_copy(("a", "b"))) == later | {"b/kept": b"kept"}
        assert files_in(changes.preview_copy(("a",))) == later


def test_what_is_brought_meanwhile_stays(tmp_path: Path) -> None:
    with transaction(tmp_path) as open_transaction:
        open_transaction.write("bench", {"a.toml": b"new", "b.toml": b"new"})
        bring(tmp_path, {"bench": ["c.toml", "d.toml"]})
    assert sorted(files_in(tmp_path)) == [f"bench/{name}.toml" for name in "abcd"]


def test_files_keep_their_modes_and_folders_theirs(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "bench"
    folder.mkdir(parents=True)
    (folder / "a.toml").touch(0o600)
    folder.chmod(0o750)
    bring(tmp_path / "results", {"bench": ["a.toml", "b.toml"]})
    assert [oct(path.stat().st_mode)[-3:] for path in (folder, folder / "a.toml")] == ["750", "600"]


@pytest.mark.parametrize("name", ["steps.json", "old/one"])
def test_what_a_stranger_left_in_a_folder_for_all_leads_nowhere(tmp_path: Path, name: str) -> None:
    """A link that looks like work in progress is not followed, and what it leads to is not cleared."""
    precious, home = tmp_path / "precious", tmp_path / "home"
    (precious / name).parent.mkdir(parents=True)
    home.mkdir()
    for path in (precious / ".lock", precious / name):
        path.write_text("[]", encoding="utf-8")
    (home / ".sitegen-abcdefgh").symlink_to(precious)
    bring(home / "results", {"bench": ["a.toml"]})
    assert sorted(files_in(precious)) == [".lock", name]


@pytest.mark.parametrize("steps_text", ['[["new", "../precious"]]', '[1, [["new", "../precious"]]]', "{", "[[[", ""])
def test_work_in_progress_that_was_checked_out_moves_nothing(tmp_path: Path, steps_text: str) -> None:
    """Whoever opens a pull request may commit a folder that looks like what a killed command left."""
    precious, home = tmp_path / "precious", tmp_path / "home"
    precious.mkdir()
    (precious / "file").touch()
    leftover = home / ".sitegen-abcdefgh"
    leftover.mkdir(parents=True)
    (leftover / ".lock").touch()
    (leftover / "steps.json").write_text(steps_text, encoding="utf-8")
    bring(home / "results", {"bench": ["a.toml"]})
    assert (precious / "file").exists()
    assert (leftover / "steps.json").exists()


def test_what_a_link_in_work_in_progress_leads_to_keeps_its_mode(tmp_path: Path) -> None:
    precious, leftover = tmp_path / "precious", tmp_path / "home" / ".sitegen-abcdefgh"
    precious.mkdir(0o755)
    leftover.mkdir(parents=True)
    (leftover / ".lock").touch()
    (leftover / "link").symlink_to(precious)
    bring(leftover.parent / "results", {"bench": ["a.toml"]})
    assert oct(precious.stat().st_mode)[-3:] == "755"
    assert not leftover.exists()


@pytest.mark.parametrize(("folder", "name"), [("..", "evil"), ("bench", "../../evil"), ("/", "evil")])
def test_nothing_is_written_elsewhere(tmp_path: Path, folder: str, name: str) -> None:
    with pytest.raises(UsageError, match="leads out of the folder"), transaction(tmp_path / "results") as changes:
        changes.write(folder, {name: b""})
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_through_links(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "bench").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="leads out of the folder"), transaction(tmp_path / "results") as changes:
        changes.write("bench", {"a.toml": b""})
    assert files_in(tmp_path) == {}
