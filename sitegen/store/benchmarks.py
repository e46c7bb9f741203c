"""Reads a benchmark: its definition, its task sets and its published tables."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from sitegen.board.claims import same_agent
from sitegen.metrics.catalogue import metrics_of
from sitegen.models.benchmark import (
    BESIDE_BENCHMARKS,
    BESIDE_SUBMISSIONS,
    INTEGRITY,
    Axis,
    Benchmark,
    Track,
)
from sitegen.models.reported import ReportedRow, ReportedTable
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem, Rule, counted, limited, listed, reasons
from sitegen.reading.json import LineKind, empty_problem, read_lines
from sitegen.reading.shape import KEY_MISSING, Location, suggestion
from sitegen.reading.toml import read_toml
from sitegen.store import layout
from sitegen.store.declared import Breach, metric_breaches
from sitegen.store.identity import ALIAS_CHAINED, alias_problems

NAME_DIFFERS = Rule.error(
    "NAME-DIFFERS",
    "A benchmark's folder is called by its id.",
    "rename one of the two",
    unwaivable=reasons.ADDRESSES,
)
TRACK_UNKNOWN = Rule.error(
    "TRACK-UNKNOWN",
    "A track is one that benchmark.toml defines.",
    "name a defined track",
    unwaivable=reasons.LOST,
)
TASK_SET_MISSING = Rule.error(
    "TASK-SET-MISSING",
    "A track that bundles enter has its task set.",
    "add the task set's file, one task a line",
    unwaivable=reasons.LOST,
)
METRIC_UNKNOWN = Rule.error(
    "METRIC-UNKNOWN",
    "A metric is one of the catalogue's, or declared in benchmark.toml.",
    "name one that `sitegen metrics BENCHMARK` lists, or declare it in benchmark.toml",
)
_OWN = partial(Rule.error, unwaivable=reasons.OWN)
AXIS_UNKNOWN = _OWN(
    "AXIS-UNKNOWN", "Labels and groupings use axes that benchmark.toml defines.", "define the axis"
)
LABEL_UNKNOWN = _OWN(
    "LABEL-UNKNOWN",
    "A label is one of its axis's values.",
    "correct the label, or add the value to the axis in benchmark.toml",
)
CLUSTERS_SEVERAL = _OWN(
    "AXIS-CLUSTERS-SEVERAL",
    "At most one axis says which tasks depend on each other.",
    "keep `cluster = true` on the axis whose tasks share most, such as the repository",
)
CLUSTER_MISSING = _OWN(
    "AXIS-CLUSTER-MISSING",
    "Every task has a label on the axis with `cluster = true`.",
    "label the task; a task that depends on no other gets a value of its own",
)
ROUND_ORDER = _OWN(
    "ROUND-ORDER", "A task's rounds are numbered from 1 without a gap.", "number the rounds from 1"
)
WEIGHTS_SUM = Rule.warning(
    "TASK-WEIGHTS-SUM",
    "The weights of a task's targets add up to 1.",
    "write weights that add up to 1; until then each counts as its share of their sum",
)

_FOLDERS = {
    layout.TASKS: layout.TASK_SETS,
    layout.SUBMISSIONS: layout.BUNDLES,
    layout.REPORTED: layout.TABLES,
}
_FILES = (layout.DEFINITION, layout.FINDINGS, layout.CHECKS, layout.REGISTRATIONS)
_BENCHMARK = layout.Contents("a benchmark", _FILES, tuple(_FOLDERS))
_TASKS = LineKind(Task)
_WEIGHTS_EXACT = 1e-6
_NAMED = 5


def read_definitions(folder: Path) -> list[Benchmark]:
    """Read the benchmarks' definitions, those that can be read; what is wrong is said by `folder.read_results`."""
    found = (
        read_toml(path, Benchmark).record for path in sorted(folder.glob(f"*/{layout.DEFINITION}"))
    )
    return [benchmark for benchmark in found if benchmark]


def read_benchmark(folder: Path) -> tuple[Benchmark | None, list[Problem]]:
    """A benchmark's definition, None where it can't be read or nothing ranks a track; and the problems."""
    path = folder / layout.DEFINITION
    document = read_toml(path, Benchmark)
    benchmark = document.record
    if benchmark is None:
        return None, list(document.problems)
    lines = document.places.line_of
    found = (
        *_definition_breaches(path.parent.resolve().name, benchmark),
        *metric_breaches(benchmark),
    )
    problems = list(
        limited(rule.broken(path, lines(place), what, fix) for place, rule, what, fix in found)
    )
    problems += layout.strays(folder, _BENCHMARK)
    for name, contents in _FOLDERS.items():
        if layout.is_plain_folder(folder / name):
            problems += layout.strays(folder / name, contents)
    ranks = all(track.headline in metrics_of(benchmark) for track in benchmark.tracks)
    return benchmark if ranks else None, problems


