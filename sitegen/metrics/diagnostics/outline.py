"""The rounds of a track in one row, and the groups to which rounds and tasks belong."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.results import TaskResults
from sitegen.models.benchmark import Benchmark
from sitegen.models.task import Task, TaskRound
from sitegen.problems import plural

Counts: TypeAlias = NDArray[np.int64]
"""Counts, in the order of the rounds or groups."""

EARLY_LAST, MIDDLE_LAST = 3, 6
"""Last early round and last middle round: EvoCode-Bench, arXiv:2605.24110v1, appendix G.14."""

PHASES = ("Start", "Early", "Mid", "Late", "Final")
"""The phases of a task, in order; they make tasks of different lengths comparable."""

SHORTEST = 3
"""Minimum number of rounds of a task that has an interior to divide into phases."""

FEWEST_ON_CURVE = 5
"""Minimum number of tasks behind a point of a curve; with fewer, single tasks dominate it."""

FEWEST_ALIKE = 3
"""Minimum number of tasks in a group with the same value of an axis."""

_COHORT = 0.8
"""Share of the tasks that a curve follows; it ends at the last round that this share has."""


def round_phase(number: int, length: int) -> str:
    """Return the phase of its task to which a round belongs.

    The first round is the start and the last round is final. The rounds between them are divided
    into three equal parts; if their number is not divisible by three, the earlier parts have one
    more round.

    Args:
        number: The round's number, from 1.
        length: The configured number of rounds of the task, however many were run.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.2: "Progress phases".
    """
    if number == 1:
        return "Start"
    if number == length:
        return "Final"
    third, remainder = divmod(length - 2, 3)
    last_early = 1 + third + (remainder > 0)
    last_middle = last_early + third + (remainder > 1)
    if number <= last_early:
        return "Early"
    return "Mid" if number <= last_middle else "Late"


def count_axis_values(tasks: Iterable[Task], axis: str) -> Mapping[str, int]:
    """Return how many tasks have each value of an axis, in the order of first appearance."""
    carriers: Counter[str] = Counter()
    for task in tasks:
        if axis in task.labels:
            carriers[task.labels[axis]] += 1
    return carriers


def large_axis_groups(
    tasks: Sequence[Task], axis: str, order: Iterable[str] = ()
) -> dict[str, int]:
    """Return the sizes of the groups on an axis that are large enough.

    The result is empty if only one group is large enough, because there is nothing to compare it
    with.

    Args:
        tasks: The tasks.
        axis: The axis.
        order: Values that come first, in this order.
    """
    sizes = count_axis_values(tasks, axis)
    large = {}
    for value in dict.fromkeys((*order, *sizes)):
        if sizes.get(value, 0) >= FEWEST_ALIKE:
            large[value] = sizes[value]
    return large if len(large) > 1 else {}


def left_out_sentence(tasks: Sequence[Task], groups: Mapping[str, int]) -> str:
    """Return a sentence about the tasks that are in no group; empty if every task is in a group."""
    ungrouped = len(tasks) - sum(groups.values())
    if not groups or not ungrouped:
        return ""
    subject = f"{ungrouped} of the {len(tasks)} tasks"
    if ungrouped > 1:
        return f"{subject} are left out because their groups have fewer than {FEWEST_ALIKE} tasks."
    return f"{subject} is left out because its group has fewer than {FEWEST_ALIKE} tasks."


class GroupLabel(NamedTuple):
    """The label of a group of rounds, and the label that it shares with neighbouring groups."""

    group: str
    label: str


@dataclass(frozen=True, slots=True)
class Grouping:
    """Groups of rounds; a round may belong to several groups or to none."""

    heads: Sequence[GroupLabel]
    """One head per group, in display order."""
    members: Counts
    """1 if a round belongs to a group, else 0, shape (rounds, groups)."""


class Cohort(NamedTuple):
    """The tasks that a curve over rounds follows, the same tasks at every point."""

    last: int
    """The last round that each of these tasks has."""
    tasks: NDArray[np.bool_]
    """Whether a task is in the cohort, shape (tasks,)."""


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class Outline:
    """The rounds of a track in a single row, task after task: the columns of a tally."""

    benchmark: Benchmark
    tasks: Sequence[Task]

    @cached_property
    def rounds(self) -> list[tuple[Task, TaskRound]]:
        """Every round with its task, in the order of the row."""
        rounds = []
        for task in self.tasks:
            for task_round in task.rounds:
                rounds.append((task, task_round))
        return rounds

    @cached_property
    def task_places(self) -> dict[str, int]:
        """Index of each task, by its id."""
        return {task.id: index for index, task in enumerate(self.tasks)}

    @cached_property
    def task_by_round(self) -> Counts:
        """Index of each round's task, shape (rounds,)."""
        lengths = [len(task.rounds) for task in self.tasks]
        return np.repeat(np.arange(len(self.tasks)), lengths)

    @cached_property
    def starts(self) -> dict[str, int]:
        """Column of the first round of each task, by its id."""
        starts = {}
        column = 0
        for task in self.tasks:
            starts[task.id] = column
            column += len(task.rounds)
        return starts

    def places(self, task_results: TaskResults) -> Counts:
        """Return the columns of a task's counted rounds, shape (counted rounds,)."""
        start = self.starts[task_results.task.id]
        rounds = task_results.task.rounds
        if len(task_results.rounds) == len(rounds):
            return np.arange(start, start + len(rounds))
        is_counted = [task_round.n in task_results.rounds for task_round in rounds]
        return start + np.flatnonzero(is_counted)

    @cached_property
    def by_number(self) -> Grouping:
        """Rounds by number."""
        longest = max((len(task.rounds) for task in self.tasks), default=0)
        heads = [GroupLabel("", str(number)) for number in range(1, longest + 1)]

        def list_heads(_: Task, task_round: TaskRound) -> list[GroupLabel]:
            return [GroupLabel("", str(task_round.n))]

        return self._grouping(heads, list_heads)

    @cached_property
    def cohort(self) -> "Cohort | None":
        """The tasks that a curve over rounds follows; None if there are too few tasks."""
        lengths = [len(task.rounds) for task in self.tasks]
        needed = max(FEWEST_ON_CURVE, math.ceil(len(lengths) * _COHORT))
        if len(lengths) < needed:
            return None
        last = sorted(lengths, reverse=True)[needed - 1]
        is_long_enough = np.array(lengths) >= last
        return Cohort(last, is_long_enough)

    @cached_property
    def followed(self) -> Grouping | None:
        """Rounds that the cohort's tasks share, by number; None if there is no cohort."""
        if self.cohort is None:
            return None
        last = self.cohort.last
        is_followed = self.cohort.tasks[self.task_by_round]
        heads = self.by_number.heads[:last]
        members = self.by_number.members * is_followed[:, None]
        return Grouping(heads, members[:, :last])

    @cached_property
    def by_phase(self) -> Grouping:
        """Rounds by phase, according to the configured length of their task."""
        heads = [GroupLabel("", phase) for phase in PHASES]

        def list_heads(task: Task, task_round: TaskRound) -> list[GroupLabel]:
            phase = round_phase(task_round.n, len(task.rounds))
            return [GroupLabel("", phase)]

        return self._grouping(heads, list_heads)

    @cached_property
    def by_label_and_position(self) -> Grouping:
        """Rounds by their position in the task, and then by the kind of change they require."""
        word = self.benchmark.round_word.lower()
        early = f"Early: {plural(word)} 1 to {EARLY_LAST}"
        middle = f"Middle: {plural(word)} {EARLY_LAST + 1} to {MIDDLE_LAST}"
        late = f"Late: {word} {MIDDLE_LAST + 1} and later"

        def list_heads(_: Task, task_round: TaskRound) -> list[GroupLabel]:
            position = late
            if task_round.n <= EARLY_LAST:
                position = early
            elif task_round.n <= MIDDLE_LAST:
                position = middle
            return [GroupLabel(position, label) for label in task_round.labels]

        heads = []
        for position in (early, middle, late):
            for label in self.labels:
                heads.append(GroupLabel(position, label))
        return self._grouping(heads, list_heads)

    @cached_property
    def by_kind(self) -> Grouping:
        """Rounds by the kind of change they require, and by their task's value on each axis."""
        axis_titles = {axis: self.benchmark.axes[axis].title for axis in self.axes}
        heads = [GroupLabel("Label", label) for label in self.labels]
        for axis, title in axis_titles.items():
            heads += [GroupLabel(title, value) for value in self.values(axis)]

        def list_heads(task: Task, task_round: TaskRound) -> list[GroupLabel]:
            round_heads = [GroupLabel("Label", label) for label in task_round.labels]
            for axis, title in axis_titles.items():
                if axis in task.labels:
                    round_heads.append(GroupLabel(title, task.labels[axis]))
            return round_heads

        return self._grouping(heads, list_heads)

    def values(self, axis: str) -> dict[str, int]:
        """Return the sizes of the groups on an axis, in the benchmark's order."""
        return large_axis_groups(self.tasks, axis, self.benchmark.axes[axis].values)

    @property
    def axes(self) -> Iterator[str]:
        """The axes on which tasks differ."""
        return (axis for axis in self.benchmark.axes if self.values(axis))

    @cached_property
    def labels(self) -> list[str]:
        """Every label of a round, the most frequent first."""
        counts: Counter[str] = Counter()
        for _, task_round in self.rounds:
            counts.update(task_round.labels)
        return sorted(counts, key=lambda label: (-counts[label], label))

    def _grouping(
        self,
        heads: Sequence[GroupLabel],
        list_heads: Callable[[Task, TaskRound], Collection[GroupLabel]],
    ) -> Grouping:
        """Return the grouping of the rounds by the heads that `list_heads` returns."""
        column_by_head = {head: column for column, head in enumerate(heads)}
        members = np.zeros((len(self.rounds), len(heads)), dtype=np.int64)
        for row, (task, task_round) in enumerate(self.rounds):
            for head in list_heads(task, task_round):
                column = column_by_head.get(head)
                if column is not None:
                    members[row, column] = 1
        return Grouping(heads, members)
