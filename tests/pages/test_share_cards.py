"""What share cards say, how they show it, and which card stands for a page."""

import re
from collections.abc import Mapping
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from kit.boards import board, bundle, entry_of, row, table, track
from kit.rendered_pages import all_pages
from kit.share_cards import TEMPLATES, card, lines_of, words_on
from kit.simulated_boards import simulated_boards

from sitegen.board.board import Board
from sitegen.board.history.releases import lock_boards
from sitegen.charts.cards import Lettering, Weight, drawn_card
from sitegen.importers.simulation import SimulationScale
from sitegen.pages.labels import interval_text
from sitegen.pages.sharing import MAX_CARD_ROWS, BoardCards, cards_of

WITHDRAWN: Mapping[str, Any] = {"state": "withdrawn", "reason": "a mistake", "date": date(2026, 7, 1)}

EIGHT = {"all": ["##"] * 8, "half": ["##", ".."] * 4, "none": [".."] * 8}
"""What three rows do on eight tasks."""

NAMES = {
    "wide": "W" * 60,
    "words": "An agent with a remarkably long and winding name of sixty",
    "markup": "<b>&amp;</b> \"quoted\" 'name'",
    "chinese": "通义千问-Max 旗舰版《深度思考》",
    "emoji": "🚀 Rocket 👩\u200d💻",
    "control": "a\u202eevil\x01\n name",
}

READING = "Rank: below all shown to be better, above all worse."


def named(name: str) -> list[str]:
    """Draw a board and a row that stands no more, both with a name wherever they can have one."""
    agent = {"name": name, "organization": name, "scaffold": name}
    rows = [bundle(f"agent-{number}", "##", agent=agent) for number in range(MAX_CARD_ROWS)]
    gone = bundle("gone", "#.", agent=agent, status={**WITHDRAWN, "reason": name})
    made = board(*rows, gone, on=track(title=name))
    return [card(made), card(made, "gone")]


def sure(made: Board, name: str) -> str:
    """Write the interval of a row's headline score."""
    return interval_text(made.inference.interval(entry_of(made, name), made.headline.id), made.headline.decimals)


def ends_of(line: Element) -> tuple[float, float]:
    """Tell where a line of text begins and ends, from left to right."""
    start, scale = map(float, re.findall(r"translate\(([-\d.]+) .*scale\(([\d.]+)", line.get("transform", ""))[0])
    weight: Weight = "strong" if line[0].get("href", "").startswith("#strong") else "plain"
    return start, start + Lettering().line(line.get("aria-label", ""), 1000 * scale, weight=weight).width


def test_every_row_and_every_board_has_a_card() -> None:
    boards = simulated_boards(SimulationScale())
    cards = cards_of([boards], [], TEMPLATES)
    rows = [f"demo/{board.track.id}/{entry.id}/card.png" for board in boards for entry in board.all_entries]
    assert set(cards) == {"card.png", *rows, *(f"demo/{board.track.id}/card.png" for board in boards)}
    entry_count = sum(len(board.entries) for board in boards)
    assert words_on(cards["card.png"]) == ["Recount", f"1 benchmark, 1 simulated · 2 boards · {entry_count} entries"]


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_cards_can_be_drawn_of_any_name_and_stay_light(name: str) -> None:
    """A card has some 40 KB, and what is full of the widest letters twice that."""
    for svg in named(name):
        assert 10_000 < len(drawn_card(svg)) <= 120_000


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_no_word_leaves_the_margins_or_meets_another(name: str) -> None:
    for svg in named(name):
        lines = [(line.get("transform", "").split()[1], *ends_of(line)) for line in lines_of(svg)]
        assert all(left_edge >= 40 and right <= 1160 for _, left_edge, right in lines)
        assert all(
            end <= next_start
            for (height, _, end), (next_height, next_start, _) in pairwise(sorted(lines))
            if height == next_height
        )


