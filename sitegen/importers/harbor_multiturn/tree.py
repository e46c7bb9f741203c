"""Finds the folders of runs and of task definitions in a foreign tree, and tells what the names of runs say."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.harbor.trials import TASK_FILE
from sitegen.importers.kit.tree import Folder, Tree

ROWS, VERIFIER = "multiround_results.json", "verifier"

_TRACES = frozenset({"agent", VERIFIER, "state", "artifacts"})
"""Folders that a run leaves in its own."""

_LOG = "trial.log"
_RECORDS = frozenset({"config.json", "result.json", _LOG})
_PARTS = re.compile(r"environment|solution|tests|steps|round[_-]\d+")
"""Folders of a task's definition, in which no runs lie."""

_RESUMED = "__resumed_"
"""Stands between a run's name and the time at which a resume put it aside."""

# Numbers are short: a name is a foreign text, and Python refuses to read numbers of thousands of digits.
_BRANCH = re.compile(
    r"__mr-r(?P<round>\d{1,4})(?:-p(?P<parent>\d{1,4})-h(?P<token>[A-Za-z0-9]+))?-a(?P<number>\d{1,4})"
)
_TOKEN = re.compile(r"__(?P<token>[A-Za-z0-9]+)$")


@dataclass(slots=True)
class Found:
    """What lies where in a source, each list in the order of the paths."""

    runs: list[Folder] = field(default_factory=list)
    definitions: list[Path] = field(default_factory=list)
    """Files that define tasks."""
    backups: list[Path] = field(default_factory=list)
    """Folders that a resume put aside."""
    official: list[Path] = field(default_factory=list)
    """Folders of runs of the official runner."""
    hidden: list[Path] = field(default_factory=list)
    """Folders whose name begins with a dot."""


def find(tree: Tree) -> Found:
    """Walk a source. Nothing in the folder of a run or a backup is walked into."""
    found = Found()

    def enter(folder: Folder) -> list[str]:
        if is_backup(folder.path.name) and folder.path != tree.root:
            found.backups.append(folder.path)
        elif "steps" in folder.folders and not _RECORDS.isdisjoint(folder.files):
            found.official.append(folder.path)
        elif _is_run(folder, tree):
            found.runs.append(folder)
        else:
            tree.pass_over_archives(folder)
            found.hidden.extend(folder.path / name for name in folder.folders if name.startswith("."))
            shown = [name for name in folder.folders if not name.startswith(".")]
            if TASK_FILE not in folder.files:
                return shown
            found.definitions.append(folder.path / TASK_FILE)
            return [name for name in shown if not _PARTS.fullmatch(name)]
        return []

    tree.visit(enter)
    return found


def _is_run(folder: Folder, tree: Tree) -> bool:
    if "job.log" in folder.files:
        return False
    if not _RECORDS.isdisjoint(folder.files) and (_LOG in folder.files or not _TRACES.isdisjoint(folder.folders)):
        return True
    verifier = tree.look(folder.path / VERIFIER) if VERIFIER in folder.folders else None
    return verifier is not None and ROWS in verifier.files


def is_backup(name: str) -> bool:
    """Whether a folder holds what a resume put aside: the resumed run stands beside it under the plain name."""
    return _RESUMED in name


def plain_name(name: str) -> str:
    """The name of the run that a backup was made of; the name itself for other runs."""
    return name.partition(_RESUMED)[0]


@dataclass(frozen=True, slots=True)
class Branch:
    """A run's place in a fan-out, which tries every round several times from what one run before it left."""

    round: int
    """The round that it ran."""
    number: int
    """Which try at that round, from 0."""
    parent: int | None = None
    """Which try at the round before it goes on from; None for a root."""
    token: str | None = None
    """The parent's token; None for a root, which goes on from no other run."""


def branch_of(name: str) -> Branch | None:
    """A run's place in a fan-out, by its name; None for a run that is in none."""
    match = _BRANCH.search(name)
    if match is None or match.end() != len(name):
        return None
    parent = int(match["parent"]) if match["parent"] else None
    return Branch(int(match["round"]), int(match["number"]), parent, match["token"])


def token_of(name: str) -> str | None:
    """The random letters that a run's name holds; None where there are none."""
    match = _TOKEN.search(plain_name(name).partition("__mr-r")[0])
    return match["token"] if match else None
