"""Charts on pages: a drawing, the sentence that says what it shows, and its numbers."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from typing import NamedTuple

from markupsafe import Markup

from sitegen.board import Board, Entry
from sitegen.board.inference.robustness import Robustness
from sitegen.charts.analyses.catalogue import analyses
from sitegen.charts.board_charts import (
    board_charts,
    entry_splits_chart,
    robustness_charts,
    split_panels,
)
from sitegen.charts.chart import (
    BarList,
    Chart,
    ChartLabels,
    Cloud,
    Curves,
    Heat,
    Panel,
    Plot,
    digest_of,
)
from sitegen.charts.layout import (
    Plotted,
    PlottedBars,
    PlottedCurves,
    plotted,
    plotted_bars,
    plotted_curves,
)
from sitegen.pages import labels
from sitegen.pages.heat import HeatCell, share_cell

Draw = Callable[[Panel], str]
"""Returns the drawing of a panel, as SVG."""

_MAX_NARROW_COLUMNS = 5
"""The number of columns above which a table takes the full width of the page."""
_AGENT_ATTRIBUTE = re.compile(r' data-agent="(\d+)"')

HeatRow = tuple[str, list[HeatCell | None]]
"""An agent, and its cells; None for a gap."""


class ChartView(NamedTuple):
    """A chart on a page, with its anchor."""

    chart: Chart
    anchor: str
    agent: int | None = None
    """The index on the board of the agent that the page is about; None for all agents."""

    @property
    def is_table(self) -> bool:
        """Whether it has no drawing."""
        return not self.chart.panels

    @property
    def is_wide(self) -> bool:
        """Whether half of a page is too narrow for it."""
        if self.heats:
            return True
        table = self.chart.table
        return bool(self.is_table and table and len(table.heads) > _MAX_NARROW_COLUMNS)

    @property
    def drawn(self) -> list[Panel]:
        """The panels that are drawn outside the page, during the build."""
        panels = self.chart.panels
        return [panel for panel in panels if not isinstance(panel, (BarList, Cloud, Curves, Heat))]

    @property
    def heats(self) -> list[tuple[Heat, list[HeatRow]]]:
        """The chart's heat maps, with their rows as displayed."""
        heats = [panel for panel in self.chart.panels if isinstance(panel, Heat)]
        return [(heat, _heat_rows(heat)) for heat in heats]

    @property
    def bar_lists(self) -> list[tuple[BarList, PlottedBars]]:
        """The panels that are lists of bars, with their layouts."""
        panels = [panel for panel in self.chart.panels if isinstance(panel, BarList)]
        return [(panel, plotted_bars(panel)) for panel in panels]

    @property
    def plots(self) -> list[tuple[Plot, Plotted | PlottedCurves]]:
        """The panels that the page draws itself, with their layouts."""
        panels = self.chart.panels
        clouds = [panel for panel in panels if isinstance(panel, Cloud)]
        curves = [panel for panel in panels if isinstance(panel, Curves)]
        cloud_plots = [(cloud, plotted(cloud, len(panels))) for cloud in clouds]
        return [*cloud_plots, *((curve, plotted_curves(curve)) for curve in curves)]


def _heat_rows(heat: Heat) -> list[HeatRow]:
    return [(name, list(map(_share_cell, shares))) for name, shares in heat.rows]


def _share_cell(percent: float | None) -> HeatCell | None:
    if percent is None:
        return None
    return share_cell(percent / 100, f"{percent:.1f}", "")


def board_chart_views(board: Board) -> list[ChartView]:
    """Return the charts of a board's page; they are computed once per board."""
    return board.cached_by(_board_chart_views)


def _board_chart_views(board: Board) -> list[ChartView]:
    charts = board_charts(board, chart_labels(board))
    return [ChartView(chart, f"chart-{chart.id}") for chart in charts]


def entry_chart_views(board: Board, entry: Entry) -> list[ChartView]:
    """Return the charts of a row's page, which highlight the row among the others."""
    chart = entry_splits_chart(board, entry, chart_labels(board))
    if chart is None:
        return []
    indices = (index for index, row in enumerate(board.entries) if row is entry)
    return [ChartView(chart, f"chart-{chart.id}", next(indices, None))]


def robustness_chart_views(robustness: Robustness) -> list[ChartView]:
    """Return the charts of the page on a board's certainty."""
    charts = robustness_charts(robustness, chart_labels(robustness.board))
    return [ChartView(chart, chart.id) for chart in charts]


def analysis_views(board: Board) -> list[ChartView]:
    """Return the analyses of a board; they are computed once per board."""
    return board.cached_by(_analysis_views)


def _analysis_views(board: Board) -> list[ChartView]:
    return [ChartView(chart, chart.id) for chart in analyses(board, chart_labels(board))]


def panels_of(boards: Sequence[Board]) -> Iterator[Panel]:
    """Yield every panel that the build draws for the pages of the given boards."""
    for board in boards:
        for view in board_chart_views(board):
            yield from view.drawn
        for _, panel in split_panels(board, chart_labels(board)):
            yield panel
        robustness = board.cached_by(Robustness)
        if robustness.is_available:
            for view in robustness_chart_views(robustness):
                yield from view.drawn
        for view in analysis_views(board):
            yield from view.drawn


class Drawing:
    """Puts drawings into pages when templates ask for them."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw

    def __call__(self, panel: Panel, view: ChartView) -> Markup:
        """Return a panel's drawing with a text alternative, and with the page's own agent marked.

        `data-drawing` names the file of the specification.
        """

        def mark_own_agent(attribute: re.Match[str]) -> str:
            if attribute[1] == str(view.agent):
                return ' class="sg-own"'
            return ""

        label = f'aria-label="{escape(panel.title)}" aria-describedby="{view.anchor}-about"'
        attributes = f'role="img" {label} data-drawing="{digest_of(panel)}"'
        svg = _AGENT_ATTRIBUTE.sub(mark_own_agent, self._draw(panel))
        # all text in a drawing is escaped
        return Markup(svg.replace("<svg", f"<svg {attributes}", 1))  # noqa: S704


def chart_labels(board: Board) -> ChartLabels:
    """Return the names that pages use for the content of a board's charts."""
    names = {entry_id: labels.visible(agent) for entry_id, agent in board.names.items()}
    return ChartLabels(names, partial(labels.title_on, board), labels.unit_of)