def test_all_that_is_written_is_outlines() -> None:
    """Of text the converter would look for the letters in the fonts of the machine."""
    svg = card(board(bundle("first", "##")))
    assert "<text" not in svg
    used = set(re.findall(r'href="#([^"]+)"', svg))
    assert used == set(re.findall(r' id="([^"]+)"', svg))


def test_an_id_stands_for_a_name_that_cannot_be_written() -> None:
    made = board(bundle("2026-06-25-qwen", "##", agent={"name": NAMES["chinese"]}))
    assert "2026-06-25-qwen" in words_on(card(made))
    assert "2026-06-25-qwen" in words_on(card(made, "2026-06-25-qwen"))


def test_a_row_s_card_tells_its_score_and_its_rank_as_the_board_does() -> None:
    made = board(bundle("first", *EIGHT["all"]), bundle("second", *EIGHT["none"]), rounds=(2,) * 8)
    card_texts = words_on(card(made, "first"))
    score = ["Dataset Score", "100.0", "%", f"95 % interval {sure(made, 'first')}"]
    assert card_texts[3:11] == [*score, "Rank", "1", "of 2", "clearly ahead of 1, behind 0"]
    assert "Dataset Score of all 2 agents" in card_texts


def test_a_card_says_of_how_many_rows_its_row_is_shown_to_be_ahead() -> None:
    """The middle one does as well as either on half of the tasks."""
    bundles = [bundle(name, *marks) for name, marks in EIGHT.items()]
    made = board(*bundles, rounds=(2,) * 8)
    assert {name: words_on(card(made, name))[8:11] for name in EIGHT} == {
        "all": ["1–2", "of 3", "clearly ahead of 1, behind 0"],
        "half": ["1–3", "of 3", "clearly ahead of 0, behind 0"],
        "none": ["2–3", "of 3", "clearly ahead of 0, behind 1"],
    }


def test_a_board_s_card_says_how_its_ranks_are_to_be_read() -> None:
    """In so few words that they stand on it whole."""
    bundles = [bundle(name, *marks) for name, marks in EIGHT.items()]
    published = board(tables=[table(row("first", "60.0"), row("second", "50.0"))])
    made = board(*bundles, rounds=(2,) * 8), published
    assert [words_on(card(shown_board))[-1] for shown_board in made] == [
        f"{READING} Band: 95 % interval.",
        "Ranks in brackets follow the scores alone.",
    ]


def test_a_day_that_is_that_of_the_release_is_told_once() -> None:
    made = board(bundle("first", "##", "##"), rounds=(2, 2))
    day = made.entries[0].date
    releases = [[], *([lock_boards([[made]], {}, release_day, "", "1")] for release_day in (day, date(2026, 7, 1)))]
    assert [words_on(card(made, "", release))[3].split(" · ")[3:] for release in releases] == [
        [f"latest result {day}"],
        [f"release {day}"],
        [f"latest result {day}", "release 2026-07-01"],
    ]


def test_a_row_that_does_not_stand_is_struck_through_and_says_why() -> None:
    made = board(bundle("kept", "##"), bundle("gone", "#.", status=WITHDRAWN))
    struck = 'height="3" fill="#17201c"'
    assert [struck in card(made, name) for name in ("kept", "gone")] == [False, True]
    card_texts = words_on(card(made, "gone"))
    assert card_texts[3] == "withdrawn 2026-07-01"
    assert card_texts[card_texts.index("Rank") :][1:3] == ["–", "a mistake"]
    assert "Dataset Score of the 1 ranked agent" in card_texts


def test_what_is_only_reported_says_so() -> None:
    made = board(tables=[table(row("printed"))])
    assert words_on(card(made, "printed"))[3] == "reported, not recomputed"
    assert "by published score alone" in words_on(card(made, "printed"))
    assert words_on(card(made))[3] == "reported, not recomputed"


def test_a_rank_that_nothing_supports_says_what_it_follows() -> None:
    """A single task says nothing of others."""
    made = board(bundle("first", "##"), bundle("second", "#."))
    assert "by score alone" in words_on(card(made, "first"))
    assert words_on(card(made))[-1] == "Ranks in brackets follow the scores alone."


