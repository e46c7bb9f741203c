"""Words of right-to-left scripts are written in the order of the eye, Arabic with its letters joined."""

import unicodedata

import pytest

from sitegen.charts.cards.script import as_written

ALEF, BET, GIMEL = "אבג"


@pytest.mark.parametrize("text", ["", "Claude-Opus-4.8", "ГигаЧат", "通义千问", "a (b) 3.5"])
def test_other_scripts_stay_as_they_are(text: str) -> None:
    assert as_written(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (f"{ALEF}{BET}", f"{BET}{ALEF}"),
        (f"{ALEF}{BET} {GIMEL}", f"{GIMEL} {BET}{ALEF}"),
        (f"x {ALEF}{BET} y", f"x {BET}{ALEF} y"),
        (f"{ALEF} x y {BET}", f"{BET} x y {ALEF}"),
        (f"{ALEF} 3.5", f"3.5 {ALEF}"),
        (f"{ALEF} ({BET})", f"({BET}) {ALEF}"),
        (f"x {ALEF} ({BET}) y", f"x ({BET}) {ALEF} y"),
        (f"x ({ALEF})", f"x ({ALEF})"),
    ],
)
def test_words_are_turned_around_and_numbers_are_not(text: str, written: str) -> None:
    assert as_written(text) == written


def test_marks_stay_behind_their_letters() -> None:
    point = "\N{HEBREW POINT PATAH}"
    assert as_written(f"{ALEF}{point}{BET}") == f"{BET}{ALEF}{point}"


def forms(written: str) -> list[str]:
    """Say how each letter is joined, from right to left, as Unicode names it."""
    return [unicodedata.name(letter).split()[-2] for letter in reversed(written)]


def test_arabic_letters_are_joined_to_their_neighbours() -> None:
    """In the word for salt all three are; in that for house the last stands at the end; alef joins nothing after it."""
    assert forms(as_written("ملح")) == ["INITIAL", "MEDIAL", "FINAL"]
    assert forms(as_written("دار")) == ["ISOLATED", "ISOLATED", "ISOLATED"]


def test_lam_and_alef_are_written_as_one() -> None:
    assert as_written("لا") == "\N{ARABIC LIGATURE LAM WITH ALEF ISOLATED FORM}"
