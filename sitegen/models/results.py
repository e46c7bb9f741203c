"""A results folder that has been read: frozen values that all later stages use."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from operator import is_
from pathlib import Path
from typing import TypeAlias

from msgspec.json import Decoder
from pydantic import TypeAdapter

from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.digests import is_same_task
from sitegen.models.finding import Finding
from sitegen.models.journal import Check, Registration
from sitegen.models.outcome import Failure, RoundResult, RunFigures, with_known_costs
from sitegen.models.release import Release
from sitegen.models.reported import ReportedTable
from sitegen.models.submission import Submission
from sitegen.models.task import TaskSet
from sitegen.problems import Problem

_FAILURES = TypeAdapter(tuple[Failure, ...])
_FAILURE_LINES = Decoder(Failure)


Meaning: TypeAlias = tuple[str, str | None]
"""The name of a case, and the requirement that it checks, if its source states one."""

_MEANINGS = Decoder(list[Meaning])


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The order in which submissions arrived, as shown by the arrivals file and by releases."""

    order: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Sort key by submission: smaller is earlier.

    Submissions with equal keys, and those without a key, may have arrived in any order.
    """
    released: Mapping[str, int] = field(default_factory=dict)
    """Number of the first release that has a submission, by submission; only if it was released."""
    days: Mapping[str, date] = field(default_factory=dict)
    """The day on which a submission was first seen, by submission; only if it was recorded."""

    def is_before(self, submission: str, later: str) -> bool:
        """Return whether a submission is known to have arrived before another submission."""
        if submission not in self.order or later not in self.order:
            return False
        return self.order[submission] < self.order[later]

    def is_history(self, name: str, candidate: str) -> bool:
        """Return whether a candidate may have been present when submission `name` arrived.

        It was not present if it is known to be later, or if both were first released together.
        """
        if candidate in self.released and self.released[candidate] == self.released.get(name):
            return False
        return not self.is_before(name, candidate)

    def sorted(self, names: Iterable[str]) -> list[str]:
        """Return submissions with the earliest first, and by name if the order is not known."""
        return sorted(names, key=lambda name: (self.order.get(name, ()), name))

    def elder(self, name: str, candidates: Iterable[str]) -> str | None:
        """Return the earliest candidate that is not known to be later than submission `name`."""
        for candidate in self.sorted(candidates):
            if candidate != name and not self.is_before(name, candidate):
                return candidate
        return None

    def remark(self, name: str, elder: str) -> str:
        """Return the end of a sentence on two submissions; empty if `elder` surely came first."""
        return "" if self.is_before(elder, name) else "; it is unknown which came first"


@dataclass(frozen=True, slots=True)
class FailureLog:
    """The texts of a bundle's failed cases, kept as JSON until a page asks for them.

    A board's failures take tens of megabytes as JSON and several times that as objects; a page
    needs only the failures of one task.
    """

    texts: Mapping[str, bytes] = field(default_factory=dict)
    """Checked JSON lines by task, without a newline at the end."""
    meanings: Mapping[tuple[str, int], bytes] = field(default_factory=dict)
    """JSON of a list of `Meaning`, by task and round number."""

    def lines_of(self, task: str) -> list[bytes]:
        """Return the JSON lines of one task's failures, each round's failures in file order."""
        text = self.texts.get(task)
        return text.split(b"\n") if text else []

    def of_task(self, task: str) -> tuple[Failure, ...]:
        """Return the failures of one task, each round's failures in file order."""
        text = self.texts.get(task, b"")
        with suppress(ValueError):  # the other reader accepts a few lines that this reader refuses
            return tuple(_FAILURE_LINES.decode_lines(text))
        return _FAILURES.validate_json(b"[" + b",".join(self.lines_of(task)) + b"]")

    def meanings_of(self, task: str, number: int) -> list[Meaning]:
        """Return the cases of a round, each with the requirement that it checks."""
        return _MEANINGS.decode(self.meanings.get((task, number), b"[]"))


