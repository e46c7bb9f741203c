"""What must hold between a bundle and the track that it enters: tasks, attempts, metrics, findings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.metrics.catalogue import metrics_of
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.consistency import OUTCOMES_LENGTH
from sitegen.models.finding import Finding
from sitegen.models.outcome import RoundResult, RunFigures, Start
from sitegen.models.submission import Claims, Submission
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem, Rule, counted, limited, mends, reasons
from sitegen.reading.json import Lines
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import Document
from sitegen.store.benchmarks import METRIC_UNKNOWN, TRACK_UNKNOWN
from sitegen.store.expected import Expectation, completeness_problems
from sitegen.store.layout import ROUNDS, RUNS

MISSING_UNKNOWN = Rule.error(
    "MISSING-UNKNOWN", "`missing` names tasks of the track's task set.", "correct the task's id"
)
MISSING_ALL = Rule.error(
    "MISSING-ALL",
    "A bundle has results for some task of its track.",
    "take the tasks that there are results for out of `missing`; a bundle without results is no submission",
)
ATTEMPTS_ABOVE_TRACK = Rule.error(
    "ATTEMPTS-ABOVE-TRACK",
    "A bundle has at most the attempts of its track.",
    "submit the attempts that the track allows",
)
ATTEMPTS_BELOW_TRACK = Rule.warning(
    "ATTEMPTS-BELOW-TRACK",
    "A bundle has the attempts of its track.",
    "add the missing attempts; until then means use those there are, and metrics that need them all are gaps",
)
EXCLUDED_UNFOUNDED = Rule.error(
    "ROUND-EXCLUDED-WITHOUT-FINDING",
    "A round is excluded only by a finding.",
    'record the finding in findings.toml with `effect = "exclude"`, or correct the state',
    unwaivable='a finding with `effect = "exclude"` lets it pass, and says so on the board',
)
MODE_UNKNOWN = Rule.error(
    "ROUND-MODE-UNKNOWN",
    "The `mode` of a round is one of benchmark.toml's `modes`, and the round failed.",
    "correct or leave out the `mode`, or declare it below `[modes]` in benchmark.toml",
)
VERDICT_AFTER_FAILURE = Rule.warning(
    "ROUND-AFTER-FAILURE",
    "A fail-stop run ends at its first failure.",
    "nothing needs to be done: verdicts after the first failure count 0",
)
RUN_TWICE = Rule.error(
    "RUN-TWICE",
    "Every (task, attempt) of runs.jsonl stands once.",
    "keep one of the lines",
    unwaivable=reasons.LINES,
    mend=mends.REPEATS,
)

_CLAIMS_SHOWN = 12
"""So many claims with an unknown metric are told in full."""
Numbered = Iterable[tuple[int, RoundResult]]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a bundle is read against."""

    benchmark: Benchmark
    task_sets: Mapping[str, TaskSet]
    findings: Sequence[Finding] = ()

    def track(self, name: object) -> Track | None:
        """A track by its id."""
        return next((track for track in self.benchmark.tracks if track.id == name), None)

    def tasks_of(self, track: Track | None) -> TaskSet | None:
        """The tasks of a track; None where they are not known."""
        return self.task_sets.get(track.tasks or "") if track else None


def entering_problems(
    manifest: Document[Submission],
    track: Track,
    setting: Setting,
    rounds: Lines[RoundResult],
    runs: Lines[RunFigures],
) -> Iterator[Problem]:
    """What of a bundle contradicts its track, tasks and findings; its manifest may have problems."""
    folder, path, numbered = manifest.path.parent, manifest.path.with_name(ROUNDS), rounds.numbered
    excluding = [each for each in setting.findings if each.effect == "exclude" and not each.cases]
    stated = manifest.raw.get("attempts")
    made = stated if type(stated) is int and stated > 0 else None
    yield from _manifest_problems(manifest, track, setting.benchmark, made)
    yield from limited(
        EXCLUDED_UNFOUNDED.broken(
            path, line, f"round {each.round} of {each.task} is excluded, but no finding says why"
        )
        for line, each in numbered
        if each.state == "excluded"
        and not any(
            finding.concerns(track.id, folder.name, each.task, each.round) for finding in excluding
        )
    )
    yield from limited(_mode_problems(path, numbered, setting.benchmark.modes))
    if track.protocol == "fail-stop":
        yield from _after_failure(path, numbered)
    task_set = setting.tasks_of(track)
    if task_set is None:
        return
    tasks, listed = task_set.by_id(), manifest.raw.get("missing")
    missing = frozenset(
        each for each in (listed if isinstance(listed, list) else ()) if isinstance(each, str)
    )
    yield from limited(
        manifest.broken(
            MISSING_UNKNOWN,
            ("missing",),
            f"the track has no task `{name}`",
            suggestion(name, tasks),
        )
        for name in sorted(missing - tasks.keys())
    )
    if tasks and missing >= tasks.keys():
        what = f"`missing` names every one of {counted(len(tasks), 'task')}"
        yield manifest.broken(MISSING_ALL, ("missing",), what)
    expectation = Expectation.of(track, tasks, made, missing)
    if rounds.is_read:
        yield from limited(completeness_problems(path, numbered, expectation, rounds.refused))
    yield from limited(_run_problems(folder / RUNS, runs, expectation))
    yield from limited(_case_problems(path, numbered, tasks))


