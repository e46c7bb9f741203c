"""A submission's manifest: who ran what, when and how, and which scores are claimed."""

from collections.abc import Collection
from datetime import date as Date  # noqa: N812 - a field is called date, as the file's key is
from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from sitegen.models.addresses import TranscriptPlaces, WebAddress
from sitegen.models.names import EntrantName
from sitegen.models.outcome import Start
from sitegen.models.record import Position, Printed, Record, SchemaVersion, Slug

Parameters = Annotated[float, Field(gt=0, le=10**6)]
"""A number of parameters, in billions."""

StatusState = Literal["published", "superseded", "withdrawn"]
MAINTAINED = ("baseline", "embargo")
"""Keys of a manifest that maintainers may change after publication, like its status."""
CaseDetail = Literal["all", "failures", "sample", "counts", "none"]
"""The level of detail about cases in a bundle."""


class Agent(Record):
    """The agent that is ranked: a model with its scaffold and its reasoning setting."""

    name: EntrantName = Field(min_length=1)
    """The name of the agent, as other submissions of the benchmark spell it."""
    organization: EntrantName | None = None
    """The organization that made the model."""
    model: EntrantName | None = None
    """The model's own name, if it differs from the agent's name."""
    scaffold: EntrantName | None = None
    """The program that drives the model."""
    scaffold_version: EntrantName | None = None
    reasoning: EntrantName | None = None
    """The reasoning setting, as its vendor names it."""
    url: WebAddress | None = None
    open_weights: bool | None = None
    """Whether anyone can download the model's weights."""
    model_license: EntrantName | None = None
    model_released: Date | None = None
    parameters_b: Parameters | None = None
    """Parameters of the model, in billions; for a mixture of experts, all of them."""
    free: bool | None = None
    """Whether its runs cost nothing, so a `cost_usd` of 0 is real; otherwise, it means unknown."""


class Status(Record):
    """Whether a submission is published, and if not, why."""

    state: StatusState = "published"
    by: EntrantName | None = None
    """The submission that replaces this one (required by `superseded`), or who withdrew it."""
    reason: str | None = None
    """The reason; `withdrawn` requires it."""
    date: Date | None = None
    """The date; `withdrawn` requires it."""


class Provenance(Record):
    """How the runs were made; unknown facts are absent."""

    harness: str | None = None
    """The program that ran the benchmark."""
    harness_version: str | None = None
    jobs: tuple[str, ...] | None = None
    """The harness's own names for the jobs that the runs belong to."""
    code_commit: str | None = None
    """Hash of the commit that was run, full or short, or the output of `git describe`."""
    dirty: bool | None = None
    """Whether the code had uncommitted changes."""
    task_digest: str | None = None
    """Checksum that all tasks share; otherwise SHA-256 over sorted lines of each task's id, a
    blank and its digest."""
    images: dict[str, str] | tuple[str, ...] | None = None
    """Container images, with `@sha256:` and their digest."""
    seeds: tuple[int, ...] | None = None
    """Random seeds."""
    started: datetime | Date | None = None
    finished: datetime | Date | None = None
    overrides: dict[str, str] | None = None
    """Limits and resources that differed from the benchmark's own, as text. Any text is a warning
    that readers see."""
    verifier: Literal["shared", "separate"] | None = None
    """Whether rounds were checked in the agent's container. `shared` with Harbor up to 0.23 is a
    warning."""
    artifacts: WebAddress | None = None
    """Address of the files that the runner and the grader wrote."""
    trajectories: TranscriptPlaces | None = None
    """Address or path of the agents' transcripts; `{task}`, `{attempt}` and `{round}` are
    placeholders."""
    trajectories_digest: str | None = None
    """SHA-256 over the sorted lines `SHA256  PATH` of all transcripts."""


class Detail(Record):
    """How much detail a bundle has about its test cases."""

    cases: CaseDetail = "counts"
    """`all`: every scored round has `outcomes`; `failures`: every failed case is listed; `sample`:
    some failed cases are listed."""


