"""A board's headline score on parts of the tasks: one column for each value of an axis."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from sitegen.board.entry import Entry, recomputed_score, reported_score
from sitegen.board.score import Score
from sitegen.metrics.diagnostics.outline import carriers_of, groups_of, left_out
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
        groups: In the benchmark's order of the axis' values; only those that are large enough to tell something, as
            far as their tasks are known, and that some row has a score on.
        errata: What is known to be wrong with reported figures of this split.
        left_out: How many tasks are in none of the groups, in a sentence; empty where there is none.
    """

    axis: str
    title: str
    groups: Sequence[Group]
    errata: Sequence[Erratum] = ()
    left_out: str = ""


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
    splitter = _Splitter(benchmark, track, tasks, metric, entries)
    found = map(splitter.split, track.groupings)
    return tuple(split for split in found if split.groups)


@dataclass(frozen=True, slots=True)
class _Splitter:
    """The rows of a board, to be split by one axis after the other."""

    benchmark: Benchmark
    track: Track
    tasks: TaskSet
    metric: Metric
    entries: Sequence[Entry]

    def split(self, name: str) -> Split:
        """Split by an axis; a value that no row has a score on is left out, and so is one of too few tasks."""
        axis = self.benchmark.axes.get(name, Axis(title=name))
        known = groups_of(self.tasks.tasks, name, axis.values)
        groups = (self._group(name, value, known.get(value)) for value in self._values(name, axis, known))
        found = [group for group in groups if group.scores]
        return Split(name, axis.title, found, list(self._errata(name)), left_out(self.tasks.tasks, known))

    def _group(self, axis: str, value: str, tasks: int | None) -> Group:
        scored = ((entry.id, self._score(entry, axis, value)) for entry in self.entries)
        return Group(value, tasks, {name: score for name, score in scored if score})

    def _values(self, name: str, axis: Axis, known: Iterable[str]) -> Iterable[str]:
        """Give the axis' values: those that the benchmark names, then others that tasks or tables have.

        Of those that tasks carry, only groups that are large enough; what a table alone prints stays as printed.
        """
        printed = chain.from_iterable(entry.printed_groups(self.metric.id, name) for entry in self.entries)
        small = carriers_of(self.tasks.tasks, name).keys() - set(known)
        return dict.fromkeys(value for value in (*axis.values, *known, *printed) if value not in small)

    def _score(self, entry: Entry, axis: str, value: str) -> Score | None:
        if entry.sheet:
            part = [grid for grid in entry.sheet.tasks if grid.task.labels.get(axis) == value]
            return recomputed_score(self.metric, replace(entry.sheet, tasks=part)) if part else None
        figure = entry.printed_groups(self.metric.id, axis).get(value)
        return reported_score(self.metric, figure, self.track) if figure else None

    def _errata(self, axis: str) -> Iterator[Erratum]:
        """Give the errata about an axis, of every table that a row comes from."""
        tables = {entry.table.title: entry.table for entry in self.entries if entry.table}
        for table in tables.values():
            yield from (erratum for erratum in table.errata if axis in erratum.axes)
