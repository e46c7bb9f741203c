"""The results of submissions by task, the easiest task first."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from sitegen.board.answers.work import finished_by, passed_rounds
from sitegen.models.task import Task
from sitegen.pages.findings import Flag, flags_of
from sitegen.pages.heat import HeatCell, task_cell
from sitegen.pages.labels import rounds_word
from sitegen.pages.records import BoardRecords


class TaskTally(NamedTuple):
    """The number of passed and of counted rounds, over all attempts, and of finished tasks."""

    passed: int
    of: int
    finished: int


class TaskRow(NamedTuple):
    """A task with the result of every submission; cells and tallies are in board order."""

    task: Task
    address: str
    cells: Sequence[HeatCell]
    tallies: Sequence[TaskTally]
    flags: Sequence[Flag]

    @property
    def share(self) -> float | None:
        """The mean share of its rounds that submissions passed, 0 to 1; None if there are none."""
        shares = [tally.passed / tally.of for tally in self.tallies if tally.of]
        return fmean(shares) if shares else None

    @property
    def bins(self) -> Mapping[str, int]:
        """The number of submissions with each result, by the shade of their cells."""
        return Counter(cell.shade for cell in self.cells)

    @property
    def total(self) -> TaskTally:
        """The tally of all submissions together."""
        return total_of(self.tallies)


def total_of(tallies: Iterable[TaskTally]) -> TaskTally:
    """Return the sum of tallies."""
    passed = 0
    rounds = 0
    finished = 0
    for tally in tallies:
        passed += tally.passed
        rounds += tally.of
        finished += tally.finished
    return TaskTally(passed, rounds, finished)


def task_rows(records: BoardRecords) -> list[TaskRow]:
    """Return the result of every submission on every task.

    The easiest task comes first, and those without results last.
    """
    rows = [_task_row(records, task) for task in records.board.tasks.tasks]
    return sorted(rows, key=_difficulty)


def _difficulty(row: TaskRow) -> tuple[bool, float, str]:
    return row.share is None, -(row.share or 0.0), row.task.name


def _task_row(records: BoardRecords, task: Task) -> TaskRow:
    """Return the result of every submission on a task."""
    board = records.board
    round_noun = rounds_word(board.benchmark)
    finisher_ids = finished_by(board, task)
    counts = passed_rounds(board, task)
    cells = []
    tallies = []
    for entry in board.submissions:
        cell = task_cell(records.counting_results_by_attempt(entry, task.id), round_noun)
        key = (entry.id, task.id, None)
        subject = f"{board.name_of(entry)}, {task.name}"
        cells.append(cell.linked(board, key, subject, records.run_address(entry, task)))
        passed, total = counts.get(entry.id, (0, 0))
        tallies.append(TaskTally(passed, total, int(entry.id in finisher_ids)))
    flags = flags_of(board, board.findings.on_any_round(task.id))
    return TaskRow(task, records.addresses.task(task.id), cells, tallies, flags)
