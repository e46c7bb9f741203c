"""A small import for tests to merge and write: one track, one task with two rounds, one bundle."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from sitegen.models.benchmark import Axis, Benchmark, Track
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import RoundResult
from sitegen.models.reported import ReportedTable
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Agent, Submission
from sitegen.models.task import Task, TaskRound, TaskSet

ROUNDS = (TaskRound(1, "Start", ("extension",)), TaskRound(2, "Mend", ("correction",)))
TASK = Task("tidy", ROUNDS, "Tidy ledger", {"domain": "data"})


def track(name: str = "official", **facts: object) -> Track:
    """Return a track; `facts` override its fields."""
    defaults = {"id": name, "title": "Official", "protocol": "chain", "tasks": "main", "headline": "dataset_score"}
    return Track.model_validate({**defaults, "columns": ("dataset_score",), **facts})


def benchmark(*tracks: Track, **facts: object) -> Benchmark:
    """Return a benchmark; `facts` override its fields."""
    defaults = {
        "schema": 1,
        "id": "bench",
        "title": "Bench",
        "axes": {"domain": Axis(title="Domain", values=("data",))},
    }
    return Benchmark.model_validate({**defaults, "tracks": tracks or (track(),), **facts})


def task_set(*tasks: Task, name: str = "main") -> TaskSet:
    """Return a task set."""
    return TaskSet(name, tasks or (TASK,))


def results(tasks: Sequence[Task] = (TASK,), attempts: int = 1) -> tuple[RoundResult, ...]:
    """Return the records of runs that pass every round."""
    return tuple(
        RoundResult(task.id, attempt, round_result.n, "scored", 1, passed=2, total=2)
        for task in tasks
        for attempt in range(1, attempts + 1)
        for round_result in task.rounds
    )


def draft(name: str = "2026-06-25-acme-1", rounds: Sequence[RoundResult] = results(), **facts: object) -> Draft:
    """Return an imported bundle; `facts` override the fields of its manifest."""
    defaults = {"schema": 1, "track": "official", "date": date(2026, 6, 25), "agent": Agent(name="Acme-1")}
    return Draft(name, Submission.model_validate({**defaults, **facts}), tuple(rounds))


BENCH, TASKS, DRAFT = benchmark(), task_set(), draft()


def incoming(
    bench: Benchmark = BENCH,
    *,
    sets: tuple[TaskSet, ...] = (TASKS,),
    drafts: tuple[Draft, ...] = (DRAFT,),
    findings: tuple[Finding, ...] = (),
) -> Incoming:
    """Return an import with the given parts."""
    return Incoming(bench, sets, drafts, findings)


def standing(
    bench: Benchmark,
    *sets: TaskSet,
    reported: tuple[ReportedTable, ...] = (),
    findings: tuple[Finding, ...] = (),
    drafts: Sequence[Draft] = (),
) -> BenchmarkResults:
    """Return the results that a benchmark's folder already contains."""
    named, folder = {set_of_tasks.id: set_of_tasks for set_of_tasks in sets}, Path("results/bench")
    bundles = tuple(Bundle(draft.id, folder / draft.id, draft.submission, tuple(draft.rounds)) for draft in drafts)
    return BenchmarkResults(folder, bench, named, bundles, reported, findings)


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files in a folder, by relative path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
