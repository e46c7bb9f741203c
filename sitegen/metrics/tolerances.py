"""Which computed values are equal, and which are 0: every tolerance, named after what it compares.

A score is a sum over tasks, and sums that add the same numbers in another order differ in their
last digits. What is computed from scores loses more digits, or fewer, as each value says.
"""

SCORE_TOLERANCE = 1e-9
"""Scores, shares, weights and differences of scores that differ by less are equal.

Their sums were added in another order.
"""

SCORE_DIGITS = 9
"""Digits after the point up to which machines compute the same scores and ends of intervals."""

VARIANCE_TOLERANCE = SCORE_TOLERANCE**2
"""A variance of scores below it is 0: the scores differ by rounding only."""

SPREAD_TOLERANCE = 1e-6
"""A standard deviation below it is 0, where its square is a difference of two sums of squares.

These cancel each other, and the root of what rounding leaves has half of the digits.
"""

COMPONENT_TOLERANCE = 1e-9
"""A variance or a product of spreads below it is 0, where it is a difference of large sums."""

VARIANCE_FLOOR = 1e-12
"""Variances are raised to it before a logarithm or a division, which 0 does not have."""

STATISTIC_FACTOR = 1 + 1e-5
"""By how much a test statistic has to exceed its bound: draws have single precision."""

LARGEST_CORRELATION = 1 - 1e-9
"""Largest correlation that has a z transform; that of 1 is infinite."""
