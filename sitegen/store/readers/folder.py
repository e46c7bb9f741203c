"""Read a results folder, a benchmark's folder or a bundle, with all its problems.

Read `read_results` first. Each benchmark is read separately (`read_benchmark_results`), then
compared with releases and with the order in which its submissions arrived.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from pathlib import Path
from typing import Literal, TypeAlias, assert_never

from sitegen.board.usual import counted_rounds, usual_skips, usual_totals
from sitegen.metrics.catalogue import benchmark_metrics
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.consistency import REWARD_FRACTIONAL
from sitegen.models.release import Release
from sitegen.models.results import Arrivals, BenchmarkResults, Bundle, Results
from sitegen.models.task import TaskSet
from sitegen.problems import Problem, Rule, errors_of, reasons
from sitegen.reading.privacy import file_problems
from sitegen.store.checks.addresses import renaming_problems, shared_addresses
from sitegen.store.checks.anomalies import ambiguous_cases, bundle_anomalies, task_anomalies
from sitegen.store.checks.carried import carried_problems
from sitegen.store.checks.declared_metrics import metric_task_problems
from sitegen.store.checks.identity import roster_problems
from sitegen.store.checks.redirects import redirect_problems
from sitegen.store.checks.revision_checks import revision_problems
from sitegen.store.checks.statuses import status_problems
from sitegen.store.checks.track_checks import BundleContext
from sitegen.store.files.git_states import submissions_by_commit
from sitegen.store.files.layout import (
    DEFINITION_FILE,
    MANIFEST_FILE,
    RELEASES_FOLDER,
    REPORTED_FOLDER,
    ROUNDS_FILE,
    SUBMISSIONS_FOLDER,
    TASKS_FOLDER,
    is_plain_folder,
    is_visible,
    strays_beside_benchmarks,
)
from sitegen.store.files.readings import Reading
from sitegen.store.readers.agents import agents_of, read_agents, unused_agents
from sitegen.store.readers.benchmarks import (
    protocol_problem,
    read_benchmark,
    read_task_sets,
    task_set_problem,
    text_files,
)
from sitegen.store.readers.bundles import BundleCache, read_bundles
from sitegen.store.readers.embargo import without_embargoed
from sitegen.store.readers.findings import read_findings
from sitegen.store.readers.journals import (
    arrival_days,
    arrival_groups,
    read_arrivals,
    read_checks,
    read_registrations,
)
from sitegen.store.readers.releases import (
    in_names_of_today,
    missing_benchmarks,
    read_releases,
    release_differences,
    releases_about,
)
from sitegen.store.readers.reported_tables import read_reported

NOTHING_FOUND = Rule.error(
    "NOTHING-FOUND",
    "The folder contains neither a benchmark nor a bundle.",
    "name a results folder, a benchmark folder or a bundle",
    unwaivable=reasons.LOST,
)
NOTHING_YET = Rule.warning(
    "NOTHING-YET",
    "A benchmark has neither a submission nor a reported table.",
    "import results: `sitegen import FORMAT SOURCE --benchmark ID`",
)
BUNDLE_ASTRAY = Rule.error(
    "BUNDLE-ASTRAY",
    "A bundle is outside the `submissions` folder of its benchmark.",
    "move the folder to BENCHMARK/submissions/",
    unwaivable=reasons.LOST,
)

PathKind = Literal["results", "benchmark", "submissions", "bundle", "nothing"]

SubmissionNames: TypeAlias = Collection[tuple[str, str]]
"""Submissions as pairs of a benchmark and a submission, by their names at that time."""

Progress = Callable[[Path], None]
"""A function that is called with the folder of each bundle before it is read."""


@dataclass(frozen=True, slots=True)
class ReadingScope:
    """The parts of a results folder to read."""

    benchmarks: Collection[str] = ()
    """The ids of the benchmarks to read, with their releases; empty for all benchmarks."""
    day: date | None = None
    """The day for deciding on embargoes; None to treat all submissions alike."""


EVERYTHING = ReadingScope()


def read_results(
    folder: Path,
    progress: Progress | None = None,
    known_earlier: SubmissionNames = (),
    cache: BundleCache | None = None,
    scope: ReadingScope = EVERYTHING,
) -> Results:
    """Return all results in a results folder, with every problem.

    Args:
        folder: The results folder.
        progress: Called before each bundle is read.
        known_earlier: The submissions of an earlier state, which arrived before the others.
        cache: The bundles that an earlier run read.
        scope: The benchmarks to read, and the day with which embargoes are compared.
    """
    if not folder.is_dir():
        problem = NOTHING_FOUND.broken(folder, None, f"{folder} is not a folder")
        return Results(folder, (), (problem,))
    only = scope.benchmarks
    benchmarks: list[BenchmarkResults] = []
    agents = read_agents(folder)
    problems = [*strays_beside_benchmarks(folder), *agents.problems]
    left_out: set[str] = set()
    for benchmark_folder in _candidate_folders(folder):
        if only and benchmark_folder.name not in only:
            left_out.add(benchmark_folder.name)
            continue
        reading = read_benchmark_results(benchmark_folder, progress, cache, scope.day)
        problems += reading.problems
        if reading.record:
            benchmarks.append(reading.record)
    if not _has_any_benchmark(folder):
        # In a folder without results, unexpected files are not reported.
        problems = [_nothing_found(folder)]
    past = _read_past(folder, benchmarks, known_earlier, only)
    compared = tuple(_compare_with_past(results, past) for results in benchmarks)
    benchmark_ids = [results.benchmark.id for results in benchmarks]
    problems += past.problems
    problems += missing_benchmarks(past.releases, folder, benchmark_ids)
    problems += shared_addresses(benchmarks)
    problems += redirect_problems(benchmarks)
    if not left_out:
        problems += unused_agents(agents, benchmarks)
    return Results(
        folder, compared, tuple(problems), releases=past.releases, left_out=frozenset(left_out)
    )


def _candidate_folders(folder: Path) -> list[Path]:
    """Return the folders that may contain a benchmark, sorted."""
    folders = []
    for child in sorted(folder.iterdir()):
        is_candidate = is_plain_folder(child) and is_visible(child.name)
        if is_candidate and child.name != RELEASES_FOLDER:
            folders.append(child)
    return folders


def _has_any_benchmark(folder: Path) -> bool:
    """Return whether any folder in a results folder has a definition or submissions."""
    definitions = folder.glob(f"*/{DEFINITION_FILE}")
    submissions = folder.glob(f"*/{SUBMISSIONS_FOLDER}")
    return any(definitions) or any(submissions)


def read_benchmark_results(
    folder: Path,
    progress: Progress | None = None,
    cache: BundleCache | None = None,
    day: date | None = None,
) -> Reading[BenchmarkResults | None]:
    """Return the results in one benchmark's folder; see `read_results` for the arguments.

    The results include their problems. They are None if the definition can't be read.
    """
    definition = read_benchmark(folder)
    if definition.record is None:
        return Reading(None, definition.problems)
    problems = list(definition.problems)
    benchmark = definition.record.with_agents(agents_of(folder.parent))
    without_bundles, context = _read_without_bundles(folder, benchmark)
    problems += without_bundles.problems
    bundles = _read_submissions(folder, context, progress, cache)
    problems += bundles.problems
    results = replace(without_bundles, bundles=bundles.record)
    problems += renaming_problems(results)
    problems += carried_problems(results)
    if day:
        results = without_embargoed(results, day)
    compared, track_problems = _compare_within_tracks(
        folder, benchmark, results.task_sets, results.bundles
    )
    problems += track_problems
    problems += file_problems(text_files(folder))
    results = replace(results, bundles=tuple(compared))
    if not bundles.record and not results.reported and not errors_of(problems):
        fact = f"{benchmark.title} has no submission yet"
        command = f"sitegen import FORMAT SOURCE --benchmark {folder.name}"
        problems.append(NOTHING_YET.broken(folder, None, fact, f"import results: `{command}`"))
    return Reading(replace(results, problems=tuple(problems)))


def read_bundle_alone(path: Path) -> Reading[BenchmarkResults | None]:
    """Return the benchmark of a bundle, with this bundle as its only submission.

    No other bundle is read, and nothing is compared with releases or earlier submissions: the
    problems are those of the benchmark's files and of the bundle itself. The results are None if
    the bundle does not belong to a benchmark, or if the bundle or its benchmark can't be read.

    Args:
        path: The bundle's folder, as an absolute path.
    """
    folder = path.parent.parent
    if not _is_in_benchmark(path):
        return Reading(None, [_bundle_astray(path)])
    definition = read_benchmark(folder)
    if definition.record is None:
        return Reading(None, definition.problems)
    benchmark = definition.record.with_agents(agents_of(folder.parent))
    without_bundles, context = _read_without_bundles(folder, benchmark)
    bundle = next(read_bundles([path], context))
    if bundle.record is None:
        return Reading(None, bundle.problems)
    problems = (*definition.problems, *without_bundles.problems)
    return Reading(replace(without_bundles, bundles=(bundle.record,), problems=problems))


def _read_without_bundles(
    folder: Path, benchmark: Benchmark
) -> tuple[BenchmarkResults, BundleContext]:
    """Return a benchmark's results without bundles, and the context for checking its bundles."""
    submission_names = {path.name for path in (folder / SUBMISSIONS_FOLDER).glob("*")}
    task_sets = read_task_sets(folder, benchmark)
    tables = read_reported(folder / REPORTED_FOLDER, benchmark, submission_names)
    numbered_findings = read_findings(folder, benchmark, task_sets.record)
    findings = tuple(finding for _, finding in numbered_findings.record)
    checks = read_checks(folder)
    registrations = read_registrations(folder, benchmark)
    problems = (
        *task_sets.problems,
        *metric_task_problems(folder / DEFINITION_FILE, benchmark, task_sets.record),
        *tables.problems,
        *numbered_findings.problems,
        *checks.problems,
        *registrations.problems,
    )
    results = BenchmarkResults(
        path=folder,
        benchmark=benchmark,
        task_sets=task_sets.record,
        reported=tables.record,
        findings=findings,
        problems=problems,
        finding_lines=tuple(line for line, _ in numbered_findings.record),
        checks=checks.record,
        registrations=registrations.record,
    )
    context = BundleContext(benchmark, _sound_task_sets(task_sets), findings)
    return results, context


