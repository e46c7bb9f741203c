"""What the files of a job and of a trial hold, over all versions of the runner.

Older versions write every key, newer ones leave out those at their default; both add keys as they like.
Texts that may hold keys, folders of a machine or prompts are not read.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field

from sitegen.importers.harbor.lenient import Amount, Lenient, Perhaps, Text, Whole, or_blank
from sitegen.importers.harbor.limits import Limits, TimeLimits
from sitegen.importers.harbor.stream import pick
from sitegen.problems import Problem

R = TypeVar("R", bound=Lenient)


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


class AgentMetadata(Lenient):
    """What an agent adds about its own work."""

    n_episodes: Whole = None
    """Replies of the model."""


class AgentContext(Lenient):
    """What an agent's work took."""

    n_input_tokens: Amount = None
    """Tokens read, cached ones included."""
    n_output_tokens: Amount = None
    cost_usd: Amount = None
    metadata: Annotated[AgentMetadata, or_blank(AgentMetadata)] = AgentMetadata()


class Verdict(Lenient):
    """What a verifier found."""

    rewards: Perhaps[dict[str, Perhaps[float]]] = None


class Trouble(Lenient):
    """An exception."""

    exception_type: Text = None


class StepResult(Span):
    """How one round of a trial went."""

    step_name: Text = None
    agent_result: Annotated[AgentContext, or_blank(AgentContext)] = AgentContext()
    verifier_result: Annotated[Verdict, or_blank(Verdict)] = Verdict()
    exception_info: Annotated[Trouble, or_blank(Trouble)] = Trouble()
    agent_execution: Annotated[Span, or_blank(Span)] = Span()
    verifier: Annotated[Span, or_blank(Span)] = Span()


class TaskReference(Lenient):
    """Where a trial's task comes from."""

    name: Text = None
    path: Text = None

    @property
    def names(self) -> Iterator[str]:
        """Give what the task may be called, the surest first."""
        if self.name:
            yield self.name
        if self.path:
            yield self.path.replace("\\", "/").rstrip("/").rpartition("/")[2]


class AgentSettings(Lenient):
    """Settings of an agent that readers are told."""

    reasoning_effort: Perhaps[str | int | float] = None


class AgentConfig(TimeLimits):
    """Which agent was to run."""

    name: Text = None
    import_path: Text = None
    model_name: Text = None
    resume_trajectory: Perhaps[bool] = None
    """Whether its session goes on from round to round; otherwise each round begins a new one."""
    settings: Annotated[Perhaps[AgentSettings], Field(alias="kwargs")] = None

    @property
    def reasoning(self) -> str | None:
        """The reasoning setting, where one was passed to the agent."""
        told = self.settings.reasoning_effort if self.settings else None
        return None if told in {None, ""} else str(told)

    @property
    def class_name(self) -> str | None:
        """What an agent is called that the runner does not know by a name."""
        return self.import_path.rpartition(":")[2] if self.import_path else None


class SourceTrial(Lenient):
    """The trial that is judged again."""

    action: Text = None
    trial_id: Text = None
    path: Text = None


class VerifierConfig(TimeLimits):
    """How rounds were to be checked."""

    disable: Perhaps[bool] = None


class TrialConfig(Limits):
    """How a trial was to be run."""

    task: Annotated[TaskReference, or_blank(TaskReference)] = TaskReference()
    trial_name: Text = None
    agent: Annotated[AgentConfig, or_blank(AgentConfig)] = AgentConfig()
    job_id: Text = None
    source_trial: Perhaps[SourceTrial] = None
    multi_step_start_step: Whole = None
    """The first round that the agent works on, from 1; those before it are done by the reference solution."""
    multi_step_end_step: Whole = None
    multi_step_fast_forward_mode: Text = None
    verifier: Annotated[VerifierConfig, or_blank(VerifierConfig)] = VerifierConfig()
    install_only: Perhaps[bool] = None
    """Whether the agent was installed and nothing more."""
    extra_instructions: object = None
    extra_instruction_paths: object = None

    def overrides(self) -> Iterator[tuple[str, float]]:
        """Give the limits that differ from the task's own, by name."""
        yield from self.stretched()
        for part, limits in (("agent", self.agent), ("verifier", self.verifier)):
            yield from ((f"{part}.{name}", value) for name, value in limits.overrides())

    @property
    def is_verified(self) -> bool:
        """Whether its rounds were to be run and checked."""
        return not self.install_only and not self.verifier.disable

    @property
    def has_extra_instructions(self) -> bool:
        """Whether the agent was told more than the task tells."""
        return bool(self.extra_instructions or self.extra_instruction_paths)


class ModelInfo(Lenient):
    """The model that an agent used."""

    name: Text = None
    provider: Text = None


class AgentInfo(Lenient):
    """The agent that ran."""

    name: Text = None
    version: Text = None
    model_info: Perhaps[ModelInfo] = None

    @property
    def model(self) -> str | None:
        """The model in full, its provider first."""
        told = self.model_info or ModelInfo()
        return "/".join(filter(None, (told.provider, told.name))) if told.name else None


class TrialResult(StepResult):
    """How a trial went. A trial of one round tells of it here, one of several in `step_results`."""

    id: Text = None
    task_name: Text = None
    trial_name: Text = None
    task_id: Annotated[TaskReference, or_blank(TaskReference)] = TaskReference()
    config: Perhaps[TrialConfig] = None
    agent_info: Annotated[AgentInfo, or_blank(AgentInfo)] = AgentInfo()
    step_results: Perhaps[list[StepResult]] = None
    verifier_environment_mode: Text = None
    """Whether checks run in the agent's container or in one of their own; older versions do not tell."""
    n_total_trials: Whole = None
    """Only jobs have it."""


class Harness(Lenient):
    """The runner."""

    version: Text = None


class LockedTask(TaskReference):
    """A task as it was when it was run."""

    digest: Text = None


class TrialLock(Lenient):
    """What a trial was run with."""

    task: Perhaps[LockedTask] = None
    harbor: Annotated[Harness, or_blank(Harness)] = Harness()


class JobLock(Lenient):
    """What a job was run with."""

    created_at: Text = None
    harbor: Annotated[Harness, or_blank(Harness)] = Harness()
    trials: Perhaps[list[TrialLock]] = None


class _Stats(Lenient):
    n_retries: Whole = None


class JobResult(Lenient):
    """How a job went. Its means are about other rounds than the tasks have, and are not read."""

    id: Text = None
    started_at: Text = None
    n_total_trials: Whole = None
    stats: Annotated[_Stats, or_blank(_Stats)] = _Stats()

    @property
    def retries(self) -> int:
        """Trials that were run again; only the last try is kept by the runner."""
        return self.stats.n_retries or 0


def read_record(path: Path | None, model: type[R]) -> tuple[R | None, list[Problem]]:
    """Read one of these files.

    Args:
        path: The file; None where there is none.
        model: What it holds.

    Returns:
        The record, or None where there is none or where it can't be read; and the problems.
    """
    if path is None:
        return None, []
    value, problems = pick(path, model.shape())
    return (model.model_validate(value) if isinstance(value, dict) else None), problems


def moment(text: str | None) -> datetime | None:
    """Read a time as the runner writes it, in UTC where it tells no offset; None where there is none."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
