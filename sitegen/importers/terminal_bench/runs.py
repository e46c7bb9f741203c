"""Determine which files belong to the same run, and which trials a run contains.

People keep runs in several layouts: the run's folder as the runner wrote it, the same folder
without its trials, single lists named `TIME_results.json`, or trials alone. A trial belongs to the
nearest parent folder that contains files of a run. Copies of a run, which share its uuid or the ids
of trials, are the same run.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import assert_never

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.tree import Folder, SourceTree
from sitegen.importers.terminal_bench.records import (
    TRIAL_FOLDER,
    BenchTrial,
    Fault,
    ListSummary,
    Lock,
    Metadata,
    is_list,
    is_trial,
    parse_lock,
    parse_metadata,
    parse_summary,
    parse_trial,
    parse_trials,
    read_object,
    unreadable_trial,
)
from sitegen.importers.terminal_bench.rules import TRIAL_UNREADABLE
from sitegen.problems import grouped
from sitegen.reading.files import LARGEST_LOG, MEGABYTE, read_head

LIST = "results.json"
METADATA = "run_metadata.json"
LOCK = "tb.lock"

WORK_FOLDERS = frozenset({"sessions", "panes", "agent-logs"})
"""Folders of a trial that contain records of the agent's work."""

_HEAD_BYTES = 256 * 1024
"""Number of bytes of a file that are searched for the keys of a list or a trial."""

_TRIAL_KEYS = (b'"task_id"', b'"is_resolved"', b'"failure_mode"')
_SUBMISSION = re.compile(r"\d{8}_(?P<agent>[^_]+)_(?P<model>.+)")
_DATASET = re.compile(r"(?P<name>[\w.-]+)[@:](?P<version>\d[\w.]*)")

TrialKey = tuple[str, str]
"""The task and the name of a trial."""


@dataclass(frozen=True, slots=True)
class LeaderboardFolder:
    """The names of a submission's folder in the repository of Terminal-Bench's leaderboard.

    A submission is in `DATASET@VERSION/YYYYMMDD_AGENT_MODEL`. The names are blank for other runs.
    """

    name: str = ""
    """The name of the submission's folder."""
    dataset: str = ""
    """The dataset's name and version."""
    agent: str = ""
    model: str = ""