def _is_in_benchmark(bundle: Path) -> bool:
    """Return whether a bundle's folder is among the submissions of a benchmark."""
    folder = bundle.parent
    return folder.name == SUBMISSIONS_FOLDER and (folder.parent / DEFINITION_FILE).exists()


def _bundle_astray(path: Path) -> Problem:
    return BUNDLE_ASTRAY.broken(path, None, f"{path.name} is not in a benchmark")


def _sound_task_sets(reading: Reading[dict[str, TaskSet]]) -> dict[str, TaskSet]:
    """Return the task sets without errors; bundles are not compared with faulty task sets."""
    faulty_names = {problem.path.stem for problem in errors_of(reading.problems)}
    return {name: tasks for name, tasks in reading.record.items() if name not in faulty_names}


def _read_submissions(
    folder: Path, context: BundleContext, progress: Progress | None, cache: BundleCache | None
) -> Reading[tuple[Bundle, ...]]:
    """Return the readable bundles of a benchmark, and the problems of unreadable bundles."""
    submissions = folder / SUBMISSIONS_FOLDER
    children = sorted(submissions.iterdir()) if is_plain_folder(submissions) else []
    visible_children = [child for child in children if is_visible(child.name)]
    bundle_folders = [child for child in visible_children if is_plain_folder(child)]
    bundles: list[Bundle] = []
    problems: list[Problem] = []
    reader = read_bundles(bundle_folders, context, cache)
    for bundle_folder in bundle_folders:
        if progress:
            progress(bundle_folder)
        reading = next(reader)
        problems += reading.problems
        if reading.record:
            bundles.append(reading.record)
    return Reading(tuple(bundles), problems)


