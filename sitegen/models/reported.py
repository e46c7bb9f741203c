"""A published table without raw data: figures as printed, never recomputed."""

from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is

from pydantic import Field, model_validator

from sitegen.models.names import Name
from sitegen.models.record import Printed, Record, SchemaVersion, Slug
from sitegen.models.submission import Agent


class Figure(Record):
    """A number of a published table, as printed."""

    value: Printed
    sd: Printed | None = None
    """Standard deviation, where the table prints one."""
    n: int | None = Field(default=None, ge=1)
    """How many things it counts some of: it is k of n, or a share k / n."""

    @model_validator(mode="before")
    @classmethod
    def _bare_number_is_a_value(cls, data: object) -> object:
        return data if isinstance(data, dict) else {"value": data}


class ReportedValue(Figure):
    """One metric's figure in a line of a published table."""

    groups: dict[str, dict[str, Figure]] = Field(default_factory=dict)
    """The same metric on parts of the tasks: axis, then value on it."""


class Erratum(Record):
    """Something that is wrong or doubtful in a published table."""

    about: str
    """Which part of the source it concerns."""
    note: str
    """What is wrong, and how that is known."""
    rows: tuple[Slug, ...] = ()
    """Lines whose figures it concerns; empty where it concerns no single line, or all."""
    metrics: tuple[str, ...] = ()
    """Metrics whose figures it concerns in these lines; empty for all."""
    axes: tuple[str, ...] = ()
    """Axes whose splits it concerns."""

    def concerns(self, row: str, metric: str) -> bool:
        """Whether it names a figure: the line, and the metric where it names metrics."""
        return row in self.rows and (not self.metrics or metric in self.metrics)


class ReportedRow(Agent):
    """One agent's line of a published table."""

    id: Slug
    values: dict[str, ReportedValue]
    """Figures by metric id."""

    @property
    def agent(self) -> Agent:
        """Who the line is about."""
        return Agent.model_validate(self.model_dump(exclude={"id", "values"}))


class Slip(Record):
    """A cell that is known to be wrong."""

    row: str
    """The first cell of its row, as text."""
    column: str
    should: Printed | str
    """What would fit."""


class Exhibit(Record):
    """A table or figure of the source about no agent's score, with its values as printed."""

    id: Slug
    """Its anchor on the page of the track's analyses."""
    title: Name
    where: str
    """Which part of which source prints it, as "table 7 of arXiv:2605.24110v1"."""
    note: str | None = None
    """What a reader should know; what was computed here says so."""
    columns: tuple[str, ...] = Field(min_length=2)
    rows: tuple[tuple[Printed | str, ...], ...] = Field(min_length=1)
    """A cell for each column, "" for none; the first says what the row is."""
    draw: str | None = None
    """A column whose numbers are drawn."""
    beside: Slug | None = None
    """A track with results: rows are rounds by number, and its tasks and pass rates by round stand
    beside them."""
    slips: tuple[Slip, ...] = ()


class ReportedTable(Record):
    """A published table: what a file in `reported/` holds."""

    schema_version: SchemaVersion
    track: Slug
    title: Name
    source: str
    """Where it was published, so that a reader can find it."""
    date: Date
    note: str | None = None
    """What a reader should know before trusting the figures."""
    errata: tuple[Erratum, ...] = ()
    """What is known to be wrong in it."""
    rows: tuple[ReportedRow, ...] = Field(min_length=1)
    exhibits: tuple[Exhibit, ...] = ()
    """What else it prints, which is about no agent's score; shown beside the track's analyses, and
    not recomputed."""
