"""Add labels from a table to the tasks of a set, and add the axes that the labels need.

Read `label_tasks` first.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.table.columns import AskedColumns, map_columns
from sitegen.importers.table.files import open_table
from sitegen.importers.table.tables import Chunk
from sitegen.models.benchmark import Axis, Benchmark
from sitegen.models.task import Task, TaskSet
from sitegen.pipeline.addressing import benchmarks_in
from sitegen.problems import ProblemsError, UsageError, errors_of, listed
from sitegen.publish.machine.transaction import snapshot_of, transaction
from sitegen.publish.projects.new_project import title_from_id
from sitegen.publish.results.benchmarks import definition_with_axes
from sitegen.publish.results.records import json_lines
from sitegen.store.files.layout import DEFINITION_FILE, RELEASES_FOLDER, TASKS_FOLDER
from sitegen.store.readers.benchmarks import definition_errors, read_benchmark, read_task_sets
from sitegen.store.readers.releases import read_releases

_MAX_NAMED = 5

TableLabels = Mapping[str, Mapping[str, str]]
"""The labels in a table, by axis, then by the task's name in the table."""


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """The columns of a table to copy as labels, and the tasks to label."""

    benchmark: str
    """The id of the benchmark."""
    columns: Sequence[str]
    """The names of the columns that contain labels; each is also the name of an axis."""
    task_set: str | None = None
    """The name of the task set; None if there is only one."""
    replaces: bool = False
    """Whether to replace existing labels that differ."""


@dataclass(slots=True)
class Labelling:
    """The outcome of copying labels from a table."""

    task_set: str
    new_axes: list[str] = field(default_factory=list)
    """The axes that were added to the benchmark."""
    labelled: int = 0
    """The number of tasks whose labels changed."""
    unchanged: int = 0
    """The number of tasks that already had these labels."""
    unlabelled: list[str] = field(default_factory=list)
    """The tasks that the table does not contain, or does not label."""
    unknown: list[str] = field(default_factory=list)
    """The names in the table that do not match a task."""
    locked_axes: list[str] = field(default_factory=list)
    """The labelled axes that the latest release contains; changed labels change its scores."""
    release: date | None = None
    """The day of the latest release that contains the task set."""


def label_tasks(table: Path, folder: Path, request: LabelRequest) -> Labelling:
    """Add labels from a table to the tasks of a set: all labels, or none.

    Args:
        table: A table with a column for the tasks, and a column for each axis.
        folder: The results folder.
        request: The columns to copy and the tasks to label.

    Raises:
        ProblemsError: The definition or the table has errors.
        UsageError: The benchmark or the task set does not exist, or a task already has another
            label.
    """
    benchmark_id = request.benchmark
    home = folder / benchmark_id
    since = snapshot_of(folder)
    if not (home / DEFINITION_FILE).is_file():
        benchmarks = ", ".join(benchmarks_in(folder)) or "none"
        raise UsageError(
            f"there is no benchmark {benchmark_id} in {folder}; its benchmarks are: {benchmarks}"
        )
    reading = read_benchmark(home)
    benchmark = reading.record
    errors = definition_errors(home, reading.problems)
    if benchmark is None or errors:
        raise ProblemsError(errors)
    tasks = _chosen_set(home, benchmark, request.task_set)
    labels = _read_labels(table, request.columns)
    labelling = Labelling(tasks.id)
    changed = _labelled_tasks(tasks, labels, labelling, replaces=request.replaces)
    axes = _with_values(benchmark, labels, labelling)
    _note_release(folder, benchmark_id, tasks.id, set(labels), labelling)
    path = f"{benchmark_id}/{TASKS_FOLDER}/{tasks.id}.jsonl"
    with transaction(folder, since) as changes:
        definition = definition_with_axes(home / DEFINITION_FILE, axes)
        if definition is not None:
            changes.write(benchmark_id, {DEFINITION_FILE: definition})
        if changed:
            changes.write(".", {path: _with_lines((folder / path).read_bytes(), changed)})
    return labelling


def _chosen_set(home: Path, benchmark: Benchmark, name: str | None) -> TaskSet:
    """Return the task set with the given name, or the only task set if no name is given.

    Raises:
        UsageError: There is no such task set, or there are several and no name is given.
    """
    reading = read_task_sets(home, benchmark)
    errors = errors_of(reading.problems)
    if errors:
        raise ProblemsError(errors)
    task_sets = reading.record
    if name is None and len(task_sets) == 1:
        return next(iter(task_sets.values()))
    if name in task_sets:
        return task_sets[name]
    if not task_sets:
        raise UsageError(
            f"{benchmark.id} has no tasks yet: import results first; `sitegen import table` takes "
            "--label, too"
        )
    names = ", ".join(task_sets)
    if name is None:
        raise UsageError(f"{benchmark.id} has several task sets; choose one with --tasks: {names}")
    raise UsageError(f"{benchmark.id} has no task set {name}; choose one with --tasks: {names}")


