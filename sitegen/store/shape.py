"""Turns what pydantic says about a record into problems that its author can act on."""

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sitegen.errors import Problem, Rule
from sitegen.store import rules

_UNKNOWN = {"extra_forbidden", "unexpected_keyword_argument"}
_MISSING = {"missing", "missing_argument"}
_TYPES = {"int_from_float", "is_instance_of", "date_from_datetime_inexact", "date_from_datetime_parsing"}

Location = tuple[int | str, ...]


def shape_problems(error: ValidationError, path: Path, line_of: Callable[[Location], int | None]) -> list[Problem]:
    """Say what is wrong with the shape of a file, each fault once however many lines repeat it.

    Args:
        error: What pydantic found; for JSON Lines the first part of a location is the record's index.
        path: The file.
        line_of: Gives the line that a location stands on.
    """
    first: dict[tuple[str, str], tuple[Rule, int | None, str | None]] = {}
    repeats: Counter[tuple[str, str]] = Counter()
    for detail in _meant(error.errors(include_url=False)):
        rule, what, fix = _judge(detail)
        key = (rule.code, what)
        repeats[key] += 1
        first.setdefault(key, (rule, line_of(detail["loc"]), fix))
    return [
        rule.broken(path, line, _with_repeats(key[1], repeats[key]), fix) for key, (rule, line, fix) in first.items()
    ]


def suggestion(word: str, known: Iterable[str]) -> str | None:
    """Propose the known word that was probably meant, as a sentence; None where nothing comes close."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean `{close[0]}`?" if close else None


def _meant(details: Iterable[ErrorDetails]) -> Iterator[ErrorDetails]:
    """Leave out the second and later complaints about one value: a union complains once a member."""
    seen: set[Location] = set()
    for detail in details:
        place = tuple(part for part in detail["loc"] if not _names_a_member(part))
        if place not in seen:
            seen.add(place)
            yield detail


def _names_a_member(part: int | str) -> bool:
    return isinstance(part, str) and ("[" in part or part in {"int", "float", "str", "date", "datetime", "decimal"})


def _judge(detail: ErrorDetails) -> tuple[Rule, str, str | None]:
    kind = detail["type"]
    key = ".".join(str(part) for part in detail["loc"] if isinstance(part, str) and not _names_a_member(part))
    if kind in _UNKNOWN:
        return rules.KEY_UNKNOWN, f"the key `{key}` is unknown", None
    if kind in _MISSING:
        return rules.KEY_MISSING, f"the key `{key}` is missing", f"add `{key}`"
    found = _shown(detail["input"])
    if kind == "finite_number":
        return rules.NUMBER_NOT_FINITE, f"`{key}` is {found}", None
    subject = f"`{key}`" if key else "the line"
    if kind.endswith("_type") or kind in _TYPES:
        return rules.TYPE_WRONG, f"{subject} is {found}", _wanted(detail["msg"])
    return rules.VALUE_REFUSED, f"{subject} is {found}", _wanted(detail["msg"])


def _wanted(message: str) -> str:
    return message.replace("Input should be", "give").replace("String should", "the text should")


def _shown(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else str(value)
    kind = f" ({type(value).__name__})" if isinstance(value, dict | list | tuple | bool) else ""
    return (text if len(text) <= 60 else text[:59] + "…") + kind  # noqa: PLR2004 - a message stays one line


def _with_repeats(what: str, times: int) -> str:
    return what if times == 1 else f"{what} (here and in {times - 1} more places)"
