"""How robust a board's order is: which tasks it depends on and which gaps it can detect.

It also has pass rates after other rounds, and the share of uncertainty that is due to tasks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.inference.second_run_scores import SecondRuns, second_runs
from sitegen.metrics.arrays import TaskRewards, kept_rounds
from sitegen.metrics.attempts import count_breakdowns, count_passes_after, pass_at_and_hat_k
from sitegen.metrics.contributions import TaskFractions, weighted_contributions
from sitegen.metrics.generalizability import (
    Generalizability,
    RepeatedScores,
    averages_attempts,
    study_variances,
)
from sitegen.metrics.intervals import FEWEST_TASKS, Interval
from sitegen.metrics.paired import smallest_differences
from sitegen.metrics.rates import Rate, pooled_rate
from sitegen.metrics.resampling import attempt_scores
from sitegen.metrics.task_effects import (
    WithoutTask,
    correlation_interval,
    item_rest_correlations,
    task_scores,
    without_each_task,
)
from sitegen.metrics.tolerances import SCORE_TOLERANCE
from sitegen.models.task import Task

_FEWEST_ROWS = FEWEST_TASKS
"""Minimum number of rows for which a correlation over rows has an interval."""


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """The dependence of a board's order on one task."""

    task: Task
    without: WithoutTask
    item_rest: float | None
    """The correlation of the task's score with the score over other tasks; None if undefined."""
    item_rest_interval: Interval | None
    """The interval of the correlation; None if there are too few agents."""
    spread: str
    """`all` if every row has the highest score, `none` if every row scores 0, else empty."""


@dataclass(frozen=True, slots=True)
class PassRatesAfter:
    """How often a round passes right after another round."""

    entry: Entry | None
    """The row; None for all rows together."""
    after_pass: Rate | None
    """The pass rate after a round that passed."""
    after_fail: Rate | None
    """The pass rate after a round that failed."""


class Breakdown(NamedTuple):
    """How often attempts fail at a round after passing all earlier rounds."""

    round: int
    """The number of the round, from 1."""
    tasks: int
    """The number of tasks with an attempt that reaches the round without a failure."""
    rate: Rate


@dataclass(frozen=True, slots=True)
class AttemptShares:
    """The shares of rounds that a row passes in some and in all of its attempts."""

    entry: Entry
    shares: Sequence[tuple[float, float]]
    """Shares of rounds that at least one, and that all, of k attempts pass, for k from 1."""


@dataclass(frozen=True, slots=True)
class AttemptStudy:
    """A generalizability study of tasks × attempts, and the runs that it uses as attempts."""

    generalizability: Generalizability
    runs: SecondRuns | None
    """The runs on another track; None if the attempts are those of the board's own track."""


