"""What the user of an import decides, and what a foreign format declares about its importer."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - a field is called date, as the option is
from pathlib import Path
from typing import Literal

from sitegen.importers.kit.tree import SourceTree
from sitegen.models.benchmark import BESIDE_BENCHMARKS, Protocol
from sitegen.models.incoming import Incoming
from sitegen.models.record import is_slug
from sitegen.problems import UsageError

ProgressCallback = Callable[[int, int], None]
"""Takes the number of runs that were read, and the number of all runs."""

Pick = Literal["latest", "first"]
"""Which of several runs of an agent on the same tasks counts."""

SHARED_OPTIONS = frozenset({"metric", "scale", "runs", "pick"})
"""Fields of `ImportOptions` that only some formats support, which list them in `Format.extras`."""


@dataclass(slots=True)
class Progress:
    """Counts the runs that were read, and reports the progress."""

    total: int = 0
    watch: ProgressCallback | None = None
    done: int = 0

    def step(self) -> None:
        """Count one more run."""
        self.done += 1
        if self.watch:
            self.watch(self.done, self.total)


@dataclass(frozen=True, slots=True)
class ExistingTrack:
    """The track that results go to, if it exists already."""

    protocol: Protocol
    lengths: Mapping[str, int] = field(default_factory=dict)
    """The number of rounds of each task, by its id."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """The ids of its tasks, by their titles."""
    modes: Collection[str] = ()
    """Failure modes that its benchmark declares."""


@dataclass(frozen=True, slots=True)
class BenchmarkFacts:
    """What a benchmark publishes about itself, which results of it in any format are read by.

    The entry point of the group `sitegen.benchmarks` that has the benchmark's id as its name leads
    to these facts.
    """

    title: str = ""
    """Empty to derive the title from the benchmark's id."""
    spellings: Mapping[str, str] = field(default_factory=dict)
    """Other spellings of the names of its agents, each with the one name of the agent."""
    track_titles: Mapping[str, str] = field(default_factory=dict)
    """Titles of its tracks, by id."""


NO_FACTS = BenchmarkFacts()
"""What is known about most benchmarks without their results: nothing."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How a source is read, and where its results go.

    Raises:
        UsageError: The id of the benchmark or track can't be part of an address, an alias has no
            name, the scale is not positive, or both `runs` and `pick` are given.
    """

    today: Date
    """The day of the import: the date of bundles for which the source states none."""
    benchmark: str = "runs"
    track: str = "main"
    facts: BenchmarkFacts = NO_FACTS
    """What is published about the benchmark; empty for most benchmarks."""
    date: Date | None = None
    allow_missing: bool = False
    """Whether tasks without data are left out of the task set; otherwise they are errors."""
    claims: Path | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other spellings of agents' names, each with the one name of the agent."""
    known_metrics: Collection[str] = ()
    """Ids of the metrics that a claim may name."""
    model: str | None = None
    """The one model to import, if the source holds several."""
    task_names: Sequence[str] = ()
    """The tasks to import, by their names in the source, ids or titles; empty for all tasks."""
    metric: str | None = None
    """The score that counts, as the format spells it, if the source holds several."""
    scale: float | None = None
    """The largest reward of the source, by which rewards are divided; None for rewards up to 1."""
    runs: Literal["attempts"] | None = None
    """"attempts": several runs of an agent on the same tasks are its attempts, in order of time."""
    pick: Pick | None = None
    """Which of several runs of an agent on the same tasks counts; None to report an error."""
    agent: str | None = None
    """Name of the agent, if the source states none or another one."""
    organization: str | None = None
    """Who made the agent, if the source does not say."""
    reasoning: str | None = None
    """The reasoning setting, if the source states none."""
    trajectories: str | None = None
    """Where the transcripts are, as `[provenance] trajectories` states it."""
    instructions: bool | None = None
    """Whether rounds carry their requests, as the tasks' licence allows: what the benchmark's
    definition or the user says; None if neither does."""
    is_partial: bool = False
    """Whether the source has only some rounds of runs that exist: a table's numbers of attempts
    and rounds are then kept as they are written."""
    standing: ExistingTrack | None = None
    """The existing track; None if the results begin it."""
    watch: ProgressCallback | None = None

    def __post_init__(self) -> None:
        self._check_ids()
        nameless = [spelling for spelling, name in self.aliases.items() if not name]
        if nameless:
            raise UsageError(f"an alias needs a name that it stands for: {', '.join(nameless)}")
        if self.scale is not None and not 0 < self.scale < math.inf:
            message = "--scale takes the largest possible reward, such as 100"
            raise UsageError(f"{message}, not {self.scale:g}")
        if self.runs and self.pick:
            message = "--runs attempts keeps every run and --pick takes one of them"
            raise UsageError(f"{message}: give one of the two options")

    def _check_ids(self) -> None:
        """Check that the ids of benchmark and track can be parts of an address."""
        for noun, name in (("benchmark", self.benchmark), ("track", self.track)):
            if not is_slug(name):
                message = f"a {noun}'s id has lower-case letters, digits, `-` and `_` only"
                raise UsageError(f"{message}, not `{name}`")
        if self.benchmark in BESIDE_BENCHMARKS:
            message = f"`{self.benchmark}` is reserved for a page of the site"
            raise UsageError(f"{message}; choose another id")


@dataclass(frozen=True, slots=True)
class Format:
    """A foreign format, to which an entry point of the group `sitegen.formats` leads."""

    read: Callable[..., Incoming]
    """Return what a source holds, given its path, the `ImportOptions`, and the format's own options
    as keywords.

    It raises `UsageError` if the source lacks what was asked for, and `ProblemsError` with every
    reason why the source can't be used.
    """
    track: str
    """Id of the track if the user names none."""
    benchmark: str | None = None
    """Id of the one benchmark that publishes its results in this format; None if any may."""
    extras: frozenset[str] = frozenset()
    """Options that it supports beyond those of every format.

    Those in `SHARED_OPTIONS` reach `read` as fields of its `ImportOptions`, the others as keyword
    arguments.
    """
    is_file: bool = False
    """Whether its source is one file, not a folder."""
    takes_files: bool = False
    """Whether its source may also be one of the files that its folders hold."""
    recognise: Callable[[SourceTree], str | None] = lambda _: None
    """Return what shows that a source is of this format, after a short look; None for others."""

    def can_be(self, source: Path) -> bool:
        """Return whether a source is of the kind that the format reads: a file, or a folder."""
        if source.is_file():
            return self.is_file or self.takes_files
        return source.is_dir() and not self.is_file
