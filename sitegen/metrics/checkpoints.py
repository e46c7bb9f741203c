"""Scores of checkpoints whose cases fall into categories."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean

from sitegen.metrics.gaps import MetricError
from sitegen.metrics.grids import RewardGrid, reached
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
        A fraction from 0 to 1; a checkpoint without a verdict or without such cases does not pass.

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
        A fraction from 0 to 1; a checkpoint without a verdict or without core cases does not pass.

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
    seconds = [each.agent_seconds for each in reached(checkpoints) if each.agent_seconds is not None]
    if not seconds:
        raise MetricError("no time was kept")
    return fmean(seconds) / 60


def measured(checkpoints: Sequence[RoundResult | None], name: str) -> float:
    """Mean of a measurement over the produced checkpoints.

    Args:
        checkpoints: Every expected checkpoint's record, None where it is missing.
        name: The measurement, without the version of its definition.

    Returns:
        The mean, in the unit that its definition gives.

    Raises:
        MetricError: Nothing was measured, or by several definitions, whose values don't compare.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, equations 2 to 4.
    """
    found = _measurements(checkpoints, name)
    if not found:
        raise MetricError(f"{name} was not measured")
    if len(found) > 1:
        raise MetricError(f"{name} was measured by several definitions: {', '.join(sorted(found))}")
    (values,) = found.values()
    return fmean(values)


def definition_version(checkpoints: Sequence[RoundResult | None], name: str) -> str | None:
    """Tell by which version of its definition something was measured; None where it was by none, or by several."""
    found = [key.partition("@")[2] for key in _measurements(checkpoints, name)]
    return found[0] or None if len(found) == 1 else None


def _measurements(checkpoints: Sequence[RoundResult | None], name: str) -> dict[str, list[float]]:
    """Values of a measurement, by its name with the definition's version."""
    found: dict[str, list[float]] = defaultdict(list)
    for each in reached(checkpoints):
        for key, value in each.measures.items() if each.measures else ():
            if key.partition("@")[0] == name:
                found[key].append(value)
    return found


def _costs(checkpoints: Sequence[RoundResult | None]) -> list[float]:
    costs = [each.cost_usd for each in reached(checkpoints) if each.cost_usd is not None and _is_counted(each)]
    if not costs:
        raise MetricError("no cost is known")
    return costs


def _is_counted(checkpoint: RoundResult) -> bool:
    """Whether somebody counted: a cost of 0 without a token means that nobody did."""
    return any((checkpoint.cost_usd, checkpoint.output_tokens, checkpoint.input_tokens))


def _share_passing(checkpoints: Sequence[RoundResult | None], wanted: Callable[[str], bool]) -> float:
    if not checkpoints:
        raise MetricError("there is no checkpoint to score")
    scored = [each for each in reached(checkpoints) if each.state == "scored"]
    verdicts = Counter(_passes(each, wanted) for each in scored)
    if scored and verdicts[None] == len(scored):
        raise MetricError("no checkpoint has such cases")
    return verdicts[True] / len(checkpoints)


def _passes(checkpoint: RoundResult, wanted: Callable[[str], bool]) -> bool | None:
    """Whether the cases of some categories all pass; None where there are none of them."""
    if checkpoint.by_category is None:
        raise MetricError("a checkpoint's cases are not told apart by category")
    counts = [count for category, count in checkpoint.by_category.items() if wanted(category) and count[1]]
    return all(passed == total for passed, total in counts) if counts else None
