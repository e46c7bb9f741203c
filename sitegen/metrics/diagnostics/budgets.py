"""Step budgets: how many turns a run took, counted by the smallest budget that it keeps within."""

from bisect import bisect_left

from sitegen.metrics.grids import TaskGrid, reached

BUDGETS = (10, 25, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 4000, 5000, 7500, 10_000)
"""Turns that a run may take: the same for every submission, so that they compare."""

UNKNOWN = len(BUDGETS) + 1
"""The place of runs whose turns nobody counted; the place before it is that of runs beyond the largest budget."""


def budget_place(turns: float | None) -> int:
    """Give the place of the smallest budget that a run keeps within, from 0."""
    return UNKNOWN if turns is None else bisect_left(BUDGETS, turns)


def turns_of(grid: TaskGrid, attempt: int) -> float | None:
    """Add up the turns of a run; None where nobody counted them.

    Args:
        grid: The task.
        attempt: Place of the attempt, from 0.
    """
    own = [each.turns for each in reached(grid.results[attempt]) if each.turns is not None]
    run = grid.runs[attempt]
    return sum(own) if own else run.turns if run else None
