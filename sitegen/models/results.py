"""What a results folder holds, once read: frozen values that every later stage works from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from msgspec.json import Decoder
from pydantic import TypeAdapter

from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.finding import Finding
from sitegen.models.journal import Check, Registration
from sitegen.models.outcome import Failure, RoundResult, RunFigures, with_known_costs
from sitegen.models.release import Release
from sitegen.models.reported import ReportedTable
from sitegen.models.submission import Submission
from sitegen.models.task import TaskSet
from sitegen.problems import Problem

_FAILURES = TypeAdapter(tuple[Failure, ...])


Meaning: TypeAlias = tuple[str, str | None]
"""A case, and the requirement that it is said to check."""

_MEANINGS = Decoder(list[Meaning])


@dataclass(frozen=True, slots=True)
class Arrivals:
    """When submissions came, as far as those tell it who had them already."""

    order: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """By the submission: smaller is earlier. Equal ones, and those that are not here, may have come in any order."""
    released: Mapping[str, int] = field(default_factory=dict)
    """By the submission, the number of the release that had it first; only those that were released."""

    def is_before(self, one: str, other: str) -> bool:
        """Whether a submission is known to have come before another."""
        return one in self.order and other in self.order and self.order[one] < self.order[other]

    def is_history(self, name: str, other: str) -> bool:
        """Whether a submission may have been there when another came: not later, and not first released with it."""
        are_released_together = other in self.released and self.released[
            other
        ] == self.released.get(name)
        return not are_released_together and not self.is_before(name, other)

    def sorted(self, names: Iterable[str]) -> list[str]:
        """The earliest first; where nothing tells, by name."""
        return sorted(names, key=lambda name: (self.order.get(name, ()), name))

    def elder(self, name: str, others: Iterable[str]) -> str | None:
        """The earliest of some others that is not known to have come after a submission; None for no such one."""
        return next(
            (
                each
                for each in self.sorted(others)
                if each != name and not self.is_before(name, each)
            ),
            None,
        )

    def remark(self, name: str, elder: str) -> str:
        """Say behind what is told of a submission and another whether that was first; nothing where it is known."""
        return "" if self.is_before(elder, name) else "; which came first is not known"


@dataclass(frozen=True, slots=True)
class FailureLog:
    """The texts of a bundle's failed cases: the JSON they came in, or the way to it, until a page asks for them.

    A board's failures run to tens of megabytes as JSON and to several times that as objects;
    a page needs those of one task.
    """

    texts: Mapping[str, bytes] = field(default_factory=dict)
    """Checked JSON lines by task, without an empty one at the end."""
    meanings: Mapping[tuple[str, int], bytes] = field(default_factory=dict)
    """What its cases are said to check, by task and round: JSON as well, a pair of texts for each case."""

    def lines_of(self, task: str) -> list[bytes]:
        """The lines of one task, those of a round in file order."""
        text = self.texts.get(task)
        return text.split(b"\n") if text else []

    def of_task(self, task: str) -> tuple[Failure, ...]:
        """The failures of one task, those of a round in file order."""
        return _FAILURES.validate_json(b"[" + self.texts.get(task, b"").replace(b"\n", b",") + b"]")

    def meanings_of(self, task: str, number: int) -> list[Meaning]:
        """What the cases of a round are said to check."""
        return _MEANINGS.decode(self.meanings.get((task, number), b"[]"))


@dataclass(frozen=True, slots=True)
class Bundle:
    """One submission with its results, as its folder holds them."""

    id: str
    """Name of the folder."""
    path: Path
    submission: Submission
    rounds: tuple[RoundResult, ...]
    runs: tuple[RunFigures, ...] = ()
    failures: FailureLog = FailureLog()
    problems: tuple[Problem, ...] = ()
    """What was found wrong with it; errors only where they were allowed."""
    round_lines: Sequence[int] = ()
    """Line of each round in its file, from 1."""
    claim_lines: Mapping[str, int | None] = field(default_factory=dict)
    """Line of each claimed metric in the manifest, from 1."""
    left_out: frozenset[tuple[str, int]] = frozenset()
    """Rounds of tasks it has no results for that findings exclude for everybody: task and round."""

    def numbered_rounds(self) -> Iterator[tuple[int, RoundResult]]:
        """Each round with its line; a bundle that comes from no file has one line a round."""
        return zip(self.round_lines or range(1, len(self.rounds) + 1), self.rounds, strict=True)

    def with_known_costs(self) -> "Bundle":
        """Return the bundle without costs that are unknown; itself where there are none."""
        is_free = bool(self.submission.agent.free)
        rounds = with_known_costs(self.rounds, is_free=is_free)
        runs = with_known_costs(self.runs, is_free=is_free)
        if rounds is self.rounds and runs is self.runs:
            return self
        return replace(self, rounds=tuple(rounds), runs=tuple(runs))


@dataclass(frozen=True, slots=True)
class BenchmarkResults:
    """A benchmark with everything that was submitted to it or reported about it."""

    path: Path
    benchmark: Benchmark
    task_sets: Mapping[str, TaskSet]
    bundles: tuple[Bundle, ...] = ()
    reported: tuple[ReportedTable, ...] = ()
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    """What was found wrong outside the bundles."""
    finding_lines: Sequence[int | None] = ()
    """Line of each finding in its file, from 1."""
    arrivals: Arrivals = field(default_factory=Arrivals)
    """Which of its submissions came first."""
    checks: Mapping[str, Check] = field(default_factory=dict)
    """By submission, the check that counts of those that its files still fit."""

    registrations: tuple[Registration, ...] = ()
    """Runs that were told of before they were made."""

    def numbered_findings(self) -> Iterator[tuple[int | None, Finding]]:
        """Each finding with its line, where it comes from a file."""
        return zip(self.finding_lines or [None] * len(self.findings), self.findings, strict=True)

    def worded(self) -> "BenchmarkResults":
        """Call a round what readers would: the task itself, where each has a single one and no other word is told."""
        sets = [tasks for tasks in self.task_sets.values() if tasks.tasks]
        if (
            not sets
            or self.benchmark.round_name != "Round"
            or not all(tasks.is_of_one_round for tasks in sets)
        ):
            return self
        return replace(self, benchmark=self.benchmark.model_copy(update={"round_name": "Task"}))

    def with_known_costs(self) -> "BenchmarkResults":
        """Return the results as they are scored: bundles without costs that are unknown."""
        bundles = tuple(bundle.with_known_costs() for bundle in self.bundles)
        is_same = all(known is sent for known, sent in zip(bundles, self.bundles, strict=True))
        return self if is_same else replace(self, bundles=bundles)

    def tasks_of(self, track: Track) -> TaskSet:
        """The tasks that a track scores; none where it has reported tables only."""
        return self.task_sets.get(track.tasks or "", TaskSet(track.tasks or "", ()))

    def bundles_of(self, track: Track) -> tuple[Bundle, ...]:
        """The bundles submitted to a track."""
        return tuple(bundle for bundle in self.bundles if bundle.submission.track == track.id)

    def reported_on(self, track: Track) -> tuple[ReportedTable, ...]:
        """The published tables about a track."""
        return tuple(table for table in self.reported if table.track == track.id)


@dataclass(frozen=True, slots=True)
class Results:
    """A results folder, read."""

    path: Path
    benchmarks: tuple[BenchmarkResults, ...]
    problems: tuple[Problem, ...] = ()
    """What was found wrong with the folder itself."""
    releases: tuple[Release, ...] = ()
    """The oldest first."""

    def all_problems(self) -> tuple[Problem, ...]:
        """Every problem of the folder, its benchmarks and their bundles."""
        found = list(self.problems)
        for results in self.benchmarks:
            found += results.problems
            for bundle in results.bundles:
                found += bundle.problems
        return tuple(found)
