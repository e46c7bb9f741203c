"""Names as readers see them: equal names are spelled identically, and no character is invisible."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo
from pydantic_core import PydanticCustomError, PydanticKnownError

FROM_FILE = "from a file"
"""Validation context for records that people wrote: faults are reported instead of repaired."""

HIDDEN = "hidden_characters"
"""Pydantic's error type for a name with invisible characters."""

_INVISIBLE_CATEGORIES = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"}
"""Unicode categories of characters without a visible shape; the plain space is allowed."""

_BLANK_LETTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U0001d159\U000e0000-\U000e0fff]"
)
"""Invisible fillers and marks that Unicode classifies as letters or symbols."""


def is_hidden(character: str) -> bool:
    """Return whether a character is invisible to readers of a name."""
    if character == " ":
        return False
    category = unicodedata.category(character)
    return category in _INVISIBLE_CATEGORIES or _BLANK_LETTERS.match(character) is not None


def _code_points(characters: Iterable[str]) -> str:
    """Return the code points of distinct characters, sorted: `U+200B, U+2028`."""
    return ", ".join(f"U+{ord(character):04X}" for character in sorted(set(characters)))


def _as_shown(value: Any, info: ValidationInfo) -> Any:  # noqa: ANN401 - any value of a file
    """Return a name in composed form, without spaces around it and without hidden characters.

    Names from files are refused if they have hidden characters; names that a program took from a
    foreign source lose them. A name that consists of hidden characters becomes their code points,
    because written names must be readable.
    """
    if not isinstance(value, str):
        return value
    plain = unicodedata.normalize("NFC", value).strip(" ")
    hidden = set(filter(is_hidden, plain))
    if info.context != FROM_FILE:
        visible = "".join(character for character in plain if character not in hidden)
        return visible.strip(" ") or _code_points(hidden)
    if hidden:
        raise PydanticCustomError(
            HIDDEN, "has invisible characters: {marks}", {"marks": _code_points(hidden)}
        )
    if value and not plain:
        raise PydanticKnownError("string_too_short", {"min_length": 1})
    return plain


MARKED = "marks"
"""Pydantic's error type for a name with signs that pages use for verdicts."""

_VERDICT_SIGNS = re.compile(
    "[\u2300\u25a0-\u25ff\u2605\u2606\u2610-\u2612\u2690\u2691\u26aa\u26ab\u2705\u2713-\u2718"
    "\u274c-\u274e\u2b24\u2b50\u2b55"
    "\U0001f396\U0001f3c5\U0001f3c6\U0001f3f4\U0001f512\U0001f534\U0001f535\U0001f6a9"
    "\U0001f7e0-\U0001f7e4\U0001f947-\U0001f949\U0001f5f8\U0001f5f9]"
)
"""Checks, crosses, circles, flags, stars and medals: signs by which pages show evidence, outcomes
and findings, and signs that look like them."""


def _without_verdict_signs(value: Any, info: ValidationInfo) -> Any:  # noqa: ANN401 - as above
    """Return a name without signs that pages use for verdicts; in a file, they are refused."""
    if not isinstance(value, str):
        return value
    signs = _VERDICT_SIGNS.findall(value)
    if not signs:
        return value
    if info.context == FROM_FILE:
        raise PydanticCustomError(
            MARKED,
            "has symbols that mark checks and findings on pages: {marks}; leave them out",
            {"marks": _code_points(signs)},
        )
    return " ".join(_VERDICT_SIGNS.sub(" ", value).split()) or "unnamed"


Name = Annotated[str, BeforeValidator(_as_shown)]
"""The name of a person or a thing: composed letters, no surrounding spaces, fully visible."""

EntrantName = Annotated[Name, BeforeValidator(_without_verdict_signs)]
"""The names of submitters, their agents and models: names without verdict signs."""
