"""The catalogue of metrics: what each is called, how it is shown, and the function that computes it.

A new score is one pure function in this package and one row here.
"""

from collections.abc import Callable, Mapping

import numpy as np

from sitegen.metrics import chain, checkpoints, effort, failstop, produced, targets
from sitegen.metrics.grids import RewardGrid, Sheet
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Protocol

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


def _rounds(sheet: Sheet) -> int:
    return sum(len(grid.rounds) for grid in sheet.tasks)


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
           CHAIN, _percent(lambda sheet: chain.dataset_score(sheet.rewards)), chain.dataset_score),
    Metric("case_score", "Case Score", "percent", "higher", 1,
           "cases of a round, then rounds of a task, then attempts, then tasks",
           CHAIN, _percent(lambda sheet: chain.case_score(sheet.shares)), chain.case_score),
    Metric("avg_rounds", "Avg Rounds", "interactions", "lower", 1, "reached rounds of a run, then attempts, then tasks",
           BY_ROUND, lambda sheet: chain.avg_rounds([grid.interactions for grid in sheet.tasks]), chain.avg_rounds,
           caveat=_interactions_caveat),
    Metric("perfect_tasks", "Perfect Tasks", "tasks", "higher", 0, "nothing: it counts tasks",
           ALL, lambda sheet: chain.perfect_tasks(sheet.attempted), chain.perfect_tasks, form="sum"),
    Metric("mt_at_k", "MT@k", "percent", "higher", 1, "rounds of a task, then tasks",
           FAIL_STOP, _percent(lambda sheet: failstop.mt_at_k(sheet.attempted, sheet.attempts)), failstop.mt_at_k),
    Metric("sr", "SR", "percent", "higher", 1, "all rounds of all tasks, pooled",
           FAIL_STOP, _percent(lambda sheet: failstop.sr(_reference_rewards(sheet))), failstop.sr, weigh=_rounds),
    Metric("gap", "Gap", "points", "lower", 1, "as SR and MT@k",
           FAIL_STOP, _percent(_gap), failstop.gap, form=None, terms=("sr", "mt_at_k")),
    Metric("comp", "Comp", "percent", "higher", 1, "tasks",
           FAIL_STOP, _percent(lambda sheet: failstop.comp(sheet.attempted, sheet.attempts)), failstop.comp),
    Metric("avg_turns", "Avg Turns", "turns", "lower", 1, "runs of a task, then tasks",
           ALL, lambda sheet: effort.avg_turns(sheet.tasks), effort.avg_turns),
    Metric("output_tokens_k", "Output Tokens", "thousand tokens", "lower", 1, "runs of a task, then tasks",
           ALL, lambda sheet: effort.output_tokens_k(sheet.tasks), effort.output_tokens_k),
    Metric("resolved", "Resolved", "percent", "higher", 1, "attempts, then tasks",
           ONCE, _percent(lambda sheet: targets.resolved(sheet.rewards)), targets.resolved),
    Metric("completion", "Completion Score", "share", "higher", 3, "weighted targets, then attempts, then tasks",
           ONCE, _completion, targets.completion),
    Metric("strict", "Strict", "percent", "higher", 1, "all expected checkpoints, pooled",
           CHAIN, _percent(lambda sheet: checkpoints.strict(sheet.rewards)), checkpoints.strict,
           weigh=lambda sheet: len(sheet.results)),
    Metric("iso", "Iso", "percent", "higher", 1, "all expected checkpoints that have such cases, pooled",
           CHAIN, _percent(lambda sheet: checkpoints.iso(sheet.results)), checkpoints.iso,
           weigh=lambda sheet: checkpoints.iso_counted(sheet.results)),
    Metric("core", "Core", "percent", "higher", 1, "all expected checkpoints that have such cases, pooled",
           CHAIN, _percent(lambda sheet: checkpoints.core(sheet.results)), checkpoints.core,
           weigh=lambda sheet: checkpoints.core_counted(sheet.results)),
    Metric("partial", "Partial", "percent", "higher", 1, "attempts, then problems",
           CHAIN, _percent(lambda sheet: checkpoints.partial(sheet.rewards)), checkpoints.partial),
    Metric("solved", "Solved", "percent", "higher", 1, "attempts, then problems",
           CHAIN, _percent(lambda sheet: checkpoints.solved(sheet.rewards)), checkpoints.solved),
    Metric("cost_per_round", "Cost per round", "USD", "lower", 2, "produced checkpoints, pooled",
           BY_ROUND, lambda sheet: produced.cost_per_round(sheet.tasks), produced.cost_per_round,
           weigh=lambda sheet: produced.costs(sheet.tasks).checkpoints,
           observations=lambda sheet: produced.costs(sheet.tasks).observations),
    Metric("net_cost", "Net cost", "USD", "lower", 2, "nothing: a sum over produced checkpoints",
           ALL, lambda sheet: produced.net_cost(sheet.tasks), produced.net_cost, form="sum"),
    Metric("minutes_per_round", "Minutes per round", "minutes", "lower", 1, "produced checkpoints, pooled",
           BY_ROUND, lambda sheet: produced.minutes_per_round(sheet.tasks), produced.minutes_per_round,
           weigh=lambda sheet: produced.seconds(sheet.tasks).checkpoints, observations=_minutes),
    Metric("erosion", "Erosion", "share", "lower", 2, "produced checkpoints, pooled",
           BY_ROUND, lambda sheet: produced.erosion(sheet.results), produced.erosion, measurement="erosion",
           weigh=lambda sheet: len(produced.measured(sheet.results, "erosion")),
           observations=lambda sheet: produced.measured(sheet.results, "erosion")),
    Metric("verbosity", "Verbosity", "share", "lower", 2, "produced checkpoints, pooled",
           BY_ROUND, lambda sheet: produced.verbosity(sheet.results), produced.verbosity, measurement="verbosity",
           weigh=lambda sheet: len(produced.measured(sheet.results, "verbosity")),
           observations=lambda sheet: produced.measured(sheet.results, "verbosity")),
)
# fmt: on

METRICS: Mapping[str, Metric] = {metric.id: metric for metric in _ROWS}
"""Every metric by its id, in the order that tables show them."""


def version_of(metric: Metric, sheet: Sheet) -> str | None:
    """Tell which version of its definition a metric's measurement follows; None for metrics without versions."""
    name = metric.measurement
    return produced.definition_version(sheet.results, name) if name else None
