"""The pages that walk through something: what they say that commands print is what they print."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.command import program
from kit.forked_repository import ROOT

GUIDES = (("walkthrough", "maintaining"), ("starting",))
"""The guides: those that belong together, of which each goes on where the one before it ends."""

PAGES = tuple(name for pages in GUIDES for name in pages)

DAY = "1783080000"
"""Noon of 2026-07-03 in UTC: waivers end on days."""

BLOCK = re.compile(r"^```(csv|toml|console)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADDED = "added to "


def play(text: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Do what a page says, in its order, in a folder: give each block of commands with what it should be."""
    shell = Shell(folder)
    for kind, title, content in BLOCK.findall(text):
        if kind == "console":
            commands = [line for line in content.splitlines() if line.startswith("$ ")]
            yield content, "".join(f"{command}\n{shell.run(command[2:])}" for command in commands)
        elif title:  # without one a file is only shown
            with (folder / title.removeprefix(ADDED)).open("a" if title.startswith(ADDED) else "w") as file:
                file.write(content)


class Shell:
    """A terminal in a folder, on which `sitegen` is the program of this checkout."""

    def __init__(self, folder: Path) -> None:
        """Put the program where the shell finds it."""
        self._folder = folder
        beside = folder / ".bin"
        beside.mkdir()
        (beside / "sitegen").symlink_to(program())
        who = {
            f"GIT_{role}_{what}": "ada@acme.example" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        self._environment = {
            **os.environ,
            **who,
            "PATH": f"{beside}:{os.environ['PATH']}",
            "COLUMNS": "120",
            "SOURCE_DATE_EPOCH": DAY,
        }

    def run(self, command: str) -> str:
        """Run a command; give all that it prints."""
        shell = ["bash", "-c", command]
        told = subprocess.run(
            shell,
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return told.stdout


def guide(name: str) -> Path:
    return ROOT / "site_src" / "submit" / f"{name}.md"


@pytest.mark.parametrize("pages", GUIDES)
def test_every_block_of_commands_prints_what_the_page_says(tmp_path: Path, pages: tuple[str, ...]) -> None:
    text = "\n".join(guide(name).read_text(encoding="utf-8") for name in pages)
    for told, printed in play(text, tmp_path):
        assert told == printed


@pytest.mark.parametrize("name", PAGES)
def test_a_guide_is_in_the_navigation_and_linked_from_the_way_in(name: str) -> None:
    assert f"submit/{name}.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"({name}.md" in (ROOT / "site_src" / "submit" / "index.md").read_text(encoding="utf-8")
    assert f"site_src/submit/{name}.md" in (ROOT / "README.md").read_text(encoding="utf-8")
