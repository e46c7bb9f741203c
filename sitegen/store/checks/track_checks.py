"""Check a bundle against the track that it is submitted to: tasks, attempts, metrics, findings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.metrics.catalogue import benchmark_metrics
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.consistency import OUTCOMES_LENGTH
from sitegen.models.finding import Finding
from sitegen.models.outcome import RoundResult, RunFigures, Start
from sitegen.models.shared_rules import ATTEMPTS_ABOVE_TRACK
from sitegen.models.submission import Claims, Submission
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem, Rule, counted, limited, mends, reasons
from sitegen.reading.json import Lines
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import Document
from sitegen.store.checks.document_breaches import METRIC_UNKNOWN, TRACK_UNKNOWN
from sitegen.store.checks.expected import (
    Expectation,
    UnexpectedRecord,
    completeness_problems,
    short_round_name,
)
from sitegen.store.files.layout import ROUNDS_FILE, RUNS_FILE
from sitegen.store.files.raw_documents import get_table

MISSING_UNKNOWN = Rule.error(
    "MISSING-UNKNOWN",
    "`missing` names a task that is not in the track's task set.",
    "correct the task's id",
)
MISSING_ALL = Rule.error(
    "MISSING-ALL",
    "A bundle has no results for any task of its track.",
    "remove the tasks that have results from `missing`; a bundle without results is not a "
    "submission",
)
ATTEMPTS_BELOW_TRACK = Rule.warning(
    "ATTEMPTS-BELOW-TRACK",
    "A bundle has fewer attempts than its track asks for.",
    "add the missing attempts; until then, means are computed from the existing attempts, and "
    "metrics that need all of them are left blank",
)
EXCLUDED_UNFOUNDED = Rule.error(
    "ROUND-EXCLUDED-WITHOUT-FINDING",
    "A round is excluded, but no finding excludes it.",
    'record the finding in findings.toml with `effect = "exclude"`, or correct the state',
    unwaivable='a finding with `effect = "exclude"` lets it pass, and says so on the board',
)
MODE_UNKNOWN = Rule.error(
    "ROUND-MODE-UNKNOWN",
    "A round has a `mode` that benchmark.toml does not list in `modes`, or has a `mode` although "
    "it did not fail.",
    "correct or leave out the `mode`, or declare it below `[modes]` in benchmark.toml",
)
VERDICT_AFTER_FAILURE = Rule.warning(
    "ROUND-AFTER-FAILURE",
    "A fail-stop run goes on after its first failure.",
    "check that the track is fail-stop: verdicts after the first failure count as 0",
)
RUN_TWICE = Rule.error(
    "RUN-TWICE",
    "A combination of task and attempt occurs twice in runs.jsonl.",
    "keep one of the lines",
    unwaivable=reasons.LINES,
    mend=mends.REPEATS,
)

_MAX_NAMED_CLAIMS = 12
_VERDICT_STATES = frozenset({"scored", "no_cases"})
_NEUTRAL_STATES = frozenset({"excluded", "fast_forwarded"})
"""States of a round that neither passed nor counts as a failure of the agent."""

NumberedRounds = Iterable[tuple[int, RoundResult]]
"""Rounds with their line numbers in the file; may be an iterator."""


@dataclass(frozen=True, slots=True)
class BundleContext:
    """The parts of a benchmark that a bundle is checked against."""

    benchmark: Benchmark
    task_sets: Mapping[str, TaskSet]
    findings: Sequence[Finding] = ()

    def track(self, name: object) -> Track | None:
        """Return the track with an id; None if the benchmark has no such track."""
        return next((track for track in self.benchmark.tracks if track.id == name), None)

    def tasks_of(self, track: Track | None) -> TaskSet | None:
        """Return the tasks of a track; None if its task set is missing or broken."""
        return self.task_sets.get(track.tasks or "") if track else None


def entry_problems(
    manifest: Document[Submission],
    track: Track,
    context: BundleContext,
    rounds: Lines[RoundResult],
    runs: Lines[RunFigures],
) -> Iterator[Problem]:
    """Yield the contradictions between a bundle and its track, tasks and findings.

    The manifest may have problems, so raw values are checked if they have the right type.
    """
    folder = manifest.path.parent
    path = folder / ROUNDS_FILE
    attempts = _stated_attempts(manifest)
    yield from _attempt_problems(manifest, track, attempts)
    yield from limited(_unknown_claims(manifest, context.benchmark), _MAX_NAMED_CLAIMS)
    yield from limited(_unfounded_exclusions(path, track, context, rounds.numbered))
    yield from limited(_mode_problems(path, rounds.numbered, context.benchmark.modes))
    if track.protocol == "fail-stop":
        yield from _verdicts_after_failure(path, rounds.numbered)
    task_set = context.tasks_of(track)
    if task_set is None:
        return
    tasks = task_set.by_id()
    stated_missing = _stated_missing(manifest)
    yield from limited(_stated_missing_problems(manifest, stated_missing, tasks))
    expectation = Expectation.of(track, tasks, attempts, stated_missing)
    if rounds.is_read:
        yield from limited(completeness_problems(path, rounds, expectation))
    yield from limited(_run_problems(folder / RUNS_FILE, runs, expectation))
    yield from limited(_outcome_problems(path, rounds.numbered, tasks))


def _stated_attempts(manifest: Document[Submission]) -> int | None:
    """Return the number of attempts in a manifest; None unless it is a positive integer."""
    stated = manifest.raw.get("attempts")
    return stated if type(stated) is int and stated > 0 else None  # A bool is not a number here.


def _stated_missing(manifest: Document[Submission]) -> frozenset[str]:
    """Return the tasks that a manifest names in `missing`."""
    stated = manifest.raw.get("missing")
    if not isinstance(stated, list):
        return frozenset()
    return frozenset(name for name in stated if isinstance(name, str))


def _attempt_problems(
    manifest: Document[Submission], track: Track, attempts: int | None
) -> Iterator[Problem]:
    """Yield a problem if the bundle's number of attempts differs from its track's.

    A withdrawn or superseded submission may have fewer attempts, because nobody can add attempts to
    its files.
    """
    if attempts in {None, track.attempts} or manifest.has_problem(("attempts",)):
        return
    fact = f"{counted(attempts, 'attempt')}, but track {track.id} asks for {track.attempts}"
    rule = ATTEMPTS_ABOVE_TRACK
    if attempts < track.attempts:
        rule = ATTEMPTS_BELOW_TRACK
        if get_table(manifest.raw, "status").get("state", "published") != "published":
            return
    yield manifest.broken(rule, ("attempts",), fact)


def _unknown_claims(manifest: Document[Submission], benchmark: Benchmark) -> Iterator[Problem]:
    """Yield problems with claims about metrics that the benchmark does not have."""
    claims = manifest.raw.get("claims")
    if not isinstance(claims, Mapping):
        return
    metrics = benchmark_metrics(benchmark)
    for name in claims:
        if name not in metrics and name not in Claims.model_fields:
            fact = f"there is no metric `{name}`"
            fix = suggestion(name, metrics)
            yield manifest.broken(METRIC_UNKNOWN, ("claims", name), fact, fix)


def _unfounded_exclusions(
    path: Path, track: Track, context: BundleContext, numbered_rounds: NumberedRounds
) -> Iterator[Problem]:
    """Yield problems with excluded rounds that no finding excludes."""
    submission = path.parent.name
    excluding = [finding for finding in context.findings if _excludes_rounds(finding)]
    for line, result in numbered_rounds:
        if result.state != "excluded":
            continue
        scope = (track.id, submission, result.task, result.round)
        if not any(finding.concerns(*scope) for finding in excluding):
            fact = f"{short_round_name(result)} is excluded, but no finding excludes it"
            yield EXCLUDED_UNFOUNDED.broken(path, line, fact)


def _excludes_rounds(finding: Finding) -> bool:
    return finding.effect == "exclude" and not finding.cases


def _mode_problems(
    path: Path, numbered_rounds: NumberedRounds, modes: Mapping[str, str]
) -> Iterator[Problem]:
    """Yield problems of undeclared failure modes, and of modes of rounds that did not fail."""
    for line, result in numbered_rounds:
        if result.mode is None:
            continue
        if result.mode not in modes:
            fact = f"{result.mode!a} is not one of the benchmark's `modes`"
            yield MODE_UNKNOWN.broken(path, line, fact, suggestion(result.mode, modes))
        elif result.solved or result.state not in _VERDICT_STATES:
            event = "passed" if result.solved else f"is {result.state}"
            fact = f"{short_round_name(result)} {event}, but has the mode {result.mode}"
            yield MODE_UNKNOWN.broken(path, line, fact)


def _verdicts_after_failure(path: Path, numbered_rounds: NumberedRounds) -> Iterator[Problem]:
    """Yield one problem for all verdicts that follow the first failure of their run."""
    failed_runs: set[tuple[str, int, Start]] = set()
    late_lines: list[int] = []
    for line, result in sorted(numbered_rounds, key=lambda numbered: numbered[1].round):
        run = (result.task, result.attempt, result.start)
        if run in failed_runs and result.state in _VERDICT_STATES:
            late_lines.append(line)
        is_failure = not result.solved and result.state not in _NEUTRAL_STATES
        if result.start == "own" and is_failure:
            failed_runs.add(run)
    if late_lines:
        verb = "verdict stands" if len(late_lines) == 1 else "verdicts stand"
        fact = f"{len(late_lines)} {verb} after the first failure of a run"
        yield VERDICT_AFTER_FAILURE.broken(path, min(late_lines), fact).about(late_lines)


def track_problems(manifest: Document[Submission], benchmark: Benchmark) -> Iterator[Problem]:
    """Yield a problem if the benchmark does not have the track that the manifest states."""
    name = manifest.raw.get("track")
    if isinstance(name, str) and not manifest.has_problem(("track",)):
        track_ids = [track.id for track in benchmark.tracks]
        fact = f"{benchmark.id} has no track `{name}`"
        fix = suggestion(name, track_ids) or f"name one of: {', '.join(track_ids)}"
        yield manifest.broken(TRACK_UNKNOWN, ("track",), fact, fix)


def _stated_missing_problems(
    manifest: Document[Submission], missing: frozenset[str], tasks: Mapping[str, Task]
) -> Iterator[Problem]:
    """Yield problems of unknown tasks in `missing`, and of a `missing` that names every task."""
    for name in sorted(missing - tasks.keys()):
        fact = f"the track has no task `{name}`"
        fix = suggestion(name, tasks)
        yield manifest.broken(MISSING_UNKNOWN, ("missing",), fact, fix)
    if tasks and missing >= tasks.keys():
        fact = f"`missing` lists all of the track's {counted(len(tasks), 'task')}"
        yield manifest.broken(MISSING_ALL, ("missing",), fact)


def _run_problems(
    path: Path, runs: Lines[RunFigures], expectation: Expectation
) -> Iterator[Problem]:
    """Yield problems with runs of unexpected tasks or attempts, and with repeated runs."""
    lines_by_run: dict[tuple[str, int], int] = {}
    for line, run in runs.numbered:
        key = (run.task, run.attempt)
        unexpected = _unexpected_run(run, expectation)
        if unexpected:
            yield unexpected.problem(path, line)
        elif key in lines_by_run:
            first_line = lines_by_run[key]
            fact = f"attempt {run.attempt} at {run.task} is already recorded in line {first_line}"
            yield RUN_TWICE.broken(path, line, fact)
        lines_by_run.setdefault(key, line)


def _unexpected_run(run: RunFigures, expectation: Expectation) -> UnexpectedRecord | None:
    partial_key = (run.task, run.attempt, None, None)
    if run.task in expectation.tasks and run.task not in expectation.excused_tasks:
        return expectation.explain_unknown_attempt(run.task, run.attempt, "own", partial_key)
    return expectation.explain_unknown_task(run.task, partial_key)


def _outcome_problems(
    path: Path, numbered_rounds: NumberedRounds, tasks: Mapping[str, Task]
) -> Iterator[Problem]:
    """Yield problems with rounds whose `outcomes` can't be assigned to cases.

    Such a round has one outcome for each case that ran, but the task lists a different number of
    cases. `models.consistency` reports outcomes of any other length.
    """
    listed_cases: dict[tuple[str, int], int] = {}
    for task in tasks.values():
        for task_round in task.rounds:
            if task_round.cases:
                listed_cases[task.id, task_round.n] = len(task_round.cases)
    if not listed_cases:
        return
    for line, result in numbered_rounds:
        case_count = listed_cases.get((result.task, result.round), result.total)
        if not result.outcomes or result.case_ids is not None or result.total == case_count:
            continue
        if len(result.outcomes) == result.total:
            fact = (
                f"`outcomes` has {result.total} cases, but the task lists {case_count} "
                f"({short_round_name(result)})"
            )
            fix = "list the cases that were run in `case_ids`"
            yield OUTCOMES_LENGTH.broken(path, line, fact, fix)
