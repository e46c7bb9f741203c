"""The same results give the same site, byte for byte: on another day, in another folder, with more processes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from kit.built_sites import differing
from kit.command import done


def on_day(day: int) -> str:
    """Seconds since 1970-01-01 at the beginning of a day so many days later."""
    return str(day * 86_400)


def test_two_builds_have_the_same_bytes(tmp_path: Path) -> None:
    """The second is a process of its own, in which sets have another order."""
    first_folder, second_folder = tmp_path / "here", tmp_path / "somewhere else"
    done("demo", first_folder / "results", "--agents", "2", "--tasks", "2", SOURCE_DATE_EPOCH=on_day(20_700))
    done("release", "2026-06-01", "--results", first_folder / "results", SOURCE_DATE_EPOCH=on_day(20_700))
    shutil.copytree(first_folder / "results", second_folder / "results")
    done(
        "build",
        "--results",
        first_folder / "results",
        "--site",
        first_folder / "site",
        "--jobs",
        "1",
        SOURCE_DATE_EPOCH=on_day(20_701),
    )
    command = [sys.executable, "-m", "sitegen", "build", "--results", str(second_folder / "results")]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": on_day(21_100), "PYTHONHASHSEED": "7"}
    subprocess.run([*command, "--site", str(second_folder / "site"), "--jobs", "2"], env=environment, check=True)
    assert list(differing(first_folder / "site", second_folder / "site")) == []
