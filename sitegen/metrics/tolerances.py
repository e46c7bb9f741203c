"""Tolerances at which computed values count as equal or as 0, named after what they compare.

A score is a sum over tasks, and sums that add the same numbers in another order differ in their
last digits. Values computed from scores lose more or fewer digits, as stated for each tolerance.
"""

SCORE_TOLERANCE = 1e-9
"""Scores, shares, weights and differences of scores that differ by less are equal.

They may be sums in a different order.
"""

SCORE_DIGITS = 9
"""Number of decimal places to which all machines compute the same scores and interval ends."""

VARIANCE_TOLERANCE = SCORE_TOLERANCE**2
"""A variance of scores below this value is 0: the scores differ by rounding only."""

SPREAD_TOLERANCE = 1e-6
"""A standard deviation below this value is 0 if its square is a difference of two sums of squares.

The sums cancel each other, and the root of the rounding error has half of the digits.
"""

COMPONENT_TOLERANCE = 1e-9
"""A variance or a product of spreads below this value is 0 if it is a difference of large sums."""

VARIANCE_FLOOR = 1e-12
"""Minimum to which variances are raised before a logarithm or a division."""

STATISTIC_FACTOR = 1 + 1e-5
"""Factor by which a test statistic must exceed its bound: draws have single precision."""

LARGEST_CORRELATION = 1 - 1e-9
"""Maximum correlation for which the z transform is finite."""
