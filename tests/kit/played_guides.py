"""Walkthrough pages, replayed: their files are written and their commands run."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from .command import program
from .forked_repository import ROOT

DAY = "1783080000"
"""Noon of 2026-07-03 in UTC; fixed because waivers expire on certain days."""

BLOCK = re.compile(r"^```(csv|toml|console)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADDED = "added to "


def play(text: str, shell: "Shell") -> Iterator[tuple[str, str]]:
    """Follow a page's steps in order; yield each block of commands and their output, to compare with the page."""
    for kind, title, content in BLOCK.findall(text):
        if kind == "console":
            commands = [line for line in content.splitlines() if line.startswith("$ ")]
            yield content, "".join(f"{command}\n{shell.run(command[2:])}" for command in commands)
        elif title:  # a file without a title is only an example
            with (shell.folder / title.removeprefix(ADDED)).open("a" if title.startswith(ADDED) else "w") as file:
                file.write(content)


class Shell:
    """A terminal in a folder in which `sitegen` runs the program of this checkout."""

    def __init__(self, folder: Path) -> None:
        """Put the program on the shell's PATH."""
        self.folder = folder
        program_folder = folder / ".bin"
        program_folder.mkdir()
        (program_folder / "sitegen").symlink_to(program())
        who = {f"GIT_{role}_{key}": "ada@acme.example" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
        self._environment = {
            **os.environ,
            **who,
            "GIT_AUTHOR_DATE": f"{DAY} +0000",
            "GIT_COMMITTER_DATE": f"{DAY} +0000",
            "PATH": f"{program_folder}:{os.environ['PATH']}",
            "COLUMNS": "120",
            "SOURCE_DATE_EPOCH": DAY,
        }

    def run(self, command: str) -> str:
        """Run a command and return its output, errors included."""
        shell = ["bash", "-c", command]
        run = subprocess.run(
            shell,
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return run.stdout


def guide(name: str) -> Path:
    (page,) = (ROOT / "site_src").glob(f"*/{name}.md")
    return page
