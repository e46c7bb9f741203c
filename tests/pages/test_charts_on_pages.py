"""Charts on pages: complete for those who do not see them, and without a drawing."""

import re
from collections.abc import Mapping
from decimal import Decimal
from html import unescape
from pathlib import Path
from typing import Any

from kit.boards import board, entry_of, row, table, track
from kit.chart_boards import counts, printed
from kit.rendered_pages import all_pages, board_page

from sitegen.board.board import Board
from sitegen.charts.chart import Panel
from sitegen.pages.charts import board_chart_views, entry_chart_views, panels_of
from sitegen.pages.environment import Templates

FOLDER = Path(__file__).parents[2] / "templates" / "pages"
TARGETS = track(protocol="once", headline="resolved", columns=("resolved",), groupings=("kind",))


def solved(name: str, value: str, **kinds: str) -> Mapping[str, Any]:
    """Print a share of 100 tasks, with that on kinds of tasks."""
    groups = {"kind": {kind: {"value": Decimal(share)} for kind, share in kinds.items()}}
    return printed(name, resolved={**counts(value, 100), "groups": groups})


def made() -> Board:
    rows = [solved("acme", "60.0", tool="70.0", game="50.0"), solved("bolt", "40.0", tool="41.0", game="39.0")]
    return board(tables=[table(*rows)], on=TARGETS)


def named(panel: Panel) -> str:
    """Draw nothing but the panel's name, and a mark of each of two agents."""
    return f'<svg viewBox="0 0 9 9"><text>{panel.title}</text><path data-agent="0"/><path data-agent="1"/></svg>'


def pages(shown: Board) -> Mapping[str, str]:
    return {page.address: page.content for page in all_pages([shown], Templates(FOLDER, named))}


def figure(page: str, name: str) -> str:
    """Cut a chart out of a page."""
    return page.split(f'id="chart-{name}"')[1].split("</figure>", maxsplit=1)[0]


def cells(text: str) -> list[str]:
    return [unescape(cell) for cell in re.findall(r"<td[^>]*>([^<]*)</td>", text)]


def test_a_drawing_says_what_it_is_and_where_it_is_told() -> None:
    shown = figure(pages(made())["mini/main/"], "splits")
    assert '<svg role="img" aria-label="Resolved (%) by kind" aria-describedby="chart-splits-about"' in shown
    assert '<figcaption id="chart-splits-about">Resolved by kind' in shown


def test_the_same_numbers_stand_in_a_table() -> None:
    shown = figure(pages(made())["mini/main/"], "splits")
    assert cells(shown) == ["70.0", "50.0", "41.0", "39.0"]


def priced(cord: str = "0.50") -> Board:
    """Three agents, each with a score and what it cost."""
    costs = {"acme": ("60.0", "1.00"), "bolt": ("40.0", "2.00"), "cord": ("20.0", cord)}
    rows = [printed(name, resolved=counts(value, 100), net_cost=cost) for name, (value, cost) in costs.items()]
    return board(tables=[table(*rows)], on=track(protocol="once", headline="resolved", columns=("resolved",)))


def test_a_plot_needs_no_drawing_and_no_style_of_its_own() -> None:
    shown = figure(board_page(priced(), Templates(FOLDER)).content, "effort")
    assert '<svg class="sg-plot" width="100%"' in shown
    assert 'role="img" aria-label="Resolved (%) against Net cost (USD)"' in shown
    assert "style=" not in shown
    assert "<title>acme: 60.0 at 1.00</title>" in shown
    assert shown.count('class="sg-cap"') == 3
    assert shown.count("sg-hollow") == 1


def test_one_agent_alone_on_the_front_is_the_only_filled_dot() -> None:
    shown = figure(board_page(priced("1.50"), Templates(FOLDER)).content, "effort")
    assert shown.count("sg-hollow") == 2


def test_a_plot_names_its_dots_at_both_widths() -> None:
    shown = figure(board_page(priced(), Templates(FOLDER)).content, "effort")
    named = re.findall(r'<text class="sg-label ([^"]*)"[^>]*>(\w+)</text>', shown)
    for width in ("sg-wide", "sg-narrow"):
        assert sorted(name for look, name in named if look in {"", width}) == ["acme", "bolt", "cord"]


def test_on_the_page_of_a_row_its_own_marks_stand_out() -> None:
    shown = figure(pages(made())["mini/main/bolt/"], "splits")
    assert shown.count('class="sg-own"') == 1
    assert '<path/><path class="sg-own"/>' in shown


def test_on_the_page_of_a_board_no_mark_stands_out() -> None:
    shown = pages(made())["mini/main/"]
    assert "sg-own" not in shown
    assert "data-agent" not in shown


def test_everything_that_pages_draw_is_known_before() -> None:
    shown, asked = made(), list[Panel]()

    def draw(panel: Panel) -> str:
        asked.append(panel)
        return named(panel)

    list(all_pages([shown], Templates(FOLDER, draw)))
    assert {panel.title for panel in asked} == {"Resolved (%) by kind"}
    assert all(panel in list(panels_of([shown])) for panel in asked)


def test_without_a_drawing_a_chart_is_its_sentence_and_its_table() -> None:
    page = board_page(made(), Templates(FOLDER))
    shown = figure(page.content, "splits")
    assert "<svg" not in shown
    assert "70.0" in cells(shown)


def test_agents_of_one_name_are_told_apart_by_their_scaffolds() -> None:
    rows = [
        {**solved(scaffold, "50.0", tool="1.0", game="2.0"), "name": "Acme", "scaffold": scaffold}
        for scaffold in ("hand", "foot")
    ]
    (view,) = board_chart_views(board(tables=[table(*rows)], on=TARGETS))
    assert view.chart.table
    assert sorted(name for name, _ in view.chart.table.lines) == ["Acme (foot)", "Acme (hand)"]


def test_a_board_with_nothing_to_draw_has_no_charts() -> None:
    shown = board(tables=[table(row("acme"), row("bolt"))])
    assert "sg-chart" not in pages(shown)["mini/main/"]
    assert entry_chart_views(shown, entry_of(shown, "acme")) == []


def test_charts_of_a_board_are_computed_once() -> None:
    shown = made()
    assert board_chart_views(shown) is board_chart_views(shown)
