"""Tells whether a card was drawn before: the same words, by the same program, with the same fonts.

A card carries its digest in the file itself, so that a build can tell of a card that the last one left whether it
still holds.
"""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from sitegen.charts.cards.card import Card

KEYWORD = "Card"
"""Names the part of a PNG file that holds its digest."""

_HEAD = 512
"""So many bytes from the beginning of a file hold all that stands before the picture."""


def card_digest(card: Card) -> str:
    """Tell a card from every other: that of other words, and that of another version of this program."""
    return hashlib.sha256(f"{_hand()} {card!r}".encode()).hexdigest()[:24]


def has_digest(path: Path, digest: str) -> bool:
    """Whether a file is a card with a digest."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return f"{KEYWORD}\0{digest}".encode() in file.read(_HEAD)


@cache
def _hand() -> str:
    """Tell who draws: the text of this package, its fonts, and the version of the library."""
    texts = sorted((file.name, file.read_bytes()) for file in _all_files(files(__package__)))
    return hashlib.sha256(repr((texts, version("pillow"))).encode()).hexdigest()


def _all_files(folder: Traversable) -> Iterator[Traversable]:
    for each in folder.iterdir():
        if each.is_file():
            yield each
        elif each.name == "fonts":
            yield from _all_files(each)
