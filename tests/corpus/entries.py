"""The corpus of bad bundles: what is changed in a valid results folder, and what must be said about it."""

import re
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from corpus.changes import Change, name_of, place, seal_changed, spoil

from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.releasing import lock_release
from sitegen.problems import Problem
from sitegen.store.compare.history import history_problems

FOLDER = Path(__file__).parent
BASE = FOLDER / "base"
"""A results folder without a problem: every entry is a change to a copy of it."""

DAY = date(2026, 7, 1)
"""The day on which they are judged, unless an entry names another `day`."""

BYSTANDERS = (("aims", "aims|once-acme"), ("relay-acme", "relay"), ("checks-acme", "checks"))
"""Folders of the base that are nothing to most entries, with the words that tell of them."""

_TOLD = re.compile(r"(?P<severity>error|warning|note) (?P<code>[A-Z0-9-]+) (?P<place>.+?): (?P<fact>.+)")


class Told(NamedTuple):
    """A problem as an entry expects it."""

    severity: str
    code: str
    place: str
    """The file as the corpus names it, and the line where there is one."""


class Entry(NamedTuple):
    """One bad bundle."""

    name: str
    theme: str
    """Name of the file that it stands in."""
    values: dict[str, Any]

    @property
    def changes(self) -> list[Change]:
        """What is changed, in this order."""
        changes: list[Change] = self.values["change"]
        return changes

    @property
    def expected(self) -> list[tuple[Told, str]]:
        """Every problem that must be told, each with a part of its fact: the value that was found."""
        matches = [_TOLD.fullmatch(line) for line in self.values["problems"]]
        return [(Told(match["severity"], match["code"], match["place"]), match["fact"]) for match in matches if match]

    def spoil(self, folder: Path) -> Path:
        """Write the bad results folder, and beside it what was published before, or in it what was released.

        What stands by in the base is there where the entry speaks of it.
        """
        tree = folder / "results"
        entry_text = str(self.values)
        spare = (
            []
            if "released" in self.values
            else [bystander for bystander, name in BYSTANDERS if not re.search(name, entry_text)]
        )
        shutil.copytree(BASE, tree, ignore=shutil.ignore_patterns(*spare), copy_function=shutil.copyfile)
        if self.before is not None:
            self._change(tree, self.before)
            shutil.copytree(tree, folder / "published", symlinks=True)
        if "released" in self.values:
            assert self.before is None
            for name, content in _released(self.values["released"]).items():
                (tree / name).parent.mkdir(exist_ok=True)
                (tree / name).write_bytes(content)
        self._change(tree, self.changes)
        return tree

    @property
    def before(self) -> list[Change] | None:
        """What was changed before the results were published; None where they never were."""
        return self.values.get("published")

    def _change(self, tree: Path, changes: list[Change]) -> None:
        for change in changes:
            spoil(tree, change)
        if self.values.get("seal", True):
            seal_changed(tree, changes)

    def judged(self, tree: Path) -> tuple[Problem, ...]:
        """Give what validating says: of the whole folder, or of the part that the entry names."""
        judged_path = place(tree, self.values.get("judge", "."))
        before = tree.with_name("published")
        published = [manifest.parent for manifest in before.glob("*/submissions/*/submission.toml")]
        problems = evaluate(judged_path, self.values.get("day", DAY), published=published).problems()
        return problems if self.before is None else (*problems, *history_problems(before, tree))


@cache
def _released(day: date) -> Mapping[Path, bytes]:
    """What is written where the base is released."""
    with TemporaryDirectory() as folder:
        tree = Path(shutil.copytree(BASE, f"{folder}/results"))
        before = {*tree.rglob("*")}
        lock_release(tree, day, "", DAY)
        return {path.relative_to(tree): path.read_bytes() for path in {*tree.rglob("*.*l")} - before}


@cache
def entries() -> Sequence[Entry]:
    """Give every entry, theme by theme."""
    return [
        Entry(name, path.stem, values)
        for path in sorted((FOLDER / "bad").glob("*.toml"))
        for name, values in tomllib.loads(path.read_text(encoding="utf-8")).items()
    ]


def told(tree: Path, problem: Problem) -> Told:
    """Give a problem as entries write it."""
    name = name_of(tree, problem.path)
    return Told(problem.severity, problem.code, f"{name}:{problem.line}" if problem.line else name)
