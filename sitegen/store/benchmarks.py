"""Reads a benchmark: its definition, its task sets, its published tables and its findings."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import TypeAdapter

from sitegen.errors import Problem, Rule
from sitegen.metrics.catalogue import METRICS
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.finding import Finding, Findings
from sitegen.models.reported import ReportedTable
from sitegen.models.task import Task, TaskSet
from sitegen.store import rules
from sitegen.store.jsonlines import read_lines
from sitegen.store.shape import Location, suggestion
from sitegen.store.toml import line_of, read_toml

DEFINITION, FINDINGS = "benchmark.toml", "findings.toml"
RESERVED = frozenset(
    {"methods", "submit", "changelog", "data", "api", "assets", "search", "develop", "feed", "releases"}
)
"""Names that the site uses beside benchmarks."""

_TASKS = TypeAdapter(list[Task])


def read_benchmark(folder: Path) -> tuple[Benchmark | None, list[Problem]]:
    """Read a benchmark's definition.

    Returns:
        The definition, or None where it can't be read; and the problems.
    """
    path = folder / DEFINITION
    benchmark, problems = read_toml(path, Benchmark)
    if benchmark is None:
        return None, problems
    return benchmark, [*problems, *_Definition(path, benchmark).problems()]


def read_task_sets(folder: Path, benchmark: Benchmark) -> tuple[dict[str, TaskSet], list[Problem]]:
    """Read every task set of a benchmark, by name."""
    sets: dict[str, TaskSet] = {}
    problems: list[Problem] = []
    for path in sorted((folder / "tasks").glob("*.jsonl")):
        lines = read_lines(path, _TASKS)
        problems += lines.problems
        problems += _task_problems(path, list(zip(lines.numbers, lines.records, strict=True)), benchmark)
        sets[path.stem] = TaskSet(path.stem, tuple(lines.records))
    return sets, problems


def read_reported(folder: Path, benchmark: Benchmark) -> tuple[list[ReportedTable], list[Problem]]:
    """Read every published table of a benchmark."""
    tables: list[ReportedTable] = []
    problems: list[Problem] = []
    taken = {path.name for path in (folder / "submissions").glob("*")}
    for path in sorted((folder / "reported").glob("*.toml")):
        table, found = read_toml(path, ReportedTable)
        problems += found
        if table:
            problems += _table_problems(path, table, benchmark, taken)
            taken |= {row.id for row in table.rows}
            tables.append(table)
    return tables, problems


def read_findings(folder: Path) -> tuple[tuple[Finding, ...], list[Problem]]:
    """Read a benchmark's findings; none where it has no such file."""
    path = folder / FINDINGS
    if not path.exists():
        return (), []
    findings, problems = read_toml(path, Findings)
    return (findings.findings if findings else ()), problems


