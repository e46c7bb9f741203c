"""The page that compares rows, as it is without scripts."""

from collections.abc import Mapping
from pathlib import Path

from kit.boards import board, bundle, entry_of, everywhere, row, table, track
from kit.chart_boards import counts
from kit.chart_boards import printed as counted
from kit.rendered_pages import compare_page
from lxml import html

from sitegen.board.board import Board
from sitegen.board.comparison_file import ROUND_LETTERS
from sitegen.pages import addresses
from sitegen.pages.environment import Templates
from sitegen.pages.kinds.compare import MARKS, distinct_names

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
    assert addresses.BoardAddresses("mini", "main").compare_data == "api/v1/mini/main/compare.json"


def test_every_row_is_listed_with_its_scores_and_leads_to_its_page() -> None:
    gone = bundle("gone", "..", status={"state": "withdrawn"})
    made = board(bundle("a", "##"), bundle("b", "#."), gone, tables=[table(row("printed", "10.0"))])
    lines_by_name = lines(made)
    assert list(lines_by_name) == ["a", "b", "printed", "gone"]
    for name, line in lines_by_name.items():
        (cell,) = line.cssselect("[data-metric='dataset_score']")
        assert float(cell.get("data-value")) == entry_of(made, name).value("dataset_score")
        assert line.cssselect("th a")[0].get("href") == f"../../../mini/main/{name}/"
    assert "withdrawn" in words(lines_by_name["gone"])


def said(made: Board) -> Mapping[str, str]:
    """Tell how rows stand to the next one, by their ids."""
    return {name: words(line.cssselect("[data-next]")[0]) for name, line in lines(made).items()}


def test_a_row_says_how_it_stands_to_the_next_one() -> None:
    tables = [table(row("printed", "10.0"))]
    half = [bundle("c", *["..", "#."] * 4), bundle("d", *["#.", ".."] * 4), bundle("e", *["#.", "..", "..", ".."] * 2)]
    bundles = bundle("a", *["##"] * 8), bundle("b", *["#."] * 8), *half
    assert said(board(*bundles, tables=tables, rounds=(2,) * 8)) == {
        "a": "ahead +50.0 (13.1 to 86.9)",
        "b": "likely ahead +25.0 (2.7 to 52.4)",
        "c": "tie 0.0 (−44.7 to 44.7)",
        "d": "cannot tell +12.5 (−6.9 to 40.2)",
        "e": "",
        "printed": "",
    }


def test_a_reported_row_is_ahead_of_the_next_one_only_as_one_of_all_pairs() -> None:
    """Of 50 and 49 of 100 nobody can tell, and of what is no count neither."""
    on = track(protocol="once", headline="resolved", columns=("resolved",))
    rows = [counted(name, resolved=counts(value, 100)) for name, value in (("a", "90"), ("b", "50"), ("c", "49"))]
    assert said(board(on=on, tables=[table(*rows, counted("d", resolved="10.0"))])) == {
        "a": "ahead a clear difference when all pairs on the board are tested together",
        "b": "cannot tell no clear difference when all pairs on the board are tested together",
        "c": "cannot tell published scores have no results by task",
        "d": "",
    }


def test_the_page_tells_of_the_test_that_its_rows_can_have() -> None:
    """A t test takes results of tasks, which rows that are only reported lack."""
    tables = [table(row("printed", "10.0"))]
    sent = bundle("a", "##"), bundle("b", "#.")
    page_texts = [words(page(made)) for made in (board(*sent), board(*sent, tables=tables), board(tables=tables))]
    assert [
        "the two agents are compared by themselves with a paired t test" in page_text for page_text in page_texts
    ] == [
        True,
        True,
        False,
    ]
    assert ["Published scores have no results by task" in text for text in page_texts] == [False, True, True]


def test_a_sentence_says_what_scripts_add() -> None:
    (notice,) = page(board(bundle("a", "##"))).cssselect("noscript")
    assert "With scripts, you can choose two to four agents" in words(notice)


def test_what_the_work_took_stands_beside_the_scores() -> None:
    """Also where the board itself does not show it; what nobody knows has no column."""
    round_results = everywhere("##", cost_usd=0.5, output_tokens=1000)
    made = board(bundle("told", found=round_results), bundle("untold", "##", "##"), rounds=(2, 2))
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
    assert "There are no results by round" in words(reported)


def test_every_letter_of_a_round_has_a_mark_of_its_own() -> None:
    letters, _, _, marks, descriptions = zip(*MARKS, strict=True)
    assert set(letters) == set(ROUND_LETTERS)
    assert len(set(marks)) == len(set(descriptions)) == len(MARKS)


def test_an_empty_board_has_a_page_too() -> None:
    assert "No submissions on this track yet." in words(page(board()))


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
