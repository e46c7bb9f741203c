"""Scores of targets that are graded together at the end, and of checkpoints, whose cases may fall into categories."""

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sitegen.metrics.chain import require_tasks, share_of_rounds
from sitegen.metrics.grids import Checkpoints, RewardGrid, Sheet, Stacked, by_task
from sitegen.metrics.metric import CHAIN, ONCE, Extent, Metric, MetricError

REGRESSION = "regression"
"""A category that scores single out: cases of earlier checkpoints."""


def share_of_whole_attempts(stack: Stacked) -> ArrayLike:
    """The share of the attempts that pass every round of each of the stacked grids."""
    return np.asarray(stack.all(axis=2).mean(axis=1))


def share_of_begun_attempts(stack: Stacked) -> ArrayLike:
    """The share of the attempts that pass some round of each of the stacked grids."""
    return np.asarray(stack.any(axis=2).mean(axis=1))


def resolved(grids: Sequence[RewardGrid]) -> float:
    """Share of tasks whose every target passes.

    Formula:
        Resolved = 100 / T · Σ_t (1 / A) · Σ_a [passed(t, a) = targets(t)]

        […]: 1 where it is so, else 0
        T: tasks of the track
        A: attempts at each task
        passed(t, a): targets of task t that attempt a passed
        targets(t): all targets of task t, without those that a finding excludes

    Raises:
        MetricError: There is no task, or fewer than 80 % were run. Above that, tasks that were not run count 0.

    Source:
        RoadmapBench, arXiv:2605.15846, section 4.1: "Resolved rate".
    """
    require_tasks(grids)
    return fmean(by_task(grids, share_of_whole_attempts))


RESOLVED = Metric(
    id="resolved",
    title="Resolved",
    unit="percent",
    mean="attempts, then tasks",
    protocols=ONCE,
    function=resolved,
    of_task=lambda stack: share_of_whole_attempts(stack.rewards),
    counts="attempts",
)


def completion(grids: Sequence[RewardGrid], weights: Sequence[NDArray[np.float64]]) -> float:
    """Weighted share of a task's targets that pass, averaged over tasks.

    Formula:
        Completion Score = 1 / T · Σ_t (1 / A) · Σ_a Σ_j w(t, j) · passed(t, a, j) / Σ_j w(t, j)

        T: tasks of the track
        A: attempts at each task
        w(t, j): weight of target j of task t; weights that do not add up to 1 count in proportion
        passed(t, a, j): 1 where attempt a passed target j, else 0

    Raises:
        MetricError: There is no task, or fewer than 80 % were run. Above that, tasks that were not run count 0.

    Source:
        RoadmapBench, arXiv:2605.15846, section 4.1: "Completion Score".
    """
    require_tasks(grids)
    return fmean(float((grid @ weight).mean()) for grid, weight in zip(grids, weights, strict=True))


COMPLETION = Metric(
    id="completion",
    title="Completion Score",
    unit="share",
    decimals=3,
    mean="weighted targets, then attempts, then tasks",
    protocols=ONCE,
    function=completion,
    takes=lambda sheet: (sheet.rewards, [grid.weights for grid in sheet.tasks]),
)


def strict(grids: Sequence[RewardGrid]) -> float:
    """Share of all expected checkpoints whose cases all pass.

    Formula:
        Strict = 100 · passed / expected

        passed: checkpoints whose every case passes, regressions included
        expected: all checkpoints of all problems, also those that were never reached

    Raises:
        MetricError: There is no checkpoint, or fewer than 80 % have a record. Above that, those without one count 0.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.3 and table 1: "Strict".
    """
    cells = sum(grid.size for grid in grids)
    if not cells:
        raise MetricError("there is no checkpoint to score")
    return sum(int(grid.sum()) for grid in grids) / cells


STRICT = Metric(
    id="strict",
    title="Strict",
    unit="percent",
    mean="all expected checkpoints, pooled",
    protocols=CHAIN,
    function=strict,
    over=lambda sheet: Extent(len(sheet.results) - sheet.results.count(None), len(sheet.results), "checkpoint"),
    of_task=lambda stack: share_of_rounds(stack.rewards),
    weigh="of",
    counts="rounds of attempts",
)


def is_new(category: str) -> bool:
    """Whether cases of a category were not there before their checkpoint."""
    return category != REGRESSION


def is_core(category: str) -> bool:
    """Whether a category is that of the core cases."""
    return category == "core"


def verdicts_of(checkpoints: Checkpoints, wanted: Callable[[str], bool]) -> Counter[bool | None]:
    """Count the checkpoints that pass, those that don't, and (None) those without a case of the wanted categories."""
    verdicts: Counter[bool | None] = Counter()
    for each in checkpoints:
        if each is None or each.state != "scored":
            verdicts[False] += 1
            continue
        if each.by_category is None:
            raise MetricError("a checkpoint's cases are not told apart by category")
        counts = [(passed, total) for name, (passed, total) in each.by_category.items() if wanted(name) and total]
        verdicts[all(passed == total for passed, total in counts) if counts else None] += 1
    return verdicts


