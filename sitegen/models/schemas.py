"""JSON Schemas of the records in a results folder, and of the documents under the site's `api/v1/`.

`SCHEMAS` and `DOCUMENTS` list the types by name; `json_schema` and `schema_of` make the schemas.
"""

import ast
import inspect
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any, Literal

from pydantic import Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import DataclassSchema, ModelSchema

from sitegen.models.agents import AgentDirectory
from sitegen.models.benchmark import Benchmark, TrackStatus
from sitegen.models.finding import Findings
from sitegen.models.journal import Arrival, Check, Registration
from sitegen.models.outcome import Failure, RoundResult, RunFigures, Start
from sitegen.models.record import Record, SchemaVersion
from sitegen.models.release import Evidence, LockedRevision, Release
from sitegen.models.reported import ReportedTable
from sitegen.models.submission import Carried, StatusState, Submission
from sitegen.models.task import Task

_RECORD_TYPES: Mapping[str, type] = {
    "benchmark": Benchmark,
    "task": Task,
    "submission": Submission,
    "round": RoundResult,
    "run": RunFigures,
    "failure": Failure,
    "reported": ReportedTable,
    "findings": Findings,
    "agents": AgentDirectory,
    "release": Release,
    "arrival": Arrival,
    "check": Check,
    "registration": Registration,
}

SCHEMAS: Mapping[str, TypeAdapter[Any]] = {
    name: TypeAdapter(record_type) for name, record_type in _RECORD_TYPES.items()
}
"""The kinds of record in a results folder, by name."""


def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of one kind of record in a results folder."""
    return schema_of(SCHEMAS[name])


@cache
def schema_of(kind: TypeAdapter[Any]) -> dict[str, Any]:
    """Return the JSON Schema of a type."""
    schema = kind.json_schema(by_alias=True, schema_generator=_DescribedSchema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


class _DescribedSchema(GenerateJsonSchema):
    """Describes each field by the docstring below it.

    Python does not keep these docstrings, so they are parsed from the source when a schema is made.
    """

    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        return _with_descriptions(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: DataclassSchema) -> JsonSchemaValue:
        return _with_descriptions(super().dataclass_schema(schema), schema["cls"])


def _with_descriptions(schema: JsonSchemaValue, model: Any) -> JsonSchemaValue:  # noqa: ANN401
    """Return the schema of a model with descriptions of its fields, including inherited fields."""
    fields = model.__pydantic_fields__
    for base in model.__mro__:
        if not base.__module__.startswith(__package__):
            continue
        for name, description in _field_docstrings(base).items():
            if name in fields:
                key = fields[name].alias or name
                schema["properties"][key]["description"] = description
    return schema


def _field_docstrings(model: type) -> dict[str, str]:
    """Return the docstrings below a class's fields by the field's name, each on one line."""
    (definition,) = ast.parse(inspect.getsource(model)).body
    docstrings: dict[str, str] = {}
    if not isinstance(definition, ast.ClassDef):
        return docstrings
    for statement, following in pairwise(definition.body):
        match statement, following:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(docstring))),
            ):
                docstrings[name] = " ".join(inspect.cleandoc(docstring).splitlines())
    return docstrings


class ScoreDocument(Record):
    """A score at full precision, in the unit of its metric."""

    value: float | None
    """The score; None for a gap."""
    unit: str
    low: float | None
    """Lower end of the interval: 95 %, or approximate for amounts; None if there is no interval."""
    high: float | None
    interval: str | None
    """The method of the interval, such as `bootstrap` or `binomial`."""
    sd: float | None
    """Sample standard deviation of the values behind the mean, if one is shown."""
    n: int | None
    """The number of tasks, rounds, checkpoints or runs with results; None if unknown."""
    of: int | None
    """The number expected; with results for less than 80 % of it, there is no value."""
    missing_note: str | None
    """The missing tasks and attempts, and how they count: "6 of 120 tasks missing, counted as 0";
    None if nothing is missing."""
    claimed: float | None
    """The claimed value."""
    claim_source: str | None
    """The source of the claim; None for the submitter's own claim."""
    claim_tasks: int | None
    """The number of tasks that the claim covers; None if it is the same as for the score."""
    agrees: bool | None
    """Whether the score rounds to the claim; None if they cannot be compared."""


class AgentDocument(Record):
    """The agent that is ranked."""

    name: str
    organization: str | None
    model: str | None
    scaffold: str | None
    scaffold_version: str | None
    reasoning: str | None
    url: str | None
    open_weights: bool | None
    model_license: str | None
    model_released: str | None
    parameters_b: float | None
    """Parameters of the model, in billions."""
    free: bool | None
    """Whether its runs cost nothing; unless true, a cost of 0 is unknown."""


class CoverageDocument(Record):
    """The part of a task set that has records."""

    tasks: int | None
    expected_tasks: int | None
    rounds: int | None
    expected_rounds: int | None


