"""Every figure of the papers' main tables stands on its board as it was printed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.paper_tables import lines_of, split, spread
from kit.rendered_pages import board_page
from kit.shipped_results import shipped
from lxml import html

from sitegen.pages.environment import Templates

ROOT = Path(__file__).parents[2]
TEMPLATES = Templates(ROOT / "templates" / "pages")


def shown(benchmark: str) -> dict[str, dict[str, str]]:
    """Give what the board of a paper shows: text by row and column, as `paper_tables` names the columns."""
    (board,) = (
        board for board in shipped().all_boards() if (board.benchmark.id, board.track.id) == (benchmark, "paper")
    )
    table = html.fromstring(board_page(board, TEMPLATES).content).find(".//table[@data-board]")
    return {row.get("data-submission"): dict(_columns(row)) for row in table.findall(".//tr[@data-submission]")}


def _columns(row: html.HtmlElement) -> Iterator[tuple[str, str]]:
    for cell in row.findall("td[@data-metric]"):
        metric, axis, group = cell.get("data-metric"), cell.get("data-axis"), cell.get("data-group")
        value, deviation = cell.find(".//span[@class='sg-value']"), cell.find(".//span[@class='sg-spread']")
        name = split(metric, axis, group) if group else metric
        assert cell.get("data-value") == value.text
        yield name, value.text
        if deviation is not None:
            yield spread(metric), deviation.text.removeprefix(" ± ")


@pytest.mark.parametrize(("benchmark", "rows"), [("evocode-bench", 13), ("roadmapbench", 24), ("slop-code-bench", 11)])
def test_a_paper_board_shows_its_table(benchmark: str, rows: int) -> None:
    printed = {row: {name: str(cell.value) for name, cell in line.items()} for row, line in lines_of(benchmark).items()}
    assert len(printed) == rows
    assert shown(benchmark) == printed