def read_results_around(
    path: Path,
    progress: Progress | None = None,
    known_earlier: SubmissionNames = (),
    cache: BundleCache | None = None,
    day: date | None = None,
) -> Results:
    """Return the results in a results folder, or of the benchmark around a path.

    For a single bundle, its complete benchmark is read, because a bundle is compared with the
    others on its track exactly as in a full build. The path of a bundle must be absolute. See
    `read_results` for the other arguments.
    """
    match path_kind(path):
        case "results":
            return read_results(path, progress, known_earlier, cache, ReadingScope(day=day))
        case "nothing":
            return Results(path, (), (_nothing_found(path),))
        case "benchmark":
            folder = path
        case "submissions":
            folder = path.parent
        case "bundle":
            folder = path.parent.parent
            if not _is_in_benchmark(path):
                return Results(path, (), (_bundle_astray(path),))
        case unexpected:
            assert_never(unexpected)
    reading = read_benchmark_results(folder, progress, cache, day)
    problems = [*read_agents(folder.parent).problems, *reading.problems]
    benchmarks = [reading.record] if reading.record else []
    past = _read_past(folder.parent, benchmarks, known_earlier)
    compared = tuple(_compare_with_past(results, past) for results in benchmarks)
    all_problems = (*problems, *past.problems, *redirect_problems(benchmarks))
    return Results(folder.parent, compared, all_problems, releases=past.releases)


