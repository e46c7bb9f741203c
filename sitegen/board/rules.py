"""The rules by which scores are computed, as data, so that others can recompute a row.

The document also has test vectors: small results with the value of each metric on them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.export import Json
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric, MetricError
from sitegen.metrics.metric_builder import build_benchmark_metric, build_ratio_metric
from sitegen.metrics.reduction import Reduction
from sitegen.metrics.results import SubmissionResults, arrange_results
from sitegen.models.benchmark import Benchmark
from sitegen.models.declared import Declared
from sitegen.models.outcome import PASS_REWARD, RoundResult, RunFigures
from sitegen.models.task import Task, TaskRound

_REDUCTION_FIELDS = {
    "of": "quantity",
    "rounds": "rounds",
    "attempts": "attempts",
    "tasks": "tasks",
    "k": "k",
    "axis": "axis",
    "upwards": "is_higher_better",
    "weights": "weights",
}
"""The field of a `Reduction` for each key of a rule; empty fields are left out."""


def rules_json(boards: Iterable[Board]) -> Json:
    """Return how the boards' scores are computed from the files of their submissions.

    The document has the metrics' declarations, the pass threshold, and the effects of findings.
    """
    board_rules = [_board(board) for board in boards]
    return {
        "schema": 1,
        "threshold": PASS_REWARD,
        "boards": board_rules,
        "vectors": list(_vectors()),
    }


def _board(board: Board) -> Json:
    metrics = [_metric(metric, board.benchmark) for metric in board.metrics.values()]
    submissions = {}
    for entry in board.all_entries:
        rule = _submission(entry)
        if rule:
            submissions[entry.id] = rule
    return {
        "benchmark": board.benchmark.id,
        "track": board.track.id,
        "protocol": board.track.protocol,
        "attempts": board.track.attempts,
        "tasks": f"data/{board.benchmark.id}/tasks/{board.track.tasks}.jsonl",
        "metrics": metrics,
        "submissions": submissions,
    }


def _metric(metric: Metric, benchmark: Benchmark | None = None) -> Json:
    """Return a metric's id, title and factor, with its declaration if it has one."""
    rule: Json = {"id": metric.id, "title": metric.title, "factor": metric.factor}
    if metric.ratio_of:
        numerator, denominator = metric.ratio_of
        rule["numerator"] = _metric(numerator, benchmark)
        rule["denominator"] = _metric(denominator, benchmark)
        return rule
    declared = metric.declared
    if declared is None or declared.reported:
        return rule
    axis = None
    if benchmark and metric.is_benchmark_declared:
        axis = benchmark.axes.get(declared.axis or "")
    weights = None
    if axis:
        weights = axis.weights
    reduction = asdict(Reduction.from_declared(declared, weights))
    for key, name in _REDUCTION_FIELDS.items():
        if reduction[name] not in ("", 0, None):
            rule[key] = reduction[name]
    return rule


def _submission(entry: Entry) -> Json | None:
    """Return how a submission's records count; None for redacted rounds and reported rows.

    `made` is the number of attempts that count, `left_out` the rounds that do not, and `changes`
    the fields that findings change, by the record's line from 0. `free` is present and true if a
    cost of 0 is real; otherwise such a cost is unknown.
    """
    sent = entry.sent
    bundle = entry.bundle
    if sent is None or bundle is None or entry.submission_results is None:
        return None
    if len(sent.rounds) != len(bundle.rounds):
        return None
    changes = []
    for line, (before, after) in enumerate(zip(sent.rounds, bundle.rounds, strict=True)):
        if before is not after and before != after:
            changes.append((line, _changed_fields(before, after)))
    rule: Json = {
        "made": entry.submission_results.attempts_made,
        "left_out": sorted(bundle.left_out),
        "changes": changes,
    }
    if entry.submission_results.is_free:
        rule["free"] = True
    return rule


def _changed_fields(before: RoundResult, after: RoundResult) -> Json:
    fields = asdict(after)
    changed_fields = {}
    for name, value in fields.items():
        if value != getattr(before, name):
            changed_fields[name] = value
    return changed_fields


