"""Streams that a shell closed, that nobody reads, or that can't take every sign."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kit.results_folders import BENCHMARK, Tree
from kit.thoroughness import IS_WHOLE

COMMANDS = [
    "validate {}",
    "validate {} --format json",
    "score {}",
    "score {} --format json",
    "diff {} {}",
    "schema task",
]


CLOSED = {">&-": COMMANDS, ">&- 2>&- <&-": COMMANDS[:1], "2>&-": COMMANDS[:1], "<&-": COMMANDS[:1]}
"""What a shell closes, each with the commands that are tried; all are with SITEGEN_WHOLE, as `make harden` asks."""


def in_shell(line: str, results: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a shell does, with what it redirects."""
    command_line = line.replace("{}", f"'{results}'")
    script = f"set -o pipefail; '{sys.executable}' -u -m sitegen {command_line}"
    command = ["/bin/bash", "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return Tree(tmp_path / "results").folder


@pytest.mark.parametrize(
    ("command", "closed"),
    [(command, closed) for closed, commands in CLOSED.items() for command in (COMMANDS if IS_WHOLE else commands)],
)
def test_a_stream_that_is_closed_is_none_of_the_data_s_problems(results: Path, command: str, closed: str) -> None:
    done = in_shell(f"{command} {closed}", results)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", COMMANDS)
def test_nobody_reads_on(results: Path, command: str) -> None:
    done = in_shell(f"{command} | true", results)
    assert (done.returncode, done.stderr) == (4 if command.startswith(("validate", "diff")) else 0, "")


@pytest.mark.parametrize("command", ["score {}", "score {} --format csv", "diff {} {}.other", "schema"])
def test_every_text_goes_through_every_stream(results: Path, command: str) -> None:
    shutil.copytree(results, f"{results}.other")
    for folder in (results, Path(f"{results}.other")):
        definition = BENCHMARK.replace('title = "', f'title = "Ünïcode — {folder.name} ')
        (folder / "mini" / "benchmark.toml").write_text(definition, encoding="utf-8")
    done = in_shell(command, results, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")


def test_json_stays_json_in_every_stream(results: Path) -> None:
    plain, ascii_ = (
        in_shell("score {} --format json", results, PYTHONIOENCODING=encoding).stdout for encoding in ("utf-8", "ascii")
    )
    assert json.loads(plain) == json.loads(ascii_)
