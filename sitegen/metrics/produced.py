"""Figures of produced checkpoints: those that an agent worked on, whatever came of it."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from statistics import fmean

from sitegen.metrics.grids import Checkpoints, Sheet, TaskGrid, reached
from sitegen.metrics.metric import ALL, BY_ROUND, Extent, Metric, MetricError, known_tasks
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


def amounts(tasks: Sequence[TaskGrid], amount: Callable[[RoundResult | RunFigures], float | None]) -> Amounts:
    """Collect a figure that checkpoints and runs share; a checkpoint's own value wins."""
    worked = chain.from_iterable(chain.from_iterable(grid.worked for grid in tasks))
    own = [value for value in map(amount, worked) if value is not None]
    by_run, in_runs = [], 0
    for grid in (grid for grid in tasks if any(grid.runs)):
        for produced, run in zip(grid.worked, grid.runs, strict=True):
            whole = amount(run) if run and produced else None
            if whole is not None and set(map(amount, produced)) == {None}:
                by_run.append(whole)
                in_runs += len(produced)
    return Amounts(own, by_run, in_runs)


def costs(tasks: Sequence[TaskGrid]) -> Amounts:
    """What produced checkpoints cost, in US dollars. No cost without a token means that nobody counted."""
    return amounts(
        tasks, lambda each: each.cost_usd if each.cost_usd or each.output_tokens or each.input_tokens else None
    )


def seconds(tasks: Sequence[TaskGrid]) -> Amounts:
    """How long the agent worked on produced checkpoints, in seconds."""
    return amounts(tasks, attrgetter("agent_seconds"))


def extent(sheet: Sheet, known: int) -> Extent:
    """Of how many produced checkpoints something is known."""
    return Extent(known, sum(len(worked) for grid in sheet.tasks for worked in grid.worked), "checkpoint")


def known_costs(sheet: Sheet) -> Extent:
    """The produced checkpoints whose cost is known."""
    return extent(sheet, costs(sheet.tasks).checkpoints)


def _known(amounts: Amounts, otherwise: str) -> Amounts:
    if not amounts.checkpoints:
        raise MetricError(otherwise)
    return amounts


def cost_per_round(tasks: Sequence[TaskGrid]) -> float:
    """Mean cost of a produced checkpoint.

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


COST_PER_ROUND = Metric(
    id="cost_per_round",
    title="Cost per round",
    unit="USD",
    direction="lower",
    decimals=2,
    mean="produced checkpoints, pooled",
    protocols=BY_ROUND,
    function=cost_per_round,
    takes=lambda sheet: (sheet.tasks,),
    over=known_costs,
    weigh="n",
    effort="cost",
    observations=lambda sheet: costs(sheet.tasks).observations,
    version=2,
)


def net_cost(tasks: Sequence[TaskGrid]) -> float:
    """What all produced checkpoints cost together.

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


NET_COST = Metric(
    id="net_cost",
    title="Net cost",
    unit="USD",
    direction="lower",
    decimals=2,
    mean="nothing: a sum over produced checkpoints",
    protocols=ALL,
    function=net_cost,
    takes=lambda sheet: (sheet.tasks,),
    over=lambda sheet: known_tasks(sheet) if known_tasks(sheet).is_part else known_costs(sheet),
    form="sum",
    is_total=True,
    effort="cost",
    version=2,
)


def minutes_per_round(tasks: Sequence[TaskGrid]) -> float:
    """Mean time that the agent worked on a produced checkpoint.

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


MINUTES_PER_ROUND = Metric(
    id="minutes_per_round",
    title="Minutes per round",
    unit="minutes",
    direction="lower",
    mean="produced checkpoints, pooled",
    protocols=BY_ROUND,
    function=minutes_per_round,
    takes=lambda sheet: (sheet.tasks,),
    over=lambda sheet: extent(sheet, seconds(sheet.tasks).checkpoints),
    weigh="n",
    effort="time",
    observations=lambda sheet: [each / 60 for each in seconds(sheet.tasks).observations],
    version=2,
)


def _measurements(checkpoints: Checkpoints, name: str) -> dict[str, list[float]]:
    """Values of a measurement of produced checkpoints, by its name with the definition's version: `NAME@VERSION`."""
    found: dict[str, list[float]] = defaultdict(list)
    for each in reached(checkpoints):
        for key, value in each.measures.items() if each.measures else ():
            if key.partition("@")[0] == name:
                found[key].append(value)
    return found


def measured(checkpoints: Checkpoints, name: str) -> Sequence[float]:
    """A measurement of every produced checkpoint that has it, at least one.

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


def measuring(name: str, title: str, function: Callable[[Checkpoints], float]) -> Metric:
    """The metric that averages a measurement, over the checkpoints that have it by the version that most have."""
    return Metric(
        id=name,
        title=title,
        unit="share",
        direction="lower",
        decimals=2,
        mean="produced checkpoints, pooled",
        protocols=BY_ROUND,
        function=function,
        takes=lambda sheet: (sheet.results,),
        over=lambda sheet: extent(sheet, max(map(len, _measurements(sheet.results, name).values()), default=0)),
        weigh="n",
        measurement=name,
        observations=lambda sheet: measured(sheet.results, name),
        version=2,
    )


def version_of(metric: Metric, sheet: Sheet) -> str | None:
    """By which version of its definition a metric's measurement was made; None for none, several, or no measurement."""
    found = list(_measurements(sheet.results, metric.measurement)) if metric.measurement else []
    return found[0].partition("@")[2] or None if len(found) == 1 else None


def erosion(checkpoints: Checkpoints) -> float:
    """Mean share of a checkpoint's complexity that sits in its most complex functions.

    What counts as complexity follows a definition whose version goes with the value, because values by two
    versions do not compare. In the paper's, a function's complexity mass is its cyclomatic complexity times the
    square root of its lines, and the share is that of functions whose cyclomatic complexity is above 10.

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


EROSION = measuring("erosion", "Erosion", erosion)


def verbosity(checkpoints: Checkpoints) -> float:
    """Mean share of a checkpoint's lines that are copies of others or needlessly long.

    What counts as needless follows a definition whose version goes with the value, because values by two
    versions do not compare. In the paper's, these are the lines that a set of syntax rules flags, and cloned lines.

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


VERBOSITY = measuring("verbosity", "Verbosity", verbosity)
