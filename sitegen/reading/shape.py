"""Turns what pydantic says about a record into problems that its author can act on."""

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from sitegen.models.addresses import ADDRESS, WEB_PATTERN
from sitegen.models.declared import AMOUNTS, ID, MEASURE, TAKEN, VERDICTS
from sitegen.models.names import HIDDEN, MARKED
from sitegen.models.record import DEVICE
from sitegen.problems import Problem, Rule, limited, reasons, repeated

_LOST = partial(Rule.error, unwaivable=reasons.LOST)
NUMBER_NOT_FINITE = _LOST(
    "NUMBER-NOT-FINITE",
    "Numbers are finite: no NaN, no Infinity.",
    "give a number; leave an optional key out where its value is not known",
)
KEY_DUPLICATE = _LOST("KEY-DUPLICATE", "An object has each key once.", "keep one of the two values")
KEY_UNKNOWN = _LOST(
    "KEY-UNKNOWN",
    "The format has no other keys than its schema names.",
    "correct the key's name, or remove it",
)
KEY_MISSING = _LOST("KEY-MISSING", "Every required key is there.", "add the key")
TYPE_WRONG = _LOST(
    "TYPE-WRONG", "Values have the type that the schema names.", "correct the value's type"
)
VALUE_REFUSED = _LOST(
    "VALUE-REFUSED", "Values lie in the range that the schema allows.", "correct the value"
)
SLUG_INVALID = Rule.error(
    "SLUG-INVALID",
    "Names that stand in addresses are slugs.",
    "use up to 120 lower-case letters, digits, `-` and `_` only, begin with a letter or digit, and leave the names of "
    "Windows' devices alone (con, prn, aux, nul, com1, lpt1)",
    unwaivable=reasons.ADDRESSES,
)
NAME_ODD = Rule.error(
    "NAME-ODD",
    "Names are made of characters that can be seen, and those of agents have none of the signs of verdicts on pages.",
    "write it with letters, digits, signs and plain blanks alone",
    unwaivable=reasons.ADDRESSES,
)

V = TypeVar("V")
Location = tuple[int | str, ...]
"""Keys and positions from the root of a document, such as ("tracks", 1, "protocol")."""
_Schema = Mapping[str, Any]

_UNKNOWN = {"extra_forbidden", "unexpected_keyword_argument"}
_MISSING = {"missing", "missing_argument"}
_TYPES: Mapping[str, str] = {
    "int_type": "give a whole number, without quotes",
    "int_from_float": "give a whole number, without quotes",
    "float_type": "give a number, without quotes",
    "is_instance_of": "give a number, without quotes",
    "bool_type": "give true or false, without quotes",
    "string_type": "give a text, in quotes",
    "date_type": "give a date, without quotes, such as 2026-06-25",
    "datetime_type": "give a date, or a date and time, without quotes",
    "tuple_type": "give a list: [a, b], or [[NAME]] above each of its tables",
    "dict_type": "give keys with values",
    "model_type": "give keys with values",
    "dataclass_type": "give keys with values",
}
_OWN: Mapping[str, Rule] = {
    HIDDEN: NAME_ODD,
    MARKED: NAME_ODD,
    DEVICE: SLUG_INVALID,
    ADDRESS: VALUE_REFUSED,
}
"""What the models themselves complain of, in words that go on behind the key."""
_RANGES: Mapping[str, str] = {
    "greater_than_equal": "give at least {ge}",
    "greater_than": "give more than {gt}",
    "less_than_equal": "give at most {le}",
    "less_than": "give less than {lt}",
    "literal_error": "give {expected}",
    "string_too_short": "give a text that is not empty",
    "string_too_long": "give at most {max_length} characters",
    "too_short": "give at least {min_length} in the list",
    "too_long": "give at most {max_length} in the list",
    "missing": "give one more in the list",
    "int_parsing_size": "give a smaller number",
}
_PATTERNS: Mapping[str, tuple[Rule, str]] = {
    "^[a-z0-9][a-z0-9_-]*$": (SLUG_INVALID, SLUG_INVALID.fix),
    ID: (SLUG_INVALID, "use lower-case letters, digits and `_` only"),
    TAKEN: (VALUE_REFUSED, f"give one of {', '.join((*VERDICTS, *AMOUNTS))}, or {MEASURE}NAME"),
    WEB_PATTERN: (
        VALUE_REFUSED,
        "write an address that begins with https:// or http://, without blanks or quotes",
    ),
    "^[pfes]*$": (VALUE_REFUSED, "use one letter a case: p pass, f fail, e error, s skipped"),
}
_KEYS_SHOWN = 12
"""So many keys of one file are told in full for each rule."""
_LOOKED_UP = 100
"""Of so many faults it is looked up which key was meant."""
_WIDTH = 60
"""So much of a value is quoted: a message stays one line."""


_WRITTEN = {"schema": "schema = 1"}
"""Keys that always have one value."""


