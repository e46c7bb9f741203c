"""Which files belong to one run, and which trials a run has.

People keep runs in several layouts: the run's folder as the runner wrote it, the same without its
trials, single lists called `TIME_results.json`, or trials alone. A trial belongs to the nearest
folder above it that has files of a run; copies of a run, which share its uuid or the ids of trials,
are the same run.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import assert_never

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.importers.terminal_bench.records import (
    TRIAL_FOLDER,
    Fault,
    Lock,
    Metadata,
    Record,
    Summary,
    Trial,
    is_list,
    is_trial,
    lock_of,
    metadata_of,
    read_object,
    summary_of,
    trial_of,
    trials_of,
    unreadable_trial,
)
from sitegen.importers.terminal_bench.rules import TRIAL_UNREADABLE
from sitegen.reading.files import LARGEST_LOG, MEGABYTE, read_head

LIST, METADATA, LOCK = "results.json", "run_metadata.json", "tb.lock"

WORK_FOLDERS = frozenset({"sessions", "panes", "agent-logs"})
"""Folders of a trial that hold what the agent did."""

_HEAD = 256 * 1024
"""Bytes of a file that are searched for what marks a list or a trial."""

_SUBMISSION = re.compile(r"\d{8}_(?P<agent>[^_]+)_(?P<model>.+)")
_DATASET = re.compile(r"(?P<name>[\w.-]+)[@:](?P<version>\d[\w.]*)")


@dataclass(frozen=True, slots=True)
class LeaderboardFolder:
    """What the repository of Terminal-Bench's leaderboard says by the names of its folders.

    A submission lies in `DATASET@VERSION/YYYYMMDD_AGENT_MODEL`.
    """

    name: str
    """The submission's folder."""
    dataset: str
    """Its name and version."""
    agent: str
    model: str


