"""Scores of a chain: every round is run and scored, whatever came before it."""

from collections.abc import Sequence
from math import isnan
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike

from sitegen.metrics.grids import RewardGrid, ShareGrid, Sheet, Stacked, by_task
from sitegen.metrics.metric import ALL, BY_ROUND, CHAIN, Extent, Metric, MetricError


def share_of_rounds(stack: Stacked) -> ArrayLike:
    """What passes of the rounds of each of the stacked grids."""
    return np.asarray(stack.mean(axis=(1, 2)))


def passed_whole(stack: Stacked) -> ArrayLike:
    """Whether an attempt passes every round of each of the stacked grids."""
    return np.asarray(np.any(stack.all(axis=2), axis=1))


def require_tasks(grids: Sequence[object]) -> None:
    """Raise a MetricError where there is no task."""
    if not grids:
        raise MetricError("there is no task to score")


def dataset_score(grids: Sequence[RewardGrid]) -> float:
    """Share of a task's rounds that pass, averaged over tasks.

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
    require_tasks(grids)
    return fmean(by_task(grids, share_of_rounds))


DATASET_SCORE = Metric(
    id="dataset_score",
    title="Dataset Score",
    unit="percent",
    mean="rounds of a task, then attempts, then tasks",
    protocols=CHAIN,
    function=dataset_score,
    of_task=lambda stack: share_of_rounds(stack.rewards),
)


def case_score(grids: Sequence[ShareGrid]) -> float:
    """Share of a round's cases that pass, averaged over rounds and then over tasks.

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
    require_tasks(grids)
    share = fmean(by_task(grids, share_of_rounds))
    if isnan(share):
        raise MetricError("a round has a verdict but no count of cases")
    return share


CASE_SCORE = Metric(
    id="case_score",
    title="Case Score",
    unit="percent",
    mean="cases of a round, then rounds of a task, then attempts, then tasks",
    protocols=CHAIN,
    function=case_score,
    takes=lambda sheet: (sheet.shares,),
    of_task=lambda stack: share_of_rounds(stack.shares),
    needs=lambda result: bool(result.total),
)


def avg_rounds(interactions: Sequence[Sequence[Sequence[float]]]) -> float:
    """Mean interactions of a reached round, averaged over attempts and then over tasks.

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
    """What interactions are known of: tasks, or the rounds reached in them, whichever is the smaller part."""
    grids = [grid for grid in sheet.tasks if any(grid.worked)]
    reached = sum(len(attempt) for grid in grids for attempt in grid.worked)
    rounds = Extent(sum(grid.rounds_with_interactions for grid in grids), reached, "round")
    return Extent(sum(bool(grid.interactions) for grid in grids), len(grids), "task").narrower(rounds)


def means_only(sheet: Sheet) -> str | None:
    """What to know where interactions are not counted by round."""
    by_round = any(each.interactions is not None for each in sheet.results if each)
    return None if by_round else "the source tells a mean for each task, not the interactions of each round"


AVG_ROUNDS = Metric(
    id="avg_rounds",
    title="Avg Rounds",
    unit="interactions",
    direction="lower",
    mean="reached rounds of a run, then attempts, then tasks",
    protocols=BY_ROUND,
    function=avg_rounds,
    takes=lambda sheet: ([grid.interactions for grid in sheet.tasks],),
    over=with_interactions,
    caveat=means_only,
    effort="steps",
    needs=lambda result: result.interactions is not None,
    version=2,
)


def perfect_tasks(grids: Sequence[RewardGrid]) -> int:
    """Count the tasks whose every round passes in one attempt.

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
    require_tasks(grids)
    if not any(map(len, grids)):
        raise MetricError("no attempt was made at any task")
    return int(sum(by_task(grids, passed_whole)))


PERFECT_TASKS = Metric(
    id="perfect_tasks",
    title="Perfect Tasks",
    unit="tasks",
    decimals=0,
    mean="nothing: it counts tasks",
    protocols=ALL,
    function=perfect_tasks,
    takes=lambda sheet: (sheet.attempted,),
    of_task=lambda stack: passed_whole(stack.rewards),
    form="sum",
    counts="tasks",
)


def mean_reward(grids: Sequence[ShareGrid]) -> float:
    """Reward of a round, averaged over the rounds of a task, then over attempts and tasks.

    Formula:
        Mean Reward = 1 / T · Σ_t (1 / A) · Σ_a (1 / rounds(t)) · Σ_i reward(t, a, i)

        T: tasks of the track
        A: attempts at each task
        rounds(t): all rounds of task t, without those that a finding excludes
        reward(t, a, i): reward of round i as it was given; 0 without a verdict, or where a failure ended the run

    Raises:
        MetricError: There is no task, or fewer than 80 % of the tasks have results.

    Source:
        This site: for rewards between 0 and 1.
    """
    require_tasks(grids)
    return fmean(by_task(grids, share_of_rounds))


MEAN_REWARD = Metric(
    id="mean_reward",
    title="Mean Reward",
    unit="share",
    decimals=3,
    mean="rounds of a task, then attempts, then tasks",
    protocols=ALL,
    function=mean_reward,
    takes=lambda sheet: (sheet.graded,),
)