def read_task_sets(folder: Path, benchmark: Benchmark) -> tuple[dict[str, TaskSet], list[Problem]]:
    """Read every task set of a benchmark, by name."""
    sets: dict[str, TaskSet] = {}
    problems: list[Problem] = []
    for path in (
        sorted((folder / layout.TASKS).glob("*.jsonl"))
        if layout.is_plain_folder(folder / layout.TASKS)
        else ()
    ):
        lines = read_lines(path, _TASKS)
        problems += lines.problems
        problems += [empty_problem(path)] if lines.is_empty else []
        problems += limited(_task_problems(path, lines.numbered, benchmark))
        # Weights that do not add up to 1 are one fault of the whole task set. Without its own, each round weighs 1.
        weighted = [
            (line, task)
            for line, task in lines.numbered
            if any(each.weight != 1 for each in task.rounds)
        ]
        sums = [
            (line, task.id, sum(each.weight for each in task.rounds)) for line, task in weighted
        ]
        odd = [
            (line, f"{name} ({total:g})")
            for line, name, total in sums
            if abs(total - 1) > _WEIGHTS_EXACT
        ]
        if odd:
            told = listed((name for _, name in odd), _NAMED, more=" …")
            what = f"the weights of {counted(len(odd), 'task')} do not add up to 1: {told}"
            problems.append(WEIGHTS_SUM.broken(path, odd[0][0], what))
        sets[path.stem] = TaskSet(
            path.stem, tuple({task.id: task for task in lines.records}.values())
        )
    return sets, problems


def text_files(folder: Path) -> list[Path]:
    """A benchmark's own files, without those of its bundles."""
    own = [folder / name for name in (layout.DEFINITION, layout.FINDINGS)]
    folders = [
        folder / name
        for name in (layout.TASKS, layout.REPORTED)
        if layout.is_plain_folder(folder / name)
    ]
    inside = (
        file
        for each in folders
        for file in sorted(each.iterdir())
        if _FOLDERS[each.name].takes_file(file.name)
    )
    return [*own, *inside]


def task_set_problem(folder: Path, benchmark: Benchmark, track: Track) -> Problem:
    """Say that a track is entered whose task set is not there."""
    path = folder / layout.DEFINITION
    index = benchmark.tracks.index(track)
    line = read_toml(path, Benchmark).places.line_of(("tracks", index, "tasks"))
    if track.tasks is None:
        what = f"track {track.id} has bundles, but no task set"
        return TASK_SET_MISSING.broken(path, line, what, "name the track's task set in `tasks`")
    file = f"{layout.TASKS}/{track.tasks}.jsonl"
    what = f"track {track.id} has bundles, but its task set {file} is not there"
    return TASK_SET_MISSING.broken(path, line, what, f"add {file}, one task a line")


def protocol_problem(folder: Path, benchmark: Benchmark, track: Track) -> Problem:
    """Say that a track is entered that does not tell its protocol."""
    path = folder / layout.DEFINITION
    line = read_toml(path, Benchmark).places.line_of(("tracks", benchmark.tracks.index(track)))
    what = f"the key `protocol` is missing: track {track.id} has bundles"
    return KEY_MISSING.broken(path, line, what, "add `protocol`")


def _unknown(
    place: Location, rule: Rule, name: str, known: Collection[str], what: str
) -> Iterator[Breach]:
    """Say of a name that it is none of those that are known, where it is none, and which may be meant."""
    if name not in known:
        yield place, rule, what, suggestion(name, known)


def _unknown_metric(place: Location, metric: str, benchmark: Benchmark) -> Iterator[Breach]:
    return _unknown(
        place, METRIC_UNKNOWN, metric, metrics_of(benchmark), f"there is no metric `{metric}`"
    )


def _unknown_axis(place: Location, name: str, benchmark: Benchmark) -> Iterator[Breach]:
    return _unknown(
        place, AXIS_UNKNOWN, name, benchmark.axes, f"`{name}` is no axis of {benchmark.id}"
    )


def _unknown_value(place: Location, value: str, axis: Axis | None) -> Iterator[Breach]:
    """A value of an axis that lists others; one without a list has any."""
    if axis and axis.values:
        yield from _unknown(
            place, LABEL_UNKNOWN, value, axis.values, f'axis "{axis.title}" has no value "{value}"'
        )


