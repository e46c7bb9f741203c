"""Results far from the other results on a board: hints for a closer look, not verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from statistics import fmean, median

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.metrics.effort import Typical, typical
from sitegen.metrics.likeness import best_shares, best_shares_of_rounds, middle_and_spread
from sitegen.metrics.metric import Unit
from sitegen.metrics.results import TaskResults
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.results import Bundle
from sitegen.problems import Problem, Rule, counted

SCORE_UNUSUAL = Rule.warning(
    "SCORE-UNUSUAL",
    "A score is far outside the range of the other scores on its board.",
    "check the runs: the agent may be better or worse than all others, the data may belong to "
    "another track, or the harness may be broken",
)
TASK_SOLVED_ALONE = Rule.warning(
    "TASK-SOLVED-ALONE",
    "A weaker agent solved a task that every other agent failed.",
    "read the transcripts of this task: was the task known in advance, or could the agent read "
    "the solution?",
)
EFFORT_UNUSUAL = Rule.warning(
    "EFFORT-UNUSUAL",
    "Time, cost or tokens of a round are far from those of other submissions.",
    "check the unit: times are in seconds, costs in US dollars, and tokens are single tokens",
)
EFFORT_ZERO = Rule.warning(
    "EFFORT-ZERO",
    "An agent passed a round with 0 tokens.",
    "leave the value out if it was not measured; otherwise find out how the round was passed",
)

_MIN_EARLIER_SCORES = 8
"""Minimum number of earlier scores that define the usual score."""

_MAX_DISTANCE = 5.0
"""Distance from which a score is unusual, in robust standard deviations."""

_MIN_SPREAD: Mapping[Unit, float] = {"percent": 3.0, "share": 0.03}
"""The smallest standard deviation used, by unit; in other units, 5 % of the usual score."""

_MIN_OTHERS, _MIN_ROUNDS = 8, 4
"""Minimum number of other agents' submissions, and of rounds, for a task to be solved alone."""

_MAX_ROUND_SHARE = 0.5
"""Maximum share of the task's rounds passed by other agents, and of all rounds by the agent."""

_MAX_CASE_SHARE = 0.75
"""Share of cases above which another agent came so close that it may pass all by chance.

In a chain, rounds often pass or fail together.
"""

_EFFORT_FIELDS = (
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "agent_seconds",
    "turns",
    "interactions",
)
_MIN_SUBMISSIONS = 5
"""Minimum number of submissions with a figure that define the usual figure."""

_MEDIAN_FACTOR = 300
"""Factor by which a submission's median may differ from that of other submissions, up or down."""

_SINGLE_FACTOR = 1000
"""Factor by which a single figure may exceed the usual figure."""


def outlier_problems(board: Board) -> Iterator[Problem]:
    """Yield a problem for each unusual score or effort figure, and for each task solved alone."""
    bundles = []
    for entry in board.all_entries:
        if entry.bundle:
            bundles.append(entry.bundle)
            yield from _unusual_score(board, entry)
    for name in _EFFORT_FIELDS:
        yield from _unusual_efforts(bundles, name)
    for bundle in bundles:
        yield from _passes_without_output(bundle)
    yield from _solved_alone(board)


def _unusual_score(board: Board, entry: Entry) -> Iterator[Problem]:
    """Report a headline score that is far outside the range of scores that may be older."""
    score = entry.scores[board.headline.id]
    if score.value is None or entry.bundle is None or entry.has_missing_tasks:
        return
    earlier = _earlier_scores(board, entry)
    if len(earlier) < _MIN_EARLIER_SCORES:
        return
    usual, spread = middle_and_spread(earlier)
    min_spread = _MIN_SPREAD.get(score.metric.unit, abs(usual) / 20)
    distance = (score.value - usual) / (max(spread, min_spread) or 1.0)
    lowest = min(earlier)
    highest = max(earlier)
    if abs(distance) < _MAX_DISTANCE or lowest <= score.value <= highest:
        return
    decimals = score.metric.decimals
    side = "below"
    if distance > 0:
        side = "above"
    spread_words = f"{abs(distance):.1f} robust standard deviations {side} the median"
    reach = f"{lowest:.{decimals}f} to {highest:.{decimals}f}"
    message = (
        f"{score.metric.title} {score.text} is {spread_words} ({usual:.{decimals}f}) of the "
        f"{len(earlier)} earlier scores, which range from {reach}"
    )
    yield SCORE_UNUSUAL.broken(entry.bundle.path / "submission.toml", None, message)


