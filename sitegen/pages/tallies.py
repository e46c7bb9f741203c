"""Tasks by submissions, from the easiest to the hardest: all of them, and a strip that is small enough for a board."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from sitegen.models.task import Task
from sitegen.pages import labels
from sitegen.pages.addresses import Link, entry_link
from sitegen.pages.findings import Flag, flag_of, flags_of
from sitegen.pages.heat import Cell, shaded, task_look
from sitegen.pages.records import BoardRecords
from sitegen.problems import counted

_MOST_COLUMNS, _MOST_AGENTS = 40, 30
"""A strip of more would be no picture; tasks of like difficulty share a column, and the tasks page has all."""


class Tally(NamedTuple):
    """Rounds that submissions passed, of those that count, over all attempts; and how often a task was finished."""

    passed: int
    of: int
    finished: int


class TaskRow(NamedTuple):
    """A task with how every submission fared at it; cells and tallies are in the order of the board."""

    task: Task
    address: str
    cells: Sequence[Cell]
    tallies: Sequence[Tally]
    flags: Sequence[Flag]

    @property
    def share(self) -> float | None:
        """Share of its rounds that pass, 0 to 1: the mean over the submissions. None where nobody has results."""
        shares = [tally.passed / tally.of for tally in self.tallies if tally.of]
        return fmean(shares) if shares else None

    @property
    def bins(self) -> Mapping[str, int]:
        """How many submissions fared alike, by the ground of their cells."""
        return Counter(cell.shade for cell in self.cells)

    @property
    def total(self) -> Tally:
        """All submissions together."""
        return total_of(self.tallies)


def total_of(tallies: Iterable[Tally]) -> Tally:
    """Add tallies up."""
    passed, of, finished = map(sum, zip(Tally(0, 0, 0), *tallies, strict=True))
    return Tally(passed, of, finished)


def task_rows(records: BoardRecords) -> list[TaskRow]:
    """Tell how every submission fared on every task, the easiest task first; those last that nobody has results for."""
    board, where, rows = records.board, records.where, []
    for task in board.tasks.tasks:
        cells, tallies = [], []
        for entry in board.submissions:
            runs = records.runs(entry, task.id)
            look = task_look(runs).about(f"{entry.agent.name}, {task.name}")
            cell = look.cell(entry.id, task.id, None, records.run(entry, task))
            cells.append(cell.flagged(flag_of(board, board.marks.on_task(entry.id, task.id))))
            passed = [sum(result.solved for result in run) for run in runs]
            finished = any(run and count == len(run) for run, count in zip(runs, passed, strict=True))
            tallies.append(Tally(sum(passed), sum(map(len, runs)), int(finished)))
        flags = flags_of(board, board.marks.by_task.get(task.id, ()))
        rows.append(TaskRow(task, where.task(task.id), cells, tallies, flags))
    return sorted(rows, key=lambda row: (row.share is None, -(row.share or 0.0), row.task.name))


class StripCell(NamedTuple):
    """How an agent fared on a task, or on several: its ground, what stands in it, and the same in words."""

    shade: str
    mark: str
    words: str


class StripTask(NamedTuple):
    """A column of a strip: a task, or several of like difficulty, and the mean share of rounds passed, 0 to 1."""

    title: str
    share: float


class Strip(NamedTuple):
    """Agents by tasks from the easiest to the hardest, small enough for a board's page.

    Attributes:
        tasks: The columns.
        rows: The first agents of the board, each with a cell for each column, and all that it passed.
        ends: The easiest task and the hardest, each with its share in percent.
        size: How many tasks a column holds; the last one may hold fewer.
        left_out: How many agents there are beyond.
        states: What cells are that hold no number.
    """

    tasks: Sequence[StripTask]
    rows: Sequence[tuple[Link, Sequence[StripCell], Tally]]
    ends: Sequence[tuple[Link, str]]
    size: int
    left_out: int
    states: Sequence[str]


def strip_of(records: BoardRecords) -> Strip | None:
    """Arrange agents by tasks; None where there are not several tasks with results."""
    board, found = records.board, [row for row in task_rows(records) if row.share is not None]
    if len(found) < 2:  # noqa: PLR2004 - one task is no order
        return None
    size = -(-len(found) // _MOST_COLUMNS)
    columns = [found[start : start + size] for start in range(0, len(found), size)]
    tasks = []
    for column in columns:
        several = f"{counted(size, 'task')} from {column[0].task.name} on" if size > 1 else column[0].task.name
        tasks.append(StripTask(several, fmean(row.share or 0.0 for row in column)))
    rows = []
    for place, entry in enumerate(board.submissions[:_MOST_AGENTS]):
        cells = []
        for task, column in zip(tasks, columns, strict=True):
            only, tally = column[0].cells[place], total_of(row.tallies[place] for row in column)
            if size == 1:
                cells.append(StripCell(only.shade, only.mark, only.words.removeprefix(f"{entry.agent.name}, ")))
            elif tally.of:
                share, words = (
                    tally.passed / tally.of,
                    f"{task.title}: {tally.passed} of {tally.of}",
                )
                look = shaded(share, str(int(100 * share)), words)
                cells.append(StripCell("all", "✓", words) if share == 1 else StripCell(look.shade, look.mark, words))
            else:
                cells.append(StripCell("missing", "", f"{task.title}: no record"))
        rows.append((entry_link(board, entry), cells, total_of(row.tallies[place] for row in found)))
    ends = [(Link(row.task.name, row.address), f"{100 * (row.share or 0.0):.1f}") for row in (found[0], found[-1])]
    grounds = {cell.shade for _, cells, _ in rows for cell in cells}
    states = [state for state in labels.MARKS if state in grounds and state != "scored"]
    return Strip(tasks, rows, ends, size, len(board.submissions) - len(rows), states)
