"""Findings, the records of `findings.toml`: what is wrong with the data, since when, and why."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is
from typing import Literal, TypeVar

from pydantic import Field

from sitegen.models.benchmark import Benchmark
from sitegen.models.names import Name
from sitegen.models.record import Position, Record, SchemaVersion, Slug
from sitegen.models.release import Digest

Scoped = TypeVar("Scoped", str, int)
"""The values that a scope of a finding lists: names, or numbers of rounds."""

FindingKind = Literal[
    "leak", "contamination", "defect", "reproduction", "waiver", "redaction", "note"
]
"""Kinds of findings.

`leak`: solutions or cases could be read. `contamination`: a task was known before. `defect`: a
task, a round or a case is wrong. `reproduction`: a maintainer ran a submission again. `waiver`: a
broken rule is accepted. `redaction`: content of a submission or of its tasks had to be removed.
`note`: anything else that readers should know.
"""

Effect = Literal["note", "exclude", "zero", "withdraw"]
"""What a finding changes.

`note`: nothing. `exclude`: the rounds in its scope are removed from the denominator. `zero`: these
rounds count as 0. `withdraw`: the submissions in its scope are withdrawn.
"""

_MAX_TITLE_LENGTH = 60
"""Maximum number of characters of a title in an address."""
_WITHOUT_EFFECT = frozenset({"waiver", "reproduction", "redaction"})
"""Kinds of findings that never change results, whatever their `effect` states."""


class Finding(Record):
    """A dated record about results: a leak, a defect, a reproduction, a waiver or a note.

    An empty scope means all: a finding that names a task and no submission concerns every agent.
    """

    id: Slug | None = None
    """Its name in addresses; derived from date and title if absent."""
    date: Date
    kind: FindingKind
    """The kind of problem that was found."""
    title: Name = Field(min_length=1)
    reason: str = ""
    """The reason; every effect except `note` requires it."""
    by: Name | None = None
    """Who recorded it."""
    effect: Effect = "note"
    """The effect on the results in its scope."""
    tracks: tuple[Slug, ...] = ()
    """The tracks in its scope; each of the next four keys narrows the scope. By default, all
    tracks."""
    submissions: tuple[Slug, ...] = ()
    tasks: tuple[Slug, ...] = ()
    rounds: tuple[Position, ...] = ()
    cases: tuple[str, ...] = ()
    """Names of cases in those rounds."""
    code: str | None = None
    """The code of the rule that a waiver waives."""
    until: Date | None = None
    """The last day on which a waiver applies; by default, it does not end."""
    rerun: Slug | None = None
    """The maintainers' own submission of the same agent on the same track, for a reproduction."""
    corrects: Slug | None = None
    """The earlier finding that it corrects or replaces, by its name in addresses. It may be added
    later."""
    digests: dict[str, Digest] | None = None
    """The SHA-256 of each file that a redaction removed or shortened, before the redaction."""

    @property
    def name(self) -> str:
        """The finding's name in addresses; `finding_ids` adds to it if findings share a name."""
        if self.id:
            return self.id
        title_slug = re.sub(r"[^a-z0-9]+", "-", self.title.lower()).strip("-")
        return f"{self.date}-{title_slug[:_MAX_TITLE_LENGTH]}".rstrip("-")

    @property
    def changes_results(self) -> bool:
        """Whether the finding changes scores."""
        return self.effect != "note" and self.kind not in _WITHOUT_EFFECT

    def is_on(self, track: str) -> bool:
        """Return whether the finding applies to a track."""
        return _is_in_scope(self.tracks, track)

    def concerns(self, track: str, submission: str, task: str, number: int) -> bool:
        """Return whether the finding applies to a round of a submission."""
        if not (_is_in_scope(self.tasks, task) and _is_in_scope(self.rounds, number)):
            return False
        return self.concerns_row(track, submission)

    def redacts(self, submission: str) -> bool:
        """Return whether the finding is a redaction of a submission.

        A redaction that names tracks does not count, because pages of other tracks would not show
        it.
        """
        return self.kind == "redaction" and submission in self.submissions and not self.tracks

    def takes_out(self, track: str, task: str) -> bool:
        """Return whether the finding excludes all of a task's rounds for every row of a track."""
        if self.effect != "exclude" or task not in self.tasks or not self.is_on(track):
            return False
        is_narrowed = self.submissions or self.rounds or self.cases
        return not is_narrowed

    def concerns_row(self, track: str, submission: str) -> bool:
        """Return whether the finding may apply to some of a submission's results."""
        return self.is_on(track) and _is_in_scope(self.submissions, submission)


class Findings(Record):
    """The findings of one benchmark."""

    schema_version: SchemaVersion
    findings: tuple[Finding, ...] = Field(default=(), alias="findings")


def _is_in_scope(scope: Sequence[Scoped], value: Scoped) -> bool:
    """Return whether a scope includes a value; an empty scope includes all values."""
    return not scope or value in scope


def is_limited(before: Finding, after: Finding, benchmark: Benchmark) -> bool:
    """Return whether a finding without `tracks` only gained tracks, which is allowed.

    The added tracks may omit only tracks on which all of the finding's tasks changed.
    """
    if before.tracks or not after.tracks or before.submissions:
        return False
    if before != after.model_copy(update={"tracks": ()}):
        return False
    left_out = {track.id for track in benchmark.tracks}.difference(after.tracks)
    return left_out <= benchmark.tracks_with_changed(after.tasks)


def finding_ids(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return the name of each finding in addresses.

    If several findings would share a name, a short hash of the scope follows it, so that a name
    does not change when findings are added before or after it.
    """
    name_counts = Counter(finding.name for finding in findings)
    id_counts: Counter[str] = Counter()
    ids = []
    for finding in findings:
        name = finding.name
        if name_counts[name] > 1:
            name = f"{name}-{_scope_hash(finding)}"
        id_counts[name] += 1
        ids.append(name if id_counts[name] == 1 else f"{name}-{id_counts[name]}")
    return tuple(ids)


def _scope_hash(finding: Finding) -> str:
    """Return six hexadecimal digits that distinguish findings of the same name."""
    scope = (
        finding.tracks,
        finding.submissions,
        finding.tasks,
        finding.rounds,
        finding.cases,
        finding.reason,
    )
    return hashlib.sha256(repr(scope).encode()).hexdigest()[:6]
