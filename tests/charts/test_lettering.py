"""What is written on share cards is laid out as outlines: it fits, and shows whatever things are called."""

import unicodedata
from importlib.resources import files

import pytest

from sitegen.charts.cards import Lettering, writable

NAMES = {
    "plain": "Claude-Opus-4.8",
    "wide": "W" * 60,
    "words": "An agent with a remarkably long and winding name of sixty",
    "markup": "<b>&amp;</b> \"quoted\" 'name'",
    "european": "Škoda-Ďábel ñandú ß",
    "chinese": "通义千问-Max 旗舰版《深度思考》",
    "russian": "ГигаЧат-Макс «Кодер»",
    "arabic": "نموذج الذكاء الاصطناعي 4.8 (قوي)",
    "emoji": "🚀 Rocket 👩\u200d💻",
    "control": "a\u202eevil\x00\n name",
    "blank": " ",
}
ELLIPSIS = "…"


@pytest.mark.parametrize("name", ["chinese", "russian", "arabic", "blank"])
def test_an_id_stands_for_a_name_that_cannot_be_written(name: str) -> None:
    assert writable(NAMES[name], "its-id") == "its-id"


@pytest.mark.parametrize("name", ["plain", "wide", "words", "markup", "european"])
def test_a_name_in_latin_letters_is_written_as_it_is(name: str) -> None:
    assert writable(NAMES[name], "its-id") == NAMES[name]


def test_signs_that_cannot_be_written_are_left_out() -> None:
    assert writable(NAMES["emoji"], "its-id") == "Rocket"
    assert writable(NAMES["control"], "its-id") == "aevil name"
    assert writable("Qwen 通义千问 3") == "Qwen 3"


def test_a_letter_is_the_same_however_it_is_put_together() -> None:
    plain = "Éléphant très élégant"
    assert writable(unicodedata.normalize("NFD", plain).replace(" ", "  ")) == plain


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("room", [0, 20, 150, 400])
def test_what_is_cut_fits_into_its_room(name: str, room: int) -> None:
    cut = Lettering().line(name, 44, room, "strong")
    assert cut.width <= room
    assert cut.text in {"", writable(name)} or cut.text.endswith(ELLIPSIS)


def test_a_name_is_cut_no_earlier_than_it_must_be() -> None:
    cut = Lettering().line("m" * 60, 30, 500)
    assert cut.width <= 500 < Lettering().line(cut.text.replace(ELLIPSIS, f"m{ELLIPSIS}"), 30).width


def test_a_line_is_as_wide_as_its_letters_reach() -> None:
    assert [position for _, position in Lettering().line("11", 1000).letters] == [0, Lettering().line("1", 1000).width]


def test_figures_are_of_one_width() -> None:
    assert len({Lettering().line(digit, 30, weight="strong").width for digit in "0123456789"}) == 1


def test_the_outlines_are_small_and_have_their_licence_beside_them() -> None:
    folder = files("sitegen.charts")
    assert len((folder / "letters.json").read_bytes()) <= 200_000
    assert "SIL OPEN FONT LICENSE" in (folder / "letters.OFL.txt").read_text(encoding="utf-8")
