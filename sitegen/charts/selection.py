"""Which charts a board has room for."""

from collections.abc import Sequence
from itertools import islice

from sitegen.board.board import Board
from sitegen.charts.chart import Chart, Words
from sitegen.charts.effort import effort_chart
from sitegen.charts.reference import reference_chart
from sitegen.charts.scores import scores_chart
from sitegen.charts.splits import splits_chart

MOST = 3
"""A board's page is its table; more charts would bury what stands below it."""


def board_charts(board: Board, words: Words) -> Sequence[Chart]:
    """Give the charts of a board that its data allows, the most telling ones first.

    Scores that cannot be ranked, as by several versions of a definition, do not stand on one axis either.
    """
    makers = (scores_chart, reference_chart, effort_chart, splits_chart) if board.ranks else ()
    made = (make(board, words) for make in makers)
    return list(islice(filter(None, made), MOST))
