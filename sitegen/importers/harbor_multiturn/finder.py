"""Finds the folders of runs and of task definitions in a foreign tree, and looks into nothing else."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.harbor.survey import TASK_FILE
from sitegen.importers.harbor_multiturn.names import is_backup
from sitegen.importers.kit.tree import DEEPEST, Folder, Tree

ROWS = "multiround_results.json"
VERIFIER = "verifier"

_TRACES = frozenset({"agent", VERIFIER, "state", "artifacts"})
"""Folders that a run leaves in its own."""

_LOG = "trial.log"
_RECORDS = frozenset({"config.json", "result.json", _LOG})
_PARTS = re.compile(r"environment|solution|tests|steps|round[_-]\d+")
"""Folders of a task's definition, in which no runs lie."""


@dataclass(slots=True)
class Found:
    """What lies where in a source, each list in the order of the paths.

    Attributes:
        runs: Folders of runs.
        definitions: Files that define tasks.
        backups: Folders that a resume put aside.
        official: Folders of runs of the official runner.
        hidden: Folders whose name begins with a dot.
    """

    runs: list[Folder] = field(default_factory=list)
    definitions: list[Path] = field(default_factory=list)
    backups: list[Path] = field(default_factory=list)
    official: list[Path] = field(default_factory=list)
    hidden: list[Path] = field(default_factory=list)


def find(tree: Tree) -> Found:
    """Walk a source, each folder before those in it. Nothing in the folder of a run or a backup is walked into."""
    found = Found()
    waiting = [tree.root]
    while waiting:
        folder = tree.look(waiting.pop())
        if folder is None:
            continue
        inner = [folder.path / name for name in _put(folder, found, tree)]
        if inner and len(folder.path.relative_to(tree.root).parts) >= DEEPEST:
            tree.too_deep += inner
        else:
            waiting += reversed(inner)
    return found


def _put(folder: Folder, found: Found, tree: Tree) -> list[str]:
    """Put a folder where it belongs, and give those in it that are to be looked into."""
    if is_backup(folder.path.name) and folder.path != tree.root:
        found.backups.append(folder.path)
    elif "steps" in folder.folders and not _RECORDS.isdisjoint(folder.files):
        found.official.append(folder.path)
    elif _is_run(folder, tree):
        found.runs.append(folder)
    else:
        tree.pass_over_archives(folder)
        return _inner(folder, found)
    return []


def _is_run(folder: Folder, tree: Tree) -> bool:
    if "job.log" in folder.files:
        return False
    if not _RECORDS.isdisjoint(folder.files) and (_LOG in folder.files or not _TRACES.isdisjoint(folder.folders)):
        return True
    verifier = tree.look(folder.path / VERIFIER) if VERIFIER in folder.folders else None
    return verifier is not None and ROWS in verifier.files


def _inner(folder: Folder, found: Found) -> list[str]:
    found.hidden += [folder.path / name for name in folder.folders if name.startswith(".")]
    shown = [name for name in folder.folders if not name.startswith(".")]
    if TASK_FILE not in folder.files:
        return shown
    found.definitions.append(folder.path / TASK_FILE)
    return [name for name in shown if not _PARTS.fullmatch(name)]
