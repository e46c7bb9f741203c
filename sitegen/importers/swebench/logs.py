"""Find the folders with logs of instances, and read times and causes of failures from them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sitegen.importers.kit.times import local_moment
from sitegen.importers.kit.tree import Folder, SourceTree
from sitegen.importers.kit.values import mapping_of
from sitegen.importers.swebench.causes import PATCH_FAILED, TESTS_TIMED_OUT
from sitegen.importers.swebench.json_files import head_of, read_json_file
from sitegen.importers.swebench.summaries import looks_like_summary
from sitegen.reading.files import read_head

REPORT = "report.json"
LOG = "run_instance.log"
_RUN_FILE = "run.json"
_ROOTS = frozenset({"run_evaluation", "run_instance_logs"})
"""Names of the folder of all runs (RUN_ID/MODEL/INSTANCE) in versions of the harness."""

_NOT_MODEL_NAMES = frozenset(
    {"eval_outputs", "evaluation", "logs", "output", "outputs", "report", "reports", "results"}
)
"""Names of log folders that are not names of models."""

_INSTANCE_FILES = frozenset(
    {REPORT, LOG, "test_output.txt", "patch.diff", "eval.sh", "status.json"}
)
"""Files in the folder of an instance."""

_CAUSES = {
    b"Patch Apply Failed": PATCH_FAILED,
    b"timed out": TESTS_TIMED_OUT,
    b"Tests Timed Out": TESTS_TIMED_OUT,
    b"BuildImageError": "the image could not be built",
}
"""Causes, keyed by the text in an instance's log that indicates them."""

NO_REPORT = "the evaluation wrote no report"
"""The cause if no file says why there is no report."""

_TIME_LENGTH = len("2026-09-02 10:00:00")
_DAY_LENGTH = len("2026-09-02")
"""Lengths of the time at the beginning of a log line, and of the date within it."""

_SEARCHED_BYTES = 1024 * 1024
"""Number of bytes at the beginning of a log in which a cause is searched for."""


@dataclass(frozen=True, slots=True)
class LogFolder:
    """The logs of one run of one model."""

    path: Path
    model: str
    """The model's name with `__` for `/`; empty if the folder is not named after a model."""
    run_id: str
    instances: frozenset[str]
    """The names of the instances' folders, which are the instances' ids."""
    is_guess: bool = False
    """Whether model and run are only guessed from the folders' names."""

    def report(self, instance: str) -> Path | None:
        """Return the report of an instance; None if there is none."""
        # Ids come from untrusted files: only ids with a folder here may become paths.
        if instance not in self.instances:
            return None
        path = self.path / instance / REPORT
        return path if path.is_file() else None

    def cause(self, instance: str) -> str:
        """Return why an instance has no report, according to its log."""
        if instance not in self.instances:
            return NO_REPORT
        head = read_head(self.path / instance / LOG, _SEARCHED_BYTES) or b""
        for mark, cause in _CAUSES.items():
            if mark in head:
                return cause
        return NO_REPORT

    def dataset(self) -> str:
        """Return the dataset in the metadata of the run; empty if none is stated."""
        return self._metadata("dataset")

    def _metadata(self, key: str) -> str:
        """Return a text in the run's metadata; empty if the harness wrote none."""
        text = mapping_of(read_json_file(self.path.parent / _RUN_FILE).value).get(key)
        return text if isinstance(text, str) else ""

    def started(self) -> datetime | None:
        """Return the start of the run, from its metadata or else its logs; None if unknown."""
        stated = local_moment(self._metadata("created_at"))
        if stated:
            return stated
        moments = map(self._log_started, self.instances)
        return min(filter(None, moments), default=None)

    def _log_started(self, instance: str) -> datetime | None:
        """Return the time at the beginning of an instance's log; None if there is none."""
        head = read_head(self.path / instance / LOG, _TIME_LENGTH) or b""
        text = head.decode(errors="replace")
        return local_moment(text) or local_moment(text[:_DAY_LENGTH])


def is_instance_report(path: Path) -> bool:
    """Return whether a file begins like the report of one instance."""
    head = head_of(path)
    return '"resolved"' in head and ('"patch_is_None"' in head or '"PASS_TO_PASS"' in head)


def is_pull_request_report(path: Path) -> bool:
    """Return whether a file begins like Multi-SWE-bench's test report for a pull request."""
    head = head_of(path)
    return all(key in head for key in ('"number"', '"valid"', '"error_msg"', '"fixed_tests"'))


def find_logs(folders: Sequence[Folder], tree: SourceTree) -> list[LogFolder]:
    """Return the logs of every run in the given folders of a tree."""
    by_parent: defaultdict[Path, list[Folder]] = defaultdict(list)
    for folder in folders:
        if folder.path != tree.root and not _INSTANCE_FILES.isdisjoint(folder.files):
            by_parent[folder.path.parent].append(folder)
    logs = []
    for parent, children in sorted(by_parent.items()):
        instances = [child for child in children if not _has_summary(child)]
        if any(map(_is_instance, instances)):
            names = frozenset(child.path.name for child in instances)
            logs.append(_log_folder(parent, names))
    return logs


def _is_instance(folder: Folder) -> bool:
    """Return whether a folder certainly contains the logs of an instance."""
    if LOG in folder.files:
        return True
    return REPORT in folder.files and is_instance_report(folder.path / REPORT)


def _has_summary(folder: Folder) -> bool:
    """Return whether the report in a folder is the summary of a run."""
    return REPORT in folder.files and looks_like_summary(folder.path / REPORT)


def _log_folder(path: Path, instances: frozenset[str]) -> LogFolder:
    """Return the logs in a folder, with model and run from the names of the folders."""
    model_folder = path.absolute()
    run_folder = model_folder.parent
    name = model_folder.name
    if run_folder.parent.name in _ROOTS:
        return LogFolder(path, name, run_folder.name, instances)
    model = "" if name.casefold() in _NOT_MODEL_NAMES else name
    return LogFolder(path, model, run_folder.name, instances, is_guess=True)
