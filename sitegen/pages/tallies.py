"""Tasks by submissions, from the easiest to the hardest: all of them, and a strip that is small enough for a board."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from sitegen.board.answers.work import finished_by, passed_rounds
from sitegen.models.outcome import State
from sitegen.models.task import Task
from sitegen.pages.addresses import Link, entry_link
from sitegen.pages.findings import Flag, flags_of
from sitegen.pages.heat import MISSING, Cell, shaded, states_in, task_look, ticked
from sitegen.pages.labels import rounds_word
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
    return Tally(*map(sum, zip((0, 0, 0), *tallies, strict=True)))


def task_rows(records: BoardRecords) -> list[TaskRow]:
    """Tell how every submission fared on every task, the easiest task first; those last that nobody has results for."""
    board, where, rows = records.board, records.where, []
    word = rounds_word(board.benchmark)
    for task in board.tasks.tasks:
        cells, tallies, finished = [], [], finished_by(board, task)
        counts = passed_rounds(board, task)
        for entry in board.submissions:
            runs = records.runs(entry, task.id)
            key, what = (entry.id, task.id, None), f"{board.name_of(entry)}, {task.name}"
            cells.append(task_look(runs, word).placed(board, key, what, records.run(entry, task)))
            tallies.append(Tally(*counts.get(entry.id, (0, 0)), int(entry.id in finished)))
        flags = flags_of(board, board.marks.by_task.get(task.id, ()))
        rows.append(TaskRow(task, where.task(task.id), cells, tallies, flags))
    return sorted(rows, key=lambda row: (row.share is None, -(row.share or 0.0), row.task.name))


class Strip(NamedTuple):
    """Agents by tasks from the easiest to the hardest, small enough for a board's page."""

    tasks: Sequence[tuple[str, float]]
    """The columns: a task, or several of like difficulty, and the mean share of rounds passed, 0 to 1."""
    rows: Sequence[tuple[Link, Sequence[Cell], Tally]]
    """The first agents of the board, each with a cell for each column, and all that it passed."""
    ends: Sequence[tuple[Link, str]]
    """The easiest task and the hardest, each with its share in percent."""
    size: int
    """How many tasks a column holds; the last one may hold fewer."""
    left_out: int
    """How many agents there are beyond."""
    states: Sequence[State]
    """What cells are that hold no number."""


def strip_of(records: BoardRecords) -> Strip | None:
    """Arrange agents by tasks; None where there are not several tasks with results."""
    board, found = records.board, [row for row in task_rows(records) if row.share is not None]
    if len(found) < 2:  # noqa: PLR2004 - one task is no order
        return None
    size = -(-len(found) // _MOST_COLUMNS)
    columns = [found[start : start + size] for start in range(0, len(found), size)]
    several = f"{counted(size, 'task')} from {{}} on" if size > 1 else "{}"
    tasks = [
        (several.format(column[0].task.name), fmean(row.share or 0.0 for row in column))
        for column in columns
    ]
    rows = []
    for place, entry in enumerate(board.submissions[:_MOST_AGENTS]):
        if size == 1:
            cells = [row.cells[place] for row in found]
            cells = [
                each._replace(words=each.words.removeprefix(f"{board.name_of(entry)}, "))
                for each in cells
            ]
        else:
            tallies = (total_of(row.tallies[place] for row in column) for column in columns)
            cells = [
                _column_cell(title, tally) for (title, _), tally in zip(tasks, tallies, strict=True)
            ]
        rows.append(
            (entry_link(board, entry), cells, total_of(row.tallies[place] for row in found))
        )
    ends = [
        (Link(row.task.name, row.address), f"{100 * (row.share or 0.0):.1f}")
        for row in (found[0], found[-1])
    ]
    states = states_in(cell for _, cells, _ in rows for cell in cells)
    return Strip(tasks, rows, ends, size, len(board.submissions) - len(rows), states)


def _column_cell(title: str, tally: Tally) -> Cell:
    """Tell how an agent fared on several tasks."""
    if not tally.of:
        return MISSING._replace(words=f"{title}: no record")
    share, words = tally.passed / tally.of, f"{title}: {tally.passed} of {tally.of}"
    return ticked(words) if share == 1 else shaded(share, str(int(100 * share)), words)
