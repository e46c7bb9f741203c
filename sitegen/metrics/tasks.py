"""Scores of many tasks at once: an operation on a small array takes as long as one on all of them together."""

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Stacked = NDArray[np.bool_] | NDArray[np.float64]
"""Grids of one shape, shape (tasks, attempts, rounds)."""


def by_task(grids: Sequence[Stacked], score: Callable[[Stacked], ArrayLike]) -> list[float]:
    """Score every task, those whose grids have one shape together.

    Args:
        grids: One per task, shape (attempts, rounds); rounds may differ by task.
        score: Gives one number for each of the stacked tasks.

    Returns:
        The scores, in the order of the tasks.
    """
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for place, grid in enumerate(grids):
        alike[grid.shape].append(place)
    scores = np.empty(len(grids))
    for places in alike.values():
        scores[places] = score(np.array([grids[place] for place in places]))
    found: list[float] = scores.tolist()
    return found
