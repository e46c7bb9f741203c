"""Files come into a folder together, or not at all."""

from pathlib import Path

import pytest
from small_import import files_in

from sitegen.errors import UsageError
from sitegen.publish.arrival import arriving


def bring(root: Path, names: dict[str, list[str]], fault: BaseException | None = None) -> None:
    """Write files by their folder, then fail where a fault is given."""
    with arriving(root) as arrival:
        for folder, files in names.items():
            arrival.write(folder, dict.fromkeys(files, b"new"))
        if fault:
            raise fault


def take_out(root: Path, *names: str) -> None:
    """Write a file, and take others out."""
    with arriving(root) as arrival:
        arrival.write(".", {"b.toml": b"new"})
        for name in names:
            arrival.remove(Path(name))


def test_files_are_added_and_replaced(tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "a.toml").write_bytes(b"old")
    (tmp_path / "bench" / "b.toml").write_bytes(b"kept")
    with arriving(tmp_path) as arrival:
        arrival.write("bench", {"a.toml": b"new"})
        arrival.write("bench/submissions/one", {"rounds.jsonl": b"{}"})
    assert files_in(tmp_path) == {
        "bench/a.toml": b"new",
        "bench/b.toml": b"kept",
        "bench/submissions/one/rounds.jsonl": b"{}",
    }


def test_files_leave_when_the_others_come(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"old")
    (tmp_path / "b.toml").write_bytes(b"old")
    with arriving(tmp_path) as arrival:
        arrival.remove(Path("a.toml"))
        arrival.write(".", {"b.toml": b"new"})
        assert (tmp_path / "a.toml").exists()
    assert files_in(tmp_path) == {"b.toml": b"new"}


def test_files_that_left_are_back_after_a_fault(tmp_path: Path) -> None:
    """The second is not there to leave."""
    (tmp_path / "a.toml").write_bytes(b"old")
    with pytest.raises(FileNotFoundError):
        take_out(tmp_path, "a.toml", "c.toml")
    assert files_in(tmp_path) == {"a.toml": b"old"}


def test_nothing_is_there_before_everything_is(tmp_path: Path) -> None:
    with arriving(tmp_path / "results") as arrival:
        arrival.write("bench", {"a.toml": b"new"})
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
    with pytest.raises(NotADirectoryError):
        bring(tmp_path, {".": ["b.toml", "c.toml"], "a": ["one"], "z": ["one"]})
    assert files_in(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.toml", "z"]


@pytest.mark.parametrize(("folder", "name"), [("..", "evil"), ("bench", "../../evil"), ("/", "evil")])
def test_nothing_is_written_elsewhere(tmp_path: Path, folder: str, name: str) -> None:
    with pytest.raises(UsageError, match="would not lie in"), arriving(tmp_path / "results") as arrival:
        arrival.write(folder, {name: b""})
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_through_links(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "bench").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="is a link"), arriving(tmp_path / "results") as arrival:
        arrival.write("bench", {"a.toml": b""})
    assert files_in(tmp_path) == {}
