"""Read one run of the fork. Prompts, tracebacks and paths in its files are not read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - what is called date elsewhere, too
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import TypeVar

from pydantic import ValidationError, field_validator

from sitegen.importers.harbor import records
from sitegen.importers.harbor.authors import BASELINES, Author, settings_of
from sitegen.importers.harbor.trials import RESUMED
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.kit.agents import named
from sitegen.importers.kit.rewards import reward_of
from sitegen.importers.kit.stream import Shape, pick
from sitegen.importers.kit.told import Told, at, local_moment, moment
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.models.record import Position
from sitegen.problems import Problem
from sitegen.reading.shape import adapter_of

T = TypeVar("T")

ROWS = "multiround_results.json"
VERIFIER = "verifier"

COMPLETED = "completed"
FAST_FORWARDED = "fast_forwarded"
"""Status of a round that a resumed run copied from the run that it continues."""

LISTED_TWICE = "listed_twice"
"""Status that is given to a round that a run lists twice, with different outcomes."""

UNVERIFIED = "verification_disabled"
VERIFICATION_ERROR = "verification_error"
_WITHOUT_VERDICT = ("agent_timeout", "agent_error", VERIFICATION_ERROR, UNVERIFIED, LISTED_TWICE)
"""Beginnings of the statuses of rounds without a verdict, whatever reward they state."""

_JOB_FOLDERS = ("harbor_jobs", "eval_runs")
"""Folders in which the benchmark's scripts keep a task's jobs, by model."""

_DATED = re.compile(r"\d{4}-\d{2}-\d{2}__")
"""Beginning of the name of a job's folder, unless somebody chose another name."""

# Numbers are limited: names are foreign texts, and Python refuses to parse very long numbers.
_BRANCH = re.compile(
    r"__mr-r(?P<round>\d{1,4})(?:-p(?P<parent>\d{1,4})-h(?P<token>[A-Za-z0-9]+))?"
    r"-a(?P<number>\d{1,4})"
)
_TOKEN = re.compile(r"__(?P<token>[A-Za-z0-9]+)$")


@dataclass(frozen=True, slots=True)
class Branch:
    """A run's place in a fan-out, which tries each round several times from one earlier run."""

    round: int = 0
    """0 for a run outside any fan-out."""
    number: int = -1
    """The try at that round, from 0."""
    parent: int | None = None
    """The try at the round before that it continues; None for a root."""
    token: str | None = None
    """The parent's token; None for a root, which continues no run."""


def branch_of(name: str) -> Branch:
    """Return a run's place in a fan-out, from its name."""
    match = _BRANCH.search(name)
    if match is None or match.end() != len(name):
        return Branch()
    parent = int(match["parent"]) if match["parent"] else None
    return Branch(int(match["round"]), int(match["number"]), parent, match["token"])


def token_of(name: str) -> str | None:
    """Return the random letters in a run's name; None where there are none."""
    match = _TOKEN.search(plain_name(name).partition("__mr-r")[0])
    return match["token"] if match else None


def plain_name(name: str) -> str:
    """Return the name of the run that a backup was made of, and other names as they are."""
    return name.partition(RESUMED)[0]


class RowFile(Told):
    """An entry of `multiround_results.json`: a round that a run went through or copied."""

    round: Position
    reward: float | None = None
    """None where the run states no number."""
    status: str | None = None

    @field_validator("reward", mode="before")
    @classmethod
    def _parse_reward(cls, value: object) -> float | None:
        return reward_of(value)

    @property
    def verdict(self) -> float | None:
        """The reward; None where the round was reached and not scored."""
        has_verdict = not (self.status or "").startswith(_WITHOUT_VERDICT)
        return self.reward if has_verdict else None


class VerifierSettings(Told):
    """The rounds that a run was to go through.

    They decide what kind of run it is, so that a value of a wrong type is an error.
    """

    disable: bool | None = None
    multiround_start_round: Position | None = None
    multiround_max_round: Position | None = None
    multiround_aggregate_end_round: Position | None = None
    multiround_resume_source: str | None = None
    """Path of the run that this one continues, on the machine that ran it."""
    multiround_resume_trial_name: str | None = None
    """Name of the run that was resumed in its own folder."""


class RunSettings(records.Lenient):
    """How a run was started: `config.json`."""

    task: records.TaskReference = records.TaskReference()
    agent: records.AgentConfig = records.AgentConfig()
    verifier: VerifierSettings | None = None

    exact = frozenset({"verifier"})


