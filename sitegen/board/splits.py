"""A board's headline score on parts of the tasks: one column for each value of an axis."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from sitegen.board.entry import Entry, recomputed_score, reported_score
from sitegen.board.score import Score
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Axis, Benchmark, Track
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
    splitter = _Splitter(benchmark, tasks, metric, entries)
    found = map(splitter.split, track.groupings)
    return tuple(split for split in found if split.groups)


@dataclass(frozen=True, slots=True)
class _Splitter:
    """The rows of a board, to be split by one axis after the other."""

    benchmark: Benchmark
    tasks: TaskSet
    metric: Metric
    entries: Sequence[Entry]

    def split(self, name: str) -> Split:
        """Split by an axis; a value that no row has a score on is left out."""
        axis = self.benchmark.axes.get(name, Axis(title=name))
        groups = (self._group(name, value) for value in self._values(name, axis))
        return Split(name, axis.title, [group for group in groups if group.scores], list(self._errata(name)))

    def _group(self, axis: str, value: str) -> Group:
        scored = ((entry.id, self._score(entry, axis, value)) for entry in self.entries)
        carrying = sum(task.labels.get(axis) == value for task in self.tasks.tasks)
        return Group(value, carrying or None, {name: score for name, score in scored if score})

    def _values(self, name: str, axis: Axis) -> Iterable[str]:
        """Give the axis' values: those that the benchmark names, then others that tasks or tables have."""
        carried = (task.labels[name] for task in self.tasks.tasks if name in task.labels)
        printed = chain.from_iterable(entry.printed_groups(self.metric.id, name) for entry in self.entries)
        return dict.fromkeys((*axis.values, *carried, *printed))

    def _score(self, entry: Entry, axis: str, value: str) -> Score | None:
        if entry.sheet:
            part = [grid for grid in entry.sheet.tasks if grid.task.labels.get(axis) == value]
            return recomputed_score(self.metric, replace(entry.sheet, tasks=part)) if part else None
        figure = entry.printed_groups(self.metric.id, axis).get(value)
        return reported_score(self.metric, figure) if figure else None

    def _errata(self, axis: str) -> Iterator[Erratum]:
        """Give the errata about an axis, of every table that a row comes from."""
        tables = {entry.table.title: entry.table for entry in self.entries if entry.table}
        for table in tables.values():
            yield from (erratum for erratum in table.errata if axis in erratum.axes)
