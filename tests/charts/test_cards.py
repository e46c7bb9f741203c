"""Share cards: pictures whose words are legible, fit, and are the same wherever they are drawn."""

import io
import struct
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from sitegen.charts.cards.card import BoardCard, Card, Figure, Line, Name, RowCard, SiteCard, Span, Surroundings
from sitegen.charts.cards.digest import card_digest, has_digest
from sitegen.charts.cards.drawing import drawn_card
from sitegen.charts.cards.lettering import ELLIPSIS, MISSING, Lettering, shown
from sitegen.charts.panel import Scale
from sitegen.charts.ruler import from_zero

NAMES = {
    "plain": "Claude-Opus-4.8",
    "wide": "W" * 60,
    "words": "An agent with a remarkably long and winding name of sixty",
    "chinese": "通义千问-Max 旗舰版《深度思考》",
    "korean": "한국어 코드 모델 2.0",
    "russian": "ГигаЧат-Макс «Кодер»",
    "arabic": "نموذج الذكاء الاصطناعي 4.8 (قوي)",
    "hebrew": "מודל שפה 3.5 (גדול)",
    "emoji": "🚀 Rocket 👩\u200d💻",
    "thai": "ภาษาไทย",
    "control": "a\u202eevil\x00\n name",
    "blank": " ",
}
RULER = from_zero(Scale("Score (%)", 100.0), [3.0, 56.7])
AROUND = Surroundings(
    [Name("EvoCode-Bench", "evocode-bench"), Name("Official", "official")], [], "evidence: complete", "Results"
)
ROW = RowCard(
    AROUND,
    Name("Claude-Opus-4.8", "2026-06-13-opus"),
    "Anthropic · terminus-2 · xhigh",
    is_struck=False,
    figures=[Figure("Score", "40.9", "%", "95 % interval 26.0 to 56.7"), Figure("Rank", "1", "of 3", "")],
    caption="Score of all 3 agents",
    ruler=RULER,
    own=Span(40.9, 26.0, 56.7),
    all=[40.9, 10.0, 3.0],
)
LINES = [Line("1–2", Name("Bolt", "bolt"), "40.9", Span(40.9, 26.0, 56.7))]
BOARD = BoardCard(AROUND, Name("Official", "official"), "3 agents", "3 agents", "Score (%)", RULER, LINES)
CARDS: dict[str, Card] = {"row": ROW, "board": BOARD, "site": SiteCard("Results", "2 boards")}

each_name = pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
each_card = pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)


def named(name: str) -> list[Card]:
    """Cards that have a name wherever they can have one."""
    called = Name(name, "its-id")
    around = replace(AROUND, where=[called, called], labels=["simulated data", name], site=name, foot=name)
    lines = [replace(LINES[0], name=called)] * 7
    return [
        replace(ROW, name=called, around=around, about=name, is_struck=True),
        replace(BOARD, name=called, around=around, facts=name, shown=name, score=name, lines=lines),
        SiteCard(name, name),
    ]


def size_of(png: bytes) -> tuple[int, int]:
    """Read width and height from the head of a PNG file."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def drawn_picture(card: Card) -> bytes:
    """Draw a card, and give its pixels alone: its file has a digest as well."""
    return Image.open(io.BytesIO(drawn_card(card))).tobytes()


@each_card
def test_a_card_is_as_large_as_sites_that_show_it_ask_for(card: Card) -> None:
    assert size_of(drawn_card(card)) == (1200, 630)


@each_card
def test_the_same_words_give_the_same_bytes(card: Card) -> None:
    assert drawn_card(card) == drawn_card(replace(card))


@each_name
def test_cards_can_be_drawn_of_any_name_and_stay_light(name: str) -> None:
    for card in named(name):
        png = drawn_card(card)
        assert size_of(png) == (1200, 630)
        assert len(png) <= 45_000


@each_name
@pytest.mark.parametrize("room", [0, 20, 150, 400])
def test_what_is_cut_fits_into_its_room(name: str, room: int) -> None:
    letters = Lettering("strong", 44)
    cut = letters.cut(name, room)
    assert letters.width(cut) <= room
    assert cut in {"", name.strip()} or cut.endswith(ELLIPSIS) or letters.width(name) <= room


def test_a_name_is_cut_no_earlier_than_it_must_be() -> None:
    letters = Lettering("plain", 30)
    cut = letters.cut("m" * 60, 500)
    assert letters.width(cut) <= 500 < letters.width(cut.replace(ELLIPSIS, f"m{ELLIPSIS}"))


@pytest.mark.parametrize("card", named("W" * 60), ids=CARDS)
def test_no_word_leaves_the_margins(card: Card) -> None:
    """What lies outside them is paper, whatever things are called."""
    picture = Image.open(io.BytesIO(drawn_card(card)))
    edges = [(0, 0, 56, 630), (1144, 0, 1200, 630), (0, 0, 1200, 40), (0, 612, 1200, 630)]
    assert [picture.crop(edge).getextrema() for edge in edges] == [(0, 0)] * 4


def test_a_name_on_two_lines_has_no_letter_twice() -> None:
    """However its letters are put together, and however many spaces stand between its words."""
    plain = "Éléphant très élégant à côté de la forêt enchantée de l'été dernier"
    spelled = unicodedata.normalize("NFD", plain).replace(" ", "  ")
    pictures = [drawn_picture(replace(ROW, name=Name(name, "its-id"))) for name in (spelled, plain)]
    assert pictures[0] == pictures[1]


def test_an_id_stands_for_a_name_that_cannot_be_written() -> None:
    assert shown(Name(NAMES["thai"], "its-id")) == "its-id"
    assert shown(Name(NAMES["chinese"], "its-id")) == NAMES["chinese"]


def test_a_sign_that_cannot_be_written_leaves_a_square() -> None:
    written = "".join(piece for _, piece in Lettering("plain", 30).pieces("🚀 Rocket"))
    assert written == f"{MISSING} Rocket"


def test_figures_are_of_one_width() -> None:
    letters = Lettering("strong", 30)
    assert len({letters.width(digit) for digit in "0123456789"}) == 1


def test_a_card_carries_its_digest(tmp_path: Path) -> None:
    path = tmp_path / "card.png"
    path.write_bytes(drawn_card(ROW))
    assert has_digest(path, card_digest(ROW))
    assert not has_digest(path, card_digest(replace(ROW, about="another")))
    assert not has_digest(tmp_path / "none.png", card_digest(ROW))


def test_other_words_have_another_digest() -> None:
    assert len({card_digest(card) for card in (*CARDS.values(), replace(ROW, is_struck=True))}) == 4


def test_a_row_that_does_not_stand_is_struck_through() -> None:
    assert drawn_card(replace(ROW, is_struck=True)) != drawn_card(ROW)