class _ResultFile(records.StepResult):
    """How a run ended: `result.json`."""

    config: RunSettings | None = None
    task_name: records.Text = None
    task_id: records.TaskReference = records.TaskReference()
    agent_info: records.AgentInfo = records.AgentInfo()
    window_end: Position | None = at("verifier_result", "aggregate_window_end")
    """The last of the rounds that the run's own mean reward is over. That mean is not used."""
    request_times: list[object] = at(
        "agent_result", "metadata", "api_request_times_msec", default=[]
    )

    exact = frozenset({"config"})


@dataclass(frozen=True, slots=True)
class ForkRun:
    """One run of the fork: its settings, how it ended, and its rounds."""

    folder: Folder
    path_parts: tuple[str, ...]
    """Names of the folders that it lies in, and its own, from the root."""
    start: int
    """Its first round."""
    last_round: int | None
    """The last round that it was to run; None for all rounds."""
    window_end: int | None
    """The last of the rounds that it was scored on; None unless that is the task's last round."""
    has_unreadable_settings: bool
    """Whether nothing shows what kind of run it was, as its settings can't be read."""
    is_unverified: bool
    is_resumed_in_place: bool
    """Whether the run that it continues lies in a backup beside it."""
    origin: tuple[str, str] | None
    """Names of the job and of the run that it continues; None for most runs."""
    task_names: tuple[str, ...]
    """Names of its task, the most reliable first."""
    models: tuple[str, ...]
    """Names of its model, that of the folder first."""
    author: Author
    """Who made it: `name` is the first of `models`, `model` the full name in the settings."""
    is_baseline: bool
    """Whether no model ran."""
    exception: str | None
    """Type of the exception that ended it; None where there was none."""
    usage: records.AgentUsage
    """Usage of the run and of the run that it continues: a restored agent goes on counting."""
    began: datetime | None
    """By the clock of its machine, without a time zone."""
    ended: datetime | None
    verifier: Folder
    listed_rounds: Sequence[RowFile]
    """The rounds as the run lists them."""
    has_round_list: bool
    rounds: Mapping[int, RowFile] = field(default_factory=dict)
    """Its rounds by number, copied ones included; `rounds.add_rounds` fills it."""

    @property
    def executed_rounds(self) -> dict[int, RowFile]:
        """The rounds that it went through itself."""
        return {number: row for number, row in self.rounds.items() if number >= self.start}

    @property
    def path(self) -> Path:
        """Its folder."""
        return self.folder.path

    @property
    def branch(self) -> Branch:
        """Its place in a fan-out."""
        return branch_of(self.path.name)

    @property
    def job(self) -> tuple[str, ...]:
        """Names of the folders of its job."""
        return self.path_parts[:-1]

    @property
    def has_copied_rounds(self) -> bool:
        """Whether it lists rounds of the run that it continues."""
        for row in self.listed_rounds:
            if row.round < self.start or row.status == FAST_FORWARDED:
                return True
        return False

    @property
    def continues_run(self) -> bool:
        """Whether it continues another run, in a folder of its own."""
        if self.start == 1 or self.is_resumed_in_place:
            return False
        return self.origin is not None or self.has_copied_rounds

    @property
    def is_single_round(self) -> bool:
        """Whether it was to run one round only."""
        return self.last_round == self.start

    def has_same_agent(self, run: "ForkRun") -> bool:
        """Return whether the same agent made both runs."""
        scaffolds = {self.author.scaffold, run.author.scaffold} - {None}
        return self.author.name == run.author.name and len(scaffolds) <= 1

    @property
    def day(self) -> Date | None:
        """The date in its job's name, else the day on which it ended or began."""
        job_name = self.job[-1] if self.job else ""
        stated_day = moment(job_name[:10]) if _DATED.match(job_name) else None
        time = stated_day or self.ended or self.began
        return time.date() if time else None

    @property
    def time_order(self) -> tuple[datetime, tuple[str, ...]]:
        """Sort key by time; runs without a time come first."""
        return self.began or datetime.min, self.path_parts  # noqa: DTZ901 - without a zone


