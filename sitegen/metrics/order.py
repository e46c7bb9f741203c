"""Which rows of a board are shown to be better than which others: one relation, over all pairs of rows at once.

Every sentence about order follows from it. Saying it of all pairs at once is what lets a reader look at any row, the
top one included, without having picked it by luck.
"""

from collections.abc import Iterable, Sequence
from math import sqrt

import numpy as np
import scipy  # its parts load where they are first used
from numpy.typing import NDArray

from sitegen.metrics.uncertainty import Contributions, raw_draws

FLIPS = 4_000
"""Draws of signs."""
FEWER_FLIPS = 2_000
"""Draws on boards of more than `MANY` rows, whose pairs are so many that the time matters."""
MANY = 300
SURE = 0.95

_AT_LEAST = 1 + 1e-5
"""A statistic that lies above the bound by less is equal to it: draws are kept in single precision."""

_CELLS = 1_000_000
"""Numbers that are held at once."""

Better = NDArray[np.bool_]
"""Whether the first of two rows is shown to be better than the second, shape (rows, rows)."""

RankSet = tuple[int, int]
"""First and last rank that a row may have, from 1."""


def shown_better(contributions: Contributions, tasks: Sequence[str]) -> Better:
    """Tell which rows are shown to be better than which others, at 95 % over all pairs at once.

    Of each pair the differences at the tasks are added up and divided by the root of the sum of their squares, to which
    half of what pairs have on average is added: that steadies pairs that differ at few tasks. Were two rows equal, the
    sign of each difference would be chance. So the signs of whole tasks are flipped at random, for all pairs alike;
    what no pair reaches in 95 % of the draws is shown. Without the pairs that are shown the rest is tested again, until
    nothing more is found. The draws follow from the ids of the tasks; of contributions, more is better.

    Source:
        J. P. Romano, M. Wolf, Exact and approximate stepdown methods for multiple hypothesis testing, 2005;
        M. Mogstad, J. Romano, A. Shaikh, D. Wilhelm, Inference for ranks, 2024.
    """
    rows = len(contributions)
    better = np.zeros((rows, rows), dtype=np.bool_)
    if rows < 2:  # noqa: PLR2004 - a pair
        return better
    first, second = np.triu_indices(rows, 1)
    centred = contributions - contributions.mean(axis=0)
    squares = (centred**2).sum(axis=1)
    spread = np.maximum(
        squares[first] + squares[second] - 2 * (centred @ centred.T)[first, second], 0.0
    )
    scale = np.sqrt(spread + spread.mean() / 2)
    if not scale.any():
        return better
    totals = centred.sum(axis=1)
    apart = (totals[first] - totals[second]) / scale
    draws = FLIPS if rows <= MANY else FEWER_FLIPS
    signs = np.where(raw_draws(tasks, len(tasks) * draws) >> 63, 1.0, -1.0).reshape(-1, draws)
    drawn = (centred @ signs).astype(np.float32)
    left = np.arange(len(first))
    while len(left):
        bound = np.quantile(
            _largest(drawn, first[left], second[left], scale[left]), SURE, method="higher"
        )
        found = np.abs(apart[left]) > bound * _AT_LEAST
        if not found.any():
            break
        shown, left = left[found], left[~found]
        is_up = apart[shown] > 0
        better[
            np.where(is_up, first[shown], second[shown]),
            np.where(is_up, second[shown], first[shown]),
        ] = True
    return better


def shown_better_by_counts(found: Sequence[tuple[int, int]]) -> Better:
    """Tell which rows are shown to be better where nothing but counts is known, at 95 % over all pairs at once.

    The difference of two shares is divided by its standard error under equality, and held against the largest that any
    two of so many equal rows reach in 95 % of all boards. Rows share their tasks, which this does not know of: it tells
    fewer pairs apart than the tasks would. Each row has k of n tasks, and more is better.

    Source:
        J. W. Tukey, The problem of multiple comparisons, 1953: the studentised range.
    """
    rows = len(found)
    if rows < 2:  # noqa: PLR2004 - a pair
        return np.zeros((rows, rows), dtype=np.bool_)
    k, n = np.array(found, dtype=np.float64).T
    pooled = (k[:, np.newaxis] + k) / (n[:, np.newaxis] + n)
    error = np.sqrt(pooled * (1 - pooled) * (1 / n[:, np.newaxis] + 1 / n))
    bound = scipy.stats.studentized_range.ppf(SURE, rows, 1e6) / sqrt(2)
    apart: Better = k[:, np.newaxis] / n[:, np.newaxis] - k / n > bound * error * _AT_LEAST
    return apart


def together(rows: int, parts: Iterable[tuple[Sequence[int], Better]]) -> Better:
    """Put relations of some rows each together; rows of different parts are not related."""
    better = np.zeros((rows, rows), dtype=np.bool_)
    for places, found in parts:
        better[np.ix_(places, places)] = found
    return better


def rank_sets(better: Better) -> list[RankSet]:
    """The ranks that each row may have: below all that are shown to be better, above all shown to be worse."""
    rows = len(better)
    above, below = better.sum(axis=0), better.sum(axis=1)
    return [(1 + int(more), rows - int(less)) for more, less in zip(above, below, strict=True)]


def _largest(
    drawn: NDArray[np.float32],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    scale: NDArray[np.float64],
) -> NDArray[np.float32]:
    """The largest statistic of any pair in each draw, shape (draws,)."""
    largest = np.zeros(drawn.shape[1], dtype=np.float32)
    steadied = (1 / scale).astype(np.float32)[:, np.newaxis]
    step = max(1, _CELLS // drawn.shape[1])
    for start in range(0, len(first), step):
        part = slice(start, start + step)
        apart = drawn[first[part]]
        apart -= drawn[second[part]]
        np.abs(apart, out=apart)
        apart *= steadied[part]
        np.maximum(largest, apart.max(axis=0), out=largest)
    return largest
