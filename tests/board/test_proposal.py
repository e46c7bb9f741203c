"""The line of a pull request: who is new at which ranks, and whose ranks change."""

from dataclasses import replace
from datetime import date

import pytest
from kit.boards import board, bundle, row, table

from sitegen.board.board import Board, BoardEntry
from sitegen.board.history.changes import board_changes
from sitegen.board.history.changes_report import Changes, ChangeWriter
from sitegen.board.history.proposal import in_a_line, pull_request
from sitegen.models.benchmark import Renaming

ROUNDS = (1,) * 8
ASH, ELM = bundle("ash", *"########"), bundle("elm", *"........")
FIR, OAK, YEW = bundle("fir", *"####...."), bundle("oak", *"###....."), bundle("yew", *"##......")


def line(before: Board, after: Board) -> str:
    changes = Changes(board_changes([before], [after]))
    return in_a_line(changes, ChangeWriter(markdown=False))


def test_ranks_are_sets_on_both_sides() -> None:
    after = board(ASH, ELM, FIR, rounds=ROUNDS)
    assert after.inference.possible_ranks(after.ranked_entries[1]) == "1-3"
    assert line(board(ASH, ELM, rounds=ROUNDS), after) == (
        "Adds fir at rank 1–3; ranks change: ash from 1 to 1–2, elm from 2 to 2–3; nothing published changes."
    )


def test_a_rank_by_score_that_changes_within_the_same_set_is_no_change() -> None:
    before = board(FIR, OAK, YEW, rounds=ROUNDS)
    better = bundle("oak", *"#####...")
    after = board(FIR, better, YEW, rounds=ROUNDS)
    assert {made.inference.possible_ranks(entry) for made in (before, after) for entry in made.ranked_entries} == {
        "1-3"
    }
    assert [entry.id for entry in after.ranked_entries] == ["oak", "fir", "yew"]
    assert line(before, after) == "No rank changes; changes oak."


def test_a_set_that_changes_alone_is_a_change() -> None:
    before = board(ASH, ELM, FIR, rounds=ROUNDS)
    worse = bundle("fir", *"#.......")
    after = board(ASH, ELM, worse, rounds=ROUNDS)
    assert before.ranks == after.ranks
    assert line(before, after) == ("Ranks change: fir from 1–3 to 2–3, ash from 1–2 to 1; changes fir.")


def test_a_row_that_changes_has_its_own_rank_among_the_changes() -> None:
    before = board(ASH, ELM, rounds=ROUNDS)
    after = board(bundle("ash", *"........"), bundle("elm", *"########"), rounds=ROUNDS)
    assert line(before, after) == "Ranks change: elm from 2 to 1, ash from 1 to 2; changes elm, ash."


def test_of_many_ranks_that_change_some_are_named() -> None:
    agents = [bundle(f"a{number}", *"####....") for number in range(6)]
    text = line(board(*agents, rounds=ROUNDS), board(*agents, FIR, rounds=ROUNDS))
    assert text.startswith("Adds fir at rank 1–7; ranks change: a0 from 1–6 to 1–7, a1 from 1–6")
    assert "a2 from 1–6 to 1–7 and 3 more;" in text


def test_a_published_row_beside_results_has_no_rank_and_moves_nobody() -> None:
    before = board(ASH, ELM, rounds=ROUNDS)
    after = board(ASH, ELM, tables=[table(row("box", "50.0"))], rounds=ROUNDS)
    text = line(before, after)
    assert text.startswith("Adds box without a rank; no rank changes;")
    published = next(BoardEntry(after, entry) for entry in after.all_entries if entry.id == "box")
    assert any(
        text_line.endswith("`mini/main`: without a rank") for text_line in pull_request(Changes(()), [published])
    )


def test_published_rows_that_leave_the_ranks_are_among_the_changes() -> None:
    tables = [table(row("box", "50.0"), row("cob", "40.0"))]
    before = board(tables=tables, rounds=ROUNDS)
    after = board(ASH, tables=tables, rounds=ROUNDS)
    text = line(before, after)
    assert text.startswith("Adds ash at rank 1; ranks change: box from 1 to none, cob from 2 to none;")


@pytest.mark.parametrize("state", ["withdrawn", "superseded"])
def test_a_row_that_stands_no_more_has_no_rank(state: str) -> None:
    status = {"state": state, "by": "elm", "date": date(2026, 7, 2), "reason": "a mistake"}
    gone = bundle("ash", *"########", status=status)
    text = line(board(ASH, ELM, rounds=ROUNDS), board(gone, ELM, rounds=ROUNDS))
    expected = {
        "withdrawn": "Withdraws ash (a mistake); elm's rank changes from 2 to 1.",
        "superseded": "Ranks change: ash from 1 to none, elm from 2 to 1; changes ash (superseded).",
    }
    assert text == expected[state]


def test_a_row_in_the_place_of_another_says_so() -> None:
    renewed = bundle("ash-2", *"########", agent={"name": "ash"})
    text = line(board(ASH, ELM, rounds=ROUNDS), board(renewed, ELM, rounds=ROUNDS))
    assert text == "Adds ash at rank 1, replacing ash; no rank changes."


def test_a_renamed_row_is_among_those_whose_ranks_change() -> None:
    before = board(ASH, bundle("elm", *"........"), rounds=ROUNDS)
    after = board(bundle("ash", *"........"), bundle("yew", *"########"), rounds=ROUNDS)
    renaming = Renaming.model_validate({"from": "mini/main/elm", "to": "mini/main/yew"})
    benchmark = after.benchmark.model_copy(update={"renamed": (renaming,)})
    after = replace(after, results=replace(after.results, benchmark=benchmark))
    assert line(before, after).startswith(
        "Adds yew at rank 1, replacing elm; ranks change: yew from 2 to 1, ash from 1 to 2;"
    )


def test_the_rank_of_a_row_that_replaces_another_is_compared_with_the_replaced_row() -> None:
    renewed = bundle("elm-2", *"########", agent={"name": "elm"})
    text = line(board(ASH, ELM, rounds=ROUNDS), board(bundle("ash", *"........"), renewed, rounds=ROUNDS))
    assert text.startswith("Adds elm at rank 1, replacing elm; ranks change: elm from 2 to 1, ash from 1 to 2;")


def test_a_superseded_row_is_named_once_with_the_rank_of_its_successor() -> None:
    status = {"state": "superseded", "by": "elm-2", "date": date(2026, 7, 2), "reason": "a second run"}
    old = bundle("elm", *"........", status=status)
    renewed = bundle("elm-2", *"########", agent={"name": "elm"})
    text = line(board(ASH, ELM, rounds=ROUNDS), board(ASH, old, renewed, rounds=ROUNDS))
    assert "elm from 2 to 1–2" in text
    assert "none" not in text