@dataclass(slots=True)
class BenchRun:
    """The files of one run."""

    path: Path
    """Its folder, or its list where that is all there is."""
    metadata: Metadata | None = None
    lock: Lock | None = None
    summaries: list[Summary] = field(default_factory=list)
    own_trials: list[Trial] = field(default_factory=list)
    """Trials that have a file of their own."""
    listed_trials: list[Trial] = field(default_factory=list)
    """Trials of the run's list."""
    trials: list[Trial] = field(default_factory=list)
    """Every trial once, after `settle`."""
    place: LeaderboardFolder | None = None
    """The submission of the leaderboard that it belongs to, if it lies in one."""

    @property
    def agent_name(self) -> str:
        """Return the name of the program that ran; empty where nothing states it."""
        stated = self.metadata.agent if self.metadata else ""
        stated = stated or (self.lock.agent if self.lock else "")
        return stated or (self.place.agent if self.place else "")

    @property
    def model(self) -> str:
        """Return the model as the run states it, with its provider; empty where nothing does."""
        return self.stated_model or (self.place.model if self.place else "")

    @property
    def stated_model(self) -> str:
        """Return the model that the run's own files state; empty where they state none."""
        stated = self.metadata.model if self.metadata else ""
        return stated or (self.lock.model if self.lock else "")

    @property
    def dataset(self) -> str:
        """Return the dataset with its version; empty where nothing states it."""
        stated = self.metadata.dataset if self.metadata else ""
        stated = stated or (self.lock.dataset if self.lock else "")
        return stated or (self.place.dataset if self.place else "")

    @property
    def task_names(self) -> Sequence[str]:
        """Return the tasks that were to be run; none where nothing states them."""
        stated = self.metadata.task_names if self.metadata else ()
        return stated or (self.lock.task_names if self.lock else ())

    @property
    def has_all_tasks(self) -> bool:
        """Return whether the run was over all tasks of its dataset, as far as its files say."""
        parts = [part for part in (self.metadata, self.lock) if part is not None]
        return all(part.has_all_tasks for part in parts)

    @property
    def run_id(self) -> str:
        """Return the name that the runner gave it; empty where nothing states it."""
        stated = self.metadata.run_id if self.metadata else ""
        return stated or next(filter(None, (trial.run_id for trial in self.trials)), "")

    @property
    def attempts(self) -> int:
        """Return how many attempts at each task there were to be."""
        stated = self.metadata.attempts if self.metadata else None
        return max([stated or 1, *(trial.total for trial in self.trials)])

    @property
    def started(self) -> datetime | None:
        """Return when it began; None where nothing states it."""
        if self.metadata and self.metadata.started:
            return self.metadata.started
        return min((trial.started for trial in self.trials if trial.started), default=None)

    @property
    def identities(self) -> set[str]:
        """Return what only copies of this run share with it."""
        trials = (*self.own_trials, *self.listed_trials)
        ids = {trial.id for trial in trials if trial.id}
        if self.metadata and self.metadata.uuid:
            ids.add(self.metadata.uuid)
        return ids

    def take_copy(self, other: "BenchRun") -> None:
        """Add what another copy of the run holds."""
        self.metadata = self.metadata or other.metadata
        self.lock = self.lock or other.lock
        self.summaries += other.summaries
        self.own_trials += other.own_trials
        self.listed_trials += other.listed_trials

    def settle(self, report: Report) -> None:
        """Choose one record for every trial: its own file, or else the last one in the list."""
        own: dict[tuple[str, str], Trial] = {}
        unreadable: dict[tuple[str, str], Trial] = {}
        for trial in self.own_trials:
            records = own if trial.fault is None else unreadable
            records.setdefault((trial.task, trial.name), trial)
        listed: dict[tuple[str, str], Trial] = {}
        for number, trial in enumerate(self.listed_trials):
            key = trial.task, trial.name or trial.id or str(number)
            if key in listed and listed[key].is_resolved != trial.is_resolved:
                what = f"{one_line(trial.name)} stands in the list twice, and the last entry counts"
                report.say(kit_rules.LEFT_OUT, trial.path, what, self.path, what)
            listed[key] = trial
        for key, trial in listed.items():
            if key in own and own[key].is_resolved != trial.is_resolved:
                verdicts = f"{_verdict(own[key])} in its own file, {_verdict(trial)} in the list"
                what = f"{one_line(trial.name or trial.task)} is {verdicts}"
                report.say(kit_rules.SCORE_DIFFERS, trial.path, what, self.path, what)
        for key, trial in unreadable.items():
            if key not in own:
                what = f"{one_line(trial.name)} ({trial.failure})"
                report.say(TRIAL_UNREADABLE, trial.path, what, self.path, what)
        self.trials = list((unreadable | listed | own).values())


def _verdict(trial: Trial) -> str:
    if trial.is_resolved is None:
        return "without a verdict"
    return "resolved" if trial.is_resolved else "not resolved"


def read_runs(tree: Tree, report: Report) -> list[BenchRun]:
    """Return the runs of a source, each once, in the order of time.

    Files of a run that are cut off or broken are errors of the report; those of a trial are not.
    """
    folders = tree.walk(leave_out=WORK_FOLDERS)
    for folder in folders:
        tree.pass_over_archives(folder)
    files = _Files(tree.root, report)
    for folder in folders:
        files.read(folder)
    report.passed_over("neither a trial nor a list of trials", files.others)
    runs = _without_copies(files.grouped(), report)
    for run in runs:
        run.settle(report)
        run.place = _leaderboard_folder(run.path, tree.root)
    return _in_order_of_time(run for run in runs if run.trials or run.metadata)


