"""Share cards as PNG files, with text as letter outlines, so they are the same on every machine.

Given text, the converter would use the fonts of the machine. `letters.json` therefore has the
letters of Archivo in two weights: the width and the outline of each character, in thousandths of
the text size.
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
from typing import Literal, NamedTuple

Weight = Literal["plain", "strong"]

_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_UNITS = 1000
"""Units of an outline per unit of text size."""

_PNG_SIGNATURE_LENGTH = 8
_COMPRESSION_LEVEL = 3
"""Compression level; level 6 takes twice as long for files that are a quarter smaller."""


def card_digest(svg: str) -> str:
    """Return a digest of a card's drawing and of the converter's version."""
    converter = version("vl-convert-python")
    return hashlib.sha256(f"{converter} level {_COMPRESSION_LEVEL} {svg}".encode()).hexdigest()[:24]


def drawn_card(svg: str) -> bytes:
    """Return a card as PNG; the same drawing gives the same bytes.

    The converter leaves threads behind, which do not survive a fork.
    """
    from vl_convert import svg_to_png  # noqa: PLC0415 - most builds draw nothing

    return _compressed(svg_to_png(svg))


def _compressed(picture: bytes) -> bytes:
    """Return a PNG file at half the size that the converter writes."""
    chunks: dict[bytes, bytes] = {}
    offset = _PNG_SIGNATURE_LENGTH
    while offset < len(picture):
        size, kind = struct.unpack_from(">I4s", picture, offset)
        chunks[kind] = chunks.get(kind, b"") + picture[offset + 8 : offset + 8 + size]
        offset += size + 12
    chunks[b"IDAT"] = zlib.compress(zlib.decompress(chunks[b"IDAT"]), _COMPRESSION_LEVEL)
    output = picture[:_PNG_SIGNATURE_LENGTH]
    for kind, data in chunks.items():
        checksum = zlib.crc32(kind + data)
        output += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
    return output


class Written(NamedTuple):
    """A text that has been laid out."""

    text: str
    """The part of the text that fits."""
    width: float
    """The width in pixels."""
    letters: Sequence[tuple[str, int]]
    """The name of each letter's outline, and its position in units."""


class Lettering:
    """The text of one picture; `used` has the outlines of its letters by name."""

    def __init__(self) -> None:
        self.used: dict[str, str] = {}

    def line(self, text: str, size: float, room: float = 1e9, weight: Weight = "plain") -> Written:
        """Lay out a text; a text that does not fit is cut and ends with an ellipsis.

        Args:
            text: The text.
            size: Its size in pixels.
            room: The maximum width in pixels.
            weight: The weight of its letters.
        """
        alphabet = _alphabets()[weight]
        room_in_units = room * _UNITS / size
        line = writable(text)
        ends = _ends(line, alphabet)
        if ends and ends[-1] > room_in_units:
            ellipsis_width, _ = alphabet[_ELLIPSIS]
            length = bisect_right(ends, room_in_units - ellipsis_width)
            line = f"{line[:length].rstrip()}{_ELLIPSIS}" if length else ""
            ends = _ends(line, alphabet)
        names = []
        for letter in line:
            name = f"{weight}-{ord(letter)}"
            _, self.used[name] = alphabet[letter]
            names.append(name)
        starts = [0, *ends]
        width = starts[-1] * size / _UNITS
        return Written(line, width, list(zip(names, starts, strict=False)))


_Alphabet = Mapping[str, tuple[int, str]]
"""The width and the outline of each letter."""


def _ends(text: str, alphabet: _Alphabet) -> list[int]:
    """Return the position at which each letter of a text ends, in units."""
    ends = []
    end = 0
    for letter in text:
        width, _ = alphabet[letter]
        end += width
        ends.append(end)
    return ends


def writable(text: str, otherwise: str = "") -> str:
    """Return a text on one line in the characters that have an outline.

    `otherwise` replaces a text whose letters, marks or digits would be missing.
    """
    line = unicodedata.normalize("NFC", " ".join(text.split()))
    alphabet = _alphabets()["plain"]
    available = "".join(character for character in line if character in alphabet)
    available = " ".join(available.split())
    if not otherwise:
        return available
    missing = set(line) - set(available)
    misses_letters = any(unicodedata.category(character)[0] in "LMN" for character in missing)
    if misses_letters or not available:
        return otherwise
    return available


@cache
def _alphabets() -> Mapping[Weight, _Alphabet]:
    text = (files(__package__) / "letters.json").read_text(encoding="utf-8")
    alphabets: Mapping[Weight, _Alphabet] = json.loads(text)
    return alphabets
