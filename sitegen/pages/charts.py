"""Charts on pages: the drawing, the sentence that says what it shows, and its numbers as a table."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from typing import NamedTuple

from markupsafe import Markup

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.sureness import Sureness
from sitegen.charts.analyses.catalogue import analyses
from sitegen.charts.board_charts import (
    board_charts,
    entry_splits_chart,
    split_panels,
    sureness_charts,
)
from sitegen.charts.chart import Chart, Cloud, Curves, Heat, Panel, Plot, Words, digest_of
from sitegen.charts.layout import Plotted, PlottedCurves, plotted, plotted_curves
from sitegen.pages import labels
from sitegen.pages.heat import Cell, shaded

Draw = Callable[[Panel], str]
"""Gives the drawing of a panel, as SVG."""

_NARROW = 5
"""A table of more columns takes the page's width."""
_AGENT = re.compile(r' data-agent="(\d+)"')


class ChartView(NamedTuple):
    """A chart on a page, at an anchor."""

    chart: Chart
    anchor: str
    agent: int | None = None
    """Place on the board of the agent that the page is about; None where it is about all."""

    @property
    def is_table(self) -> bool:
        """Whether nothing is drawn of it."""
        return not self.chart.panels

    @property
    def is_wide(self) -> bool:
        """Whether half of a page is too narrow for it."""
        table = self.chart.table
        return bool(self.heats or (self.is_table and table and len(table.heads) > _NARROW))

    @property
    def drawn(self) -> list[Panel]:
        """What is drawn beside the build."""
        return [
            panel for panel in self.chart.panels if not isinstance(panel, (Cloud, Curves, Heat))
        ]

    @property
    def heats(self) -> list[tuple[Heat, list[tuple[str, list[Cell | None]]]]]:
        """What is a table of shades, and its rows as they are shown."""
        heats = [panel for panel in self.chart.panels if isinstance(panel, Heat)]
        return [
            (panel, [(name, list(map(_shade, shares))) for name, shares in panel.rows])
            for panel in heats
        ]

    @property
    def plots(self) -> list[tuple[Plot, Plotted | PlottedCurves]]:
        """What the page draws itself, and how."""
        clouds = [
            (panel, plotted(panel, len(self.chart.panels)))
            for panel in self.chart.panels
            if isinstance(panel, Cloud)
        ]
        curves = [
            (panel, plotted_curves(panel))
            for panel in self.chart.panels
            if isinstance(panel, Curves)
        ]
        return [*clouds, *curves]


def _shade(share: float | None) -> Cell | None:
    return None if share is None else shaded(share / 100, f"{share:.1f}", "")


def board_chart_views(board: Board) -> list[ChartView]:
    """Show the charts of a board's page."""
    return [ChartView(chart, f"chart-{chart.id}") for chart in board_charts(board, words_of(board))]


def entry_chart_views(board: Board, entry: Entry) -> list[ChartView]:
    """Show the charts of the page of a row: how it stands among the others."""
    chart = entry_splits_chart(board, entry, words_of(board))
    place = next((number for number, other in enumerate(board.entries) if other is entry), None)
    return [ChartView(chart, f"chart-{chart.id}", place)] if chart else []


def sureness_chart_views(found: Sureness) -> list[ChartView]:
    """Show the charts of the page that says how sure a board is."""
    return [ChartView(chart, chart.id) for chart in sureness_charts(found, words_of(found.board))]


def analysis_views(board: Board) -> list[ChartView]:
    """Show the analyses of a board."""
    return board.once(_analysis_views)


def _analysis_views(board: Board) -> list[ChartView]:
    return [ChartView(chart, chart.id) for chart in analyses(board, words_of(board))]


def panels_of(boards: Sequence[Board]) -> Iterator[Panel]:
    """Yield everything that is drawn on the pages of some boards."""
    for board in boards:
        yield from (panel for view in board_chart_views(board) for panel in view.drawn)
        yield from (panel for _, panel in split_panels(board, words_of(board)))
        sure = Sureness(board)
        views = sureness_chart_views(sure) if sure.is_told else ()
        yield from (panel for view in (*views, *analysis_views(board)) for panel in view.drawn)


class Drawing:
    """Puts drawings into pages, as the templates ask for them."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw

    def __call__(self, panel: Panel, view: ChartView) -> Markup:
        """Draw what says what it is to those who do not see it, and marks the page's own agent.

        `data-drawing` names the file that it was drawn from.
        """
        drawn = self._draw(panel)
        about = f'aria-label="{escape(panel.title)}" aria-describedby="{view.anchor}-about"'
        named = f' role="img" {about} data-drawing="{digest_of(panel)}"'
        own = _AGENT.sub(
            lambda found: ' class="sg-own"' if found[1] == str(view.agent) else "", drawn
        )
        return Markup(own.replace("<svg", f"<svg{named}", 1))  # noqa: S704 - all text in a drawing is escaped


def words_of(board: Board) -> Words:
    """Give what pages call the things that the charts of a board show."""
    names = {name: labels.visible(agent) for name, agent in board.names.items()}
    return Words(names, partial(labels.title_on, board), labels.unit_of)
