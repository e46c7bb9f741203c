"""Reads a bundle: one submission's folder."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from pydantic import TypeAdapter

from sitegen.errors import Problem
from sitegen.metrics.catalogue import METRICS
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.finding import Finding
from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.record import is_slug
from sitegen.models.results import Bundle, FailureLog
from sitegen.models.submission import Submission
from sitegen.models.task import TaskSet
from sitegen.store import rules
from sitegen.store.checksums import CHECKSUMS, checksum_problems
from sitegen.store.completeness import Expectation, completeness_problems
from sitegen.store.counts import breaches
from sitegen.store.details import detail_problems
from sitegen.store.jsonlines import Lines, read_lines
from sitegen.store.shape import suggestion
from sitegen.store.toml import line_of, read_toml

MANIFEST, ROUNDS, RUNS = "submission.toml", "rounds.jsonl", "runs.jsonl"
FAILURES = ("failures.jsonl.gz", "failures.jsonl")
REQUIRED = (MANIFEST, ROUNDS, CHECKSUMS)
RESERVED = frozenset({"tasks", "compare"})
"""Names that the site uses beside submissions and tasks."""

_ROUNDS = TypeAdapter(list[RoundResult])
_RUNS = TypeAdapter(list[RunFigures])
_FAILURES = TypeAdapter(list[Failure])
_SHOWN, _NAMED = 3, 20
"""How many breaches of one rule are told in full, and how many of the others are named by their line."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a bundle is read against."""

    benchmark: Benchmark
    task_sets: Mapping[str, TaskSet]
    findings: Sequence[Finding] = field(default=())

    def track(self, name: str) -> Track | None:
        """Give a track by its id."""
        return next((track for track in self.benchmark.tracks if track.id == name), None)


def read_bundle(folder: Path, setting: Setting) -> tuple[Bundle | None, list[Problem]]:
    """Read one bundle and find everything that is wrong with it.

    Returns:
        The bundle as far as it can be read, its problems included, or None where its manifest or its
        rounds can't be read at all; and the problems.
    """
    problems = _folder_problems(folder)
    if not any(folder.iterdir()):
        return None, problems
    submission, found = read_toml(folder / MANIFEST, Submission) if (folder / MANIFEST).exists() else (None, [])
    problems += found
    rounds = read_lines(folder / ROUNDS, _ROUNDS) if (folder / ROUNDS).exists() else Lines[RoundResult]()
    runs = read_lines(folder / RUNS, _RUNS) if (folder / RUNS).exists() else Lines[RunFigures]()
    log = next((folder / name for name in FAILURES if (folder / name).exists()), None)
    failures = read_lines(log, _FAILURES) if log else Lines[Failure]()
    for lines in (rounds, runs, failures):
        problems += lines.problems
    problems += _limited(_count_problems(folder / ROUNDS, rounds))
    track = setting.track(submission.track) if submission else None
    if submission and not track:
        problems.append(_track_problem(folder / MANIFEST, submission, setting.benchmark))
    if submission and track:
        reading = _Reading(folder, submission, track, setting, rounds)
        problems += reading.problems()
        problems += detail_problems(log or folder / FAILURES[0], rounds.records, failures)
    if submission is None or track is None or not rounds.records:
        return None, problems
    bundle = Bundle(
        folder.name,
        folder,
        submission,
        tuple(rounds.records),
        tuple(runs.records),
        _log(failures),
        tuple(problems),
    )
    return bundle, problems


