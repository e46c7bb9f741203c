"""The trials of a foreign tree, with what their files tell: which task, which agent, when, and which rounds."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - what is called date elsewhere, too
from functools import cached_property
from pathlib import Path

from sitegen.importers.harbor import records
from sitegen.importers.harbor.records import R
from sitegen.importers.harbor.trajectory import Worker, trajectory_files, worker_of
from sitegen.importers.kit.agents import Entrant, named, only
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.told import moment
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.problems import grouped

TASK_FILE, RESULT, CONFIG, LOCK = "task.toml", "result.json", "config.json", "lock.json"

RESUMED = "__resumed_"
"""Stands between a run's name and the time at which a resume put it aside: the resumed run has the plain name."""

_AGENT, _VERIFIER, _STEPS = "agent", "verifier", "steps"
_OF_TASKS = re.compile(r"environment|solution|tests|steps|round[_-]\d+")
"""Folders of a task that no runs lie in."""

_REWARDS = frozenset({"reward.json", "reward.txt", "test-stdout.txt"})
_TRACES = frozenset({RESULT, CONFIG, "trial.log", "exception.txt"})
_ROUND = re.compile(r"(?:round|step|checkpoint)[-_]?\d{1,4}", re.IGNORECASE)
"""Names of rounds' folders that may lie in a trial's folder itself."""

_NOWHERE = Folder(Path())


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where an agent and a verifier left their files: the folder of a round, or of a trial of one round."""

    agent: Folder = _NOWHERE
    verifier: Folder = _NOWHERE

    @property
    def is_empty(self) -> bool:
        """Whether nobody left anything."""
        return not any(each.files or each.folders for each in (self.agent, self.verifier))


BASELINES = frozenset({"oracle", "nop"})
"""Agents that are none: the reference solution, and one that does nothing."""

_DATED = re.compile(r"(\d{4}-\d{2}-\d{2})(?:__(\d{2})-(\d{2})-(\d{2}))?(?!\d)")


@dataclass(frozen=True)
class Job:
    """A job, as far as its files tell."""

    folder: Folder
    config: records.JobConfig
    lock: records.JobLock
    result: records.JobResult
    trials: int
    """How many of its trials are here."""

    @property
    def dated(self) -> re.Match[str] | None:
        """The time that its name begins with; None where somebody chose another."""
        return _DATED.match(self.folder.path.absolute().name)


@dataclass(frozen=True)  # no slots: what is asked for often is found once and stays
class Trial:
    """One try of one agent at one task."""

    folder: Folder
    job: Job
    rounds: Mapping[str, Workplace]
    """By the names of the steps' folders."""
    loose: Workplace
    """What lies in the trial's folder itself: everything of a trial of one round, and what a crash left over."""
    config: records.TrialConfig
    lock: records.Lock
    result: records.TrialResult
    """Blank where the runner wrote none: the run was cut off, goes on, or its files were left out."""
    has_result: bool
    is_configured: bool
    judged_again: "Trial | None" = None
    """The trial whose work was judged again in this one; None where the agent worked here."""

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.folder.path

    @property
    def name(self) -> str:
        """Name of its folder."""
        return self.path.absolute().name

    @property
    def job_id(self) -> str | None:
        """The runner's own name for its job."""
        return self.config.job_id or self.job.result.id

    @property
    def version(self) -> str | None:
        """Version of the runner."""
        return self.lock.version or self.job.lock.version

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
        named = self.job.dated
        clock = ":".join(each or "00" for each in named.groups()[1:]) if named else ""
        time = f"{named[1]}T{clock}" if named else self.started or self.job.lock.created_at or ""
        return time, str(self.job.folder.path)

    @property
    def day(self) -> Date | None:
        """The day that its job's name begins with, else the day that it was run on; None where neither is told."""
        named = self.job.dated
        told = map(moment, (named[1] if named else None, self.started, self.job.lock.created_at))
        return next((found.date() for found in told if found), None)

    @cached_property
    def nested(self) -> tuple[str, str] | None:
        """The task and the model that its place tells, in EvoCode-Bench's nesting `TASK/harbor_jobs/MODEL/JOB/`."""
        parts = self.path.absolute().parts[-5:-1]
        return (parts[0], parts[2]) if len(parts) == 4 and parts[1] == "harbor_jobs" else None  # noqa: PLR2004 - those

    @cached_property
    def told_tasks(self) -> tuple[str, ...]:
        """What its task is called in its files and by its place, the surest first."""
        references = (self.result.task_id, self.config.task, self.lock.task or records.TaskReference())
        nested = self.nested[0] if self.nested else None
        told = [self.result.task_name, *(name for each in references for name in each.names), nested]
        return tuple(filter(None, told))

    @property
    def task_names(self) -> tuple[str, ...]:
        """What its task may be called, the surest first.

        The name of its own folder is cut and tells nothing. The folders above it are asked where nothing else
        names a task.
        """
        return self.told_tasks or tuple(reversed(self.path.absolute().parts[:-1]))

    def locked_task(self) -> records.TaskReference | None:
        """The task among what was locked when it was run."""
        locked = list(filter(None, (each.task for each in self.job.lock.trials or ())))
        named = (each for each in locked if not set(self.task_names).isdisjoint(each.names))
        return self.lock.task or next(named, only(locked))

    @cached_property
    def steps(self) -> dict[str, records.StepResult]:
        """How its rounds went, by their names in lower case; empty where the runner does not tell."""
        return {each.step_name.casefold(): each for each in self.result.step_results or () if each.step_name}

    @cached_property
    def workplaces(self) -> dict[str, Workplace]:
        """Folders of its rounds, by their names in lower case."""
        return {name.casefold(): place for name, place in self.rounds.items()}

    def of_round(self, name: str) -> tuple[records.StepResult, Workplace]:
        """How a round went and where its files are, by the step's name; blank where nothing tells."""
        key = name.casefold()
        return self.steps.get(key, records.StepResult()), self.workplaces.get(key, Workplace())


