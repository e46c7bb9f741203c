"""How far every two of many submissions lie apart, from the same draws of the tasks.

A large board has thousands of pairs, and putting ten thousand draws of each in order would take as long as all other
work on it. The bounds of an interval need only the draws at both ends: they are found first.
"""

from collections.abc import Iterator
from math import floor

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.uncertainty import HIGH, LOW, Draws, Interval, intervals

_BLOCK = 12
"""Pairs that are looked at together, so that their draws fit in a processor's cache."""

_SAMPLE = 16
"""One draw of so many is looked at to guess where the ends begin."""

_END = 0.06
"""Share of the draws that is taken for an end: more than twice what lies beyond a bound, since it is a guess."""


def pair_intervals(drawn: Draws) -> list[Interval]:
    """Give the interval of each submission's lead over each that comes after it.

    As `differences` would say it of one pair after the other.

    Args:
        drawn: Draws of the submissions, shape (submissions, resamples).

    Returns:
        The first's lead over the second, over the third, and so on; then the second's lead over the third.
    """
    if np.isnan(drawn).any():
        return [interval for leads in _leads(drawn) for interval in intervals(leads)]
    bounds = (_bounds(leads).T.tolist() for leads in _leads(drawn))
    return [Interval(low, high).rounded() for block in bounds for low, high in block]


def _leads(drawn: Draws) -> Iterator[Draws]:
    """Give the leads of pairs, some pairs at a time, shape (pairs, resamples)."""
    for first, row in enumerate(drawn):
        for start in range(first + 1, len(drawn), _BLOCK):
            yield row - drawn[start : start + _BLOCK]


def _bounds(leads: Draws) -> NDArray[np.float64]:
    """Give both bounds of each pair's interval, shape (2, pairs).

    Source:
        R. W. Floyd, R. L. Rivest, Expected time bounds for selection, Communications of the ACM 18, 1975: a sample
        says where to look.
    """
    place = (leads.shape[1] - 1) * LOW / 100
    before = floor(place)
    low, high = _guessed(leads)
    ends = _ends(leads, low, high)
    if ends.shape[1] >= 2 * (before + 2):
        ends.partition((before, before + 1, -before - 2, -before - 1), axis=1)
        lowest, lower, higher, highest = ends[:, (before, before + 1, -before - 2, -before - 1)].T
        if (lower <= low).all() and (higher >= high).all():
            share = place - before
            return np.stack([lowest + share * (lower - lowest), highest - share * (highest - higher)])
    guessed_wrong: NDArray[np.float64] = np.percentile(leads, (LOW, HIGH), axis=1)
    return guessed_wrong


def _guessed(leads: Draws) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Guess up to where the low end of each pair's leads reaches, and from where on the high one, shape (pairs,)."""
    sample = leads[:, : leads.shape[1] // _SAMPLE + 1]  # draws come in no order: the first ones are a fair sample
    cut = floor(_END * sample.shape[1])
    low, high = np.partition(sample, (cut, -cut - 1), axis=1)[:, (cut, -cut - 1)].T
    return low, high


def _ends(leads: Draws, low: NDArray[np.float64], high: NDArray[np.float64]) -> Draws:
    """Keep the leads at both ends, shape (pairs, as many as any pair has); what is left over lies between the ends."""
    pairs, resamples = leads.shape
    found = np.flatnonzero((leads <= low[:, np.newaxis]) | (leads >= high[:, np.newaxis]))
    sizes = np.diff(np.searchsorted(found, resamples * np.arange(pairs + 1)))
    ends = np.repeat((low[:, np.newaxis] + high[:, np.newaxis]) / 2, sizes.max(), axis=1)
    ends[np.arange(sizes.max()) < sizes[:, np.newaxis]] = leads.ravel()[found]
    return ends