class AttemptsDocument(Record):
    """The number of attempts made at each task; None for a published table."""

    made: int | None
    expected: int | None
    """The number of attempts that the track requires."""


class CheckedDocument(Record):
    """The result of comparing a submission's rounds with the grader's output."""

    by: str
    day: str
    drawn: int
    """The number of checked rounds."""
    of: int
    """The number of rounds in the submission."""
    agreed: int
    """The number of checked rounds that agree with the grader's output."""


class SubmissionDocument(Record):
    """A row of a board."""

    benchmark: str
    track: str
    id: str
    agent: AgentDocument
    status: StatusState
    evidence: Evidence
    checked: CheckedDocument | None
    """The check of its rounds; None if nobody checked them, or if its files have changed since."""
    coverage: CoverageDocument
    missing: tuple[str, ...]
    """Tasks without results; if there are any, the row has no rank."""
    attempts: AttemptsDocument
    rank: int | None
    """Rank by the headline score alone."""
    rank_interval: tuple[int, int] | None
    """First and last possible rank: below all rows shown to be better, above all shown worse."""
    apart: Literal["baseline", "late"] | None = None
    """Why it is listed apart, without a rank; absent if it competes."""
    carried: Carried | None = None
    """The source of results carried from an earlier version of the track; absent if there are
    none."""
    metrics: dict[str, ScoreDocument]
    """The scores, by the metric's id."""


class ScoresDocument(Record):
    """Rows of boards: `scores.json` has all of them, `BENCHMARK/TRACK.json` those of one board."""

    schema_version: SchemaVersion
    submissions: tuple[SubmissionDocument, ...]


class ReleaseGlance(Record):
    """A summary of a release."""

    date: str
    title: str
    program: str
    """The version of the program that computed the scores."""
    events: int = Field(ge=0)
    """The number of events in the release."""


class ReleasesDocument(Record):
    """Every release, the latest first."""

    schema_version: SchemaVersion
    releases: tuple[ReleaseGlance, ...]


class ReleasedScore(Record):
    """A score in a release."""

    value: float
    low: float | None
    high: float | None


class ReleasedRow(Record):
    """A row in a release."""

    id: str
    name: str
    organization: str | None
    scaffold: str | None
    reasoning: str | None
    date: str
    state: StatusState
    by: str | None
    reason: str | None
    apart: Literal["baseline", "late"] | None = None
    """Why it was listed apart, without a rank; None if it competed."""
    evidence: Evidence
    rank: int | None
    rank_interval: tuple[int, int] | None
    missing_note: str | None
    """The tasks and attempts that its headline score lacked; None if it lacked none, and in
    releases before November 2026."""
    revision: LockedRevision | None = None
    """Its latest revision; None if it has none, and in releases before November 2026."""
    metrics: dict[str, ReleasedScore]


class ReleasedBoard(Record):
    """A board in a release."""

    benchmark: str
    track: str
    status: TrackStatus
    headline: str
    rows: tuple[ReleasedRow, ...]


class CauseDocument(Record):
    """The cause of an event."""

    kind: str
    about: str


class TurnDocument(Record):
    """A score before and after; None if there is none."""

    before: ReleasedScore | None
    after: ReleasedScore | None


class CellDocument(Record):
    """A round that differs from the round that it replaces."""

    task: str
    attempt: int
    round: int
    start: Start
    kind: Literal["new", "removed", "changed"]
    differences: dict[str, tuple[str | float | bool | None, str | float | bool | None]]
    """The values before and after, by name."""


class EventDocument(Record):
    """An event of a row since the previous release."""

    id: str
    """The event's name within the release."""
    what: Literal[
        "entered",
        "left",
        "redacted",
        "withdrawn",
        "superseded",
        "restored",
        "renamed",
        "rescored",
        "moved",
    ]
    benchmark: str
    track: str
    submission: str
    agent: str
    earlier: str | None
    """The submission that it replaces, if any."""
    rank: tuple[int | None, int | None]
    """Ranks before and after."""
    rank_interval: tuple[tuple[int, int] | None, tuple[int, int] | None]
    """Possible ranks before and after."""
    causes: tuple[CauseDocument, ...]
    metrics: dict[str, TurnDocument]
    """The scores that differ."""
    cells: tuple[CellDocument, ...]
    """Rounds that decided the event, if the row replaces another submission."""


class ReleaseDocument(Record):
    """A release: its boards as they were, and the events since the previous release."""

    schema_version: SchemaVersion
    date: str
    title: str
    program: str
    before: str | None
    """The date of the previous release; None for the first release."""
    boards: tuple[ReleasedBoard, ...]
    events: tuple[EventDocument, ...]


DOCUMENTS: Mapping[str, TypeAdapter[Any]] = {
    "scores": TypeAdapter(ScoresDocument),
    "releases": TypeAdapter(ReleasesDocument),
    "release": TypeAdapter(ReleaseDocument),
}
"""The kinds of documents under `api/v1/`, by name."""
