"""The page that compares rows, as it is without scripts."""

from collections.abc import Mapping
from pathlib import Path

from boards import board, bundle, entry_of, everywhere, row, table, track
from lxml import html

from sitegen.board.board import Board
from sitegen.board.comparison_file import ROUND_LETTERS
from sitegen.pages import addresses
from sitegen.pages.compare import MARKS, compare_page, distinct_names
from sitegen.pages.environment import Templates

FOLDER = Path(__file__).parents[2] / "templates" / "pages"


def page(made: Board) -> html.HtmlElement:
    return html.fromstring(compare_page(made, Templates(FOLDER)).content)


def lines(made: Board) -> Mapping[str, html.HtmlElement]:
    """Give the table's rows by their ids."""
    return {line.get("data-submission"): line for line in page(made).cssselect("[data-rows] tr[data-submission]")}


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def test_it_stands_below_its_board() -> None:
    assert compare_page(board(bundle("a", "##")), Templates(FOLDER)).address == "mini/main/compare/"
    assert addresses.compare_data("mini", "main") == "api/v1/mini/main/compare.json"


def test_every_row_is_listed_with_its_scores_and_leads_to_its_page() -> None:
    gone = bundle("gone", "..", status={"state": "withdrawn"})
    made = board(bundle("a", "##"), bundle("b", "#."), gone, tables=[table(row("printed", "10.0"))])
    found = lines(made)
    assert list(found) == ["a", "b", "printed", "gone"]
    for name, line in found.items():
        (cell,) = line.cssselect("[data-metric='dataset_score']")
        assert float(cell.get("data-value")) == entry_of(made, name).value("dataset_score")
        assert line.cssselect("th a")[0].get("href") == f"../../../mini/main/{name}/"
    assert "withdrawn" in words(found["gone"])


def test_a_row_says_how_it_stands_to_the_next_one() -> None:
    tables = [table(row("printed", "10.0"))]
    bundles = bundle("a", "##", "##"), bundle("b", "#.", "#."), bundle("c", "..", "#."), bundle("d", "#.", "..")
    found = lines(board(*bundles, tables=tables, rounds=(2, 2)))
    said = {name: words(line.cssselect("[data-next]")[0]) for name, line in found.items()}
    assert said == {
        "a": "likely ahead +50.0 (50.0 to 50.0)",
        "b": "cannot tell +25.0 (0.0 to 50.0)",
        "c": "tie 0.0 (-50.0 to 50.0)",
        "d": "cannot tell of a reported row there are no results to draw tasks from",
        "printed": "",
    }


def test_a_sentence_says_what_scripts_add() -> None:
    (notice,) = page(board(bundle("a", "##"))).cssselect("noscript")
    assert "With scripts you choose two to four rows" in words(notice)


def test_what_the_work_took_stands_beside_the_scores() -> None:
    """Also where the board itself does not show it; what nobody knows has no column."""
    found = everywhere("##", cost_usd=0.5, output_tokens=1000)
    made = board(bundle("told", found=found), bundle("untold", "##", "##"), rounds=(2, 2))
    heads = [head.get("data-column") for head in page(made).cssselect("th[data-column]")]
    assert heads == ["dataset_score", "output_tokens_k", "cost_per_round", "net_cost"]
    (gap,) = lines(made)["untold"].cssselect("[data-metric='net_cost']")
    assert (gap.get("data-value"), words(gap)) == (None, "–")


def test_a_column_of_the_board_that_tells_the_effort_stands_once() -> None:
    on = track(headline="avg_rounds", columns=("avg_rounds", "dataset_score"))
    made = board(bundle("a", found=everywhere("##", interactions=3)), on=on, rounds=(2, 2))
    heads = [head.get("data-column") for head in page(made).cssselect("th[data-column]")]
    assert heads == ["avg_rounds", "dataset_score"]


def test_without_results_no_rounds_are_offered() -> None:
    reported = page(board(tables=[table(row("a"), row("b", "10.0"))]))
    assert reported.cssselect("[data-rounds]") == []
    assert "There are no results of single rounds here" in words(reported)


def test_every_letter_of_a_round_has_a_mark_of_its_own() -> None:
    assert {each.letter for each in MARKS} == set(ROUND_LETTERS)
    assert len({each.mark for each in MARKS}) == len({each.words for each in MARKS}) == len(MARKS)


def test_an_empty_board_has_a_page_too() -> None:
    assert "No submission on this track yet." in words(page(board()))


def test_namesakes_are_told_apart() -> None:
    made = board(
        bundle("one", "##", agent={"name": "Acme", "scaffold": "tin"}),
        bundle("two", "##", agent={"name": "Acme", "scaffold": "zinc"}),
        bundle("old", "##", agent={"name": "Acme", "scaffold": "tin"}, status={"state": "withdrawn"}),
        bundle("other", "##", agent={"name": "Bolt"}),
        bundle("gone", "##", agent={"name": "Bolt"}, status={"state": "withdrawn"}),
    )
    assert distinct_names(made.all_entries) == {
        "one": "Acme (tin)",
        "two": "Acme (zinc)",
        "old": "Acme (withdrawn)",
        "other": "Bolt",
        "gone": "Bolt (withdrawn)",
    }
