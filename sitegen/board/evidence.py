"""How far the numbers of a submission can be followed. Computed from what is there, never claimed."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Literal

from sitegen.models.results import Bundle
from sitegen.models.task import TaskSet

Evidence = Literal["reported", "recomputed", "complete", "reproduced"]
"""From a published table without raw data to runs that a maintainer made again."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a task set a submission has records of."""

    tasks: int
    expected_tasks: int
    rounds: int
    expected_rounds: int

    def __str__(self) -> str:
        """Gives rounds present / expected."""
        return f"{self.rounds}/{self.expected_rounds}"

    @property
    def is_full(self) -> bool:
        """Whether nothing is missing."""
        return self.rounds == self.expected_rounds


def evidence_of(bundle: Bundle) -> Evidence:
    """Tell whether every case of a bundle can be seen, or its rewards only.

    Whether it was reproduced takes another bundle, so a board tells that.
    """
    outcomes = [each.outcomes for each in bundle.rounds if each.state == "scored"]
    return "complete" if outcomes and None not in outcomes else "recomputed"


def coverage_of(bundle: Bundle, tasks: TaskSet) -> Coverage:
    """Count the tasks and rounds that a bundle has a record of."""
    expected = {(task.id, each.n) for task in tasks.tasks for each in task.rounds}
    present = expected.intersection(map(attrgetter("task", "round"), bundle.rounds))
    return Coverage(len({task for task, _ in present}), len(tasks.tasks), len(present), len(expected))