def share_passing(verdicts: Counter[bool | None]) -> float:
    """The share of the checkpoints with such cases that pass."""
    if not verdicts[True] + verdicts[False]:
        raise MetricError("no checkpoint has such cases")
    return verdicts[True] / (verdicts[True] + verdicts[False])


def with_cases(sheet: Sheet, wanted: Callable[[str], bool]) -> Extent:
    """The checkpoints that have cases of some categories; those without a record are taken to have some."""
    verdicts = verdicts_of(sheet.results, wanted)
    of = verdicts[True] + verdicts[False]
    return Extent(of - sheet.results.count(None), of, "checkpoint")


def of_cases(name: str, title: str, function: Callable[[Checkpoints], float], wanted: Callable[[str], bool]) -> Metric:
    """The metric of the checkpoints that have cases of the wanted categories."""
    return Metric(
        id=name,
        title=title,
        unit="percent",
        mean="all expected checkpoints that have such cases, pooled",
        protocols=CHAIN,
        function=function,
        takes=lambda sheet: (sheet.results,),
        over=lambda sheet: with_cases(sheet, wanted),
        weigh="of",
        counts="rounds of attempts",
    )


def iso(checkpoints: Checkpoints) -> float:
    """Share of all expected checkpoints whose cases outside the regression category all pass.

    Formula:
        Iso = 100 · passed / (expected − empty)

        passed: checkpoints whose every case passes, regressions left aside
        expected: all checkpoints of all problems, also those that were never reached
        empty: checkpoints whose record has no other case than regressions: 0 of 0 is neither a pass nor a failure

    Raises:
        MetricError: A scored checkpoint does not tell its cases apart by category, or none has such cases, or fewer
            than 80 % have a record.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.3 and table 1: "Iso".
    """
    return share_passing(verdicts_of(checkpoints, is_new))


ISO = of_cases("iso", "Iso", iso, is_new)


def core(checkpoints: Checkpoints) -> float:
    """Share of all expected checkpoints whose core cases all pass.

    Formula:
        Core = 100 · passed / (expected − empty)

        passed: checkpoints whose every core case passes
        expected: all checkpoints of all problems, also those that were never reached
        empty: checkpoints whose record has no core case: 0 of 0 is neither a pass nor a failure

    Raises:
        MetricError: A scored checkpoint does not tell its cases apart by category, or none has core cases, or fewer
            than 80 % have a record.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.3 and table 1: "Core".
    """
    return share_passing(verdicts_of(checkpoints, is_core))


CORE = of_cases("core", "Core", core, is_core)


def partial(grids: Sequence[RewardGrid]) -> float:
    """Share of problems with at least one strict checkpoint.

    Formula:
        Partial = 100 / P · Σ_p (1 / A) · Σ_a [passed(p, a) ≥ 1]

        […]: 1 where it is so, else 0
        P: problems of the track
        A: attempts at each problem
        passed(p, a): checkpoints of problem p whose every case passes in attempt a

    Raises:
        MetricError: There is no problem, or fewer than 80 % were run. Above that, those that were not run count 0.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.3 and table 1: "Partial".
    """
    if not grids:
        raise MetricError("there is no problem to score")
    return fmean(by_task(grids, share_of_begun_attempts))


PARTIAL = Metric(
    id="partial",
    title="Partial",
    unit="percent",
    mean="attempts, then problems",
    protocols=CHAIN,
    function=partial,
    of_task=lambda stack: share_of_begun_attempts(stack.rewards),
    counts="attempts",
)


def solved(grids: Sequence[RewardGrid]) -> float:
    """Share of problems whose every checkpoint is strict.

    Formula:
        Solved = 100 / P · Σ_p (1 / A) · Σ_a [passed(p, a) = checkpoints(p)]

        […]: 1 where it is so, else 0
        P: problems of the track
        A: attempts at each problem
        passed(p, a): checkpoints of problem p whose every case passes in attempt a
        checkpoints(p): all checkpoints of problem p, also those that were never reached

    Raises:
        MetricError: There is no problem, or fewer than 80 % were run. Above that, those that were not run count 0.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 4: problems that are solved end to end.
    """
    return resolved(grids)


SOLVED = Metric(
    id="solved",
    title="Solved",
    unit="percent",
    mean="attempts, then problems",
    protocols=CHAIN,
    function=solved,
    of_task=lambda stack: share_of_whole_attempts(stack.rewards),
    counts="attempts",
)
