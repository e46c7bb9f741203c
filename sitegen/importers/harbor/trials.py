"""Trials with what their files tell: which task, which agent, when, and which of the task's rounds."""

import re
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - what is called date elsewhere, too
from functools import cached_property
from pathlib import Path

from sitegen.importers.harbor.records import (
    JobLock,
    JobResult,
    LockedTask,
    StepResult,
    TaskReference,
    TrialConfig,
    TrialLock,
    TrialResult,
    moment,
    read_record,
)
from sitegen.importers.harbor.survey import CONFIG, LOCK, RESULT, JobFolder, Survey, TrialFolder, Workplace
from sitegen.problems import Problem

_NESTING = ("TASK", "harbor_jobs", "MODEL", "JOB")
"""The folders above a trial in EvoCode-Bench's nesting."""

_DATED = re.compile(r"(\d{4}-\d{2}-\d{2})(?:__(\d{2})-(\d{2})-(\d{2}))?(?!\d)")
"""Names that the runner gives to jobs."""

BASELINES = frozenset({"oracle", "nop"})
"""Agents that are none: the reference solution, and one that does nothing."""


@dataclass(frozen=True)
class Job:
    """A job, as far as its files tell."""

    folder: JobFolder
    lock: JobLock
    result: JobResult

    @property
    def name(self) -> str:
        """Name of its folder."""
        return self.folder.path.absolute().name

    @property
    def version(self) -> str | None:
        """Version of the runner."""
        return self.lock.harbor.version


@dataclass(frozen=True)  # no slots: what is asked for often is found once and stays
class Trial:
    """One try of one agent at one task."""

    place: TrialFolder
    job: Job
    config: TrialConfig
    lock: TrialLock
    result: TrialResult = field(default_factory=TrialResult)
    """Blank where the runner wrote none: the run was cut off, goes on, or its files were left out."""
    has_result: bool = False
    is_configured: bool = False
    """Whether its settings are known."""
    judged_again: "Trial | None" = None
    """The trial whose work was judged again in this one; None where the agent worked here."""

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.place.path

    @property
    def name(self) -> str:
        """Name of its folder."""
        return self.path.absolute().name

    @property
    def id(self) -> str | None:
        """The runner's own name for it."""
        return self.result.id

    @property
    def job_id(self) -> str | None:
        """The runner's own name for its job."""
        return self.config.job_id or self.job.result.id

    @property
    def version(self) -> str | None:
        """Version of the runner."""
        return self.lock.harbor.version or self.job.version

    @property
    def started(self) -> str:
        """When it began, so that it can be compared; empty where that is not told."""
        start = moment(self.result.started_at)
        return start.isoformat() if start else ""

    @property
    def order(self) -> tuple[str, str]:
        """Its place among the trials of its job: where it judges work again, that of the work."""
        return self.judged_again.order if self.judged_again else (self.started, self.name)

    @property
    def job_order(self) -> tuple[str, str]:
        """Its job's place among the jobs: by the time that its name tells, else by when the trial began."""
        named = _DATED.match(self.job.name)
        clock = ":".join(each or "00" for each in named.groups()[1:]) if named else ""
        time = f"{named[1]}T{clock}" if named else self.started or self.job.lock.created_at or ""
        return time, str(self.job.folder.path)

    @property
    def day(self) -> Date | None:
        """The day that its job's name begins with, else the day that it was run on; None where neither is told."""
        named = _DATED.match(self.job.name)
        for told in (named[1] if named else None, self.started, self.job.lock.created_at):
            found = moment(told)
            if found:
                return found.date()
        return None

    @property
    def nested_task(self) -> str | None:
        """The task that its place in EvoCode-Bench's nesting tells; None where it lies elsewhere."""
        return self._nesting[0] if self._nesting else None

    @property
    def nested_model(self) -> str | None:
        """The model that its place in EvoCode-Bench's nesting tells; None where it lies elsewhere."""
        return self._nesting[2] if self._nesting else None

    @cached_property
    def _nesting(self) -> tuple[str, ...]:
        parts = self.path.absolute().parts[-5:-1]
        return parts if len(parts) == len(_NESTING) and parts[1] == _NESTING[1] else ()

    @cached_property
    def told_tasks(self) -> tuple[str, ...]:
        """What its task is called in its files and by its place, the surest first."""
        references = (self.result.task_id, self.config.task, self.lock.task or TaskReference())
        told = [self.result.task_name, *(name for each in references for name in each.names), self.nested_task]
        return tuple(filter(None, told))

    @property
    def task_names(self) -> tuple[str, ...]:
        """What its task may be called, the surest first.

        The name of its own folder is cut and tells nothing. The folders above it are asked where nothing else
        names a task.
        """
        return self.told_tasks or tuple(reversed(self.path.absolute().parts[:-1]))

    def locked_task(self) -> LockedTask | None:
        """Find the task among what was locked when it was run."""
        locked = list(filter(None, (each.task for each in self.job.lock.trials or ())))
        named = (each for each in locked if not set(self.task_names).isdisjoint(each.names))
        only = locked[0] if len(locked) == 1 else None
        return self.lock.task or next(named, only)

    @cached_property
    def step_results(self) -> dict[str, StepResult]:
        """How its rounds went, by their names in lower case; empty where the runner does not tell."""
        return {each.step_name.casefold(): each for each in self.result.step_results or () if each.step_name}

    @cached_property
    def workplaces(self) -> dict[str, Workplace]:
        """Folders of its rounds, by their names in lower case."""
        return {name.casefold(): place for name, place in self.place.rounds.items()}

    @property
    def is_told(self) -> bool:
        """Whether anything tells how it went."""
        return self.has_result or bool(self.place.rounds) or not self.place.loose.is_empty


def read_trials(survey: Survey) -> tuple[list[Trial], list[Problem]]:
    """Read the files of all trials.

    Returns:
        The trials, in the order of their places; and what can't be read.
    """
    jobs: dict[Path, Job] = {}
    problems: list[Problem] = []
    trials = []
    for place in survey.trials:
        if place.job.path not in jobs:
            jobs[place.job.path], found = _job(place.job)
            problems += found
        trial, found = _trial(place, jobs[place.job.path])
        trials.append(trial)
        problems += found
    return trials, problems


def _job(folder: JobFolder) -> tuple[Job, list[Problem]]:
    lock, problems = read_record(folder.file(LOCK), JobLock)
    result, found = read_record(folder.file(RESULT), JobResult)
    return Job(folder, lock or JobLock(), result or JobResult()), [*problems, *found]


def _trial(place: TrialFolder, job: Job) -> tuple[Trial, list[Problem]]:
    result, problems = read_record(place.folder.file(RESULT), TrialResult)
    lock, found = read_record(place.folder.file(LOCK), TrialLock)
    problems += found
    config = result.config if result else None
    if config is None:
        # Newer runners leave out what is at its default here, so that the result's own copy comes first.
        config, found = read_record(place.folder.file(CONFIG), TrialConfig)
        problems += found
    trial = Trial(
        place,
        job,
        config or TrialConfig(),
        lock or TrialLock(),
        result or TrialResult(),
        has_result=result is not None,
        is_configured=config is not None,
    )
    return trial, problems
