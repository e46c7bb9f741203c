"""Find and read the trials of a source: the task, agent, time and rounds of each trial."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 - named date elsewhere as well
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.harbor import records
from sitegen.importers.harbor.records import R
from sitegen.importers.kit.agents import only
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.times import parse_timestamp
from sitegen.importers.kit.tree import Folder, SourceTree

TASK_FILE = "task.toml"
RESULT = "result.json"
CONFIG = "config.json"
LOCK = "lock.json"
LOG = "trial.log"

RESUMED = "__resumed_"
"""Separator between the name of a resumed run and a time, in the name of a backup."""

_AGENT = "agent"
_VERIFIER = "verifier"
_STEPS = "steps"
_WORK_FOLDERS = frozenset({_AGENT, _VERIFIER})
_TRIAL_FOLDERS = frozenset({_AGENT, _VERIFIER, _STEPS})

_TASK_FOLDER = re.compile(r"environment|solution|tests|steps|round[_-]\d+")
"""Folders of a task that contain no runs."""

_REWARD_FILES = frozenset({"reward.json", "reward.txt", "test-stdout.txt"})
_TRIAL_FILES = frozenset({RESULT, CONFIG, LOG, "exception.txt"})
_ROUND_FOLDER = re.compile(r"(?:round|step|checkpoint)[-_]?\d{1,4}", re.IGNORECASE)
"""Names of round folders that may be directly in a trial's folder."""

_STEP_STARTED = re.compile(r"^Starting step (\d{1,4})/(\d{1,4}): (\S.{0,254})$", re.MULTILINE)
"""Log line at the start of a round: its number, the number of rounds and its name."""

_MAX_LOG_BYTES = 256 * 1024
"""Maximum bytes read from a trial's log; its first step line states the number of rounds."""

_DATED = re.compile(r"(\d{4}-\d{2}-\d{2})(?:__(\d{2})-(\d{2})-(\d{2}))?(?!\d)")
_EMPTY_FOLDER = Folder(Path())


@dataclass(frozen=True, slots=True)
class RoundFolders:
    """The folders in which an agent and a verifier left their files for one round."""

    agent: Folder = _EMPTY_FOLDER
    verifier: Folder = _EMPTY_FOLDER

    @property
    def is_empty(self) -> bool:
        """Whether neither the agent nor the verifier left any files."""
        agent, verifier = self.agent, self.verifier
        return not (agent.files or agent.folders or verifier.files or verifier.folders)


@dataclass(frozen=True, slots=True)
class RoundFiles:
    """The files and the result of one round, or of a task without steps, which is graded once."""

    name: str | None
    """The name of the round's step; None if the task has no steps."""
    result: records.StepResult
    """The runner's result; blank if there is none."""
    folders: RoundFolders


@dataclass(frozen=True)
class Job:
    """A job, as described by its files."""

    folder: Folder
    config: records.JobConfig
    lock: records.JobLock
    result: records.JobResult
    trial_count: int
    """The number of the job's trials in the source."""

    @property
    def stated_day(self) -> str | None:
        """The date at the start of the job's name; None if it does not begin with a date."""
        match = self._match_date()
        return match[1] if match else None

    @property
    def stated_time(self) -> str | None:
        """The local time at the start of the job's name; None if it does not begin with a date."""
        match = self._match_date()
        if match is None:
            return None
        day, hour, minute, second = match.groups(default="00")
        return f"{day}T{hour}:{minute}:{second}"

    def _match_date(self) -> re.Match[str] | None:
        return _DATED.match(self.folder.path.absolute().name)


