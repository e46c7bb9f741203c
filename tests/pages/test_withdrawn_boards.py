"""A withdrawn board names nobody as if it were live: its sentences say so, and are in the past."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from kit.boards import board, bundle, row, table, track
from kit.rendered_pages import TEMPLATES, all_pages, board_page, compare_page
from lxml import html

from sitegen.board.answers.ranking_headlines import (
    agent_answer,
    board_answer,
    compare_answer,
    row_answer,
    snapshot_answer,
)
from sitegen.board.board import Board, BoardEntry
from sitegen.board.history.releases import lock_boards
from sitegen.models.reported import ReportedTable
from sitegen.pages.sharing import BoardCards, badges_of

WITHDRAWN = track(status="withdrawn", reason="it leaked")
EIGHT = (1,) * 8
MARKS = {"ash": "########", "elm": "....####", "oak": "........"}


def made(*names: str, tables: Sequence[ReportedTable] = (), live: bool = False) -> Board:
    bundles = [bundle(name, *MARKS[name]) for name in names]
    return board(*bundles, on=track() if live else WITHDRAWN, rounds=EIGHT, tables=tuple(tables))


@pytest.mark.parametrize(
    ("names", "expected_text"),
    [
        (("ash", "oak"), "Withdrawn board: ash led with 100.0; oak followed with 0.0"),
        (("elm", "oak"), "Withdrawn board: 2 agents could have been first; elm had the highest Dataset Score, 50.0"),
        (("ash",), "Withdrawn board: ash was the only agent ranked here (Dataset Score 100.0)"),
    ],
    ids=["a leader", "none", "alone"],
)
def test_the_headline_of_a_withdrawn_board_is_in_the_past(names: tuple[str, ...], expected_text: str) -> None:
    answer = board_answer(made(*names))
    assert answer
    assert answer.text == expected_text


def test_printed_scores_of_a_withdrawn_board_are_in_the_past() -> None:
    answer = board_answer(made(tables=[table(row("fir", "50.0"), row("gum", "40.0"))]))
    assert answer
    assert answer.text == "Withdrawn board: fir had the highest Dataset Score, 50.0; gum followed with 40.0"


def test_the_lead_of_a_withdrawn_board_is_in_the_past() -> None:
    withdrawn, live = board_answer(made("ash", "oak")), board_answer(made("ash", "oak", live=True))
    assert withdrawn
    assert live
    assert withdrawn.certainty.startswith("The lead of 100.0 points had a 95 % interval of ")
    assert live.text == "ash leads with 100.0; oak follows with 0.0"


def test_a_row_of_a_withdrawn_board_ranked() -> None:
    withdrawn_board = made("ash", "oak")
    answer = row_answer(withdrawn_board, withdrawn_board.ranked_entries[0])
    assert answer
    assert answer.text == "Withdrawn board: ash ranked 1st of 2 (Dataset Score 100.0)"


def test_an_agent_leads_no_withdrawn_board() -> None:
    withdrawn_board, live = made("ash", "oak"), made("ash", "oak", live=True)
    alone = agent_answer("ash", [BoardEntry(withdrawn_board, withdrawn_board.ranked_entries[0])])
    joint_answer = agent_answer(
        "ash",
        [BoardEntry(withdrawn_board, withdrawn_board.ranked_entries[0]), BoardEntry(live, live.ranked_entries[0])],
    )
    assert alone
    assert joint_answer
    assert alone.text == "ash appears only on 1 withdrawn board"
    assert joint_answer.text == "ash appears on 1 board and leads Mini (Main); also on 1 withdrawn board"


def test_a_release_of_a_withdrawn_board_is_in_the_past() -> None:
    withdrawn_board = made("ash", "oak")
    release = lock_boards([[withdrawn_board]], {}, date(2026, 7, 1), "", "1.0")
    answer = snapshot_answer(release.benchmarks[0].boards[0], release, withdrawn_board.headline)
    assert answer
    assert answer.text == "Withdrawn board: ash led with 100.0; oak followed with 0.0"


def test_a_comparison_says_that_the_board_was_withdrawn() -> None:
    answer = compare_answer(made("ash", "oak"))
    assert answer
    assert answer.certainty.startswith("The board was withdrawn.")


def test_badges_of_a_withdrawn_board_say_so() -> None:
    texts = [html.fromstring(svg.encode()).text_content() for _, svg in badges_of(made("ash", "oak"), (), TEMPLATES)]
    assert ["withdrawn track" in text for text in texts] == [True, True, True]
    assert "withdrawn track" not in "".join(svg for _, svg in badges_of(made("ash", "oak", live=True), (), TEMPLATES))


def test_no_page_of_a_withdrawn_board_says_that_somebody_leads(tmp_path: Path) -> None:
    bundles = [replace(bundle(name, *MARKS[name]), path=tmp_path) for name in ("ash", "oak")]
    withdrawn_board = board(*bundles, on=WITHDRAWN, rounds=EIGHT)
    for page in all_pages([withdrawn_board]):
        text = " ".join(html.fromstring(page.content).text_content().split())
        assert " leads with" not in text, page.address
        assert " follows with" not in text, page.address
        assert " leads with" not in page.description, page.address


def test_pages_of_a_withdrawn_board_begin_with_it() -> None:
    withdrawn_board = made("ash", "oak")
    for page in (board_page(withdrawn_board, TEMPLATES), compare_page(withdrawn_board, TEMPLATES)):
        head = html.fromstring(page.content).text_content()
        assert "withdrawn" in head.lower()


def test_ranks_on_cards_and_badges_are_out_of_the_ranked_rows() -> None:
    live_board = made("ash", "oak", tables=[table(row("fir", "50.0"))], live=True)
    ash, fir = live_board.ranked_entries[0], next(entry for entry in live_board.entries if entry.id == "fir")
    assert BoardCards(live_board).figures(ash)[1][1:3] == ("1", "of 2")
    assert BoardCards(live_board).figures(fir)[1][2] == ""
    texts = " ".join(svg for _, svg in badges_of(live_board, (), TEMPLATES))
    assert "rank 1 of 2" in texts
    assert "of 3" not in texts