def path_kind(path: Path) -> PathKind:
    """Return the kind of folder at a path; "nothing" if there are no results at the path."""
    if not path.is_dir():
        return "nothing"
    if (path / DEFINITION_FILE).exists():
        return "benchmark"
    if path.name == SUBMISSIONS_FOLDER and (path.parent / DEFINITION_FILE).exists():
        return "submissions"
    if path.parent.name == SUBMISSIONS_FOLDER:
        return "bundle"
    if (path / MANIFEST_FILE).exists() or (path / ROUNDS_FILE).exists():
        return "bundle"
    return "results" if any(child.is_dir() for child in path.iterdir()) else "nothing"


def _nothing_found(path: Path) -> Problem:
    return NOTHING_FOUND.broken(path, None, "the folder contains no benchmark and no bundle")


@dataclass(frozen=True, slots=True)
class _Past:
    """The records of earlier states of a results folder.

    Each source lists groups of submissions, earliest group first.
    """

    releases: tuple[Release, ...]
    """The releases of the benchmarks that were read, with current names."""
    recorded_groups: Sequence[SubmissionNames]
    """The submissions that arrived on each day, from `arrivals.jsonl`."""
    released_groups: Sequence[SubmissionNames]
    """The submissions of each release."""
    committed_groups: Sequence[SubmissionNames]
    """The submissions that each commit added."""
    days: Mapping[tuple[str, str], date]
    """The day on which each submission was first seen."""
    problems: tuple[Problem, ...]
    """The problems in the files of releases and arrivals."""


def _read_past(
    folder: Path,
    benchmarks: Sequence[BenchmarkResults],
    known_earlier: SubmissionNames,
    only: Collection[str] = (),
) -> _Past:
    """Return the earlier states of a results folder from releases, arrivals and commits.

    Args:
        folder: The results folder.
        benchmarks: The current benchmarks, whose definitions list renamings.
        known_earlier: The submissions of an earlier state, which arrived before the others.
        only: The ids of the benchmarks whose releases are read; empty for all benchmarks.
    """
    written = read_releases(folder / RELEASES_FOLDER)
    chosen_releases = written.record
    if only:
        definitions = [results.benchmark for results in benchmarks]
        chosen_releases = releases_about(written.record, only, definitions)
    releases = in_names_of_today(chosen_releases, benchmarks)
    arrivals = read_arrivals(folder, written.record)
    recorded_groups: list[SubmissionNames] = [*arrival_groups(arrivals.record)]
    if known_earlier:
        recorded_groups.insert(0, known_earlier)
    return _Past(
        releases=releases,
        recorded_groups=recorded_groups,
        released_groups=[_released_submissions(release) for release in releases],
        committed_groups=submissions_by_commit(folder),
        days=arrival_days(arrivals.record),
        problems=(*written.problems, *arrivals.problems),
    )


def _compare_with_past(results: BenchmarkResults, past: _Past) -> BenchmarkResults:
    """Return results with problems found by comparing them with earlier states."""
    ordered = _with_problems_between_bundles(_with_arrivals(results, past))
    differences = release_differences(past.releases, ordered)
    return replace(ordered, problems=(*ordered.problems, *differences))


def _with_arrivals(results: BenchmarkResults, past: _Past) -> BenchmarkResults:
    """Return results with the order in which their submissions arrived."""
    order = _arrival_order(results, past)
    days = _days_of(results, past.days)
    return replace(results, arrivals=replace(order, days=days))


def _released_submissions(release: Release) -> set[tuple[str, str]]:
    """Return the submissions of a release, as benchmark and name."""
    submissions: set[tuple[str, str]] = set()
    for benchmark in release.benchmarks:
        submissions.update((benchmark.id, name) for name in benchmark.bundles)
    return submissions


def _arrival_order(results: BenchmarkResults, past: _Past) -> Arrivals:
    """Return the order in which the submissions of a benchmark arrived.

    A submission that a source does not list arrived after all submissions that the source lists. If
    sources disagree, recorded arrivals take precedence over releases, and releases over commits.
    """
    order: dict[str, tuple[int, ...]] = {}
    release_numbers: dict[str, int] = {}
    for bundle in results.bundles:
        names = _all_names(bundle.id, results)
        release_number = _group_number(names, past.released_groups)
        order[bundle.id] = (
            _group_number(names, past.recorded_groups),
            release_number,
            _group_number(names, past.committed_groups),
        )
        if release_number < len(past.released_groups):
            release_numbers[bundle.id] = release_number
    return Arrivals(order, release_numbers)


def _days_of(results: BenchmarkResults, days: Mapping[tuple[str, str], date]) -> dict[str, date]:
    """Return the day on which each submission was first seen, under any of its names."""
    seen = {}
    for bundle in results.bundles:
        recorded = [days[name] for name in _all_names(bundle.id, results) if name in days]
        if recorded:
            seen[bundle.id] = min(recorded)
    return seen


