"""The rounds of a track in one row, and the groups that rounds and tasks fall into."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.grids import TaskGrid
from sitegen.models.benchmark import Benchmark
from sitegen.models.task import Task, TaskRound

Counts: TypeAlias = NDArray[np.int64]
"""How many of something, in the order of the rounds or of groups."""

EARLY_LAST, MIDDLE_LAST = 3, 6
"""Rounds 1 to 3 are early, 4 to 6 in the middle, later ones late: EvoCode-Bench, arXiv:2605.24110v1, G.14."""

PHASES = ("Start", "Early", "Mid", "Late", "Final")
"""The phases of a task, in order, which make tasks of different lengths comparable."""

SHORTEST = 3
"""Rounds of the shortest task that has an interior to divide into phases."""

FEWEST = 5
"""Tasks that a point of a curve is over: fewer tell of themselves more than of their round."""

FEWEST_ALIKE = 3
"""Tasks of the smallest group that shares a value of an axis: one or two tell of themselves."""

_COHORT = 0.8
"""Share of the tasks that a curve over rounds follows: it ends where fewer have a further round."""


def phase_of(number: int, length: int) -> str:
    """Which phase of its task a round belongs to.

    The first round is the start and the last one is final. The others are divided into three parts of equal size; what
    is left over goes to the earlier parts, one each. The length counts the rounds that the task is configured to have,
    however many were run.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.2: "Progress phases".
    """
    if number == 1:
        return "Start"
    if number == length:
        return "Final"
    part, left = divmod(length - 2, 3)
    early = part + (left > 0)
    middle = early + part + (left > 1)
    return "Early" if number - 1 <= early else "Mid" if number - 1 <= middle else "Late"


def carriers_of(tasks: Iterable[Task], axis: str) -> Mapping[str, int]:
    """Count the tasks that carry each value of an axis, in the order of their first appearance."""
    return Counter(task.labels[axis] for task in tasks if axis in task.labels)


def groups_of(tasks: Sequence[Task], axis: str, order: Iterable[str] = ()) -> dict[str, int]:
    """Count the tasks of each group on an axis that is large enough, some values first, in their order.

    There is none where only one is large enough: it would compare with nothing.
    """
    carriers = carriers_of(tasks, axis)
    values = dict.fromkeys((*order, *carriers))
    large = {value: carriers[value] for value in values if carriers.get(value, 0) >= FEWEST_ALIKE}
    return large if len(large) > 1 else {}


def left_out(tasks: Sequence[Task], groups: Mapping[str, int]) -> str:
    """Say how many tasks are in none of some groups; empty where there is none."""
    left = len(tasks) - sum(groups.values())
    verb = "is" if left == 1 else "are"
    return (
        f"{left} of {len(tasks)} tasks {verb} in no group of at least {FEWEST_ALIKE}."
        if groups and left
        else ""
    )


class Head(NamedTuple):
    """Names a group of rounds: what it has in common with its neighbours, and what is its own."""

    group: str
    label: str


@dataclass(frozen=True, slots=True)
class Grouping:
    """Groups that rounds fall into; a round may be in several or in none."""

    heads: Sequence[Head]
    """One a group, in the order that they are shown."""
    members: Counts
    """1 where a round belongs to a group, shape (rounds, groups)."""


class Cohort(NamedTuple):
    """The tasks that a curve over rounds follows, so that all of its points are over the same ones."""

    last: int
    """The last round that each of them has."""
    tasks: NDArray[np.bool_]
    """Whether a task is one of them, shape (tasks,)."""


@dataclass(frozen=True)  # no slots: groupings are found once and stay
class Outline:
    """The rounds of a track in one row, task after task: what the columns of a tally stand for."""

    benchmark: Benchmark
    tasks: Sequence[Task]

    @cached_property
    def rounds(self) -> list[tuple[Task, TaskRound]]:
        """Every round with its task, in the order of the row."""
        return [(task, each) for task in self.tasks for each in task.rounds]

    @cached_property
    def task_places(self) -> dict[str, int]:
        """Place of each task, from 0, by its id."""
        return {task.id: place for place, task in enumerate(self.tasks)}

    @cached_property
    def task_of(self) -> Counts:
        """Place of each round's task, shape (rounds,)."""
        return np.repeat(np.arange(len(self.tasks)), [len(task.rounds) for task in self.tasks])

    @cached_property
    def starts(self) -> dict[str, int]:
        """Place in the row of the first round of each task, by its id."""
        lengths = [len(task.rounds) for task in self.tasks]
        ends = np.cumsum(lengths)
        return {
            task.id: end - length
            for task, end, length in zip(self.tasks, ends, lengths, strict=True)
        }

    def places(self, grid: TaskGrid) -> Counts:
        """The places in the row of the rounds that count of a task, shape (counted rounds,)."""
        start, rounds = self.starts[grid.task.id], grid.task.rounds
        if len(grid.rounds) == len(rounds):
            return np.arange(start, start + len(rounds))
        counted = set(grid.rounds)
        return np.array(
            [start + place for place, each in enumerate(rounds) if each.n in counted],
            dtype=np.int64,
        )

    @cached_property
    def by_number(self) -> Grouping:
        """Rounds by their number."""
        longest = max((len(task.rounds) for task in self.tasks), default=0)
        heads = [Head("", str(number)) for number in range(1, longest + 1)]
        return self._grouping(heads, lambda _, each: [Head("", str(each.n))])

    @cached_property
    def cohort(self) -> "Cohort | None":
        """The tasks that a curve over rounds follows; None where there are too few tasks to follow any."""
        lengths = [len(task.rounds) for task in self.tasks]
        needed = max(FEWEST, math.ceil(len(lengths) * _COHORT))
        if len(lengths) < needed:
            return None
        last = sorted(lengths, reverse=True)[needed - 1]
        return Cohort(last, np.array([length >= last for length in lengths], dtype=np.bool_))

    @cached_property
    def followed(self) -> Grouping | None:
        """Rounds that the cohort's tasks have in common, by their number; None where there is no cohort."""
        if self.cohort is None:
            return None
        last, members = (
            self.cohort.last,
            self.by_number.members * self.cohort.tasks[self.task_of][:, None],
        )
        return Grouping(self.by_number.heads[:last], members[:, :last])

    @cached_property
    def by_phase(self) -> Grouping:
        """Rounds by the phase of their task, binned by its configured length."""
        heads = [Head("", phase) for phase in PHASES]
        return self._grouping(
            heads, lambda task, each: [Head("", phase_of(each.n, len(task.rounds)))]
        )

    @cached_property
    def by_label_and_position(self) -> Grouping:
        """Rounds by where they stand in their task, and then by what kind of change they ask for."""
        word = self.benchmark.round_word.lower()
        positions = (
            f"Early: {word}s 1 to {EARLY_LAST}",
            f"Middle: {word}s {EARLY_LAST + 1} to {MIDDLE_LAST}",
            f"Late: {word} {MIDDLE_LAST + 1} and later",
        )

        def heads_of(_: Task, each: TaskRound) -> list[Head]:
            position = positions[(each.n > EARLY_LAST) + (each.n > MIDDLE_LAST)]
            return [Head(position, label) for label in each.labels]

        return self._grouping(
            [Head(position, label) for position in positions for label in self.labels], heads_of
        )

    @cached_property
    def by_kind(self) -> Grouping:
        """Rounds by what kind of change they ask for, and by what their task has on each axis."""
        axes = {axis: self.benchmark.axes[axis].title for axis in self.axes}
        heads = [Head("Label", label) for label in self.labels]
        heads += [Head(title, value) for axis, title in axes.items() for value in self.values(axis)]

        def heads_of(task: Task, each: TaskRound) -> list[Head]:
            own = [Head("Label", label) for label in each.labels]
            return own + [
                Head(title, task.labels[axis])
                for axis, title in axes.items()
                if axis in task.labels
            ]

        return self._grouping(heads, heads_of)

    def values(self, axis: str) -> dict[str, int]:
        """Count the tasks of each group on an axis, in the benchmark's order."""
        return groups_of(self.tasks, axis, self.benchmark.axes[axis].values)

    @property
    def axes(self) -> Iterator[str]:
        """The axes that tell tasks apart."""
        return (axis for axis in self.benchmark.axes if self.values(axis))

    @cached_property
    def labels(self) -> list[str]:
        """Every label of a round, the most frequent first."""
        often = Counter(label for _, each in self.rounds for label in each.labels)
        return sorted(often, key=lambda label: (-often[label], label))

    def _grouping(
        self, heads: Sequence[Head], heads_of: Callable[[Task, TaskRound], Collection[Head]]
    ) -> Grouping:
        place = {head: index for index, head in enumerate(heads)}
        members = np.zeros((len(self.rounds), len(heads)), dtype=np.int64)
        for row, (task, each) in enumerate(self.rounds):
            members[row, [place[head] for head in heads_of(task, each) if head in place]] = 1
        return Grouping(heads, members)