_TASKS = (
    Task("short", (TaskRound(1), TaskRound(2)), labels={"kind": "tool"}),
    Task(
        "long",
        (TaskRound(1), TaskRound(2, weight=2), TaskRound(3)),
        labels={"kind": "game"},
        weight=3,
    ),
)
_Declaration = Mapping[str, Any]
_SHARES: Mapping[str, _Declaration] = {
    "weighted": {
        "unit": "share",
        "of": "cases",
        "rounds": "weighted",
        "attempts": "worst",
        "tasks": "weighted",
    },
    "by_kind": {
        "unit": "percent",
        "of": "reward",
        "attempts": "first",
        "tasks": "macro",
        "axis": "kind",
    },
    "middle": {"unit": "percent", "of": "cases", "attempts": "median", "tasks": "median"},
    "some": {"unit": "percent", "of": "pass", "rounds": "last", "attempts": "pass_at_k", "k": 1},
    "each": {"unit": "percent", "of": "pass", "rounds": "all", "attempts": "pass_hat_k", "k": 2},
}
_AMOUNTS: Mapping[str, _Declaration] = {
    "least": {
        "unit": "tokens",
        "direction": "lower",
        "of": "output_tokens",
        "rounds": "sum",
        "attempts": "best",
    },
    "typical": {
        "unit": "tokens",
        "direction": "lower",
        "of": "output_tokens",
        "rounds": "sum",
        "attempts": "median",
        "tasks": "median",
    },
    "longest": {
        "unit": "seconds",
        "of": "agent_seconds",
        "rounds": "sum",
        "attempts": "best",
        "tasks": "sum",
    },
}
_DECLARED = {**_SHARES, **_AMOUNTS}
"""Declarations of the metrics that only the vectors use, by id."""
_RATIOS = {"longest_per_each": ("longest", "some"), "least_per_each": ("least", "each")}
"""Numerator and denominator of the ratios that only the vectors use, by id."""

_PASSED: Mapping[tuple[str, int], tuple[tuple[int, int], ...]] = {
    ("short", 1): ((2, 2), (3, 4)),
    ("short", 2): ((2, 2), (4, 4)),
    ("long", 1): ((1, 3), (5, 5), (6, 6)),
    ("long", 2): ((3, 3), (5, 5), (2, 6)),
}
"""Passed and total cases of each round, by task and attempt."""


def _vectors() -> Iterator[Json]:
    """Yield a test vector for each protocol: two attempts at two tasks, and each metric's value."""
    rounds = _vector_rounds()
    runs = [RunFigures("long", attempt, agent_seconds=500.0 * attempt) for attempt in (1, 2)]
    metrics = list(METRICS.values())
    for metric_id, fields in _DECLARED.items():
        metrics.append(
            build_benchmark_metric(Declared(id=metric_id, title=metric_id, **fields), {})
        )
    by_id = {metric.id: metric for metric in metrics}
    for metric_id, (numerator, denominator) in _RATIOS.items():
        ratio = Declared(
            id=metric_id,
            title=metric_id,
            unit="number",
            numerator=numerator,
            denominator=denominator,
        )
        metrics.append(build_ratio_metric(ratio, by_id[numerator], by_id[denominator]))
    chain_results = arrange_results(_TASKS, rounds, runs, 2, 2)
    tasks_json = [_known_fields(task) for task in _TASKS]
    rounds_json = [_known_fields(result) for result in rounds]
    runs_json = [_known_fields(run) for run in runs]
    metrics_json = [_metric(metric) for metric in metrics]
    for protocol in ("chain", "fail-stop"):
        results = replace(chain_results, is_fail_stop=protocol == "fail-stop")
        values = {}
        for metric in metrics:
            values[metric.id] = _value(metric, results)
        yield {
            "protocol": protocol,
            "made": 2,
            "tasks": tasks_json,
            "rounds": rounds_json,
            "runs": runs_json,
            "metrics": metrics_json,
            "values": values,
        }


def _vector_rounds() -> list[RoundResult]:
    """Return the rounds of two attempts at each task, and one attempt from the reference state."""
    rounds = []
    for (task, attempt), results in _PASSED.items():
        for number, (passed, total) in enumerate(results, start=1):
            rounds.append(_vector_round(task, attempt, number, passed, total))
    for defined_task in _TASKS:
        for defined in defined_task.rounds:
            reward = float(defined.n % 2)
            result = RoundResult(defined_task.id, 1, defined.n, "scored", reward, start="reference")
            rounds.append(result)
    return rounds


def _vector_round(task: str, attempt: int, number: int, passed: int, total: int) -> RoundResult:
    """Return a round's record with figures derived from its position and its passed cases."""
    return RoundResult(
        task,
        attempt,
        number,
        "scored",
        float(passed == total),
        passed,
        total,
        by_category={
            "core": (min(passed, 2), 2),
            "regression": (max(passed - 2, 0), total - 2),
        },
        interactions=10.0 * number,
        turns=8.0 * number,
        output_tokens=100.0 * number + passed,
        cost_usd=number / 8,
        agent_seconds=60.0 * number + attempt if task == "short" else None,
        measures={"erosion@1": passed / total, "verbosity@1": 0.25},
    )


def _value(metric: Metric, results: SubmissionResults) -> float | None:
    """Return a metric's value; None if it cannot be computed."""
    try:
        return metric.compute(results)
    except MetricError:
        return None


def _known_fields(record: Task | RoundResult | RunFigures) -> Json:
    stated = {}
    for name, value in asdict(record).items():
        if value is not None:
            stated[name] = value
    return stated
