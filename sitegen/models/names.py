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
        raise PydanticCustomError(
            HIDDEN, "has characters that can't be seen: {marks}", {"marks": marks}
        )
    if value and not plain:
        raise PydanticKnownError("string_too_short", {"min_length": 1})
    return plain


MARKED = "marks"
"""The kind of complaint about a name that has signs by which pages show a verdict."""

_MARKS = re.compile(
    "[\u2300\u25a0-\u25ff\u2605\u2606\u2610-\u2612\u2690\u2691\u26aa\u26ab\u2705\u2713-\u2718\u274c-\u274e\u2b24\u2b50\u2b55"
    "\U0001f396\U0001f3c5\U0001f3c6\U0001f3f4\U0001f512\U0001f534\U0001f535\U0001f6a9\U0001f7e0-\U0001f7e4\U0001f947-\U0001f949"
    "\U0001f5f8\U0001f5f9]"
)
"""Checks, crosses, circles, flags, stars and medals: signs by which pages show evidence, outcomes and findings, and
what looks like them."""


def _unmarked(value: Any, told: ValidationInfo) -> Any:  # noqa: ANN401 - anything that stands in a file
    """Return a name without the signs by which pages show a verdict; in a file they are refused."""
    if not isinstance(value, str) or not _MARKS.search(value):
        return value
    if told.context == FROM_FILE:
        marks = ", ".join(f"U+{ord(mark):04X}" for mark in sorted(set(_MARKS.findall(value))))
        raise PydanticCustomError(
            MARKED,
            "has signs by which pages show checks and findings: {marks}; leave them out",
            {"marks": marks},
        )
    return " ".join(_MARKS.sub(" ", value).split()) or "unnamed"


Name = Annotated[str, BeforeValidator(_as_shown)]
"""What somebody or something is called: without blanks around it, its letters composed, and all of it to be seen."""

EntrantName = Annotated[Name, BeforeValidator(_unmarked)]
"""What submitters call themselves, their agents and models: a name without signs by which pages show a verdict."""