def read_run(folder: Folder, tree: Tree) -> tuple[ForkRun, list[Problem]]:
    """Read the run in a folder, and return it with the problems of its files."""
    result, problems = _read(folder.file("result.json"), _ResultFile, _ResultFile.shape())
    result = result or _ResultFile()
    settings = result.config
    if settings is None:
        path = folder.file("config.json")
        settings, settings_problems = _read(path, RunSettings, RunSettings.shape())
        problems += settings_problems
    has_wrong_shape = any(problem.code == rules.FILE_SHAPE.code for problem in problems)
    has_unreadable_settings = settings is None and has_wrong_shape
    settings = settings or RunSettings()
    verifier = tree.inner(folder, VERIFIER)
    rows, row_problems = _read(verifier.file(ROWS), list[RowFile], RowFile.shape())
    problems += row_problems

    statuses = {row.status for row in rows or ()}
    window = settings.verifier or _guess_window(rows or [])
    window_end = result.window_end
    if window.multiround_max_round or window.multiround_aggregate_end_round:
        window_end = None
    path_parts = (*tree.root.resolve().parts, *folder.path.relative_to(tree.root).parts)
    task_folder, model_folder = _find_folder_names(path_parts)
    models = _model_names(result, settings, model_folder)
    agent_names = {result.agent_info.name, settings.agent.name, model_folder}
    requests = records.AgentUsage(turns=len(result.request_times) or None)
    run = ForkRun(
        folder,
        path_parts,
        start=window.multiround_start_round or 1,
        last_round=window.multiround_max_round,
        window_end=window_end,
        has_unreadable_settings=has_unreadable_settings,
        is_unverified=bool(window.disable) or UNVERIFIED in statuses,
        is_resumed_in_place=window.multiround_resume_trial_name is not None,
        origin=_parse_origin(window.multiround_resume_source or ""),
        task_names=_task_names(result, settings, task_folder),
        models=models,
        author=_author_of(result, settings, models),
        is_baseline=not BASELINES.isdisjoint(agent_names),
        exception=result.exception,
        usage=result.usage.or_else(requests),
        began=local_moment(result.started_at),
        ended=local_moment(result.finished_at),
        verifier=verifier,
        listed_rounds=rows or (),
        has_round_list=rows is not None,
    )
    return run, problems


def _guess_window(rows: Sequence[RowFile]) -> VerifierSettings:
    """Return the rounds that a run without settings was to go through, from those it lists."""
    executed = [row.round for row in rows if row.status != FAST_FORWARDED]
    start = min(executed, default=1)
    is_single_round = start > 1 and len(rows) == 1
    last_round = start if is_single_round else None
    return VerifierSettings(multiround_start_round=start, multiround_max_round=last_round)


def _find_folder_names(path_parts: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the task and the model in the scripts' layout `TASK/harbor_jobs/MODEL/JOB/RUN`."""
    parents = path_parts[:-1]
    indexes = [index for index, name in enumerate(parents) if name in _JOB_FOLDERS]
    if not indexes:
        return None, None
    index = indexes[-1]
    task_folder = parents[index - 1] if index else None
    inner_folders = parents[index + 1 :]
    has_model_folder = len(inner_folders) > 1 and not _DATED.match(inner_folders[0])
    return task_folder, inner_folders[0] if has_model_folder else None


def _task_names(
    result: _ResultFile, settings: RunSettings, task_folder: str | None
) -> tuple[str, ...]:
    """Return the names of a run's task, the most reliable first."""
    name = result.task_name or ""
    names = [name, *result.task_id.names, *settings.task.names, name.rpartition("/")[2]]
    names.append(task_folder or "")
    return tuple(filter(None, names))


def _model_names(
    result: _ResultFile, settings: RunSettings, model_folder: str | None
) -> tuple[str, ...]:
    """Return the distinct names of a run's model, that of its folder first."""
    full_name = settings.agent.model_name or ""
    short_name = full_name.rpartition("/")[2]
    names = (model_folder, result.agent_info.model_name, short_name, full_name)
    return tuple(dict.fromkeys(filter(None, names)))


def _author_of(result: _ResultFile, settings: RunSettings, models: Sequence[str]) -> Author:
    """Return who made a run, by the first name of its model."""
    full_name = settings.agent.model_name
    provider_path = (full_name or "").rpartition("/")[0]
    return Author(
        name=next(iter(models), None),
        model=full_name,
        scaffold=named(result.agent_info.name or settings.agent.name) or None,
        version=named(result.agent_info.version) or None,
        reasoning=settings.agent.reasoning,
        is_configured=True,
        provider=provider_path.partition("/")[0] or None,
        settings=settings_of(settings.agent),
    )


def _parse_origin(source: str) -> tuple[str, str] | None:
    """Return the names of the job and the run in the path of the run that was continued."""
    path = PurePosixPath(source)
    return (path.parent.name, plain_name(path.name)) if path.name else None


def _read(path: Path | None, model: type[T], shape: Shape) -> tuple[T | None, list[Problem]]:
    """Return a file's record, and the problems of the file.

    Only the keys of the shape are read: a file can hold every prompt and every reply.
    """
    if path is None:
        return None, []
    value, problems = pick(path, shape)
    if problems:
        return None, problems
    try:
        return adapter_of(model).validate_python(value), []
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_input=False)[0]
        location = ".".join(map(str, first_error["loc"])) or "the whole"
        message = f"{path.name} has another shape: {location}: {first_error['msg']}"
        return None, [rules.FILE_SHAPE.broken(path, None, message)]
