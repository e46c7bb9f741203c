"""A board's headline score on parts of the tasks: one column for each value of an axis."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sitegen.board.entry import Entry, recomputed_score, reported_score
from sitegen.board.score import Score
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.reported import Erratum
from sitegen.models.task import TaskSet


@dataclass(frozen=True, slots=True)
class Group:
    """The tasks that carry one value of an axis.

    Attributes:
        value: The value.
        tasks: How many tasks carry it; None where the task set is not known.
        scores: The headline score on them, by row; a row that has none is left out.
    """

    value: str
    tasks: int | None
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Split:
    """A board's headline score by one axis.

    Attributes:
        axis: The axis' key.
        title: What readers see.
        groups: In the benchmark's order of the axis' values; only those that some row has a score on.
        errata: What is known to be wrong with reported figures of this split.
    """

    axis: str
    title: str
    groups: Sequence[Group]
    errata: Sequence[Erratum] = ()


def splits_of(
    benchmark: Benchmark, track: Track, tasks: TaskSet, metric: Metric, entries: Sequence[Entry]
) -> tuple[Split, ...]:
    """Split a metric of every row by the track's groupings.

    Args:
        benchmark: Names the axes and the order of their values.
        track: Its `groupings` are the axes to split by.
        tasks: The track's task set.
        metric: The metric to split.
        entries: The rows.
    """
    found = (_split(benchmark, axis, tasks, metric, entries) for axis in track.groupings)
    return tuple(split for split in found if split.groups)


def _split(benchmark: Benchmark, axis: str, tasks: TaskSet, metric: Metric, entries: Sequence[Entry]) -> Split:
    known = benchmark.axes.get(axis)
    groups = []
    for value in _values(axis, known.values if known else (), tasks, metric, entries):
        scored = ((entry.id, _score(entry, axis, value, metric)) for entry in entries)
        scores = {name: score for name, score in scored if score}
        carrying = sum(task.labels.get(axis) == value for task in tasks.tasks)
        if scores:
            groups.append(Group(value, carrying or None, scores))
    tables = {entry.table.title: entry.table for entry in entries if entry.table}
    errata = [erratum for table in tables.values() for erratum in table.errata if axis in erratum.axes]
    return Split(axis, known.title if known else axis, groups, errata)


def _values(axis: str, named: Sequence[str], tasks: TaskSet, metric: Metric, entries: Sequence[Entry]) -> Iterator[str]:
    """Give the axis' values: those that the benchmark names, then others that tasks or tables have."""
    carried = [task.labels[axis] for task in tasks.tasks if axis in task.labels]
    printed = [value for entry in entries for value in entry.printed_groups(metric.id, axis)]
    yield from dict.fromkeys((*named, *carried, *printed))


def _score(entry: Entry, axis: str, value: str, metric: Metric) -> Score | None:
    if entry.sheet:
        part = [grid for grid in entry.sheet.tasks if grid.task.labels.get(axis) == value]
        return recomputed_score(metric, replace(entry.sheet, tasks=part)) if part else None
    figure = entry.printed_groups(metric.id, axis).get(value)
    return reported_score(metric, figure) if figure else None
