"""Define the options of an import, and the declaration of a foreign format."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - a field is called date, like its option
from pathlib import Path
from typing import Literal

from sitegen.importers.kit.tree import SourceTree
from sitegen.models.benchmark import BESIDE_BENCHMARKS, Protocol
from sitegen.models.incoming import Incoming
from sitegen.models.record import is_slug
from sitegen.problems import UsageError

ProgressCallback = Callable[[int, int], None]
"""A function that receives the number of runs read so far and the total number of runs."""

Pick = Literal["latest", "first"]
"""The choice among several runs of an agent on the same tasks."""

SHARED_OPTIONS = frozenset({"metric", "scale", "runs", "pick"})
"""Fields of `ImportOptions` that a format supports only if it lists them in `Format.extras`."""


@dataclass(slots=True)
class Progress:
    """Counts the runs that have been read, and reports progress."""

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
    """The existing track to which results are added."""

    protocol: Protocol
    lengths: Mapping[str, int] = field(default_factory=dict)
    """The number of rounds of each task, by its id."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """The ids of the track's tasks, by title."""
    modes: Collection[str] = ()
    """Failure modes declared by the track's benchmark."""
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The labels of each task, keyed by the task's id and then by axis."""


@dataclass(frozen=True, slots=True)
class BenchmarkFacts:
    """Facts that a benchmark publishes, used when its results are read in any format.

    They are provided by the entry point in the group `sitegen.benchmarks` that is named after the
    benchmark's id.
    """

    title: str = ""
    """The benchmark's title; empty to derive it from the benchmark's id."""
    spellings: Mapping[str, str] = field(default_factory=dict)
    """Other spellings of agents' names, mapped to the chosen names."""
    track_titles: Mapping[str, str] = field(default_factory=dict)
    """Titles of the benchmark's tracks, by id."""


NO_FACTS = BenchmarkFacts()
"""The empty facts, used for most benchmarks."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options that control how a source is read and where its results are added.

    Raises:
        UsageError: The id of the benchmark or track can't be part of a URL, an alias has no name,
            the scale is not positive, or both `runs` and `pick` are given.
    """

    today: Date
    """The day of the import; also the date of bundles if the source does not state a date."""
    benchmark: str = "runs"
    track: str = "main"
    axes: Collection[str] = ()
    """The axes that the benchmark already has."""
    facts: BenchmarkFacts = NO_FACTS
    """Published facts about the benchmark; empty for most benchmarks."""
    date: Date | None = None
    allow_missing: bool = False
    """Whether tasks without data are left out of the task set; otherwise they are errors."""
    claims: Path | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other spellings of agents' names, mapped to the chosen names."""
    known_metrics: Collection[str] = ()
    """Ids of the metrics that a claim may name."""
    model: str | None = None
    """The only model to import, if the source has several models."""
    task_names: Sequence[str] = ()
    """The tasks to import, by their names in the source, ids or titles; empty for all tasks."""
    metric: str | None = None
    """The score to use, as spelled in the format, if the source has several scores."""
    scale: float | None = None
    """The largest reward of the source, by which rewards are divided; None for rewards up to 1."""
    runs: Literal["attempts"] | None = None
    """"attempts" if an agent's runs on the same tasks are attempts, in chronological order."""
    pick: Pick | None = None
    """The choice among several runs of an agent on the same tasks; None to report an error."""
    agent: str | None = None
    """Name of the agent, if the source does not name it or uses another name."""
    organization: str | None = None
    """The organization that made the model, if the source does not state it."""
    reasoning: str | None = None
    """The reasoning setting, if the source does not state it."""
    trajectories: str | None = None
    """The location of the transcripts, as stated in `[provenance] trajectories`."""
    instructions: bool | None = None
    """Whether rounds include their requests, as permitted by the tasks' licence.

    None if neither the benchmark's definition nor the user states it.
    """
    is_partial: bool = False
    """Whether the source has only some rounds of existing runs.

    If so, the numbers of attempts and rounds in a table are kept as written.
    """
    existing_track: ExistingTrack | None = None
    """The existing track; None if the import creates the track."""
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
            message = "--runs attempts keeps every run, but --pick takes one of them"
            raise UsageError(f"{message}: give one of the two options")

    def _check_ids(self) -> None:
        """Check that the ids of benchmark and track can be part of a URL."""
        for noun, name in (("benchmark", self.benchmark), ("track", self.track)):
            if not is_slug(name):
                message = f"a {noun}'s id may contain only lower-case letters, digits, `-` and `_`"
                raise UsageError(f"{message}, not `{name}`")
        if self.benchmark in BESIDE_BENCHMARKS:
            message = f"`{self.benchmark}` is reserved for a page of the site"
            raise UsageError(f"{message}; choose another id")


@dataclass(frozen=True, slots=True)
class Format:
    """A foreign format, provided by an entry point of the group `sitegen.formats`."""

    read: Callable[..., Incoming]
    """Function that returns the import of a source, given its path, the `ImportOptions`, and the
    format's own options as keyword arguments.

    It raises `UsageError` if the source lacks something requested, and `ProblemsError` with every
    reason why the source can't be used.
    """
    track: str
    """Id of the track if the user does not name one."""
    benchmark: str | None = None
    """Id of the only benchmark that uses this format; None if any benchmark may use it."""
    extras: frozenset[str] = frozenset()
    """Options that the format supports in addition to the options of all formats.

    Options in `SHARED_OPTIONS` reach `read` as fields of its `ImportOptions`, other options as
    keyword arguments.
    """
    is_file: bool = False
    """Whether a source is a single file, not a folder."""
    takes_files: bool = False
    """Whether a source may also be a single file from a folder in this format."""
    recognise: Callable[[SourceTree], str | None] = lambda _: None
    """Function that returns the feature by which a source is recognised; None for other sources."""

    def can_be(self, source: Path) -> bool:
        """Return whether a source is of the kind that the format reads: a file or a folder."""
        if source.is_file():
            return self.is_file or self.takes_files
        return source.is_dir() and not self.is_file