@dataclass(slots=True)
class BenchRun:
    """The files of one run."""

    path: Path
    """The run's folder, or the run's list if there is no other file."""
    metadata: Metadata = field(default_factory=Metadata)
    lock: Lock = field(default_factory=Lock)
    summaries: list[ListSummary] = field(default_factory=list)
    own_trials: list[BenchTrial] = field(default_factory=list)
    """Trials that have their own file."""
    listed_trials: list[BenchTrial] = field(default_factory=list)
    """Trials in the run's list."""
    trials: list[BenchTrial] = field(default_factory=list)
    """Every trial once; filled by `choose_trials`."""
    leaderboard: LeaderboardFolder = field(default_factory=LeaderboardFolder)

    @property
    def agent_name(self) -> str:
        """The name of the program that ran; empty if nothing states it."""
        return self.metadata.agent or self.lock.agent or self.leaderboard.agent

    @property
    def model(self) -> str:
        """The model with its provider; empty if nothing states it."""
        return self.stated_model or self.leaderboard.model

    @property
    def stated_model(self) -> str:
        """The model in the run's own files; empty if they do not state it."""
        return self.metadata.model or self.lock.model

    @property
    def dataset(self) -> str:
        """The dataset with its version; empty if nothing states it."""
        return self.metadata.dataset or self.lock.dataset or self.leaderboard.dataset

    @property
    def task_names(self) -> Sequence[str]:
        """The tasks that were to be run; empty if nothing states them."""
        return self.metadata.task_names or self.lock.task_names

    @property
    def has_all_tasks(self) -> bool:
        """Whether the run covered all tasks of its dataset, according to its files."""
        return self.metadata.has_all_tasks and self.lock.has_all_tasks

    @property
    def run_id(self) -> str:
        """The runner's name for the run; empty if nothing states it."""
        names = (self.metadata.run_id, *(trial.run_id for trial in self.trials))
        return next(filter(None, names), "")

    @property
    def attempts(self) -> int:
        """The planned number of attempts at each task."""
        totals = [trial.total for trial in self.trials]
        return max([self.metadata.attempts or 1, *totals])

    @property
    def started(self) -> datetime | None:
        """When the run began; None if nothing states it."""
        starts = [trial.started for trial in self.trials if trial.started]
        return self.metadata.started or min(starts, default=None)

    @property
    def identities(self) -> set[str]:
        """Ids that this run shares only with its copies."""
        trials = (*self.own_trials, *self.listed_trials)
        ids = {trial.id for trial in trials}
        ids.add(self.metadata.uuid)
        return ids - {""}

    def add_copy(self, copy: "BenchRun") -> None:
        """Add the files of another copy of the run."""
        if self.metadata.path is None:
            self.metadata = copy.metadata
        if self.lock.path is None:
            self.lock = copy.lock
        self.summaries += copy.summaries
        self.own_trials += copy.own_trials
        self.listed_trials += copy.listed_trials

    def choose_trials(self, log: ImportLog) -> None:
        """Choose one record for every trial: its own file, or else the last entry in the list."""
        readable: dict[TrialKey, BenchTrial] = {}
        unreadable: dict[TrialKey, BenchTrial] = {}
        for trial in self.own_trials:
            records = readable if trial.fault is None else unreadable
            records.setdefault((trial.task, trial.name), trial)
        listed = self._merge_listed_trials(log)
        for key, trial in listed.items():
            own_trial = readable.get(key, trial)
            if own_trial.is_resolved != trial.is_resolved:
                own_verdict = f"{describe_verdict(own_trial)} in its own file"
                verdicts = f"{own_verdict}, but {describe_verdict(trial)} in the list"
                message = f"{one_line(trial.name or trial.task)} is {verdicts}"
                log.add_with_caveat(
                    kit_rules.SCORE_DIFFERS, trial.path, message, self.path, message
                )
        for key, trial in unreadable.items():
            if key not in readable:
                message = f"{one_line(trial.name)} ({trial.failure})"
                log.add_with_caveat(TRIAL_UNREADABLE, trial.path, message, self.path, message)
        self.trials = list((unreadable | listed | readable).values())

    def _merge_listed_trials(self, log: ImportLog) -> dict[TrialKey, BenchTrial]:
        """Return the last entry of each trial in the list; differing entries are reported."""
        listed: dict[TrialKey, BenchTrial] = {}
        for number, trial in enumerate(self.listed_trials):
            key = trial.task, trial.name or trial.id or str(number)
            earlier = listed.get(key, trial)
            if earlier.is_resolved != trial.is_resolved:
                name = one_line(trial.name)
                message = f"{name} is in the list twice; the last entry counts"
                log.add_with_caveat(kit_rules.LEFT_OUT, trial.path, message, self.path, message)
            listed[key] = trial
        return listed


def describe_verdict(trial: BenchTrial) -> str:
    """Return the verdict of a trial in words."""
    if trial.is_resolved is None:
        return "without a verdict"
    return "resolved" if trial.is_resolved else "not resolved"


def read_runs(tree: SourceTree, log: ImportLog) -> list[BenchRun]:
    """Return each run of a source once, in chronological order.

    Truncated or broken files of a run are errors in the log; unreadable files of trials are not.
    """
    folders = tree.walk(leave_out=WORK_FOLDERS)
    for folder in folders:
        tree.pass_over_archives(folder)
    reader = _BenchRunReader(tree.root, log)
    for folder in folders:
        reader.read(folder)
    log.note_passed_over("neither a trial nor a list of trials", reader.unused_files)
    runs = _merge_copies(reader.assign_trials(), log)
    for run in runs:
        run.choose_trials(log)
        run.leaderboard = _find_leaderboard_folder(run.path, tree.root)
    known_runs = [run for run in runs if run.trials or run.metadata.path]
    return _sort_by_time(known_runs)


