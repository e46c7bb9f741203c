"""What analyses are about: the rows and tasks of a board, and how a value over tasks is shown."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sitegen.board.answers.answer import number_text
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.charts.chart import Bar
from sitegen.metrics.estimates import Estimate
from sitegen.metrics.grids import TaskGrid
from sitegen.metrics.uncertainty import ends_of
from sitegen.models.task import Task
from sitegen.problems import grouped


def length_parts(ordered: Sequence[Task]) -> list[list[Task]]:
    """Cut tasks, sorted by length, into three parts of about equal size; one length is never cut."""
    by_length = grouped((length_of(task), task) for task in ordered)
    parts: dict[int, list[Task]] = defaultdict(list)
    done = 0
    for each in by_length.values():
        parts[3 * (2 * done + len(each)) // (2 * len(ordered))] += each
        done += len(each)
    return list(parts.values())


def standing(board: Board, *, reported: bool = False) -> list[Entry]:
    """The ranked rows, best first, that lack no results; printed ones too where asked."""
    return [each for each in board.placed if not each.is_incomplete and (reported or each.bundle)]


def grids_of(board: Board) -> Iterator[tuple[Entry, TaskGrid]]:
    """Yield what the ranked rows made of each task."""
    for entry in standing(board):
        yield from ((entry, grid) for grid in (entry.sheet.tasks if entry.sheet else ()))


def is_ordered(board: Board) -> bool:
    """Whether rounds follow each other, and there is something to follow."""
    return board.benchmark.ordered and board.track.protocol != "once" and bool(standing(board))


def lengths_of(part: Sequence[Task], word: str) -> str:
    """Name tasks that are sorted by length by their lengths: 3 to 5 rounds."""
    ends = sorted({length_of(part[0]), length_of(part[-1])})
    return f"{' to '.join(map(str, ends))} {word}s"


def length_of(task: Task) -> int:
    """How many rounds a task has."""
    return len(task.rounds)


def bar_of(name: str, made: Estimate, decimals: int) -> Bar:
    """Draw a value with its interval."""
    return Bar(None, name, made.value, number_text(made.value, decimals), *ends_of(made.interval))


def texts_of(made: Estimate, decimals: int) -> list[str]:
    """A value and its interval."""
    ends = made.interval
    told = (
        f"{number_text(ends.low, decimals)} to {number_text(ends.high, decimals)}" if ends else GAP
    )
    return [number_text(made.value, decimals), told]
