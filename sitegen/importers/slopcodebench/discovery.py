"""Finds the run folders of a source. Their names are made from a template that anyone may change: they tell nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.kit.tree import Folder, Tree
from sitegen.importers.slopcodebench.config import tells_of_run
from sitegen.importers.slopcodebench.files import checkpoint_number
from sitegen.problems import counted

ROWS, CONFIG = "checkpoint_results.jsonl", "config.yaml"

_SNAPSHOT = "snapshot"
"""Folder with what an agent wrote, which may look like anything."""


@dataclass(slots=True)
class Finds:
    """The run folders of a source.

    Attributes:
        runs: Folders of runs, in the order of the walk.
        nested: Folders inside a run that look like a run: copies, which are passed over.
    """

    runs: list[Folder] = field(default_factory=list)
    nested: list[Path] = field(default_factory=list)

    def notes(self, root: Path) -> Iterator[str]:
        """Say what was found and passed over.

        Args:
            root: The source.
        """
        yield f"{counted(len(self.runs), 'run folder')} found"
        for path in self.nested:
            yield f"{named(path, root)}: passed over, it lies inside a run"


def find_runs(tree: Tree) -> Finds:
    """Find the run folders of a source. Nothing inside a run is one, and snapshots are not looked into."""
    found = Finds()
    for folder in tree.walk(leave_out={_SNAPSHOT}):
        if found.runs and folder.path != found.runs[-1].path and folder.path.is_relative_to(found.runs[-1].path):
            if _tells_of_run(folder):
                found.nested.append(folder.path)
        elif _tells_of_run(folder) or _holds_problems(folder):
            found.runs.append(folder)
        else:
            tree.pass_over_archives(folder)
    return found


def named(path: Path, root: Path) -> str:
    """Name a folder by its way from the source."""
    name = path.relative_to(root).as_posix()
    if path == root:
        return "the source itself"
    return name if name.isprintable() else repr(name)


def _tells_of_run(folder: Folder) -> bool:
    """Whether a folder holds a file that the runner writes for a whole run."""
    config = folder.file(CONFIG)
    return ROWS in folder.files or (config is not None and tells_of_run(config))


def _holds_problems(folder: Folder) -> bool:
    """Whether a folder holds problems with their checkpoints; that of a single problem does not."""
    return not checkpoints_in(folder) and any(True for _ in problem_folders(folder))


def checkpoints_in(folder: Folder) -> dict[int, str]:
    """Give the folders of checkpoints in the folder of a problem, by their numbers; none where it is another folder."""
    found = {number: name for name in folder.folders if (number := checkpoint_number(name))}
    return dict(sorted(found.items()))


def problem_folders(run: Folder) -> Iterator[Folder]:
    """Give the folders of a run's problems, in the order of their names."""
    # What can't be entered is told of by the walk, which comes through here as well.
    aside = Tree(run.path)
    for name in run.folders:
        folder = aside.look(run.path / name) if name != _SNAPSHOT else None
        if folder and checkpoints_in(folder):
            yield folder