@dataclass(frozen=True)  # no slots: cached properties need a dict
class Trial:
    """One attempt of an agent at a task."""

    folder: Folder
    job: Job
    round_folders: Mapping[str, RoundFolders]
    """The folders of the trial's rounds, keyed by the name of the round."""
    root_folders: RoundFolders
    """Folders directly in the trial's folder, which a single round or a crash leaves there."""
    config: records.TrialConfig
    lock: records.TrialLock
    result: records.TrialResult
    """The result; blank if the trial was cut off, is still running, or lost its files."""
    has_result: bool
    is_configured: bool
    regrade_of: "Trial | None" = None
    """The trial whose work this trial verifies again; None if the agent worked in this trial."""

    @property
    def path(self) -> Path:
        """The trial's folder."""
        return self.folder.path

    @property
    def name(self) -> str:
        """The name of the trial's folder."""
        return self.path.absolute().name

    @property
    def job_id(self) -> str | None:
        """The runner's id for the job."""
        return self.config.job_id or self.job.result.id

    @property
    def version(self) -> str | None:
        """The version of the runner."""
        return self.lock.version or self.job.lock.version

    @property
    def commit(self) -> str | None:
        """The commit of the runner, if it was installed from one."""
        return self.lock.commit or self.job.lock.commit

    @property
    def started(self) -> str:
        """The start of the trial in ISO 8601; empty if it is not stated."""
        start = parse_timestamp(self.result.started_at)
        return start.isoformat() if start else ""

    @property
    def order(self) -> tuple[str, str]:
        """Chronological sort key within a job; a regrade has the key of the original trial."""
        return self.regrade_of.order if self.regrade_of else (self.started, self.name)

    @property
    def job_order(self) -> tuple[str, str]:
        """Sort key of the job: the time in its name, or else the trial's start, and its path."""
        time = self.job.stated_time or self.started or self.job.lock.created_at or ""
        return time, str(self.job.folder.path)

    @property
    def day(self) -> Date | None:
        """The date in the job's name, or else the day of the trial or the job; None if unknown."""
        for text in (self.job.stated_day, self.started, self.job.lock.created_at):
            time = parse_timestamp(text)
            if time is not None:
                return time.date()
        return None

    @cached_property
    def nesting(self) -> tuple[str, str]:
        """The task and the model in EvoCode-Bench's layout `TASK/harbor_jobs/MODEL/JOB/TRIAL`.

        Both are empty for a trial in another layout.
        """
        match self.path.absolute().parts:
            case (*_, task, "harbor_jobs", model, _, _):
                return task, model
            case _:
                return "", ""

    @cached_property
    def stated_task_names(self) -> tuple[str, ...]:
        """Names of the task in the trial's files and path, most reliable first.

        Names without their owners come last.
        """
        references = [self.result.task_id, self.config.task]
        if self.lock.task:
            references.append(self.lock.task)
        names = [self.result.task_name or ""]
        for reference in references:
            names += reference.names
        nested_task, _ = self.nesting
        names.append(nested_task)
        names += [name.rpartition("/")[2] for name in names]
        return tuple(dict.fromkeys(filter(None, names)))

    @property
    def task_names(self) -> tuple[str, ...]:
        """Possible names of the trial's task, most reliable first.

        If no other source names a task, the names of the parent folders are used. The trial's own
        folder is never used, as the runner truncates the task's name there.
        """
        return self.stated_task_names or tuple(reversed(self.path.absolute().parts[:-1]))

    def locked_task(self) -> records.TaskReference | None:
        """Return the task in the trial's lock, or else in the job's; None if neither names it."""
        if self.lock.task:
            return self.lock.task
        locked_tasks = [lock.task for lock in self.job.lock.trials if lock.task]
        names = set(self.task_names)
        for task in locked_tasks:
            if not names.isdisjoint(task.names):
                return task
        return only(locked_tasks)

    @property
    def place_in_job(self) -> tuple[str, str] | None:
        """The job's id and the trial's name, which copies share; None if the job has no id."""
        return (self.job_id, self.name) if self.job_id else None

    @property
    def stated_rewards(self) -> list[object]:
        """What the runner states about the rewards of the trial and of each round."""
        stated: list[object] = [self.result.rewards, self.result.reward_valid]
        return stated + [(step.step_name, step.rewards) for step in self.result.steps]

    @property
    def has_left_nothing(self) -> bool:
        """Whether the trial left nothing but, at most, its settings."""
        return not (self.has_result or self.round_folders) and self.root_folders.is_empty

    @property
    def has_rounds(self) -> bool:
        """Whether the files show that the task has rounds."""
        return self.result.step_results is not None or bool(self.round_folders)

    @cached_property
    def logged_rounds(self) -> tuple[int | None, dict[int, str]]:
        """The number of the task's rounds, and the names of the rounds begun, from the trial's log.

        The names are keyed by round number. The number is None if the log does not state it.
        """
        data = records.read_start(self.folder.file(LOG), _MAX_LOG_BYTES) or b""
        total = None
        names: dict[int, str] = {}
        for match in _STEP_STARTED.finditer(data.decode(errors="replace")):
            total = int(match[2])
            names[int(match[1])] = match[3].strip()
        return total, names

    @cached_property
    def results_by_round(self) -> dict[str, records.StepResult]:
        """The results of the rounds by name in lower case; empty if the runner lists none."""
        results = {}
        for step in self.result.steps:
            if step.step_name:
                results[step.step_name.casefold()] = step
        return results

    @cached_property
    def folders_by_round(self) -> dict[str, RoundFolders]:
        """The folders of the rounds by name in lower case."""
        return {name.casefold(): folders for name, folders in self.round_folders.items()}

    @property
    def complete_run(self) -> RoundFiles:
        """The files and the result of a task without steps."""
        return RoundFiles(None, self.result, self.root_folders)

    def find_round(self, name: str) -> RoundFiles:
        """Return the files and the result of a round by name; blank if there are none."""
        key = name.casefold()
        result = self.results_by_round.get(key, records.StepResult())
        return RoundFiles(name, result, self.folders_by_round.get(key, RoundFolders()))

    def rounds(self, names: Sequence[str]) -> list[RoundFiles]:
        """Return the files and results of the named rounds, or of the run if `names` is empty."""
        if not names:
            return [self.complete_run]
        return [self.find_round(name) for name in names]

    def find_work(self, name: str | None) -> RoundFiles:
        """Return the round with the agent's work; for a regrade, it is in the original trial."""
        trial = self.regrade_of or self
        return trial.complete_run if name is None else trial.find_round(name)