def _find_leaderboard_folder(path: Path, root: Path) -> LeaderboardFolder:
    """Return the leaderboard submission that contains a run; blank for a run elsewhere.

    Args:
        path: The run.
        root: The source; only the names of folders above it are used.
    """
    for folder in (path.absolute(), *path.absolute().parents):
        submission = _SUBMISSION.fullmatch(folder.name)
        dataset = _DATASET.fullmatch(folder.parent.name)
        if submission and dataset:
            name = f"{dataset['name']} {dataset['version']}"
            return LeaderboardFolder(folder.name, name, submission["agent"], submission["model"])
        if folder == root.absolute():
            break
    return LeaderboardFolder()


def find_run_files(tree: SourceTree) -> Iterator[Path]:
    """Yield the files that show that a source contains runs, judging by their beginning."""
    for folder in tree.walk(leave_out=WORK_FOLDERS):
        metadata_path = folder.path / METADATA
        if METADATA in folder.files and _has_keys(metadata_path, (b'"agent_name"', b'"dataset_')):
            yield metadata_path
        for name in folder.files:
            if name.endswith(".json") and _has_keys(folder.path / name, _TRIAL_KEYS):
                yield folder.path / name


def _has_keys(path: Path, keys: Iterable[bytes]) -> bool:
    """Return whether the beginning of a file contains all of the given keys."""
    head = read_head(path, _HEAD_BYTES) or b""
    return all(key in head for key in keys)


@dataclass(slots=True)
class _BenchRunReader:
    """Reads the files of a source, and sorts them into runs."""

    root: Path
    log: ImportLog
    runs: dict[Path, BenchRun] = field(default_factory=dict)
    """Runs, keyed by their folder, or by the list if the list is a separate run."""
    trials: list[BenchTrial] = field(default_factory=list)
    unused_files: list[Path] = field(default_factory=list)
    """Files that contain neither a trial nor a list."""

    def read(self, folder: Folder) -> None:
        """Read the files of a folder that describe a run or its trials."""
        path = folder.path
        if METADATA in folder.files:
            self._read_metadata(path / METADATA)
        if LOCK in folder.files:
            self._read_lock(path / LOCK)
        for name in folder.files:
            is_json = name.endswith(".json")
            if name.endswith(LIST) or (is_json and _has_keys(path / name, _TRIAL_KEYS)):
                self._read_results(path / name)

    def _read_metadata(self, path: Path) -> None:
        record = read_object(path)
        if isinstance(record, str):
            self._report_fault(path, record)
        else:
            self._run_at(path.parent).metadata = parse_metadata(record, path)

    def _read_lock(self, path: Path) -> None:
        """Read a lock; a broken lock is left out, as the metadata contain almost the same facts."""
        record = read_object(path)
        if not isinstance(record, str):
            self._run_at(path.parent).lock = parse_lock(record, path)
        elif record == "cut off":
            self._report_fault(path, record)
        else:
            name = self.log.name(path)
            message = f"{name}, which is not the JSON object that the runner writes"
            self.log.add_with_caveat(kit_rules.LEFT_OUT, path, message, path.parent, message)

    def _read_results(self, path: Path) -> None:
        """Read a file that contains a trial or a list of trials."""
        folder = path.parent
        record = read_object(path)
        if isinstance(record, str):
            if path.name == LIST and TRIAL_FOLDER.fullmatch(folder.name):
                self.trials.append(unreadable_trial(path, record))
            else:
                self._report_fault(path, record)
        elif is_list(record):
            run = self._run_at(folder if path.name == LIST else path)
            run.listed_trials += parse_trials(record, path)
            run.summaries.append(parse_summary(record, path))
        elif is_trial(record):
            self.trials.append(parse_trial(record, path, folder.parent.name, folder.name))
        else:
            self.unused_files.append(path)

    def _report_fault(self, path: Path, fault: Fault) -> None:
        name = self.log.name(path)
        rule = kit_rules.SOURCE_BROKEN
        match fault:
            case "cut off":
                rule = kit_rules.CUT_OFF
                message = f"{name} ends in the middle of a value"
            case "broken":
                message = f"{name} is not the JSON object that the runner writes"
            case "too large":
                size = f"{path.stat().st_size / MEGABYTE:.1f} MB"
                limit = f"{LARGEST_LOG // MEGABYTE} MB"
                message = f"{name} is {size}, more than the limit of {limit}"
            case _:
                assert_never(fault)
        self.log.add(rule, path, message)

    def _run_at(self, path: Path) -> BenchRun:
        return self.runs.setdefault(path, BenchRun(path))

    def assign_trials(self) -> list[BenchRun]:
        """Return the runs with their trials; trials outside any run form separate runs."""
        unassigned: defaultdict[tuple[Path, str], list[BenchTrial]] = defaultdict(list)
        for trial in self.trials:
            folder = self._find_run_folder(trial.path.parent)
            if folder is not None:
                self.runs[folder].own_trials.append(trial)
            else:
                unassigned[self._guess_run_folder(trial.path), trial.run_id].append(trial)
        runs = list(self.runs.values())
        for (path, _), trials in unassigned.items():
            runs.append(BenchRun(path, own_trials=trials))
        return sorted(runs, key=lambda run: (len(run.path.parts), run.path))

    def _find_run_folder(self, folder: Path) -> Path | None:
        """Return the nearest folder with files of a run, going up from a trial's folder."""
        for candidate in (folder, *folder.parents):
            if candidate in self.runs:
                return candidate
            if candidate == self.root:
                break
        return None

    def _guess_run_folder(self, path: Path) -> Path:
        """Return the folder RUN of a file RUN/TASK/TRIAL/results.json, within the source."""
        folder = path.parent
        for _ in range(2):
            if folder != self.root:
                folder = folder.parent
        return folder


