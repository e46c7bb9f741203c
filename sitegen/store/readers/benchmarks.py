"""Read a benchmark's definition and its task sets; `reported_tables` reads its reported tables."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from sitegen.metrics.catalogue import benchmark_metrics
from sitegen.models.benchmark import (
    BESIDE_BENCHMARKS,
    BESIDE_SUBMISSIONS,
    INTEGRITY,
    Benchmark,
    Track,
)
from sitegen.models.shared_rules import NAME_TWICE
from sitegen.models.task import Task, TaskRound, TaskSet
from sitegen.problems import (
    Problem,
    ProblemsError,
    Rule,
    counted,
    errors_of,
    limited,
    listed,
    reasons,
)
from sitegen.reading.json import LineKind, empty_problem, read_lines
from sitegen.reading.shape import KEY_MISSING, Location, suggestion
from sitegen.reading.toml import read_toml
from sitegen.store.checks.declared_metrics import metric_breaches
from sitegen.store.checks.document_breaches import (
    AXIS_UNKNOWN,
    LABEL_UNKNOWN,
    TRACK_UNKNOWN,
    Breach,
    breach_problems,
    check_axis_value,
    check_metric,
    check_name,
)
from sitegen.store.checks.identity import alias_breaches
from sitegen.store.files.layout import (
    CHECKS_FILE,
    DEFINITION_FILE,
    FINDINGS_FILE,
    NAME_RESERVED,
    REGISTRATIONS_FILE,
    REPORTED_FOLDER,
    SUBMISSIONS_CONTENTS,
    SUBMISSIONS_FOLDER,
    TABLES_CONTENTS,
    TASK_SETS_CONTENTS,
    TASKS_FOLDER,
    Contents,
    is_plain_folder,
    strays,
)
from sitegen.store.files.readings import Reading

NAME_DIFFERS = Rule.error(
    "NAME-DIFFERS",
    "The name of a benchmark's folder differs from the benchmark's id.",
    "rename the folder, or correct the id",
    unwaivable=reasons.ADDRESSES,
)
REPLACED_WRONG = Rule.error(
    "TRACK-REPLACES-WRONG",
    "A track replaces itself, or two tracks replace the same one.",
    "name the latest earlier version of the track",
    unwaivable=reasons.OWN,
)
TASK_SET_MISSING = Rule.error(
    "TASK-SET-MISSING",
    "The task set of a track with submissions is missing.",
    "add the task set's file, with one task per line",
    unwaivable=reasons.LOST,
)
CLUSTERS_SEVERAL = Rule.error(
    "AXIS-CLUSTERS-SEVERAL",
    "Several axes have `cluster = true`.",
    "keep `cluster = true` on the axis whose tasks have most in common, such as the repository",
    unwaivable=reasons.OWN,
)
CLUSTER_MISSING = Rule.error(
    "AXIS-CLUSTER-MISSING",
    "A task has no label on the axis with `cluster = true`.",
    "label the task; a task that depends on no other task gets a value that no other task has",
    unwaivable=reasons.OWN,
)
ROUND_ORDER = Rule.error(
    "ROUND-ORDER",
    "A task's rounds are not numbered from 1 without gaps.",
    "number the rounds from 1",
    unwaivable=reasons.OWN,
)
WEIGHTS_SUM = Rule.warning(
    "TASK-WEIGHTS-SUM",
    "The weights of a task's targets do not add up to 1.",
    "write weights that add up to 1; until then the weight of a target is its share of their sum",
)

_FOLDER_CONTENTS = {
    TASKS_FOLDER: TASK_SETS_CONTENTS,
    SUBMISSIONS_FOLDER: SUBMISSIONS_CONTENTS,
    REPORTED_FOLDER: TABLES_CONTENTS,
}
_FILE_NAMES = (DEFINITION_FILE, FINDINGS_FILE, CHECKS_FILE, REGISTRATIONS_FILE)
_BENCHMARK_CONTENTS = Contents("a benchmark", _FILE_NAMES, tuple(_FOLDER_CONTENTS))
_TASK_LINES = LineKind(Task)
_WEIGHT_TOLERANCE = 1e-6
_MAX_NAMED_TASKS = 5

NumberedTask = tuple[int, Task]
"""A task with its line in the file."""


def read_definitions(folder: Path) -> list[Benchmark]:
    """Return the readable definitions of the benchmarks in a results folder.

    Problems are not returned: `folder.read_results` reports them.
    """
    benchmarks = []
    for path in sorted(folder.glob(f"*/{DEFINITION_FILE}")):
        benchmark = read_toml(path, Benchmark).record
        if benchmark:
            benchmarks.append(benchmark)
    return benchmarks


def read_sound_definitions(folder: Path) -> list[Benchmark]:
    """Return the definitions of the benchmarks in a results folder.

    Raises:
        ProblemsError: Definitions have errors; all of them are listed.
    """
    benchmarks = []
    errors = []
    for path in sorted(folder.glob(f"*/{DEFINITION_FILE}")):
        reading = read_benchmark(path.parent)
        errors += definition_errors(path.parent, reading.problems)
        if reading.record:
            benchmarks.append(reading.record)
    if errors:
        raise ProblemsError(errors)
    return benchmarks


def definition_errors(folder: Path, problems: Iterable[Problem]) -> list[Problem]:
    """Return the errors of a benchmark's definition among the problems of its folder."""
    path = folder / DEFINITION_FILE
    return [problem for problem in errors_of(problems) if problem.path == path]


