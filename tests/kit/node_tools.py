"""Node.js and the packages that tests run with it, as installed by `make dev`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

OLDEST = (20, 19)
"""The oldest Node version that detects whether a plain `.js` file is a module."""
_PACKAGES = Path(__file__).parents[1] / "scripts" / "node_modules"
_HOW = "run `make test`, which installs it"


def node() -> str:
    """Return the path of Node; if Node is missing or too old, skip the test, or fail it in CI."""
    python_folder = str(Path(sys.executable).parent)
    node_path = shutil.which("node", path=os.pathsep.join([python_folder, os.environ.get("PATH", os.defpath)]))
    if node_path is None or _version(node_path) < OLDEST:
        _do_without(f"there is no Node {OLDEST[0]}.{OLDEST[1]} or newer: {_HOW}")
    return node_path


def package(*path_parts: str) -> Path:
    """Return the path of a package's file; if the file is not installed, skip the test, or fail it in CI."""
    path = _PACKAGES.joinpath(*path_parts)
    if not path.exists():
        _do_without(f"there is no {'/'.join(path_parts)}: {_HOW}")
    return path


def _version(node_path: str) -> tuple[int, ...]:
    output = subprocess.run([node_path, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, output.strip().removeprefix("v").split(".")))


def _do_without(reason: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(f"{reason}; in CI that is a failure")
    pytest.skip(reason)