def _merge_copies(runs: Iterable[BenchRun], log: ImportLog) -> list[BenchRun]:
    """Return every run once, with the files of its copies."""
    distinct: list[BenchRun] = []
    by_identity: dict[str, BenchRun] = {}
    copies: defaultdict[Path, list[Path]] = defaultdict(list)
    for run in runs:
        identities = run.identities
        shared_identities = sorted(identities & by_identity.keys())
        first = by_identity[shared_identities[0]] if shared_identities else run
        if first is run:
            distinct.append(run)
        else:
            first.add_copy(run)
            copies[first.path].append(run.path)
        by_identity |= dict.fromkeys(identities, first)
    for path, copy_paths in copies.items():
        names = ", ".join(map(log.name, copy_paths))
        log.notes.append(f"{log.name(path)} and {names} are one run, which counts once")
    return distinct


def _sort_by_time(runs: Iterable[BenchRun]) -> list[BenchRun]:
    """Return runs in order of their start; runs without a start time come last, by name."""
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


def number_attempts(trials: Iterable[BenchTrial]) -> Mapping[str, list[tuple[int, BenchTrial]]]:
    """Return the trials of a run, keyed by task, each with the number of its attempt.

    The number is taken from the trial's name. A trial without a number, or whose number is already
    taken, gets the first free number.
    """
    attempts: dict[str, list[tuple[int, BenchTrial]]] = {}
    for task, task_trials in grouped((trial.task, trial) for trial in trials).items():
        numbered: dict[int, BenchTrial] = {}
        for trial in sorted(task_trials, key=_attempt_order):
            number = trial.number
            if number is None or number in numbered:
                number = 1
                while number in numbered:
                    number += 1
            numbered[number] = trial
        attempts[task] = sorted(numbered.items())
    return attempts


def _attempt_order(trial: BenchTrial) -> tuple[bool, int, str, str]:
    """Return the sort key of a trial: by stated number, then by time and name."""
    started = trial.started.isoformat() if trial.started else ""
    return trial.number is None, trial.number or 0, started, trial.name
