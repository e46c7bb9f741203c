"""The same results give the same site, byte for byte: on another day, in another folder, with more processes."""

import filecmp
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def sitegen(day: int, *words: str | Path) -> None:
    """Run a command as if it were so many days after 1970-01-01."""
    command = [sys.executable, "-m", "sitegen", *map(str, words)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(day * 86_400)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr


def differing(one: filecmp.dircmp[str]) -> Iterator[str]:
    """Name what only one of two folders has, and files with other bytes."""
    yield from (*one.left_only, *one.right_only, *one.funny_files)
    _, mismatch, errors = filecmp.cmpfiles(one.left, one.right, one.common_files, shallow=False)
    yield from (*mismatch, *errors)
    for each in one.subdirs.values():
        yield from differing(each)


def test_two_builds_have_the_same_bytes(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "somewhere else"
    sitegen(20_700, "demo", here / "results", "--agents", "3", "--tasks", "2")
    sitegen(20_700, "release", "2026-06-01", "--results", here / "results")
    shutil.copytree(here / "results", there / "results")
    sitegen(20_701, "build", "--results", here / "results", "--site", here / "site")
    sitegen(21_100, "build", "--results", there / "results", "--site", there / "site", "--jobs", "2")
    assert list(differing(filecmp.dircmp(here / "site", there / "site"))) == []
