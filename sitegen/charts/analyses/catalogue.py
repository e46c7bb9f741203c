"""The catalogue of analyses.

An analysis takes a board and returns a chart, or None if the board lacks the data. Its sentence
claims no more than the numbers of the chart show.
"""

from collections.abc import Callable, Sequence

from sitegen.board import Board
from sitegen.charts.analyses.effort import budget_chart, phase_charts, scaffolds_chart, tokens_chart
from sitegen.charts.analyses.kinds import attempts_chart, kinds_charts
from sitegen.charts.analyses.printed import printed_charts
from sitegen.charts.analyses.rounds import (
    heat_chart,
    length_chart,
    modes_chart,
    rerun_chart,
    tasks_chart,
    tiers_chart,
)
from sitegen.charts.chart import Chart, ChartLabels

Analysis = Callable[[Board, ChartLabels], Chart | list[Chart] | None]


ANALYSES: tuple[Analysis, ...] = (
    rerun_chart,
    heat_chart,
    length_chart,
    tiers_chart,
    attempts_chart,
    scaffolds_chart,
    budget_chart,
    phase_charts,
    tokens_chart,
    modes_chart,
    kinds_charts,
    tasks_chart,
    printed_charts,
)
"""Every analysis, the most informative first."""


def analyses(board: Board, labels: ChartLabels) -> Sequence[Chart]:
    """Return the analyses that a board's data allows, the most informative first."""
    charts: list[Chart] = []
    for analysis in ANALYSES:
        result = analysis(board, labels)
        if isinstance(result, Chart):
            charts.append(result)
        else:
            charts += result or ()
    return charts