@dataclass(frozen=True)  # no slots: results are computed once, on demand
class Robustness:
    """The robustness of a board's order; it needs at least two ranked rows with results."""

    board: Board

    @cached_property
    def rows(self) -> Sequence[Entry]:
        """The ranked rows with results, best first."""
        return [entry for entry in self.board.ranked_entries if entry.submission_results]

    @property
    def is_available(self) -> bool:
        """Whether at least two ranked rows have results, and at least two tasks count."""
        return len(self.rows) > 1 and self.board.inference.has_several_tasks

    @cached_property
    def tasks(self) -> Sequence[TaskFacts]:
        """Every task that counts, sorted by how much the order changes without it."""
        headline = self.board.headline
        tasks = {task.id: task for task in self.board.tasks.tasks}
        task_ids = self.board.inference.resampling.tasks
        without_each = without_each_task(self._fractions, upwards=headline.direction == "higher")
        correlations = self._item_rest_correlations(len(without_each))
        spreads = [""] * len(task_ids)
        if headline.highest:
            scores_by_task = task_scores(self._fractions)
            spreads = []
            for scores in scores_by_task:
                spreads.append(_spread(scores, headline.highest))
        facts = []
        for task_id, without, correlation, spread in zip(
            task_ids, without_each, correlations, spreads, strict=True
        ):
            interval = None
            if correlation is not None:
                interval = correlation_interval(correlation, len(self.rows))
            facts.append(TaskFacts(tasks[task_id], without, correlation, interval, spread))
        return sorted(
            facts, key=lambda fact: (-fact.without.moved_rows, -abs(fact.without.score_change))
        )

    def _item_rest_correlations(self, task_count: int) -> Sequence[float | None]:
        """Return each task's correlation with the score over all other tasks; None if rows are few.

        Tasks have no contributions to a median, so they have no correlation with it either.
        """
        if len(self.rows) < _FEWEST_ROWS or not self.board.headline.is_tested:
            return [None] * task_count
        return item_rest_correlations(weighted_contributions(self._fractions))

    @cached_property
    def detectable_gaps(self) -> tuple[float, float, float] | None:
        """The smallest, the median and the largest gap that pairs of rows need to be detected.

        None if no pair is tested.
        """
        resampling = self.board.inference.resampling
        if self.board.inference.untested_order:
            return None
        contributions = resampling.variance_contributions(self.board.headline, self._row_ids)
        return smallest_differences(contributions, resampling.degrees)

    @cached_property
    def pass_rates_after(self) -> Sequence[PassRatesAfter]:
        """How often a round passes right after another, for all rows together and for each row."""
        if not self.board.benchmark.ordered or self.board.track.protocol == "once":
            return []
        if self.board.tasks.is_of_one_round:
            return []
        by_row = []
        for entry in self.rows:
            by_row.append(self._rates_after(entry, [entry]))
        return [self._rates_after(None, self.rows), *by_row]

    @cached_property
    def breakdowns(self) -> Sequence[Breakdown]:
        """How often attempts fail at a round after passing all earlier rounds, over all rows."""
        if not self.pass_rates_after:
            return []
        longest = max(len(task.rounds) for task in self.board.tasks.tasks)
        breakdowns = []
        for index in range(longest):
            tasks, rate = self._rate(self.rows, partial(count_breakdowns, index=index))
            if rate:
                breakdowns.append(Breakdown(index + 1, tasks, rate))
        return breakdowns

    @cached_property
    def attempts(self) -> Sequence[AttemptShares]:
        """The rows that made every attempt; empty if the track asks for only one attempt."""
        expected = self.board.track.attempts
        is_fail_stop = self.board.track.protocol == "fail-stop"
        rows = []
        for entry in self.rows:
            if (
                entry.submission_results is None
                or entry.submission_results.attempts_made != expected
                or expected == 1
            ):
                continue
            task_rewards = entry.submission_results.rewards_of_made_attempts
            if is_fail_stop:
                task_rewards = [kept_rounds(rewards) for rewards in task_rewards]
            if all(len(rewards) == expected for rewards in task_rewards):
                shares = []
                for k in range(1, expected + 1):
                    shares.append(pass_at_and_hat_k(task_rewards, k))
                rows.append(AttemptShares(entry, shares))
        return rows

    @cached_property
    def study(self) -> AttemptStudy | None:
        """How much of the uncertainty of scores is due to tasks, and how much to attempts.

        None if nobody ran tasks twice, or if tasks are clustered.
        """
        board = self.board
        if not averages_attempts(board.headline) or board.inference.resampling.clusters:
            return None
        runs = None
        all_results = []
        for row in self.attempts:
            if row.entry.submission_results:
                all_results.append(row.entry.submission_results)
        # A finding may exclude a task for one agent, whose scores then cover fewer tasks.
        names = list(board.inference.resampling.tasks)
        on_all_tasks = []
        for results in all_results:
            task_ids = [task_results.task.id for task_results in results.tasks]
            if task_ids == names:
                on_all_tasks.append(results)
        if on_all_tasks:
            values = []
            for results in on_all_tasks:
                values.append(attempt_scores(board.headline, results))
            scores = RepeatedScores.from_attempts(values)
        else:
            runs = second_runs(board)
            if runs is None:
                return None
            scores = RepeatedScores.from_two_runs(list(runs.scores.values()), runs.attempts)
        generalizability = study_variances(scores)
        if not generalizability:
            return None
        return AttemptStudy(generalizability, runs)

    def _rates_after(self, entry: Entry | None, rows: Sequence[Entry]) -> PassRatesAfter:
        _, after_pass = self._rate(rows, partial(count_passes_after, passed=True))
        _, after_fail = self._rate(rows, partial(count_passes_after, passed=False))
        return PassRatesAfter(entry, after_pass, after_fail)

    def _rate(
        self, rows: Sequence[Entry], count: Callable[[TaskRewards], tuple[int, int]]
    ) -> tuple[int, Rate | None]:
        """Return the number of tasks with counts, and the rate pooled over rows and tasks."""
        successes = dict.fromkeys(self.board.inference.resampling.tasks, 0)
        totals = dict(successes)
        for entry in rows:
            for task_results in entry.task_results:
                k, n = count(task_results.rewards_of_made_attempts)
                successes[task_results.task.id] += k
                totals[task_results.task.id] += n
        counts = {}
        for task, n in totals.items():
            counts[task] = (successes[task], n)
        rate = pooled_rate(counts, self.board.inference.cluster_by_task)
        return sum(n > 0 for n in totals.values()), rate

    @property
    def _row_ids(self) -> list[str]:
        """Ids of the rows, best first."""
        return [entry.id for entry in self.rows]

    @cached_property
    def _fractions(self) -> TaskFractions:
        return self.board.inference.resampling.fractions(self.board.headline, self._row_ids)


def _spread(scores: Sequence[float], highest: float) -> str:
    """Return `none` if all rows score 0 on a task, `all` if all score the highest, else empty."""
    if not scores:
        return ""
    if max(scores) <= SCORE_TOLERANCE:
        return "none"
    if min(scores) >= highest - SCORE_TOLERANCE:
        return "all"
    return ""
