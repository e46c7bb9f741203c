"""Tests of which submissions on a board are better than which others, over all pairs at once.

Every statement about order is based on this relation. Because it covers all pairs at once, readers
may pick any submission, including the top one, without selection bias. In arrays, each submission
is a row.
"""

from collections.abc import Iterable, Sequence
from math import sqrt

import numpy as np
import scipy  # loads its submodules on first use
from numpy.typing import NDArray

from sitegen.metrics.contributions import Contributions
from sitegen.metrics.intervals import CONFIDENCE_LEVEL, raw_draws
from sitegen.metrics.tolerances import STATISTIC_FACTOR

SIGN_DRAWS = 4_000
"""Number of random draws of signs."""
FEWER_SIGN_DRAWS = 2_000
"""Number of draws for boards of more than `MANY_ROWS` submissions, whose many pairs take longer."""
MANY_ROWS = 300

_MAX_CELLS = 1_000_000
"""Maximum number of values that are kept in memory at once."""

BetterRelation = NDArray[np.bool_]
"""Whether one submission is shown to be better than another, shape (rows, rows)."""

RankSet = tuple[int, int]
"""First and last rank that a submission may have, from 1."""


def shown_better(contributions: Contributions, units: Sequence[str]) -> BetterRelation:
    """Return which submissions are shown to be better than others, at 95 % over all pairs at once.

    The statistic of a pair is the sum of its differences on the tasks, divided by the root of the
    sum of their squares. Half of the average over all pairs is added under the root, which
    stabilises pairs that differ on few tasks. If two submissions were equal, the sign of each
    difference would be random. The signs of complete tasks are therefore flipped at random, in the
    same way for all pairs, and a pair is shown to differ if its statistic exceeds the largest
    statistic of all pairs in 95 % of the draws. The remaining pairs are then tested again, until no
    further pair is shown to differ.

    Args:
        contributions: Contributions to the score of each submission; more is better.
        units: Names of the tasks, or of their clusters, in the order of the columns. They seed the
            draws.

    Source:
        J. P. Romano, M. Wolf, Exact and approximate stepdown methods for multiple hypothesis
        testing, 2005; M. Mogstad, J. Romano, A. Shaikh, D. Wilhelm, Inference for ranks, 2024.
    """
    rows = len(contributions)
    better = np.zeros((rows, rows), dtype=np.bool_)
    if rows < 2:  # noqa: PLR2004 - a pair
        return better
    first, second = np.triu_indices(rows, 1)
    centred = contributions - contributions.mean(axis=0)
    squares = (centred**2).sum(axis=1)
    products = (centred @ centred.T)[first, second]
    squared_differences = squares[first] + squares[second] - 2 * products
    squared_differences = np.maximum(squared_differences, 0.0)
    scale = np.sqrt(squared_differences + squared_differences.mean() / 2)
    if not scale.any():
        return better
    totals = centred.sum(axis=1)
    statistics = (totals[first] - totals[second]) / scale
    draws = SIGN_DRAWS if rows <= MANY_ROWS else FEWER_SIGN_DRAWS
    highest_bits = raw_draws(units, len(units) * draws) >> 63
    signs = np.where(highest_bits, 1.0, -1.0).reshape(-1, draws)
    flipped_totals = (centred @ signs).astype(np.float32)
    remaining = np.arange(len(first))
    while len(remaining):
        largest = _largest_statistics(
            flipped_totals, first[remaining], second[remaining], scale[remaining]
        )
        bound = np.quantile(largest, CONFIDENCE_LEVEL, method="higher")
        is_shown = np.abs(statistics[remaining]) > bound * STATISTIC_FACTOR
        if not is_shown.any():
            break
        shown = remaining[is_shown]
        remaining = remaining[~is_shown]
        is_first_better = statistics[shown] > 0
        winners = np.where(is_first_better, first[shown], second[shown])
        losers = np.where(is_first_better, second[shown], first[shown])
        better[winners, losers] = True
    return better


def shown_better_by_counts(counts: Sequence[tuple[int, int]]) -> BetterRelation:
    """Return which submissions are shown to be better than others, if only counts are known.

    The difference of two shares, divided by its standard error under equality, is compared with the
    largest value that any pair of equal submissions reaches on 95 % of boards of the same size. The
    test ignores that submissions share their tasks, so it finds fewer pairs than a test over the
    tasks would.

    Args:
        counts: k of n tasks of each submission; more is better.

    Source:
        J. W. Tukey, The problem of multiple comparisons, 1953: the studentised range.
    """
    rows = len(counts)
    if rows < 2:  # noqa: PLR2004 - a pair
        return np.zeros((rows, rows), dtype=np.bool_)
    k, n = np.array(counts, dtype=np.float64).T
    shares = k / n
    n_column = n[:, np.newaxis]
    pooled = (k[:, np.newaxis] + k) / (n_column + n)
    variances = pooled * (1 - pooled) * (1 / n_column + 1 / n)
    standard_errors = np.sqrt(variances)
    bound = scipy.stats.studentized_range.ppf(CONFIDENCE_LEVEL, rows, 1e6) / sqrt(2)
    differences = shares[:, np.newaxis] - shares
    better: BetterRelation = differences > bound * standard_errors * STATISTIC_FACTOR
    return better


def combine_relations(
    rows: int, relations: Iterable[tuple[Sequence[int], BetterRelation]]
) -> BetterRelation:
    """Return one relation over all submissions, combined from relations over some of them.

    Args:
        rows: Number of submissions.
        relations: Indices of some submissions, and the relation between them. Submissions in
            different relations are not related.
    """
    better = np.zeros((rows, rows), dtype=np.bool_)
    for indices, relation in relations:
        better[np.ix_(indices, indices)] = relation
    return better


def rank_sets(better: BetterRelation) -> list[RankSet]:
    """Return the range of ranks that each submission may have.

    A submission ranks below all submissions shown to be better, and above all shown to be worse.
    """
    rows = len(better)
    first_ranks = 1 + better.sum(axis=0)
    last_ranks = rows - better.sum(axis=1)
    return list(zip(first_ranks.tolist(), last_ranks.tolist(), strict=True))


def _largest_statistics(
    totals: NDArray[np.float32],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    scale: NDArray[np.float64],
) -> NDArray[np.float32]:
    """Return the largest statistic of any pair in each draw, shape (draws,).

    Args:
        totals: Each submission's sums with flipped signs, shape (rows, draws).
        first: Index of the first submission of each pair.
        second: Index of the second submission of each pair.
        scale: Divisor of the difference of each pair.
    """
    largest = np.zeros(totals.shape[1], dtype=np.float32)
    factors = (1 / scale).astype(np.float32)[:, np.newaxis]
    step = max(1, _MAX_CELLS // totals.shape[1])
    for start in range(0, len(first), step):
        pairs = slice(start, start + step)
        statistics = totals[first[pairs]]
        statistics -= totals[second[pairs]]
        np.abs(statistics, out=statistics)
        statistics *= factors[pairs]
        np.maximum(largest, statistics.max(axis=0), out=largest)
    return largest
