"""A board's headline score on groups of the tasks: one group for each value of an axis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sitegen.board.entry import Entry, recomputed_score, reported_score
from sitegen.board.score import Score
from sitegen.metrics.diagnostics.outline import (
    count_axis_values,
    large_axis_groups,
    left_out_sentence,
)
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Axis, Benchmark, Track
from sitegen.models.reported import Erratum
from sitegen.models.task import TaskSet


@dataclass(frozen=True, slots=True)
class Group:
    """The tasks that have one value of an axis, with the scores on them."""

    value: str
    tasks: int | None
    """The number of tasks with this value; None if no task has it."""
    scores: Mapping[str, Score]
    """The headline score on these tasks, by row id; rows without a score are left out."""


@dataclass(frozen=True, slots=True)
class Split:
    """A board's headline score on the groups of one axis."""

    axis: str
    title: str
    """The title of the axis on pages."""
    groups: Sequence[Group]
    """The groups in the benchmark's order, excluding groups with too few tasks or no score."""
    errata: Sequence[Erratum] = ()
    """Known errors of reported figures of this split."""
    left_out: str = ""
    """A sentence that says how many tasks are in no group; empty if every task is in a group."""


def make_splits(
    benchmark: Benchmark, track: Track, tasks: TaskSet, metric: Metric, entries: Sequence[Entry]
) -> tuple[Split, ...]:
    """Return the scores of every row by group, with a split for each of the track's groupings.

    Values without any score or with too few tasks are left out. A reported row has the figures that
    its table publishes.
    """
    tables_by_identity = {}
    for entry in entries:
        if entry.table_line:
            table = entry.table_line.table
            tables_by_identity[id(table)] = table
    splits = []
    for axis_id in track.groupings:
        axis = benchmark.axes.get(axis_id, Axis(title=axis_id))
        sizes = large_axis_groups(tasks.tasks, axis_id, axis.values)
        too_small = count_axis_values(tasks.tasks, axis_id).keys() - set(sizes)
        values = dict.fromkeys((*axis.values, *sizes))
        for entry in entries:
            values |= dict.fromkeys(entry.printed_groups(metric.id, axis_id))
        groups = []
        for value in values:
            scored = {}
            for entry in entries:
                score = _score(metric, entry, axis_id, value, track)
                if score:
                    scored[entry.id] = score
            if scored and value not in too_small:
                groups.append(Group(value, sizes.get(value), scored))
        if groups:
            errata: list[Erratum] = []
            for table in tables_by_identity.values():
                errata += [erratum for erratum in table.errata if axis_id in erratum.axes]
            splits.append(
                Split(axis_id, axis.title, groups, errata, left_out_sentence(tasks.tasks, sizes))
            )
    return tuple(splits)


def _score(metric: Metric, entry: Entry, axis: str, value: str, track: Track) -> Score | None:
    """Return a row's score on the tasks with a value of an axis; None if it has no results."""
    if entry.submission_results:
        tasks_of_value = [
            task_results
            for task_results in entry.submission_results.tasks
            if task_results.task.labels.get(axis) == value
        ]
        if not tasks_of_value:
            return None
        return recomputed_score(metric, replace(entry.submission_results, tasks=tasks_of_value))
    figure = entry.printed_groups(metric.id, axis).get(value)
    if not figure:
        return None
    return reported_score(metric, figure, track)
