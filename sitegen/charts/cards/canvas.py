"""The sheet that a card is drawn on: a few tones, so that the file is small.

Greys go from 0 (paper) to 7 (ink), which is enough for the edges of letters; colours for marks follow. Each tone is an
entry of the file's palette, so that nothing is converted. Between paper and ink there is every grey, so text goes on
those; marks are filled along whole pixels.
"""

import io
from collections.abc import Iterator
from typing import NamedTuple

from PIL import Image, ImageDraw
from PIL.PngImagePlugin import PngInfo

from sitegen.charts.cards.digest import KEYWORD
from sitegen.charts.cards.lettering import Lettering

WIDTH, HEIGHT = 1200, 630

INK, QUIET, STRONG_RULE, RULE, PAPER = 7, 5, 3, 1, 0
"""How much ink is in what is drawn, as in the light scheme of the site."""

_PAPER_COLOUR, _INK_COLOUR = (0xFF, 0xFF, 0xFF), (0x1B, 0x1F, 0x23)
_MARK_COLOUR, _TINT_COLOUR = (0x0F, 0x6B, 0x5C), (0xA8, 0xCF, 0xC7)

MARK, TINT = INK + 1, INK + 2
"""Tones of marks: of a score, and of its interval."""

_RUNS_ONLY = 3
"""Compression that looks for runs of one byte alone. Of flat pictures, files are small; and what it gives depends on no
hash of the processor's, as that of other ways does."""


class Area(NamedTuple):
    """A rectangle in pixels; right and bottom lie outside."""

    left: float
    top: float
    right: float
    bottom: float


class Canvas:
    """A card in the making."""

    def __init__(self) -> None:
        self._sheet = Image.new("L", (WIDTH, HEIGHT), PAPER)
        self._draw = ImageDraw.Draw(self._sheet)

    def write(self, left: float, baseline: float, text: str, letters: Lettering, ink: int = INK) -> float:
        """Write text, and give where it ends."""
        for font, piece in letters.pieces(text):
            self._draw.text((round(left), baseline), piece, font=font, fill=ink, anchor="ls")
            left += font.getlength(piece)
        return left

    def write_before(self, right: float, baseline: float, text: str, letters: Lettering, ink: int = INK) -> None:
        """Write text that ends at a place."""
        self.write(right - letters.width(text), baseline, text, letters, ink)

    def fill(self, area: Area, tone: int) -> None:
        """Fill a rectangle; text may be written on one that is grey."""
        self._draw.rectangle(_pixels(area), fill=tone)

    def png(self, digest: str) -> bytes:
        """Give the card as a PNG file that carries its digest."""
        self._sheet.putpalette([part for colour in _colours() for part in colour])
        told, file = PngInfo(), io.BytesIO()
        told.add_text(KEYWORD, digest)
        self._sheet.save(file, "PNG", bits=4, compress_type=_RUNS_ONLY, pnginfo=told)
        return file.getvalue()


def _pixels(area: Area) -> tuple[int, int, int, int]:
    """Give the outermost pixels of an area, which is never thinner than one."""
    left, top, right, bottom = map(round, area)
    return left, top, max(left, right - 1), max(top, bottom - 1)


def _colours() -> Iterator[tuple[int, ...]]:
    for grey in range(INK + 1):
        share = grey / INK
        yield tuple(round(paper + (ink - paper) * share) for paper, ink in zip(_PAPER_COLOUR, _INK_COLOUR, strict=True))
    yield from (_MARK_COLOUR, _TINT_COLOUR)
