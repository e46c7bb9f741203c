"""The page that shows what the data of a board says beyond its scores."""

from kit.boards import board, bundle, row, table, track
from kit.rendered_pages import analysis_page, board_page
from kit.result_grids import records
from kit.task_cases import TEMPLATES, tree, words

from sitegen.board.board import Board


def made() -> Board:
    return board(
        *(
            bundle(name, *["#" * passed_count + "." * (4 - passed_count)] * 8)
            for name, passed_count in (("ada", 3), ("bob", 2))
        ),
        rounds=(4,) * 8,
    )


def test_every_analysis_stands_there_with_its_numbers() -> None:
    page = analysis_page(made(), TEMPLATES)
    assert page is not None
    assert page.address == "mini/main/analysis/"
    figures = tree(page).cssselect("figure.sg-chart")
    assert [figure.get("id") for figure in figures] == ["heat", "tasks"]
    assert all(figure.cssselect("table tbody tr") for figure in figures)


def test_the_page_says_first_what_has_a_number() -> None:
    """How to read the first chart is no answer."""
    page = analysis_page(made(), TEMPLATES)
    assert page is not None
    (answer,) = tree(page).cssselect("[data-answer]")
    assert words(answer) == "8 tasks with 32 rounds, 4 in each task"


def test_a_heat_map_says_its_numbers_and_over_how_many_tasks() -> None:
    page = analysis_page(made(), TEMPLATES)
    assert page is not None
    (shades,) = tree(page).cssselect("table.sg-shades")
    rows = {
        words(table_row.cssselect("th")[0]): [words(cell) for cell in table_row.cssselect("td")]
        for table_row in shades.cssselect("tbody tr")
    }
    assert rows["ada"] == ["100.0", "100.0", "100.0", "0.0"]
    assert rows["All agents"] == ["100.0", "100.0", "50.0", "0.0"]
    assert [words(heading_note) for heading_note in shades.cssselect("thead .sg-about")] == ["8"] * 4


def test_the_board_leads_to_the_two_most_telling_ones() -> None:
    page = tree(board_page(made(), TEMPLATES))
    links = [link.get("href") for link in page.cssselect("[data-analyses] a")]
    assert [link.rpartition("main/")[2] for link in links] == ["analysis/#heat", "analysis/#tasks", "analysis/"]


def test_no_sentence_counts_tables_that_are_not_there() -> None:
    again = records("a", "####", 1, "reference")
    on = track(protocol="fail-stop", reference_rounds=True)
    page = analysis_page(board(bundle("ada", "#...", found=again), on=on, rounds=(4,)), TEMPLATES)
    assert page is not None
    assert not tree(page).cssselect("[data-answer]")


def test_printed_tables_alone_have_no_such_page() -> None:
    shown = board(tables=[table(row("ash"), row("elm"))])
    assert analysis_page(shown, TEMPLATES) is None
    assert not tree(board_page(shown, TEMPLATES)).cssselect("[data-analyses]")


def test_counts_are_bars_as_wide_as_the_page() -> None:
    page = analysis_page(made(), TEMPLATES)
    assert page is not None
    (bars,) = tree(page).cssselect("[data-chart=tasks] .sg-bars")
    assert [words(number) for number in bars.cssselect("b") if words(number)] == ["8"]
    assert [bar.get("width") for bar in bars.cssselect("rect.sg-bar")] == ["100.00%"]