def _leaderboard_folder(path: Path, root: Path) -> LeaderboardFolder | None:
    """Return the submission of the leaderboard that a run lies in.

    Args:
        path: The run.
        root: The source; folders above it are looked at by their names alone.
    """
    places = (path.absolute(), *path.absolute().parents)
    for folder in places:
        submission = _SUBMISSION.fullmatch(folder.name)
        dataset = _DATASET.fullmatch(folder.parent.name)
        if submission and dataset:
            name = f"{dataset['name']} {dataset['version']}"
            return LeaderboardFolder(folder.name, name, submission["agent"], submission["model"])
        if folder == root.absolute():
            return None
    return None


def files_of_runs(tree: Tree) -> Iterator[Path]:
    """Yield the files that tell that a source has runs, as their beginning shows."""
    for folder in tree.walk(leave_out=WORK_FOLDERS):
        if METADATA in folder.files:
            head = read_head(folder.path / METADATA, _HEAD) or b""
            if b'"agent_name"' in head and b'"dataset_' in head:
                yield folder.path / METADATA
        for name in folder.files:
            if name.endswith(".json") and _has_trials(folder.path / name):
                yield folder.path / name


def _has_trials(path: Path) -> bool:
    """Return whether a JSON file begins as a trial or a list of trials does."""
    head = read_head(path, _HEAD) or b""
    return all(key in head for key in (b'"task_id"', b'"is_resolved"', b'"failure_mode"'))


class _Files:
    """The files of a source, read and waiting to be sorted into runs."""

    def __init__(self, root: Path, report: Report) -> None:
        self.root = root
        self.report = report
        self.runs: dict[Path, BenchRun] = {}
        """By the folder, or by the list that stands for itself."""
        self.trials: list[Trial] = []
        self.others: list[Path] = []
        """Files that hold something else."""

    def read(self, folder: Folder) -> None:
        """Read the files of a folder."""
        path = folder.path
        if METADATA in folder.files:
            record = self._run_record(path / METADATA)
            if record is not None:
                self._run(path).metadata = metadata_of(record, path / METADATA)
        if LOCK in folder.files:
            self._read_lock(path / LOCK)
        for name in folder.files:
            if name.endswith(LIST) or (name.endswith(".json") and _has_trials(path / name)):
                self._read_results(path / name)

    def _read_lock(self, path: Path) -> None:
        """Read a lock; one that is broken is left out, as the metadata say nearly the same."""
        record = read_object(path)
        if isinstance(record, str) and record != "cut off":
            what = f"{self.report.name(path)}, which is not the JSON object that the runner writes"
            self.report.say(kit_rules.LEFT_OUT, path, what, path.parent, what)
        elif isinstance(record, str):
            self._add_fault(path, record)
        else:
            self._run(path.parent).lock = lock_of(record, path)

    def _read_results(self, path: Path) -> None:
        """Read a file that holds a trial or a list of them."""
        folder = path.parent
        record = read_object(path)
        if isinstance(record, str):
            if path.name == LIST and TRIAL_FOLDER.fullmatch(folder.name):
                self.trials.append(unreadable_trial(path, record))
            else:
                self._add_fault(path, record)
        elif is_list(record):
            run = self._run(folder if path.name == LIST else path)
            run.listed_trials += trials_of(record, path)
            run.summaries.append(summary_of(record, path))
        elif is_trial(record):
            self.trials.append(trial_of(record, path, folder.parent.name, folder.name))
        else:
            self.others.append(path)

    def _run_record(self, path: Path) -> Record | None:
        record = read_object(path)
        if isinstance(record, str):
            self._add_fault(path, record)
            return None
        return record

    def _add_fault(self, path: Path, fault: Fault) -> None:
        match fault:
            case "cut off":
                self.report.add(
                    kit_rules.CUT_OFF,
                    path,
                    f"{self.report.name(path)} ends in the middle of a value",
                )
            case "broken":
                what = f"{self.report.name(path)} is not the JSON object that the runner writes"
                self.report.add(kit_rules.SOURCE_BROKEN, path, what)
            case "too large":
                megabytes = path.stat().st_size / MEGABYTE
                what = f"{self.report.name(path)} has {megabytes:.1f} MB, which is more than {LARGEST_LOG // MEGABYTE}"
                self.report.add(kit_rules.SOURCE_BROKEN, path, what)
            case _:
                assert_never(fault)

    def _run(self, path: Path) -> BenchRun:
        return self.runs.setdefault(path, BenchRun(path))

    def grouped(self) -> list[BenchRun]:
        """Return the runs with the trials that belong to them."""
        run_folders = set(self.runs)
        loose: defaultdict[tuple[Path, str], list[Trial]] = defaultdict(list)
        for trial in self.trials:
            folder = self._run_folder(trial.path.parent, run_folders)
            if folder is not None:
                self.runs[folder].own_trials.append(trial)
            else:
                loose[self._folder_above(trial.path), trial.run_id].append(trial)
        runs = list(self.runs.values())
        for (path, _), trials in loose.items():
            runs.append(BenchRun(path, own_trials=trials))
        return sorted(runs, key=lambda run: (len(run.path.parts), run.path))

    def _run_folder(self, folder: Path, run_folders: set[Path]) -> Path | None:
        """Return the nearest folder with files of a run, from a trial's folder upward."""
        for candidate in (folder, *folder.parents):
            if candidate in run_folders:
                return candidate
            if candidate == self.root:
                return None
        return None

    def _folder_above(self, path: Path) -> Path:
        """Return the folder that would be the run's, of the file RUN/TASK/TRIAL/results.json."""
        folder = path.parent
        for _ in range(2):
            if folder != self.root:
                folder = folder.parent
        return folder


