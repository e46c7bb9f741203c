"""A dated record that something is wrong with the data: what `findings.toml` holds."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is
from typing import Literal

from pydantic import Field

from sitegen.models.names import Name
from sitegen.models.record import Position, Record, SchemaVersion, Slug
from sitegen.models.release import Digest

FindingKind = Literal[
    "leak", "contamination", "defect", "reproduction", "waiver", "redaction", "note"
]
"""What was found.

`leak`: solutions or cases could be read. `contamination`: a task was known before. `defect`: a task, a round or a
case is wrong. `reproduction`: a maintainer ran a submission again. `waiver`: a rule's breach is let pass.
`redaction`: content had to leave, of a submission or of its tasks.
"""

Effect = Literal["note", "exclude", "zero", "withdraw"]
"""What follows.

`note`: nothing. `exclude`: what is concerned leaves the denominator. `zero`: it counts 0. `withdraw`: the
submissions concerned are withdrawn.
"""

_LONGEST = 60
"""So much of a title stands in an address."""


class Finding(Record):
    """A dated record about results: a leak, a defect, a reproduction, a waiver or a note.

    An empty scope means all: a finding that names a task and no submission concerns every agent.
    """

    id: Slug | None = None
    """Its name in addresses; made from date and title where it is absent."""
    date: Date
    kind: FindingKind
    """What was found."""
    title: Name = Field(min_length=1)
    reason: str = ""
    """Why; every effect but `note` needs it."""
    by: Name | None = None
    """Who recorded it."""
    effect: Effect = "note"
    """What follows for what it is about."""
    tracks: tuple[Slug, ...] = ()
    """What it is about, narrowed with each of the next four; all of them where none is named."""
    submissions: tuple[Slug, ...] = ()
    tasks: tuple[Slug, ...] = ()
    rounds: tuple[Position, ...] = ()
    cases: tuple[str, ...] = ()
    """Names of cases in those rounds."""
    code: str | None = None
    """Of a waiver: the code of the rule whose breach is let pass."""
    until: Date | None = None
    """Of a waiver: the last day on which it holds; without, it holds for good."""
    rerun: Slug | None = None
    """Of a reproduction: the maintainers' own submission of the same agent on the same track."""
    corrects: Slug | None = None
    """The earlier finding that it corrects or replaces, by its name in addresses. It may be added later."""
    digests: dict[str, Digest] | None = None
    """Of a redaction: SHA-256 of each file that it removed or shortened, as it was."""

    @property
    def name(self) -> str:
        """Its name in addresses, as long as no other finding has the same."""
        words = re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")
        return self.id or f"{self.date}-{words[:_LONGEST].rstrip('-')}".rstrip("-")

    @property
    def changes_results(self) -> bool:
        """Whether it has an effect. What a waiver, a reproduction or a redaction does is none."""
        return self.effect != "note" and self.kind not in {"waiver", "reproduction", "redaction"}

    def is_on(self, track: str) -> bool:
        """Whether it is about a track."""
        return not self.tracks or track in self.tracks

    def concerns(self, track: str, submission: str, task: str, number: int) -> bool:
        """Whether a round of a submission falls under this finding."""
        about_work = (not self.tasks or task in self.tasks) and (
            not self.rounds or number in self.rounds
        )
        return about_work and self.concerns_row(track, submission)

    def redacts(self, submission: str) -> bool:
        """Whether it is a redaction of a submission; one that names tracks is none, as others would not tell it."""
        return self.kind == "redaction" and submission in self.submissions and not self.tracks

    def takes_out(self, track: str, task: str) -> bool:
        """Whether it takes a whole task out of a track, for everybody."""
        narrowed = self.submissions or self.rounds or self.cases
        return (
            self.effect == "exclude" and task in self.tasks and self.is_on(track) and not narrowed
        )

    def concerns_row(self, track: str, submission: str) -> bool:
        """Whether any of a submission's results may fall under this finding."""
        return self.is_on(track) and (not self.submissions or submission in self.submissions)


class Findings(Record):
    """The findings of one benchmark."""

    schema_version: SchemaVersion
    findings: tuple[Finding, ...] = Field(default=(), alias="findings")


def finding_ids(findings: Sequence[Finding]) -> tuple[str, ...]:
    """The name of each finding in addresses, with a short hash of its scope where several would have the same.

    Such a name outlives findings that are added before or after it.
    """
    often = Counter(finding.name for finding in findings)
    seen: Counter[str] = Counter()
    unique = []
    for each in findings:
        name = each.name
        if often[name] > 1:
            scope = (
                each.tracks,
                each.submissions,
                each.tasks,
                each.rounds,
                each.cases,
                each.reason,
            )
            name = f"{name}-{hashlib.sha256(repr(scope).encode()).hexdigest()[:6]}"
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return tuple(unique)
