"""Two rows of a board head to head: how far they lie apart, and whether the data tells which of them is ahead."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric
from sitegen.metrics.places import Contender
from sitegen.metrics.uncertainty import ROUNDING, Interval, differences
from sitegen.metrics.verdicts import RoundCounts

Standing = Literal["ahead", "behind", "cannot tell"]
"""Whether the first of two rows is better by the headline score, as far as the data tells."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How far the first of two rows lies above the second by one metric.

    Attributes:
        metric: The metric.
        value: The first's score less the second's, in the unit.
        interval: Its 95 % interval, from the same draws of the tasks for both.
    """

    metric: Metric
    value: float
    interval: Interval

    @property
    def standing(self) -> Standing:
        """Whether the interval leaves no doubt about who is better."""
        if self.interval.low <= ROUNDING and self.interval.high >= -ROUNDING:
            return "cannot tell"
        return "ahead" if (self.interval.low > 0) == (self.metric.direction == "higher") else "behind"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two rows of a board head to head.

    Attributes:
        first: The row that the comparison is about.
        second: The row that it is held against.
        standing: Whether the first is ahead of the second.
        differences: By metric id; none where one of them has no results to draw from.
        rounds: How the rounds went that both have a verdict on; None where there is none.
    """

    first: Entry
    second: Entry
    standing: Standing
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
    leads = board.certainty.leads(first, drawn) if drawn else []
    by_headline = {
        entry.id: {metric.id: difference_about(metric, first, entry, lead)}
        for entry, lead in zip(drawn, leads, strict=True)
    }
    return {entry.id: _comparison(board, first, entry, by_headline.get(entry.id, {})) for entry in others}


def _difference(board: Board, metric: Metric, first: Entry, second: Entry) -> Difference | None:
    if not comparable(board, metric, first, second):
        return None
    ours, theirs = board.certainty.resampling.draws(metric, [first.id, second.id])
    (lead,) = differences(ours, theirs[None])
    return difference_about(metric, first, second, lead)


def difference_about(metric: Metric, first: Entry, second: Entry, lead: Interval) -> Difference:
    """Give the difference of two rows' scores, whose lead in the draws is known."""
    value = (first.value(metric.id) or 0.0) - (second.value(metric.id) or 0.0)
    return Difference(metric, value, lead.around(value))


def comparable(board: Board, metric: Metric, first: Entry, second: Entry) -> bool:
    """Whether both have results for every task that give a score, by one version of its definition."""
    if first.is_incomplete or second.is_incomplete:
        return False
    ours, theirs = first.scores.get(metric.id), second.scores.get(metric.id)
    if not ours or not theirs or ours.value is None or theirs.value is None:
        return False
    have_results = first.sheet is not None and second.sheet is not None
    return have_results and ours.version == theirs.version and board.certainty.can_be_drawn


def _comparison(board: Board, first: Entry, second: Entry, found: Mapping[str, Difference]) -> Comparison:
    headline = found.get(board.headline.id)
    standing = headline.standing if headline else _by_intervals(board, first, second)
    rounds = board.verdicts.compare(first.id, second.id) if first.sheet and second.sheet else None
    return Comparison(first, second, standing, found, rounds)


def _by_intervals(board: Board, first: Entry, second: Entry) -> Standing:
    """Tell rows apart whose intervals do not overlap, where one of them has no results.

    A row without an interval can't be told from any other, and neither can rows that both have results, but no
    headline scores that compare.
    """
    ours, theirs = _with_interval(board, first), _with_interval(board, second)
    if not ours or not theirs or (first.sheet and second.sheet):
        return "cannot tell"
    return "ahead" if ours.leads(theirs) else "behind" if theirs.leads(ours) else "cannot tell"


def _with_interval(board: Board, entry: Entry) -> Contender | None:
    found = None if entry.is_incomplete else board.certainty.contender(entry)
    return found if found and found.interval else None
