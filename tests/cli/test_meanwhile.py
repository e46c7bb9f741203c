"""Two commands that change the same file at once: the second says so, and writes nothing."""

import fcntl
import os
import subprocess
import time
from pathlib import Path

import pytest
from kit import command
from kit.small_tables import csv

from sitegen.problems import UsageError
from sitegen.publish.machine.transaction import Snapshot, snapshot_of, transaction

REDACT = ("redact", "--reason", "A licence forbids it")


def sitegen(*arguments: str) -> list[str]:
    return [str(command.program()), *arguments]


def at_once(results: Path, name: str, *commands: list[str]) -> list[tuple[int, str]]:
    """Run commands that write a file, so that all have read what stands before the first one puts anything in place."""
    lock = os.open(results.parent, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    started = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for command in commands
    ]
    while len(list(results.parent.glob(f".sitegen-*/new/**/{name}"))) < len(commands):
        assert all(running.poll() is None for running in started)
        time.sleep(0.05)
    os.close(lock)
    messages = [process.communicate()[1] for process in started]
    return sorted(zip([ended_process.returncode for ended_process in started], messages, strict=True))


def test_of_two_redactions_at_once_the_second_is_refused(tmp_path: Path) -> None:
    results = tmp_path / "results"
    command.done("demo", results, "--agents", "2", "--tasks", "2")
    (benchmark,) = (path.parent for path in results.glob("*/benchmark.toml"))
    bundles = sorted(path.name for path in (benchmark / "submissions").iterdir())[:2]
    commands = [sitegen(*REDACT, f"{benchmark.name}/{bundle}", "--results", str(results)) for bundle in bundles]
    (done, _), (refused, why) = at_once(results, "findings.toml", *commands)
    assert (done, refused) == (0, 2)
    assert f"another command changed {benchmark.name}/findings.toml in the meantime; nothing was written" in why
    assert (benchmark / "findings.toml").read_text(encoding="utf-8").count('kind = "redaction"') == 1
    again = [command.sitegen(*command_line[1:]).returncode for command_line in commands]
    assert sorted(again) == [0, 2]  # what was redacted has no content any more
    assert (benchmark / "findings.toml").read_text(encoding="utf-8").count('kind = "redaction"') == 2


def test_of_two_imports_that_begin_tracks_at_once_the_second_is_refused(tmp_path: Path) -> None:
    results, table = tmp_path / "results", csv(tmp_path, "tidy,1,1,1,2,2", "tidy,1,2,0,1,2")
    arguments = ("import", "table", str(table), "--benchmark", "bench", "--agent", "Acme-1", "--into", str(results))
    command.done(*arguments)
    commands = [sitegen(*arguments, "--track", track, "--new-track") for track in ("one", "two")]
    (done, _), (refused, why) = at_once(results, "benchmark.toml", *commands)
    assert (done, refused) == (0, 2)
    assert "another command changed bench/benchmark.toml in the meantime; nothing was written" in why
    text = (results / "bench" / "benchmark.toml").read_text(encoding="utf-8")
    assert sum(f'id = "{track_id}"' in text for track_id in ("one", "two")) == 1


@pytest.mark.parametrize("change", ["written", "removed", "come"])
def test_what_another_changed_since_it_was_read_is_not_written_over(tmp_path: Path, change: str) -> None:
    names = {"written": "a.toml", "removed": "b.toml", "come": "c.toml"}
    for name in ("a.toml", "b.toml"):
        (tmp_path / name).write_text("as it was read", encoding="utf-8")
    since = snapshot_of(tmp_path)
    if change == "removed":
        (tmp_path / "b.toml").unlink()
    else:
        (tmp_path / names[change]).write_text("by another command", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(
        UsageError, match=f"another command changed {names[change]} in the meantime; nothing was written"
    ):
        write(tmp_path, names[change], since)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_what_another_changed_elsewhere_hinders_nobody(tmp_path: Path) -> None:
    since = snapshot_of(tmp_path)
    (tmp_path / "b.toml").write_text("by another command", encoding="utf-8")
    write(tmp_path, "a.toml", since)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.toml", "b.toml"]


def write(folder: Path, name: str, since: Snapshot) -> None:
    with transaction(folder, since) as changes:
        changes.write("", {name: b"new"})
