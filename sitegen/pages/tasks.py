"""Heat maps of a track: tasks by submissions, and the rounds of one task by submissions."""

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.task import Task
from sitegen.pages import addresses, labels
from sitegen.pages.board import board_crumbs
from sitegen.pages.casebook import Casebook
from sitegen.pages.diagnostics import task_section
from sitegen.pages.environment import Crumb, Page, Templates
from sitegen.pages.flags import Flag, flag_of, flags_of, notes_of
from sitegen.pages.hardest import Hardest
from sitegen.pages.heat import COUNTS, SHARES, Cell, round_look, task_look
from sitegen.pages.records import Records
from sitegen.pages.timeline import task_timeline
from sitegen.problems import counted


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A row of a heat map."""

    title: str
    address: str
    note: str
    cells: Sequence[Cell]
    flags: Sequence[Flag] = ()
    """Marks of the findings that concern it."""


def tasks_page(records: Records, templates: Templates) -> Page:
    """Show how every submission fared on every task."""
    board = records.board
    benchmark, track = board.benchmark, board.track
    address = addresses.tasks_address(benchmark.id, track.id)
    several = f", {counted(track.attempts, 'attempt')} each" if track.attempts > 1 else ""
    values = {
        "title": "Tasks",
        "crumbs": board_crumbs(board),
        "benchmark": benchmark,
        "track": track,
        "lead": f"{counted(len(board.tasks.tasks), 'task')} by {len(board.submissions)} submissions{several}.",
        "legend_counts": f"number of {labels.rounds_word(benchmark, 2)} passed, shaded by their share",
        "samples": COUNTS,
        "caption": f"{labels.rounds_word(benchmark, 2).capitalize()} passed of each task",
        "corner": "Task",
        "agents": _heads(board),
        "rows": [_task_row(records, task) for task in board.tasks.tasks],
        "findings": notes_of(board, board.marks.on_any_task()),
        "hardest": None,
        "diagnosed": None,
        "timeline": None,
    }
    title = f"{benchmark.title}, {track.title}: tasks"
    return Page(address, title, f"{title} by submissions.", templates.fill("tasks.html.j2", address, values))


def task_page(book: Casebook, templates: Templates) -> Page:
    """Show how every submission fared in every round of a task, and what is hardest about it."""
    records, task, board = book.records, book.task, book.records.board
    benchmark, track = board.benchmark, board.track
    address = addresses.task_address(benchmark.id, track.id, task.id)
    facts = [counted(len(task.rounds), labels.rounds_word(benchmark)), *task.labels.values()]
    values = {
        "title": task.name,
        "crumbs": [*board_crumbs(board), Crumb("Tasks", addresses.tasks_address(benchmark.id, track.id))],
        "benchmark": benchmark,
        "track": track,
        "lead": " · ".join([task.id, *facts] if task.name != task.id else facts),
        "legend_counts": "percent of the cases that passed",
        "samples": SHARES,
        "caption": f"{benchmark.round_name}s of {task.name} by submission",
        "corner": benchmark.round_name,
        "agents": _heads(board),
        "rows": [_round_row(records, task, index) for index in range(len(task.rounds))],
        "findings": notes_of(board, board.marks.by_task.get(task.id, ())),
        "hardest": Hardest(book),
        "diagnosed": task_section(board, task),
        "timeline": task_timeline(records, task),
    }
    title = f"{task.name}: {labels.rounds_word(benchmark, 2)} by submissions"
    description = f"{benchmark.title}, {track.title}: {title}."
    return Page(address, title, description, templates.fill("tasks.html.j2", address, values))


def _heads(board: Board) -> list[Crumb]:
    benchmark, track = board.benchmark.id, board.track.id
    return [Crumb(entry.agent.name, addresses.entry_address(benchmark, track, entry.id)) for entry in board.submissions]


def _task_row(records: Records, task: Task) -> HeatRow:
    board = records.board
    address = addresses.task_address(board.benchmark.id, board.track.id, task.id)
    cells = [_task_cell(records, entry, task) for entry in board.submissions]
    flags = flags_of(board, board.marks.by_task.get(task.id, ()))
    return HeatRow(task.name, address, counted(len(task.rounds), labels.rounds_word(board.benchmark)), cells, flags)


def _task_cell(records: Records, entry: Entry, task: Task) -> Cell:
    board = records.board
    look = task_look(records.runs(entry, task.id)).about(f"{entry.agent.name}, {task.name}")
    address = addresses.run_address(board.benchmark.id, board.track.id, entry.id, task.id)
    flag = flag_of(board, board.marks.on_task(entry.id, task.id))
    return look.cell(entry.id, task.id, None, address).flagged(flag)


def _round_row(records: Records, task: Task, index: int) -> HeatRow:
    board, number = records.board, task.rounds[index].n
    address = addresses.round_address(board.benchmark.id, board.track.id, task.id, number)
    cells = [round_cell(records, entry, task, number) for entry in board.submissions]
    title, note = task.rounds[index].title, " · ".join(task.rounds[index].labels)
    name = f"{number}. {title}" if title else f"{board.benchmark.round_name} {number}"
    return HeatRow(name, address, note, cells, flags_of(board, board.marks.by_round.get((task.id, number), ())))


def round_cell(records: Records, entry: Entry, task: Task, number: int) -> Cell:
    """Tell how a submission fared in one round."""
    board = records.board
    look = round_look(records.of_round(entry, task.id, number), records.usual.get((task.id, number)))
    run = addresses.run_address(board.benchmark.id, board.track.id, entry.id, task.id)
    told = look.about(f"{entry.agent.name}, {labels.rounds_word(board.benchmark)} {number}")
    flag = flag_of(board, board.marks.on_round(entry.id, task.id, number))
    return told.cell(entry.id, task.id, number, f"{run}#{addresses.round_anchor(number)}").flagged(flag)
