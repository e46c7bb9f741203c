"""What is typical of figures that were taken, such as the tokens of every round."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Typical(NamedTuple):
    """What is typical of some figures; 0 where there are none."""

    usual: float
    """Their median."""
    most: float
    """The largest."""


def typical(figures: Sequence[float | None]) -> Typical:
    """Tell what is typical of the figures that are known and not 0.

    Args:
        figures: At least 0 each, in any unit; None where nothing was measured.
    """
    values = np.array(figures, dtype=np.float64)
    taken = values[values > 0]
    return Typical(float(np.median(taken)), float(taken.max())) if taken.size else Typical(0.0, 0.0)
