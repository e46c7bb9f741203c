"""Scores of fail-stop runs, in which nothing counts after the first failure.

SR scores rounds that are each started from the reference state.
"""

from collections.abc import Sequence
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike

from sitegen.metrics.arrays import BatchArray, TaskRewards, kept_rounds
from sitegen.metrics.metric import (
    FAIL_STOP,
    Computation,
    Extent,
    Metric,
    MetricError,
    is_from_reference,
    task_extent,
)
from sitegen.metrics.results import SubmissionResults, score_by_task
from sitegen.problems import counted


def share_kept(batch: BatchArray) -> ArrayLike:
    """Return the share of rounds that at least one attempt keeps, shape (tasks,)."""
    is_kept = kept_rounds(batch)
    return np.asarray(is_kept.any(axis=1).mean(axis=1))


def require_attempts(task_rewards: Sequence[TaskRewards], k: int) -> None:
    """Raise a MetricError if there are no tasks, or a task does not have exactly k attempts."""
    if not task_rewards:
        raise MetricError("there are no tasks to score")
    for rewards in task_rewards:
        if len(rewards) != k:
            needed = counted(k, "attempt")
            raise MetricError(f"every task needs {needed}, but one task has {len(rewards)}")


def mt_at_k(task_rewards: Sequence[TaskRewards], k: int) -> float:
    """Share of rounds that at least one of k attempts passes along with every earlier round.

    An attempt keeps a round only if it also kept every earlier round: nothing after its first
    failure counts, not even a pass.

    Formula:
        MT@k = mean_t mean_i max_a kept(t, a, i)

        mean_t: over the tasks of the track
        mean_i: over all rounds of task t that no finding excludes
        max_a: the best of k attempts
        kept(t, a, i): 1 if attempt a passed round i and every round before it, otherwise 0

    Gap:
        There are no tasks, or a task does not have exactly k attempts: a missing attempt is not a
        failed attempt, and an extra attempt would let a submitter choose the best ones.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4, where k is 4.
    """
    require_attempts(task_rewards, k)
    return fmean(score_by_task(task_rewards, share_kept))


MT_AT_K = Metric(
    id="mt_at_k",
    title="MT@k",
    unit="percent",
    averaging_words="rounds of a task, then tasks",
    protocols=FAIL_STOP,
    computation=Computation(
        function=mt_at_k,
        arguments=lambda submission: (
            submission.rewards_of_made_attempts,
            submission.attempts_asked,
        ),
        score_batch=lambda batch: share_kept(batch.rewards),
    ),
)


def sr(rounds: Sequence[TaskRewards]) -> float:
    """Share of rounds that pass when each is started from the reference state.

    Formula:
        SR = Σ_t Σ_i passed(t, i) / Σ_t rounds(t)

        passed(t, i): 1 if round i of task t passed when started from the reference state, otherwise
            0
        rounds(t): all rounds of task t that no finding excludes

    Gap:
        No round was started from the reference state, or less than 80 % of the rounds have a record
        of such a start. Otherwise, rounds without a record count as 0.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4: "SR". All published values correspond to
        whole numbers of the 227 rounds, which shows that rounds are pooled.
    """
    verdict_count = sum(verdicts.size for verdicts in rounds)
    if not verdict_count:
        raise MetricError("nothing was started from the reference state")
    pooled = np.concatenate(rounds)
    return float(pooled.mean())


def reference_rewards(submission: SubmissionResults) -> list[TaskRewards]:
    """Return the verdicts of the rounds started from the reference state, by task.

    The list is empty if the submission has no such rounds.
    """
    if not any(any(task_results.reference) for task_results in submission.tasks):
        return []
    verdicts = []
    for task_results in submission.tasks:
        solved = [result is not None and result.solved for result in task_results.reference]
        verdicts.append(np.array(solved, dtype=np.bool_))
    return verdicts


def reference_extent(submission: SubmissionResults) -> Extent:
    """Return how many rounds have results from the reference state; all others count as 0."""
    expected_rounds = 0
    missing_rounds = 0
    for task_results in submission.tasks:
        expected_rounds += len(task_results.reference)
        missing_rounds += list(task_results.reference).count(None)
    return Extent(expected_rounds - missing_rounds, expected_rounds, submission.word)


SR = Metric(
    id="sr",
    title="SR",
    unit="percent",
    averaging_words="all rounds of all tasks, pooled",
    protocols=FAIL_STOP,
    computation=Computation(
        function=sr,
        arguments=lambda submission: (reference_rewards(submission),),
        extent=reference_extent,
        accepts_record=is_from_reference,
        needs_reference=True,
    ),
    task_weighting="expected",
    counted_unit="rounds",
)


def gap(rounds: Sequence[TaskRewards], task_rewards: Sequence[TaskRewards], k: int) -> float:
    """What a run loses by building on its own work: SR minus MT@k.

    Formula:
        Gap = SR − MT@k

        SR: share of rounds passed from the reference state
        MT@k: share of rounds that one of k attempts kept

    Gap:
        SR or MT@k is missing.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4: the gap between MT@4 and SR.
    """
    return sr(rounds) - mt_at_k(task_rewards, k)


def _gap_inputs(
    submission: SubmissionResults,
) -> tuple[list[TaskRewards], list[TaskRewards], int]:
    return (
        reference_rewards(submission),
        submission.rewards_of_made_attempts,
        submission.attempts_asked,
    )


def _gap_extent(submission: SubmissionResults) -> Extent:
    """Return the extent of SR or of MT@k, whichever is narrower."""
    reference_rounds = reference_extent(submission)
    return reference_rounds.narrower(task_extent(submission))


GAP = Metric(
    id="gap",
    title="Gap",
    unit="points",
    direction="lower",
    averaging_words="as for SR and MT@k",
    protocols=FAIL_STOP,
    computation=Computation(
        function=gap,
        arguments=_gap_inputs,
        extent=_gap_extent,
        accepts_record=is_from_reference,
        needs_reference=True,
    ),
    aggregation=None,
    difference_of=(SR, MT_AT_K),
)
