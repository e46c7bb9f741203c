"""What the files of a job and of a trial hold, over all versions of the runner.

Older versions write every key, newer ones leave out those at their default; both add keys as they like.
Texts that may hold keys, folders of a machine or prompts are not read.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from operator import attrgetter
from pathlib import Path
from typing import Annotated, ClassVar, TypeVar

from pydantic import (
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)

from sitegen.importers.kit.agents import only
from sitegen.importers.kit.stream import pick
from sitegen.importers.kit.told import Told, at, moment
from sitegen.models.record import LIMIT
from sitegen.problems import Problem

R = TypeVar("R", bound=Told)

Text = str | None
Amount = Annotated[float, Field(ge=0, le=LIMIT)] | None
Whole = Annotated[int, Field(ge=0, le=LIMIT)] | None


class Lenient(Told):
    """Base of records of files whose shape varies: what is not of its type is taken for absent."""

    exact: ClassVar[frozenset[str]] = frozenset()
    """Fields of which this does not hold."""

    @field_validator("*", mode="wrap")
    @classmethod
    def _or_default(
        cls, value: object, read: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> object:
        try:
            return read(value)
        except ValidationError:
            if info.field_name in cls.exact:
                raise
            return cls.model_fields[info.field_name or ""].get_default()


Figure = float | None


@dataclass(frozen=True, slots=True)
class Effort:
    """What a piece of work took; None for what was not measured."""

    interactions: Figure = None
    turns: Figure = None
    input_tokens: Figure = None
    """Tokens read, cached ones included."""
    cached_tokens: Figure = None
    output_tokens: Figure = None
    cost_usd: Figure = None

    def beside(self, other: "Effort", combine: Callable[[Figure, Figure], Figure]) -> "Effort":
        """Combine each figure with the other's."""
        return Effort(*map(combine, _FIGURES(self), _FIGURES(other)))

    def or_else(self, other: "Effort") -> "Effort":
        """Fill what was not measured with what another source tells of the same work."""
        return self.beside(other, lambda ours, theirs: theirs if ours is None else ours)

    def plus(self, other: "Effort") -> "Effort":
        """Add other work; what was not measured of one of them adds nothing."""
        return self.beside(
            other, lambda ours, theirs: ours if theirs is None else (ours or 0) + theirs
        )


_FIGURES = attrgetter(*(each.name for each in fields(Effort)))


class Span(Lenient):
    """When something began and ended."""

    started_at: Text = None
    finished_at: Text = None

    @property
    def seconds(self) -> float | None:
        """How long it took; None where a clock is missing or ran backwards."""
        start, end = moment(self.started_at), moment(self.finished_at)
        seconds = (end - start).total_seconds() if start and end else -1
        return seconds if seconds >= 0 else None


class StepResult(Span):
    """How one round of a trial went."""

    step_name: Text = None
    n_episodes: Whole = at("agent_result", "metadata", "n_episodes")
    """Replies of the model."""
    n_input_tokens: Amount = at("agent_result", "n_input_tokens")
    n_cache_tokens: Amount = at("agent_result", "n_cache_tokens")
    n_output_tokens: Amount = at("agent_result", "n_output_tokens")
    cost_usd: Amount = at("agent_result", "cost_usd")
    rewards: dict[str, object] | None = at("verifier_result", "rewards")
    exception: Text = at("exception_info", "exception_type")
    leaves_reward_valid: bool | None = at("exception_info", "policy", "has_valid_reward")
    """Whether the runner trusts a reward in spite of the exception; only newer versions say so."""
    agent_execution: Span = Span()
    verifier: Span = Span()

    @property
    def effort(self) -> Effort:
        """What the agent's work took; only a transcript tells of tool calls."""
        read, cached = self.n_input_tokens, self.n_cache_tokens
        return Effort(None, self.n_episodes, read, cached, self.n_output_tokens, self.cost_usd)


class TaskReference(Lenient):
    """Where a trial's task comes from."""

    name: Text = None
    org: Text = None
    """The owner of a package, where that is not part of its name."""
    path: Text = None
    digest: Text = None
    """Only what was locked has it."""

    @property
    def names(self) -> Iterator[str]:
        """What the task may be called, the surest first."""
        if self.name and self.org:
            yield f"{self.org}/{self.name}"
        if self.name:
            yield self.name
        if self.path:
            yield self.path.replace("\\", "/").rstrip("/").rpartition("/")[2]


class Limits(Lenient):
    """What takes the place of a task's limits, for one part of a trial."""

    override_timeout_sec: Amount = None
    override_setup_timeout_sec: Amount = None
    override_cpus: Amount = None
    override_memory_mb: Amount = None
    override_storage_mb: Amount = None
    override_gpus: Amount = None
    max_timeout_sec: Amount = None


