"""Types of the arrays from which scores are computed, and the rounds that attempts keep."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]

TaskRewards = NDArray[np.bool_]
"""One task's rewards, shape (attempts, rounds): True if every case passed."""

TaskShares = NDArray[np.float64]
"""One task's shares of passed cases, 0 to 1, shape (attempts, rounds).

NaN if a verdict was reported without case counts.
"""

BatchArray = NDArray[np.bool_] | NDArray[np.float64]
"""Results of several tasks of equal shape, shape (tasks, attempts, rounds)."""


def kept_rounds(rewards: BoolArray | FloatArray) -> BoolArray:
    """Return for each round whether its attempt passes that round and every earlier round.

    Args:
        rewards: Whether each round passed; rounds are the last axis. The result has the same shape.
    """
    is_kept: BoolArray = np.logical_and.accumulate(rewards, axis=-1)
    return is_kept
