"""Reads a results folder, or a part of it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from sitegen.board.usual import counted_rounds, usual_skips, usual_totals
from sitegen.metrics.catalogue import metrics_of
from sitegen.models.benchmark import Benchmark
from sitegen.models.consistency import REWARD_FRACTIONAL
from sitegen.models.results import Arrivals, BenchmarkResults, Bundle, Results
from sitegen.models.task import TaskSet
from sitegen.problems import Problem, Rule, errors_of, grouped, reasons
from sitegen.reading.privacy import file_problems
from sitegen.store import layout
from sitegen.store.anomalies import ambiguous_cases, bundle_anomalies, task_anomalies
from sitegen.store.benchmarks import (
    protocol_problem,
    read_benchmark,
    read_reported,
    read_task_sets,
    task_set_problem,
    text_files,
)
from sitegen.store.bundles import Memory, read_bundles
from sitegen.store.declared import metric_task_problems
from sitegen.store.entering import Setting
from sitegen.store.findings import read_findings
from sitegen.store.identity import roster_problems, status_problems
from sitegen.store.journals import arrival_groups, read_arrivals, read_checks, read_registrations
from sitegen.store.redirects import redirect_problems
from sitegen.store.releases import (
    contradictions,
    in_names_of_today,
    read_releases,
    renaming_problems,
    shared_addresses,
    vanished,
)
from sitegen.store.revision import added_in

NOTHING_FOUND = Rule.error(
    "NOTHING-FOUND",
    "What is validated holds a benchmark, or is a bundle.",
    "name a results folder, a benchmark folder or a bundle",
    unwaivable=reasons.LOST,
)
NOTHING_YET = Rule.warning(
    "NOTHING-YET",
    "A benchmark has a submission, or a reported table.",
    "bring results in: `sitegen import FORMAT SOURCE --into RESULTS --benchmark ID`",
)
BUNDLE_ASTRAY = Rule.error(
    "BUNDLE-ASTRAY",
    "A bundle lies in the `submissions` folder of its benchmark.",
    "move the folder to BENCHMARK/submissions/",
    unwaivable=reasons.LOST,
)

Had = Collection[tuple[str, str]]
"""Submissions that were there at some time: each by its benchmark and its name, as these were called then."""


def arrivals_of(
    results: BenchmarkResults,
    published: Sequence[Had],
    released: Sequence[Had],
    committed: Sequence[Had],
) -> Arrivals:
    """When the submissions of a benchmark came; what was published, released and committed, the earliest first."""
    # What a source never had came after all that it had. Where two tell otherwise, the first that tells counts.
    sources = (published, released, committed)
    renamed = [(each.old.split("/"), each.new.split("/")) for each in results.benchmark.renamed]
    homes = {results.benchmark.id, results.path.name, *(old[0] for old, _ in renamed)}

    def place(name: str, source: Sequence[Had]) -> int:
        names = {name, *(old[-1] for old, new in renamed if new[-1] == name)}
        once = {(home, each) for home in homes for each in names}
        return next(
            (number for number, had in enumerate(source) if not once.isdisjoint(had)), len(source)
        )

    names = [bundle.id for bundle in results.bundles]
    return Arrivals(
        {each: tuple(place(each, source) for source in sources) for each in names},
        {each: number for each in names if (number := place(each, released)) < len(released)},
    )


Progress = Callable[[Path], None]
"""Told of each bundle before it is read."""


def read_results(
    folder: Path,
    progress: Progress | None = None,
    published: Had = (),
    memory: Memory | None = None,
) -> Results:
    """Read a whole results folder with every problem in it."""
    if not folder.is_dir():
        return Results(folder, (), (NOTHING_FOUND.broken(folder, None, f"{folder} is no folder"),))
    benchmarks: list[BenchmarkResults] = []
    problems = list(layout.strays_beside_benchmarks(folder))
    for child in sorted(folder.iterdir()):
        if (
            not layout.is_plain_folder(child)
            or child.name == layout.RELEASES
            or not layout.is_visible(child.name)
        ):
            continue
        results, found = read_benchmark_results(child, progress, memory)
        problems += found
        if results:
            benchmarks.append(results)
    if not any(any(folder.glob(f"*/{part}")) for part in (layout.DEFINITION, layout.SUBMISSIONS)):
        problems = [_nothing(folder)]
    held = _held_to_the_past(folder, benchmarks, problems, published)
    gone = vanished(held.releases, folder, [each.benchmark.id for each in benchmarks])
    shared = (*shared_addresses(benchmarks), *redirect_problems(benchmarks))
    return replace(held, problems=(*held.problems, *gone, *shared))


def read_benchmark_results(
    folder: Path, progress: Progress | None = None, memory: Memory | None = None
) -> tuple[BenchmarkResults | None, list[Problem]]:
    """Read one benchmark's folder; where its definition can't be read there is None, and its problems come second."""
    benchmark, problems = read_benchmark(folder)
    if benchmark is None:
        return None, problems
    submissions = folder / layout.SUBMISSIONS
    children = sorted(submissions.iterdir()) if layout.is_plain_folder(submissions) else []
    task_sets, of_tasks = read_task_sets(folder, benchmark)
    reported, of_tables = read_reported(
        folder / layout.REPORTED, benchmark, {path.name for path in submissions.glob("*")}
    )
    findings, lines, of_findings = read_findings(folder, benchmark, task_sets)
    checks, of_checks = read_checks(folder)
    registrations, of_registrations = read_registrations(folder, benchmark)
    of_metrics = metric_task_problems(folder / layout.DEFINITION, benchmark, task_sets)
    problems += (*of_tasks, *of_metrics, *of_tables, *of_findings, *of_checks, *of_registrations)
    faulty = {problem.path.stem for problem in errors_of(of_tasks)}
    sound = {name: tasks for name, tasks in task_sets.items() if name not in faulty}
    folders = [
        child
        for child in children
        if layout.is_plain_folder(child) and layout.is_visible(child.name)
    ]
    bundles: list[Bundle] = []
    read = read_bundles(folders, Setting(benchmark, sound, findings), memory)
    for child in folders:
        if progress:
            progress(child)
        bundle, found = next(read)
        if bundle:
            bundles.append(bundle)
        else:
            problems += found
    bundles, found = _with_anomalies(folder, benchmark, task_sets, bundles)
    problems += (*found, *file_problems(text_files(folder)))
    told = (tuple(bundles), tuple(reported), findings, tuple(problems), lines)
    results = BenchmarkResults(
        folder, benchmark, task_sets, *told, checks=checks, registrations=registrations
    )
    problems += renaming_problems(results)
    if not (bundles or reported or errors_of(problems)):
        problems.append(
            NOTHING_YET.broken(folder, None, f"{benchmark.title} has no submission yet")
        )
    return replace(results, problems=tuple(problems)), []


def read_part(
    path: Path, progress: Progress | None = None, published: Had = (), memory: Memory | None = None
) -> Results:
    """Read a results folder, a benchmark's folder, or the benchmark that submissions belong to.

    A bundle is judged beside the others of its track, exactly as in a whole build; its path is to be the full one.
    """
    kind = kind_of(path)
    if kind == "results":
        return read_results(path, progress, published, memory)
    if kind == "nothing":
        return Results(path, (), (_nothing(path),))
    folder = {"benchmark": path, "submissions": path.parent, "bundle": path.parent.parent}[kind]
    if kind == "bundle" and (
        path.parent.name != layout.SUBMISSIONS or not (folder / layout.DEFINITION).exists()
    ):
        return Results(
            path, (), (BUNDLE_ASTRAY.broken(path, None, f"{path.name} lies in no benchmark"),)
        )
    results, problems = read_benchmark_results(folder, progress, memory)
    benchmarks = [results] if results else []
    held = _held_to_the_past(folder.parent, benchmarks, problems, published)
    return replace(held, problems=(*held.problems, *redirect_problems(benchmarks)))


def _held_to_the_past(
    folder: Path,
    benchmarks: Sequence[BenchmarkResults],
    problems: Sequence[Problem],
    published: Had,
) -> Results:
    """What of benchmarks is not as the releases beside them have it, and of bundles beside those before them."""
    as_written, found = read_releases(folder / layout.RELEASES)
    releases = in_names_of_today(as_written, benchmarks)
    locked = [
        {(each.id, name) for each in release.benchmarks for name in each.bundles}
        for release in releases
    ]
    arrived, broken = read_arrivals(folder, as_written)
    recorded, committed = (
        [*([published] if published else []), *arrival_groups(arrived)],
        added_in(folder),
    )
    ordered = (
        _beside_each_other(replace(each, arrivals=arrivals_of(each, recorded, locked, committed)))
        for each in benchmarks
    )
    held = (
        replace(each, problems=(*each.problems, *contradictions(releases, each)))
        for each in ordered
    )
    return Results(folder, tuple(held), (*problems, *found, *broken), releases)


def kind_of(path: Path) -> Literal["results", "benchmark", "submissions", "bundle", "nothing"]:
    """What a path holds."""
    if not path.is_dir():
        return "nothing"
    if (path / layout.DEFINITION).exists():
        return "benchmark"
    if path.name == layout.SUBMISSIONS and (path.parent / layout.DEFINITION).exists():
        return "submissions"
    if (
        path.parent.name == layout.SUBMISSIONS
        or (path / layout.MANIFEST).exists()
        or (path / layout.ROUNDS).exists()
    ):
        return "bundle"
    return "results" if any(child.is_dir() for child in path.iterdir()) else "nothing"


def _nothing(path: Path) -> Problem:
    return NOTHING_FOUND.broken(path, None, "there is no benchmark and no bundle here")


def _beside_each_other(results: BenchmarkResults) -> BenchmarkResults:
    """What is wrong with bundles beside each other: in the bundle whose file it is, else in the benchmark."""
    by_id = {bundle.id: bundle for bundle in results.bundles}
    there = {child.name for child in (results.path / layout.SUBMISSIONS).glob("*")}
    found = (*status_problems(results.benchmark, by_id, there), *roster_problems(results))
    problems = grouped((each.path.parent, each) for each in found)
    bundles = [
        replace(each, problems=(*each.problems, *problems[each.path])) for each in results.bundles
    ]
    return replace(
        results, bundles=tuple(bundles), problems=(*results.problems, *problems[results.path])
    )


def _with_anomalies(
    folder: Path, benchmark: Benchmark, task_sets: dict[str, TaskSet], bundles: Sequence[Bundle]
) -> tuple[list[Bundle], list[Problem]]:
    judged: list[Bundle] = []
    problems: list[Problem] = []
    for track in benchmark.tracks:
        entered = [bundle for bundle in bundles if bundle.submission.track == track.id]
        tasks = task_sets.get(track.tasks or "")
        usual = (usual_totals(entered), usual_skips(entered), counted_rounds(entered, tasks))
        known = metrics_of(benchmark)
        takes = {
            metric.declared.of
            for name in track.shown
            if (metric := known.get(name)) and metric.declared
        }
        # Where a metric takes rewards as they are, fractions are no surprise.
        spared = {REWARD_FRACTIONAL.code} if "reward" in takes else set()
        for each in entered:
            own = (problem for problem in each.problems if problem.code not in spared)
            judged.append(replace(each, problems=(*own, *bundle_anomalies(each, *usual))))
        if tasks:
            path = folder / layout.TASKS / f"{tasks.id}.jsonl"
            problems += (
                *task_anomalies(path, tasks, usual[0]),
                *ambiguous_cases(path, entered, tasks),
            )
        elif entered:
            problems.append(task_set_problem(folder, benchmark, track))
        if entered and "protocol" not in track.model_fields_set:
            problems.append(protocol_problem(folder, benchmark, track))
    return sorted(judged, key=lambda bundle: bundle.id), problems
