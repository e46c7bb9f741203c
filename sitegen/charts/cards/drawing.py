"""Draws share cards as PNG files, and tells of a file whether it is a card that was drawn before."""

import hashlib
import struct
import zlib
from importlib.metadata import version
from pathlib import Path

_DIGEST = b"Card\0"
"""Names the part of a file that holds its digest, which stands among its first bytes."""

_HEAD = 33
"""So many bytes of a PNG file stand before the first part that is not needed."""


def card_digest(svg: str) -> str:
    """Tell a card from every other: that of another drawing, and that of another version of the converter."""
    return hashlib.sha256(f"{version('vl-convert-python')} {svg}".encode()).hexdigest()[:24]


def is_card(path: Path, digest: str) -> bool:
    """Whether a file is the card with a digest."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _DIGEST + digest.encode() in file.read(4 * _HEAD)


def drawn_card(svg: str) -> bytes:
    """Draw a card: the same drawing gives the same bytes. The converter's threads do not outlive a fork."""
    from vl_convert import svg_to_png  # noqa: PLC0415 - most builds draw nothing

    png, told = svg_to_png(svg), b"tEXt" + _DIGEST + card_digest(svg).encode()
    part = struct.pack(">I", len(told) - 4) + told + struct.pack(">I", zlib.crc32(told))
    return png[:_HEAD] + part + png[_HEAD:]
