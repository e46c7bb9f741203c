"""The rules by which scores are computed, as data, so that others can recompute a row; with vectors to try them on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.declared import Recipe
from sitegen.metrics.definition import own_metric
from sitegen.metrics.grids import sheet_of
from sitegen.metrics.metric import Metric, MetricError
from sitegen.models.benchmark import Benchmark
from sitegen.models.declared import Declared
from sitegen.models.outcome import PASS_REWARD, RoundResult, RunFigures
from sitegen.models.task import Task, TaskRound

Json = dict[str, object]

_KEPT = ("of", "rounds", "attempts", "tasks", "k", "axis", "upwards", "weights")


def rules_json(boards: Iterable[Board]) -> Json:
    """How each board's scores come from the files of its submissions: declarations, threshold, effects of findings."""
    return {
        "schema": 1,
        "threshold": PASS_REWARD,
        "boards": [
            {
                "benchmark": board.benchmark.id,
                "track": board.track.id,
                "protocol": board.track.protocol,
                "attempts": board.track.attempts,
                "tasks": f"data/{board.benchmark.id}/tasks/{board.track.tasks}.jsonl",
                "metrics": [_rule(metric, board.benchmark) for metric in board.metrics.values()],
                "submissions": {
                    entry.id: told for entry in board.all_entries if (told := _submission(entry))
                },
            }
            for board in boards
        ],
        "vectors": list(_vectors()),
    }


def _rule(metric: Metric, benchmark: Benchmark | None = None) -> Json:
    """A metric's id, title and factor, with its declaration where it has one."""
    told: Json = {"id": metric.id, "title": metric.title, "factor": metric.factor}
    if metric.declared is None or metric.declared.reported:
        return told
    axis = benchmark.axes.get(metric.declared.axis or "") if benchmark and metric.is_own else None
    recipe = asdict(Recipe.from_declared(metric.declared, axis.weights if axis else None))
    return told | {name: recipe[name] for name in _KEPT if recipe[name] not in ("", 0, None)}


def _submission(entry: Entry) -> Json | None:
    """How many attempts count, which tasks do not, and which records findings change, by their lines from 0.

    `free` is there and true where a cost of 0 is real; else such a cost is unknown.
    """
    sent, bundle = entry.sent, entry.bundle
    if (
        sent is None
        or bundle is None
        or entry.sheet is None
        or len(sent.rounds) != len(bundle.rounds)
    ):
        return None
    changed = [
        (line, {name: value for name, value in asdict(now).items() if value != getattr(was, name)})
        for line, (was, now) in enumerate(zip(sent.rounds, bundle.rounds, strict=True))
        if was is not now and was != now
    ]
    free = {"free": True} if entry.sheet.is_free else {}
    return {
        "made": entry.sheet.made,
        "left_out": sorted(bundle.left_out),
        "changes": changed,
    } | free


_TASKS = (
    Task("short", (TaskRound(1), TaskRound(2)), labels={"kind": "tool"}),
    Task(
        "long",
        (TaskRound(1), TaskRound(2, weight=2), TaskRound(3)),
        labels={"kind": "game"},
        weight=3,
    ),
)
_DECLARED: Sequence[tuple[str, Mapping[str, Any]]] = (
    (
        "weighted",
        {
            "unit": "share",
            "of": "cases",
            "rounds": "weighted",
            "attempts": "worst",
            "tasks": "weighted",
        },
    ),
    (
        "by_kind",
        {"unit": "percent", "of": "reward", "attempts": "first", "tasks": "macro", "axis": "kind"},
    ),
    ("some", {"unit": "percent", "of": "pass", "rounds": "last", "attempts": "pass_at_k", "k": 1}),
    ("each", {"unit": "percent", "of": "pass", "rounds": "all", "attempts": "pass_hat_k", "k": 2}),
    (
        "least",
        {
            "unit": "tokens",
            "direction": "lower",
            "of": "output_tokens",
            "rounds": "sum",
            "attempts": "best",
        },
    ),
    (
        "longest",
        {
            "unit": "seconds",
            "of": "agent_seconds",
            "rounds": "sum",
            "attempts": "best",
            "tasks": "sum",
        },
    ),
)
_PASSED: Mapping[tuple[str, int], tuple[tuple[int, int], ...]] = {
    ("short", 1): ((2, 2), (3, 4)),
    ("short", 2): ((2, 2), (4, 4)),
    ("long", 1): ((1, 3), (5, 5), (6, 6)),
    ("long", 2): ((3, 3), (5, 5), (2, 6)),
}
"""Cases passed, and cases, of each round of each attempt."""


def _vectors() -> Iterator[Json]:
    """Records of two attempts at two tasks, and what each metric of the catalogue makes of them by each protocol."""
    rounds = [
        RoundResult(
            *(task, attempt, number, "scored", float(passed == total), passed, total),
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
        for (task, attempt), cells in _PASSED.items()
        for number, (passed, total) in enumerate(cells, start=1)
    ]
    rounds += [
        RoundResult(task.id, 1, each.n, "scored", float(each.n % 2), start="reference")
        for task in _TASKS
        for each in task.rounds
    ]
    runs = [RunFigures("long", attempt, agent_seconds=500.0 * attempt) for attempt in (1, 2)]
    own = (own_metric(Declared(id=name, title=name, **said), {}) for name, said in _DECLARED)
    metrics = [*METRICS.values(), *own]
    for protocol in ("chain", "fail-stop"):
        sheet = replace(sheet_of(_TASKS, rounds, runs, 2, 2), is_fail_stop=protocol == "fail-stop")
        values: dict[str, float | None] = {}
        for metric in metrics:
            try:
                values[metric.id] = metric.compute(sheet)
            except MetricError:
                values[metric.id] = None
        yield {
            "protocol": protocol,
            "made": 2,
            "tasks": [_without_gaps(asdict(task)) for task in _TASKS],
            "rounds": [_without_gaps(asdict(each)) for each in rounds],
            "runs": [_without_gaps(asdict(each)) for each in runs],
            "metrics": [_rule(metric) for metric in metrics],
            "values": values,
        }


def _without_gaps(record: Mapping[str, object]) -> Json:
    return {name: value for name, value in record.items() if value is not None}
