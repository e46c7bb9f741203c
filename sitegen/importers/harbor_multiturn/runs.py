"""Read one run of the fork. Prompts, tracebacks and paths in its files are not read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - named date elsewhere as well
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TypeVar

from pydantic import ValidationError, field_validator

from sitegen.importers.harbor import records
from sitegen.importers.harbor.identities import BASELINES, AgentIdentity, select_settings
from sitegen.importers.harbor.trials import RESUMED
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.kit.agents import clean_agent_name
from sitegen.importers.kit.file_records import FileRecord, nested_field
from sitegen.importers.kit.rewards import parse_reward
from sitegen.importers.kit.stream import Shape, pick
from sitegen.importers.kit.times import local_moment, parse_timestamp
from sitegen.importers.kit.tree import Folder, SourceTree
from sitegen.models.record import Position
from sitegen.problems import Problem
from sitegen.reading.shape import adapter_of, fault_text

T = TypeVar("T")

ROWS = "multiround_results.json"
VERIFIER = "verifier"

COMPLETED = "completed"
FAST_FORWARDED = "fast_forwarded"
"""Status of a round that a resumed run copied from the run that it continues."""

LISTED_TWICE = "listed_twice"
"""Status assigned to a round that a run lists twice, with different outcomes."""

UNVERIFIED = "verification_disabled"
VERIFICATION_ERROR = "verification_error"
_WITHOUT_VERDICT = ("agent_timeout", "agent_error", VERIFICATION_ERROR, UNVERIFIED, LISTED_TWICE)
"""Prefixes of the statuses of rounds without a verdict, whatever reward they state."""

_JOB_FOLDERS = ("harbor_jobs", "eval_runs")
"""Folders in which the benchmark's scripts keep a task's jobs, with a subfolder per model."""

_DATED = re.compile(r"\d{4}-\d{2}-\d{2}__")
"""Prefix of the default name of a job's folder."""

# Digits are limited: names are untrusted, and Python refuses to parse very long numbers.
_BRANCH = re.compile(
    r"__mr-r(?P<round>\d{1,4})(?:-p(?P<parent>\d{1,4})-h(?P<token>[A-Za-z0-9]+))?"
    r"-a(?P<number>\d{1,4})"
)
_TOKEN = re.compile(r"__(?P<token>[A-Za-z0-9]+)$")


@dataclass(frozen=True, slots=True)
class Branch:
    """A run's position in a fan-out, which runs each round several times from one earlier run."""

    round: int = 0
    """The round that the run executed; 0 for a run outside any fan-out."""
    number: int = -1
    """The number of the run among the runs of its round, from 0."""
    parent: int | None = None
    """The number of the previous round's run that this run continues; None for a root."""
    token: str | None = None
    """The parent's token; None for a root, which continues no run."""


def parse_branch(name: str) -> Branch:
    """Return a run's position in a fan-out, parsed from its name."""
    match = _BRANCH.search(name)
    if match is None or match.end() != len(name):
        return Branch()
    parent = int(match["parent"]) if match["parent"] else None
    return Branch(int(match["round"]), int(match["number"]), parent, match["token"])


def parse_token(name: str) -> str | None:
    """Return the random token in a run's name; None if there is none."""
    match = _TOKEN.search(plain_name(name).partition("__mr-r")[0])
    return match["token"] if match else None


def plain_name(name: str) -> str:
    """Return a run's name without the suffix of a backup."""
    return name.partition(RESUMED)[0]


class RowFile(FileRecord):
    """An entry of `multiround_results.json`: a round that a run executed or copied."""

    round: Position
    reward: float | None = None
    """The reward; None if the run states no number."""
    status: str | None = None

    @field_validator("reward", mode="before")
    @classmethod
    def _parse_reward(cls, value: object) -> float | None:
        return parse_reward(value)

    @property
    def verdict(self) -> float | None:
        """The reward; None if the round was reached but not scored."""
        can_be_scored = not (self.status or "").startswith(_WITHOUT_VERDICT)
        return self.reward if can_be_scored else None


class VerifierSettings(FileRecord):
    """The rounds that a run was to execute.

    They determine the kind of the run, so a value of the wrong type is an error.
    """

    disable: bool | None = None
    multiround_start_round: Position | None = None
    multiround_max_round: Position | None = None
    multiround_aggregate_end_round: Position | None = None
    multiround_resume_source: str | None = None
    """Path of the run that this run continues, on the machine that ran it."""
    multiround_resume_trial_name: str | None = None
    """Name of the run that was resumed in its own folder."""


class JobSettings(records.LenientRecord):
    """The settings with which a run was started: `config.json`."""

    task: records.TaskReference = records.TaskReference()
    agent: records.AgentConfig = records.AgentConfig()
    verifier: VerifierSettings | None = None

    strict_fields = frozenset({"verifier"})