def _definition_breaches(folder: str, benchmark: Benchmark) -> Iterator[Breach]:
    """What of a benchmark's definition, in a folder of some name, contradicts itself."""
    ids = [each.id for each in benchmark.tracks]
    if folder != benchmark.id:
        yield (
            ("id",),
            NAME_DIFFERS,
            f"the folder is called {folder}, the id is {benchmark.id}",
            None,
        )
    if benchmark.id in BESIDE_BENCHMARKS:
        yield ("id",), layout.NAME_RESERVED, f'"{benchmark.id}" is an address of the site', None
    for spelling, what in alias_problems(benchmark):
        yield ("aliases", spelling), ALIAS_CHAINED, what, None
    for index, track in enumerate(benchmark.tracks):
        place = ("tracks", index)
        if track.id == INTEGRITY:
            yield (
                (*place, "id"),
                layout.NAME_RESERVED,
                f'"{track.id}" is an address of the site',
                None,
            )
        if track.id in ids[:index]:
            yield (*place, "id"), layout.NAME_TWICE, f"two tracks are called {track.id}", None
        if later := track.superseded_by:
            yield from _unknown(
                (*place, "superseded_by"), TRACK_UNKNOWN, later, ids, f"there is no track `{later}`"
            )
        for key, metric in (
            ("headline", track.headline),
            *(("columns", each) for each in track.columns),
        ):
            yield from _unknown_metric((*place, key), metric, benchmark)
        for axis in track.groupings:
            what = f"there is no axis `{axis}`"
            yield from _unknown((*place, "groupings"), AXIS_UNKNOWN, axis, benchmark.axes, what)
    for name, each in benchmark.axes.items():
        for value in each.weights:
            yield from _unknown_value(("axes", name, "weights", value), value, each)
    yield from _cluster_breaches(benchmark)


def _cluster_breaches(benchmark: Benchmark) -> Iterator[Breach]:
    """Say which axes beyond the first have `cluster = true`."""
    clustered = [name for name, axis in benchmark.axes.items() if axis.cluster]
    for name in clustered[1:]:
        what = f"`{name}` has `cluster = true`, and so has `{clustered[0]}`"
        yield ("axes", name, "cluster"), CLUSTERS_SEVERAL, what, None


def _task_problems(
    path: Path, numbered: list[tuple[int, Task]], benchmark: Benchmark
) -> Iterator[Problem]:
    seen: set[str] = set()
    for line, task in numbered:
        if task.id in seen:
            yield layout.NAME_TWICE.broken(path, line, f"two tasks are called {task.id}")
        if task.id in BESIDE_SUBMISSIONS:
            yield layout.NAME_RESERVED.broken(path, line, f'"{task.id}" is an address of the site')
        seen.add(task.id)
        if [each.n for each in task.rounds] != list(range(1, len(task.rounds) + 1)):
            numbers = ", ".join(str(each.n) for each in task.rounds)
            yield ROUND_ORDER.broken(path, line, f"the rounds of {task.id} are numbered {numbers}")
        if benchmark.cluster_axis and benchmark.cluster_axis not in task.labels:
            what = f"{task.id} has no label on axis `{benchmark.cluster_axis}`"
            yield CLUSTER_MISSING.broken(path, line, what)
        for key, value in task.labels.items():
            axis = benchmark.axes.get(key)
            if axis is None:
                what = f"{task.id} has a label on `{key}`, which is no axis of {benchmark.id}"
                yield AXIS_UNKNOWN.broken(path, line, what, suggestion(key, benchmark.axes))
            elif axis.values and value not in axis.values:
                what = f'{task.id} has "{value}" on axis `{key}`, which has no such value'
                yield LABEL_UNKNOWN.broken(path, line, what, suggestion(value, axis.values))
        for each in task.rounds:
            ids = [case.id for case in each.cases or ()]
            if len(set(ids)) < len(ids):
                twice = next(name for name in ids if ids.count(name) > 1)
                yield layout.NAME_TWICE.broken(
                    path, line, f"round {each.n} of {task.id} has two cases called {twice}"
                )


ROW_UNKNOWN = _OWN(
    "ROW-UNKNOWN", "An erratum names rows of its table.", "correct the row's id, or add the row"
)
CELL_UNKNOWN = _OWN(
    "CELL-UNKNOWN",
    "A row of an exhibit has a cell for each column; what is said of cells and columns names those that it has.",
    'name a column and the first cell of a row of the exhibit, and write "" for an empty cell',
)