def survey_of(
    tree: Tree, kind: Callable[[Tree, Folder], str | None]
) -> tuple[list[Folder], list[Path], dict[str, list[Path]]]:
    """Walk a source.

    Args:
        tree: The source.
        kind: Says why a folder is passed over, nothing where it is a run's, and None where runs may lie in it.

    Returns:
        The folders of runs, the files that define tasks, and the folders that are not looked into, by the reason.
    """
    runs: list[Folder] = []
    tasks: list[Path] = []
    skipped: defaultdict[str, list[Path]] = defaultdict(list)

    def enter(folder: Folder) -> list[str]:
        why, names = kind(tree, folder), folder.folders
        if why is not None:
            if why:
                skipped[why].append(folder.path)
            else:
                runs.append(folder)
            return []
        if TASK_FILE in folder.files:
            tasks.append(folder.path / TASK_FILE)
            names = [name for name in names if not _OF_TASKS.fullmatch(name)]
        else:
            tree.pass_over_archives(folder)
        skipped["folder whose name begins with a dot"] += [folder.path / name for name in names if name.startswith(".")]
        return [name for name in names if not name.startswith(".")]

    tree.visit(enter)
    return runs, tasks, skipped


def kind_of(tree: Tree, folder: Folder) -> str | None:
    """Why a folder is passed over: nothing where it is a trial's, None where trials may lie in it."""
    if RESUMED in folder.path.name and folder.path != tree.root:
        return "backup of a run that was resumed"
    if TASK_FILE in folder.files:
        return None
    if "multiround_results.json" in tree.inner(folder, _VERIFIER).files:
        return "run of the multi-turn fork, for `sitegen import harbor-multiturn`"
    return "" if _is_trial(tree, folder) else None


def _is_trial(tree: Tree, folder: Folder) -> bool:
    """Whether a folder is that of a trial: by what lies in it, else by what its files say."""
    if "job.log" in folder.files:
        return False
    if not _TRACES.isdisjoint(folder.files) and not {_AGENT, _VERIFIER, _STEPS}.isdisjoint(folder.folders):
        return True
    if any(not {_AGENT, _VERIFIER}.isdisjoint(each.folders) for each in _rounds_in(tree, folder)):
        return True
    if not _REWARDS.isdisjoint(tree.inner(folder, _VERIFIER).files):
        return True
    result, _ = records.read_record(folder.file(RESULT), records.TrialResult)
    if result:
        return result.n_total_trials is None and result.trial_name is not None
    config, _ = records.read_record(folder.file(CONFIG), records.TrialConfig)
    return config is not None and config.trial_name is not None


def _rounds_in(tree: Tree, folder: Folder) -> Iterator[Folder]:
    """The folders that may be those of rounds."""
    steps = tree.inner(folder, _STEPS)
    if steps.folders:
        return (tree.inner(steps, name) for name in steps.folders)
    return (tree.inner(folder, name) for name in folder.folders if _ROUND.fullmatch(name))


