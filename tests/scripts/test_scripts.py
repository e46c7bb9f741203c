"""The logic of the scripts, tested in Node where there is one: see the `*.test.mjs` beside this file."""

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
OLDEST = (20, 19)
"""The first Node that takes a plain `.js` for the module that it is."""
TESTS = sorted(HERE.glob("*.test.mjs"))


@pytest.mark.parametrize("script", TESTS, ids=lambda path: path.name.partition(".")[0])
def test_the_scripts_keep_their_word(script: Path) -> None:
    node = shutil.which("node")
    if node is None or _version(node) < OLDEST:
        pytest.skip("there is no Node 20.19 or newer: the scripts' logic is tested in it")
    told = subprocess.run([node, "--test", str(script)], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout


def _version(node: str) -> tuple[int, ...]:
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, told.strip().removeprefix("v").split(".")))
