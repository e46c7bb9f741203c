"""Scores of fail-stop runs, where nothing counts after the first failure, and of rounds run by themselves."""

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from sitegen.metrics.gaps import MetricError
from sitegen.metrics.grids import RewardGrid
from sitegen.metrics.tasks import Stacked, by_task
from sitegen.problems import counted


def mt_at_k(grids: Sequence[RewardGrid], k: int) -> float:
    """Share of rounds that at least one of k attempts reaches with its work intact.

    An attempt keeps a round only if it also kept every round before it: whatever follows its first failure does
    not count, even a pass.

    Args:
        grids: One per task, bool, shape (k, rounds); rounds may differ by task.
        k: Attempts per task, at least 1.

    Returns:
        A fraction from 0 to 1; rounds are averaged within a task, and every task weighs the same.

    Formula:
        MT@k = 100 / T · Σ_t (1 / rounds(t)) · Σ_i max_a kept(t, a, i)

        T: tasks of the track
        rounds(t): all rounds of task t, without those that a finding excludes
        kept(t, a, i): 1 where attempt a, one of k, passed round i and every round before it, else 0

    Raises:
        MetricError: There is no task, or a task has not exactly k attempts: a missing attempt is not a failed
            one, and a spare one would let a submitter choose.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4, where k is 4.
    """
    _require_attempts(grids, k)
    return fmean(by_task(grids, lambda stack: _kept(stack).any(axis=1).mean(axis=1)))


def comp(grids: Sequence[RewardGrid], k: int) -> float:
    """Share of tasks whose last round some attempt passes with all its work intact.

    Args:
        grids: One per task, bool, shape (k, rounds).
        k: Attempts per task, at least 1.

    Returns:
        A fraction from 0 to 1 of all tasks.

    Formula:
        Comp = 100 / T · Σ_t max_a kept(t, a, last)

        T: tasks of the track
        kept(t, a, last): 1 where attempt a, one of k, passed every round of task t up to its last, else 0

    Raises:
        MetricError: There is no task, or a task has not exactly k attempts.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4: "Comp".
    """
    _require_attempts(grids, k)
    return fmean(by_task(grids, lambda stack: _kept(stack)[:, :, -1].any(axis=1)))


def sr(rounds: Sequence[RewardGrid]) -> float:
    """Share of rounds that pass when each is started from the reference state.

    Args:
        rounds: One per task, bool, shape (rounds,).

    Returns:
        A fraction from 0 to 1, pooled over rounds: a long task counts for more than a short one.

    Formula:
        SR = 100 · Σ_t Σ_i passed(t, i) / Σ_t rounds(t)

        passed(t, i): 1 where round i of task t passed when started from the reference state, else 0
        rounds(t): all rounds of task t, without those that a finding excludes

    Raises:
        MetricError: No round was started from the reference state, or fewer than 80 % have a record of it. Above
            that, those without one count 0.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4: "SR". All published values are whole numbers
        of the 227 rounds, which shows that rounds are pooled.
    """
    pooled = np.concatenate(rounds) if rounds else np.array([])
    if not pooled.size:
        raise MetricError("no round was started from the reference state")
    return float(pooled.mean())


def gap(rounds: Sequence[RewardGrid], grids: Sequence[RewardGrid], k: int) -> float:
    """What a run loses by living with its own work: SR minus MT@k.

    Args:
        rounds: As `sr` takes them.
        grids: As `mt_at_k` takes them.
        k: Attempts per task, at least 1.

    Returns:
        A difference of two fractions, from -1 to 1: one pools rounds, the other gives every task one weight.

    Formula:
        Gap = SR − MT@k

        SR: rounds passed from the reference state, in percent
        MT@k: rounds that one of k attempts kept, in percent

    Raises:
        MetricError: SR or MT@k is a gap.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4: the gap between MT@4 and SR.
    """
    return sr(rounds) - mt_at_k(grids, k)


def _kept(stack: Stacked) -> RewardGrid:
    """Which rounds each attempt at each task reached without a failure before or in them."""
    return np.logical_and.accumulate(stack, axis=2)


def _require_attempts(grids: Sequence[RewardGrid], k: int) -> None:
    if not grids:
        raise MetricError("there is no task to score")
    short = [grid for grid in grids if len(grid) != k]
    if short:
        raise MetricError(f"every task needs {counted(k, 'attempt')}, here is one with {len(short[0])}")