class AgentConfig(Limits):
    """Which agent was to run. A trial's settings may leave out what its job's say."""

    name: Text = None
    import_path: Text = None
    model_name: Text = None
    resume_trajectory: bool | None = None
    """Whether its session goes on from round to round; otherwise each round begins a new one."""
    version: Text = at("kwargs", "version")
    effort: str | int | float | None = at("kwargs", "reasoning_effort")
    settings: dict[str, object] | None = at("kwargs")
    """Every setting of the agent that has a single value."""

    def or_else(self, other: "AgentConfig") -> "AgentConfig":
        """Fill what is not told here with what another telling of the same agent has."""
        told = self.model_dump(exclude_none=True)
        return other.model_copy(update=told)

    @property
    def reasoning(self) -> str | None:
        """The reasoning setting, where one was passed to the agent."""
        return None if self.effort in {None, ""} else str(self.effort)


class VerifierConfig(Limits):
    """How rounds were to be checked."""

    disable: bool | None = None


class TrialConfig(Lenient):
    """How a trial was to be run."""

    task: TaskReference = TaskReference()
    trial_name: Text = None
    agent: AgentConfig = AgentConfig()
    verifier: VerifierConfig = VerifierConfig()
    environment: Limits = Limits()
    timeout_multiplier: Amount = None
    agent_timeout_multiplier: Amount = None
    verifier_timeout_multiplier: Amount = None
    agent_setup_timeout_multiplier: Amount = None
    environment_build_timeout_multiplier: Amount = None
    job_id: Text = None
    source_id: Text = at("source_trial", "trial_id")
    """The trial that is judged again."""
    source_path: Text = at("source_trial", "path")
    multi_step_start_step: Whole = None
    """The first round that the agent works on, from 1; those before it are done by the reference solution."""
    multi_step_end_step: Whole = None
    install_only: bool | None = None
    extra_instructions: object = None
    extra_instruction_paths: object = None

    def overrides(self) -> Iterator[tuple[str, float]]:
        """The limits that differ from the task's own, by name: multiplied by anything but 1, or replaced."""
        for name, value in self:
            if name.endswith("_multiplier") and value not in {None, 1}:
                yield name, value
            if not isinstance(value, Limits):
                continue
            for inner, limit in value:
                if inner.startswith(("override_", "max_")) and limit is not None:
                    yield f"{name}.{inner}", limit


class AgentInfo(Lenient):
    """The agent that ran."""

    name: Text = None
    version: Text = None
    model_name: Text = at("model_info", "name")
    provider: Text = at("model_info", "provider")

    @property
    def model(self) -> str | None:
        """The model in full, its provider first."""
        return "/".join(filter(None, (self.provider, self.model_name))) if self.model_name else None


class TrialResult(StepResult):
    """How a trial went. A trial of one round tells of it here, one of several in `step_results`."""

    id: Text = None
    task_name: Text = None
    trial_name: Text = None
    task_id: TaskReference = TaskReference()
    config: TrialConfig | None = None
    agent_info: AgentInfo = AgentInfo()
    step_results: list[StepResult] | None = None
    verifier_environment_mode: Text = None
    """Whether checks run in the agent's container or in one of their own; older versions do not tell."""
    n_total_trials: Whole = None
    """Only jobs have it."""
    reward_valid: bool | None = None
    """Whether the runner trusts the trial's reward; only newer versions say so."""
    schema_version: int | float | None = None
    """Version of the file's format; older versions of the runner do not state it, which means 1."""


class Lock(Lenient):
    """What a trial was run with, or a job: of that, every trial."""

    version: Text = at("harbor", "version")
    commit: Text = at("harbor", "git_commit_hash")
    """The commit that the runner was installed from, where it was installed from one."""
    schema_version: int | float | None = None
    task: TaskReference | None = None
    agent: AgentConfig = AgentConfig()


class JobLock(Lock):
    """What a job was run with."""

    created_at: Text = None
    trials: list[Lock] | None = None


class JobConfig(Lenient):
    """How the trials of a job were to be run."""

    agents: list[AgentConfig] | None = None

    def agent_of(self, agent: AgentConfig, info: AgentInfo) -> AgentConfig:
        """The one agent of the job that a trial's may be, by what the trial tells of its own; blank where several may.

        What a trial does not tell rules nobody out.
        """
        told = {
            "name": agent.name or info.name,
            "model_name": agent.model_name,
            "import_path": agent.import_path,
        }
        fitting = [
            each
            for each in self.agents or ()
            if all(
                None in {ours, getattr(each, key)} or ours == getattr(each, key)
                for key, ours in told.items()
            )
        ]
        return only(fitting) or AgentConfig()


class JobResult(Lenient):
    """How a job went. Its means are about other rounds than the tasks have, and are not read."""

    id: Text = None
    n_total_trials: Whole = None
    n_retries: Whole = at("stats", "n_retries")


def read_record(path: Path | None, model: type[R]) -> tuple[R | None, list[Problem]]:
    """Read one of these files: the record, None where there is no file or it can't be read; and the problems."""
    if path is None:
        return None, []
    value, problems = pick(path, model.shape())
    return (model.model_validate(value) if isinstance(value, dict) else None), problems