class Submitter(Record):
    """The person or team that submitted the results."""

    name: EntrantName | None = None
    organization: EntrantName | None = None
    contact: EntrantName | None = None
    accounts: tuple[EntrantName, ...] = ()
    """Accounts that may correct, supersede or withdraw the submission: `["github:acme-bot"]`."""
    url: EntrantName | None = None


class RerunRounds(Record):
    """Rounds of one attempt at a task that were run again."""

    task: Slug
    attempt: Position
    rounds: tuple[Position, ...] = Field(min_length=1)
    start: Start = "own"
    """`reference` if the rounds started from the reference solution of the earlier rounds."""


class Revision(Record):
    """A submission's changes to an earlier submission, whose other results it keeps."""

    of: Slug
    """The earlier submission, which remains readable."""
    date: Date
    """The date of the revision."""
    reason: str = Field(min_length=1)
    """The reason; readers see it."""
    reruns: tuple[RerunRounds, ...] = ()
    """The rounds that were run again."""
    added: tuple[Slug, ...] = ()
    """The tasks that were run because the earlier submission had no results for them."""

    @property
    def is_correction(self) -> bool:
        """Whether no runs are new, so that only statements of the manifest changed."""
        return not self.reruns and not self.added

    @property
    def rerun_count(self) -> int:
        """The number of rounds that were run again."""
        return sum(len(rerun.rounds) for rerun in self.reruns)


class Claims(Record):
    """Claimed scores, by the metric's id, with their decimals as published."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Printed] = Field(init=False)

    source: str | None = None
    """The publication of the values; absent if they are the submitter's own."""
    tasks: int | None = Field(default=None, ge=1)
    """The number of tasks that the values cover, if it is not all of the track's task set."""

    @property
    def values(self) -> dict[str, Printed]:
        """Claimed value of each metric, with its decimals as published."""
        return self.__pydantic_extra__


class Carried(Record):
    """The source of results that were carried from an earlier version of the track."""

    track: Slug
    """The earlier version of the track."""
    submission: Slug
    """The submission on that track, whose records of these tasks are identical."""
    tasks: tuple[Slug, ...] = Field(min_length=1)
    """The tasks whose results were carried over; these tasks are the same on both tracks."""

    def without(self, tasks: Collection[str]) -> "Carried | None":
        """Return the part that is still carried after tasks were run on the new track, if any."""
        remaining = tuple(task for task in self.tasks if task not in tasks)
        return self.model_copy(update={"tasks": remaining}) if remaining else None


class Submission(Record):
    """One agent's results on one track, excluding the records: the content of `submission.toml`."""

    schema_version: SchemaVersion
    track: Slug
    """Id of the track, as in `benchmark.toml`."""
    date: Date
    """The day the results were made or published: `2026-07-01`, without quotes."""
    attempts: int | None = Field(default=None, ge=1, le=1000)
    """Attempts at each task, at most the track's number; by default, the track's number."""
    missing: tuple[Slug, ...] = ()
    """Tasks of the track without results: they have no records, and the submission has no rank."""
    caveats: tuple[str, ...] = ()
    """Caveats about the source from which it was imported, one sentence each."""
    baseline: bool = False
    """Whether it is a reference that is drawn and listed, but not ranked; maintainers decide."""
    embargo: Date | None = None
    """The first day on which it counts; before that day, it appears nowhere."""
    agent: Agent
    status: Status = Status()
    provenance: Provenance = Provenance()
    detail: Detail = Detail()
    claims: Claims | None = None
    carried: Carried | None = None
    """The earlier submission from which some of its results come."""
    submitter: Submitter | None = None
    revisions: tuple[Revision, ...] = ()
    """Its changes to earlier submissions, oldest first: `sitegen correct` and `sitegen
    replace-rounds` write them."""

    def is_embargoed(self, day: Date) -> bool:
        """Return whether the submission does not count yet on a given day."""
        return self.embargo is not None and day < self.embargo

    @property
    def revision(self) -> Revision | None:
        """The latest revision; None for a submission that revises nothing."""
        return self.revisions[-1] if self.revisions else None
