"""Charts on pages: complete for those who do not see them, and without a drawing."""

import re
from collections.abc import Mapping
from decimal import Decimal
from html import unescape
from pathlib import Path
from typing import Any

from boards import board, entry_of, row, table, track
from charted import counts, printed
from rendered import board_page

from sitegen.board.board import Board
from sitegen.charts.chart import Panel
from sitegen.pages.charts import board_chart_views, entry_chart_views, panels_of
from sitegen.pages.environment import Templates
from sitegen.pages.site import batches_of

FOLDER = Path(__file__).parents[2] / "templates" / "pages"
TARGETS = track(protocol="once", headline="resolved", columns=("resolved",), groupings=("kind",))


def solved(name: str, value: str, **kinds: str) -> Mapping[str, Any]:
    """Print a share of 100 tasks, with that on kinds of tasks."""
    groups = {"kind": {kind: {"value": Decimal(found)} for kind, found in kinds.items()}}
    return printed(name, resolved={**counts(value, 100), "groups": groups})


def made() -> Board:
    rows = [solved("acme", "60.0", tool="70.0", game="50.0"), solved("bolt", "40.0", tool="41.0", game="39.0")]
    return board(tables=[table(*rows)], on=TARGETS)


def named(panel: Panel) -> str:
    """Draw nothing but the panel's name, and a mark of each of two agents."""
    return f'<svg viewBox="0 0 9 9"><text>{panel.title}</text><path data-agent="0"/><path data-agent="1"/></svg>'


def pages(shown: Board) -> Mapping[str, str]:
    batches = batches_of([shown], Templates(FOLDER, named))
    return {page.address: page.content for batch in batches for page in batch()}


def figure(page: str, name: str) -> str:
    """Cut a chart out of a page."""
    return page.split(f'<figure class="sg-chart" id="chart-{name}"')[1].split("</figure>", maxsplit=1)[0]


def cells(text: str) -> list[str]:
    return [unescape(cell) for cell in re.findall(r"<td[^>]*>([^<]*)</td>", text)]


def test_a_drawing_says_what_it_is_and_where_it_is_told() -> None:
    shown = figure(pages(made())["mini/main/"], "scores")
    assert '<svg role="img" aria-label="Resolved (%)" aria-describedby="chart-scores-about"' in shown
    assert '<figcaption id="chart-scores-about">Resolved of 2 agents' in shown


def test_the_same_numbers_stand_in_a_table() -> None:
    shown = figure(pages(made())["mini/main/"], "scores")
    assert cells(shown) == ["60.0", "49.7", "69.7", "40.0", "30.3", "50.3"]


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

    for batch in batches_of([shown], Templates(FOLDER, draw)):
        list(batch())
    assert {panel.title for panel in asked} == {"Resolved (%)", "Resolved (%) by kind"}
    assert all(panel in list(panels_of([shown])) for panel in asked)


def test_without_a_drawing_a_chart_is_its_sentence_and_its_table() -> None:
    page = board_page(made(), Templates(FOLDER))
    shown = figure(page.content, "scores")
    assert "<svg" not in shown
    assert "60.0" in cells(shown)


def test_agents_of_one_name_are_told_apart_by_their_scaffolds() -> None:
    rows = [
        {**printed(each, resolved=counts("50.0", 100)), "name": "Acme", "scaffold": each} for each in ("hand", "foot")
    ]
    (view,) = board_chart_views(board(tables=[table(*rows)], on=TARGETS))
    assert view.chart.table
    assert sorted(name for name, _ in view.chart.table.lines) == ["Acme (foot)", "Acme (hand)"]


def test_a_board_with_nothing_to_draw_has_no_charts() -> None:
    shown = board(tables=[table(row("acme"), row("bolt"))])
    assert "sg-chart" not in pages(shown)["mini/main/"]
    assert entry_chart_views(shown, entry_of(shown, "acme")) == []
