"""Figures of produced checkpoints: those that an agent worked on, whatever came of it."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from statistics import fmean

from sitegen.metrics.gaps import Extent, MetricError
from sitegen.metrics.grids import TaskGrid, reached
from sitegen.models.outcome import RoundResult, RunFigures


@dataclass(frozen=True, slots=True)
class Amounts:
    """How much of something was taken, as finely as the source knows it."""

    by_checkpoint: Sequence[float]
    """Amount of each checkpoint that has one of its own."""
    by_run: Sequence[float] = ()
    """Amount of each run whose checkpoints have none of their own."""
    in_runs: int = 0
    """Checkpoints that those runs produced."""

    @property
    def total(self) -> float:
        """All of it together."""
        return sum(self.by_checkpoint) + sum(self.by_run)

    @property
    def checkpoints(self) -> int:
        """Checkpoints that it was taken for."""
        return len(self.by_checkpoint) + self.in_runs

    @property
    def observations(self) -> Sequence[float]:
        """Amount of each checkpoint; none where some are known only for whole runs."""
        return () if self.by_run else self.by_checkpoint


def costs(tasks: Sequence[TaskGrid]) -> Amounts:
    """Collect what produced checkpoints cost, in US dollars. No cost without a token means that nobody counted."""
    return _amounts(tasks, _cost)


def seconds(tasks: Sequence[TaskGrid]) -> Amounts:
    """Collect how long the agent worked on produced checkpoints, in seconds."""
    return _amounts(tasks, attrgetter("agent_seconds"))


def extent(tasks: Sequence[TaskGrid], known: int) -> Extent:
    """Say of how many produced checkpoints something is known."""
    return Extent(known, sum(len(worked) for grid in tasks for worked in grid.worked), "checkpoint")


def net_cost(tasks: Sequence[TaskGrid]) -> float:
    """What all produced checkpoints cost together.

    Args:
        tasks: Results by problem.

    Returns:
        US dollars, at least 0.

    Formula:
        Net cost = Σ cost

        cost: US dollars of each produced checkpoint, or of a run where its checkpoints have no cost of their own

    Raises:
        MetricError: The cost of a produced checkpoint is not known, as where neither a dollar nor a token was counted,
            or a task has no results: a sum with unknown parts is none.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, table 1: "Net $".
    """
    return _known(costs(tasks), "no cost is known").total


def cost_per_round(tasks: Sequence[TaskGrid]) -> float:
    """Mean cost of a produced checkpoint.

    Args:
        tasks: Results by problem.

    Returns:
        US dollars, at least 0.

    Formula:
        Cost per round = Σ cost / n

        cost: US dollars of each produced checkpoint
        n: produced checkpoints whose cost is known

    Raises:
        MetricError: No cost is known, or that of fewer than 80 % of the produced checkpoints. Where neither a dollar
            nor a token was counted, a checkpoint has no cost, and is left out.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, table 1: "$/checkpoint".
    """
    found = _known(costs(tasks), "no cost is known")
    return found.total / found.checkpoints


def minutes_per_round(tasks: Sequence[TaskGrid]) -> float:
    """Mean time that the agent worked on a produced checkpoint.

    Args:
        tasks: Results by problem.

    Returns:
        Minutes, at least 0.

    Formula:
        Minutes per round = Σ seconds / 60 / n

        seconds: wall time of the agent on each produced checkpoint, without the check
        n: produced checkpoints whose time is known

    Raises:
        MetricError: Nobody kept the time, or that of fewer than 80 % of the produced checkpoints. Checkpoints without
            a time are left out.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, table 1: "Minutes/checkpoint".
    """
    found = _known(seconds(tasks), "no time was kept")
    return found.total / 60 / found.checkpoints


def erosion(checkpoints: Sequence[RoundResult | None]) -> float:
    """Mean share of a checkpoint's complexity that sits in its most complex functions.

    What counts as complexity follows a definition whose version goes with the value, because values by two
    versions do not compare. In the paper's, a function's complexity mass is its cyclomatic complexity times the
    square root of its lines, and the share is that of functions whose cyclomatic complexity is above 10.

    Args:
        checkpoints: Every expected checkpoint's record, None where it is missing.

    Returns:
        From 0 to 1 in the paper's definition; another may reach further.

    Formula:
        Erosion = Σ erosion(c) / n

        erosion(c): what was measured at produced checkpoint c
        n: produced checkpoints where it was measured

    Raises:
        MetricError: It was not measured, or at fewer than 80 % of the produced checkpoints, or by several versions of
            its definition. Checkpoints without a measurement are left out.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.3, equations 2 and 3.
    """
    return fmean(measured(checkpoints, "erosion"))


def verbosity(checkpoints: Sequence[RoundResult | None]) -> float:
    """Mean share of a checkpoint's lines that are copies of others or needlessly long.

    What counts as needless follows a definition whose version goes with the value, because values by two
    versions do not compare. In the paper's, these are the lines that a set of syntax rules flags, and cloned lines.

    Args:
        checkpoints: Every expected checkpoint's record, None where it is missing.

    Returns:
        From 0 to 1 in the paper's definition; another may reach further.

    Formula:
        Verbosity = Σ verbosity(c) / n

        verbosity(c): what was measured at produced checkpoint c
        n: produced checkpoints where it was measured

    Raises:
        MetricError: It was not measured, or at fewer than 80 % of the produced checkpoints, or by several versions of
            its definition. Checkpoints without a measurement are left out.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.3, equation 4.
    """
    return fmean(measured(checkpoints, "verbosity"))


def measured(checkpoints: Sequence[RoundResult | None], name: str) -> Sequence[float]:
    """Give a measurement of every produced checkpoint that has it.

    Args:
        checkpoints: Every expected checkpoint's record, None where it is missing.
        name: The measurement, without the version of its definition.

    Returns:
        At least one value, in the unit that the definition gives.

    Raises:
        MetricError: Nothing was measured, or by several definitions, whose values don't compare.
    """
    found = _measurements(checkpoints, name)
    if not found:
        raise MetricError(f"{name} was not measured")
    if len(found) > 1:
        raise MetricError(f"{name} was measured by several definitions: {', '.join(sorted(found))}")
    (values,) = found.values()
    return values


def count_measured(checkpoints: Sequence[RoundResult | None], name: str) -> int:
    """Count the produced checkpoints that have a measurement, by the version of its definition that most have."""
    return max(map(len, _measurements(checkpoints, name).values()), default=0)


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


def _known(amounts: Amounts, otherwise: str) -> Amounts:
    if not amounts.checkpoints:
        raise MetricError(otherwise)
    return amounts


def _amounts(tasks: Sequence[TaskGrid], amount: Callable[[RoundResult | RunFigures], float | None]) -> Amounts:
    """Collect a figure that checkpoints and runs share; a checkpoint's own value wins."""
    checkpoints = chain.from_iterable(chain.from_iterable(grid.worked for grid in tasks))
    own = [value for value in map(amount, checkpoints) if value is not None]
    by_run = list(chain.from_iterable(_of_runs(grid, amount) for grid in tasks if any(grid.runs)))
    return Amounts(own, [whole for whole, _ in by_run], sum(produced for _, produced in by_run))


def _of_runs(grid: TaskGrid, amount: Callable[[RoundResult | RunFigures], float | None]) -> Iterator[tuple[float, int]]:
    """Give the amount of each run whose checkpoints have none of their own, and how many it produced."""
    for worked, run in zip(grid.worked, grid.runs, strict=True):
        whole = amount(run) if run and worked else None
        if whole is not None and set(map(amount, worked)) == {None}:
            yield whole, len(worked)


def _cost(record: RoundResult | RunFigures) -> float | None:
    return record.cost_usd if record.cost_usd or record.output_tokens or record.input_tokens else None