def read_benchmark(folder: Path) -> Reading[Benchmark | None]:
    """Return the definition of a benchmark, with its problems and those of its folder.

    The definition is None if it can't be read, or if a track is ranked by an unknown metric.
    """
    path = folder / DEFINITION_FILE
    document = read_toml(path, Benchmark)
    benchmark = document.record
    if benchmark is None:
        return Reading(None, document.problems)
    folder_name = path.parent.resolve().name
    breaches = [*_definition_breaches(folder_name, benchmark), *metric_breaches(benchmark)]
    problems = list(breach_problems(document, breaches))
    problems += strays(folder, _BENCHMARK_CONTENTS)
    for name, contents in _FOLDER_CONTENTS.items():
        if is_plain_folder(folder / name):
            problems += strays(folder / name, contents)
    metrics = benchmark_metrics(benchmark)
    can_rank = all(track.headline in metrics for track in benchmark.tracks)
    return Reading(benchmark if can_rank else None, problems)


def read_task_sets(folder: Path, benchmark: Benchmark) -> Reading[dict[str, TaskSet]]:
    """Return a benchmark's task sets by name, with the problems in their files."""
    task_sets: dict[str, TaskSet] = {}
    problems: list[Problem] = []
    for path in _files_in(folder / TASKS_FOLDER, "*.jsonl"):
        lines = read_lines(path, _TASK_LINES)
        problems += lines.problems
        if lines.is_empty:
            problems.append(empty_problem(path))
        problems += limited(_task_problems(path, lines.numbered, benchmark))
        problems += _weight_problems(path, lines.numbered)
        tasks = {task.id: task for task in lines.records}
        numbers = {task.id: line for line, task in lines.numbered}
        task_sets[path.stem] = TaskSet(path.stem, tuple(tasks.values()), lines=numbers)
    return Reading(task_sets, problems)


def _files_in(folder: Path, pattern: str) -> list[Path]:
    """Return the sorted files of a folder; empty if the folder is missing or a link."""
    return sorted(folder.glob(pattern)) if is_plain_folder(folder) else []


def text_files(folder: Path) -> list[Path]:
    """Return the hand-written files of a benchmark, except for the files of its bundles."""
    files = [folder / DEFINITION_FILE, folder / FINDINGS_FILE]
    for name in (TASKS_FOLDER, REPORTED_FOLDER):
        contents = _FOLDER_CONTENTS[name]
        paths = _files_in(folder / name, "*")
        files += [path for path in paths if contents.takes_file(path.name)]
    return files


