"""The site's scripts: their logic, tested in Node (see the `*.test.mjs` beside this file), and their types."""

import shutil
import subprocess
from pathlib import Path

import pytest
from kit.node_tools import node, package

from sitegen.publish.site.authored import minify_assets

HERE = Path(__file__).parent
TESTS = sorted(HERE.glob("*.test.mjs"))


@pytest.mark.parametrize("script", TESTS, ids=lambda path: path.name.partition(".")[0])
def test_the_scripts_keep_their_word(script: Path) -> None:
    run = subprocess.run([node(), "--test", str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_the_scripts_and_their_tests_have_the_types_that_they_say(cache: pytest.Cache) -> None:
    """Strictly, as `tsconfig.json` asks; each says `@ts-check`, for editors, and the compiler reads each of ours.

    What it found of the same files it knows from the time before.
    """
    compiler = package("typescript", "bin", "tsc")
    arguments = ("--project", HERE, "--listFiles", "--incremental", "--tsBuildInfoFile", cache.mkdir("types") / "found")
    run = subprocess.run([node(), compiler, *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    scripts = {path.resolve() for path in (HERE.parents[1] / "site_src/assets/scripts").rglob("*.js")}
    assert scripts
    assert scripts <= {Path(line) for line in run.stdout.splitlines()}
    assert [path.name for path in scripts if not path.read_text().startswith("// @ts-check\n")] == []


def test_scripts_without_their_comments_and_blanks_are_the_same_programs(tmp_path: Path) -> None:
    """The shortener takes a template inside a template for code, and drops its blanks."""
    scripts = HERE.parents[1] / "site_src" / "assets" / "scripts"
    shutil.copytree(scripts, tmp_path / "scripts")
    minify_assets(tmp_path)
    assert differing(scripts, tmp_path / "scripts") == []


def test_a_program_that_came_to_harm_is_noticed(tmp_path: Path) -> None:
    for folder, text in (("one", "`a ${b ? `in ${c} now` : d}`"), ("other", "`a ${b?`in${c}now`:d}`")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.js").write_text(text, encoding="utf-8")
    assert differing(tmp_path / "one", tmp_path / "other") == ["x.js"]


def differing(first_folder: Path, second_folder: Path) -> list[str]:
    """Name the scripts of two folders that are not the same program."""
    package("typescript", "package.json")
    run = subprocess.run(
        [node(), HERE / "same.mjs", first_folder, second_folder], capture_output=True, text=True, check=True
    )
    return run.stdout.split()
