"""What share cards say, and which card stands for a page."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest
from boards import board, bundle, entry_of, row, table, track
from simulated import simulated_boards

from sitegen.board.board import Board
from sitegen.board.ledger.locking import release_of
from sitegen.charts.cards.card import BoardCard, RowCard, SiteCard
from sitegen.charts.cards.lettering import Lettering
from sitegen.importers.simulation import Scale
from sitegen.pages.cards import MOST, BoardCards, cards_of
from sitegen.pages.environment import Page
from sitegen.pages.figures import interval_text
from sitegen.pages.gallery import Gallery

WITHDRAWN: Mapping[str, Any] = {"state": "withdrawn", "reason": "a mistake", "date": date(2026, 7, 1)}


EIGHT = {"all": ["##"] * 8, "half": ["##", ".."] * 4, "none": [".."] * 8}
"""What three rows do on eight tasks."""


def row_card(made: Board, name: str) -> RowCard:
    return BoardCards(made).row(entry_of(made, name))


def sure(made: Board, name: str) -> str:
    """Write the interval of a row's headline score."""
    return interval_text(made.certainty.interval(entry_of(made, name), made.headline.id), made.headline)


def test_every_row_and_every_board_has_a_card() -> None:
    boards = simulated_boards(Scale())
    cards = cards_of([boards], [], "Results")
    rows = [f"demo/{each.track.id}/{entry.id}/card.png" for each in boards for entry in each.all_entries]
    assert set(cards) == {"card.png", *rows, *(f"demo/{each.track.id}/card.png" for each in boards)}
    assert [type(card) for card in cards.values()].count(RowCard) == len(rows)
    assert [type(card) for card in cards.values()].count(BoardCard) == len(boards)
    assert cards["card.png"] == SiteCard("Results", f"1 benchmark, 1 simulated · 2 boards · {standing(boards)} rows")


def standing(boards: tuple[Board, ...]) -> int:
    return sum(len(each.entries) for each in boards)


def test_a_row_s_card_tells_its_score_and_its_rank_as_the_board_does() -> None:
    made = board(bundle("first", *EIGHT["all"]), bundle("second", *EIGHT["none"]), rounds=(2,) * 8)
    card = row_card(made, "first")
    score, rank = card.figures
    assert (score.title, score.text, score.beside) == ("Dataset Score", "100.0", "%")
    assert score.note == f"95 % interval {sure(made, 'first')}"
    assert (rank.title, rank.text, rank.beside, rank.note) == ("Rank", "1", "of 2", "shown ahead of 1, behind 0")
    assert card.own
    assert card.own.value == 100
    assert list(card.all) == [100, 0]


def test_a_card_says_of_how_many_rows_its_row_is_shown_to_be_ahead() -> None:
    """The middle one does as well as either on half of the tasks."""
    bundles = [bundle(name, *marks) for name, marks in EIGHT.items()]
    made = board(*bundles, rounds=(2,) * 8)
    told = {name: [row_card(made, name).figures[1].text, row_card(made, name).figures[1].note] for name in EIGHT}
    assert told == {
        "all": ["1–2", "shown ahead of 1, behind 0"],
        "half": ["1–3", "shown ahead of 0, behind 0"],
        "none": ["2–3", "shown ahead of 0, behind 1"],
    }


def test_a_board_s_card_says_how_its_ranks_are_to_be_read() -> None:
    """In so few words that they stand on it whole."""
    bundles = [bundle(name, *marks) for name, marks in EIGHT.items()]
    made = board(*bundles, rounds=(2,) * 8), board(*bundles, rounds=(2,) * 8, tables=[table(row("printed"))])
    told = [BoardCards(each).whole().around.foot for each in made]
    assert told == [
        "Rank: below all shown to be better, above all worse. Line: 95 % interval.",
        "Rank: as far as the data tells, in brackets by value. Line: 95 % interval.",
    ]
    assert all(Lettering("plain", 24).cut(each, 0.8 * 1072) == each for each in told)


def test_a_day_that_is_that_of_the_release_is_told_once() -> None:
    made = board(bundle("first", "##", "##"), rounds=(2, 2))
    day = made.entries[0].date
    releases = [[], *([release_of([[made]], {}, each, "", "1")] for each in (day, date(2026, 7, 1)))]
    assert [BoardCards(made, each).whole().facts.split(" · ")[3:] for each in releases] == [
        [f"latest {day}"],
        [f"release {day}"],
        [f"latest {day}", "release 2026-07-01"],
    ]


