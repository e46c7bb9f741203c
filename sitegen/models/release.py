"""Releases, the records of `releases/YYYY-MM-DD.toml`: dated, locked snapshots of all boards."""

from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is
from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field

from sitegen.models.benchmark import Protocol, TrackStatus
from sitegen.models.names import Name
from sitegen.models.record import Record, SchemaVersion, Slug
from sitegen.models.submission import StatusState

Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
"""A SHA-256 in hexadecimal."""


Exact = Annotated[
    float, BeforeValidator(lambda value: float(value) if type(value) in {Decimal, int} else value)
]
"""A number at full precision: written with as many digits as are needed to restore it."""


Evidence = Literal["reported", "recomputed", "complete", "verified", "reproduced"]
"""How far numbers can be traced: from a published table without raw data to runs that a maintainer
repeated."""


class LockedScore(Record):
    """A score in a release, in the unit of its metric."""

    is_short: ClassVar[bool] = True

    value: Exact
    low: Exact | None = None
    """Lower end of its interval, 95 % or approximate; absent if the score has no interval."""
    high: Exact | None = None
    printed: str | None = None
    """The value as its source publishes it, for rows that are only reported."""


class LockedRevision(Record):
    """The differences between a row and the submission that it revises, as of a release."""

    of: Slug
    """The earlier submission."""
    date: Date
    reason: str
    rounds: int = Field(default=0, ge=0)
    """The number of rounds that were run again."""
    added: int = Field(default=0, ge=0)
    """The number of tasks that were run because the earlier submission had no results for them. If
    `rounds` is 0 as well, the revision corrects statements of the manifest."""
    records: int = Field(default=0, ge=0)
    """The number of records of rounds in the submission."""
    before: str = ""
    """The headline score of the earlier submission, as displayed."""
    after: str = ""
    times: int = Field(default=0, ge=0)
    """The number of the submission's revisions that ran rounds again."""
    corrected: dict[str, tuple[str, str]] = Field(default_factory=dict)
    """Corrected values, by key, each before and after."""


class LockedRow(Record):
    """A row of a board in a release."""

    id: Slug
    formerly: Slug | None = None
    """The id in the release, if the row has a different id now; never written."""
    name: Name
    """The name of the agent."""
    organization: Name | None = None
    scaffold: Name | None = None
    reasoning: Name | None = None
    date: Date
    state: StatusState = "published"
    by: Name | None = None
    """The submission that replaces it, or who withdrew it."""
    reason: str | None = None
    apart: Literal["baseline", "late"] | None = None
    """Why it was listed apart; absent if it competed."""
    evidence: Evidence
    rank: int | None = None
    first: int | None = None
    """The first rank that it may have, at 95 %."""
    last: int | None = None
    missing_note: str | None = None
    """The tasks and attempts that its headline score lacked; absent if it lacked none, and in
    releases before November 2026."""
    revision: LockedRevision | None = None
    """Its latest revision; absent if it has none, and in releases before November 2026."""
    scores: dict[str, LockedScore] = Field(default_factory=dict)
    """The scores by metric, excluding gaps."""


class LockedBoard(Record):
    """A board in a release, with the conditions under which its scores are comparable."""

    track: Slug
    title: Name
    protocol: Protocol
    attempts: int = Field(ge=1)
    reference_rounds: bool = False
    tasks: Slug | None = None
    """The task set."""
    status: TrackStatus = "current"
    reason: str | None = None
    superseded_by: Slug | None = None
    headline: str
    columns: tuple[str, ...]
    round_word: str = Field(default="round", alias="rounds_word")
    """The benchmark's word for one round, in lower case, despite the key in the file."""
    versions: dict[str, int | Digest] = Field(default_factory=dict)
    """The version of each metric's definition; for a metric that a benchmark declares, a digest."""
    rows: tuple[LockedRow, ...] = ()
    """The rows: ranked rows first, best first."""


class LockedBundle(Record):
    """The contents of a bundle when it was locked."""

    manifest: Digest
    """Digest of the manifest, excluding its status, which may change."""
    files: dict[str, Digest] = Field(default_factory=dict)
    """Digests of its other files, as SHA256SUMS lists them; empty if a redaction left none."""
    rounds: str
    """A line for each attempt at a task: task, attempt, start, and four digits for each round in
    order. The digits show which rounds changed."""


class LockedFinding(Record):
    """A finding that was recorded."""

    date: Date
    title: Name
    digest: Digest


class LockedBenchmark(Record):
    """The content of a benchmark's folder, and its boards."""

    id: Slug
    title: Name
    task_sets: dict[Slug, Digest] = Field(default_factory=dict)
    """Digests of the tasks, rounds, weights and cases, on which scores depend."""
    labels: dict[Slug, Digest] = Field(default_factory=dict)
    """Digests of the labels of each task set, on which scores by axis depend; empty in releases
    before November 2026."""
    axes: dict[str, Digest] = Field(default_factory=dict)
    """Digests of each axis: its weights, and whether its values are clusters; empty in releases
    before November 2026."""
    reported: dict[str, Digest] = Field(default_factory=dict)
    """Digests of the rows of each published table, by file name."""
    findings: tuple[LockedFinding, ...] = ()
    bundles: dict[Slug, LockedBundle] = Field(default_factory=dict)
    boards: tuple[LockedBoard, ...] = ()

    def board(self, track: str) -> LockedBoard | None:
        """Return the board of a track; None if the release has none."""
        return next((board for board in self.boards if board.track == track), None)


class Release(Record):
    """A dated, locked snapshot of all boards."""

    schema_version: SchemaVersion
    date: Date
    title: Name = ""
    """Its title; its date if it has no title."""
    program: str
    """The version of the program that computed the scores."""
    arrivals: Digest | None = None
    """SHA-256 of the last line of `arrivals.jsonl`."""
    benchmarks: tuple[LockedBenchmark, ...]

    @property
    def name(self) -> str:
        """The title that readers see."""
        return self.title or str(self.date)

    def benchmark(self, name: str) -> LockedBenchmark | None:
        """Return a benchmark by its id; None if the release does not have it."""
        return next((benchmark for benchmark in self.benchmarks if benchmark.id == name), None)

    def board(self, benchmark: str, track: str) -> LockedBoard | None:
        """Return the board of a track; None if the release has none."""
        locked = self.benchmark(benchmark)
        return locked.board(track) if locked else None
