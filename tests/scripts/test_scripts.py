"""The site's scripts: their logic, tested in Node (see the `*.test.mjs` beside this file), and their types."""

import subprocess
from pathlib import Path

import pytest
from node_tools import node, package

HERE = Path(__file__).parent
TESTS = sorted(HERE.glob("*.test.mjs"))


@pytest.mark.parametrize("script", TESTS, ids=lambda path: path.name.partition(".")[0])
def test_the_scripts_keep_their_word(script: Path) -> None:
    told = subprocess.run([node(), "--test", str(script)], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout


def test_the_scripts_and_their_tests_have_the_types_that_they_say() -> None:
    """Strictly, as `tsconfig.json` asks; it names every script of the site but those of others."""
    compiler = package("typescript", "bin", "tsc")
    told = subprocess.run([node(), compiler, "--project", HERE], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout


def test_no_script_is_left_out_of_the_types() -> None:
    """Each says `@ts-check`, for editors, and the compiler reads each."""
    compiler = package("typescript", "bin", "tsc")
    told = subprocess.run(
        [node(), compiler, "--project", HERE, "--listFilesOnly"], capture_output=True, text=True, check=True
    )
    read = {Path(line) for line in told.stdout.splitlines()}
    scripts = {path.resolve() for path in (HERE.parents[1] / "site_src/assets/scripts").rglob("*.js")}
    assert scripts
    assert scripts <= read
    assert [path.name for path in scripts if not path.read_text().startswith("// @ts-check\n")] == []
