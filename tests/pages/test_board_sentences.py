"""What a board's sentences and its badge say of how many rows there are, and of how sure their places are."""

from datetime import date

import pytest
from boards import board, bundle, row, table
from casebooks import TEMPLATES
from lxml import html

from sitegen.board.board import Board
from sitegen.pages.badge import badges_of
from sitegen.pages.notices import sureness

WITHDRAWN = {"state": "withdrawn", "reason": "a mistake", "date": date(2026, 7, 1)}
LONE = board(bundle("lone", "##", "#."), rounds=(2, 2))
PAIR = board(bundle("first", "##", "##"), bundle("second", "..", ".."), rounds=(2, 2))
OF_ONE_TASK = board(bundle("first", "##"), bundle("second", "#."))
REPORTED = board(tables=[table(row("printed"))])


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (LONE, "The thin line on a bar is the score's 95 % interval."),
        (
            OF_ONE_TASK,
            "Places in brackets follow the scores only: nothing tells how sure they are, as with a single task.",
        ),
        (
            REPORTED,
            "Places in brackets follow the printed values only: without raw data nothing tells how sure they are.",
        ),
    ],
)
def test_a_board_says_what_its_places_follow(made: Board, told: str) -> None:
    assert sureness(made) == told


def test_rows_are_told_apart_where_there_are_several() -> None:
    assert sureness(PAIR).startswith("The data tells all 2 rows apart.")


@pytest.mark.parametrize(("made", "told"), [(LONE, "1 agent<"), (PAIR, "2 agents<")])
def test_a_badge_counts_the_agents_of_its_board(made: Board, told: str) -> None:
    assert told in dict(badges_of(made, [], TEMPLATES))["mini/main/badge.svg"]


def test_the_badge_of_a_row_that_does_not_stand_has_another_ground() -> None:
    badges = dict(badges_of(board(bundle("kept", "##"), bundle("gone", "#.", status=WITHDRAWN)), [], TEMPLATES))
    kept, gone = (
        html.fromstring(badges[f"mini/main/{name}/badge.svg"]).xpath("//path/@fill") for name in ("kept", "gone")
    )
    assert kept != gone