def read_reported(
    folder: Path, benchmark: Benchmark, bundles: Collection[str]
) -> tuple[list[ReportedTable], list[Problem]]:
    """Read every published table of a benchmark."""
    tables: list[ReportedTable] = []
    problems: list[Problem] = []
    others: dict[str, dict[str, list[ReportedRow]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("*.toml")) if layout.is_plain_folder(folder) else ():
        document = read_toml(path, ReportedTable)
        problems += document.problems
        if document.record:
            table = document.record
            rows = others[table.track]
            found = (
                *_row_breaches(table, benchmark, bundles, rows),
                *_erratum_breaches(table, benchmark),
                *_exhibit_breaches(table, benchmark),
            )
            lines = document.places.line_of
            problems += limited(
                rule.broken(path, lines(place), what, fix) for place, rule, what, fix in found
            )
            for row in table.rows:
                rows[row.id].append(row)
            tables.append(table)
    return tables, problems


def _row_breaches(
    table: ReportedTable,
    benchmark: Benchmark,
    bundles: Collection[str],
    others: Mapping[str, Sequence[ReportedRow]],
) -> Iterator[Breach]:
    """What of a table contradicts the benchmark, or the rows of its other tables."""
    tracks, what = (
        [track.id for track in benchmark.tracks],
        f"{benchmark.id} has no track `{table.track}`",
    )
    yield from _unknown(("track",), TRACK_UNKNOWN, table.track, tracks, what)
    seen = set(bundles)
    for index, row in enumerate(table.rows):
        same = partial(same_agent, row, name_of=benchmark.agent_name)
        if row.id in seen or not all(map(same, others.get(row.id, ()))):
            yield (
                ("rows", index, "id"),
                layout.NAME_TWICE,
                f"`{row.id}` names another row or a bundle already",
                None,
            )
        if row.id in BESIDE_SUBMISSIONS:
            yield (
                ("rows", index, "id"),
                layout.NAME_RESERVED,
                f'"{row.id}" is an address of the site',
                None,
            )
        seen.add(row.id)
        for metric, figure in row.values.items():
            place = ("rows", index, "values", metric)
            yield from _unknown_metric(place, metric, benchmark)
            for name, values in figure.groups.items():
                yield from _unknown_axis((*place, "groups", name), name, benchmark)
                for value in values:
                    yield from _unknown_value(
                        (*place, "groups", name, value), value, benchmark.axes.get(name)
                    )


def _erratum_breaches(table: ReportedTable, benchmark: Benchmark) -> Iterator[Breach]:
    rows = [row.id for row in table.rows]
    for number, erratum in enumerate(table.errata):
        place = ("errata", number)
        for index, row in enumerate(erratum.rows):
            yield from _unknown(
                (*place, "rows", index), ROW_UNKNOWN, row, rows, f"the table has no row `{row}`"
            )
        for index, metric in enumerate(erratum.metrics):
            yield from _unknown_metric((*place, "metrics", index), metric, benchmark)
        for index, axis in enumerate(erratum.axes):
            yield from _unknown_axis((*place, "axes", index), axis, benchmark)


def _exhibit_breaches(table: ReportedTable, benchmark: Benchmark) -> Iterator[Breach]:
    tracks = [track.id for track in benchmark.tracks]
    names = [exhibit.id for exhibit in table.exhibits]
    for number, exhibit in enumerate(table.exhibits):
        place = ("exhibits", number)
        if exhibit.id in names[:number]:
            yield (*place, "id"), layout.NAME_TWICE, f"two exhibits are called {exhibit.id}", None
        if exhibit.beside:
            what = f"{benchmark.id} has no track `{exhibit.beside}`"
            yield from _unknown((*place, "beside"), TRACK_UNKNOWN, exhibit.beside, tracks, what)
        for row in (row for row in exhibit.rows if len(row) != len(exhibit.columns)):
            what = f"a row of {exhibit.id} has {counted(len(row), 'cell')} for {len(exhibit.columns)} columns"
            yield (*place, "rows"), CELL_UNKNOWN, what, None
        firsts = [str(row[0]) for row in exhibit.rows if row]
        named: list[tuple[Location, str, Sequence[str]]] = []
        named += [((*place, "draw"), exhibit.draw, exhibit.columns)] if exhibit.draw else []
        for index, slip in enumerate(exhibit.slips):
            named.append(((*place, "slips", index, "row"), slip.row, firsts))
            named.append(((*place, "slips", index, "column"), slip.column, exhibit.columns))
        for key, name, known in named:
            yield from _unknown(key, CELL_UNKNOWN, name, known, f"{exhibit.id} has no `{name}`")
