"""A published table without raw data: figures as published, never recomputed."""

from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is

from pydantic import Field, model_validator

from sitegen.models.names import Name
from sitegen.models.record import Printed, Record, SchemaVersion, Slug
from sitegen.models.submission import Agent


class Figure(Record):
    """A number in a published table, as published."""

    value: Printed
    sd: Printed | None = None
    """The standard deviation, if the table states one."""
    n: int | None = Field(default=None, ge=1)
    """The total, if the figure is a count k of n or a share k / n."""

    @model_validator(mode="before")
    @classmethod
    def _bare_number_is_a_value(cls, data: object) -> object:
        return data if isinstance(data, dict) else {"value": data}


class ReportedValue(Figure):
    """The figure of one metric in a line of a published table."""

    groups: dict[str, dict[str, Figure]] = Field(default_factory=dict)
    """The same metric on parts of the tasks: by axis, then by value."""


class Erratum(Record):
    """An error or doubt in a published table."""

    about: str
    """The part of the source that it concerns."""
    note: str
    """What is wrong, and how this is known."""
    rows: tuple[Slug, ...] = ()
    """Lines whose figures it concerns; empty if it concerns no particular line, or all lines."""
    metrics: tuple[str, ...] = ()
    """Metrics whose figures it concerns in these lines; empty for all metrics."""
    axes: tuple[str, ...] = ()
    """Axes whose splits it concerns."""

    def concerns(self, row: str, metric: str) -> bool:
        """Return whether it lists a figure's line, and its metric if it lists any metrics."""
        return row in self.rows and (not self.metrics or metric in self.metrics)


class ReportedRow(Agent):
    """The line of one agent in a published table."""

    id: Slug
    values: dict[str, ReportedValue]
    """Figures by metric id."""

    @property
    def agent(self) -> Agent:
        """The agent of the line."""
        return Agent.model_validate(self.model_dump(exclude={"id", "values"}))


class Slip(Record):
    """A cell of a published table that is known to be wrong, with the value it should have."""

    row: str
    """The first cell of its row, as text."""
    column: str
    should: Printed | str
    """The value that would fit."""


class Exhibit(Record):
    """A table or figure of the source that is not about agents' scores, with published values."""

    id: Slug
    """Its anchor on the page of the track's analyses."""
    title: Name
    where: str
    """The part of the source that contains it, such as "table 7 of arXiv:2605.24110v1"."""
    note: str | None = None
    """A note for readers; it also says what was computed here."""
    columns: tuple[str, ...] = Field(min_length=2)
    rows: tuple[tuple[Printed | str, ...], ...] = Field(min_length=1)
    """A cell for each column, "" for an empty cell; the first cell names the row."""
    draw: str | None = None
    """The column whose numbers are drawn."""
    beside: Slug | None = None
    """A track with results, whose tasks and pass rates by round are shown in additional columns;
    the exhibit's rows must be rounds by number."""
    slips: tuple[Slip, ...] = ()


class ReportedTable(Record):
    """A published table: the content of a file in `reported/`."""

    schema_version: SchemaVersion
    track: Slug
    title: Name
    source: str
    """The place of publication, so that a reader can find it."""
    date: Date
    note: str | None = None
    """A note for readers before they rely on the figures."""
    errata: tuple[Erratum, ...] = ()
    """Known errors in the table."""
    rows: tuple[ReportedRow, ...] = Field(min_length=1)
    exhibits: tuple[Exhibit, ...] = ()
    """Other tables and figures of the source, which are not about agents' scores; shown with the
    track's analyses, and not recomputed."""