def test_a_row_that_does_not_stand_is_struck_through_and_says_why() -> None:
    made = board(bundle("kept", "##"), bundle("gone", "#.", status=WITHDRAWN))
    card = row_card(made, "gone")
    assert card.is_struck
    assert list(card.around.labels) == ["withdrawn 2026-07-01"]
    assert (card.figures[1].text, card.figures[1].note) == ("–", "a mistake")
    assert list(card.all) == [100]


def test_what_is_only_reported_says_so() -> None:
    made = board(tables=[table(row("printed"))])
    assert "reported, not recomputed" in row_card(made, "printed").around.labels
    assert row_card(made, "printed").figures[1].note == "by the printed values alone"
    assert "reported, not recomputed" in BoardCards(made).whole().around.labels


def test_a_rank_that_nothing_supports_says_what_it_follows() -> None:
    """A single task says nothing of others."""
    made = board(bundle("first", "##"), bundle("second", "#."))
    assert row_card(made, "first").figures[1].note == "by the scores alone"
    assert BoardCards(made).whole().around.foot == "Ranks in brackets follow the values alone."


def test_on_a_board_with_both_the_reported_rows_are_marked() -> None:
    made = board(bundle("sent", "##"), tables=[table(row("printed"))])
    card = BoardCards(made).whole()
    assert {line.name.text: line.note for line in card.lines} == {"sent": "", "printed": "reported"}
    assert list(card.around.labels) == []


def test_simulated_data_is_labelled_on_every_card() -> None:
    boards = simulated_boards(Scale())
    for address, card in cards_of([boards], [], "Results").items():
        assert isinstance(card, SiteCard) == (address == "card.png")
        assert isinstance(card, SiteCard) or "simulated data" in card.around.labels


def test_a_track_that_is_not_current_is_labelled() -> None:
    made = board(bundle("first", "##"), on=track(status="legacy"))
    assert list(BoardCards(made).whole().around.labels) == ["legacy track"]


def test_a_row_without_a_score_has_a_dash_and_a_reason() -> None:
    made = board(bundle("first", "##"), on=track(headline="avg_rounds", columns=("avg_rounds",)))
    score, rank = row_card(made, "first").figures
    assert score.text == "–"
    assert score.note
    assert rank.note == "not ranked"
    assert row_card(made, "first").ruler is None


def test_a_board_s_card_has_its_first_rows_and_says_of_how_many() -> None:
    made = board(*(bundle(f"agent-{number}", "##") for number in range(MOST + 2)))
    card = BoardCards(made).whole()
    assert len(card.lines) == MOST
    assert card.shown == f"the first {MOST} of {MOST + 2} agents"


@pytest.mark.parametrize(
    ("address", "card"),
    [
        ("mini/", "mini/main/card.png"),
        ("mini/main/", "mini/main/card.png"),
        ("mini/main/tasks/a/1/", "mini/main/card.png"),
        ("mini/main/compare/", "mini/main/card.png"),
        ("mini/main/first/", "mini/main/first/card.png"),
        ("mini/main/first/a/", "mini/main/first/card.png"),
        ("changelog/2026-06-01/mini/main/", "card.png"),
    ],
)
def test_a_page_has_the_card_of_what_it_is_about(address: str, card: str) -> None:
    made = board(bundle("first", "##"))
    (page,) = Gallery([made]).hung(lambda: [Page(address, "Title", "", "")])
    assert page.card == card


def test_what_is_to_be_read_on_a_card_is_told_in_words() -> None:
    made = board(bundle("first", "##", "##"), bundle("gone", "..", status=WITHDRAWN), rounds=(2, 2))
    addresses = ("mini/main/first/", "mini/main/gone/", "mini/main/")
    told = [page.pictured for page in Gallery([made]).hung(lambda: [Page(each, "", "", "") for each in addresses])]
    score = f"Dataset Score 100.0 %, 95 % interval {sure(made, 'first')}"
    assert told[0] == f"first on Mini, Main. {score}. Rank 1 of 1, the only agent"
    assert "withdrawn" in told[1]
    assert told[2].endswith("Dataset Score (%): 1 first 100.0")
