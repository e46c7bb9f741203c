"""What a full task takes: turns and tokens, with partial runs scaled to the full task."""

from collections.abc import Sequence
from statistics import fmean

from sitegen.metrics.gaps import MetricError
from sitegen.metrics.grids import TaskGrid, reached


def per_full_task(tasks: Sequence[TaskGrid], figure: str) -> float:
    """Mean of a figure over runs, each scaled from the rounds it covers to its full task.

    Args:
        tasks: Results by task.
        figure: Name of a field that rounds and runs share, such as `turns` or `output_tokens`.

    Returns:
        The figure for a full task, at least 0; attempts are averaged first, then tasks.

    Raises:
        MetricError: Nothing was measured.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, appendix: "Avg Turns" and "Output Tokens".
    """
    by_task = [[run for run in _runs(grid, figure) if run is not None] for grid in tasks]
    measured = [fmean(runs) for runs in by_task if runs]
    if not measured:
        raise MetricError(f"no {figure.replace('_', ' ')} were counted")
    return fmean(measured)


def _runs(grid: TaskGrid, figure: str) -> list[float | None]:
    found: list[float | None] = []
    for attempt, run in zip(grid.results, grid.runs, strict=True):
        own = [getattr(each, figure) for each in reached(attempt) if getattr(each, figure) is not None]
        covered = len(own) or len(reached(attempt))
        total = sum(own) if own else (getattr(run, figure) if run else None)
        found.append(None if total is None or not covered else total * len(attempt) / covered)
    return found
