"""Scores of a chain: every round is run and scored, whatever came before it."""

from collections.abc import Sequence
from math import isnan
from statistics import fmean

import numpy as np

from sitegen.metrics.gaps import Extent, MetricError
from sitegen.metrics.grids import RewardGrid, ShareGrid, Sheet, TaskGrid
from sitegen.metrics.tasks import by_task


def dataset_score(grids: Sequence[RewardGrid]) -> float:
    """Share of a task's rounds that pass, averaged over tasks.

    Args:
        grids: One per task, bool, shape (attempts, rounds); rounds may differ by task.

    Returns:
        A fraction from 0 to 1; attempts are averaged first, and every task weighs the same.

    Formula:
        Dataset Score = 100 / T · Σ_t (1 / A) · Σ_a passed(t, a) / rounds(t)

        T: tasks of the track
        A: attempts at each task
        passed(t, a): rounds of task t that attempt a passed; a round that never happened is not passed
        rounds(t): all rounds of task t, without those that a finding excludes

    Raises:
        MetricError: There is no task, or fewer than 80 % of the tasks have results. Above that, rounds and tasks
            without a record are no gap: they count 0.

    Source:
        EvoCode-Bench, official multi-step board: "Dataset Score".
    """
    _require_tasks(grids)
    return fmean(by_task(grids, lambda stack: stack.mean(axis=(1, 2))))


def case_score(grids: Sequence[ShareGrid]) -> float:
    """Share of a round's cases that pass, averaged over rounds and then over tasks.

    Args:
        grids: One per task, 0 to 1, shape (attempts, rounds); a round without cases is 0.

    Returns:
        A fraction from 0 to 1; every round of a task and every task weigh the same.

    Formula:
        Case Score = 100 / T · Σ_t (1 / A) · Σ_a (1 / rounds(t)) · Σ_i passed(t, a, i) / cases(t, a, i)

        T: tasks of the track
        A: attempts at each task
        rounds(t): all rounds of task t, without those that a finding excludes
        passed(t, a, i): cases of round i of task t that attempt a passed
        cases(t, a, i): cases of that round, skipped ones included; where no case ran, the share is 0

    Raises:
        MetricError: There is no task, or fewer than 80 % of the tasks have results, or a round has a verdict, but
            nobody counted its cases.

    Source:
        EvoCode-Bench, official multi-step board: "Case Score".
    """
    _require_tasks(grids)
    share = fmean(by_task(grids, lambda stack: stack.mean(axis=(1, 2))))
    if isnan(share):
        raise MetricError("a round has a verdict but no count of cases")
    return share


def perfect_tasks(grids: Sequence[RewardGrid]) -> int:
    """Count the tasks whose every round passes in one attempt.

    Args:
        grids: One per task, bool, shape (attempts, rounds); no attempt where none was made at the task.

    Returns:
        From 0 to the number of tasks.

    Formula:
        Perfect Tasks = Σ_t max_a [passed(t, a) = rounds(t)]

        […]: 1 where it is so, else 0
        passed(t, a): rounds of task t that attempt a passed
        rounds(t): all rounds of task t, without those that a finding excludes

    Raises:
        MetricError: There is no task, or fewer than 80 % of the tasks have results, or no attempt was made at any.

    Source:
        EvoCode-Bench, official multi-step board: "Perfect Tasks".
    """
    _require_tasks(grids)
    if not any(map(len, grids)):
        raise MetricError("no attempt was made at any task")
    return int(sum(by_task(grids, lambda stack: np.any(stack.all(axis=2), axis=1))))


def avg_rounds(interactions: Sequence[Sequence[Sequence[float]]]) -> float:
    """Mean interactions of a reached round, averaged over attempts and then over tasks.

    Args:
        interactions: One per task: per attempt, the interactions of each reached round. What was not
            measured is left out; a task without any is left out too.

    Returns:
        Interactions, at least 0.

    Formula:
        Avg Rounds = mean_t mean_a mean_i interactions(t, a, i)

        mean_i: over the rounds that attempt a at task t reached and whose interactions were counted
        mean_a, mean_t: over the attempts, and then the tasks, that have such a round
        interactions(t, a, i): tool calls that the agent made in round i

    Raises:
        MetricError: Nobody counted interactions, or those of fewer than 80 % of the reached rounds or of their tasks.
            Rounds, runs and tasks without a count are left out of the means.

    Source:
        EvoCode-Bench, official multi-step board: "Avg Rounds", as defined since 2026-06-23.
    """
    measured = [fmean([fmean(attempt) for attempt in task]) for task in interactions if task]
    if not measured:
        raise MetricError("no interactions were counted")
    return fmean(measured)


def with_interactions(sheet: Sheet) -> Extent:
    """Count what interactions are known of: tasks, or the rounds reached in them, whichever is the smaller part."""
    grids = [grid for grid in sheet.tasks if any(grid.worked)]
    rounds = Extent(sum(grid.rounds_with_interactions for grid in grids), sum(map(_reached, grids)), "round")
    return Extent(sum(bool(grid.interactions) for grid in grids), len(grids), "task").narrower(rounds)


def _reached(grid: TaskGrid) -> int:
    return sum(map(len, grid.worked))


def _require_tasks(grids: Sequence[object]) -> None:
    if not grids:
        raise MetricError("there is no task to score")
