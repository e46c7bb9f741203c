"""The catalogue of metrics: every `Metric` that stands in a module of scores."""

from collections.abc import Mapping

from sitegen.metrics import chain, effort, failstop, produced, targets
from sitegen.metrics.chain import AVG_ROUNDS, CASE_SCORE, DATASET_SCORE, PERFECT_TASKS
from sitegen.metrics.effort import AVG_TURNS, OUTPUT_TOKENS_K
from sitegen.metrics.failstop import COMP, GAP, MT_AT_K, SR
from sitegen.metrics.metric import Metric, from_reference
from sitegen.metrics.targets import COMPLETION, RESOLVED
from sitegen.models.benchmark import Protocol

METRICS: Mapping[str, Metric] = {
    found.id: found
    for module in (chain, failstop, effort, targets, produced)
    for found in vars(module).values()
    if isinstance(found, Metric)
}
"""Every metric by its id, in the order that tables show them: that of the modules here, and of the metrics in them."""

COLUMNS: Mapping[Protocol, tuple[Metric, ...]] = {
    "chain": (DATASET_SCORE, CASE_SCORE, AVG_ROUNDS, PERFECT_TASKS),
    "fail-stop": (MT_AT_K, SR, GAP, COMP, AVG_TURNS, OUTPUT_TOKENS_K),
    "once": (RESOLVED, COMPLETION),
}
"""What a board of a protocol shows where nobody says otherwise, the headline first."""


def columns_of(protocol: Protocol, *, reference: bool = True) -> tuple[str, ...]:
    """Ids of these, without those that need rounds from the reference state where a track has none."""
    return tuple(metric.id for metric in COLUMNS[protocol] if reference or metric.needs is not from_reference)
