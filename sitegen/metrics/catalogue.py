"""The catalogue of metrics.

Most metrics are declared as in `benchmark.toml`; the remaining metrics have functions of their own.
"""

from collections.abc import Mapping
from functools import cache

from sitegen.metrics.checkpoints import CORE, ISO, PARTIAL
from sitegen.metrics.effort import AVG_TURNS, NET_COST, OUTPUT_TOKENS_K
from sitegen.metrics.failstop import GAP, MT_AT_K, SR
from sitegen.metrics.metric import BY_ROUND, CHAIN, FAIL_STOP, ONCE, Metric
from sitegen.metrics.metric_builder import build_benchmark_metric, build_metric, build_ratio_metric
from sitegen.metrics.results import SubmissionResults
from sitegen.models.benchmark import Benchmark, Protocol
from sitegen.models.declared import Declared

_EVOCODE = "EvoCode-Bench, official multi-step board"
_SLOP = "SlopCodeBench, arXiv:2603.24755v1"
_ROADMAP = "RoadmapBench, arXiv:2605.15846, section 4.1"

DATASET_SCORE = build_metric(
    Declared(
        id="dataset_score",
        title="Dataset Score",
        unit="percent",
        of="pass",
        summary="Share of a task's rounds that pass, averaged over tasks.",
        source=f'{_EVOCODE}: "Dataset Score".',
    ),
    protocols=CHAIN,
)
CASE_SCORE = build_metric(
    Declared(
        id="case_score",
        title="Case Score",
        unit="percent",
        of="cases",
        summary="Share of a round's cases that pass, averaged over rounds and then over tasks.",
        source=f'{_EVOCODE}: "Case Score".',
    ),
    protocols=CHAIN,
)


def _means_only(submission: SubmissionResults) -> str | None:
    """Return a caveat if the source does not count interactions by round; otherwise None."""
    for result in submission.results:
        if result and result.interactions is not None:
            return None
    return "the source reports a mean per task, not the interactions of each round"


AVG_ROUNDS = build_metric(
    Declared(
        id="avg_rounds",
        title="Tool calls per round",
        unit="number",
        direction="lower",
        decimals=1,
        of="interactions",
        summary="Mean interactions of a reached round, averaged over attempts and then over tasks.",
        source=f'{_EVOCODE}: "Avg Rounds", as defined since 2026-06-23.',
    ),
    protocols=BY_ROUND,
    unit="interactions",
    caveat=_means_only,
    version=2,
    published_title="Avg Rounds",
)
PERFECT_TASKS = build_metric(
    Declared(
        id="perfect_tasks",
        title="Perfect Tasks",
        unit="count",
        of="pass",
        rounds="all",
        attempts="best",
        tasks="count",
        summary="Number of tasks with an attempt that passes every round.",
        source=f'{_EVOCODE}: "Perfect Tasks".',
    ),
    unit="tasks",
    version=2,
)
MEAN_REWARD = build_metric(
    Declared(
        id="mean_reward",
        title="Mean Reward",
        unit="share",
        of="reward",
        summary="Reward of a round, averaged over the rounds of a task, then over attempts and "
        "tasks.",
        source="This site, for rewards between 0 and 1.",
    )
)
COMP = build_metric(
    Declared(
        id="comp",
        title="Comp",
        unit="percent",
        of="pass",
        rounds="last",
        attempts="best",
        summary="Share of tasks in which some attempt passes every round up to the last.",
        source='EvoCode-Bench, arXiv:2605.24110v1, section 3.4: "Comp".',
    ),
    protocols=FAIL_STOP,
    needs_all=True,
)
RESOLVED = build_metric(
    Declared(
        id="resolved",
        title="Resolved",
        unit="percent",
        of="pass",
        rounds="all",
        summary="Share of tasks on which every target passes.",
        source=f'{_ROADMAP}: "Resolved rate".',
    ),
    protocols=ONCE,
)
COMPLETION = build_metric(
    Declared(
        id="completion",
        title="Completion Score",
        unit="share",
        of="pass",
        rounds="weighted",
        summary="Weighted share of a task's targets that pass, averaged over tasks.",
        source=f'{_ROADMAP}: "Completion Score".',
    ),
    protocols=ONCE,
)
STRICT = build_metric(
    Declared(
        id="strict",
        title="Strict",
        unit="percent",
        of="pass",
        tasks="pooled",
        summary="Share of all expected checkpoints whose cases all pass.",
        source=f'{_SLOP}, section 2.3 and table 1: "Strict".',
    ),
    protocols=CHAIN,
)
SOLVED = build_metric(
    Declared(
        id="solved",
        title="Solved",
        unit="percent",
        of="pass",
        rounds="all",
        summary="Share of problems on which every checkpoint is strict.",
        source=f"{_SLOP}, section 4: problems solved end to end.",
    ),
    protocols=CHAIN,
)
COST_PER_ROUND = build_metric(
    Declared(
        id="cost_per_round",
        title="Cost per round",
        unit="usd",
        direction="lower",
        of="cost_usd",
        tasks="pooled",
        summary="Mean cost of a produced checkpoint.",
        source=f'{_SLOP}, table 1: "$/checkpoint".',
    ),
    protocols=BY_ROUND,
    unit="USD",
    version=3,
)
MINUTES_PER_ROUND = build_metric(
    Declared(
        id="minutes_per_round",
        title="Minutes per round",
        unit="seconds",
        direction="lower",
        of="agent_seconds",
        tasks="pooled",
        summary="Mean time the agent spent on a produced checkpoint.",
        source=f'{_SLOP}, table 1: "Minutes/checkpoint".',
    ),
    protocols=BY_ROUND,
    unit="minutes",
    version=2,
)
EROSION = build_metric(
    Declared(
        id="erosion",
        title="Erosion",
        unit="share",
        direction="lower",
        decimals=2,
        of="measure:erosion",
        tasks="pooled",
        summary="Mean share of a checkpoint's complexity that sits in its most complex functions."
        "\n\n"
        "Each value states the version of its definition of complexity, because values by "
        "different versions are not comparable. In the paper, a function's complexity mass is its "
        "cyclomatic complexity times the square root of its lines, and the most complex functions "
        "are those whose cyclomatic complexity is above 10.",
        source=f"{_SLOP}, section 2.3, equations 2 and 3.",
    ),
    protocols=BY_ROUND,
    version=2,
)
VERBOSITY = build_metric(
    Declared(
        id="verbosity",
        title="Verbosity",
        unit="share",
        direction="lower",
        decimals=2,
        of="measure:verbosity",
        tasks="pooled",
        summary="Mean share of a checkpoint's lines that are copies of others or needlessly long."
        "\n\n"
        "Each value states the version of its definition of needless lines, because values by "
        "different versions are not comparable. In the paper, these are lines flagged by a set of "
        "syntax rules, and cloned lines.",
        source=f"{_SLOP}, section 2.3, equation 4.",
    ),
    protocols=BY_ROUND,
    version=2,
)

