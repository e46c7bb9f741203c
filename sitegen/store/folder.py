"""Reads a results folder, or a part of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from sitegen.errors import Problem
from sitegen.models.benchmark import Benchmark
from sitegen.models.results import BenchmarkResults, Bundle, Results
from sitegen.models.task import TaskSet
from sitegen.store import rules
from sitegen.store.anomalies import ambiguous_cases, bundle_anomalies, task_anomalies, usual_totals
from sitegen.store.benchmarks import DEFINITION, read_benchmark, read_findings, read_reported, read_task_sets
from sitegen.store.bundles import MANIFEST, ROUNDS, Setting, read_bundle

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
    children = sorted(child for child in folder.iterdir() if child.is_dir() and not child.name.startswith("."))
    benchmarks: list[BenchmarkResults] = []
    problems: list[Problem] = []
    for child in children:
        if child.name == RELEASES:
            continue
        results, found = read_benchmark_results(child, progress)
        problems += found
        if results:
            benchmarks.append(results)
    if not problems and not any(results.bundles or results.reported or results.problems for results in benchmarks):
        problems.append(rules.NOTHING_FOUND.broken(folder, None, "there is no bundle and no reported table here"))
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
    reported, found = read_reported(folder, benchmark)
    problems += found
    findings, found = read_findings(folder)
    problems += found
    setting = Setting(benchmark, task_sets, findings)
    bundles, found = _read_bundles(folder / "submissions", setting, progress)
    problems += found
    bundles, found = _with_anomalies(folder, benchmark, task_sets, bundles)
    problems += found
    return BenchmarkResults(
        folder, benchmark, task_sets, tuple(bundles), tuple(reported), findings, tuple(problems)
    ), []


def kind_of(path: Path) -> str:
    """Tell what a path holds: "results", "benchmark", "bundle" or "nothing"."""
    if not path.is_dir():
        return "nothing"
    if (path / DEFINITION).exists():
        return "benchmark"
    if path.parent.name == "submissions" or (path / MANIFEST).exists() or (path / ROUNDS).exists():
        return "bundle"
    return "results" if any(child.is_dir() for child in path.iterdir()) else "nothing"


def _read_bundles(folder: Path, setting: Setting, progress: Progress | None) -> tuple[list[Bundle], list[Problem]]:
    bundles: list[Bundle] = []
    problems: list[Problem] = []
    for child in sorted(folder.iterdir()) if folder.is_dir() else []:
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
        if tasks and entered:
            path = folder / "tasks" / f"{tasks.id}.jsonl"
            problems += task_anomalies(path, tasks, usual)
            problems += ambiguous_cases(path, entered, tasks)
    return sorted(judged, key=lambda bundle: bundle.id), problems
