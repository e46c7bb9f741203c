"""A dated record that something is wrong with the data: what `findings.toml` holds."""

from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is
from typing import Literal

from pydantic import Field

from sitegen.models.record import Record, SchemaVersion, Slug


class Finding(Record):
    """A dated record that something is wrong: a leak, a task defect, a waiver or a note.

    An empty scope means all: a finding that names a task and no submission concerns every agent.
    """

    date: Date
    kind: Literal["leak", "contamination", "defect", "waiver", "note"]
    title: str
    reason: str = ""
    by: str | None = None
    """Who recorded it."""
    effect: Literal["note", "exclude", "zero", "withdraw"] = "note"
    tracks: tuple[Slug, ...] = ()
    submissions: tuple[Slug, ...] = ()
    tasks: tuple[Slug, ...] = ()
    rounds: tuple[int, ...] = ()

    def concerns(self, track: str, submission: str, task: str, number: int) -> bool:
        """Whether a round of a submission falls under this finding."""
        scopes = ((track, self.tracks), (submission, self.submissions), (task, self.tasks), (number, self.rounds))
        return all(not scope or member in scope for member, scope in scopes)


class Findings(Record):
    """The findings of one benchmark."""

    schema_version: SchemaVersion
    findings: tuple[Finding, ...] = Field(default=(), alias="findings")
