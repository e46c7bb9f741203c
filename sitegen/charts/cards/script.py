"""How words of right-to-left scripts are written: in the order of the eye, with the letters of Arabic joined.

The rules are those of Unicode for one line (UAX 9 without embeddings; Arabic as chapter 9.2 of the standard joins it),
as far as names need them.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

_FORMS = re.compile(r"<(isolated|initial|medial|final)> ([0-9A-F]{4}(?: [0-9A-F]{4})?)")
_JOINED = (*range(0xFB50, 0xFC00), *range(0xFE80, 0xFEFD))
"""Where Unicode has joined letters, leaving out ligatures that nobody needs to write."""

_SIGNS = {"R": "R", "AL": "R", "L": "L", "NSM": "m"}
_STRETCHES = {"R": re.compile("Rm*(?:[^L]*Rm*)?"), "L": re.compile("Lm*(?:[^R]*Lm*)?")}
"""Stretches that go one way: from a letter that does to the last before one that does not."""

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_TATWEEL = "\N{ARABIC TATWEEL}"
_LAM = "\N{ARABIC LETTER LAM}"


def as_written(text: str) -> str:
    """Give text in the order that it is written in from left to right, with letters joined where they are.

    A line goes the way of its first letter; stretches that go the other way are turned around.
    """
    signs = "".join(_SIGNS.get(unicodedata.bidirectional(character), "-") for character in text)
    if "R" not in signs:
        return text
    way = signs.strip("-m")[0]
    written = [_backwards(_joined(piece)) if its == "R" else piece for piece, its in _pieces(text, signs, way)]
    return "".join(reversed(written) if way == "R" else written)


def _pieces(text: str, signs: str, way: str) -> Iterator[tuple[str, str]]:
    """Cut a line that goes one way into pieces, each with its own: R or L."""
    other = "L" if way == "R" else "R"
    last = 0
    for found in _STRETCHES[other].finditer(signs):
        first, past = found.span()
        end = past + _closing(text[first:past], text[past : past + 1])
        yield text[last:first], way
        yield text[first:end], other
        last = end
    yield text[last:], way


def _closing(stretch: str, after: str) -> bool:
    """Whether the bracket that follows a stretch closes one that was opened inside it, and so belongs to it."""
    opening = {")": "(", "]": "[", "}": "{"}.get(after, "")
    return bool(opening) and stretch.count(opening) > stretch.count(after)


def _backwards(run: str) -> str:
    """Turn a run around; numbers keep their order, brackets change sides, marks stay behind their letters."""
    numbered = _NUMBER.sub(lambda number: number[0][::-1], run)
    clusters: list[str] = []
    for character in numbered:
        if clusters and unicodedata.combining(character):
            clusters[-1] += character
        else:
            clusters.append(character)
    return "".join(reversed(clusters)).translate(_MIRRORED)


def _joined(run: str) -> str:
    """Put the joined forms of Arabic letters in the place of the letters."""
    letters = _with_ligatures(run)
    spoken = [place for place, letter in enumerate(letters) if not unicodedata.combining(letter[0])]
    written = list(letters)
    for before, place, after in zip([None, *spoken], spoken, [*spoken[1:], None], strict=False):
        around = [letters[each] if each is not None else "" for each in (before, after)]
        written[place] = _forms().get((letters[place], _form(letters[place], *around)), letters[place])
    return "".join(written)


def _with_ligatures(run: str) -> list[str]:
    """Give the letters of a run; lam and alef are written as one."""
    letters: list[str] = []
    for letter in run:
        if letters and letters[-1] == _LAM and (_LAM + letter, "isolated") in _forms():
            letters[-1] += letter
        else:
            letters.append(letter)
    return letters


def _form(letter: str, before: str, after: str) -> str:
    """Tell how a letter is joined: to the one before, to the one after, to both or to none."""
    forms = _forms()
    is_after = _joins_on(before) and (letter, "final") in forms
    is_before = _joins_on(letter) and ((after, "final") in forms or after == _TATWEEL)
    if is_after:
        return "medial" if is_before else "final"
    return "initial" if is_before else "isolated"


def _joins_on(letter: str) -> bool:
    """Whether a letter is joined to the one that follows it."""
    return letter == _TATWEEL or (letter, "initial") in _forms()


@cache
def _forms() -> dict[tuple[str, str], str]:
    """Give the joined form of each letter, or of two that are written as one, by how it is joined."""
    found: dict[tuple[str, str], str] = {}
    for code in _JOINED:
        told = _FORMS.fullmatch(unicodedata.decomposition(chr(code)))
        if told:
            letters = "".join(chr(int(each, 16)) for each in told[2].split())
            found.setdefault((letters, told[1]), chr(code))
    return found
