"""Exact statements about counts, where nothing but the counts is known."""

import scipy  # its parts load where they are first used: commands that count nothing never wait for them

from sitegen.metrics.uncertainty import HIGH, LOW, Interval


def binomial_interval(k: int, n: int) -> Interval:
    """Say how high a share may be, of which k of n are known: the exact 95 % interval.

    It takes the n things for a sample that was drawn one by one, each with the same chance. It holds the true share
    in at least 95 of 100 such samples, and is wide where n is small.

    Args:
        k: Things that have what is counted, from 0 to n.
        n: Things in all, at least 1.

    Returns:
        Shares, 0 to 1.

    Source:
        C. J. Clopper, E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of the
        binomial, Biometrika 26, 1934, by way of the beta distribution's quantiles.
    """
    low = float(scipy.special.betaincinv(k, n - k + 1, LOW / 100)) if k > 0 else 0.0
    high = float(scipy.special.betaincinv(k + 1, n - k, HIGH / 100)) if k < n else 1.0
    return Interval(low, high, "binomial")


def mcnemar(only_first: int, only_second: int) -> float:
    """Test whether one of two passes more of the same rounds, by the rounds that only one of them passes.

    Were both equally good, such a round would go to either like a coin. The test is exact and two-sided: twice the
    chance that the one who has fewer of them gets so few or fewer, and 1 at most.

    Args:
        only_first: Rounds that only the first passes.
        only_second: Rounds that only the second passes.

    Returns:
        The p value, above 0 and at most 1; 1 where there is no such round.

    Source:
        Q. McNemar, Note on the sampling error of the difference between correlated proportions or percentages,
        Psychometrika 12, 1947; in its exact form, A. Agresti, Categorical Data Analysis, 2013, section 11.1.
    """
    flips = only_first + only_second
    found = ways = 1
    for heads in range(1, min(only_first, only_second) + 1):
        found = found * (flips - heads + 1) // heads
        ways += found
    return min(1.0, 2 * ways / (1 << flips))