def _earlier_scores(board: Board, entry: Entry) -> list[float]:
    """Return headline scores that may be older than a row's score, including reported scores."""
    is_history = board.results.arrivals.is_history
    earlier = []
    for row in board.all_entries:
        if row is entry or row.has_missing_tasks or not is_history(entry.id, row.id):
            continue
        value = row.value(board.headline.id)
        if value is not None:
            earlier.append(value)
    return earlier


def _unusual_efforts(bundles: Sequence[Bundle], name: str) -> Iterator[Problem]:
    """Report submissions whose effort figures are far from the figures of other submissions."""
    efforts: list[_Effort] = []
    if len(bundles) < _MIN_SUBMISSIONS:
        return
    for bundle in bundles:
        effort = _Effort.from_bundle(bundle, name)
        if effort.usual:
            efforts.append(effort)
    if len(efforts) < _MIN_SUBMISSIONS:
        return
    usual = [effort.usual for effort in efforts]
    for index, effort in enumerate(efforts):
        yield from effort.problems(median(usual[:index] + usual[index + 1 :]))


def _passes_without_output(bundle: Bundle) -> Iterator[Problem]:
    """Report rounds that passed with 0 output tokens, as one problem per bundle."""
    zero_rounds = []
    for line, result in bundle.numbered_rounds():
        if result.output_tokens == 0 and result.solved:
            zero_rounds.append((line, result))
    if zero_rounds:
        line, first = zero_rounds[0]
        more_rounds = _and_more(len(zero_rounds) - 1)
        message = f"{_record_name(first)} was passed with 0 output tokens{more_rounds}"
        problem = EFFORT_ZERO.broken(bundle.path / "rounds.jsonl", line, message)
        yield problem.about_tasks(first.task)


