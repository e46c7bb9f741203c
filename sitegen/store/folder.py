"""Reads a results folder, or a part of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from sitegen.board.usual import usual_totals
from sitegen.errors import Problem, errors_of
from sitegen.models.benchmark import Benchmark
from sitegen.models.results import BenchmarkResults, Bundle, Results
from sitegen.models.task import TaskSet
from sitegen.store import rules
from sitegen.store.anomalies import ambiguous_cases, bundle_anomalies, task_anomalies
from sitegen.store.benchmarks import (
    REPORTED,
    SUBMISSIONS,
    TASKS,
    read_benchmark,
    read_findings,
    read_task_sets,
    task_set_problem,
)
from sitegen.store.bundles import read_bundle
from sitegen.store.definitions import DEFINITION
from sitegen.store.entering import Setting
from sitegen.store.parts import MANIFEST, ROUNDS
from sitegen.store.reported import read_reported

RELEASES = "releases"

Progress = Callable[[Path], None]
"""Told of each bundle before it is read."""


def read_results(folder: Path, progress: Progress | None = None) -> Results:
    """Read a whole results folder with every problem in it.

    Args:
        folder: The folder that holds the benchmarks' folders.
        progress: Told of each bundle before it is read.
    """
    if not folder.is_dir():
        what = f"{folder} is no folder"
        return Results(folder, (), (rules.NOTHING_FOUND.broken(folder, None, what),))
    benchmarks: list[BenchmarkResults] = []
    problems: list[Problem] = []
    for child in sorted(filter(_may_be_benchmark, folder.iterdir())):
        results, found = read_benchmark_results(child, progress)
        problems += found
        if results:
            benchmarks.append(results)
    if not problems and all(map(_is_empty, benchmarks)):
        problems.append(_nothing(folder))
    return Results(folder, tuple(benchmarks), tuple(problems))


def read_benchmark_results(
    folder: Path, progress: Progress | None = None
) -> tuple[BenchmarkResults | None, list[Problem]]:
    """Read one benchmark's folder.

    Returns:
        What it holds, its problems included, or None where its definition can't be read; in that case
        the problems come second, otherwise none do.
    """
    benchmark, problems = read_benchmark(folder)
    if benchmark is None:
        return None, problems
    task_sets, found = read_task_sets(folder, benchmark)
    problems += found
    faulty = {problem.path.stem for problem in errors_of(found)}
    submissions = folder / SUBMISSIONS
    reported, found = read_reported(folder / REPORTED, benchmark, {path.name for path in submissions.glob("*")})
    problems += found
    findings, found = read_findings(folder, benchmark, task_sets)
    problems += found
    sound = {name: tasks for name, tasks in task_sets.items() if name not in faulty}
    bundles, found = _read_bundles(submissions, Setting(benchmark, sound, findings), progress)
    problems += found
    bundles, found = _with_anomalies(folder, benchmark, task_sets, bundles)
    problems += found
    return BenchmarkResults(
        folder, benchmark, task_sets, tuple(bundles), tuple(reported), findings, tuple(problems)
    ), []


def read_part(path: Path, progress: Progress | None = None) -> Results:
    """Read a results folder, a benchmark's folder, or the benchmark that a bundle belongs to.

    A bundle is judged beside the others of its track, exactly as in a whole build.

    Args:
        path: The folder, by its full path where it may be a bundle.
        progress: Told of each bundle before it is read.
    """
    kind = kind_of(path)
    if kind == "results":
        return read_results(path, progress)
    if kind == "nothing":
        return Results(path, (), (_nothing(path),))
    if kind == "benchmark":
        return _read_alone(path, progress, needs_entries=True)
    if path.parent.name == SUBMISSIONS and (path.parent.parent / DEFINITION).exists():
        return _read_alone(path.parent.parent, progress, needs_entries=False)
    return Results(path, (), (rules.BUNDLE_ASTRAY.broken(path, None, f"{path.name} lies in no benchmark"),))


def _read_alone(folder: Path, progress: Progress | None, *, needs_entries: bool) -> Results:
    """Read one benchmark as a results folder of its own."""
    results, problems = read_benchmark_results(folder, progress)
    if results and needs_entries and _is_empty(results):
        problems.append(_nothing(folder))
    return Results(folder.parent, (results,) if results else (), tuple(problems))


def kind_of(path: Path) -> Literal["results", "benchmark", "bundle", "nothing"]:
    """Tell what a path holds."""
    if not path.is_dir():
        return "nothing"
    if (path / DEFINITION).exists():
        return "benchmark"
    if path.parent.name == SUBMISSIONS or (path / MANIFEST).exists() or (path / ROUNDS).exists():
        return "bundle"
    return "results" if any(child.is_dir() for child in path.iterdir()) else "nothing"


def _may_be_benchmark(path: Path) -> bool:
    return path.is_dir() and path.name != RELEASES and not path.name.startswith(".")


def _nothing(path: Path) -> Problem:
    return rules.NOTHING_FOUND.broken(path, None, "there is no bundle and no reported table here")


def _is_empty(results: BenchmarkResults) -> bool:
    """Whether a benchmark holds nothing to show, and no error that says why."""
    return not (results.bundles or results.reported or errors_of(results.problems))


def _read_bundles(folder: Path, setting: Setting, progress: Progress | None) -> tuple[list[Bundle], list[Problem]]:
    bundles: list[Bundle] = []
    problems: list[Problem] = []
    for child in sorted(folder.iterdir()) if folder.is_dir() else []:
        if child.name.startswith("."):
            continue
        if not child.is_dir():
            problems.append(rules.FILE_UNEXPECTED.broken(child, None, f"{child.name} is no bundle"))
            continue
        if progress:
            progress(child)
        bundle, found = read_bundle(child, setting)
        if bundle:
            bundles.append(bundle)
        else:
            problems += found
    return bundles, problems


def _with_anomalies(
    folder: Path, benchmark: Benchmark, task_sets: dict[str, TaskSet], bundles: Sequence[Bundle]
) -> tuple[list[Bundle], list[Problem]]:
    judged: list[Bundle] = []
    problems: list[Problem] = []
    for track in benchmark.tracks:
        entered = [bundle for bundle in bundles if bundle.submission.track == track.id]
        usual = usual_totals(entered)
        judged += [replace(bundle, problems=(*bundle.problems, *bundle_anomalies(bundle, usual))) for bundle in entered]
        tasks = task_sets.get(track.tasks or "")
        if tasks:
            path = folder / TASKS / f"{tasks.id}.jsonl"
            problems += task_anomalies(path, tasks, usual)
            problems += ambiguous_cases(path, entered, tasks)
        elif entered:
            problems.append(task_set_problem(folder, benchmark, track))
    return sorted(judged, key=lambda bundle: bundle.id), problems