def shape_problems(
    error: ValidationError,
    path: Path,
    line_of: Callable[[Location], int | None],
    kind: TypeAdapter[Any],
    document: object = None,
) -> list[Problem]:
    """What is wrong with the shape of a file, each fault once however many lines repeat it.

    Args:
        error: What pydantic found; for JSON Lines the first part of a location is the record's index.
        path: The file.
        line_of: Gives the line that a location stands on.
        kind: What the file is to hold.
        document: What the file holds, which tells its keys from the names that pydantic gives to the
            members of a union; None where no value is a union.
    """
    first: dict[tuple[str, str], Problem] = {}
    repeats: Counter[tuple[str, str]] = Counter()
    for detail, place in _meant(error.errors(include_url=False), document):
        name = ".".join(part for part in place if isinstance(part, str))
        rule, what, fix = _judge(detail, name)
        repeats[rule.code, name] += 1
        if (rule.code, name) not in first:
            if rule is KEY_UNKNOWN and len(first) < _LOOKED_UP:
                fix = suggestion(str(place[-1]), keys_at(kind, place[:-1]))
            first[rule.code, name] = rule.broken(path, line_of(place), what, fix)
    told = [replace(each, what=repeated(each.what, repeats[key])) for key, each in first.items()]
    return list(limited(told, _KEYS_SHOWN))


def adapter_of(kind: type[V]) -> TypeAdapter[V]:
    """Give what validates values of a type, which is made once, as is what it knows of its keys."""
    return _made(kind)


_made: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


def child_of(node: object, part: int | str) -> object:
    """What a document holds under a key or at a position; None where it holds nothing there."""
    if isinstance(node, Mapping):
        return node.get(part)
    if isinstance(node, list | tuple) and isinstance(part, int) and part < len(node):
        return node[part]
    return None


def suggestion(word: str, known: Iterable[str]) -> str | None:
    """Propose the known word that was probably meant, as a sentence; None where nothing comes close."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean `{close[0]}`?" if close else None


def _meant(
    details: Iterable[ErrorDetails], document: object
) -> Iterator[tuple[ErrorDetails, Location]]:
    """Each complaint with its place, only the first about a value: a union complains once a member.

    A list whose members are refused is said to be too short as well, when none is left.
    """
    seen: set[Location] = set()
    refused: set[Location] = set()
    for detail in details:
        if detail["type"] == "too_short" and detail["loc"] in refused:
            continue
        refused |= {detail["loc"][:length] for length in range(len(detail["loc"]))}
        place = detail["loc"] if document is None else _place(detail, document)
        if not any(place[:length] in seen for length in range(1, len(place) + 1)):
            seen.add(place)
            yield detail, place


def _place(detail: ErrorDetails, document: object) -> Location:
    """Find the way to a value: the parts of pydantic's location that the document has."""
    *way, last = detail["loc"] or ("",)
    place: Location = ()
    node = document
    for part in way:
        child = child_of(node, part)
        if child is not None:
            node, place = child, (*place, part)
    is_key = detail["type"] in _MISSING or child_of(node, last) is not None
    return (*place, last) if is_key else place


def _judge(detail: ErrorDetails, name: str) -> tuple[Rule, str, str | None]:
    kind = detail["type"]
    fact = f"{f'`{name}`' if name else 'the file'} is {_shown(detail['input'])}"
    if kind in _UNKNOWN:
        return KEY_UNKNOWN, f"the key `{name}` is unknown", None
    if kind in _MISSING and isinstance(detail["loc"][-1], str):
        return KEY_MISSING, f"the key `{name}` is missing", f"add `{_WRITTEN.get(name, name)}`"
    if kind == "finite_number":
        return NUMBER_NOT_FINITE, fact, None
    if kind in _OWN:
        return _OWN[kind], f"`{name}` {detail['msg']}", None
    if kind == "value_error":
        return VALUE_REFUSED, detail["msg"].removeprefix("Value error, "), None
    if kind in _TYPES:
        return TYPE_WRONG, fact, _TYPES[kind]
    # Which values are in range, as far as it can be told.
    limits = {
        key: int(value) if isinstance(value, float) else value
        for key, value in detail.get("ctx", {}).items()
    }
    fix = _RANGES.get(kind, "").format(**limits).replace("'", '"')
    rule, fix = _PATTERNS.get(str(limits.get("pattern")), (VALUE_REFUSED, fix))
    return rule, fact, fix or None


def _shown(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float() | Decimal() | date():
            text = str(value)
        case str():
            text = f'"{value}"'
        case _:
            return "a list" if isinstance(value, list | tuple) else "a set of keys and values"
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


def keys_at(kind: TypeAdapter[Any], place: Location) -> set[str]:
    """The keys that a value may have; none where the place is not one of the format's."""
    schema: _Schema = _schema_of(kind, by_alias=True)
    found = _choices(schema, [schema])
    for part in place:
        children: list[_Schema] = []
        for each in found:
            child = (
                each.get("items") if isinstance(part, int) else each.get("properties", {}).get(part)
            )
            child = child or (each.get("additionalProperties") if isinstance(part, str) else None)
            children += [child] if isinstance(child, Mapping) else []
        found = _choices(schema, children)
    return {key for each in found for key in each.get("properties", ())}


_schema_of = cache(TypeAdapter[Any].json_schema)


def _choices(schema: _Schema, nodes: Iterable[_Schema]) -> list[_Schema]:
    """What values may be, references and unions taken apart."""
    found: list[_Schema] = []
    for node in nodes:
        if "$ref" in node:
            found += _choices(schema, [schema["$defs"][node["$ref"].rpartition("/")[2]]])
        found += [node, *_choices(schema, node.get("anyOf", ()))]
    return found
