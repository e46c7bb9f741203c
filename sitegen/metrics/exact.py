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
