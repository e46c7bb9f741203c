"""Share cards as PNG files, and their text as outlines of letters, the same wherever a card is drawn.

A converter that is given text looks for its letters in the fonts of the machine first. `letters.json` has those of
Archivo in two weights: of each sign its width and its outline, in thousandths of the size.
"""

import hashlib
import json
import struct
import unicodedata
import zlib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from itertools import accumulate
from typing import Literal, NamedTuple

Weight = Literal["plain", "strong"]

_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_UNITS = 1000


def card_digest(svg: str) -> str:
    """Tell a card from every other: that of another drawing, and that of another version of the converter."""
    return hashlib.sha256(f"{version('vl-convert-python')} packed {svg}".encode()).hexdigest()[:24]


def drawn_card(svg: str) -> bytes:
    """Draw a card: the same drawing gives the same bytes. The converter's threads do not outlive a fork."""
    from vl_convert import svg_to_png  # noqa: PLC0415 - most builds draw nothing

    picture = svg_to_png(svg)
    # The converter writes three times as much as is needed.
    chunks, place = dict[bytes, bytes](), 8
    while place < len(picture):
        size, kind = struct.unpack_from(">I4s", picture, place)
        chunks[kind] = chunks.get(kind, b"") + picture[place + 8 : place + 8 + size]
        place += size + 12
    chunks[b"IDAT"] = zlib.compress(zlib.decompress(chunks[b"IDAT"]))
    parts = [(len(data), kind + data) for kind, data in chunks.items()]
    return picture[:8] + b"".join(
        struct.pack(">I", n) + each + struct.pack(">I", zlib.crc32(each)) for n, each in parts
    )


class Written(NamedTuple):
    """Text that was laid out: as much as fits, its width in pixels, and its letters with their places, in units."""

    text: str
    width: float
    letters: Sequence[tuple[str, int]]


class Lettering:
    """What is written in one picture: `used` has the outlines of its letters, by what lines call them."""

    def __init__(self) -> None:
        self.used: dict[str, str] = {}

    def line(self, text: str, size: float, room: float = 1e9, weight: Weight = "plain") -> Written:
        """Lay out as much of a text as there is room for; an ellipsis says that it goes on."""
        alphabet, written = _alphabets()[weight], writable(text)
        ends = list(accumulate(alphabet[letter][0] for letter in written))
        if ends and ends[-1] > room * _UNITS / size:
            kept = bisect_right(ends, room * _UNITS / size - alphabet[_ELLIPSIS][0])
            written = f"{written[:kept].rstrip()}{_ELLIPSIS}" if kept else ""
            ends = list(accumulate(alphabet[letter][0] for letter in written))
        names = [f"{weight}-{ord(letter)}" for letter in written]
        self.used |= {
            name: alphabet[letter][1] for name, letter in zip(names, written, strict=True)
        }
        return Written(
            written, (ends or [0])[-1] * size / _UNITS, list(zip(names, [0, *ends], strict=False))
        )


def writable(text: str, otherwise: str = "") -> str:
    """Put text on one line in the signs that have an outline; something else where letters would be missing."""
    signs = unicodedata.normalize("NFC", " ".join(text.split()))
    kept = " ".join("".join(sign for sign in signs if sign in _alphabets()["plain"]).split())
    is_whole = kept and not any(
        unicodedata.category(sign)[0] in "LMN" for sign in set(signs) - set(kept)
    )
    return kept if is_whole or not otherwise else otherwise


@cache
def _alphabets() -> Mapping[Weight, Mapping[str, tuple[int, str]]]:
    found: Mapping[Weight, Mapping[str, tuple[int, str]]] = json.loads(
        (files(__package__) / "letters.json").read_text(encoding="utf-8")
    )
    return found