class ForkResult(records.StepResult):
    """The result of a run: `result.json`."""

    config: JobSettings | None = None
    task_name: records.OptionalText = None
    task_id: records.TaskReference = records.TaskReference()
    agent_info: records.AgentInfo = records.AgentInfo()
    window_end: Position | None = nested_field("verifier_result", "aggregate_window_end")
    """The last round included in the run's own mean reward. That mean is not used."""
    request_times: list[object] = nested_field(
        "agent_result", "metadata", "api_request_times_msec", default=[]
    )

    strict_fields = frozenset({"config"})


@dataclass(frozen=True)  # no slots: cached properties need a dict
class ForkRun:
    """One run of the fork: its settings, its result and its rounds."""

    folder: Folder
    path_parts: tuple[str, ...]
    """Names of the run's parent folders and of its own folder, from the root."""
    settings: JobSettings
    """The run's settings; blank if there are none or they can't be read."""
    result: ForkResult
    """The run's result; blank if the run wrote none."""
    window: VerifierSettings
    """The rounds that the run was to execute."""
    verifier: Folder
    listed_rounds: Sequence[RowFile]
    """The rounds as the run lists them."""
    has_round_list: bool
    has_unreadable_settings: bool
    """Whether the kind of the run is unknown because its settings can't be read."""
    rounds: Mapping[int, RowFile] = field(default_factory=dict)
    """The run's rounds by number, including copied rounds; added by `rounds.add_rounds`."""

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.folder.path

    @property
    def job(self) -> tuple[str, ...]:
        """Names of the folders from the root to the run's job."""
        return self.path_parts[:-1]

    @property
    def branch(self) -> Branch:
        """The run's position in a fan-out."""
        return parse_branch(self.path.name)

    @property
    def start(self) -> int:
        """The first round that the run was to execute."""
        return self.window.multiround_start_round or 1

    @property
    def last_round(self) -> int | None:
        """The last round that the run was to execute; None for all rounds."""
        return self.window.multiround_max_round

    @property
    def window_end(self) -> int | None:
        """The last round on which the run was scored; None unless it was to run all rounds."""
        is_limited = self.last_round or self.window.multiround_aggregate_end_round
        return None if is_limited else self.result.window_end

    @property
    def is_single_round(self) -> bool:
        """Whether the run was to execute only one round."""
        return self.last_round == self.start

    @property
    def is_unverified(self) -> bool:
        """Whether verification was disabled for the run."""
        statuses = {row.status for row in self.listed_rounds}
        return bool(self.window.disable) or UNVERIFIED in statuses

    @property
    def is_resumed_in_place(self) -> bool:
        """Whether the run continues an earlier run whose backup is next to it."""
        return self.window.multiround_resume_trial_name is not None

    @property
    def origin(self) -> tuple[str, str] | None:
        """Names of the job and of the run that this run continues; None if it states none."""
        path = PurePosixPath(self.window.multiround_resume_source or "")
        return (path.parent.name, plain_name(path.name)) if path.name else None

    @property
    def executed_rounds(self) -> dict[int, RowFile]:
        """The rounds that the run itself executed, by number."""
        return {number: row for number, row in self.rounds.items() if number >= self.start}

    @property
    def has_copied_rounds(self) -> bool:
        """Whether the run lists rounds copied from the run that it continues."""
        statuses = {row.status for row in self.listed_rounds}
        first_listed = min((row.round for row in self.listed_rounds), default=self.start)
        return first_listed < self.start or FAST_FORWARDED in statuses

    @property
    def continues_run(self) -> bool:
        """Whether the run continues another run, which is in a separate folder."""
        if self.start == 1 or self.is_resumed_in_place:
            return False
        return self.origin is not None or self.has_copied_rounds

    @cached_property
    def folder_names(self) -> tuple[str, str]:
        """The task and the model in the layout `TASK/harbor_jobs/MODEL/JOB/RUN`, or else empty."""
        indexes = [index for index, name in enumerate(self.job) if name in _JOB_FOLDERS]
        if not indexes:
            return "", ""
        index = indexes[-1]
        task_folder = self.job[index - 1] if index else ""
        inner_folders = self.job[index + 1 :]
        has_model_folder = len(inner_folders) > 1 and not _DATED.match(inner_folders[0])
        return task_folder, inner_folders[0] if has_model_folder else ""

    @cached_property
    def task_names(self) -> tuple[str, ...]:
        """Possible names of the run's task, most reliable first."""
        name = self.result.task_name or ""
        short_name = name.rpartition("/")[2]
        task_folder, _ = self.folder_names
        references = (*self.result.task_id.names, *self.settings.task.names)
        return tuple(filter(None, (name, *references, short_name, task_folder)))

    @cached_property
    def models(self) -> tuple[str, ...]:
        """Distinct names of the run's model, beginning with the name of the model's folder."""
        full_name = self.settings.agent.model_name or ""
        short_name = full_name.rpartition("/")[2]
        _, model_folder = self.folder_names
        names = (model_folder, self.result.agent_info.model_name, short_name, full_name)
        return tuple(dict.fromkeys(filter(None, names)))

    @cached_property
    def identity(self) -> AgentIdentity:
        """The agent: `name` is the first of `models`, `model` the full name in the settings."""
        agent = self.settings.agent
        info = self.result.agent_info
        provider_path = (agent.model_name or "").rpartition("/")[0]
        return AgentIdentity(
            name=next(iter(self.models), None),
            model=agent.model_name,
            scaffold=clean_agent_name(info.name or agent.name) or None,
            version=clean_agent_name(info.version) or None,
            reasoning=agent.reasoning,
            is_configured=True,
            provider=provider_path.partition("/")[0] or None,
            settings=select_settings(agent),
        )

    @property
    def is_baseline(self) -> bool:
        """Whether the agent is a baseline, which uses no model."""
        _, model_folder = self.folder_names
        names = {self.result.agent_info.name, self.settings.agent.name, model_folder}
        return not BASELINES.isdisjoint(names)

    def has_same_agent(self, run: "ForkRun") -> bool:
        """Return whether this run and another run were made by the same agent."""
        scaffolds = {self.identity.scaffold, run.identity.scaffold} - {None}
        return self.identity.name == run.identity.name and len(scaffolds) <= 1

    @property
    def exception(self) -> str | None:
        """Type of the exception that ended the run; None if there was none."""
        return self.result.exception

    @property
    def usage(self) -> records.AgentUsage:
        """Usage of the run and the run that it continues: a restored agent keeps its counts."""
        requests = records.AgentUsage(turns=len(self.result.request_times) or None)
        return self.result.usage.or_else(requests)

    @property
    def began(self) -> datetime | None:
        """The start of the run in local time; None if unknown."""
        return local_moment(self.result.started_at)

    @property
    def ended(self) -> datetime | None:
        """The end of the run in local time; None if unknown."""
        return local_moment(self.result.finished_at)

    @property
    def day(self) -> Date | None:
        """The date in the job's name, or else the day on which the run ended or began."""
        job_name = self.job[-1] if self.job else ""
        stated_day = parse_timestamp(job_name[:10]) if _DATED.match(job_name) else None
        time = stated_day or self.ended or self.began
        return time.date() if time else None

    @property
    def time_order(self) -> tuple[datetime, tuple[str, ...]]:
        """Chronological sort key; runs without a time come first."""
        return self.began or datetime.min, self.path_parts  # noqa: DTZ901 - without a time zone


