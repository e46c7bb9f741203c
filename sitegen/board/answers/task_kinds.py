"""Sentences on the kind of task that agents fail most often, by the labels of the tasks.

Read `task_kind_sentences` first. A kind is a value of an axis, such as the workflow "Migration".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sitegen.board.answers.work import passed_rounds
from sitegen.board.board import Board
from sitegen.board.wording import value_title
from sitegen.metrics.diagnostics.outline import FEWEST_ALIKE, large_axis_groups
from sitegen.metrics.intervals import INTERVAL_95, fewest_units
from sitegen.metrics.rates import Rate, pooled_rate
from sitegen.models.benchmark import Axis
from sitegen.models.task import Task
from sitegen.problems import counted, plural


@dataclass(frozen=True, slots=True)
class KindFailures:
    """The rates at which all agents together fail tasks of one kind, and all other tasks."""

    axis: str
    """The title of the axis."""
    value: str
    """The title of the kind."""
    tasks: int
    """The number of tasks of this kind that have results."""
    other_tasks: int
    """The number of other tasks that have results."""
    failed: Rate
    """The share of these tasks' counted rounds that failed."""
    others_failed: Rate
    """The share of all other tasks' counted rounds that failed."""

    @property
    def is_clear(self) -> bool:
        """Whether both rates have an interval, and the intervals do not overlap."""
        own = self.failed.interval
        others = self.others_failed.interval
        return own is not None and others is not None and own.low > others.high


def most_failed_kinds(board: Board) -> list[KindFailures]:
    """Return, for each axis, the kind of task whose rounds agents fail most often.

    A kind that is clearly harder than the other tasks is preferred to a kind that only fails more
    often.

    Rounds are pooled over the published submissions and their attempts. An axis is included if at
    least two of its kinds have enough tasks to compare.
    """
    counts = board.cached_by(_failed_rounds)
    tasks = [task for task in board.tasks.tasks if task.id in counts]
    axis_ids: dict[str, None] = {}
    for task in tasks:
        axis_ids |= dict.fromkeys(task.labels)
    kinds = []
    for axis_id in axis_ids:
        axis = board.benchmark.axes.get(axis_id, Axis(title=axis_id))
        on_axis = []
        for value in large_axis_groups(tasks, axis_id, axis.values):
            failures = _kind_failures(board, tasks, counts, axis_id, value)
            if failures is not None:
                on_axis.append(failures)
        if on_axis:
            kinds.append(max(on_axis, key=_hardness))
    return kinds


def _hardness(kind: KindFailures) -> tuple[bool, float]:
    """Return the sort key of a kind: whether it is clearly harder, then its rate of failures."""
    return kind.is_clear, kind.failed.k / kind.failed.n


def _failed_rounds(board: Board) -> dict[str, tuple[int, int]]:
    """Return the number of failed rounds and of all rounds by task id, for tasks with results."""
    counts = {}
    for task in board.tasks.tasks:
        passed = 0
        rounds = 0
        for passed_by_agent, rounds_of_agent in passed_rounds(board, task).values():
            passed += passed_by_agent
            rounds += rounds_of_agent
        if rounds:
            counts[task.id] = (rounds - passed, rounds)
    return counts


def _kind_failures(
    board: Board,
    tasks: Sequence[Task],
    counts: dict[str, tuple[int, int]],
    axis_id: str,
    value: str,
) -> KindFailures | None:
    """Return the failure rates of a kind's tasks and all other tasks; None if either is unknown."""
    own_counts: dict[str, tuple[int, int]] = {}
    other_counts: dict[str, tuple[int, int]] = {}
    for task in tasks:
        chosen = own_counts if task.labels.get(axis_id) == value else other_counts
        chosen[task.id] = counts[task.id]
    cluster_by_task = board.inference.cluster_by_task
    failed = pooled_rate(own_counts, cluster_by_task)
    others_failed = pooled_rate(other_counts, cluster_by_task)
    if failed is None or others_failed is None:
        return None
    axis = board.benchmark.axes.get(axis_id, Axis(title=axis_id))
    return KindFailures(
        axis=axis.title,
        value=value_title(value),
        tasks=len(own_counts),
        other_tasks=len(other_counts),
        failed=failed,
        others_failed=others_failed,
    )


def task_kind_sentences(board: Board) -> Iterator[str]:
    """Yield, for each axis, a sentence on the kind of task that agents fail most often."""
    for kind in most_failed_kinds(board):
        yield _kind_sentence(board, kind)


def no_kind_sentence(board: Board) -> str:
    """Return a sentence on why no kind of task is called the hardest.

    Empty if a kind is called the hardest, or if there are no results.
    """
    if most_failed_kinds(board) or not board.cached_by(_failed_rounds):
        return ""
    if any(task.labels for task in board.tasks.tasks):
        return (
            "No kind of task can be called the hardest: fewer than two kinds have at least "
            f"{FEWEST_ALIKE} tasks with results."
        )
    return "The tasks have no labels, so no kind of task can be called the hardest."


def _kind_sentence(board: Board, kind: KindFailures) -> str:
    noun = plural(board.benchmark.round_word.lower())
    if board.tasks.is_of_one_round:
        noun = "attempts"
    subject = "agents fail"
    start = "Agents fail"
    if len(board.submissions) == 1:
        subject = f"{board.names[board.submissions[0].id]} fails"
        start = subject
    others = f"the other {counted(kind.other_tasks, 'task')}"
    if kind.other_tasks == 1:
        others = "the only other task"
    axis = _within_sentence(kind.axis)
    rates = (
        f"{_rate_text(kind.failed)} of {noun} on its {counted(kind.tasks, 'task')}, "
        f"against {_rate_text(kind.others_failed)} on {others}"
    )
    if kind.is_clear:
        return (
            f"The {axis} {kind.value} is clearly harder than the rest: {subject} {rates}. "
            "The two intervals do not overlap."
        )
    return (
        f"No {axis} is shown to be harder than the rest. {start} most often on {kind.value}: "
        f"{rates}. {_doubt(board, kind)}"
    )


def _within_sentence(title: str) -> str:
    """Return a title in lower case, unless it begins with an abbreviation."""
    if title[1:2].isupper():
        return title
    return f"{title[:1].lower()}{title[1:]}"


def _rate_text(rate: Rate) -> str:
    """Return a share in percent, with its interval if it has one."""
    share = f"{100 * rate.k / rate.n:.1f} %"
    if rate.interval is None:
        return share
    low = 100 * rate.interval.low
    high = 100 * rate.interval.high
    return f"{share} ({INTERVAL_95} {low:.1f} to {high:.1f})"


def _doubt(board: Board, kind: KindFailures) -> str:
    """Return a sentence that says why a kind is not shown to be harder than the other tasks."""
    if kind.failed.interval is not None and kind.others_failed.interval is not None:
        return "But the two intervals overlap."
    inference = board.inference
    fewest = counted(fewest_units(inference.cluster_by_task), inference.cluster_word or "task")
    return f"But an interval needs at least {fewest}."
