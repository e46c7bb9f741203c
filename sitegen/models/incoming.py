"""Results on their way from a foreign source into `results/`.

An importer returns `Incoming`; `Addition` is the part of it that is new to the results folder, and
`Brought` lists what was written.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import eq
from pathlib import Path
from typing import overload

from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding
from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.reported import ReportedTable
from sitegen.models.submission import Submission
from sitegen.models.task import TaskSet
from sitegen.problems import Problem


class MadeRounds(Sequence[RoundResult]):
    """Rounds that are computed at each iteration; a million at once would fill the memory."""

    __slots__ = ("_length", "_make")

    def __init__(self, length: int, make: Callable[[], Iterable[RoundResult]]) -> None:
        """Set the number of rounds, and the function that makes the same rounds at each call."""
        self._length = length
        self._make = make

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[RoundResult]:
        return iter(self._make())

    @overload
    def __getitem__(self, index: int) -> RoundResult: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RoundResult]: ...

    def __getitem__(self, index: int | slice) -> RoundResult | Sequence[RoundResult]:
        if isinstance(index, slice):
            return tuple(self)[index]
        position = range(self._length)[index]
        return next(islice(self, position, None))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))


@dataclass(frozen=True, slots=True)
class Draft:
    """A bundle that is not written yet."""

    id: str
    """The name of its future folder."""
    submission: Submission
    rounds: Sequence[RoundResult]
    """The rounds in the order of the task set, then by start, attempt and round."""
    runs: tuple[RunFigures, ...] = ()
    failures: tuple[Failure, ...] = ()
    transcripts: Mapping[tuple[str, int, int], Path] = field(default_factory=dict)
    """Transcript files of the source, by task, attempt and round; round 0 is a whole attempt."""
    made: Callable[[], Iterable[tuple[str, int, bytes]]] | None = None
    """Makes transcripts from other forms in the source: task, attempt and text; may be None."""

    def with_trajectories(self, pattern: str) -> "Draft":
        """Return the draft with its transcripts' address: a pattern as in `--trajectories`."""
        provenance = self.submission.provenance.model_copy(update={"trajectories": pattern})
        submission = self.submission.model_copy(update={"provenance": provenance})
        return replace(self, submission=submission)


@dataclass(frozen=True, slots=True)
class Incoming:
    """Everything that an import adds to a results folder."""

    benchmark: Benchmark
    """The benchmark as in a new folder; an existing benchmark is checked against it."""
    task_sets: tuple[TaskSet, ...]
    drafts: tuple[Draft, ...]
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Warnings about the source."""
    notes: tuple[str, ...] = ()
    """Notes, one line each, on what the source contains, and what was left out and why."""
    reported: tuple[tuple[str, ReportedTable], ...] = ()
    """Figures for which the source has no raw data, each with the name of its future file."""


@dataclass(frozen=True, slots=True)
class Addition:
    """The part of an import that a benchmark's folder does not have yet, with the definition."""

    benchmark: Benchmark
    """The definition after the import."""
    task_sets: tuple[TaskSet, ...]
    """Task sets without a file."""
    drafts: tuple[Draft, ...]
    """Every bundle of the import, adapted to the folder's tracks; some may exist already."""
    findings: tuple[Finding, ...]
    """Findings that are not recorded yet."""
    reported: tuple[tuple[str, ReportedTable], ...] = ()
    """Published tables that the folder lacks, each with the name of its file, if that is free."""


@dataclass(frozen=True, slots=True)
class Brought:
    """The changes that an import made to a results folder."""

    folder: Path
    """The benchmark's folder."""
    new: tuple[str, ...]
    """Bundles that were written."""
    unchanged: tuple[str, ...]
    """Bundles that existed already."""
    created: tuple[str, ...]
    """New files outside the bundles, by their names in the folder."""
    changed: tuple[str, ...]
    """Files outside the bundles that were extended."""
    begun: tuple[str, ...]
    """A new benchmark, or new tracks, by name."""
    problems: tuple[Problem, ...]
    """Warnings about the source."""
    superseded: tuple[tuple[str, str], ...] = ()
    """Bundles that are superseded, each with the bundle that replaces it."""
