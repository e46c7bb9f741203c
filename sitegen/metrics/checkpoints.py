"""Scores of checkpoints, whose cases may fall into categories."""

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import fmean

from sitegen.metrics.gaps import MetricError
from sitegen.metrics.grids import RewardGrid
from sitegen.metrics.targets import resolved
from sitegen.metrics.tasks import by_task
from sitegen.models.outcome import RoundResult

REGRESSION, CORE = "regression", "core"
"""Categories that the scores single out."""

Checkpoints = Sequence[RoundResult | None]
"""Every expected checkpoint's record, None where it is missing."""


def strict(grids: Sequence[RewardGrid]) -> float:
    """Share of all expected checkpoints whose cases all pass.

    Args:
        grids: One per problem, bool, shape (attempts, checkpoints).

    Returns:
        A fraction from 0 to 1, pooled over checkpoints.

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


def iso(checkpoints: Checkpoints) -> float:
    """Share of all expected checkpoints whose cases outside the regression category all pass.

    Args:
        checkpoints: Every expected checkpoint's record, None where it is missing.

    Returns:
        A fraction from 0 to 1, pooled over checkpoints. One without a verdict does not pass.

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
    return _share_passing(_verdicts(checkpoints, _is_new))


def core(checkpoints: Checkpoints) -> float:
    """Share of all expected checkpoints whose core cases all pass.

    Args:
        checkpoints: Every expected checkpoint's record, None where it is missing.

    Returns:
        A fraction from 0 to 1, pooled over checkpoints. One without a verdict does not pass.

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
    return _share_passing(_verdicts(checkpoints, _is_core))


def iso_counted(checkpoints: Checkpoints) -> int:
    """Count the checkpoints that `iso` is a share of."""
    return _counted(_verdicts(checkpoints, _is_new))


def core_counted(checkpoints: Checkpoints) -> int:
    """Count the checkpoints that `core` is a share of."""
    return _counted(_verdicts(checkpoints, _is_core))


def partial(grids: Sequence[RewardGrid]) -> float:
    """Share of problems with at least one strict checkpoint.

    Args:
        grids: One per problem, bool, shape (attempts, checkpoints).

    Returns:
        A fraction from 0 to 1; attempts are averaged first.

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
    return fmean(by_task(grids, lambda stack: stack.any(axis=2).mean(axis=1)))


def solved(grids: Sequence[RewardGrid]) -> float:
    """Share of problems whose every checkpoint is strict.

    Args:
        grids: One per problem, bool, shape (attempts, checkpoints).

    Returns:
        A fraction from 0 to 1; attempts are averaged first.

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


def _is_new(category: str) -> bool:
    return category != REGRESSION


def _is_core(category: str) -> bool:
    return category == CORE


def _share_passing(verdicts: Counter[bool | None]) -> float:
    counted = _counted(verdicts)
    if not counted:
        raise MetricError("no checkpoint has such cases")
    return verdicts[True] / counted


def _counted(verdicts: Counter[bool | None]) -> int:
    return verdicts[True] + verdicts[False]


def _verdicts(checkpoints: Checkpoints, wanted: Callable[[str], bool]) -> Counter[bool | None]:
    """Count the checkpoints that pass, those that don't, and those that have no case of the wanted categories."""
    return Counter(_passes(each, wanted) for each in checkpoints)


def _passes(checkpoint: RoundResult | None, wanted: Callable[[str], bool]) -> bool | None:
    if checkpoint is None or checkpoint.state != "scored":
        return False
    if checkpoint.by_category is None:
        raise MetricError("a checkpoint's cases are not told apart by category")
    counts = [count for category, count in checkpoint.by_category.items() if wanted(category) and count[1]]
    return all(map(_is_whole, counts)) if counts else None


def _is_whole(count: tuple[int, int]) -> bool:
    passed, total = count
    return passed == total
