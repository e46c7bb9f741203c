"""Writes text with the fonts that come with the program, so that a card is the same wherever it is drawn.

Text is laid out by the plain rules of the drawing library, letter after letter: its finer ones are those of whatever
library the machine has. What they would do for the scripts that need it is done before, in `script`.
"""

import io
import struct
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import groupby
from typing import Literal

from PIL import ImageFont

from sitegen.charts.cards.card import Name
from sitegen.charts.cards.script import as_written

Weight = Literal["plain", "strong"]

MISSING = "\N{WHITE SQUARE}"
"""Stands for a sign that no font has."""

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"

_FALLBACKS = ("beyond", "east")
"""Fonts for what the first one does not have: other alphabets and signs, then Chinese, Japanese and Korean."""

_LONGEST = 300
"""Longer text would be cut anyway."""

_CMAP_ENTRY, _GROUPS_AT = 16, 16


@dataclass(frozen=True, slots=True)
class Lettering:
    """Text in one weight and one size.

    Attributes:
        weight: How heavy it is.
        size: Its size in pixels.
    """

    weight: Weight
    size: int

    def pieces(self, text: str) -> list[tuple[ImageFont.FreeTypeFont, str]]:
        """Give text as it is written from left to right, in pieces that one font can write."""
        written = as_written(readable(text))
        if _characters(self.weight).issuperset(map(ord, written)):
            return [(_font(self.weight, self.size), written)]
        pieces = groupby(written, key=lambda character: _font_with(character, self.weight))
        return [(_font(name or self.weight, self.size), self._drawn(run, name)) for name, run in pieces]

    def width(self, text: str) -> float:
        """Measure text, in pixels."""
        return _width(self, text)

    def cut(self, text: str, room: float) -> str:
        """Give as much of a text as there is room for; an ellipsis says that it goes on."""
        whole = readable(text)
        if self.width(whole) <= room:
            return whole
        kept = bisect_right(range(1, len(whole)), room, key=lambda length: self.width(_cut_after(whole, length)))
        fitting = (_cut_after(whole, length) for length in range(kept, 0, -1))  # joined letters may become wider
        return next((cut for cut in fitting if self.width(cut) <= room), "")

    @staticmethod
    def _drawn(run: Iterator[str], name: str | None) -> str:
        return "".join(run) if name else "".join(MISSING for _ in run)


@lru_cache(maxsize=4096)
def _width(letters: Lettering, text: str) -> float:
    """Measure text; the words of many cards are the same."""
    return sum(font.getlength(piece) for font, piece in letters.pieces(text))


def _cut_after(text: str, length: int) -> str:
    return f"{text[:length].rstrip()}{ELLIPSIS}"


def readable(text: str) -> str:
    """Give text on one line, without what only tells programs how to show it."""
    if text.isascii() and text.isprintable():
        return " ".join(text[:_LONGEST].split())
    line = " ".join(unicodedata.normalize("NFC", text[:_LONGEST]).split())
    return "".join(each for each in line if unicodedata.category(each) not in {"Cc", "Cf"} and not _is_selector(each))


def shown(name: Name) -> str:
    """Give a name, or the id where the name has letters that no font has."""
    missing = (each for each in as_written(readable(name.text)) if _font_with(each, "plain") is None)
    return name.otherwise if any(unicodedata.category(each)[0] in "LMN" for each in missing) else name.text


def _is_selector(character: str) -> bool:
    """Whether a character only picks between looks of the one before."""
    return "\N{VARIATION SELECTOR-1}" <= character <= "\N{VARIATION SELECTOR-16}"


@cache
def _font_with(character: str, weight: Weight) -> str | None:
    """Name the font that has a character; None where none does."""
    return next((name for name in (weight, *_FALLBACKS) if ord(character) in _characters(name)), None)


@cache
def _characters(name: str) -> frozenset[int]:
    """Read which characters a font has: the only table of them in these files, of the 12th format (OpenType, cmap)."""
    data = _bytes(name)
    (tables,) = struct.unpack_from(">H", data, 4)
    records = (struct.unpack_from(">4s4xL", data, 12 + _CMAP_ENTRY * number) for number in range(tables))
    start = next(offset for tag, offset in records if tag == b"cmap")
    (within,) = struct.unpack_from(">L", data, start + 8)
    table = start + within
    (groups,) = struct.unpack_from(">L", data, table + 12)
    ranges = struct.iter_unpack(">LLL", data[table + _GROUPS_AT : table + _GROUPS_AT + 12 * groups])
    return frozenset(code for first, last, _ in ranges for code in range(first, last + 1))


@cache
def _bytes(name: str) -> bytes:
    return (files(__package__) / "fonts" / f"{name}.ttf").read_bytes()


@cache
def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(io.BytesIO(_bytes(name)), size, layout_engine=ImageFont.Layout.BASIC)
