"""A published table without raw data: figures as printed, never recomputed."""

from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is

from pydantic import Field, model_validator

from sitegen.models.record import Printed, Record, SchemaVersion, Slug
from sitegen.models.submission import Agent


class ReportedValue(Record):
    """One figure of a published table."""

    value: Printed
    sd: Printed | None = None
    """Standard deviation, where the table prints one."""
    n: int | None = Field(default=None, ge=1)
    """What the figure is out of, where it is a count."""
    groups: dict[str, dict[str, Printed]] = Field(default_factory=dict)
    """The same metric on parts of the tasks: axis, then value on it."""

    @model_validator(mode="before")
    @classmethod
    def _bare_number_is_a_value(cls, data: object) -> object:
        return data if isinstance(data, dict) else {"value": data}


class ReportedRow(Agent):
    """One agent's line of a published table."""

    id: Slug
    values: dict[str, ReportedValue]
    """Figures by metric id."""

    @property
    def agent(self) -> Agent:
        """Who the line is about."""
        return Agent.model_validate(self.model_dump(exclude={"id", "values"}))


class ReportedTable(Record):
    """A published table: what a file in `reported/` holds."""

    schema_version: SchemaVersion
    track: Slug
    title: str
    source: str
    """Where it was published, so that a reader can find it."""
    date: Date
    note: str | None = None
    """What a reader should know before trusting the figures."""
    rows: tuple[ReportedRow, ...] = Field(min_length=1)