def _read_labels(table: Path, columns: Sequence[str]) -> TableLabels:
    """Return the labels in a table, by axis and task.

    Raises:
        ProblemsError: The table can't be read.
        UsageError: The table has no column for tasks, or two labels for the same task and axis.
    """
    asked = AskedColumns(labels=tuple(columns))
    labels: dict[str, dict[str, str]] = {}
    for chunk in open_table(table, asked).chunks:
        mapped = map_columns(chunk.names, chunk.columns, asked)
        if "task" not in mapped.numbers:
            names = ", ".join(chunk.names)
            raise UsageError(f"{table.name} has no column for the task, only {names}")
        for axis, number in mapped.labels.items():
            labels_of_axis = labels.setdefault(axis, {})
            for task, label in _pairs(chunk, mapped.numbers["task"], number):
                if labels_of_axis.setdefault(task, label) != label:
                    raise UsageError(
                        f'{table.name} labels {task} "{labels_of_axis[task]}" and "{label}" '
                        f"on {axis}; keep one of the two"
                    )
    return labels


def _pairs(chunk: Chunk, task_column: int, label_column: int) -> Iterator[tuple[str, str]]:
    """Yield each labelled task of a chunk with its label."""
    cells = zip(chunk.columns[task_column], chunk.columns[label_column], strict=True)
    for task, label in cells:
        name = "" if task is None else one_line(str(task))
        text = "" if label is None else one_line(str(label))
        if name and text:
            yield name, text


def _labelled_tasks(
    tasks: TaskSet, labels: TableLabels, labelling: Labelling, *, replaces: bool
) -> dict[str, Task]:
    """Return the tasks whose labels change, by id.

    Raises:
        UsageError: A task already has another label on an axis, and labels must not be replaced.
    """
    changed = {}
    conflicts = []
    used: set[str] = set()
    for task in tasks.tasks:
        names = {task.id, task.name}
        new_labels = {}
        for axis, label_of in labels.items():
            for name in names & label_of.keys():
                new_labels[axis] = label_of[name]
        used |= names
        if not new_labels:
            labelling.unlabelled.append(task.id)
            continue
        for axis, label in new_labels.items():
            if task.labels.get(axis, label) != label:
                conflicts.append(f'{task.id} ("{task.labels[axis]}" on {axis})')
        wanted = {**task.labels, **new_labels}
        if wanted == task.labels:
            labelling.unchanged += 1
        else:
            changed[task.id] = replace(task, labels=wanted)
    if conflicts and not replaces:
        raise UsageError(
            f"tasks have other labels already: {listed(conflicts, _MAX_NAMED)}; "
            "correct the table, or replace them with --replace"
        )
    named = {name for label_of in labels.values() for name in label_of}
    labelling.unknown = sorted(named - used)
    labelling.labelled = len(changed)
    return changed


def _with_values(
    benchmark: Benchmark, labels: TableLabels, labelling: Labelling
) -> dict[str, Axis]:
    """Return the benchmark's axes with added axes, and with added values where axes list them."""
    axes = dict(benchmark.axes)
    for name, label_of in labels.items():
        values = sorted(set(label_of.values()))
        axis = axes.get(name)
        if axis is None:
            axes[name] = Axis(title=title_from_id(name), values=tuple(values))
            labelling.new_axes.append(name)
        elif axis.values:
            new_values = [value for value in values if value not in axis.values]
            axes[name] = axis.model_copy(update={"values": (*axis.values, *new_values)})
    return axes


def _note_release(
    folder: Path, benchmark_id: str, task_set: str, axes: set[str], labelling: Labelling
) -> None:
    """Record the latest release that contains the task set, and which of the axes it contains."""
    releases = read_releases(folder / RELEASES_FOLDER).record
    for release in sorted(releases, key=lambda item: item.date):
        for locked in release.benchmarks:
            if locked.id == benchmark_id and task_set in locked.task_sets:
                labelling.release = release.date
                labelling.locked_axes = sorted(axes & locked.axes.keys())


def _with_lines(content: bytes, tasks: Mapping[str, Task]) -> bytes:
    """Return a task set's file in which only the lines of the given tasks are rewritten."""
    lines = []
    for line in content.splitlines(keepends=True):
        if line.strip():
            task = tasks.get(json.loads(line)["id"])
            if task is not None:
                line = json_lines([task])  # noqa: PLW2901 - the line is replaced
        lines.append(line)
    return b"".join(lines)