def _all_names(submission: str, results: BenchmarkResults) -> set[tuple[str, str]]:
    """Return all current and former names of a submission, as pairs with a benchmark's names."""
    renamings = results.benchmark.renamed
    benchmark_names = {results.benchmark.id, results.path.name}
    benchmark_names.update(renaming.old.split("/")[0] for renaming in renamings)
    own_names = {submission}
    for renaming in renamings:
        if _last_name(renaming.new) == submission:
            own_names.add(_last_name(renaming.old))
    return set(product(benchmark_names, own_names))


def _last_name(address: str) -> str:
    return address.rpartition("/")[2]


def _group_number(names: set[tuple[str, str]], groups: Sequence[SubmissionNames]) -> int:
    """Return the index of the first group with any of the names, or else the number of groups."""
    for number, group in enumerate(groups):
        if not names.isdisjoint(group):
            return number
    return len(groups)


def _with_problems_between_bundles(results: BenchmarkResults) -> BenchmarkResults:
    """Return results with problems between their bundles, such as two names for one agent."""
    bundles_by_id = {bundle.id: bundle for bundle in results.bundles}
    submission_names = {path.name for path in (results.path / SUBMISSIONS_FOLDER).glob("*")}
    problems = [
        *status_problems(results.benchmark, bundles_by_id, submission_names),
        *revision_problems(results),
        *roster_problems(results),
    ]
    return with_problems(results, problems)


def with_problems(results: BenchmarkResults, problems: Iterable[Problem]) -> BenchmarkResults:
    """Return results with further problems.

    A problem is added to the bundle whose file it concerns; other problems are added to the
    benchmark.
    """
    bundle_folders = {bundle.path for bundle in results.bundles}
    benchmark_problems = list(results.problems)
    by_bundle: dict[Path, list[Problem]] = defaultdict(list)
    for problem in problems:
        folder = problem.path.parent
        if folder in bundle_folders:
            by_bundle[folder].append(problem)
        else:
            benchmark_problems.append(problem)
    bundles = []
    for bundle in results.bundles:
        bundle_problems = (*bundle.problems, *by_bundle[bundle.path])
        bundles.append(replace(bundle, problems=bundle_problems))
    return replace(results, bundles=tuple(bundles), problems=tuple(benchmark_problems))


def _compare_within_tracks(
    folder: Path,
    benchmark: Benchmark,
    task_sets: Mapping[str, TaskSet],
    bundles: Sequence[Bundle],
) -> tuple[list[Bundle], list[Problem]]:
    """Return the bundles with the anomalies on their tracks, and the problems of the tracks.

    Bundles are compared track by track, and returned in the order of their ids. If two tracks have
    the same id, which is an error, the first track counts.
    """
    compared: list[Bundle] = []
    problems: list[Problem] = []
    tracks: dict[str, Track] = {}
    for track in benchmark.tracks:
        tracks.setdefault(track.id, track)
    for track in tracks.values():
        entered = [bundle for bundle in bundles if bundle.submission.track == track.id]
        if _shows_reward_metric(benchmark, track):
            entered = [_without_problems_of(bundle, REWARD_FRACTIONAL) for bundle in entered]
        tasks = task_sets.get(track.tasks or "")
        totals = usual_totals(entered)
        skips = usual_skips(entered)
        rounds_with_cases = counted_rounds(entered, tasks)
        for bundle in entered:
            anomalies = bundle_anomalies(bundle, totals, skips, rounds_with_cases)
            compared.append(replace(bundle, problems=(*bundle.problems, *anomalies)))
        if tasks:
            path = folder / TASKS_FOLDER / f"{tasks.id}.jsonl"
            problems += task_anomalies(path, tasks, totals)
            problems += ambiguous_cases(path, entered, tasks)
        elif entered:
            problems.append(task_set_problem(folder, benchmark, track))
        if entered and "protocol" not in track.model_fields_set:
            problems.append(protocol_problem(folder, benchmark, track))
    compared.sort(key=lambda bundle: bundle.id)
    return compared, problems


def _shows_reward_metric(benchmark: Benchmark, track: Track) -> bool:
    """Return whether a track shows a declared metric of rewards, which may be fractional."""
    metrics = benchmark_metrics(benchmark)
    for name in track.shown:
        metric = metrics.get(name)
        if metric and metric.declared and metric.declared.of == "reward":
            return True
    return False


def _without_problems_of(bundle: Bundle, rule: Rule) -> Bundle:
    """Return a bundle without its problems of one rule."""
    problems = tuple(problem for problem in bundle.problems if problem.code != rule.code)
    return replace(bundle, problems=problems)
