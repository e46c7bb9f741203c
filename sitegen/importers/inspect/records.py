"""Define the records of an Inspect log: its header, samples and scores, without messages."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import Field, ValidationError, ValidationInfo, field_validator

from sitegen.importers.kit.file_records import FileRecord, nested_field
from sitegen.models.record import Amount, Count

T = TypeVar("T", bound=FileRecord)

_MAX_DROPPED = 100
"""Maximum number of invalid fields; with more, the complete record is invalid."""

MAX_EPOCHS = 1000
"""Maximum number of attempts in a submission."""

Epochs = Annotated[int, Field(ge=1, le=MAX_EPOCHS)]
"""A number of attempts, or the number of an attempt."""


class _Nullable(FileRecord):
    """Base of records in which null stands for the default value of a field."""

    @field_validator("*", mode="before")
    @classmethod
    def _replace_null(cls, value: object, info: ValidationInfo) -> object:
        if value is not None or info.field_name is None:
            return value
        field = cls.model_fields[info.field_name]
        if field.is_required():
            return None
        return field.get_default(call_default_factory=True)


class EndReason(FileRecord):
    """The reason why a sample or a run ended: an error, a limit, or an invalidation."""

    message: str | None = None
    type: str | None = None
    reason: str | None = None


class Usage(FileRecord):
    """Tokens that a model read and wrote, and their cost."""

    input_tokens: Amount | None = None
    """Input tokens that were neither read from a cache nor written to it."""
    input_tokens_cache_read: Amount | None = None
    input_tokens_cache_write: Amount | None = None
    output_tokens: Amount | None = None
    total_cost: Amount | None = None

    @property
    def tokens_read(self) -> float:
        """Input tokens, including cached tokens."""
        cache_read = self.input_tokens_cache_read or 0
        cache_write = self.input_tokens_cache_write or 0
        return (self.input_tokens or 0) + cache_read + cache_write


class SampleScore(_Nullable):
    """A scorer's score of a sample."""

    value: object = None
    """A letter, a word, a number, or a list or table of these values.

    Also None for NaN, which Inspect uses for "not scored".
    """
    reason: str | None = None
    """Inspect's reason why there is no verdict."""
    history: list[object] = Field(default=[])
    """Earlier values of a corrected score."""


class SampleEvent(FileRecord):
    """A step of a sample; only steps in which a scorer assigned a score are used."""

    event: str | None = None
    scorer: str | None = None
    intermediate: bool | None = None
    score: SampleScore | None = None


class LogSample(_Nullable):
    """A sample of a log: one attempt at one task."""

    id: str | int
    epoch: Epochs
    error: EndReason | None = None
    limit: EndReason | None = None
    invalidation: EndReason | None = None
    error_retries: list[object] = Field(default=[])
    scores: dict[str, SampleScore] = Field(default={})
    score: SampleScore | None = None
    """The only score, in logs of the first releases."""
    metadata: dict[str, object] = Field(default={})
    model_usage: dict[str, Usage] = Field(default={})
    working_time: Amount | None = None
    turn_count: Count | None = None
    events: list[SampleEvent] = Field(default=[])

    @property
    def key(self) -> tuple[str, int]:
        """The id of the sample, as text, and its epoch."""
        return str(self.id), self.epoch

    def original_score(self, scorer: str) -> SampleScore | None:
        """Return the original score from the scorer; None if the log has no such event."""
        for event in reversed(self.events):
            is_final = event.event == "score" and not event.intermediate
            if is_final and event.scorer == scorer and event.score is not None:
                return event.score
        return None


class PlanStep(FileRecord):
    """A solver of the plan."""

    solver: str | None = None


class ScorerSpec(FileRecord):
    """A scorer of the task, as stated in the header."""

    name: str | None = None


class Headline(FileRecord):
    """The score that represents the run."""

    scorer: str | None = None
    score: str | None = None
    """A component of the scorer's table, or the scorer's own name."""
    metric: str | None = None
    reducer: str | None = None


class Spec(_Nullable):
    """The specification of a run."""

    task: str
    task_id: str | None = None
    """The id of the task; retries of a run keep the id."""
    task_version: int | str | None = None
    task_args: dict[str, object] = Field(default={})
    eval_id: str | None = None
    run_id: str | None = None
    created: str | None = None
    model: str
    solver: str | None = None
    sample_ids: list[str | int] = nested_field("dataset", "sample_ids", default=[])
    sample_count: int | None = nested_field("dataset", "samples")
    epochs: Epochs = nested_field("config", "epochs", default=1)
    limit: object = nested_field("config", "limit")
    selected_ids: object = nested_field("config", "sample_id")
    effort: str | None = nested_field("model_generate_config", "reasoning_effort")
    other_effort: str | None = nested_field("model_generate_config", "effort")
    reasoning_tokens: int | None = nested_field("model_generate_config", "reasoning_tokens")
    version: str | None = nested_field("packages", "inspect_ai")
    commit: str | None = nested_field("revision", "commit")
    dirty: bool | None = nested_field("revision", "dirty")
    scorers: list[ScorerSpec] = Field(default=[])
    headline: Headline | None = Field(default=None, alias="headline_metric")

    @property
    def is_partial(self) -> bool:
        """Whether only some samples of the dataset were planned to run."""
        return self.limit is not None or self.selected_ids is not None


