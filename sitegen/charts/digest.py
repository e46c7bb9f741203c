"""Tells whether a panel was drawn before: the same values, by the same program."""

import hashlib
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from sitegen.charts.panel import Panel

_DRAWS = ("altair", "vl-convert-python")
"""The libraries that draw."""


def digest_of(panel: Panel) -> str:
    """Tell a drawing from every other: that of other values, and that of another version of this program."""
    return hashlib.sha256(f"{_hand()} {panel!r}".encode()).hexdigest()[:24]


@cache
def _hand() -> str:
    """Tell who draws: the text of this package, and the versions of its libraries."""
    own = [file for file in files(__package__).iterdir() if file.is_file()]
    texts = sorted((file.name, file.read_text(encoding="utf-8")) for file in own)
    return hashlib.sha256(repr((texts, [version(name) for name in _DRAWS])).encode()).hexdigest()
