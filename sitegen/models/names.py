"""Names as readers see them: equal ones are one name, and nothing in them is hidden."""

import re
import unicodedata
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo
from pydantic_core import PydanticCustomError, PydanticKnownError

FROM_FILE = "from a file"
"""The context in which records are read that somebody else wrote: what they hide is told and not mended."""

HIDDEN = "hidden_characters"
"""The kind of complaint about a name that has some."""

_KINDS = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"}
"""Kinds of characters that can't be seen: they control, turn the direction, are none, or are a blank. The plain one may
stand."""

_BLANK_LETTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U0001d159\U000e0000-\U000e0fff]"
)
"""Fillers and marks that are letters or symbols to Unicode and show nothing."""


def is_hidden(character: str) -> bool:
    """Whether nobody would see a character of a name."""
    kind = unicodedata.category(character)
    return character != " " and (kind in _KINDS or _BLANK_LETTERS.match(character) is not None)


def _as_shown(value: Any, told: ValidationInfo) -> Any:  # noqa: ANN401 - anything that stands in a file
    """A name as it is shown. In what a program makes of foreign texts, hidden characters are left out.

    Where that leaves nothing, they are named: what is written has to be read again.
    """
    if not isinstance(value, str):
        return value
    plain = unicodedata.normalize("NFC", value).strip(" ")
    hidden = sorted({character for character in plain if is_hidden(character)})
    marks = ", ".join(f"U+{ord(each):04X}" for each in hidden)
    if told.context != FROM_FILE:
        return "".join(each for each in plain if each not in hidden).strip(" ") or marks
    if hidden:
        raise PydanticCustomError(HIDDEN, "has characters that can't be seen: {marks}", {"marks": marks})
    if value and not plain:
        raise PydanticKnownError("string_too_short", {"min_length": 1})
    return plain


Name = Annotated[str, BeforeValidator(_as_shown)]
"""What somebody or something is called: without blanks around it, its letters composed, and all of it to be seen."""