@dataclass(frozen=True, slots=True)
class FolderKind:
    """The kind of a folder: a run, a folder to skip, or a folder that may contain runs."""

    is_run: bool = False
    skip_reason: str | None = None
    """Why the folder is skipped; None if it is not."""


RUN_FOLDER = FolderKind(is_run=True)
OPEN_FOLDER = FolderKind()


class Survey(NamedTuple):
    """The folders and files found in a source."""

    run_folders: list[Folder]
    task_files: list[Path]
    skipped: defaultdict[str, list[Path]]
    """Skipped folders by reason."""


def survey_folders(
    tree: SourceTree, classify: Callable[[SourceTree, Folder], FolderKind]
) -> Survey:
    """Walk through a source and return the folders of its runs and the files of its tasks."""
    survey = Survey([], [], defaultdict(list))

    def enter(folder: Folder) -> list[str]:
        kind = classify(tree, folder)
        if kind.is_run:
            survey.run_folders.append(folder)
            return []
        if kind.skip_reason:
            survey.skipped[kind.skip_reason].append(folder.path)
            return []
        names = list(folder.folders)
        if TASK_FILE in folder.files:
            survey.task_files.append(folder.path / TASK_FILE)
            names = [name for name in names if not _TASK_FOLDER.fullmatch(name)]
        else:
            tree.pass_over_archives(folder)
        hidden = [folder.path / name for name in names if name.startswith(".")]
        survey.skipped["folder whose name begins with a dot"] += hidden
        return [name for name in names if not name.startswith(".")]

    tree.visit(enter)
    return survey


def classify_folder(tree: SourceTree, folder: Folder) -> FolderKind:
    """Return whether a folder is a trial, is skipped, or may contain trials."""
    if RESUMED in folder.path.name and folder.path != tree.root:
        return FolderKind(skip_reason="backup of a run that was resumed")
    if TASK_FILE in folder.files:
        return OPEN_FOLDER
    if "multiround_results.json" in tree.inner(folder, _VERIFIER).files:
        reason = "run of the multi-turn fork, for `sitegen import harbor-multiturn`"
        return FolderKind(skip_reason=reason)
    return RUN_FOLDER if _is_trial(tree, folder) else OPEN_FOLDER


