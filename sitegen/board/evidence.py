"""How far the numbers of a submission can be followed. Computed from what is there, never claimed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sitegen.metrics.grids import Sheet
from sitegen.models.results import Bundle
from sitegen.models.task import TaskSet
from sitegen.problems import counted

Evidence = Literal["reported", "recomputed", "complete", "reproduced"]
"""From a published table without raw data to runs that a maintainer made again."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of a task set a submission has records of."""

    tasks: int
    expected_tasks: int
    rounds: int
    expected_rounds: int
    missing: Sequence[str] = ()
    """Ids of the tasks that count and that it has no results for."""
    counted: int = 0
    """How many tasks count."""

    def __str__(self) -> str:
        """Gives rounds present / expected, and what is missing."""
        return ", ".join(filter(None, (f"{self.rounds}/{self.expected_rounds}", self.lack)))

    @property
    def scored(self) -> int:
        """How many of the tasks that count it has results for."""
        return self.counted - len(self.missing)

    @property
    def lack(self) -> str:
        """What it has no results for, in words; empty where it has some for every task."""
        of = counted(self.counted, "task")
        return f"no results for {len(self.missing)} of {of}" if self.missing else ""

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


def coverage_of(bundle: Bundle, tasks: TaskSet, sheet: Sheet) -> Coverage:
    """Count the tasks and rounds that a bundle has a record of, of those that count for it.

    Args:
        bundle: The submission.
        tasks: The track's task set.
        sheet: Its results as arrays.
    """
    excluded, present = (
        {(each.task, each.round) for each in bundle.rounds if (each.state == "excluded") == is_out}
        for is_out in (True, False)
    )
    expected = {(task.id, each.n) for task in tasks.tasks for each in task.rounds} - (excluded - present)
    present &= expected
    there, asked = (len({task for task, _ in keys}) for keys in (present, expected))
    return Coverage(there, asked, len(present), len(expected), sheet.missing, len(sheet.tasks))