def test_on_a_board_with_both_the_reported_rows_are_marked() -> None:
    made = board(bundle("sent", "##"), tables=[table(row("printed"))])
    card_texts = words_on(card(made))
    assert card_texts[card_texts.index("printed") + 1] == "reported"
    assert card_texts.count("reported") == 1
    assert "reported, not recomputed" not in card_texts
    assert card(made).count('fill="#fdfcf8" stroke="#59625d"') == 1


def test_simulated_data_is_labelled_on_every_card() -> None:
    boards = simulated_boards(SimulationScale())
    for address, svg in cards_of([boards], [], TEMPLATES).items():
        assert "simulated" in " ".join(words_on(svg)), address


def test_a_track_that_is_not_current_is_labelled() -> None:
    made = board(bundle("first", "##"), on=track(status="legacy"))
    assert words_on(card(made))[3] == words_on(card(made, "first"))[3] == "legacy track"


def test_a_row_without_a_score_has_a_dash_and_a_reason() -> None:
    made = board(bundle("first", "##"), on=track(headline="avg_rounds", columns=("avg_rounds",)))
    card_texts = words_on(card(made, "first"))
    assert card_texts[4] == "–"
    assert card_texts[5] not in {"", "Rank"}
    assert "not ranked" in card_texts
    assert not [text for text in card_texts if " of all " in text]


def test_a_board_without_a_row_has_a_card() -> None:
    assert words_on(card(board(rounds=(2, 2)))) == ["Recount", "Mini", "Main", "0 agents · 2 tasks · 4 rounds"]


def test_a_board_s_card_has_its_first_rows_and_says_of_how_many() -> None:
    made = board(*(bundle(f"agent-{number}", "##") for number in range(MAX_CARD_ROWS + 2)))
    card_texts = words_on(card(made))
    assert len([text for text in card_texts if text.startswith("agent-")]) == MAX_CARD_ROWS
    assert f"the first {MAX_CARD_ROWS} of {MAX_CARD_ROWS + 2} agents" in card_texts


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
def test_a_page_has_the_card_of_what_it_is_about(
    address: str, card: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results/mini/submissions/first").mkdir(parents=True)  # pages list the files of bundles
    made = board(bundle("first", "##"))
    release = lock_boards([[made]], {}, date(2026, 6, 1), "", "1")
    pages = {page.address: page for page in all_pages([made], TEMPLATES, [release])}
    assert pages[address].card == card


def test_what_is_to_be_read_on_a_card_is_told_in_words() -> None:
    made = board(bundle("first", "##", "##"), bundle("gone", "..", status=WITHDRAWN), rounds=(2, 2))
    cards = BoardCards(made)
    texts_by_address = {
        "mini/main/": cards.card().words,
        **{f"mini/main/{entry.id}/": cards.card(entry).words for entry in made.all_entries},
    }
    score = f"Dataset Score 100.0 %, 95 % interval {sure(made, 'first')}"
    assert texts_by_address["mini/main/first/"] == f"first on Mini, Main. {score}. Rank 1 of 1, the only agent"
    assert "withdrawn" in texts_by_address["mini/main/gone/"]
    assert texts_by_address["mini/main/"].endswith("Dataset Score (%): 1 first 100.0")


def test_a_row_s_card_stays_as_it_is_where_another_row_s_score_hardly_changes() -> None:
    def own_card(score: str) -> str:
        return card(board(tables=[table(row("acme", "60"), row("bolt", score), row("crew", "10"))]), "acme")

    assert own_card("45.1") == own_card("45.3")
    assert own_card("45.1") != own_card("75.1")


def test_a_card_shows_many_scores_as_a_few_bars() -> None:
    made = board(tables=[table(*(row(f"agent-{n}", str(n / 10)) for n in range(300)))])
    assert card(made, made.all_entries[0].id).count("<rect") < 160