_IN_ORDER = (
    DATASET_SCORE,
    CASE_SCORE,
    AVG_ROUNDS,
    PERFECT_TASKS,
    MEAN_REWARD,
    MT_AT_K,
    SR,
    GAP,
    COMP,
    AVG_TURNS,
    OUTPUT_TOKENS_K,
    RESOLVED,
    COMPLETION,
    STRICT,
    ISO,
    CORE,
    PARTIAL,
    SOLVED,
    COST_PER_ROUND,
    NET_COST,
    MINUTES_PER_ROUND,
    EROSION,
    VERBOSITY,
)

METRICS: Mapping[str, Metric] = {metric.id: metric for metric in _IN_ORDER}
"""Every metric of the catalogue by its id, in the order of table columns."""

COLUMNS: Mapping[Protocol, tuple[Metric, ...]] = {
    "chain": (DATASET_SCORE, CASE_SCORE, AVG_ROUNDS, PERFECT_TASKS),
    "fail-stop": (MT_AT_K, SR, GAP, COMP, AVG_TURNS, OUTPUT_TOKENS_K),
    "once": (RESOLVED, COMPLETION),
}
"""The default columns of boards by protocol, beginning with the headline metric."""


def default_columns(protocol: Protocol, *, has_reference: bool = True) -> tuple[str, ...]:
    """Return the ids of a protocol's default columns.

    Args:
        protocol: The protocol.
        has_reference: Whether the track has rounds that start from the reference state.
    """
    columns = []
    for metric in COLUMNS[protocol]:
        if has_reference or not metric.computation.needs_reference:
            columns.append(metric.id)
    return tuple(columns)


def benchmark_metrics(benchmark: Benchmark | None) -> Mapping[str, Metric]:
    """Return the metrics that a benchmark may use, by id.

    A metric that the benchmark declares replaces a metric of the catalogue with the same id.
    """
    if benchmark is None or not benchmark.metrics:
        return METRICS
    axis_weights = []
    for name, axis in benchmark.axes.items():
        if axis.weights:
            axis_weights.append((name, tuple(axis.weights.items())))
    return _with_declared(benchmark.metrics, tuple(axis_weights))


@cache
def _with_declared(
    declarations: tuple[Declared, ...],
    axis_weights: tuple[tuple[str, tuple[tuple[str, float], ...]], ...],
) -> Mapping[str, Metric]:
    """Return a benchmark's declared metrics, then the metrics of the catalogue with other ids.

    Args:
        declarations: The benchmark's declarations.
        axis_weights: Names of axes with the weights of their values, hashable for the cache.
    """
    weights_by_axis = {name: dict(weights) for name, weights in axis_weights}
    own_metrics = {}
    for declared in declarations:
        if not declared.is_ratio:
            weights = weights_by_axis.get(declared.axis or "", {})
            own_metrics[declared.id] = build_benchmark_metric(declared, weights)
    metrics = {}
    for declared in declarations:
        if declared.is_ratio:
            numerator = own_metrics.get(declared.numerator or "")
            denominator = own_metrics.get(declared.denominator or "")
            if numerator and denominator:  # validation reports an undeclared metric
                metrics[declared.id] = build_ratio_metric(declared, numerator, denominator)
        else:
            metrics[declared.id] = own_metrics[declared.id]
    for name, metric in METRICS.items():
        metrics.setdefault(name, metric)
    return metrics
