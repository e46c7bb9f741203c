"""What a full task takes: turns and tokens, with partial runs scaled to the full task."""

from collections.abc import Sequence
from statistics import fmean

from sitegen.metrics.gaps import MetricError
from sitegen.metrics.grids import TaskGrid, reached
from sitegen.models.outcome import RoundResult, RunFigures


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
    return [_run(attempt, run, figure) for attempt, run in zip(grid.results, grid.runs, strict=True)]


def _run(attempt: Sequence[RoundResult | None], run: RunFigures | None, figure: str) -> float | None:
    worked = reached(attempt)
    own = [value for each in worked if (value := getattr(each, figure)) is not None]
    total = sum(own) if own else getattr(run, figure, None)
    covered = len(own) or len(worked)
    return total * len(attempt) / covered if covered and total is not None else None
