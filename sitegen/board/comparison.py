"""Two rows of a board head to head: how far they lie apart, and whether the data tells which of them is ahead."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.certainty import Standing
from sitegen.board.entry import Entry
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.likeness import RoundCounts
from sitegen.metrics.metric import Metric
from sitegen.metrics.paired import Paired


@dataclass(frozen=True, slots=True)
class Difference:
    """How far the first of two rows lies above the second by one metric.

    Attributes:
        metric: The metric.
        paired: The first's score less the second's, from the differences at the tasks.
    """

    metric: Metric
    paired: Paired

    @property
    def standing(self) -> Standing:
        """Whether the two are told apart, if nobody picked them out of others."""
        if not self.paired.is_shown:
            return "cannot tell"
        return "ahead" if (self.paired.value > 0) == (self.metric.direction == "higher") else "behind"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two rows of a board head to head.

    Attributes:
        first: The row that the comparison is about.
        second: The row that it is held against.
        standing: Whether the first is likely ahead of the second, this pair looked at alone.
        on_board: Whether it is shown to be, as one of all pairs of the board.
        differences: By metric id; none where one of them has no results to draw from.
        rounds: How the rounds went that both have a verdict on; None where there is none.
    """

    first: Entry
    second: Entry
    standing: Standing
    on_board: Standing
    differences: Mapping[str, Difference]
    rounds: RoundCounts | None


def compare(board: Board, first: Entry, second: Entry) -> Comparison:
    """Hold two rows of a board against each other, by every metric that both have results for."""
    found = (_difference(board, metric, first, second) for metric in METRICS.values())
    return _comparison(board, first, second, {each.metric.id: each for each in found if each})


def comparisons(board: Board, first: Entry, others: Sequence[Entry]) -> Mapping[str, Comparison]:
    """Hold one row against others, by the headline score only: all at once, which is faster.

    Args:
        board: Their board.
        first: The row.
        others: Other rows that stand.

    Returns:
        By the other row's id, in the order given.
    """
    metric = board.headline
    drawn = [entry for entry in others if comparable(board, metric, first, entry)]
    found = zip(drawn, board.certainty.paired(metric, first, drawn), strict=True) if drawn else ()
    by_headline = {entry.id: {metric.id: Difference(metric, paired)} for entry, paired in found}
    return {entry.id: _comparison(board, first, entry, by_headline.get(entry.id, {})) for entry in others}


def _difference(board: Board, metric: Metric, first: Entry, second: Entry) -> Difference | None:
    if not comparable(board, metric, first, second):
        return None
    (paired,) = board.certainty.paired(metric, first, [second])
    return Difference(metric, paired)


def comparable(board: Board, metric: Metric, first: Entry, second: Entry) -> bool:
    """Whether both have results for every task that give a score, by one version of its definition."""
    if first.is_incomplete or second.is_incomplete:
        return False
    ours, theirs = first.scores.get(metric.id), second.scores.get(metric.id)
    if not ours or not theirs or ours.value is None or theirs.value is None:
        return False
    have_results = first.sheet is not None and second.sheet is not None
    return have_results and ours.version == theirs.version and board.certainty.has_tasks


def _comparison(board: Board, first: Entry, second: Entry, found: Mapping[str, Difference]) -> Comparison:
    headline, on_board = found.get(board.headline.id), board.certainty.standing(first, second)
    standing = headline.standing if headline else on_board  # of printed counts nothing is said of a pair alone
    rounds = board.verdicts.compare(first.id, second.id) if first.sheet and second.sheet else None
    return Comparison(first, second, standing, on_board, found, rounds)
