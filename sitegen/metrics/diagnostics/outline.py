"""The rounds of a track in one row, and the groups that they fall into."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.diagnostics.phases import PHASES, phase_of
from sitegen.metrics.grids import TaskGrid
from sitegen.metrics.groups import groups_of
from sitegen.models.benchmark import Benchmark
from sitegen.models.task import Task, TaskRound

Counts: TypeAlias = NDArray[np.int64]
"""How many of something, in the order of the rounds or of groups."""

EARLY_LAST, MIDDLE_LAST = 3, 6
"""Rounds 1 to 3 are early, 4 to 6 in the middle, later ones late: EvoCode-Bench, arXiv:2605.24110v1, G.14."""


FEWEST = 5
"""Tasks that a point of a curve is over: fewer tell of themselves more than of their round."""

_COHORT = 0.8
"""Share of the tasks that a curve over rounds follows: it ends where fewer have a further round."""


class Head(NamedTuple):
    """Names a group of rounds: what it has in common with its neighbours, and what is its own."""

    group: str
    label: str


@dataclass(frozen=True, slots=True)
class Grouping:
    """Groups that rounds fall into; a round may be in several or in none.

    Attributes:
        heads: One a group, in the order that they are shown.
        members: 1 where a round belongs to a group, shape (rounds, groups).
    """

    heads: Sequence[Head]
    members: Counts


class Cohort(NamedTuple):
    """The tasks that a curve over rounds follows, so that all of its points are over the same ones.

    Attributes:
        last: The last round that each of them has.
        tasks: Whether a task is one of them, shape (tasks,).
    """

    last: int
    tasks: NDArray[np.bool_]


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
    def _starts(self) -> dict[str, int]:
        lengths = [len(task.rounds) for task in self.tasks]
        return {
            task.id: end - length for task, end, length in zip(self.tasks, np.cumsum(lengths), lengths, strict=True)
        }

    def places(self, grid: TaskGrid) -> Counts:
        """Give the places in the row of the rounds that count of a task, shape (counted rounds,)."""
        start, rounds = self._starts[grid.task.id], grid.task.rounds
        if len(grid.rounds) == len(rounds):
            return np.arange(start, start + len(rounds))
        counted = set(grid.rounds)
        return np.array([start + place for place, each in enumerate(rounds) if each.n in counted], dtype=np.int64)

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
        last, members = self.cohort.last, self.by_number.members * self.cohort.tasks[self.task_of][:, None]
        return Grouping(self.by_number.heads[:last], members[:, :last])

    @cached_property
    def by_phase(self) -> Grouping:
        """Rounds by the phase of their task, binned by its configured length."""
        heads = [Head("", phase) for phase in PHASES]
        return self._grouping(heads, lambda task, each: [Head("", phase_of(each.n, len(task.rounds)))])

    @cached_property
    def by_label_and_position(self) -> Grouping:
        """Rounds by where they stand in their task, and then by what kind of change they ask for."""
        word = self.benchmark.round_name.lower()
        positions = _positions(word)
        heads = [Head(position, label) for position in positions for label in self._labels]
        return self._grouping(heads, lambda _, each: [Head(positions[_position(each.n)], one) for one in each.labels])

    @cached_property
    def by_kind(self) -> Grouping:
        """Rounds by what kind of change they ask for, and by what their task has on each axis."""
        axes = {axis: self.benchmark.axes[axis].title for axis in self.axes}
        heads = [Head("Label", label) for label in self._labels]
        heads += [Head(title, value) for axis, title in axes.items() for value in self.values(axis)]

        def heads_of(task: Task, each: TaskRound) -> list[Head]:
            own = [Head("Label", label) for label in each.labels]
            return own + [Head(title, task.labels[axis]) for axis, title in axes.items() if axis in task.labels]

        return self._grouping(heads, heads_of)

    def values(self, axis: str) -> dict[str, int]:
        """Count the tasks of each group on an axis, in the benchmark's order."""
        return groups_of(self.tasks, axis, self.benchmark.axes[axis].values)

    @property
    def axes(self) -> Iterator[str]:
        """The axes that tell tasks apart."""
        return (axis for axis in self.benchmark.axes if self.values(axis))

    @cached_property
    def _labels(self) -> list[str]:
        """Every label of a round, the most frequent first."""
        often = Counter(label for _, each in self.rounds for label in each.labels)
        return sorted(often, key=lambda label: (-often[label], label))

    def _grouping(self, heads: Sequence[Head], heads_of: Callable[[Task, TaskRound], Collection[Head]]) -> Grouping:
        place = {head: index for index, head in enumerate(heads)}
        members = np.zeros((len(self.rounds), len(heads)), dtype=np.int64)
        for row, (task, each) in enumerate(self.rounds):
            for head in heads_of(task, each):
                if head in place:
                    members[row, place[head]] = 1
        return Grouping(heads, members)


def _positions(word: str) -> list[str]:
    return [
        f"Early: {word}s 1 to {EARLY_LAST}",
        f"Middle: {word}s {EARLY_LAST + 1} to {MIDDLE_LAST}",
        f"Late: {word} {MIDDLE_LAST + 1} and later",
    ]


def _position(number: int) -> int:
    """Tell whether a round is early (0), in the middle (1) or late (2)."""
    return (number > EARLY_LAST) + (number > MIDDLE_LAST)
