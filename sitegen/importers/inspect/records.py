"""What a log of Inspect holds: its header, its samples and their scores, without the words that were exchanged."""

from collections.abc import Collection, Mapping
from typing import Annotated, TypeVar

from pydantic import Field, ValidationError, ValidationInfo, field_validator

from sitegen.importers.kit.told import Told, at
from sitegen.models.record import Amount, Count

T = TypeVar("T", bound=Told)

_MAX_DROPPED = 100
"""Fields of one record that may be left out before it is given up."""

MAX_EPOCHS = 1000
"""Attempts that a submission may have."""

Epochs = Annotated[int, Field(ge=1, le=MAX_EPOCHS)]
"""A number of attempts, or that of one attempt."""


class _Nullable(Told):
    """Base of records in which null stands for the default of a field."""

    @field_validator("*", mode="before")
    @classmethod
    def _null_is_the_default(cls, value: object, info: ValidationInfo) -> object:
        if value is not None or info.field_name is None:
            return value
        info_of_field = cls.model_fields[info.field_name]
        return (
            None
            if info_of_field.is_required()
            else info_of_field.get_default(call_default_factory=True)
        )


class Cause(Told):
    """Why a sample or a run ended as it did: an error, a limit, or somebody who invalidated it."""

    message: str | None = None
    type: str | None = None
    reason: str | None = None


class Usage(Told):
    """Tokens that a model read and wrote, and what they cost."""

    input_tokens: Amount | None = None
    """Tokens read, without those that were read from a cache or written to it."""
    input_tokens_cache_read: Amount | None = None
    input_tokens_cache_write: Amount | None = None
    output_tokens: Amount | None = None
    total_cost: Amount | None = None

    @property
    def tokens_read(self) -> float:
        """Tokens read, cached ones included."""
        fresh = self.input_tokens or 0
        return fresh + (self.input_tokens_cache_read or 0) + (self.input_tokens_cache_write or 0)


class Score(_Nullable):
    """What a scorer gave a sample."""

    value: object = None
    """A letter, a word, a number, a list or a table of them; None also for NaN, by which Inspect says "not scored"."""
    reason: str | None = None
    """Why there is no verdict, in a word of Inspect's."""
    history: list[object] = Field(default=[])
    """Earlier values of a score that was corrected."""


class Event(Told):
    """A step of a sample; only those in which a scorer gave a score are looked at."""

    event: str | None = None
    scorer: str | None = None
    intermediate: bool | None = None
    score: Score | None = None


class Sample(_Nullable):
    """One attempt at one task."""

    id: str | int
    epoch: Epochs
    error: Cause | None = None
    limit: Cause | None = None
    invalidation: Cause | None = None
    error_retries: list[object] = Field(default=[])
    scores: dict[str, Score] = Field(default={})
    score: Score | None = None
    """The only score, in logs of the first releases."""
    metadata: dict[str, object] = Field(default={})
    model_usage: dict[str, Usage] = Field(default={})
    working_time: Amount | None = None
    turn_count: Count | None = None
    events: list[Event] = Field(default=[])

    @property
    def key(self) -> tuple[str, int]:
        """The sample's id, as text, and its epoch."""
        return str(self.id), self.epoch

    def given_scores(self) -> dict[str, Score]:
        """Return the scores of the sample as its scorers gave them, by scorer, where the log has the events."""
        given = {}
        for event in self.events:
            if event.event == "score" and not event.intermediate and event.scorer and event.score:
                given[event.scorer] = event.score
        return given


class Step(Told):
    """A solver of the plan."""

    solver: str | None = None


class Scorer(Told):
    """A scorer of the task, as its header has it."""

    name: str | None = None


class Headline(Told):
    """Which of several scores stands for the run."""

    scorer: str | None = None
    score: str | None = None
    """Part of the scorer's table, or the scorer's name again."""
    metric: str | None = None
    reducer: str | None = None


