"""What was found wrong with the simulated benchmark itself."""

from dataclasses import dataclass
from datetime import date

from sitegen.models.finding import Finding
from sitegen.models.task import TaskSet


@dataclass(frozen=True, slots=True)
class Defect:
    """A round that no agent could pass, and that nobody is scored on.

    Attributes:
        task: Id of its task.
        round: The round, from 1.
    """

    task: str
    round: int

    def in_task(self, task: str) -> int | None:
        """Give the excluded round of a task; None for the tasks that are sound."""
        return self.round if task == self.task else None


def defect_of(task_set: TaskSet) -> Defect:
    """Pick the round that turned out to be defective: one in the middle of the second task, if there are two."""
    task = task_set.tasks[min(1, len(task_set.tasks) - 1)]
    return Defect(task.id, len(task.rounds) // 2 + 1)


def findings_on(defect: Defect) -> tuple[Finding, ...]:
    """Record what was found: a round that counts for nobody, and a remark on the same task."""
    return (
        Finding(
            date=date(2026, 6, 8),
            kind="defect",
            title="A round whose cases contradict its request",
            reason="Two cases expect the header that the request asks to remove. The round counts for nobody.",
            by="Demo maintainers",
            effect="exclude",
            tasks=(defect.task,),
            rounds=(defect.round,),
        ),
        Finding(
            date=date(2026, 6, 15),
            kind="note",
            title="A request that could be read in two ways",
            reason="Its cases accept either reading, so no result changes.",
            by="Demo maintainers",
            tasks=(defect.task,),
            rounds=(1,),
        ),
    )