def task_set_problem(folder: Path, benchmark: Benchmark, track: Track) -> Problem:
    """Return the problem of a track that has submissions but no task set."""
    path = folder / DEFINITION_FILE
    line = _line_of(path, ("tracks", benchmark.tracks.index(track), "tasks"))
    if track.tasks is None:
        fact = f"track {track.id} has bundles, but no task set"
        return TASK_SET_MISSING.broken(path, line, fact, "name the track's task set in `tasks`")
    file = f"{TASKS_FOLDER}/{track.tasks}.jsonl"
    fact = f"track {track.id} has bundles, but its task set {file} does not exist"
    return TASK_SET_MISSING.broken(path, line, fact, f"add {file}, with one task per line")


def protocol_problem(folder: Path, benchmark: Benchmark, track: Track) -> Problem:
    """Return the problem of a track that has submissions but does not state a protocol."""
    path = folder / DEFINITION_FILE
    line = _line_of(path, ("tracks", benchmark.tracks.index(track)))
    fact = f"the key `protocol` is missing: track {track.id} has bundles"
    return KEY_MISSING.broken(path, line, fact, "add `protocol`")


def _line_of(definition: Path, location: Location) -> int | None:
    return read_toml(definition, Benchmark).places.line_of(location)


def _definition_breaches(folder_name: str, benchmark: Benchmark) -> Iterator[Breach]:
    """Yield breaches for contradictions in a benchmark's definition, or with its folder."""
    if folder_name != benchmark.id:
        fact = f"the folder is called {folder_name}, but the id is {benchmark.id}"
        yield Breach(("id",), NAME_DIFFERS, fact)
    if benchmark.id in BESIDE_BENCHMARKS:
        yield _reserved_name(("id",), benchmark.id)
    yield from alias_breaches(benchmark)
    for index in range(len(benchmark.tracks)):
        yield from _track_breaches(index, benchmark)
    for name, axis in benchmark.axes.items():
        for value in axis.weights:
            yield from check_axis_value(("axes", name, "weights", value), value, axis)
    clustered = [name for name, axis in benchmark.axes.items() if axis.cluster]
    for name in clustered[1:]:
        fact = f"`{name}` has `cluster = true`, and so has `{clustered[0]}`"
        yield Breach(("axes", name, "cluster"), CLUSTERS_SEVERAL, fact)


def _track_breaches(index: int, benchmark: Benchmark) -> Iterator[Breach]:
    """Yield breaches for a track's names that are taken or that the benchmark does not define."""
    track = benchmark.tracks[index]
    track_ids = [track.id for track in benchmark.tracks]
    location = ("tracks", index)
    if track.id == INTEGRITY:
        yield _reserved_name((*location, "id"), track.id)
    if track.id in track_ids[:index]:
        fact = f"two tracks are called {track.id}"
        yield Breach((*location, "id"), NAME_TWICE, fact)
    if track.superseded_by:
        fact = f"there is no track `{track.superseded_by}`"
        key = (*location, "superseded_by")
        yield from check_name(key, TRACK_UNKNOWN, track.superseded_by, track_ids, fact)
    if track.replaces:
        fact = f"there is no track `{track.replaces}`"
        key = (*location, "replaces")
        yield from check_name(key, TRACK_UNKNOWN, track.replaces, track_ids, fact)
        yield from _replaced_breaches(index, benchmark)
    yield from check_metric((*location, "headline"), track.headline, benchmark)
    for metric in track.columns:
        yield from check_metric((*location, "columns"), metric, benchmark)
    for axis in track.groupings:
        fact = f"there is no axis `{axis}`"
        key = (*location, "groupings")
        yield from check_name(key, AXIS_UNKNOWN, axis, benchmark.axes, fact)


