"""What an importer makes of a foreign tree, what of it is added to `results/`, and what came of that."""

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
    """Rounds that are made whenever they are read: a million of them would fill the memory."""

    __slots__ = ("_length", "_make")

    def __init__(self, length: int, make: Callable[[], Iterable[RoundResult]]) -> None:
        """Take their number, and what makes them, each time the same."""
        self._length = length
        self._make = make

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[RoundResult]:
        return iter(self._make())

    @overload
    def __getitem__(self, place: int) -> RoundResult: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[RoundResult]: ...

    def __getitem__(self, place: int | slice) -> RoundResult | Sequence[RoundResult]:
        if isinstance(place, slice):
            return tuple(self)[place]
        position = range(self._length)[place]
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
    """Name of the folder to be."""
    submission: Submission
    rounds: Sequence[RoundResult]
    """In the order of the task set, then start, attempt and round."""
    runs: tuple[RunFigures, ...] = ()
    failures: tuple[Failure, ...] = ()
    transcripts: Mapping[tuple[str, int, int], Path] = field(default_factory=dict)
    """Transcripts that lie in the source, by task, attempt and round, 0 for that of a whole attempt."""
    made: Callable[[], Iterable[tuple[str, int, bytes]]] | None = None
    """Makes those that the source has in another form, each with its task and attempt; None where it has none."""

    def with_trajectories(self, places: str) -> "Draft":
        """Say where its transcripts are: a pattern, as `--trajectories` takes it."""
        ran = self.submission.provenance.model_copy(update={"trajectories": places})
        return replace(self, submission=self.submission.model_copy(update={"provenance": ran}))


@dataclass(frozen=True, slots=True)
class Incoming:
    """Everything that one import adds to a results folder."""

    benchmark: Benchmark
    """The benchmark as it would be if the folder were new; an existing one is checked against it."""
    task_sets: tuple[TaskSet, ...]
    drafts: tuple[Draft, ...]
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Warnings about the source."""
    notes: tuple[str, ...] = ()
    """What was found in the source, what was passed over and why: a line each."""
    reported: tuple[tuple[str, ReportedTable], ...] = ()
    """Figures of which the source has no raw data, each with the name of the file to be."""


@dataclass(frozen=True, slots=True)
class Addition:
    """What an import adds to a benchmark's folder: what stands there is not in it, but for the definition."""

    benchmark: Benchmark
    """The definition as it is to be."""
    task_sets: tuple[TaskSet, ...]
    """Those that have no file yet."""
    drafts: tuple[Draft, ...]
    """Every bundle of the import, as it goes with the folder's tracks; some may stand there already."""
    findings: tuple[Finding, ...]
    """Those that are not recorded yet."""
    reported: tuple[tuple[str, ReportedTable], ...] = ()
    """Those that do not stand there yet, each with the name of its file, if that is free."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What an import brought into a results folder."""

    folder: Path
    """The benchmark's folder."""
    new: tuple[str, ...]
    """Bundles that were written."""
    unchanged: tuple[str, ...]
    """Bundles that stood there already."""
    created: tuple[str, ...]
    """Files beside the bundles that were not there before, by their names in the folder."""
    changed: tuple[str, ...]
    """Files beside the bundles that were added to."""
    begun: tuple[str, ...]
    """What begins: a benchmark, or tracks."""
    problems: tuple[Problem, ...]
    """Warnings about the source."""
    superseded: tuple[tuple[str, str], ...] = ()
    """Bundles that no longer stand, each with the one that replaces it."""
