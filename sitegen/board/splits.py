"""A board's headline score on parts of the tasks: one column for each value of an axis."""

from collections.abc import Mapping, Sequence
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
    """The tasks that carry one value of an axis."""

    value: str
    tasks: int | None
    """How many tasks carry it; None where the task set is not known."""
    scores: Mapping[str, Score]
    """The headline score on them, by row; a row that has none is left out."""


@dataclass(frozen=True, slots=True)
class Split:
    """A board's headline score by one axis."""

    axis: str
    title: str
    """What readers see."""
    groups: Sequence[Group]
    """In the benchmark's order of the axis' values; only those that are large enough to tell something, as far as
    their tasks are known, and that some row has a score on."""
    errata: Sequence[Erratum] = ()
    """What is known to be wrong with reported figures of this split."""
    left_out: str = ""
    """How many tasks are in none of the groups, in a sentence; empty where there is none."""


def splits_of(
    benchmark: Benchmark, track: Track, tasks: TaskSet, metric: Metric, entries: Sequence[Entry]
) -> tuple[Split, ...]:
    """Split a metric of every row by the axes that are the track's groupings.

    A value that no row has a score on is left out, and so is one that too few tasks carry; what a table alone prints
    stays as printed.
    """
    tables = {entry.table.title: entry.table for entry in entries if entry.table}
    found = []
    for name in track.groupings:
        axis = benchmark.axes.get(name, Axis(title=name))
        known = groups_of(tasks.tasks, name, axis.values)
        small = carriers_of(tasks.tasks, name).keys() - set(known)
        printed = chain.from_iterable(entry.printed_groups(metric.id, name) for entry in entries)
        groups = []
        for value in dict.fromkeys((*axis.values, *known, *printed)):
            scores = ((entry.id, _score(metric, entry, name, value, track)) for entry in entries)
            groups.append(
                Group(value, known.get(value), {row: score for row, score in scores if score})
            )
        told = [group for group in groups if group.scores and group.value not in small]
        errata = [each for table in tables.values() for each in table.errata if name in each.axes]
        found.append(Split(name, axis.title, told, errata, left_out(tasks.tasks, known)))
    return tuple(split for split in found if split.groups)


def _score(metric: Metric, entry: Entry, axis: str, value: str, track: Track) -> Score | None:
    """Score a row on the tasks that carry a value of an axis; None where it has nothing on them."""
    if entry.sheet:
        part = [grid for grid in entry.sheet.tasks if grid.task.labels.get(axis) == value]
        return recomputed_score(metric, replace(entry.sheet, tasks=part)) if part else None
    figure = entry.printed_groups(metric.id, axis).get(value)
    return reported_score(metric, figure, track) if figure else None
