"""Finds the logs of instances, and reads times and causes from them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sitegen.importers.kit.told import local_moment
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.importers.swebench.json_files import head_of, read_json_file
from sitegen.importers.swebench.summaries import looks_like_summary
from sitegen.reading.files import read_head

REPORT, LOG = "report.json", "run_instance.log"
_RUN_FILE = "run.json"
_ROOTS = frozenset({"run_evaluation", "run_instance_logs"})
"""Folders of all runs, as releases of the harness call them: RUN_ID/MODEL/INSTANCE lies below."""

_NAMELESS = frozenset(
    {"eval_outputs", "evaluation", "logs", "output", "outputs", "report", "reports", "results"}
)
"""What folders of logs are called that do not have the name of a model."""

_INSTANCE_FILES = frozenset(
    {REPORT, LOG, "test_output.txt", "patch.diff", "eval.sh", "status.json"}
)
"""Files that lie in an instance's folder."""

_CAUSES = {
    b"Patch Apply Failed": "the patch could not be applied",
    b"timed out": "the tests took too long",
    b"Tests Timed Out": "the tests took too long",
    b"BuildImageError": "the image could not be built",
}
PATCH_FAILED = _CAUSES[b"Patch Apply Failed"]
"""The one cause for which the patch is to blame."""

NO_REPORT = "the evaluation wrote no report"
"""The cause where no file says why there is no report."""

_TIME, _DAY = "2026-09-02 10:00:00", "2026-09-02"
"""What a line of a log begins with, and the day in it."""

_READ_BYTES = 1024 * 1024
"""How much of a log is searched for a cause."""


@dataclass(frozen=True, slots=True)
class LogFolder:
    """The logs of one run of one model."""

    path: Path
    model: str
    """With `__` for `/`; empty where the folder's name is no model's."""
    run_id: str
    instances: frozenset[str]
    """The names of the folders in it."""
    is_guess: bool = False
    """Whether model and run are only guessed from the folders' names."""

    def report(self, instance: str) -> Path | None:
        """Return the report of an instance, or None where there is none."""
        # Ids come from files of the source: only those that are names of folders here may become paths.
        if instance not in self.instances:
            return None
        path = self.path / instance / REPORT
        return path if path.is_file() else None

    def cause(self, instance: str) -> str:
        """Return why an instance has no report, as its log says."""
        if instance not in self.instances:
            return NO_REPORT
        head = read_head(self.path / instance / LOG, _READ_BYTES) or b""
        for mark, cause in _CAUSES.items():
            if mark in head:
                return cause
        return NO_REPORT

    def dataset(self) -> str:
        """Return the dataset that the metadata of the run names; empty where there are none."""
        return self._metadata("dataset")

    def _metadata(self, key: str) -> str:
        """Return a text of the run's metadata; empty where the harness wrote none."""
        value = read_json_file(self.path.parent / _RUN_FILE).value
        text = value.get(key) if isinstance(value, dict) else None
        return text if isinstance(text, str) else ""

    def started(self) -> datetime | None:
        """Return when the run began: as its metadata says, or at the first line of its logs."""
        moment = local_moment(self._metadata("created_at"))
        if moment:
            return moment
        moments = []
        for instance in self.instances:
            head = (read_head(self.path / instance / LOG, len(_TIME)) or b"").decode(
                errors="replace"
            )
            moment = local_moment(head) or local_moment(head[: len(_DAY)])
            if moment:
                moments.append(moment)
        return min(moments, default=None)


def is_instance_report(path: Path) -> bool:
    """Return whether a file begins as the report of one instance does."""
    head = head_of(path)
    return '"resolved"' in head and ('"patch_is_None"' in head or '"PASS_TO_PASS"' in head)


def find_logs(folders: Sequence[Folder], tree: Tree) -> list[LogFolder]:
    """Return the logs of every run in some folders of a tree."""
    by_parent: defaultdict[Path, list[Folder]] = defaultdict(list)
    for folder in folders:
        if folder.path != tree.root and not _INSTANCE_FILES.isdisjoint(folder.files):
            by_parent[folder.path.parent].append(folder)
    logs = []
    for parent, children in sorted(by_parent.items()):
        instances = [child for child in children if not _holds_summary(child)]
        if any(_is_instance(child) for child in instances):
            logs.append(_log_folder(parent, frozenset(child.path.name for child in instances)))
    return logs


def _is_instance(folder: Folder) -> bool:
    """Return whether a folder surely holds the logs of an instance."""
    return LOG in folder.files or (
        REPORT in folder.files and is_instance_report(folder.path / REPORT)
    )


def _holds_summary(folder: Folder) -> bool:
    """Return whether the report in a folder is that of a complete run."""
    return REPORT in folder.files and looks_like_summary(folder.path / REPORT)


def _log_folder(path: Path, instances: frozenset[str]) -> LogFolder:
    """Return the logs in a folder, with the model and the run that the folders are called after."""
    whole = path.absolute()
    run = whole.parent
    if run.parent.name in _ROOTS:
        return LogFolder(path, whole.name, run.name, instances)
    model = "" if whole.name.casefold() in _NAMELESS else whole.name
    return LogFolder(path, model, run.name, instances, is_guess=True)
