"""A task: one project that an agent carries through its rounds."""

import hashlib
from collections.abc import Container
from dataclasses import field, replace
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from sitegen.models.addresses import WebAddress
from sitegen.models.record import CLOSED, Position, Slug


@dataclass(frozen=True, slots=True, config=CLOSED)
class Case:
    """One check inside a round."""

    id: str
    """Name of the check; unique within its round."""
    category: str | None = None
    """Kind of check, such as core, error or regression."""
    requirement: str | None = None
    """The requirement that it checks."""
    origin: str | None = None
    """Where it was introduced, such as an earlier round."""


@dataclass(frozen=True, slots=True, config=CLOSED)
class TaskRound:
    """One request of a task and its check, as the benchmark defines it."""

    n: Position
    """Position in the task, from 1."""
    title: str = ""
    labels: tuple[str, ...] = ()
    """What kind of change it asks for, such as extension, correction or conflict."""
    weight: Annotated[float, Field(ge=1e-9, le=1e9)] = 1.0
    """Share of the task's score that it decides, before weights are made to add up to 1."""
    cases: tuple[Case, ...] | None = None
    """The checks, in the order that `outcomes` uses; None where the benchmark does not list them."""
    instruction: str | None = None
    """The request's text, where the benchmark's licence lets it be shown."""


@dataclass(frozen=True, slots=True, config=CLOSED)
class Task:
    """One project that an agent carries through its rounds: a line of a task set. Raises where an id is none."""

    id: Slug
    rounds: Annotated[tuple[TaskRound, ...], Field(min_length=1)]
    """Every round, in order."""
    title: str = ""
    """What readers see; the id where it is empty."""
    labels: dict[str, str] = field(default_factory=dict)
    """Value on each axis of the benchmark."""
    url: WebAddress | None = None
    """Where the task itself can be had."""
    digest: str | None = None
    """Checksum of the task, as the runner states it."""
    weight: Annotated[float, Field(ge=1e-9, le=1e9)] = 1.0
    """How much it counts where a metric weighs tasks."""
    private: bool | Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")] = False
    """Whether sites withhold its title and texts and number its cases: for good, or until a day. Its id stays."""

    @property
    def name(self) -> str:
        """What readers see."""
        return self.title or self.id


SHORTEST = 7
"""Digits of the shortest digest that tells anything."""


@dataclass(frozen=True, slots=True)
class TaskSet:
    """The tasks that a track scores, in the order they are shown."""

    id: str
    tasks: tuple[Task, ...]

    @property
    def rounds(self) -> int:
        """Rounds of all tasks together."""
        return sum(len(task.rounds) for task in self.tasks)

    @property
    def is_of_one_round(self) -> bool:
        """Whether each task has a single round, so that pages need not speak of rounds."""
        return all(len(task.rounds) == 1 for task in self.tasks)

    @property
    def digest(self) -> str | None:
        """The checksum that all tasks share, or the SHA-256 over sorted lines `TASK DIGEST`; None if one has none."""
        digests = {task.id: task.digest for task in self.tasks}
        if not digests or not all(digests.values()):
            return None
        if len(shared := set(digests.values())) == 1:
            return shared.pop()
        lines = sorted(f"{task} {digest}\n" for task, digest in digests.items())
        return f"sha256:{hashlib.sha256(''.join(lines).encode()).hexdigest()}"

    def goes_by(self, digest: str) -> bool:
        """Whether a digest is that of the tasks, or the part that the digests of all tasks share, such as a commit."""
        plain = digest.lower().removeprefix("sha256:")
        if plain == (self.digest or "").lower().removeprefix("sha256:"):
            return True
        return len(plain) >= SHORTEST and all(
            plain in (task.digest or "").lower() for task in self.tasks
        )

    def without(self, left_out: Container[tuple[str, int]]) -> "TaskSet":
        """Leave out rounds, each named by task and number, and tasks of which no round is left."""
        kept = (
            (task, tuple(each for each in task.rounds if (task.id, each.n) not in left_out))
            for task in self.tasks
        )
        return TaskSet(
            self.id, tuple(replace(task, rounds=rounds) for task, rounds in kept if rounds)
        )

    def case_names(self) -> dict[tuple[str, int], tuple[str, ...]]:
        """Names of the cases of each round, by its task and number, where the tasks list them."""
        rounds = ((task.id, each) for task in self.tasks for each in task.rounds if each.cases)
        return {
            (task, each.n): tuple(case.id for case in each.cases or ()) for task, each in rounds
        }

    def by_id(self) -> dict[str, Task]:
        """Tasks by their id."""
        return {task.id: task for task in self.tasks}
