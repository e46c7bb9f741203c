"""The tasks on which a submission did worst, compared with the other submissions."""

from collections.abc import Mapping
from typing import NamedTuple

from sitegen.board import Board, Entry
from sitegen.board.answers.work import passed_rounds
from sitegen.models.task import Task
from sitegen.pages.task_rows import TaskTally


class WorstTask(NamedTuple):
    """A task on which a submission did badly, compared with the other submissions."""

    task: Task
    tally: TaskTally
    """The result of the submission."""
    share: float
    """The share of rounds that the submission passed, 0 to 1."""
    others: float | None
    """The mean share that the other submissions passed, 0 to 1; None if there are none."""


_MAX_WORST = 5
"""Maximum number of worst tasks on the page of a submission."""

_ShareSums = Mapping[str, tuple[float, int]]
"""The sum of the shares that submissions passed, and the number of submissions, by task."""


def _share_sums(board: Board) -> _ShareSums:
    """Return the sums from which means over the other submissions are computed."""
    sums = {}
    for task in board.tasks.tasks:
        counts = passed_rounds(board, task).values()
        shares = [passed / total for passed, total in counts if total]
        sums[task.id] = (sum(shares), len(shares))
    return sums


def worst_tasks(board: Board, entry: Entry) -> list[WorstTask]:
    """Return a submission's worst tasks; among equal ones, tasks that others pass come first."""
    sums = board.cached_by(_share_sums)
    worst = []
    for task in board.tasks.tasks:
        passed, total = passed_rounds(board, task).get(entry.id, (0, 0))
        if not total:
            continue
        share = passed / total
        share_sum, count = sums[task.id]
        others = None
        if count > 1:
            others = (share_sum - share) / (count - 1)
        if share < 1:
            worst.append(WorstTask(task, TaskTally(passed, total, 0), share, others))
    worst.sort(key=lambda row: (row.share, -(row.others or 0.0), row.task.name))
    return worst[:_MAX_WORST]
