"""The page that says how sure a board is."""

from collections.abc import Sequence

from kit.boards import board, bundle, table, track
from kit.rendered_pages import certainty_page
from kit.result_grids import records
from kit.task_cases import TEMPLATES, tree, words

from sitegen.board.board import Board
from sitegen.board.inference.robustness import Robustness
from sitegen.models.results import Bundle

ROUNDS = (2,) * 8


def made() -> Board:
    """The first passes what the second fails at every task; nobody passes the last round of all."""
    return board(bundle("ada", *["#."] * 8), bundle("bob", *[".."] * 8), rounds=ROUNDS)


def section(shown: Board, name: str) -> list[list[str]]:
    page = certainty_page(shown, TEMPLATES)
    assert page is not None
    (section_table,) = tree(page).cssselect(f"#{name} table")
    return [[words(cell) for cell in row.cssselect("th, td")] for row in section_table.cssselect("tbody tr")]


def test_the_page_says_what_the_board_says_of_its_order() -> None:
    page = certainty_page(made(), TEMPLATES)
    assert page is not None
    assert page.address == "mini/main/certainty/"
    (lead,) = tree(page).cssselect(".sg-lead")
    assert words(lead).startswith("Ranks are based on per-task differences, tested for")
    (answer,) = tree(page).cssselect("[data-answer]")
    assert words(answer) == "The two agents differ clearly"
    (sure,) = tree(page).cssselect(".sg-sure")
    assert words(sure) == "No score-based rank depends on a single task."
    (smallest,) = tree(page).cssselect("[data-smallest]")
    assert words(smallest) == "With 8 tasks, no two agents differ more on one task than on another."


def smallest_of(shown: Board) -> str:
    page = certainty_page(shown, TEMPLATES)
    assert page is not None
    (smallest,) = tree(page).cssselect("[data-smallest]")
    return words(smallest)


def test_the_smallest_gap_is_that_of_the_median_pair() -> None:
    """Differences of 100 and 0 at half of 8 tasks each vary by 53.5; power takes 1.16 of that."""
    two = bundle("ada", *["##"] * 8), bundle("bob", *["##", ".."] * 4)
    assert smallest_of(board(*two, rounds=ROUNDS)) == (
        "With 8 tasks, the two agents need a gap of 61.8 points in Dataset Score to be detected 80 % of the time."
    )
    three = *two, bundle("eve", *["..", "##"] * 4)
    assert smallest_of(board(*three, rounds=ROUNDS)).startswith(
        "With 8 tasks, the median pair needs a gap of 61.8 points in Dataset Score to be detected 80 % of the time; "
        "other pairs need 61.8 to more than the full scale."
    )


def test_a_gap_is_never_written_as_0() -> None:
    """Two agents differ by a tenth of a cent on half of their tasks; costs have two decimals."""
    ada, bob = [], []
    for task_index, task in enumerate("abcdefgh"):
        ada += records(task, "#", cost_usd=0.001)
        bob += records(task, "#", cost_usd=0.001 + (task_index % 2) * 0.001)
    cheap, dear = bundle("ada", found=ada), bundle("bob", found=bob)
    on = track(headline="cost_per_round", columns=("cost_per_round",))
    sentence = smallest_of(board(cheap, dear, on=on, rounds=(1,) * 8))
    assert "a gap of 0.001 in" in sentence


def test_a_gap_beyond_the_scale_is_said_in_words() -> None:
    two = bundle("bob", *["##", ".."] * 4), bundle("eve", *["..", "##"] * 4)
    sentence = smallest_of(board(*two, rounds=ROUNDS))
    assert sentence == (
        "With 8 tasks, the two agents need a gap in Dataset Score that is larger than the scale to be detected."
    )


def test_nothing_is_said_of_scored_tasks_where_a_task_has_no_scale() -> None:
    """A number of perfect tasks has no highest score, so that a task is neither scored on nor full."""
    on = track(headline="perfect_tasks", columns=("perfect_tasks",))
    page = certainty_page(
        board(bundle("ada", *["#."] * 8), bundle("bob", *[".."] * 8), on=on, rounds=ROUNDS), TEMPLATES
    )
    assert page is not None
    assert "scored on by" not in page.content
    assert [words(head) for head in tree(page).cssselect("#without thead th")][-1] == "Item-rest correlation"


