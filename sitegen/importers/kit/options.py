"""What the person who imports decides: where the results go, their date, and which gaps are meant."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as Date  # noqa: N812 - a field is called date, as the option is
from pathlib import Path
from typing import Literal

from sitegen.importers.kit.tree import Tree
from sitegen.models.benchmark import BESIDE_BENCHMARKS, Protocol
from sitegen.models.incoming import Incoming
from sitegen.models.record import is_slug
from sitegen.problems import UsageError

Watch = Callable[[int, int], None]
"""Told how many runs were read, and of how many."""


Pick = Literal["latest", "first"]
"""Which of several runs of an agent on the same tasks counts."""

SHARED_OPTIONS = frozenset({"metric", "scale", "runs", "pick"})
"""Fields of `ImportOptions` that only some formats support: their `Format.extras` name them."""


@dataclass(slots=True)
class Pace:
    """Counts the runs that were read, and tells whoever watches."""

    total: int = 0
    watch: Watch | None = None
    done: int = 0

    def step(self) -> None:
        """Count one more."""
        self.done += 1
        if self.watch:
            self.watch(self.done, self.total)


@dataclass(frozen=True, slots=True)
class Standing:
    """The track that results go to, where it is there already."""

    protocol: Protocol
    lengths: Mapping[str, int] = field(default_factory=dict)
    """Rounds of its tasks."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Ids of its tasks, by what readers see."""
    modes: Collection[str] = ()
    """Ways to fail that its benchmark declares."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How a foreign tree is to be read.

    Raises:
        UsageError: A name can't stand in an address, or an alias stands for no name.
    """

    today: Date
    """The day of the import: the bundles' date where the source tells none."""
    benchmark: str = "evocode-bench"
    track: str = "official"
    date: Date | None = None
    allow_missing: bool = False
    """Whether tasks without data are left out of the task set; otherwise they are errors."""
    claims: Path | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other spellings of agents' names, each with the one name it stands for."""
    known_metrics: Collection[str] = ()
    """Ids of the metrics that a claim may name."""
    model: str | None = None
    """The one model to take, of a source that holds several."""
    task_names: Sequence[str] = ()
    """The tasks to take, by their names in the source, ids or titles; empty for all of them."""
    metric: str | None = None
    """The score that counts, as the format spells it, where a source holds several."""
    scale: float | None = None
    """The largest reward of the source, by which every reward is divided; None where rewards are 0 to 1 already."""
    runs: Literal["attempts"] | None = None
    """"attempts": several runs of an agent on the same tasks are its attempts, in the order of time."""
    pick: Pick | None = None
    """Which of several runs of an agent on the same tasks counts; None where it has to be asked."""
    agent: str | None = None
    """Name of the agent, where the source tells none or another one."""
    organization: str | None = None
    """Who made the agent, where the source tells nobody."""
    reasoning: str | None = None
    """The reasoning setting, where the source tells none."""
    trajectories: str | None = None
    """Where the transcripts are, in the words of `[provenance] trajectories`."""
    instructions: bool | None = None
    """Whether rounds carry their requests, as the tasks' licence allows: what the benchmark's definition says, or the
    importing person; None where neither says."""
    standing: Standing | None = None
    """The track as it stands; None where the results begin it."""
    watch: Watch | None = None

    def __post_init__(self) -> None:
        for word, name in (("benchmark", self.benchmark), ("track", self.track)):
            if not is_slug(name):
                message = f"a {word}'s id has lower-case letters, digits, `-` and `_` only, and this is `{name}`"
                raise UsageError(message)
        if self.benchmark in BESIDE_BENCHMARKS:
            raise UsageError(
                f"`{self.benchmark}` is an address of the site itself; choose another id"
            )
        nameless = [spelling for spelling, name in self.aliases.items() if not name]
        if nameless:
            raise UsageError(f"an alias needs a name that it stands for: {', '.join(nameless)}")
        if self.scale is not None and not 0 < self.scale < math.inf:
            raise UsageError(
                f"--scale takes the largest possible reward, such as 100, and this is {self.scale:g}"
            )
        if self.runs and self.pick:
            raise UsageError(
                "--runs attempts keeps every run and --pick takes one of them: give one of the two options"
            )


@dataclass(frozen=True, slots=True)
class Format:
    """A foreign format: `FORMAT` in the module `source` of a package, by whose name the import command knows it."""

    read: Callable[..., Incoming]
    """Return what a source holds, given its path, the `ImportOptions`, and the format's own options as keywords.

    Raises `UsageError` where what is asked for is not there, and `ProblemsError` with every reason why the source
    can't be used.
    """
    track: str
    """Id of the track, where none is named."""
    benchmark: str | None = None
    """Id of the one benchmark that has its results in this format; None where any may."""
    extras: frozenset[str] = frozenset()
    """Options that it supports beyond those of every format.

    Those in `SHARED_OPTIONS` reach `read` as fields of its `ImportOptions`, the others as keyword arguments.
    """
    is_file: bool = False
    """Whether its source is one file, not a folder."""
    takes_files: bool = False
    """Whether its source may also be one of the files that its folders hold."""
    recognise: Callable[[Tree], str | None] = lambda _: None
    """What a source has that tells that it is of this format, after a short look; None where nothing does."""

    def can_be(self, source: Path) -> bool:
        """Return whether a source is of the kind that the format reads: a file, or a folder."""
        if source.is_file():
            return self.is_file or self.takes_files
        return source.is_dir() and not self.is_file
