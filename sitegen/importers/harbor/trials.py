"""The trials of a foreign tree, with what their files tell: which task, which agent, when, and which rounds."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from sitegen.reading.files import read_head

TASK_FILE, RESULT, CONFIG, LOCK, LOG = (
    "task.toml",
    "result.json",
    "config.json",
    "lock.json",
    "trial.log",
)

RESUMED = "__resumed_"
"""Stands between a run's name and the time at which a resume put it aside: the resumed run has the plain name."""

_AGENT, _VERIFIER, _STEPS = "agent", "verifier", "steps"
_OF_TASKS = re.compile(r"environment|solution|tests|steps|round[_-]\d+")
"""Folders of a task that no runs lie in."""

_REWARDS = frozenset({"reward.json", "reward.txt", "test-stdout.txt"})
_TRACES = frozenset({RESULT, CONFIG, LOG, "exception.txt"})
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

_BEGUN = re.compile(r"^Starting step (\d{1,4})/(\d{1,4}): (\S.{0,254})$", re.MULTILINE)
"""The line of a trial's log that begins a round: its number, the number of rounds, and its name."""

_MAX_LOG = 256 * 1024
"""Bytes of a trial's log that are read: the first line of the kind says how many rounds the task has."""

_SETTING = re.compile(r"[A-Za-z_][\w-]{0,40}")
_SETTING_TEXT = re.compile(r"[\w.+-]{1,40}")
_PRIVATE = re.compile(
    r"key|secret|passw|token(?!s)|auth|cred|url|path|dir|file|host|user|mail", re.IGNORECASE
)
"""Names of settings whose texts may be nobody's business."""

_INCIDENTAL = re.compile(
    r"(?:^|_)(?:seeds?|session|run|trial|job|id|port|logs?|debug|verbose|record\w*|trace\w*|retries|timeout\w*)(?:_|$)",
    re.IGNORECASE,
)
"""Names of settings that do not make another agent."""

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
    def commit(self) -> str | None:
        """The commit of the runner, where it was installed from one."""
        return self.lock.commit or self.job.lock.commit

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
        """What its task is called in its files and by its place, the surest first; last come names without owners."""
        references = (
            self.result.task_id,
            self.config.task,
            self.lock.task or records.TaskReference(),
        )
        names = [self.result.task_name or ""]
        for reference in references:
            names += reference.names
        if self.nested:
            names.append(self.nested[0])
        without_owners = [name.rpartition("/")[2] for name in names]
        return tuple(dict.fromkeys(filter(None, (*names, *without_owners))))

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

    @property
    def place_in_job(self) -> tuple[str, str] | None:
        """Its job and its name, which a copy of it has as well; None where nothing tells the job."""
        return (self.job_id, self.name) if self.job_id else None

    @property
    def verdicts(self) -> list[object]:
        """What the runner says of its rewards, of each round and of the whole."""
        stated: list[object] = [self.result.rewards, self.result.reward_valid]
        return stated + [(step.step_name, step.rewards) for step in self.result.step_results or ()]

    @property
    def has_left_nothing(self) -> bool:
        """Whether neither the runner nor an agent or a verifier left anything of it but its settings."""
        return not (self.has_result or self.rounds) and self.loose.is_empty

    @property
    def is_of_steps(self) -> bool:
        """Whether its task has steps, as far as its files say."""
        return self.result.step_results is not None or bool(self.rounds)

    @cached_property
    def begun_steps(self) -> tuple[int | None, dict[int, str]]:
        """How many rounds its task has, and the names of those that it began, by number, as its log says.

        The first is None where the log says nothing.
        """
        path = self.folder.file(LOG)
        data = (read_head(path, _MAX_LOG) if path else None) or b""
        total, names = None, dict[int, str]()
        for match in _BEGUN.finditer(data.decode(errors="replace")):
            total = int(match[2])
            names[int(match[1])] = match[3].strip()
        return total, names

    @cached_property
    def steps(self) -> dict[str, records.StepResult]:
        """How its rounds went, by their names in lower case; empty where the runner does not tell."""
        return {
            each.step_name.casefold(): each
            for each in self.result.step_results or ()
            if each.step_name
        }

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
        skipped["folder whose name begins with a dot"] += [
            folder.path / name for name in names if name.startswith(".")
        ]
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
    if not _TRACES.isdisjoint(folder.files) and not {_AGENT, _VERIFIER, _STEPS}.isdisjoint(
        folder.folders
    ):
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
    provider: str | None = None
    """What stands first in the full name of the model."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Further settings of the agent that can be shown."""
    import_path: str | None = None
    """Where the agent's class is, for one that does not come with the runner."""

    @property
    def is_baseline(self) -> bool:
        """Whether it is no agent: the reference solution, or one that does nothing."""
        return bool({self.name, self.scaffold} & BASELINES)

    def entrant(self, name: str, options: ImportOptions) -> Entrant:
        """Return who is ranked for it, by the one name of its model."""
        reasoning = named(self.reasoning or options.reasoning)
        return Entrant(name, self.scaffold or "", reasoning, self.provider or "")