class LogMetric(_Nullable):
    """A figure that Inspect computed over the samples."""

    value: float | int | None = None
    group: str | None = None
    params: dict[str, object] = Field(default={})


class ScorerFigures(_Nullable):
    """The figures of one scorer, or of one component of its table."""

    name: str
    scorer: str | None = None
    """The scorer's name; None in logs of the first releases, in which `name` is the scorer's."""
    reducer: str | None = None
    """The reducer that joined the epochs of a sample; None for the mean."""
    scored_samples: int | None = None
    metrics: dict[str, LogMetric] = Field(default={})


class LogResults(_Nullable):
    """The results of a run, as Inspect computed them."""

    total_samples: int | None = None
    headline: Headline | None = None
    scores: list[ScorerFigures] = Field(default=[])
    scorer: ScorerFigures | None = None
    """The only figures in logs of the first releases; their metrics are in `metrics`."""
    metrics: dict[str, LogMetric] = Field(default={})

    @property
    def figures(self) -> list[ScorerFigures]:
        """The figures of all scorers, each with the name of the scorer."""
        all_figures = list(self.scores)
        if self.scorer and not all_figures:
            all_figures = [self.scorer.model_copy(update={"metrics": self.metrics})]
        named_figures = []
        for figures in all_figures:
            scorer = figures.scorer or figures.name
            named_figures.append(figures.model_copy(update={"scorer": scorer}))
        return named_figures


class Header(_Nullable):
    """A log without its samples."""

    version: int | None = None
    status: str = "started"
    error: EndReason | None = None
    spec: Spec = Field(alias="eval")
    steps: list[PlanStep] = nested_field("plan", "steps", default=[])
    plan_effort: str | None = nested_field("plan", "config", "reasoning_effort")
    plan_tokens: int | None = nested_field("plan", "config", "reasoning_tokens")
    results: LogResults = Field(default=LogResults())
    started_at: str | None = nested_field("stats", "started_at")
    completed_at: str | None = nested_field("stats", "completed_at")
    model_usage: dict[str, Usage] = nested_field("stats", "model_usage", default={})


REQUIRED_OF_HEADER = frozenset({"eval", "eval.task", "eval.model"})
REQUIRED_OF_SAMPLE = frozenset({"id", "epoch"})


def parse_leniently(model: type[T], data: object, required: Collection[str]) -> tuple[T, list[str]]:
    """Return a record, and the names of fields that were dropped because of their type.

    Args:
        model: The class of the record.
        data: The values, parsed from JSON. Fields of the wrong type are removed from it.
        required: Fields that must not be dropped, in the form `eval.task`.

    Raises:
        ValidationError: A required field is wrong or missing, or too many fields are wrong.
    """
    dropped: list[str] = []
    while True:
        try:
            return model.model_validate(data), dropped
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
            location = problem["loc"]
            if problem["type"] == "missing":
                location = location[:-1]
            name = _remove_value(data, location, required)
            if name is None or len(dropped) >= _MAX_DROPPED:
                raise
            dropped.append(name)


_ABSENT = object()


def _remove_value(
    data: object, location: tuple[int | str, ...], required: Collection[str]
) -> str | None:
    """Remove the value at a location, or the last existing value on the path to it.

    Returns:
        The name of the removed value, such as `eval.task`; None if nothing was removed.
    """
    holder: Any = None
    names: list[str] = []
    value = data
    for key in location:
        child = _find_child(value, key)
        if child is _ABSENT:
            break
        holder = value
        value = child
        names.append(str(key))
    name = ".".join(names)
    if not names or name in required:
        return None
    last_key = location[len(names) - 1]
    del holder[last_key]
    return name


def _find_child(value: object, key: int | str) -> object:
    """Return the value under a key of a table or a list; `_ABSENT` if it is missing."""
    if isinstance(value, Mapping):
        return value.get(key, _ABSENT)
    if isinstance(value, list) and isinstance(key, int) and key < len(value):
        return value[key]
    return _ABSENT