def test_every_task_is_taken_away_once() -> None:
    rows = section(made(), "without")
    assert len(rows) == 8
    assert {tuple(row[1:2]) for row in rows} == {("0",)}


def test_columns_of_text_are_not_aligned_as_numbers() -> None:
    page = certainty_page(made(), TEMPLATES)
    assert page is not None
    (row, *_) = tree(page).cssselect("#without tbody tr")
    aligned = {cell.get("data-label"): cell.get("class") == "sg-number" for cell in row.cssselect("td")}
    assert {name for name, is_number in aligned.items() if not is_number} == {
        "Most affected agent",
        "Scores on the task",
    }


def test_keeping_and_recovering_are_told_of_all_and_of_each() -> None:
    rows = section(made(), "keeping")
    assert [row[0] for row in rows] == ["All agents", "ada", "bob"]
    assert (rows[1][2], rows[2][4]) == ("0 of 8", "0 of 8")


def test_breakdowns_are_told_by_round_with_their_tasks() -> None:
    rows = section(made(), "breakdown")
    assert [(row[0], row[2], row[3]) for row in rows] == [("1", "8 of 16", "8"), ("2", "8 of 8", "8")]


def test_attempts_are_told_where_there_are_several() -> None:
    assert not Robustness(made()).attempts


def test_several_attempts_have_pass_at_k_and_pass_hat_k() -> None:
    """At task a one attempt of two passes, at b both fail."""
    drawn = (("a", "#", 1), ("a", ".", 2), ("b", ".", 1), ("b", ".", 2))
    round_results = [record for name, mark, attempt in drawn for record in records(name, mark, attempt)]
    twice = track(attempts=2)
    shown = board(bundle("ada", found=round_results), bundle("bob", found=round_results), on=twice, rounds=(1, 1))
    assert section(shown, "attempts")[0] == ["ada", "25.0 %", "50.0 %", "0.0 %"]


def attempted(name: str, passes: Sequence[Sequence[bool]]) -> Bundle:
    """Return a bundle of one-round tasks, each with the verdicts of its attempts."""
    round_results = []
    for task_index, verdicts in enumerate(passes):
        for number, passed in enumerate(verdicts, start=1):
            round_results += records("abcdef"[task_index], "#" if passed else ".", number)
    return bundle(name, found=round_results)


def study_of(*rows: Bundle) -> str:
    page = certainty_page(board(*rows, on=track(attempts=2), rounds=(1,) * 6), TEMPLATES)
    assert page is not None
    (section,) = tree(page).cssselect("#study p")
    return words(section)


def test_attempts_that_always_agree_tell_nothing_of_how_large_luck_may_be() -> None:
    ada = attempted("ada", [[True, True]] * 3 + [[False, False]] * 3)
    bob = attempted("bob", [[True, True]] * 1 + [[False, False]] * 5)
    assert "run-to-run noise accounts for 0 % (0 to 100) of the variance of an agent's score" in study_of(ada, bob)


def test_attempts_that_differ_at_random_are_nothing_but_luck() -> None:
    ada = attempted("ada", [[True, False]] * 3 + [[False, True]] * 2 + [[True, True]])
    bob = attempted("bob", [[False, True]] * 3 + [[True, False]] * 3)
    assert "100 %" in study_of(ada, bob)


def test_one_attempt_cannot_tell_luck_from_tasks() -> None:
    page = certainty_page(made(), TEMPLATES)
    assert page is not None
    (section,) = tree(page).cssselect("#study")
    assert "cannot separate run-to-run noise" in words(section)


def test_a_row_alone_and_published_tables_have_no_such_page() -> None:
    assert certainty_page(board(bundle("ada", "#.", "#."), rounds=(2, 2)), TEMPLATES) is None
    assert certainty_page(board(tables=[table({"id": "x", "values": {}})]), TEMPLATES) is None