class Spec(_Nullable):
    """What was to be run."""

    task: str
    task_id: str | None = None
    """A run that is tried again keeps it."""
    task_version: int | str | None = None
    task_args: dict[str, object] = Field(default={})
    eval_id: str | None = None
    run_id: str | None = None
    created: str | None = None
    model: str
    solver: str | None = None
    sample_ids: list[str | int] = at("dataset", "sample_ids", default=[])
    sample_count: int | None = at("dataset", "samples")
    epochs: Epochs = at("config", "epochs", default=1)
    limit: object = at("config", "limit")
    chosen: object = at("config", "sample_id")
    effort: str | None = at("model_generate_config", "reasoning_effort")
    other_effort: str | None = at("model_generate_config", "effort")
    reasoning_tokens: int | None = at("model_generate_config", "reasoning_tokens")
    version: str | None = at("packages", "inspect_ai")
    commit: str | None = at("revision", "commit")
    dirty: bool | None = at("revision", "dirty")
    scorers: list[Scorer] = Field(default=[])
    headline: Headline | None = Field(default=None, alias="headline_metric")


class Metric(_Nullable):
    """A figure that Inspect computed over the samples."""

    value: float | int | None = None
    group: str | None = None
    params: dict[str, object] = Field(default={})


class Figure(_Nullable):
    """What the values of one scorer, or of one part of its table, come to."""

    name: str
    scorer: str | None = None
    """None in logs of the first releases: then the name is the scorer's."""
    reducer: str | None = None
    """How the epochs of a sample were joined; None for the mean."""
    scored_samples: int | None = None
    metrics: dict[str, Metric] = Field(default={})


class Results(_Nullable):
    """What a run came to, as Inspect computed it."""

    total_samples: int | None = None
    headline: Headline | None = None
    scores: list[Figure] = Field(default=[])
    scorer: Figure | None = None
    """The only figure, in logs of the first releases, with `metrics` beside it."""
    metrics: dict[str, Metric] = Field(default={})

    @property
    def figures(self) -> list[Figure]:
        """The figures of all scorers, each with the scorer's name."""
        figures = list(self.scores)
        if self.scorer and not figures:
            figures = [self.scorer.model_copy(update={"metrics": self.metrics})]
        return [
            figure.model_copy(update={"scorer": figure.scorer or figure.name}) for figure in figures
        ]


class Header(_Nullable):
    """A log without its samples."""

    version: int | None = None
    status: str = "started"
    error: Cause | None = None
    spec: Spec = Field(alias="eval")
    steps: list[Step] = at("plan", "steps", default=[])
    plan_effort: str | None = at("plan", "config", "reasoning_effort")
    plan_tokens: int | None = at("plan", "config", "reasoning_tokens")
    results: Results = Field(default=Results())
    started_at: str | None = at("stats", "started_at")
    completed_at: str | None = at("stats", "completed_at")
    model_usage: dict[str, Usage] = at("stats", "model_usage", default={})


REQUIRED_OF_HEADER = frozenset({"eval", "eval.task", "eval.model"})
REQUIRED_OF_SAMPLE = frozenset({"id", "epoch"})


def parse_leniently(model: type[T], data: object, required: Collection[str]) -> tuple[T, list[str]]:
    """Return a record, and the names of fields that were left out because their values are of another kind.

    Args:
        model: The kind of record.
        data: What was taken out of a file. Fields of another kind are removed from it.
        required: Fields that the record can't do without, spelled `eval.task`.

    Raises:
        ValidationError: A required field is of another kind or missing, or too many fields are wrong.
    """
    dropped: list[str] = []
    while True:
        try:
            return model.model_validate(data), dropped
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
            location = problem["loc"][:-1] if problem["type"] == "missing" else problem["loc"]
            name = _remove(data, location, required)
            if name is None or len(dropped) >= _MAX_DROPPED:
                raise
            dropped.append(name)


_ABSENT = object()


def _remove(data: object, location: tuple[int | str, ...], required: Collection[str]) -> str | None:
    """Remove the value at a location, as far as the location leads; None, and nothing removed, if it has to stay."""
    holder: object = None
    key: int | str = ""
    names: list[str] = []
    value = data
    for part in location:
        child = _child(value, part)
        if child is _ABSENT:
            break
        holder, key, value = value, part, child
        names.append(str(part))
    name = ".".join(names)
    if not names or name in required:
        return None
    if isinstance(holder, list) and isinstance(key, int):
        del holder[key]
    if isinstance(holder, dict):
        del holder[key]
    return name


def _child(value: object, key: int | str) -> object:
    """Return what a table or a list holds under a key; `_ABSENT` where it holds nothing there."""
    if isinstance(value, Mapping):
        return value.get(key, _ABSENT)
    if isinstance(value, list) and isinstance(key, int) and key < len(value):
        return value[key]
    return _ABSENT
