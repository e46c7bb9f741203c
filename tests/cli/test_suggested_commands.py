"""Commands that messages suggest can be typed as they are, and leave out what is the default."""

import re
import shlex
from pathlib import Path

import pytest
from kit.command import done, sitegen

ROWS = "task,model,resolved,area\nt1,m1,1,web\nt2,m1,0,cli\n"


def suggested(text: str) -> list[str]:
    """Return the commands in a message that have no names to fill in."""
    commands = re.findall(r"`(sitegen [^`]*)`", text)
    return [command for command in commands if not re.search(r"\b[A-Z]{2,}\b", command)]


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("results", {"sitegen validate", "sitegen build", "sitegen serve"}),
        (
            "our boards",
            {
                "sitegen validate 'our boards'",
                "sitegen build --results 'our boards'",
                "sitegen serve --results 'our boards'",
            },
        ),
    ],
)
def test_suggestions_name_the_results_folder_unless_it_is_the_default(
    tmp_path: Path, folder: str, expected: set[str]
) -> None:
    (tmp_path / "runs.csv").write_text(ROWS, encoding="utf-8")
    options = ("--benchmark", "shop", "--results", folder)
    output = done("import", "table", "runs.csv", *options, "--date", "2026-05-01", folder=tmp_path)
    output += done("label", "runs.csv", *options, "--label", "area", folder=tmp_path)
    built = sitegen("build", "--results", folder, folder=tmp_path)
    assert built.returncode == 0, built.stderr
    commands = suggested(output + built.stdout)
    assert set(commands) == expected
    for command in commands:
        if "serve" not in command:
            assert done(*shlex.split(command)[1:], folder=tmp_path)


def test_a_project_without_results_says_how_to_import_into_it(tmp_path: Path) -> None:
    done("init", "board", folder=tmp_path)
    output = done("validate", folder=tmp_path / "board")
    assert "fix: import results: `sitegen import FORMAT SOURCE --benchmark board`" in output