def _workplace(tree: Tree, folder: Folder) -> Workplace:
    return Workplace(tree.inner(folder, _AGENT), tree.inner(folder, _VERIFIER))


def read_trials(tree: Tree, folders: Sequence[Folder], report: Report) -> list[Trial]:
    """Read the files of trials, and those of their jobs."""
    jobs: dict[Path, Job] = {}
    trials, number = [], Counter(folder.path.parent for folder in folders)

    def read(folder: Folder, name: str, model: type[R]) -> R | None:
        return report.take(records.read_record(folder.file(name), model))

    for folder in folders:
        place = folder.path.parent
        if place not in jobs:
            # What lies above the source is not looked at.
            above = tree.look(place) if folder.path != tree.root else Folder(place)
            job_config = read(above, CONFIG, records.JobConfig) or records.JobConfig()
            job_lock = read(above, LOCK, records.JobLock) or records.JobLock()
            job_result = read(above, RESULT, records.JobResult) or records.JobResult()
            jobs[place] = Job(above, job_config, job_lock, job_result, number[place])
        job = jobs[place]
        told, lock = read(folder, RESULT, records.TrialResult), read(folder, LOCK, records.Lock)
        # Newer runners leave out what is at its default in the file, so that the result's own copy comes first.
        own = (told and told.config) or read(folder, CONFIG, records.TrialConfig)
        result, config = told or records.TrialResult(), own or records.TrialConfig()
        known = job.config.agent_of(config.agent, result.agent_info)
        trial = Trial(
            folder,
            job,
            {each.path.name: _workplace(tree, each) for each in _rounds_in(tree, folder)},
            _workplace(tree, folder),
            config.model_copy(update={"agent": config.agent.or_else(known)}),
            lock or records.Lock(),
            result,
            has_result=told is not None,
            is_configured=own is not None or known != records.AgentConfig(),
        )
        trials.append(trial)
    return trials


@dataclass(frozen=True, slots=True)
class Author:
    """Who made a trial, in the source's own words; None for what it does not tell."""

    name: str | None
    """The model without its provider; the scaffold where there is no model."""
    model: str | None = None
    """The model in full, where that says more than the name."""
    scaffold: str | None = None
    version: str | None = None
    reasoning: str | None = None
    is_configured: bool = False
    """Whether the run's settings are known: then no reasoning setting means the default one."""

    @property
    def is_baseline(self) -> bool:
        """Whether it is no agent: the reference solution, or one that does nothing."""
        return bool({self.name, self.scaffold} & BASELINES)

    def entrant(self, name: str, options: ImportOptions) -> Entrant:
        """Who is ranked for it, by the one name of its model."""
        return Entrant(name, self.scaffold or "", named(self.reasoning or options.reasoning))


def completed(told: Mapping[Path, Author]) -> dict[Path, Author]:
    """Who made each run, by its path; what is not told of a model is taken for the only one that it ran under."""
    scaffolds = grouped((each.name, each.scaffold) for each in told.values() if each.scaffold)
    settings = grouped(((each.name, each.scaffold), each.reasoning) for each in told.values() if each.is_configured)
    authors = {}
    for path, each in told.items():
        scaffold = each.scaffold or only({*scaffolds[each.name]})
        reasoning = each.reasoning if each.is_configured else only({*settings[each.name, scaffold]})
        authors[path] = replace(each, scaffold=scaffold, reasoning=reasoning)
    return authors


def author_of(trial: Trial) -> Author:
    """Who made a trial: from its result, then its settings, then its place, then its transcript."""

    def first(*told: str | None) -> str | None:
        return next((text for each in told if (text := named(each))), None)

    info, config = trial.result.agent_info, trial.config.agent
    worker: Worker | None = None
    if not (info.name and config.model_name):
        places = (*trial.rounds.values(), trial.loose)
        files = (path for place in places for path in trajectory_files(place.agent)[:1])
        worker = next(filter(None, map(worker_of, files)), None)
    worker = worker or Worker()
    nested = trial.nested[1] if trial.nested else None
    model = first(config.model_name, info.model, nested, worker.model_name)
    # An agent that the runner does not know by a name is called by its class.
    scaffold = first(info.name, config.name, worker.name, (config.import_path or "").rpartition(":")[2])
    short = model.rpartition("/")[2] if model else scaffold
    return Author(
        # A baseline may run under any model's name: the folder it lies in says so where nothing else does.
        nested if nested in BASELINES else short,
        None if model == short else model,
        scaffold,
        first(info.version, worker.version, config.version),
        first(config.reasoning),
        trial.is_configured,
    )
