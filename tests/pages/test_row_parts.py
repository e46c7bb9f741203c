"""Boards of more than 200 rows: the first part on the board's page, the others on pages of their own."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

import pytest
from kit.boards import board, bundle, table
from kit.boards import row as printed_row
from kit.rendered_pages import TEMPLATES, benchmark_page
from lxml import html

from sitegen.board.board import Board
from sitegen.charts.board_charts import first_agents
from sitegen.charts.chart import AxisScale, Chart, Cloud, Dot, Table
from sitegen.models.site import Page
from sitegen.pages import labels
from sitegen.pages.charts import chart_labels
from sitegen.pages.kinds import board as boards
from sitegen.pages.kinds import compare
from sitegen.pages.records import BoardRecords
from sitegen.pages.row_parts import MAX_ROWS, row_parts

MANY = 450


@pytest.fixture(scope="module")
def long_board() -> Board:
    """450 published rows with different scores, and a withdrawn one among the best."""
    rows = [printed_row(f"row-{number:03}", f"{90 - number / 10:.1f}") for number in range(MANY)]
    status = {"state": "withdrawn", "by": "maintainer", "reason": "leak", "date": date(2026, 6, 26)}
    return board(bundle("gone", "#", status=status), tables=[table(*rows)], rounds=(1,))


@pytest.fixture(scope="module")
def pages(long_board: Board) -> dict[str, Page]:
    """The pages that list the rows of the board, by address."""
    return {page.address: page for page in (benchmark_page([long_board]), *row_pages(long_board))}


def row_pages(made: Board) -> Iterator[Page]:
    """Render the board, its comparison, and the further parts of both."""
    for kind in (boards.board_page, boards.board_rows_pages, compare.compare_page, compare.compare_rows_pages):
        yield from kind.pages(BoardRecords(made), TEMPLATES)


def row_ids(page: Page) -> list[str]:
    return [row.get("data-submission") for row in rows_of(page)]


def rows_of(page: Page) -> Sequence[html.HtmlElement]:
    tables = html.fromstring(page.content).cssselect("table[data-board], table[data-rows]")
    assert len(tables) == 1
    rows: Sequence[html.HtmlElement] = tables[0].cssselect("tbody tr[data-submission]")
    return rows


def parts_of(pages: dict[str, Page], first: str) -> Iterator[Page]:
    yield pages[first]
    yield pages[f"{first}rows-2/"]
    yield pages[f"{first}rows-3/"]


def test_the_parts_of_a_board_have_all_rows_in_order(long_board: Board, pages: dict[str, Page]) -> None:
    ids = [name for page in parts_of(pages, "mini/main/") for name in row_ids(page)]
    assert [name for name in ids if name != "gone"] == [entry.id for entry in long_board.entries]
    assert ids.count("gone") == 1
    assert "mini/main/rows-4/" not in pages


def test_ranks_in_later_parts_agree_with_the_board(long_board: Board, pages: dict[str, Page]) -> None:
    entries = {entry.id: entry for entry in long_board.all_entries}
    for page in parts_of(pages, "mini/main/"):
        for row in rows_of(page):
            rank = row.cssselect("td.sg-rank")[0].text_content()
            assert rank == labels.rank_text(long_board, entries[row.get("data-submission")])


def test_the_parts_of_the_comparison_have_all_rows_once(long_board: Board, pages: dict[str, Page]) -> None:
    ids = [name for page in parts_of(pages, "mini/main/compare/") for name in row_ids(page)]
    assert ids == [entry.id for entry in long_board.all_entries]


def test_each_part_has_the_same_head(pages: dict[str, Page]) -> None:
    for first in ("mini/main/", "mini/main/compare/"):
        heads = set()
        for page in parts_of(pages, first):
            (head,) = re.findall(r"<caption>.*?</thead>", page.content, re.DOTALL)
            heads.add(head)
        assert len(heads) == 1


def test_each_part_links_to_the_others(pages: dict[str, Page]) -> None:
    links = html.fromstring(pages["mini/main/rows-2/"].content).cssselect("nav[data-parts] a")
    shown = [(link.get("rel"), link.get("href"), link.text_content()) for link in links]
    assert shown == [
        ("prev", "../../../mini/main/", "Previous: rows 1 to 200"),
        ("next", "../../../mini/main/rows-3/", "Next: rows 401 to 450"),
        (None, "../../../mini/main/", "1 to 200"),
        (None, "../../../mini/main/rows-3/", "401 to 450"),
    ]
    navigation_text = html.fromstring(pages["mini/main/"].content).cssselect("nav[data-parts] p")[0].text_content()
    assert navigation_text == "Rows 1 to 200 of 450 · Next: rows 201 to 400"


def test_the_page_of_the_benchmark_has_the_first_part_and_links_to_the_others(pages: dict[str, Page]) -> None:
    assert row_ids(pages["mini/"]) == row_ids(pages["mini/main/"])
    assert 'href="../mini/main/rows-2/"' in pages["mini/"].content


def test_no_page_has_an_id_twice(pages: dict[str, Page]) -> None:
    for page in pages.values():
        ids = [element.get("id") for element in html.fromstring(page.content).iter() if element.get("id")]
        assert len(ids) == len(set(ids)), page.address


def test_pages_of_a_long_board_are_small(pages: dict[str, Page]) -> None:
    for page in pages.values():
        assert len(re.findall(r"<[a-z]", page.content)) < 7_000, page.address


def test_a_board_of_200_rows_is_one_page() -> None:
    rows = [printed_row(f"row-{number:03}", f"{90 - number / 10:.1f}") for number in range(MAX_ROWS)]
    made = board(tables=[table(*rows)], rounds=(1,))
    made_pages = list(row_pages(made))
    assert [page.address for page in made_pages] == ["mini/main/", "mini/main/compare/"]
    assert not [page.address for page in made_pages if "data-parts" in page.content]


def test_hidden_rows_stay_behind_the_row_before_them() -> None:
    page_parts = row_parts([True] * 200 + [False, False] + [True])
    assert [(page_part.first, page_part.last, page_part.rows) for page_part in page_parts] == [
        (1, 200, slice(0, 202)),
        (201, 201, slice(202, 203)),
    ]
    assert [empty_part.rows for empty_part in row_parts([])] == [slice(0, 0)]


def test_charts_of_a_long_board_draw_the_best_agents_and_a_front(long_board: Board) -> None:
    dots = []
    lines = []
    for index in range(MANY):
        name = long_board.names[long_board.entries[index].id]
        dots.append(Dot(index, name, float(index), 1.0, "", is_front=index == MANY - 1))
        lines.append((name, ["1.0"]))
    scale = AxisScale("Cost")
    chart = Chart("effort", "Score", "All.", [Cloud(scale, scale, dots)], Table(["Agent", "Score"], lines))
    limited = first_agents(long_board, chart, chart_labels(long_board))
    (cloud,) = limited.panels
    assert isinstance(cloud, Cloud)
    assert [dot.agent for dot in cloud.dots] == [*range(30), MANY - 1]
    assert limited.table
    assert [name for name, _ in limited.table.lines] == [dot.name for dot in cloud.dots]
    assert limited.sentence == (
        "All. Only the best 30 of 450 agents and those on a front are shown; "
        "the CSV file of the board has the scores of all."
    )
