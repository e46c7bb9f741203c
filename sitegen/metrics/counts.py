"""Tells of a score that counts something how many it counts, and of how many."""

from collections.abc import Mapping
from typing import Literal

from sitegen.metrics.grids import Sheet
from sitegen.metrics.metric import Metric

COUNTING: Mapping[str, Literal["tasks", "rounds"]] = {
    "perfect_tasks": "tasks",
    "comp": "tasks",
    "resolved": "tasks",
    "partial": "tasks",
    "solved": "tasks",
    "sr": "rounds",
    "strict": "rounds",
}
"""Metrics that are a share of tasks or of rounds, with what they count."""

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
    what = COUNTING.get(metric.id)
    if what is None:
        return None
    per_attempt = sheet.made if metric.id == "strict" else 1
    n = len(sheet.tasks) if what == "tasks" else per_attempt * sum(len(grid.rounds) for grid in sheet.tasks)
    k = value if metric.unit == "tasks" else value / 100 * n
    return (round(k), n) if abs(k - round(k)) < _EXACT else None