def _without_copies(runs: Iterable[BenchRun], report: Report) -> list[BenchRun]:
    """Return every run once, with what its copies hold, too."""
    kept: list[BenchRun] = []
    by_identity: dict[str, BenchRun] = {}
    copies: defaultdict[Path, list[Path]] = defaultdict(list)
    for run in runs:
        identities = run.identities
        shared = sorted(identities & by_identity.keys())
        first = by_identity[shared[0]] if shared else None
        if first is None:
            kept.append(run)
            first = run
        else:
            first.take_copy(run)
            copies[first.path].append(run.path)
        by_identity |= dict.fromkeys(identities, first)
    for path, others in copies.items():
        places = ", ".join(report.name(other) for other in others)
        report.notes.append(f"{report.name(path)} and {places} are one run, which counts once")
    return kept


def _in_order_of_time(runs: Iterable[BenchRun]) -> list[BenchRun]:
    """Return runs in the order in which they began; those that state no time come last, by name."""
    timed: list[tuple[datetime, str, BenchRun]] = []
    untimed: list[BenchRun] = []
    for run in runs:
        if run.started is None:
            untimed.append(run)
        else:
            timed.append((run.started, str(run.path), run))
    timed.sort(key=lambda entry: entry[:2])
    untimed.sort(key=lambda run: str(run.path))
    return [run for _, _, run in timed] + untimed


def attempts_of(trials: Iterable[Trial]) -> Mapping[str, list[tuple[int, Trial]]]:
    """Return the trials of a run by task, each with the number of its attempt.

    The number is the one that the trial's name states; a trial without one, or with one that is
    taken, gets the next free number.
    """
    by_task: defaultdict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_task[trial.task].append(trial)
    attempts: dict[str, list[tuple[int, Trial]]] = {}
    for task, own in by_task.items():
        numbered: dict[int, Trial] = {}
        for trial in sorted(own, key=_order):
            number = trial.number
            if number is None or number in numbered:
                number = 1
                while number in numbered:
                    number += 1
            numbered[number] = trial
        attempts[task] = sorted(numbered.items())
    return attempts


def _order(trial: Trial) -> tuple[bool, int, str, str]:
    """Put trials that state a number first, then by time and name."""
    started = trial.started.isoformat() if trial.started else ""
    return trial.number is None, trial.number or 0, started, trial.name
