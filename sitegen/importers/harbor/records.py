"""What the files of a job and of a trial hold, over all versions of the runner.

Older versions write every key, newer ones leave out those at their default; both add keys as they like.
Texts that may hold keys, folders of a machine or prompts are not read.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)

from sitegen.importers.harbor.stream import Shape, pick
from sitegen.models.record import LIMIT
from sitegen.problems import Problem

R = TypeVar("R", bound="Strict")

Text = str | None
Amount = Annotated[float, Field(ge=0, le=LIMIT)] | None
Whole = Annotated[int, Field(ge=0, le=LIMIT)] | None


class Strict(BaseModel):
    """Base of records of files. Keys that nothing here needs are passed over; a value of another type is an error."""

    model_config = ConfigDict(extra="ignore", strict=True, allow_inf_nan=False, frozen=True)

    @classmethod
    def shape(cls) -> Shape:
        """The keys that it has, for `pick`."""
        shape: dict[str, Shape | None] = {}
        for name, info in cls.model_fields.items():
            types = list(_types_in(info.annotation))
            records = [each for each in types if isinstance(each, type) and issubclass(each, Strict)]
            if records:
                inner: Shape | None = records[0].shape()
            elif dict in types:
                inner = {"*": None}
            else:
                inner = {} if {list, object} & set(types) else None
            shape[info.alias or name] = inner
        return shape


def or_default(cls: type[Strict], value: object, read: ValidatorFunctionWrapHandler, info: ValidationInfo) -> object:
    """Validates a field: what is not of its type is taken for absent."""
    try:
        return read(value)
    except ValidationError:
        return cls.model_fields[info.field_name or ""].get_default()


class Lenient(Strict):
    """Base of records of files whose shape varies: what is not of its type is taken for absent."""

    _lenient = field_validator("*", mode="wrap")(or_default)


def _types_in(annotation: Any) -> Iterator[Any]:  # noqa: ANN401 - a type as it is written
    yield get_origin(annotation) or annotation
    for inner in get_args(annotation):
        if isinstance(inner, type) or get_args(inner):
            yield from _types_in(inner)


def moment(text: str | None) -> datetime | None:
    """A time as the runner writes it, in UTC where it tells no offset; None where there is none."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


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
    metadata: AgentMetadata = AgentMetadata()


class Verdict(Lenient):
    """What a verifier found."""

    rewards: dict[str, object] | None = None


class Trouble(Lenient):
    """An exception."""

    exception_type: Text = None


class StepResult(Span):
    """How one round of a trial went."""

    step_name: Text = None
    agent_result: AgentContext = AgentContext()
    verifier_result: Verdict = Verdict()
    exception_info: Trouble = Trouble()
    agent_execution: Span = Span()
    verifier: Span = Span()


class TaskReference(Lenient):
    """Where a trial's task comes from."""

    name: Text = None
    path: Text = None

    @property
    def names(self) -> Iterator[str]:
        """What the task may be called, the surest first."""
        if self.name:
            yield self.name
        if self.path:
            yield self.path.replace("\\", "/").rstrip("/").rpartition("/")[2]


class _AgentSettings(Lenient):
    reasoning_effort: str | int | float | None = None


class _TimeLimits(Lenient):
    override_timeout_sec: Amount = None
    override_setup_timeout_sec: Amount = None


class _Resources(Lenient):
    override_cpus: Amount = None
    override_memory_mb: Amount = None
    override_storage_mb: Amount = None
    override_gpus: Amount = None


class AgentConfig(_TimeLimits):
    """Which agent was to run."""

    name: Text = None
    import_path: Text = None
    model_name: Text = None
    resume_trajectory: bool | None = None
    """Whether its session goes on from round to round; otherwise each round begins a new one."""
    settings: Annotated[_AgentSettings | None, Field(alias="kwargs")] = None

    @property
    def reasoning(self) -> str | None:
        """The reasoning setting, where one was passed to the agent."""
        told = self.settings.reasoning_effort if self.settings else None
        return None if told in {None, ""} else str(told)


class SourceTrial(Lenient):
    """The trial that is judged again."""

    trial_id: Text = None
    path: Text = None


class VerifierConfig(_TimeLimits):
    """How rounds were to be checked."""

    disable: bool | None = None


class TrialConfig(Lenient):
    """How a trial was to be run."""

    task: TaskReference = TaskReference()
    trial_name: Text = None
    agent: AgentConfig = AgentConfig()
    verifier: VerifierConfig = VerifierConfig()
    environment: _Resources = _Resources()
    timeout_multiplier: Amount = None
    agent_timeout_multiplier: Amount = None
    verifier_timeout_multiplier: Amount = None
    agent_setup_timeout_multiplier: Amount = None
    environment_build_timeout_multiplier: Amount = None
    job_id: Text = None
    source_trial: SourceTrial | None = None
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
        for part, limits in (("agent", self.agent), ("environment", self.environment), ("verifier", self.verifier)):
            for name, value in limits:
                if name.startswith("override_") and value is not None:
                    yield f"{part}.{name}", value


class _ModelInfo(Lenient):
    name: Text = None
    provider: Text = None


class AgentInfo(Lenient):
    """The agent that ran."""

    name: Text = None
    version: Text = None
    model_info: _ModelInfo | None = None

    @property
    def model(self) -> str | None:
        """The model in full, its provider first."""
        told = self.model_info or _ModelInfo()
        return "/".join(filter(None, (told.provider, told.name))) if told.name else None


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


class _Harness(Lenient):
    version: Text = None


class LockedTask(TaskReference):
    """A task as it was when it was run."""

    digest: Text = None


class TrialLock(Lenient):
    """What a trial was run with."""

    task: LockedTask | None = None
    harbor: _Harness = _Harness()


class JobLock(Lenient):
    """What a job was run with."""

    created_at: Text = None
    harbor: _Harness = _Harness()
    trials: list[TrialLock] | None = None


class _Stats(Lenient):
    n_retries: Whole = None


class JobResult(Lenient):
    """How a job went. Its means are about other rounds than the tasks have, and are not read."""

    id: Text = None
    stats: _Stats = _Stats()


def read_record(path: Path | None, model: type[R]) -> tuple[R | None, list[Problem]]:
    """Read one of these files: the record, None where there is no file or it can't be read; and the problems."""
    if path is None:
        return None, []
    value, problems = pick(path, model.shape())
    return (model.model_validate(value) if isinstance(value, dict) else None), problems
