"""A task: one project that an agent works on, round by round."""

import hashlib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from sitegen.models.addresses import WebAddress
from sitegen.models.record import CLOSED, Position, Slug


@dataclass(frozen=True, slots=True, config=CLOSED)
class Case:
    """One check in a round."""

    id: str
    """Name of the check; unique within its round."""
    category: str | None = None
    """Kind of check, such as core, error or regression."""
    requirement: str | None = None
    """The requirement that it checks."""
    origin: str | None = None
    """The place where the case was introduced, such as an earlier round."""


@dataclass(frozen=True, slots=True, config=CLOSED)
class TaskRound:
    """One request of a task and its checks, as the benchmark defines them."""

    n: Position
    """The number of the round in the task, from 1."""
    title: str = ""
    labels: tuple[str, ...] = ()
    """The kinds of change that it asks for, such as extension, correction or conflict."""
    weight: Annotated[float, Field(ge=1e-9, le=1e9)] = 1.0
    """Its share of the task's score, before weights are scaled to add up to 1."""
    cases: tuple[Case, ...] | None = None
    """The checks, in the order that `outcomes` uses; None if the benchmark does not list them."""
    instruction: str | None = None
    """The text of the request, if the benchmark's licence allows it to be shown."""


@dataclass(frozen=True, slots=True, config=CLOSED)
class Task:
    """One project that an agent works on, round by round: a line of a task set.

    Raises a pydantic error if a value is invalid, such as an id that is not a slug.
    """

    id: Slug
    rounds: Annotated[tuple[TaskRound, ...], Field(min_length=1)]
    """All rounds, in order."""
    title: str = ""
    """The title that readers see; the id if it is empty."""
    labels: dict[str, str] = field(default_factory=dict)
    """Its value on each axis of the benchmark."""
    url: WebAddress | None = None
    """The address of the task itself."""
    digest: str | None = None
    """Checksum of the task, as stated by the runner."""
    weight: Annotated[float, Field(ge=1e-9, le=1e9)] = 1.0
    """The weight of the task, if a metric weighs tasks."""
    private: bool | Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")] = False
    """Whether sites withhold its title and texts and number its cases: for good, or until a day.
    Its id remains visible."""

    @property
    def name(self) -> str:
        """The name that readers see."""
        return self.title or self.id


SHORTEST = 7
"""Minimum number of digits of an identifying digest, such as an abbreviated commit."""


def _plain_digest(digest: str | None) -> str:
    """Return a digest in lower case, without the name of its algorithm; empty for None."""
    return (digest or "").lower().removeprefix("sha256:")


@dataclass(frozen=True, slots=True)
class LabelFilter:
    """Accepts the tasks whose label on an axis is one of several values."""

    axis: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        """Return the filter as AXIS:VALUE,VALUE."""
        return f"{self.axis}:{','.join(self.values)}"

    def accepts(self, task: Task) -> bool:
        """Return whether a task has one of the values."""
        return task.labels.get(self.axis) in self.values


@dataclass(frozen=True, slots=True)
class TaskSelection:
    """The selection of some of a track's tasks."""

    filters: tuple[LabelFilter, ...]
    """The filters; a selected task passes all of them."""
    total: int
    """The number of tasks in the full task set."""


@dataclass(frozen=True, slots=True)
class TaskSet:
    """The tasks that a track scores, in display order."""

    id: str
    tasks: tuple[Task, ...]
    selection: TaskSelection | None = None
    """The selection from the full task set; None if all of its tasks are included."""
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Line of each task in its file, from 1, by the task's id; empty if there is no file."""

    @property
    def total(self) -> int:
        """The number of tasks in the full task set."""
        if self.selection:
            return self.selection.total
        return len(self.tasks)

    @property
    def rounds(self) -> int:
        """The number of rounds of all tasks."""
        return sum(len(task.rounds) for task in self.tasks)

    @property
    def is_of_one_round(self) -> bool:
        """Whether every task has a single round, so that pages need not mention rounds."""
        return all(len(task.rounds) == 1 for task in self.tasks)

    def numbered_tasks(self) -> Iterator[tuple[int, Task]]:
        """Yield each task with its line; if there is no file, tasks are counted from 1."""
        for position, task in enumerate(self.tasks, start=1):
            yield self.lines.get(task.id, position), task

    @property
    def digest(self) -> str | None:
        """The checksum of all tasks; None if a task has no checksum.

        It is the checksum that all tasks share, or the SHA-256 over sorted lines `TASK DIGEST`.
        """
        digests = {task.id: task.digest for task in self.tasks}
        if not digests or not all(digests.values()):
            return None
        distinct_digests = set(digests.values())
        if len(distinct_digests) == 1:
            return distinct_digests.pop()
        lines = sorted(f"{task} {digest}\n" for task, digest in digests.items())
        return f"sha256:{hashlib.sha256(''.join(lines).encode()).hexdigest()}"

    def goes_by(self, digest: str) -> bool:
        """Return whether a digest identifies these tasks.

        It may be the digest of all tasks, or a text that every task's digest contains, such as a
        commit.
        """
        plain = _plain_digest(digest)
        if plain == _plain_digest(self.digest):
            return True
        if len(plain) < SHORTEST:
            return False
        return all(plain in (task.digest or "").lower() for task in self.tasks)

    def without(self, left_out: Container[tuple[str, int]]) -> "TaskSet":
        """Return the task set without some rounds, and without tasks that then have no rounds.

        Args:
            left_out: Rounds by task id and number.
        """
        tasks = []
        for task in self.tasks:
            rounds = [item for item in task.rounds if (task.id, item.n) not in left_out]
            if rounds:
                tasks.append(replace(task, rounds=tuple(rounds)))
        return replace(self, tasks=tuple(tasks))

    def select(self, filters: Sequence[LabelFilter]) -> "TaskSet":
        """Return the tasks that pass every filter; the same object if all tasks do."""
        selected = self.tasks
        for label_filter in filters:
            selected = tuple(task for task in selected if label_filter.accepts(task))
        if len(selected) == len(self.tasks):
            return self
        return replace(self, tasks=selected, selection=TaskSelection(tuple(filters), self.total))

    def case_names(self) -> dict[tuple[str, int], tuple[str, ...]]:
        """Return the case names of each round that lists its cases, by task id and round number."""
        names = {}
        for task in self.tasks:
            for task_round in task.rounds:
                if task_round.cases:
                    case_ids = tuple(case.id for case in task_round.cases)
                    names[task.id, task_round.n] = case_ids
        return names

    def by_id(self) -> dict[str, Task]:
        """Return the tasks by id."""
        return {task.id: task for task in self.tasks}
