"""Helpers that analyses share: the results and tasks of a board, and the text of an estimate."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sitegen.board import GAP, Board, Entry
from sitegen.board.wording import number_text
from sitegen.charts.chart import Bar
from sitegen.metrics.estimates import Estimate
from sitegen.metrics.intervals import Interval, interval_ends
from sitegen.metrics.results import TaskResults
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Task
from sitegen.problems import grouped, plural


def length_parts(ordered: Sequence[Task]) -> list[list[Task]]:
    """Return tasks, sorted by length, in up to three groups of about equal size.

    Tasks of the same length stay in one group.
    """
    tasks_by_length = grouped((length_of(task), task) for task in ordered)
    thirds: dict[int, list[Task]] = defaultdict(list)
    earlier = 0
    for tasks in tasks_by_length.values():
        middle = 2 * earlier + len(tasks)  # twice the position of the middle task
        third = 3 * middle // (2 * len(ordered))
        thirds[third] += tasks
        earlier += len(tasks)
    return list(thirds.values())


def complete_entries(board: Board, *, reported: bool = False) -> list[Entry]:
    """Return the complete ranked rows, best first, with reported rows if `reported` is true."""
    rows = []
    for entry in board.ranked_entries:
        is_shown = reported or entry.bundle
        if is_shown and not entry.has_missing_tasks:
            rows.append(entry)
    return rows


def task_results_of(board: Board) -> Iterator[tuple[Entry, TaskResults]]:
    """Yield the results of the complete ranked rows on each task."""
    for entry in complete_entries(board):
        for task_results in entry.task_results:
            yield entry, task_results


def worked_rounds(task_results: TaskResults) -> Iterator[RoundResult]:
    """Yield the rounds of a task that were worked on, attempt by attempt."""
    for attempt in task_results.reached_results:
        yield from attempt


def is_ordered(board: Board) -> bool:
    """Return whether rounds are in sequence and the board has results to plot."""
    has_order = board.benchmark.ordered and board.track.protocol != "once"
    return has_order and bool(complete_entries(board))


def lengths_of(tasks: Sequence[Task], round_word: str) -> str:
    """Return the lengths of tasks that are sorted by length: "3 to 5 rounds"."""
    shortest = length_of(tasks[0])
    longest = length_of(tasks[-1])
    if shortest == longest:
        return f"{longest} {plural(round_word)}"
    return f"{shortest} to {longest} {plural(round_word)}"


def length_of(task: Task) -> int:
    """Return how many rounds a task has."""
    return len(task.rounds)


def bar_of(name: str, estimate: Estimate, decimals: int) -> Bar:
    """Return an estimate with its interval as a bar."""
    low, high = interval_ends(estimate.interval)
    text = number_text(estimate.value, decimals)
    return Bar(None, name, estimate.value, text, low, high)


def interval_text(interval: Interval, decimals: int) -> str:
    """Return both ends of an interval as text: "1.2 to 3.4"."""
    low = number_text(interval.low, decimals)
    high = number_text(interval.high, decimals)
    return f"{low} to {high}"


def texts_of(estimate: Estimate, decimals: int) -> list[str]:
    """Return an estimate and its interval as texts."""
    interval = estimate.interval
    ends = interval_text(interval, decimals) if interval else GAP
    return [number_text(estimate.value, decimals), ends]