def _manifest_problems(
    manifest: Document[Submission], track: Track, benchmark: Benchmark, attempts: int | None
) -> Iterator[Problem]:
    """Another number of attempts than the track has, and claims of metrics that there are not."""
    if attempts not in {None, track.attempts} and not manifest.has_problem(("attempts",)):
        what = f"{counted(attempts, 'attempt')}, but track {track.id} has {track.attempts}"
        rule = ATTEMPTS_ABOVE_TRACK if attempts > track.attempts else ATTEMPTS_BELOW_TRACK
        yield manifest.broken(rule, ("attempts",), what)
    claims = manifest.raw.get("claims")
    named, known = claims if isinstance(claims, Mapping) else (), metrics_of(benchmark)
    told = (
        manifest.broken(
            METRIC_UNKNOWN,
            ("claims", each),
            f"there is no metric `{each}`",
            suggestion(each, known),
        )
        for each in named
        if each not in known and each not in Claims.model_fields
    )
    yield from limited(told, _CLAIMS_SHOWN)


def _mode_problems(path: Path, numbered: Numbered, modes: Mapping[str, str]) -> Iterator[Problem]:
    """Modes that the benchmark does not declare, and those of rounds that did not fail."""
    for line, each in numbered:
        if each.mode is not None and each.mode not in modes:
            what, fix = (
                f"{each.mode!a} is none of the benchmark's `modes`",
                suggestion(each.mode, modes),
            )
            yield MODE_UNKNOWN.broken(path, line, what, fix)
        elif each.mode is not None and (each.solved or each.state not in {"scored", "no_cases"}):
            how = "passed" if each.solved else f"is {each.state}"
            yield MODE_UNKNOWN.broken(
                path, line, f"round {each.round} of {each.task} {how}, and has the mode {each.mode}"
            )


def _after_failure(path: Path, numbered: Numbered) -> Iterator[Problem]:
    """Verdicts of a run after its first failure."""
    failed: set[tuple[str, int, Start]] = set()
    late: list[int] = []
    for line, result in sorted(numbered, key=lambda entry: entry[1].round):
        run = (result.task, result.attempt, result.start)
        if run in failed and result.state in {"scored", "no_cases"}:
            late.append(line)
        ends_run = not result.solved and result.state not in {"excluded", "fast_forwarded"}
        if result.start == "own" and ends_run:
            failed.add(run)
    if late:
        verb = "verdict stands" if len(late) == 1 else "verdicts stand"
        what = f"{len(late)} {verb} after the first failure of a run"
        yield VERDICT_AFTER_FAILURE.broken(path, min(late), what).about(late)


def track_problems(manifest: Document[Submission], benchmark: Benchmark) -> Iterator[Problem]:
    """Say that a benchmark has no such track, unless the manifest has worse problems with it."""
    name = manifest.raw.get("track")
    if isinstance(name, str) and not manifest.has_problem(("track",)):
        known = [track.id for track in benchmark.tracks]
        fix = suggestion(name, known) or f"name one of: {', '.join(known)}"
        yield manifest.broken(
            TRACK_UNKNOWN, ("track",), f"{benchmark.id} has no track `{name}`", fix
        )


def _run_problems(
    path: Path, runs: Lines[RunFigures], expectation: Expectation
) -> Iterator[Problem]:
    seen: dict[tuple[str, int], int] = {}
    for line, run in runs.numbered:
        trace = (run.task, run.attempt, None, None)
        if run.task in expectation.tasks and run.task not in expectation.missing:
            breach = expectation.unknown_attempt(run.task, run.attempt, "own", trace)
        else:
            breach = expectation.unknown_task(run.task, trace)
        if breach:
            yield breach.rule.broken(path, line, breach.what, breach.fix)
        elif (run.task, run.attempt) in seen:
            what = f"attempt {run.attempt} at {run.task} stands in line {seen[run.task, run.attempt]} already"
            yield RUN_TWICE.broken(path, line, what)
        seen.setdefault((run.task, run.attempt), line)


def _case_problems(path: Path, numbered: Numbered, tasks: Mapping[str, Task]) -> Iterator[Problem]:
    """Outcomes whose cases nobody can name: as many as the round has, but not as many as the task lists."""
    listed = {
        (task.id, each.n): len(each.cases)
        for task in tasks.values()
        for each in task.rounds
        if each.cases
    }
    for line, result in numbered if listed else ():
        cases = listed.get((result.task, result.round))
        tells = result.outcomes and result.case_ids is None and len(result.outcomes) == result.total
        if cases and tells and result.total != cases:  # another length is told as such
            what = f"`outcomes` tells of {result.total} cases, but the task lists {cases}"
            what += f" (round {result.round} of {result.task})"
            yield OUTCOMES_LENGTH.broken(
                path, line, what, "name the cases that were run in `case_ids`"
            )