@dataclass(frozen=True, slots=True)
class _Reading:
    """A bundle's records beside what its track expects."""

    folder: Path
    submission: Submission
    track: Track
    setting: Setting
    rounds: Lines[RoundResult]

    def problems(self) -> Iterator[Problem]:
        """Say what contradicts the track, its tasks and the findings."""
        path = self.folder / ROUNDS
        tasks = self.setting.task_sets.get(self.track.tasks or "")
        attempts = self.submission.attempts
        if attempts and attempts > self.track.attempts:
            what = f"{attempts} attempts, but track {self.track.id} has {self.track.attempts}"
            yield rules.ATTEMPTS_ABOVE_TRACK.broken(self.folder / MANIFEST, None, what)
        for metric in (name for name in self._claimed() if name not in METRICS):
            line = line_of((self.folder / MANIFEST).read_text(encoding="utf-8"), ("claims", metric))
            what = f"the catalogue has no metric `{metric}`"
            yield rules.METRIC_UNKNOWN.broken(self.folder / MANIFEST, line, what, suggestion(metric, METRICS))
        if tasks is None:
            what = f"track {self.track.id} has a bundle, but its task set `{self.track.tasks}` is not there"
            yield rules.TASK_SET_MISSING.broken(self.folder / MANIFEST, None, what)
            return
        expectation = Expectation.of(self.track, tasks.by_id(), attempts)
        numbered = list(zip(self.rounds.numbers, self.rounds.records, strict=True))
        if self.rounds.records or not self.rounds.problems:
            yield from _limited(completeness_problems(path, numbered, expectation, self.rounds.refused))
        yield from _limited(self._exclusions(path, numbered))
        if self.track.protocol == "fail-stop":
            yield from self._after_failure(path, numbered)

    def _claimed(self) -> Sequence[str]:
        return tuple(self.submission.claims.values) if self.submission.claims else ()

    def _exclusions(self, path: Path, numbered: Sequence[tuple[int, RoundResult]]) -> Iterator[Problem]:
        for line, result in numbered:
            if result.state == "excluded" and not self._is_excluded(result):
                what = f"round {result.round} of {result.task} is excluded, but no finding says why"
                yield rules.EXCLUDED_UNFOUNDED.broken(path, line, what)

    def _is_excluded(self, result: RoundResult) -> bool:
        return any(
            finding.effect == "exclude" and finding.concerns(self.track.id, self.folder.name, result.task, result.round)
            for finding in self.setting.findings
        )

    def _after_failure(self, path: Path, numbered: Sequence[tuple[int, RoundResult]]) -> Iterator[Problem]:
        failed: dict[tuple[str, int], int] = {}
        late: list[int] = []
        for line, result in sorted(numbered, key=lambda entry: entry[1].round):
            run = (result.task, result.attempt)
            if result.start != "own":
                continue
            if run in failed and result.state in {"scored", "no_cases"}:
                late.append(line)
            if result.state not in {"excluded", "fast_forwarded"} and not result.solved:
                failed.setdefault(run, result.round)
        if late:
            what = f"{len(late)} verdicts stand after their run's first failure"
            yield rules.VERDICT_AFTER_FAILURE.broken(path, min(late), what)


def _folder_problems(folder: Path) -> list[Problem]:
    problems: list[Problem] = []
    if not is_slug(folder.name):
        problems.append(rules.SLUG_INVALID.broken(folder, None, f'the folder name "{folder.name}" is no slug'))
    if folder.name in RESERVED:
        problems.append(rules.NAME_RESERVED.broken(folder, None, f'"{folder.name}" is an address of the site'))
    names = {file.name for file in folder.iterdir()}
    if not names:
        return [*problems, rules.FOLDER_EMPTY.broken(folder, None, "the folder is empty")]
    problems += [
        rules.FILE_MISSING.broken(folder / name, None, f"{name} is missing") for name in REQUIRED if name not in names
    ]
    for name in sorted(names - {*REQUIRED, RUNS, *FAILURES}):
        problems.append(rules.FILE_UNEXPECTED.broken(folder / name, None, f"a bundle has no {name}"))
    if names.issuperset(FAILURES):
        problems.append(rules.FILE_UNEXPECTED.broken(folder / FAILURES[1], None, "failures are given twice"))
    return problems + (checksum_problems(folder) if CHECKSUMS in names else [])


def _count_problems(path: Path, rounds: Lines[RoundResult]) -> Iterator[Problem]:
    for line, result in zip(rounds.numbers, rounds.records, strict=True):
        for rule, what in breaches(result):
            yield rule.broken(path, line, f"{what} (round {result.round} of {result.task})")


def _limited(problems: Iterator[Problem] | Sequence[Problem]) -> Iterator[Problem]:
    """Report the first breaches of each rule, and the rest as one: a fault of the writer repeats itself."""
    by_code: dict[str, list[Problem]] = defaultdict(list)
    for problem in problems:
        by_code[problem.code].append(problem)
    for found in by_code.values():
        yield from islice(found, _SHOWN)
        rest = found[_SHOWN:]
        if rest:
            lines = ", ".join(str(problem.line) for problem in rest[:_NAMED]) + ("…" if len(rest) > _NAMED else "")
            what = f"{rest[0].what}; and {len(rest)} more like it" + (f", in lines {lines}" if rest[0].line else "")
            yield replace(rest[0], what=what)


def _track_problem(path: Path, submission: Submission, benchmark: Benchmark) -> Problem:
    known = [track.id for track in benchmark.tracks]
    fix = suggestion(submission.track, known) or f"name one of: {', '.join(known)}"
    line = line_of(path.read_text(encoding="utf-8"), ("track",))
    return rules.TRACK_UNKNOWN.broken(path, line, f"{benchmark.id} has no track `{submission.track}`", fix)


def _log(failures: Lines[Failure]) -> FailureLog:
    by_task: dict[str, list[bytes]] = defaultdict(list)
    for record, raw in zip(failures.records, failures.raw, strict=True):
        by_task[record.task].append(raw)
    return FailureLog(dict(by_task))
