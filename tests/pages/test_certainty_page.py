"""The page that says how sure a board is."""

from boards import board, bundle, table, track
from casebooks import TEMPLATES, tree, words
from grids import records
from rendered import certainty_page

from sitegen.board.board import Board
from sitegen.board.sureness import Sureness

ROUNDS = (2,) * 8


def made() -> Board:
    """The first passes what the second fails at every task; nobody passes the last round of all."""
    return board(bundle("ada", *["#."] * 8), bundle("bob", *[".."] * 8), rounds=ROUNDS)


def section(shown: Board, name: str) -> list[list[str]]:
    page = certainty_page(shown, TEMPLATES)
    assert page is not None
    (found,) = tree(page).cssselect(f"#{name} table")
    return [[words(cell) for cell in row.cssselect("th, td")] for row in found.cssselect("tbody tr")]


def test_the_page_says_what_the_board_says_of_its_order() -> None:
    page = certainty_page(made(), TEMPLATES)
    assert page is not None
    assert page.address == "mini/main/certainty/"
    (lead,) = tree(page).cssselect(".sg-lead")
    assert words(lead).startswith("Ranks rest on the differences at whole tasks, tested over")
    (said,) = tree(page).cssselect("[data-answer]")
    assert words(said) == "1 of 1 pair of neighbours can be told apart"
    (sure,) = tree(page).cssselect(".sg-sure")
    assert words(sure) == "No single task decides a rank by score."
    (smallest,) = tree(page).cssselect("[data-smallest]")
    assert words(smallest).endswith("a pair looked at alone.")  # there is one pair, and so no half of them


def test_every_task_is_taken_away_once() -> None:
    rows = section(made(), "without")
    assert len(rows) == 8
    assert {tuple(row[1:2]) for row in rows} == {("0",)}


def test_keeping_and_recovering_are_told_of_all_and_of_each() -> None:
    rows = section(made(), "keeping")
    assert [row[0] for row in rows] == ["All rows", "ada", "bob"]
    assert (rows[1][2], rows[2][4]) == ("0 of 8", "0 of 8")


def test_breakdowns_are_told_by_round_with_their_tasks() -> None:
    rows = section(made(), "breakdown")
    assert [(row[0], row[2], row[3]) for row in rows] == [("1", "8 of 16", "8"), ("2", "8 of 8", "8")]


def test_attempts_are_told_where_there_are_several() -> None:
    assert not Sureness(made()).attempts


def test_several_attempts_say_how_much_is_run_to_run() -> None:
    """At task a one attempt of two passes, at b both fail: means 0.5 and 0, their variance 1/8; of attempts 1/8."""
    drawn = (("a", "#", 1), ("a", ".", 2), ("b", ".", 1), ("b", ".", 2))
    found = [each for name, mark, attempt in drawn for each in records(name, mark, attempt)]
    twice = track(attempts=2)
    shown = board(bundle("ada", found=found), bundle("bob", found=found), on=twice, rounds=(1, 1))
    assert section(shown, "attempts")[0] == ["ada", "25.0 %", "50.0 %", "0.0 %", "100 %"]


def test_a_row_alone_and_published_tables_have_no_such_page() -> None:
    assert certainty_page(board(bundle("ada", "#.", "#."), rounds=(2, 2)), TEMPLATES) is None
    assert certainty_page(board(tables=[table({"id": "x", "values": {}})]), TEMPLATES) is None
