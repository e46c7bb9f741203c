"""Tells of a score that counts something how many it counts, and of how many."""

from sitegen.metrics.grids import Sheet
from sitegen.metrics.metric import Metric

COUNTING = frozenset({"perfect_tasks", "comp", "resolved", "partial", "solved", "sr", "strict", "iso", "core"})
"""Metrics that are a share of tasks or of rounds, and so count some of them."""

_EXACT = 1e-6


def count_of(metric: Metric, sheet: Sheet, value: float) -> tuple[int, int] | None:
    """Give k of n, where a score counts k of n tasks or rounds.

    Args:
        metric: The metric.
        sheet: The results that it was computed from.
        value: The score, in the metric's unit.

    Returns:
        None where the metric counts nothing, and where a mean over attempts is no whole number of them.
    """
    if metric.id not in COUNTING:
        return None
    n = round(metric.weigh(sheet)) if metric.weigh else len(sheet.tasks)
    k = value if metric.unit == "tasks" else value / 100 * n
    return (round(k), n) if abs(k - round(k)) < _EXACT else None