def _is_trial(tree: SourceTree, folder: Folder) -> bool:
    """Return whether a folder is a trial, judging by its file names or the files' contents."""
    if "job.log" in folder.files:
        return False
    has_trial_files = not _TRIAL_FILES.isdisjoint(folder.files)
    if has_trial_files and not _TRIAL_FOLDERS.isdisjoint(folder.folders):
        return True
    for round_folder in _find_round_folders(tree, folder):
        if not _WORK_FOLDERS.isdisjoint(round_folder.folders):
            return True
    if not _REWARD_FILES.isdisjoint(tree.inner(folder, _VERIFIER).files):
        return True
    result, _ = records.read_record(folder.file(RESULT), records.TrialResult)
    if result:
        return result.n_total_trials is None and result.trial_name is not None
    config, _ = records.read_record(folder.file(CONFIG), records.TrialConfig)
    return config is not None and config.trial_name is not None


def _find_round_folders(tree: SourceTree, folder: Folder) -> Iterator[Folder]:
    """Yield the folders of a trial that may belong to rounds."""
    steps = tree.inner(folder, _STEPS)
    if steps.folders:
        for name in steps.folders:
            yield tree.inner(steps, name)
        return
    for name in folder.folders:
        if _ROUND_FOLDER.fullmatch(name):
            yield tree.inner(folder, name)


def read_trials(tree: SourceTree, folders: Sequence[Folder], log: ImportLog) -> list[Trial]:
    """Return the trials in the given folders, with their jobs."""
    trial_counts = Counter(folder.path.parent for folder in folders)
    jobs: dict[Path, Job] = {}
    trials = []
    for folder in folders:
        job_path = folder.path.parent
        if job_path not in jobs:
            # Nothing above the source is read.
            is_inside = folder.path != tree.root
            job_folder = tree.look(job_path) if is_inside else Folder(job_path)
            jobs[job_path] = _read_job(job_folder, trial_counts[job_path], log)
        trials.append(_read_trial(tree, folder, jobs[job_path], log))
    return trials


def _read_job(folder: Folder, trial_count: int, log: ImportLog) -> Job:
    config = _read(folder, CONFIG, records.JobConfig, log) or records.JobConfig()
    lock = _read(folder, LOCK, records.JobLock, log) or records.JobLock()
    result = _read(folder, RESULT, records.JobResult, log) or records.JobResult()
    return Job(folder, config, lock, result, trial_count)


def _read_trial(tree: SourceTree, folder: Folder, job: Job, log: ImportLog) -> Trial:
    stated_result = _read(folder, RESULT, records.TrialResult, log)
    lock = _read(folder, LOCK, records.TrialLock, log) or records.TrialLock()
    # Newer runners omit defaults from config.json, so the copy in the result has priority.
    stated_config = stated_result.config if stated_result else None
    stated_config = stated_config or _read(folder, CONFIG, records.TrialConfig, log)
    result = stated_result or records.TrialResult()
    config = stated_config or records.TrialConfig()
    job_agent = job.config.find_agent(config.agent, result.agent_info)
    round_folders = {}
    for round_folder in _find_round_folders(tree, folder):
        round_folders[round_folder.path.name] = _open_round_folders(tree, round_folder)
    return Trial(
        folder,
        job,
        round_folders,
        _open_round_folders(tree, folder),
        config.model_copy(update={"agent": config.agent.or_else(job_agent)}),
        lock,
        result,
        has_result=stated_result is not None,
        is_configured=stated_config is not None or job_agent != records.AgentConfig(),
    )


def _read(folder: Folder, name: str, model: type[R], log: ImportLog) -> R | None:
    """Return the record in a file, if there is one; its problems are added to the log."""
    return log.collect(records.read_record(folder.file(name), model))


def _open_round_folders(tree: SourceTree, folder: Folder) -> RoundFolders:
    return RoundFolders(tree.inner(folder, _AGENT), tree.inner(folder, _VERIFIER))
