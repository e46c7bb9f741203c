"""Agents by tasks from the easiest to the hardest, as a strip on the page of a board."""

from collections.abc import Sequence
from math import ceil
from statistics import fmean
from typing import NamedTuple

from sitegen.models.outcome import State
from sitegen.pages.addresses import Link, entry_link
from sitegen.pages.heat import MISSING, HeatCell, passed_cell, share_cell, states_in
from sitegen.pages.records import BoardRecords
from sitegen.pages.task_rows import TaskRow, TaskTally, task_rows, total_of
from sitegen.problems import counted

_MAX_COLUMNS = 40
"""Maximum number of columns of a strip; with more tasks, several share a column."""
_MAX_AGENTS = 30


class TaskStrip(NamedTuple):
    """Agents by tasks from the easiest to the hardest, small enough for a board's page."""

    tasks: Sequence[tuple[str, float]]
    """The columns: the name of one or several tasks, and their mean share passed, 0 to 1."""
    rows: Sequence[tuple[Link, Sequence[HeatCell], TaskTally]]
    """The first agents of the board, each with a cell per column and a total."""
    ends: Sequence[tuple[Link, str]]
    """The easiest and the hardest task, each with the mean share passed, as a percentage."""
    size: int
    """The number of tasks in a column; the last column may have fewer."""
    left_out: int
    """The number of agents that are not shown."""
    states: Sequence[State]
    """The states of cells without a number."""


def strip_of(records: BoardRecords) -> TaskStrip | None:
    """Return agents by tasks; None if there are not several tasks with results."""
    board = records.board
    measured_rows = [row for row in task_rows(records) if row.share is not None]
    if len(measured_rows) < 2:  # noqa: PLR2004 - one task is no order
        return None
    size = ceil(len(measured_rows) / _MAX_COLUMNS)
    starts = range(0, len(measured_rows), size)
    columns = [measured_rows[start : start + size] for start in starts]
    titles = [_column_title(column) for column in columns]
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


def _column_title(column: Sequence[TaskRow]) -> str:
    """Return the name of the first task of a column, and how many other tasks it contains."""
    name = column[0].task.name
    if len(column) > 1:
        return f"{name} and {counted(len(column) - 1, 'other task')}"
    return name


def _without_agent_name(agent_name: str, cells: Sequence[HeatCell]) -> list[HeatCell]:
    """Return cells whose texts do not name the agent, since their row names it."""
    prefix = f"{agent_name}, "
    return [cell._replace(words=cell.words.removeprefix(prefix)) for cell in cells]


def _column_cells(
    titles: Sequence[str], columns: Sequence[Sequence[TaskRow]], index: int
) -> list[HeatCell]:
    """Return the results of the submission at an index in each column of several tasks."""
    cells = []
    for title, column in zip(titles, columns, strict=True):
        tally = total_of(row.tallies[index] for row in column)
        cells.append(_column_cell(title, tally))
    return cells


def _column_cell(title: str, tally: TaskTally) -> HeatCell:
    """Return the result of an agent on several tasks."""
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
