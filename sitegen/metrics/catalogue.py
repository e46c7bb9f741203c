"""The catalogue of metrics: what each is called, how it is shown, and the function that computes it.

A new score is one pure function in this package and one row here.
"""

from collections.abc import Callable, Mapping

import numpy as np

from sitegen.metrics import chain, checkpoints, effort, failstop, targets
from sitegen.metrics.grids import RewardGrid, Sheet
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Protocol

CHAIN: frozenset[Protocol] = frozenset({"chain"})
FAIL_STOP: frozenset[Protocol] = frozenset({"fail-stop"})
ONCE: frozenset[Protocol] = frozenset({"once"})


def _percent(share: Callable[[Sheet], float]) -> Callable[[Sheet], float]:
    return lambda sheet: 100 * share(sheet)


def _reference_rewards(sheet: Sheet) -> list[RewardGrid]:
    """Verdicts of the rounds started from the reference state; none where the track has no such rounds."""
    rows = [grid.reference for grid in sheet.tasks]
    if not any(each for row in rows for each in row):
        return []
    return [np.array([bool(each and each.solved) for each in row], dtype=np.bool_) for row in rows]


def _sr(sheet: Sheet) -> float:
    return failstop.sr(_reference_rewards(sheet))


def _mt(sheet: Sheet) -> float:
    return failstop.mt_at_k(sheet.rewards, sheet.attempts)


def _gap(sheet: Sheet) -> float:
    """What a run loses by living with its own work: SR minus MT@k.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4: "Gap".
    """
    return _sr(sheet) - _mt(sheet)


def _interactions_caveat(sheet: Sheet) -> str | None:
    by_round = any(each.interactions is not None for each in sheet.results if each)
    return None if by_round else "the source tells a mean for each task, not the interactions of each round"


def _completion(sheet: Sheet) -> float:
    return targets.completion(sheet.rewards, [grid.weights for grid in sheet.tasks])


def _solved(sheet: Sheet) -> float:
    """Share of problems whose every checkpoint is strict.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, table 1.
    """
    return targets.resolved(sheet.rewards)


def _avg_turns(sheet: Sheet) -> float:
    """Turns that a full task takes, partial runs scaled to the full task.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix: "Avg Turns".
    """
    return effort.per_full_task(sheet.tasks, "turns")


def _output_tokens_k(sheet: Sheet) -> float:
    """Thousands of output tokens that a full task takes, partial runs scaled to the full task.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix: "Output Tokens".
    """
    return effort.per_full_task(sheet.tasks, "output_tokens") / 1000


def _measured(name: str) -> Callable[[Sheet], float]:
    def mean(sheet: Sheet) -> float:
        return checkpoints.measured(sheet.results, name)

    mean.__doc__ = f"""Mean {name} of the produced checkpoints, all measured by one version of its definition.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, equations 2 to 4.
    """
    return mean


_EROSION, _VERBOSITY = _measured("erosion"), _measured("verbosity")

