"""The records in the files of a job and of a trial, for all versions of the runner.

Older versions write every key, newer versions omit keys with default values, and each version may
add keys.
Texts that may contain API keys, local paths or prompts are not read.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from pathlib import Path
from typing import Annotated, ClassVar, Self, TypeVar

from pydantic import (
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)

from sitegen.importers.kit.agents import only
from sitegen.importers.kit.file_records import FileRecord, nested_field
from sitegen.importers.kit.stream import pick
from sitegen.importers.kit.times import parse_timestamp
from sitegen.models.record import LIMIT
from sitegen.problems import Problem
from sitegen.reading.files import read_head

R = TypeVar("R", bound=FileRecord)

OptionalText = str | None
Amount = Annotated[float, Field(ge=0, le=LIMIT)]
Count = Annotated[int, Field(ge=0, le=LIMIT)]
OptionalFigure = float | None


class LenientRecord(FileRecord):
    """Base of records whose files vary in shape: a value of the wrong type counts as absent."""

    strict_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields for which a value of the wrong type is an error."""

    @classmethod
    def parse(cls, value: object) -> Self:
        """Return the record in a JSON value; a blank record if the value is not an object."""
        return cls.model_validate(value if isinstance(value, dict) else {})

    @field_validator("*", mode="wrap")
    @classmethod
    def _or_default(
        cls, value: object, validate: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> object:
        try:
            return validate(value)
        except ValidationError:
            if info.field_name in cls.strict_fields:
                raise
            return cls.model_fields[info.field_name or ""].get_default()


@dataclass(frozen=True, slots=True)
class AgentUsage:
    """The resources that an agent used for a piece of work; None for an unmeasured figure."""

    interactions: OptionalFigure = None
    """Number of tool calls."""
    turns: OptionalFigure = None
    """Number of replies by the model."""
    input_tokens: OptionalFigure = None
    """Input tokens, including cached tokens."""
    cached_tokens: OptionalFigure = None
    output_tokens: OptionalFigure = None
    cost_usd: OptionalFigure = None

    def combine(
        self,
        usage: "AgentUsage",
        combine_figures: Callable[[OptionalFigure, OptionalFigure], OptionalFigure],
    ) -> "AgentUsage":
        """Return a usage that combines each figure of this usage with that of another usage."""
        return AgentUsage(*map(combine_figures, _get_figures(self), _get_figures(usage)))

    def or_else(self, fallback: "AgentUsage") -> "AgentUsage":
        """Return these figures, with unmeasured figures taken from a fallback."""
        return self.combine(fallback, _prefer_measured)

    def plus(self, usage: "AgentUsage") -> "AgentUsage":
        """Return the sums of both usages; a figure measured in only one of them is kept."""
        return self.combine(usage, _add_measured)


_get_figures = attrgetter(*(figure.name for figure in fields(AgentUsage)))


def _prefer_measured(first: OptionalFigure, second: OptionalFigure) -> OptionalFigure:
    return second if first is None else first


def _add_measured(first: OptionalFigure, second: OptionalFigure) -> OptionalFigure:
    return first if second is None else (first or 0) + second


class TimeSpan(LenientRecord):
    """A start and an end time."""

    started_at: OptionalText = None
    finished_at: OptionalText = None

    @property
    def seconds(self) -> float | None:
        """The duration; None if a time is missing or the clock ran backwards."""
        start = parse_timestamp(self.started_at)
        end = parse_timestamp(self.finished_at)
        if start is None or end is None or end < start:
            return None
        return (end - start).total_seconds()


class StepResult(TimeSpan):
    """The result of one round of a trial."""

    step_name: OptionalText = None
    n_episodes: Count | None = nested_field("agent_result", "metadata", "n_episodes")
    """Number of replies by the model."""
    n_input_tokens: Amount | None = nested_field("agent_result", "n_input_tokens")
    n_cache_tokens: Amount | None = nested_field("agent_result", "n_cache_tokens")
    n_output_tokens: Amount | None = nested_field("agent_result", "n_output_tokens")
    cost_usd: Amount | None = nested_field("agent_result", "cost_usd")
    rewards: dict[str, object] | None = nested_field("verifier_result", "rewards")
    exception: OptionalText = nested_field("exception_info", "exception_type")
    leaves_reward_valid: bool | None = nested_field("exception_info", "policy", "has_valid_reward")
    """Whether the runner trusts a reward despite the exception; None in older versions."""
    agent_execution: TimeSpan = TimeSpan()
    verifier: TimeSpan = TimeSpan()

    @property
    def usage(self) -> AgentUsage:
        """The agent's usage, except tool calls, which are counted only in transcripts."""
        return AgentUsage(
            turns=self.n_episodes,
            input_tokens=self.n_input_tokens,
            cached_tokens=self.n_cache_tokens,
            output_tokens=self.n_output_tokens,
            cost_usd=self.cost_usd,
        )


class TaskReference(LenientRecord):
    """A reference to the task of a trial: its name, its path and its checksum."""

    name: OptionalText = None
    org: OptionalText = None
    """The owner of the task's package, if the name does not include it."""
    path: OptionalText = None
    digest: OptionalText = None
    """Checksum of the task; only locks contain it."""

    @property
    def names(self) -> list[str]:
        """Possible names of the task, most reliable first."""
        names = []
        if self.name and self.org:
            names.append(f"{self.org}/{self.name}")
        if self.name:
            names.append(self.name)
        if self.path:
            folder_path = self.path.replace("\\", "/").rstrip("/")
            names.append(folder_path.rpartition("/")[2])
        return names


class LimitOverrides(LenientRecord):
    """Limits of one phase of a trial that replace the task's own limits."""

    override_timeout_sec: Amount | None = None
    override_setup_timeout_sec: Amount | None = None
    override_cpus: Amount | None = None
    override_memory_mb: Amount | None = None
    override_storage_mb: Amount | None = None
    override_gpus: Amount | None = None
    max_timeout_sec: Amount | None = None


class AgentConfig(LimitOverrides):
    """The agent to run. A trial's settings may omit values that its job's settings state."""

    name: OptionalText = None
    import_path: OptionalText = None
    model_name: OptionalText = None
    resume_trajectory: bool | None = None
    """Whether one session continues through all rounds; otherwise each round begins a new one."""
    version: OptionalText = nested_field("kwargs", "version")
    reasoning_effort: str | int | float | None = nested_field("kwargs", "reasoning_effort")
    settings: dict[str, object] | None = nested_field("kwargs")
    """The agent's settings that are single values, not lists or tables."""

    def or_else(self, fallback: "AgentConfig") -> "AgentConfig":
        """Return these values, with missing values taken from a fallback."""
        stated = self.model_dump(exclude_none=True)
        return fallback.model_copy(update=stated)

    @property
    def reasoning(self) -> str | None:
        """The reasoning setting; None if none was passed to the agent."""
        return None if self.reasoning_effort in {None, ""} else str(self.reasoning_effort)


class VerifierConfig(LimitOverrides):
    """How rounds are to be verified."""

    disable: bool | None = None


class TrialConfig(LenientRecord):
    """The settings of a trial."""

    task: TaskReference = TaskReference()
    trial_name: OptionalText = None
    agent: AgentConfig = AgentConfig()
    verifier: VerifierConfig = VerifierConfig()
    environment: LimitOverrides = LimitOverrides()
    timeout_multiplier: Amount | None = None
    agent_timeout_multiplier: Amount | None = None
    verifier_timeout_multiplier: Amount | None = None
    agent_setup_timeout_multiplier: Amount | None = None
    environment_build_timeout_multiplier: Amount | None = None
    job_id: OptionalText = None
    source_id: str = nested_field("source_trial", "trial_id", default="")
    """The id of the trial that this trial regrades."""
    source_path: str = nested_field("source_trial", "path", default="")
    multi_step_start_step: Count | None = None
    """The agent's first round, from 1; earlier rounds are solved by the reference solution."""
    multi_step_end_step: Count | None = None
    install_only: bool | None = None
    extra_instructions: object = None
    extra_instruction_paths: object = None

    def overrides(self) -> Iterator[tuple[str, float]]:
        """Yield limits that differ from the task's own: multipliers other than 1, and overrides."""
        for name, value in self:
            if name.endswith("_multiplier") and value not in {None, 1}:
                yield name, value
            if not isinstance(value, LimitOverrides):
                continue
            for limit_name, limit in value:
                if limit_name.startswith(("override_", "max_")) and limit is not None:
                    yield f"{name}.{limit_name}", limit


class AgentInfo(LenientRecord):
    """The agent that ran, according to the result."""

    name: OptionalText = None
    version: OptionalText = None
    model_name: OptionalText = nested_field("model_info", "name")
    provider: OptionalText = nested_field("model_info", "provider")

    @property
    def model(self) -> str | None:
        """The model's full name, beginning with its provider."""
        if self.model_name and self.provider:
            return f"{self.provider}/{self.model_name}"
        return self.model_name or None


class TrialResult(StepResult):
    """The result of a trial; the results of several rounds are in `step_results`."""

    id: OptionalText = None
    task_name: OptionalText = None
    trial_name: OptionalText = None
    task_id: TaskReference = TaskReference()
    config: TrialConfig | None = None
    agent_info: AgentInfo = AgentInfo()
    step_results: list[StepResult] | None = None
    verifier_environment_mode: OptionalText = None
    """Whether the verifier runs in the agent's container; None in older versions."""
    n_total_trials: Count | None = None
    """Only a job's result.json contains this key, which distinguishes it from a trial's."""
    reward_valid: bool | None = None
    """Whether the runner trusts the trial's reward; None in older versions."""
    schema_version: int | float | None = None
    """Version of the file's format; older versions of the runner omit it, which means 1."""

    @property
    def steps(self) -> list[StepResult]:
        """The results of the trial's rounds; empty if the runner lists none."""
        return self.step_results or []


class TrialLock(LenientRecord):
    """The versions of the software with which a trial was run."""

    version: OptionalText = nested_field("harbor", "version")
    commit: OptionalText = nested_field("harbor", "git_commit_hash")
    """The commit from which the runner was installed, if it was installed from one."""
    schema_version: int | float | None = None
    task: TaskReference | None = None
    agent: AgentConfig = AgentConfig()


class JobLock(TrialLock):
    """The versions of the software with which a job was run.

    Newer runners also write a lock.json for each trial, which states the same versions.
    """

    created_at: OptionalText = None
    trials: list[TrialLock] = Field([])
    """Only a job's lock.json contains this key, which distinguishes it from a trial's."""


class JobConfig(LenientRecord):
    """The settings of a job's trials."""

    agents: list[AgentConfig] = Field([])

    def find_agent(self, agent: AgentConfig, info: AgentInfo) -> AgentConfig:
        """Return the job's agent that matches a trial's; blank unless exactly one agent matches."""
        values = {
            "name": agent.name or info.name,
            "model_name": agent.model_name,
            "import_path": agent.import_path,
        }
        stated = {name: value for name, value in values.items() if value is not None}
        fitting = [candidate for candidate in self.agents if _fits(candidate, stated)]
        return only(fitting) or AgentConfig()


def _fits(agent: AgentConfig, stated: Mapping[str, str]) -> bool:
    """Return whether an agent has the given values; a value that it does not state matches."""
    return all(getattr(agent, name) in {None, value} for name, value in stated.items())


class JobResult(LenientRecord):
    """The result of a job. Its mean rewards are not read: they are not means over rounds."""

    id: OptionalText = None
    n_total_trials: Count | None = None
    n_retries: Count | None = nested_field("stats", "n_retries")


def read_record(path: Path | None, model: type[R]) -> tuple[R | None, list[Problem]]:
    """Return the record in a file, and the problems of the file.

    The record is None if there is no file or it can't be read.
    """
    if path is None:
        return None, []
    value, problems = pick(path, model.shape())
    record = model.model_validate(value) if isinstance(value, dict) else None
    return record, problems


def read_start(path: Path | None, max_bytes: int) -> bytes | None:
    """Return the first `max_bytes` of a file; None if there is no file or it can't be read."""
    return read_head(path, max_bytes) if path else None