@dataclass(frozen=True, slots=True)
class Bundle:
    """One submission with its results, as stored in its folder."""

    id: str
    """The name of the folder."""
    path: Path
    submission: Submission
    rounds: tuple[RoundResult, ...]
    runs: tuple[RunFigures, ...] = ()
    failures: FailureLog = FailureLog()
    problems: tuple[Problem, ...] = ()
    """Problems of the bundle; errors are among them only if the caller allowed errors."""
    round_lines: Sequence[int] = ()
    """Line of each round in its file, from 1."""
    claim_lines: Mapping[str, int | None] = field(default_factory=dict)
    """Line of each claimed metric in the manifest, from 1."""
    left_out: frozenset[tuple[str, int]] = frozenset()
    """Rounds without results that findings exclude for every agent, by task id and round number."""

    def numbered_rounds(self) -> Iterator[tuple[int, RoundResult]]:
        """Return each round with its line; if there is no file, rounds are counted from 1."""
        lines = self.round_lines or range(1, len(self.rounds) + 1)
        return zip(lines, self.rounds, strict=True)

    def with_known_costs(self) -> "Bundle":
        """Return the bundle without unknown costs; the same object if it has none."""
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
    """Problems outside of the bundles."""
    finding_lines: Sequence[int | None] = ()
    """Line of each finding in its file, from 1."""
    arrivals: Arrivals = field(default_factory=Arrivals)
    """The order in which its submissions arrived."""
    checks: Mapping[str, Check] = field(default_factory=dict)
    """The check that counts, by submission; only checks of the current files of the bundle."""

    registrations: tuple[Registration, ...] = ()
    """Runs that were announced before they were made."""
    sealed: "BenchmarkResults | None" = None
    """The submissions whose embargo has not ended, with all findings; None if there are none.

    `bundles` excludes these submissions, and `findings` does not name them.
    """

    @property
    def embargoed(self) -> tuple[Bundle, ...]:
        """The submissions whose embargo has not ended."""
        return self.sealed.bundles if self.sealed else ()

    def numbered_findings(self) -> Iterator[tuple[int | None, Finding]]:
        """Return each finding with its line; the line is None if there is no file."""
        lines = self.finding_lines or [None] * len(self.findings)
        return zip(lines, self.findings, strict=True)

    def recorded_findings(self) -> tuple[Finding, ...]:
        """Return the findings as they are in their file, even if an embargo hides names."""
        if self.sealed is None:
            return self.findings
        findings_by_line = dict(self.sealed.numbered_findings())
        recorded = []
        for line, finding in self.numbered_findings():
            recorded.append(findings_by_line.get(line, finding) if line else finding)
        return tuple(recorded)

    def worded(self) -> "BenchmarkResults":
        """Return the results with rounds called tasks, if every task has a single round.

        A benchmark with its own word for a round keeps that word.
        """
        filled_sets = [tasks for tasks in self.task_sets.values() if tasks.tasks]
        if not filled_sets or self.benchmark.round_name != "Round":
            return self
        if not all(tasks.is_of_one_round for tasks in filled_sets):
            return self
        return replace(self, benchmark=self.benchmark.model_copy(update={"round_name": "Task"}))

    def with_known_costs(self) -> "BenchmarkResults":
        """Return the results as they are scored: bundles without unknown costs."""
        bundles = tuple(bundle.with_known_costs() for bundle in self.bundles)
        if all(map(is_, bundles, self.bundles)):
            return self
        return replace(self, bundles=bundles)

    def tasks_of(self, track: Track) -> TaskSet:
        """Return the tasks that a track scores; an empty set if it has only reported tables."""
        task_set = track.tasks or ""
        return self.task_sets.get(task_set, TaskSet(task_set, ()))

    def unchanged_tasks(self, track: Track, earlier: Track) -> list[str]:
        """Return the ids of the tasks that are the same on a track and an earlier version of it."""
        changed = set(track.changed)
        for version in self.benchmark.tracks:
            is_between = version.id in self.benchmark.earlier_versions(track.id)
            if is_between and earlier.id in self.benchmark.earlier_versions(version.id):
                changed.update(version.changed)
        earlier_tasks = self.tasks_of(earlier).by_id()
        unchanged = []
        for task in self.tasks_of(track).tasks:
            earlier_task = earlier_tasks.get(task.id)
            if task.id in changed or earlier_task is None:
                continue
            if is_same_task(task, earlier_task):
                unchanged.append(task.id)
        return unchanged

    def bundles_of(self, track: Track) -> tuple[Bundle, ...]:
        """Return the bundles submitted to a track."""
        return tuple(bundle for bundle in self.bundles if bundle.submission.track == track.id)

    def reported_on(self, track: Track) -> tuple[ReportedTable, ...]:
        """Return the published tables about a track."""
        return tuple(table for table in self.reported if table.track == track.id)


@dataclass(frozen=True, slots=True)
class Results:
    """A complete results folder."""

    path: Path
    benchmarks: tuple[BenchmarkResults, ...]
    problems: tuple[Problem, ...] = ()
    """Problems of the folder itself."""
    releases: tuple[Release, ...] = ()
    """The releases, the oldest first."""
    left_out: frozenset[str] = frozenset()
    """Ids of the folder's benchmarks that were not requested."""

    def all_problems(self) -> tuple[Problem, ...]:
        """Return every problem of the folder, its benchmarks and their bundles."""
        problems = list(self.problems)
        for results in self.benchmarks:
            problems += results.problems
            for bundle in (*results.bundles, *results.embargoed):
                problems += bundle.problems
        return tuple(problems)