# fmt: off
# One row a metric, so that columns can be compared.
_ROWS = (
    Metric("dataset_score", "Dataset Score", "percent", "higher", 1, "rounds of a task, then attempts, then tasks",
           CHAIN, _percent(lambda sheet: chain.dataset_score(sheet.rewards)), chain.dataset_score, pooling="tasks"),
    Metric("case_score", "Case Score", "percent", "higher", 1, "rounds of a task, then attempts, then tasks",
           CHAIN, _percent(lambda sheet: chain.case_score(sheet.shares)), chain.case_score, pooling="tasks"),
    Metric("avg_rounds", "Avg Rounds", "interactions", "lower", 1, "reached rounds of a run, then attempts, then tasks",
           CHAIN, lambda sheet: chain.avg_rounds([grid.interactions for grid in sheet.tasks]), chain.avg_rounds,
           caveat=_interactions_caveat, pooling="tasks"),
    Metric("perfect_tasks", "Perfect Tasks", "tasks", "higher", 0, "nothing: it counts tasks",
           CHAIN, lambda sheet: chain.perfect_tasks(sheet.rewards), chain.perfect_tasks),
    Metric("mt_at_k", "MT@k", "percent", "higher", 1, "rounds of a task, then tasks",
           FAIL_STOP, _percent(_mt), failstop.mt_at_k, pooling="tasks"),
    Metric("sr", "SR", "percent", "higher", 1, "all rounds of all tasks, pooled",
           FAIL_STOP, _percent(_sr), failstop.sr, pooling="rounds"),
    Metric("gap", "Gap", "points", "lower", 1, "as SR and MT@k",
           FAIL_STOP, _percent(_gap), _gap),
    Metric("comp", "Comp", "percent", "higher", 1, "tasks",
           FAIL_STOP, _percent(lambda sheet: failstop.comp(sheet.rewards, sheet.attempts)), failstop.comp,
           pooling="tasks"),
    Metric("avg_turns", "Avg Turns", "turns", "lower", 1, "runs of a task, then tasks",
           FAIL_STOP | CHAIN, _avg_turns, _avg_turns, pooling="tasks"),
    Metric("output_tokens_k", "Output Tokens", "thousand tokens", "lower", 1, "runs of a task, then tasks",
           FAIL_STOP | CHAIN, _output_tokens_k, _output_tokens_k, pooling="tasks"),
    Metric("resolved", "Resolved", "percent", "higher", 1, "attempts, then tasks",
           ONCE, _percent(lambda sheet: targets.resolved(sheet.rewards)), targets.resolved, pooling="tasks"),
    Metric("completion", "Completion Score", "share", "higher", 3, "weighted targets, then attempts, then tasks",
           ONCE, _completion, targets.completion, pooling="tasks"),
    Metric("strict", "Strict", "percent", "higher", 1, "all expected checkpoints, pooled",
           CHAIN, _percent(lambda sheet: checkpoints.strict(sheet.rewards)), checkpoints.strict, pooling="rounds"),
    Metric("iso", "Iso", "percent", "higher", 1, "all expected checkpoints, pooled",
           CHAIN, _percent(lambda sheet: checkpoints.iso(sheet.results)), checkpoints.iso, pooling="rounds"),
    Metric("core", "Core", "percent", "higher", 1, "all expected checkpoints, pooled",
           CHAIN, _percent(lambda sheet: checkpoints.core(sheet.results)), checkpoints.core, pooling="rounds"),
    Metric("partial", "Partial", "percent", "higher", 1, "attempts, then problems",
           CHAIN, _percent(lambda sheet: checkpoints.partial(sheet.rewards)), checkpoints.partial, pooling="tasks"),
    Metric("solved", "Solved", "percent", "higher", 1, "attempts, then problems",
           CHAIN, _percent(_solved), _solved, pooling="tasks"),
    Metric("cost_per_round", "Cost per round", "USD", "lower", 2, "produced checkpoints, pooled",
           CHAIN, lambda sheet: checkpoints.cost_per_round(sheet.results), checkpoints.cost_per_round),
    Metric("net_cost", "Net cost", "USD", "lower", 2, "nothing: a sum over produced checkpoints",
           CHAIN, lambda sheet: checkpoints.net_cost(sheet.results), checkpoints.net_cost),
    Metric("minutes_per_round", "Minutes per round", "minutes", "lower", 1, "produced checkpoints, pooled",
           CHAIN, lambda sheet: checkpoints.minutes_per_round(sheet.results), checkpoints.minutes_per_round),
    Metric("erosion", "Erosion", "share", "lower", 2, "produced checkpoints, pooled",
           CHAIN, _EROSION, _EROSION, measurement="erosion"),
    Metric("verbosity", "Verbosity", "share", "lower", 2, "produced checkpoints, pooled",
           CHAIN, _VERBOSITY, _VERBOSITY, measurement="verbosity"),
)
# fmt: on

METRICS: Mapping[str, Metric] = {metric.id: metric for metric in _ROWS}
"""Every metric by its id, in the order that tables show them."""


def version_of(metric: Metric, sheet: Sheet) -> str | None:
    """Tell which version of its definition a metric's measurement follows; None for metrics without versions."""
    name = metric.measurement
    return checkpoints.definition_version(sheet.results, name) if name else None
