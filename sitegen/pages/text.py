"""Makes text that came from elsewhere fit to be read on a page."""

import re

from markupsafe import Markup, escape

_special = re.compile("[&<>\"']").search
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_PICTURES = 0x2400
_DELETE = 0x7F


def visible(text: str) -> str:
    """Show control characters as pictures of themselves instead of sending them to a browser."""
    return text if text.isprintable() else _CONTROL.sub(_picture, text)


def escaped(value: object) -> str:
    """Escape text for tags and attributes as `markupsafe.escape` does; plain text stays the object that it is."""
    if type(value) is str:
        return escape(value) if _special(value) else value
    return value if isinstance(value, Markup) else escape(value)


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(_PICTURES + (0x21 if code == _DELETE else code))