def completed(authors: Mapping[Path, Author]) -> dict[Path, Author]:
    """Return who made each trial, by its path, with what only other trials of the same model say.

    What a trial does not say of its model is taken for the only one that the model ran under. Providers and settings
    that do not tell two agents apart are left out; settings that do are part of the reasoning setting's name.
    """
    with_scaffolds = _with_scaffolds(authors)
    by_agent = grouped(
        ((author.name, author.scaffold), path) for path, author in with_scaffolds.items()
    )
    completed_authors: dict[Path, Author] = {}
    for paths in by_agent.values():
        agent_authors = {path: with_scaffolds[path] for path in paths}
        completed_authors |= _told_apart(agent_authors)
    return {path: completed_authors[path] for path in authors}


def _with_scaffolds(authors: Mapping[Path, Author]) -> dict[Path, Author]:
    """Return authors with the scaffold that other trials of the same class, or else of the same model, state.

    An agent whose name no trial states is called by its class.
    """
    named_authors = [author for author in authors.values() if author.scaffold]
    by_class = grouped((author.import_path, author.scaffold) for author in named_authors)
    by_model = grouped((author.name, author.scaffold) for author in named_authors)
    completed_authors = {}
    for path, author in authors.items():
        scaffold = author.scaffold
        if scaffold is None and author.import_path:
            class_name = author.import_path.rpartition(":")[2]
            scaffold = only({*by_class[author.import_path]}) or named(class_name)
        elif scaffold is None:
            scaffold = only({*by_model[author.name]})
        completed_authors[path] = replace(author, scaffold=scaffold, name=author.name or scaffold)
    return completed_authors


def _told_apart(authors: Mapping[Path, Author]) -> dict[Path, Author]:
    """Return the authors of trials of one model and scaffold, with what tells two of them apart.

    Settings do so where they differ within a job: across jobs they are conditions that differ.
    """
    configured = {path: author for path, author in authors.items() if author.is_configured}
    by_job = grouped((path.parent, author) for path, author in configured.items())
    differing = {
        name for job_authors in by_job.values() for name in differing_settings(job_authors)
    }
    labels = {_label(author, differing) for author in configured.values()}
    providers = {author.provider for author in authors.values() if author.provider}
    told_apart = {}
    for path, author in authors.items():
        label = _label(author, differing) if author.is_configured else only(labels)
        provider = author.provider if len(providers) > 1 else None
        told_apart[path] = replace(author, reasoning=label, provider=provider)
    return told_apart


def differing_settings(authors: Iterable[Author]) -> list[str]:
    """Return the names of the settings that are not the same for all of some authors, sorted."""
    values_by_name: defaultdict[str, set[str | None]] = defaultdict(set)
    several = [author.settings for author in authors]
    for name in {name for settings in several for name in settings}:
        values_by_name[name] = {settings.get(name) for settings in several}
    return sorted(name for name, values in values_by_name.items() if len(values) > 1)


def _label(author: Author, names: Collection[str]) -> str | None:
    """Return the reasoning setting of an author and those of its other settings that tell it apart."""
    shown = shown_settings(author, names)
    return ", ".join([author.reasoning, *shown] if author.reasoning else shown) or None


def shown_settings(author: Author, names: Collection[str]) -> list[str]:
    """Return some settings of an author as readers see them."""
    return [f"{name} {value}" for name, value in author.settings.items() if name in names]


def settings_of(agent: records.AgentConfig) -> dict[str, str]:
    """Return the settings of an agent that can be shown, but for those that have a field of their own."""
    shown = {}
    for name, value in sorted((agent.settings or {}).items()):
        if (
            name in {"version", "reasoning_effort"}
            or not _SETTING.fullmatch(name)
            or _INCIDENTAL.search(name)
        ):
            continue
        if isinstance(value, bool | int | float):
            shown[name] = str(value).lower()
        elif (
            isinstance(value, str) and _SETTING_TEXT.fullmatch(value) and not _PRIVATE.search(name)
        ):
            shown[name] = value
    return shown


def author_of(trial: Trial) -> Author:
    """Return who made a trial: from its result, then its settings, then its place, then its transcript."""
    info, config = trial.result.agent_info, trial.config.agent
    worker = Worker()
    if not (info.name and config.model_name):
        worker = _worker_of(trial)
    nested = trial.nested[1] if trial.nested else None
    model = _first(config.model_name, info.model, nested, worker.model_name)
    scaffold = _first(info.name, config.name, worker.name)
    provider, _, last = model.rpartition("/") if model else ("", "", scaffold)
    # A baseline may run under any model's name: the folder it lies in says so where nothing else does.
    name = nested if nested in BASELINES else last
    return Author(
        name,
        None if model == last else model,
        scaffold,
        _first(info.version, worker.version, config.version),
        _first(config.reasoning),
        trial.is_configured,
        provider.partition("/")[0] or None,
        settings_of(config),
        config.import_path,
    )


def _first(*texts: str | None) -> str | None:
    """Return the first of some foreign names that says anything, as it can be shown."""
    return next((shown for text in texts if (shown := named(text))), None)


def _worker_of(trial: Trial) -> Worker:
    """Return the agent that a trial's transcripts name; blank where there is none."""
    for place in (*trial.rounds.values(), trial.loose):
        for path in trajectory_files(place.agent)[:1]:
            worker = worker_of(path)
            if worker is not None:
                return worker
    return Worker()