def _replaced_breaches(index: int, benchmark: Benchmark) -> Iterator[Breach]:
    """Yield a breach if a track replaces itself, even indirectly, or a track already replaced."""
    track = benchmark.tracks[index]
    key = ("tracks", index, "replaces")
    if track.id in (track.replaces, *benchmark.earlier_versions(track.id)):
        yield Breach(key, REPLACED_WRONG, f"track {track.id} replaces itself")
    for other in benchmark.tracks[:index]:
        if other.replaces == track.replaces:
            yield Breach(key, REPLACED_WRONG, f"track {other.id} replaces {track.replaces} already")


def _reserved_name(location: Location, name: str) -> Breach:
    return Breach(location, NAME_RESERVED, f'"{name}" is reserved for an address of the site')


def _task_problems(
    path: Path, numbered_tasks: Iterable[NumberedTask], benchmark: Benchmark
) -> Iterator[Problem]:
    """Yield problems with the names, rounds and labels of tasks."""
    seen_ids: set[str] = set()
    for line, task in numbered_tasks:
        if task.id in seen_ids:
            yield NAME_TWICE.broken(path, line, f"two tasks are called {task.id}")
        if task.id in BESIDE_SUBMISSIONS:
            yield NAME_RESERVED.broken(
                path, line, f'"{task.id}" is reserved for an address of the site'
            )
        seen_ids.add(task.id)
        round_numbers = [task_round.n for task_round in task.rounds]
        if round_numbers != list(range(1, len(round_numbers) + 1)):
            numbers = ", ".join(map(str, round_numbers))
            yield ROUND_ORDER.broken(path, line, f"the rounds of {task.id} are numbered {numbers}")
        yield from _label_problems(path, line, task, benchmark)
        for task_round in task.rounds:
            yield from _repeated_case(path, line, task, task_round)


def _label_problems(path: Path, line: int, task: Task, benchmark: Benchmark) -> Iterator[Problem]:
    """Yield problems of undefined labels, and of a missing label on the cluster axis."""
    if benchmark.cluster_axis and benchmark.cluster_axis not in task.labels:
        fact = f"{task.id} has no label on axis `{benchmark.cluster_axis}`"
        yield CLUSTER_MISSING.broken(path, line, fact)
    for name, value in task.labels.items():
        axis = benchmark.axes.get(name)
        if axis is None:
            fact = f"{task.id} has a label on `{name}`, which is not an axis of {benchmark.id}"
            yield AXIS_UNKNOWN.broken(path, line, fact, suggestion(name, benchmark.axes))
        elif axis.values and value not in axis.values:
            fact = f'{task.id} has "{value}" on axis `{name}`, which has no such value'
            yield LABEL_UNKNOWN.broken(path, line, fact, suggestion(value, axis.values))


def _repeated_case(path: Path, line: int, task: Task, task_round: TaskRound) -> Iterator[Problem]:
    """Yield a problem with the first case that a round lists twice, if there is one."""
    if not task_round.cases:
        return
    counts = Counter(case.id for case in task_round.cases)
    for case_id, count in counts.items():
        if count > 1:
            fact = f"round {task_round.n} of {task.id} has two cases called {case_id}"
            yield NAME_TWICE.broken(path, line, fact)
            return


def _weight_problems(path: Path, numbered_tasks: Iterable[NumberedTask]) -> Iterator[Problem]:
    """Yield one problem for all tasks of a set whose weights do not add up to 1.

    A task without weights is valid: each of its rounds has weight 1.
    """
    first_line = 0
    descriptions = []
    for line, task in numbered_tasks:
        weights = [task_round.weight for task_round in task.rounds]
        has_weights = any(weight != 1 for weight in weights)
        if has_weights and abs(sum(weights) - 1) > _WEIGHT_TOLERANCE:
            first_line = first_line or line
            descriptions.append(f"{task.id} ({sum(weights):g})")
    if descriptions:
        tasks = counted(len(descriptions), "task")
        details = listed(descriptions, _MAX_NAMED_TASKS, more=" …")
        fact = f"the weights of {tasks} do not add up to 1: {details}"
        yield WEIGHTS_SUM.broken(path, first_line, fact)
