"""The catalogue of metrics: what each is called, how it is shown, and the function that computes it.

A new score is one pure function in this package and one row here.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sitegen.metrics import chain, checkpoints, effort, failstop, produced, targets
from sitegen.metrics.gaps import Extent
from sitegen.metrics.grids import RewardGrid, Sheet
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Protocol
from sitegen.models.outcome import RoundResult

CHAIN: frozenset[Protocol] = frozenset({"chain"})
FAIL_STOP: frozenset[Protocol] = frozenset({"fail-stop"})
ONCE: frozenset[Protocol] = frozenset({"once"})
BY_ROUND = CHAIN | FAIL_STOP
"""Protocols whose agent works on one round after the other."""
ALL = BY_ROUND | ONCE


def _percent(share: Callable[[Sheet], float]) -> Callable[[Sheet], float]:
    return lambda sheet: 100 * share(sheet)


def _reference_rewards(sheet: Sheet) -> list[RewardGrid]:
    """Verdicts of the rounds started from the reference state; none where the track has no such rounds."""
    rows = [grid.reference for grid in sheet.tasks]
    if not any(each for row in rows for each in row):
        return []
    return [np.array([bool(each and each.solved) for each in row], dtype=np.bool_) for row in rows]


def _tasks(sheet: Sheet) -> Extent:
    """The tasks that there are results for; the others count 0."""
    return Extent(len(sheet.tasks) - len(sheet.missing), len(sheet.tasks), "task")


def _reference_rounds(sheet: Sheet) -> Extent:
    """The rounds that there are results for from the reference state; the others count 0."""
    rounds = [each for grid in sheet.tasks for each in grid.reference]
    return Extent(len(rounds) - rounds.count(None), len(rounds), "round")


def _narrower(sheet: Sheet) -> Extent:
    """What is known of the less known of SR and MT@k."""
    return _reference_rounds(sheet).narrower(_tasks(sheet))


def _checkpoints(sheet: Sheet) -> Extent:
    """The checkpoints that there are results for; the others count 0."""
    return Extent(len(sheet.results) - sheet.results.count(None), len(sheet.results), "checkpoint")


def _told_apart(count: Callable[[Sequence[RoundResult | None]], int]) -> Callable[[Sheet], Extent]:
    """The checkpoints that have cases of some categories; those without a record are taken to have some."""

    def extent(sheet: Sheet) -> Extent:
        of = count(sheet.results)
        return Extent(of - sheet.results.count(None), of, "checkpoint")

    return extent


def _whole_cost(sheet: Sheet) -> Extent:
    """What a sum is over: all tasks, and then all that was produced."""
    tasks = _tasks(sheet)
    return tasks if tasks.is_part else _costs(sheet)


def _costs(sheet: Sheet) -> Extent:
    return produced.extent(sheet.tasks, produced.costs(sheet.tasks).checkpoints)


def _times(sheet: Sheet) -> Extent:
    return produced.extent(sheet.tasks, produced.seconds(sheet.tasks).checkpoints)


def _measured(name: str) -> Callable[[Sheet], Extent]:
    return lambda sheet: produced.extent(sheet.tasks, produced.count_measured(sheet.results, name))


def _gap(sheet: Sheet) -> float:
    return failstop.gap(_reference_rewards(sheet), sheet.attempted, sheet.attempts)


def _interactions_caveat(sheet: Sheet) -> str | None:
    by_round = any(each.interactions is not None for each in sheet.results if each)
    return None if by_round else "the source tells a mean for each task, not the interactions of each round"


def _completion(sheet: Sheet) -> float:
    return targets.completion(sheet.rewards, [grid.weights for grid in sheet.tasks])


def _minutes(sheet: Sheet) -> list[float]:
    return [each / 60 for each in produced.seconds(sheet.tasks).observations]


# fmt: off
# One row a metric, so that columns can be compared.
_ROWS = (
    Metric("dataset_score", "Dataset Score", "percent", "higher", 1, "rounds of a task, then attempts, then tasks",
           CHAIN, _percent(lambda sheet: chain.dataset_score(sheet.rewards)), chain.dataset_score, _tasks),
    Metric("case_score", "Case Score", "percent", "higher", 1,
           "cases of a round, then rounds of a task, then attempts, then tasks",
           CHAIN, _percent(lambda sheet: chain.case_score(sheet.shares)), chain.case_score, _tasks),
    Metric("avg_rounds", "Avg Rounds", "interactions", "lower", 1, "reached rounds of a run, then attempts, then tasks",
           BY_ROUND, lambda sheet: chain.avg_rounds([grid.interactions for grid in sheet.tasks]), chain.avg_rounds,
           chain.with_interactions, caveat=_interactions_caveat, version=2),
    Metric("perfect_tasks", "Perfect Tasks", "tasks", "higher", 0, "nothing: it counts tasks",
           ALL, lambda sheet: chain.perfect_tasks(sheet.attempted), chain.perfect_tasks, _tasks,
           form="sum", counts="tasks"),
    Metric("mt_at_k", "MT@k", "percent", "higher", 1, "rounds of a task, then tasks",
           FAIL_STOP, _percent(lambda sheet: failstop.mt_at_k(sheet.attempted, sheet.attempts)), failstop.mt_at_k,
           _tasks),
    Metric("sr", "SR", "percent", "higher", 1, "all rounds of all tasks, pooled",
           FAIL_STOP, _percent(lambda sheet: failstop.sr(_reference_rewards(sheet))), failstop.sr, _reference_rounds,
           weigh="of", counts="rounds"),
    Metric("gap", "Gap", "points", "lower", 1, "as SR and MT@k",
           FAIL_STOP, _percent(_gap), failstop.gap, _narrower, form=None, terms=("sr", "mt_at_k")),
    Metric("comp", "Comp", "percent", "higher", 1, "tasks",
           FAIL_STOP, _percent(lambda sheet: failstop.comp(sheet.attempted, sheet.attempts)), failstop.comp, _tasks,
           counts="tasks"),
    Metric("avg_turns", "Avg Turns", "turns", "lower", 1, "runs of a task, then tasks",
           ALL, lambda sheet: effort.avg_turns(sheet.tasks), effort.avg_turns, effort.with_turns, version=2),
    Metric("output_tokens_k", "Output Tokens", "thousand tokens", "lower", 1, "runs of a task, then tasks",
           ALL, lambda sheet: effort.output_tokens_k(sheet.tasks), effort.output_tokens_k, effort.with_output_tokens,
           version=2),
    Metric("resolved", "Resolved", "percent", "higher", 1, "attempts, then tasks",
           ONCE, _percent(lambda sheet: targets.resolved(sheet.rewards)), targets.resolved, _tasks, counts="attempts"),
    Metric("completion", "Completion Score", "share", "higher", 3, "weighted targets, then attempts, then tasks",
           ONCE, _completion, targets.completion, _tasks),
    Metric("strict", "Strict", "percent", "higher", 1, "all expected checkpoints, pooled",
           CHAIN, _percent(lambda sheet: checkpoints.strict(sheet.rewards)), checkpoints.strict, _checkpoints,
           weigh="of", counts="rounds of attempts"),
    Metric("iso", "Iso", "percent", "higher", 1, "all expected checkpoints that have such cases, pooled",
           CHAIN, _percent(lambda sheet: checkpoints.iso(sheet.results)), checkpoints.iso,
           _told_apart(checkpoints.iso_counted), weigh="of", counts="rounds of attempts"),
    Metric("core", "Core", "percent", "higher", 1, "all expected checkpoints that have such cases, pooled",
           CHAIN, _percent(lambda sheet: checkpoints.core(sheet.results)), checkpoints.core,
           _told_apart(checkpoints.core_counted), weigh="of", counts="rounds of attempts"),
    Metric("partial", "Partial", "percent", "higher", 1, "attempts, then problems",
           CHAIN, _percent(lambda sheet: checkpoints.partial(sheet.rewards)), checkpoints.partial, _tasks,
           counts="attempts"),
    Metric("solved", "Solved", "percent", "higher", 1, "attempts, then problems",
           CHAIN, _percent(lambda sheet: checkpoints.solved(sheet.rewards)), checkpoints.solved, _tasks,
           counts="attempts"),
    Metric("cost_per_round", "Cost per round", "USD", "lower", 2, "produced checkpoints, pooled",
           BY_ROUND, lambda sheet: produced.cost_per_round(sheet.tasks), produced.cost_per_round, _costs, weigh="n",
           observations=lambda sheet: produced.costs(sheet.tasks).observations, version=2),
    Metric("net_cost", "Net cost", "USD", "lower", 2, "nothing: a sum over produced checkpoints",
           ALL, lambda sheet: produced.net_cost(sheet.tasks), produced.net_cost, _whole_cost, form="sum",
           is_total=True, version=2),
    Metric("minutes_per_round", "Minutes per round", "minutes", "lower", 1, "produced checkpoints, pooled",
           BY_ROUND, lambda sheet: produced.minutes_per_round(sheet.tasks), produced.minutes_per_round, _times,
           weigh="n", observations=_minutes, version=2),
    Metric("erosion", "Erosion", "share", "lower", 2, "produced checkpoints, pooled",
           BY_ROUND, lambda sheet: produced.erosion(sheet.results), produced.erosion, _measured("erosion"),
           measurement="erosion", weigh="n",
           observations=lambda sheet: produced.measured(sheet.results, "erosion"), version=2),
    Metric("verbosity", "Verbosity", "share", "lower", 2, "produced checkpoints, pooled",
           BY_ROUND, lambda sheet: produced.verbosity(sheet.results), produced.verbosity, _measured("verbosity"),
           measurement="verbosity", weigh="n",
           observations=lambda sheet: produced.measured(sheet.results, "verbosity"), version=2),
)
# fmt: on

METRICS: Mapping[str, Metric] = {metric.id: metric for metric in _ROWS}
"""Every metric by its id, in the order that tables show them."""


def version_of(metric: Metric, sheet: Sheet) -> str | None:
    """Tell which version of its definition a metric's measurement follows; None for metrics without versions."""
    name = metric.measurement
    return produced.definition_version(sheet.results, name) if name else None
