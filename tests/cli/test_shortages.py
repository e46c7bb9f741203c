"""A machine that runs short of something is never taken for a fault of the data, or for success."""

import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kit.built_sites import demo

MACHINE_FAILED = 4
SCRIPT = """
import resource, sys
import sitegen.cli.maintaining, sitegen.cli.correcting, sitegen.cli.checking
from sitegen.cli.main import main
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
main()
"""


def run_limited(files: int, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that may hold only a few files open."""
    command = [sys.executable, "-c", SCRIPT, str(files), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("files", range(6, 13))
def test_a_release_with_few_open_files_is_written_or_says_that_it_is_not(files: int, tmp_path: Path) -> None:
    shutil.copytree(demo("--agents", "2", "--tasks", "2"), tmp_path / "results")
    today = datetime.now(UTC).date().isoformat()
    before = set((tmp_path / "results").rglob("*.toml"))
    done = run_limited(files, "release", today, folder=tmp_path)
    is_written = set((tmp_path / "results").rglob("*.toml")) > before
    assert done.returncode == (0 if is_written else MACHINE_FAILED), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("files", range(6, 9))
def test_a_file_that_cannot_be_opened_now_is_no_problem_of_the_data(files: int, tmp_path: Path) -> None:
    shutil.copytree(demo("--agents", "2", "--tasks", "2"), tmp_path / "results")
    done = run_limited(files, "validate", "results", folder=tmp_path)
    assert done.returncode in {0, MACHINE_FAILED}, done.stdout + done.stderr
    if done.returncode:
        assert "Too many open files" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_failure_that_cannot_be_printed_keeps_its_exit_code(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sitegen", "schema", "task"]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=full, check=False)
    assert done.returncode == MACHINE_FAILED