class _Definition:
    """A benchmark's definition, checked against itself."""

    def __init__(self, path: Path, benchmark: Benchmark) -> None:
        self._path = path
        self._benchmark = benchmark
        self._text = path.read_text(encoding="utf-8")

    def problems(self) -> Iterator[Problem]:
        """Say what contradicts itself."""
        benchmark, folder = self._benchmark, self._path.parent.name
        if folder != benchmark.id:
            yield self._broken(rules.NAME_DIFFERS, ("id",), f"the folder is called {folder}, the id is {benchmark.id}")
        if benchmark.id in RESERVED:
            yield self._broken(rules.NAME_RESERVED, ("id",), f'"{benchmark.id}" is an address of the site')
        for index, track in enumerate(benchmark.tracks):
            yield from self._name_problems(index, track)
            yield from self._column_problems(index, track)

    def _name_problems(self, index: int, track: Track) -> Iterator[Problem]:
        ids = [each.id for each in self._benchmark.tracks]
        if track.id in ids[:index]:
            yield self._broken(rules.NAME_TWICE, ("tracks", index, "id"), f"two tracks are called {track.id}")
        if track.superseded_by and track.superseded_by not in ids:
            place, what = ("tracks", index, "superseded_by"), f"there is no track `{track.superseded_by}`"
            yield self._broken(rules.TRACK_UNKNOWN, place, what, suggestion(track.superseded_by, ids))

    def _column_problems(self, index: int, track: Track) -> Iterator[Problem]:
        for key, names in (("headline", (track.headline,)), ("columns", track.columns)):
            for metric in (name for name in names if name not in METRICS):
                what = f"the catalogue has no metric `{metric}`"
                yield self._broken(rules.METRIC_UNKNOWN, ("tracks", index, key), what, suggestion(metric, METRICS))
        axes = self._benchmark.axes
        for axis in (name for name in track.groupings if name not in axes):
            place, what = ("tracks", index, "groupings"), f"there is no axis `{axis}`"
            yield self._broken(rules.AXIS_UNKNOWN, place, what, suggestion(axis, axes))

    def _broken(self, rule: Rule, place: Location, what: str, fix: str | None = None) -> Problem:
        return rule.broken(self._path, line_of(self._text, place), what, fix)


def _task_problems(path: Path, numbered: list[tuple[int, Task]], benchmark: Benchmark) -> Iterator[Problem]:
    seen: set[str] = set()
    for line, task in numbered:
        if task.id in seen:
            yield rules.NAME_TWICE.broken(path, line, f"two tasks are called {task.id}")
        seen.add(task.id)
        if [each.n for each in task.rounds] != list(range(1, len(task.rounds) + 1)):
            numbers = ", ".join(str(each.n) for each in task.rounds)
            yield rules.ROUND_ORDER.broken(path, line, f"the rounds of {task.id} are numbered {numbers}")
        yield from _label_problems(path, line, task, benchmark)
        yield from _case_problems(path, line, task)


def _label_problems(path: Path, line: int, task: Task, benchmark: Benchmark) -> Iterator[Problem]:
    for key, value in task.labels.items():
        axis = benchmark.axes.get(key)
        if axis is None:
            what = f"{task.id} has a label on `{key}`, which is no axis of {benchmark.id}"
            yield rules.AXIS_UNKNOWN.broken(path, line, what, suggestion(key, benchmark.axes))
        elif axis.values and value not in axis.values:
            what = f"{task.id} has `{key}` = {value!r}, which is none of the axis's values"
            yield rules.AXIS_UNKNOWN.broken(path, line, what, suggestion(value, axis.values))


def _case_problems(path: Path, line: int, task: Task) -> Iterator[Problem]:
    for each in task.rounds:
        ids = [case.id for case in each.cases or ()]
        if len(set(ids)) < len(ids):
            twice = next(name for name in ids if ids.count(name) > 1)
            yield rules.NAME_TWICE.broken(path, line, f"round {each.n} of {task.id} has two cases called {twice}")


def _table_problems(path: Path, table: ReportedTable, benchmark: Benchmark, taken: set[str]) -> Iterator[Problem]:
    text = path.read_text(encoding="utf-8")
    tracks = [track.id for track in benchmark.tracks]
    if table.track not in tracks:
        what = f"{benchmark.id} has no track `{table.track}`"
        yield rules.TRACK_UNKNOWN.broken(path, line_of(text, ("track",)), what, suggestion(table.track, tracks))
    seen = set(taken)
    for index, row in enumerate(table.rows):
        if row.id in seen:
            what = f"`{row.id}` names another row or bundle already"
            yield rules.NAME_TWICE.broken(path, line_of(text, ("rows", index, "id")), what)
        seen.add(row.id)
        for metric in row.values:
            if metric not in METRICS:
                what, place = f"the catalogue has no metric `{metric}`", ("rows", index, "values", metric)
                yield rules.METRIC_UNKNOWN.broken(path, line_of(text, place), what, suggestion(metric, METRICS))
