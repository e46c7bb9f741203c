"""Clones of a leaderboard's repository, for work on a branch."""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.command import sitegen
from kit.forked_repository import commit, git

NOW = "1790812800"
"""2026-10-01."""
BOB = "bob@board.example"
"""The email address of the maintainer."""
HEADS = ("agent", "task", "attempt", "round", "reward", "passed", "total", "agent_seconds")
"""The columns of a table of runs."""


@dataclass
class Clone:
    """A leaderboard's repository with a branch to work on.

    Attributes:
        folder: The working tree.
        today: The time that the program uses, in seconds since 1970; empty for the real time.
    """

    folder: Path
    today: str = NOW

    @property
    def results(self) -> Path:
        """The results folder."""
        return self.folder / "results"

    def run(self, *arguments: str | Path) -> tuple[int, str]:
        """Run a command in the clone; return its exit code and its output."""
        environment = {"SOURCE_DATE_EPOCH": self.today} if self.today else {}
        ended = sitegen(*arguments, folder=self.folder, **environment)
        return ended.returncode, ended.stdout + ended.stderr

    def done(self, *arguments: str | Path) -> str:
        """Run a command that must succeed; return its output."""
        code, output = self.run(*arguments)
        assert code == 0, output
        return output

    def table(self, rows: Sequence[Sequence[object]], name: str = "runs.csv") -> Path:
        """Write a table of runs next to the repository, and return its path."""
        path = self.folder.parent / name
        lines = [HEADS, *rows]
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in lines), encoding="utf-8")
        return path

    def checked(self, *options: str) -> str:
        """Return the output of the check of a request, which must pass."""
        return self.done("validate", "results", "--base", "main", *options)

    def merge(self) -> None:
        """Commit the changes on a branch, and merge it into the main branch."""
        git(self.folder, "switch", "-q", "-c", "request")
        commit(self.folder, "A change")
        git(self.folder, "switch", "-q", "main")
        git(self.folder, "merge", "-q", "request")
        git(self.folder, "branch", "-q", "-d", "request")

    def manifest(self, name: str, benchmark: str = "bench") -> dict[str, Any]:
        """Return a submission's manifest."""
        path = self.results / benchmark / "submissions" / name / "submission.toml"
        return tomllib.loads(path.read_text(encoding="utf-8"))

    def row(self, name: str, path: str = "results") -> dict[str, Any]:
        """Return a submission's row in the output of `score`."""
        document = json.loads(self.done("score", path, "--format", "json").partition("\n{")[0])
        return next(row for row in document["submissions"] if row["id"] == name)
