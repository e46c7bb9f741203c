"""Scores of checkpoints whose cases fall into categories."""

from collections.abc import Callable, Sequence
from statistics import fmean

from sitegen.metrics.gaps import MetricError
from sitegen.metrics.grids import RewardGrid
from sitegen.models.outcome import RoundResult

REGRESSION, CORE = "regression", "core"
"""Categories that the scores single out."""


def strict(grids: Sequence[RewardGrid]) -> float:
    """Share of all expected checkpoints whose cases all pass.

    Args:
        grids: One per problem, bool, shape (attempts, checkpoints).

    Returns:
        A fraction from 0 to 1, pooled over checkpoints.

    Raises:
        MetricError: No checkpoints.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, table 1: "Strict".
    """
    cells = sum(grid.size for grid in grids)
    if not cells:
        raise MetricError("there is no checkpoint to score")
    return sum(int(grid.sum()) for grid in grids) / cells


def iso(checkpoints: Sequence[RoundResult | None]) -> float:
    """Share of all expected checkpoints whose cases outside the regression category all pass.

    Args:
        checkpoints: Every expected checkpoint's record, None where it is missing.

    Returns:
        A fraction from 0 to 1; a checkpoint without a verdict fails, one without such cases is left out.

    Raises:
        MetricError: No categories are known.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, table 1: "Iso".
    """
    return _share_passing(checkpoints, lambda category: category != REGRESSION)


def core(checkpoints: Sequence[RoundResult | None]) -> float:
    """Share of all expected checkpoints whose core cases all pass.

    Args:
        checkpoints: Every expected checkpoint's record, None where it is missing.

    Returns:
        A fraction from 0 to 1; a checkpoint without a verdict fails, one without core cases is left out.

    Raises:
        MetricError: No categories are known.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, table 1: "Core".
    """
    return _share_passing(checkpoints, lambda category: category == CORE)


def partial(grids: Sequence[RewardGrid]) -> float:
    """Share of problems with at least one strict checkpoint.

    Args:
        grids: One per problem, bool, shape (attempts, checkpoints).

    Returns:
        A fraction from 0 to 1; attempts are averaged first.

    Raises:
        MetricError: No problems.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, table 1: "Partial".
    """
    if not grids:
        raise MetricError("there is no problem to score")
    return fmean(float(grid.any(axis=1).mean()) for grid in grids)


def net_cost(checkpoints: Sequence[RoundResult | None]) -> float:
    """What all produced checkpoints cost together.

    Args:
        checkpoints: Every expected checkpoint's record, None where it is missing.

    Returns:
        US dollars, at least 0.

    Raises:
        MetricError: No cost is known.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, table 1: "Net $".
    """
    return sum(_costs(checkpoints))


def cost_per_round(checkpoints: Sequence[RoundResult | None]) -> float:
    """Mean cost of a produced checkpoint.

    Args:
        checkpoints: Every expected checkpoint's record, None where it is missing.

    Returns:
        US dollars, at least 0.

    Raises:
        MetricError: No cost is known.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, table 1: "$/checkpoint".
    """
    return fmean(_costs(checkpoints))


def minutes_per_round(checkpoints: Sequence[RoundResult | None]) -> float:
    """Mean time of a produced checkpoint.

    Args:
        checkpoints: Every expected checkpoint's record, None where it is missing.

    Returns:
        Minutes, at least 0.

    Raises:
        MetricError: No time is known.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, table 1: "Minutes/checkpoint".
    """
    seconds = [each.agent_seconds for each in checkpoints if each and each.agent_seconds is not None]
    if not seconds:
        raise MetricError("no time was kept")
    return fmean(seconds) / 60


def _costs(checkpoints: Sequence[RoundResult | None]) -> list[float]:
    """Known costs; none where every one of them is 0 without a token, which means that nobody counted."""
    known = [each for each in checkpoints if each and each.cost_usd is not None]
    counted = [each.cost_usd or 0.0 for each in known if each.cost_usd or each.output_tokens or each.input_tokens]
    if not counted:
        raise MetricError("no cost is known")
    return counted


def _share_passing(checkpoints: Sequence[RoundResult | None], wanted: Callable[[str], bool]) -> float:
    verdicts = []
    for each in checkpoints:
        if each is None or each.state != "scored":
            verdicts.append(False)
            continue
        if each.by_category is None:
            raise MetricError("a checkpoint's cases are not told apart by category")
        counts = [count for category, count in each.by_category.items() if wanted(category) and count[1]]
        if counts:
            verdicts.append(all(passed == total for passed, total in counts))
    if not verdicts:
        raise MetricError("no checkpoint has such cases")
    return fmean(verdicts)