def _solved_alone(board: Board) -> Iterator[Problem]:
    """Report tasks that one of the weaker agents solved and all other agents mostly failed.

    Submissions with the same agent name are not compared with each other, whatever their settings:
    if one of them knew a task in advance, the rest may have known it too.
    """
    rows = []
    for entry in board.submissions:
        if entry.value(board.headline.id) is not None:
            rows.append(entry)
    if len(rows) <= _MIN_OTHERS:
        return
    for entry in rows[len(rows) // 2 :]:
        results_by_task = _long_tasks(entry)
        task_shares = best_shares_of_rounds(list(results_by_task.values()))
        mean_share = 1.0
        if task_shares:
            mean_share = fmean(task_shares)
        if mean_share > _MAX_ROUND_SHARE:
            continue
        other_results = []
        for row in rows:
            if row.agent.name != entry.agent.name:
                other_results.append(_long_tasks(row))
        for task, share in zip(results_by_task, task_shares, strict=True):
            if share == 1:
                yield from _solved_alone_problem(entry, task, mean_share, other_results)


def _solved_alone_problem(
    entry: Entry, task: str, mean_share: float, other_results: Sequence[Mapping[str, TaskResults]]
) -> Iterator[Problem]:
    """Report a task that a row solved, if enough other agents tried it and none came close.

    Args:
        entry: The row.
        task: Id of the task.
        mean_share: Mean share of rounds that the row passes over all its tasks.
        other_results: The results of other agents' rows, by task.
    """
    long_tasks = []
    for results_by_task in other_results:
        if task in results_by_task:
            long_tasks.append(results_by_task[task])
    if len(long_tasks) < _MIN_OTHERS or entry.bundle is None:
        return
    round_share, case_share = map(max, zip(*map(best_shares, long_tasks), strict=True))
    if round_share > _MAX_ROUND_SHARE or case_share > _MAX_CASE_SHARE:
        return
    message = (
        f"it passes every round of {task}; no other submission passes more than "
        f"{round_share:.0%} of the task's rounds or {case_share:.0%} of its cases. "
        f"Over all tasks, it passes {mean_share:.0%} of rounds"
    )
    first_line = None
    for line, result in entry.bundle.numbered_rounds():
        if result.task == task:
            first_line = line
            break
    path = entry.bundle.path / "rounds.jsonl"
    yield TASK_SOLVED_ALONE.broken(path, first_line, message).about_tasks(task)


def _long_tasks(entry: Entry) -> Mapping[str, TaskResults]:
    """Return a row's results on the tasks that have enough rounds to be conclusive."""
    long_tasks = {}
    for task_results in entry.task_results:
        if len(task_results.rounds) >= _MIN_ROUNDS:
            long_tasks[task_results.task.id] = task_results
    return long_tasks


@dataclass(frozen=True)  # no slots: the typical figure is cached
class _Effort:
    """One effort figure of a submission's rounds, or of its runs."""

    path: Path
    """The file that contains the records."""
    records: Sequence[RoundResult | RunFigures]
    lines: Sequence[int]
    """The line numbers of the records; empty if not known."""
    name: str

    @classmethod
    def from_bundle(cls, bundle: Bundle, name: str) -> "_Effort":
        """Return a figure of a bundle's rounds, or of its runs if no round has the figure."""
        lines = bundle.round_lines or range(1, len(bundle.rounds) + 1)
        by_round = cls(bundle.path / "rounds.jsonl", bundle.rounds, lines, name)
        if by_round.usual:
            return by_round
        return cls(bundle.path / "runs.jsonl", bundle.runs, (), name)

    @property
    def figures(self) -> list[float | None]:
        """The figure of each record; empty if records of this type never have it.

        This is not cached, since few submissions need their figures again.
        """
        if not self.records or not hasattr(self.records[0], self.name):
            return []
        return list(map(attrgetter(self.name), self.records))

    @property
    def usual(self) -> float:
        """The median of the figures that are known and not 0; 0 if there are none."""
        return self._typical.median

    @cached_property
    def _typical(self) -> Typical:
        return typical(self.figures)

    def problems(self, usual_of_others: float) -> Iterator[Problem]:
        """Report figures that differ from other submissions' figures by orders of magnitude."""
        ratio = self.usual / usual_of_others
        has_other_size = not 1 / _MEDIAN_FACTOR < ratio < _MEDIAN_FACTOR
        limit = _SINGLE_FACTOR * max(self.usual, usual_of_others)
        if not has_other_size and self._typical.largest <= limit:
            return
        figures = list(enumerate(self.figures))
        if has_other_size:
            first = next(index for index, figure in figures if figure)
            message = (
                f"the median of `{self.name}` is {self.usual:g}, "
                f"but {usual_of_others:g} in other submissions"
            )
        else:
            huge = [(index, figure) for index, figure in figures if figure and figure > limit]
            first, figure = huge[0]
            message = (
                f"`{self.name}` of {_record_name(self.records[first])} is {figure:g}, "
                "but the median of other submissions is "
                f"{usual_of_others:g}{_and_more(len(huge) - 1)}"
            )
        line = None
        if self.lines:
            line = self.lines[first]
        problem = EFFORT_UNUSUAL.broken(self.path, line, message)
        yield problem.about_tasks(self.records[first].task)


def _record_name(record: RoundResult | RunFigures) -> str:
    if isinstance(record, RunFigures):
        return f"attempt {record.attempt} at {record.task}"
    return f"round {record.round} of {record.task}"


def _and_more(number: int) -> str:
    if not number:
        return ""
    return f" (here and in {counted(number, 'more place')})"