def read_run(folder: Folder, tree: SourceTree) -> tuple[ForkRun, list[Problem]]:
    """Read the run in a folder, and return it with the problems of its files."""
    result, problems = _read(folder.file("result.json"), ForkResult, ForkResult.shape())
    result = result or ForkResult()
    settings = result.config
    if settings is None:
        path = folder.file("config.json")
        settings, settings_problems = _read(path, JobSettings, JobSettings.shape())
        problems += settings_problems
    has_broken_file = any(rules.FILE_SHAPE.is_broken_by(problem) for problem in problems)
    has_unreadable_settings = settings is None and has_broken_file
    settings = settings or JobSettings()
    verifier = tree.inner(folder, VERIFIER)
    rows, row_problems = _read(verifier.file(ROWS), list[RowFile], RowFile.shape())
    listed_rounds = rows or []
    run = ForkRun(
        folder,
        (*tree.root.resolve().parts, *folder.path.relative_to(tree.root).parts),
        settings,
        result,
        settings.verifier or _guess_window(listed_rounds),
        verifier,
        listed_rounds,
        has_round_list=rows is not None,
        has_unreadable_settings=has_unreadable_settings,
    )
    return run, problems + row_problems


def _guess_window(rows: Sequence[RowFile]) -> VerifierSettings:
    """Return the rounds that a run without settings was to execute, guessed from its list."""
    executed = [row.round for row in rows if row.status != FAST_FORWARDED]
    start = min(executed, default=1)
    is_single_round = start > 1 and len(rows) == 1
    last_round = start if is_single_round else None
    return VerifierSettings(multiround_start_round=start, multiround_max_round=last_round)


def _read(path: Path | None, model: type[T], shape: Shape) -> tuple[T | None, list[Problem]]:
    """Return a file's record, and the problems of the file.

    Only the keys of the shape are read: a file can contain every prompt and every reply.
    """
    if path is None:
        return None, []
    value, problems = pick(path, shape)
    if problems:
        return None, problems
    try:
        return adapter_of(model).validate_python(value), []
    except ValidationError as error:
        message = f"{path.name} is not in the expected format: {fault_text(error)}"
        return None, [rules.FILE_SHAPE.broken(path, None, message)]
