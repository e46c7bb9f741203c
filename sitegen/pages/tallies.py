"""Tasks by submissions, the easiest first: all of them, and a strip for a board's page."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from statistics import fmean
from typing import NamedTuple

from sitegen.board import Board, Entry
from sitegen.board.answers.work import finished_by, passed_rounds
from sitegen.models.outcome import State
from sitegen.models.task import Task
from sitegen.pages.addresses import Link, entry_link
from sitegen.pages.findings import Flag, flags_of
from sitegen.pages.heat import MISSING, HeatCell, passed_cell, share_cell, states_in, task_cell
from sitegen.pages.labels import rounds_word
from sitegen.pages.records import BoardRecords
from sitegen.problems import counted

_MAX_COLUMNS = 40
"""Columns of a strip; more tasks share columns, and the tasks page has each of them."""
_MAX_AGENTS = 30


class TaskTally(NamedTuple):
    """Rounds that passed, of those that count, over all attempts; and tasks finished."""

    passed: int
    of: int
    finished: int


class TaskRow(NamedTuple):
    """A task with how every submission fared at it; cells and tallies are in board order."""

    task: Task
    address: str
    cells: Sequence[HeatCell]
    tallies: Sequence[TaskTally]
    flags: Sequence[Flag]

    @property
    def share(self) -> float | None:
        """Mean share of its rounds that submissions passed, 0 to 1; None without results."""
        shares = [tally.passed / tally.of for tally in self.tallies if tally.of]
        return fmean(shares) if shares else None

    @property
    def bins(self) -> Mapping[str, int]:
        """How many submissions fared alike, by the shade of their cells."""
        return Counter(cell.shade for cell in self.cells)

    @property
    def total(self) -> TaskTally:
        """All submissions together."""
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
    """Return how every submission fared on every task.

    The easiest task comes first, and those without results last.
    """
    rows = [_task_row(records, task) for task in records.board.tasks.tasks]
    return sorted(rows, key=_difficulty)


def _difficulty(row: TaskRow) -> tuple[bool, float, str]:
    return row.share is None, -(row.share or 0.0), row.task.name


def _task_row(records: BoardRecords, task: Task) -> TaskRow:
    """Return how every submission fared on a task."""
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
    flags = flags_of(board, board.marks.by_task.get(task.id, ()))
    return TaskRow(task, records.addresses.task(task.id), cells, tallies, flags)


class WorstTask(NamedTuple):
    """A task at which a submission did badly, beside the other submissions."""

    task: Task
    tally: TaskTally
    """What the submission passed."""
    share: float
    """The share of rounds that the submission passed, 0 to 1."""
    others: float | None
    """Mean share that the other submissions passed, 0 to 1; None without any."""


_MAX_WORST = 5
"""Worst tasks on the page of a submission."""

_ShareSums = Mapping[str, tuple[float, int]]
"""By task: the sum of the shares that submissions passed, and how many submissions."""


def _share_sums(board: Board) -> _ShareSums:
    """Return the sums from which means over the other submissions follow."""
    sums = {}
    for task in board.tasks.tasks:
        counts = passed_rounds(board, task).values()
        shares = [passed / total for passed, total in counts if total]
        sums[task.id] = (sum(shares), len(shares))
    return sums


def worst_tasks(board: Board, entry: Entry) -> list[WorstTask]:
    """Return the tasks of which a submission passed least, those first that others pass most."""
    sums = board.once(_share_sums)
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


class TaskStrip(NamedTuple):
    """Agents by tasks from the easiest to the hardest, small enough for a board's page."""

    tasks: Sequence[tuple[str, float]]
    """The columns: the name of a task or several, and their mean share passed, 0 to 1."""
    rows: Sequence[tuple[Link, Sequence[HeatCell], TaskTally]]
    """The first agents of the board, each with a cell per column, and the total."""
    ends: Sequence[tuple[Link, str]]
    """The easiest task and the hardest, each with its share in percent."""
    size: int
    """How many tasks a column holds; the last one may hold fewer."""
    left_out: int
    """How many agents are not shown."""
    states: Sequence[State]
    """The states of cells without a number."""


def strip_of(records: BoardRecords) -> TaskStrip | None:
    """Return agents by tasks; None where there are not several tasks with results."""
    board = records.board
    measured_rows = [row for row in task_rows(records) if row.share is not None]
    if len(measured_rows) < 2:  # noqa: PLR2004 - one task is no order
        return None
    size = ceil(len(measured_rows) / _MAX_COLUMNS)
    starts = range(0, len(measured_rows), size)
    columns = [measured_rows[start : start + size] for start in starts]
    titles = [_column_title(column, size) for column in columns]
    shares = list(map(_mean_share, columns))
    rows = []
    all_cells: list[HeatCell] = []
    for index, entry in enumerate(board.submissions[:_MAX_AGENTS]):
        if size == 1:
            task_cells = [row.cells[index] for row in measured_rows]
            cells = _without_agent_name(board.name_of(entry), task_cells)
        else:
            cells = _column_cells(titles, columns, index)
        all_cells += cells
        total = total_of(row.tallies[index] for row in measured_rows)
        rows.append((entry_link(board, entry), cells, total))
    return TaskStrip(
        tasks=list(zip(titles, shares, strict=True)),
        rows=rows,
        ends=[_end(measured_rows[0]), _end(measured_rows[-1])],
        size=size,
        left_out=len(board.submissions) - len(rows),
        states=states_in(all_cells),
    )


def _mean_share(column: Sequence[TaskRow]) -> float:
    return fmean(row.share or 0.0 for row in column)


def _column_title(column: Sequence[TaskRow], size: int) -> str:
    """Return the name of the first task of a column, and how many tasks a column holds."""
    name = column[0].task.name
    if size > 1:
        return f"{counted(size, 'task')} from {name} on"
    return name


def _without_agent_name(agent_name: str, cells: Sequence[HeatCell]) -> list[HeatCell]:
    """Return cells of tasks whose texts do not name the agent, since the row does."""
    prefix = f"{agent_name}, "
    return [cell._replace(words=cell.words.removeprefix(prefix)) for cell in cells]


def _column_cells(
    titles: Sequence[str], columns: Sequence[Sequence[TaskRow]], index: int
) -> list[HeatCell]:
    """Return how the submission at an index fared in each column of several tasks."""
    cells = []
    for title, column in zip(titles, columns, strict=True):
        tally = total_of(row.tallies[index] for row in column)
        cells.append(_column_cell(title, tally))
    return cells


def _column_cell(title: str, tally: TaskTally) -> HeatCell:
    """Return how an agent fared on several tasks."""
    if not tally.of:
        return MISSING._replace(words=f"{title}: no record")
    share = tally.passed / tally.of
    text = f"{title}: {tally.passed} of {tally.of}"
    if share == 1:
        return passed_cell(text)
    return share_cell(share, str(int(100 * share)), text)


def _end(row: TaskRow) -> tuple[Link, str]:
    """Return a link to a task, and its share in percent."""
    return Link(row.task.name, row.address), f"{100 * (row.share or 0.0):.1f}"
