"""Scores of checkpoints, whose cases may fall into categories: Iso, Core and Partial."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike

from sitegen.metrics.arrays import BatchArray, TaskRewards
from sitegen.metrics.metric import CHAIN, Computation, Extent, Metric, MetricError
from sitegen.metrics.results import Checkpoints, SubmissionResults, score_by_task

REGRESSION = "regression"
"""The category of cases that belong to earlier checkpoints."""


def share_of_begun_attempts(batch: BatchArray) -> ArrayLike:
    """Return the share of attempts that pass at least one round, shape (tasks,)."""
    return np.asarray(batch.any(axis=2).mean(axis=1))


def is_new(category: str) -> bool:
    """Return whether cases of a category are new in their checkpoint."""
    return category != REGRESSION


def is_core(category: str) -> bool:
    """Return whether cases of a category are core cases."""
    return category == "core"


def count_verdicts(
    checkpoints: Checkpoints, is_counted: Callable[[str], bool]
) -> Counter[bool | None]:
    """Count checkpoints by whether all their cases of the counted categories pass.

    Args:
        checkpoints: Every expected checkpoint.
        is_counted: Whether cases of a category count.

    Returns:
        Numbers of checkpoints by verdict; the key None counts checkpoints without a case in these
        categories.

    Raises:
        MetricError: A scored checkpoint does not say which categories its cases have.
    """
    verdicts: Counter[bool | None] = Counter()
    for result in checkpoints:
        if result is None or result.state != "scored":
            verdicts[False] += 1
            continue
        if result.by_category is None:
            raise MetricError("a checkpoint's cases have no categories")
        verdicts[_category_verdict(result.by_category, is_counted)] += 1
    return verdicts


def _category_verdict(
    by_category: Mapping[str, tuple[int, int]], is_counted: Callable[[str], bool]
) -> bool | None:
    """Return whether all cases of the counted categories pass; None if there are no such cases."""
    has_cases = False
    for category, (passed, total) in by_category.items():
        if not total or not is_counted(category):
            continue
        if passed != total:
            return False
        has_cases = True
    return True if has_cases else None


def share_passing(verdicts: Counter[bool | None]) -> float:
    """Return the share of checkpoints that pass, of those with cases that count."""
    with_cases_count = verdicts[True] + verdicts[False]
    if not with_cases_count:
        raise MetricError("no checkpoint has cases of this category")
    return verdicts[True] / with_cases_count


def category_extent(submission: SubmissionResults, is_counted: Callable[[str], bool]) -> Extent:
    """Return how many of the checkpoints with cases in some categories have a record.

    Checkpoints without a record are assumed to have cases in these categories.
    """
    verdicts = count_verdicts(submission.results, is_counted)
    total = verdicts[True] + verdicts[False]
    missing = submission.results.count(None)
    return Extent(total - missing, total, submission.word)


def build_category_metric(
    name: str,
    title: str,
    function: Callable[[Checkpoints], float],
    is_counted: Callable[[str], bool],
) -> Metric:
    """Return a metric over the checkpoints that have cases in the counted categories."""
    return Metric(
        id=name,
        title=title,
        unit="percent",
        averaging_words="all expected checkpoints with cases of this category, pooled",
        protocols=CHAIN,
        computation=Computation(
            function=function,
            arguments=lambda submission: (submission.results,),
            extent=lambda submission: category_extent(submission, is_counted),
        ),
        task_weighting="expected",
        counted_unit="rounds of attempts",
    )


def iso(checkpoints: Checkpoints) -> float:
    """Share of all expected checkpoints whose cases outside the regression category all pass.

    Formula:
        Iso = passed / (expected − empty)

        passed: checkpoints on which every case passes, ignoring regressions
        expected: all checkpoints of all problems, including those never reached
        empty: checkpoints with only regression cases: 0 of 0 is neither a pass nor a failure

    Gap:
        A scored checkpoint has no categories for its cases, no checkpoint has cases outside the
        regression category, or less than 80 % of the checkpoints have a record.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.3 and table 1: "Iso".
    """
    return share_passing(count_verdicts(checkpoints, is_new))


ISO = build_category_metric("iso", "Iso", iso, is_new)


def core(checkpoints: Checkpoints) -> float:
    """Share of all expected checkpoints whose core cases all pass.

    Formula:
        Core = passed / (expected − empty)

        passed: checkpoints on which every core case passes
        expected: all checkpoints of all problems, including those never reached
        empty: checkpoints without core cases: 0 of 0 is neither a pass nor a failure

    Gap:
        A scored checkpoint has no categories for its cases, no checkpoint has core cases, or less
        than 80 % of the checkpoints have a record.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.3 and table 1: "Core".
    """
    return share_passing(count_verdicts(checkpoints, is_core))


CORE = build_category_metric("core", "Core", core, is_core)


def partial(task_rewards: Sequence[TaskRewards]) -> float:
    """Share of problems with at least one strict checkpoint.

    Formula:
        Partial = mean_p mean_a [passed(p, a) ≥ 1]

        […]: 1 if true, otherwise 0
        mean_p: over the problems of the track
        mean_a: over the attempts at a problem
        passed(p, a): checkpoints of problem p on which every case passes in attempt a

    Gap:
        There are no problems, or less than 80 % of them were run. Otherwise, problems that were not
        run count as 0.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.3 and table 1: "Partial".
    """
    if not task_rewards:
        raise MetricError("there are no problems to score")
    return fmean(score_by_task(task_rewards, share_of_begun_attempts))


PARTIAL = Metric(
    id="partial",
    title="Partial",
    unit="percent",
    averaging_words="attempts, then problems",
    protocols=CHAIN,
    computation=Computation(
        function=partial, score_batch=lambda batch: share_of_begun_attempts(batch.rewards)
    ),
    counted_unit="attempts",
)
