"""Describe pydantic's errors as problems that the author of a file can act on.

Start with `shape_problems`: it takes the error about a file and returns problems with the line,
the fact and the fix. The tables at the top have the fix for each type of pydantic error.
"""

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
    "A number is NaN or infinite.",
    "give a number, or leave an optional key out if its value is unknown",
)
KEY_DUPLICATE = _LOST("KEY-DUPLICATE", "An object has a key twice.", "keep one of the two values")
KEY_UNKNOWN = _LOST(
    "KEY-UNKNOWN",
    "A key is not part of the format.",
    "correct the key's name, or remove it",
)
KEY_MISSING = _LOST("KEY-MISSING", "A required key is missing.", "add the key")
TYPE_WRONG = _LOST("TYPE-WRONG", "A value has the wrong type.", "correct the value's type")
VALUE_REFUSED = _LOST("VALUE-REFUSED", "A value is outside the allowed range.", "correct the value")
SLUG_INVALID = Rule.error(
    "SLUG-INVALID",
    "A name that is used in addresses is not a slug.",
    "use only lower-case letters, digits, `-` and `_` (at most 120 characters), begin with a "
    "letter or digit, and avoid names that Windows reserves (con, prn, aux, nul, com1, lpt1)",
    unwaivable=reasons.ADDRESSES,
)
NAME_ODD = Rule.error(
    "NAME-ODD",
    "A name has invisible characters, or an agent's name has a symbol that marks verdicts on "
    "pages.",
    "use only letters, digits, punctuation and plain spaces",
    unwaivable=reasons.ADDRESSES,
)

V = TypeVar("V")
Location = tuple[int | str, ...]
"""Keys and positions from the root of a document, such as ("tracks", 1, "protocol")."""
_Schema = Mapping[str, Any]

_UNKNOWN_KEY_ERRORS = {"extra_forbidden", "unexpected_keyword_argument"}
_MISSING_ERRORS = {"missing", "missing_argument"}
_TYPE_FIXES: Mapping[str, str] = {
    "int_type": "give a whole number, without quotes",
    "int_from_float": "give a whole number, without quotes",
    "float_type": "give a number, without quotes",
    "is_instance_of": "give a number, without quotes",
    "bool_type": "give true or false, without quotes",
    "string_type": "give a string, in quotes",
    "date_type": "give a date, without quotes, such as 2026-06-25",
    "datetime_type": "give a date, or a date and time, without quotes",
    "int_parsing": "give a whole number, without quotes",
    "float_parsing": "give a number, without quotes",
    "bool_parsing": "give true or false, without quotes",
    "date_parsing": "write the date as YYYY-MM-DD",
    "date_from_datetime_parsing": "write the date as YYYY-MM-DD",
    "date_from_datetime_inexact": "write the date as YYYY-MM-DD, without a time",
    "datetime_parsing": "write the time as YYYY-MM-DDTHH:MM:SS",
    "datetime_from_date_parsing": "write the time as YYYY-MM-DDTHH:MM:SS",
    "tuple_type": "give a list: [a, b], or [[NAME]] above each of its tables",
    "list_type": "give a list: [a, b], or [[NAME]] above each of its tables",
    "dict_type": "give a table with keys and values",
    "model_type": "give a table with keys and values",
    "dataclass_type": "give a table with keys and values",
}
_MODEL_ERRORS: Mapping[str, Rule] = {
    HIDDEN: NAME_ODD,
    MARKED: NAME_ODD,
    DEVICE: SLUG_INVALID,
    ADDRESS: VALUE_REFUSED,
}
"""Rules for the errors that the models raise themselves; their messages continue after the key."""
_RANGE_FIXES: Mapping[str, str] = {
    "greater_than_equal": "give at least {ge}",
    "greater_than": "give more than {gt}",
    "less_than_equal": "give at most {le}",
    "less_than": "give less than {lt}",
    "literal_error": "give {expected}",
    "enum": "give {expected}",
    "string_too_short": "give a string that is not empty",
    "string_too_long": "give at most {max_length} characters",
    "too_short": "give at least {min_length} entries",
    "too_long": "give at most {max_length} entries",
    "missing": "add an entry to the list",
    "int_parsing_size": "give a smaller number",
}
_PATTERN_FIXES: Mapping[str, tuple[Rule, str]] = {
    "^[a-z0-9][a-z0-9_-]*$": (SLUG_INVALID, SLUG_INVALID.fix),
    ID: (SLUG_INVALID, "use lower-case letters, digits and `_` only"),
    TAKEN: (VALUE_REFUSED, f"give one of {', '.join((*VERDICTS, *AMOUNTS))}, or {MEASURE}NAME"),
    WEB_PATTERN: (
        VALUE_REFUSED,
        "write an address that begins with https:// or http://, without spaces or quotes",
    ),
    "^[pfes]*$": (VALUE_REFUSED, "use one letter per case: p pass, f fail, e error, s skipped"),
}
_FIXED_VALUES = {"schema": "schema = 1"}
"""Keys that always have the same value, with the text that sets it."""
_MAX_KEYS_SHOWN = 12
"""Maximum number of keys of a file that are shown in full for each rule."""
_MAX_SUGGESTIONS = 100
"""Maximum number of faults of a file for which a similar key is suggested."""
_MAX_VALUE_LENGTH = 60
"""Maximum number of characters of a value that a message quotes, so that it stays on one line."""


def shape_problems(
    error: ValidationError,
    path: Path,
    line_of: Callable[[Location], int | None],
    kind: TypeAdapter[Any],
    document: object = None,
) -> list[Problem]:
    """Return the problems of a file's shape; a fault that many lines repeat is reported once.

    Args:
        error: Pydantic's error; for JSON Lines a location begins with the index of the record.
        path: The file.
        line_of: Returns the line of a location.
        kind: The type of the file's content.
        document: The content. It is needed to find the keys of a location if the type has unions,
            because pydantic's locations include the names of a union's members.
    """
    first: dict[tuple[str, str], Problem] = {}
    occurrences: Counter[tuple[str, str]] = Counter()
    for detail, location in _distinct_errors(error.errors(include_url=False), document):
        name = ".".join(key for key in location if isinstance(key, str))
        rule, fact, fix = _describe_error(detail, name)
        fault = (rule.code, name)
        occurrences[fault] += 1
        if fault in first:
            continue
        if rule is KEY_UNKNOWN and len(first) < _MAX_SUGGESTIONS:
            fix = suggestion(str(location[-1]), keys_at(kind, location[:-1]))
        first[fault] = rule.broken(path, line_of(location), fact, fix)
    problems = []
    for fault, problem in first.items():
        problems.append(replace(problem, what=repeated(problem.what, occurrences[fault])))
    return list(limited(problems, _MAX_KEYS_SHOWN))


def fault_text(error: ValidationError) -> str:
    """Return the first fault in the shape of a source file, in this program's words.

    Texts of the source are not quoted: they may contain private data.
    """
    detail = error.errors(include_url=False)[0]
    if isinstance(detail["input"], str):
        detail = {**detail, "input": _Withheld()}
    rule, fact, fix = _describe_error(detail, ".".join(map(str, detail["loc"])))
    return f"{fact}; {fix or rule.fix}"


def adapter_of(kind: type[V]) -> TypeAdapter[V]:
    """Return the validator of a type; it is built once, along with its list of keys."""
    return _adapter(kind)


_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


def child_of(node: object, key: int | str) -> object:
    """Return the value at a key or position of a document; None if there is none."""
    if isinstance(node, Mapping):
        return node.get(key)
    if isinstance(node, list | tuple) and isinstance(key, int) and key < len(node):
        return node[key]
    return None


def _has_child(node: object, key: int | str) -> bool:
    """Return whether a document has a key or position, even if the value there is null."""
    if isinstance(node, Mapping):
        return key in node
    return isinstance(node, list | tuple) and isinstance(key, int) and key < len(node)


def suggestion(name: str, valid_names: Iterable[str]) -> str | None:
    """Return a sentence that suggests a similar valid name; None if no name is similar."""
    similar = difflib.get_close_matches(name, list(valid_names), n=1)
    return f"did you mean `{similar[0]}`?" if similar else None


def _distinct_errors(
    details: Iterable[ErrorDetails], document: object
) -> Iterator[tuple[ErrorDetails, Location]]:
    """Yield the first error about each value, with the value's location.

    A union has an error for each of its members. A list whose items are all refused also has an
    error for being too short, which is left out.
    """
    seen: set[Location] = set()
    with_refused_items: set[Location] = set()
    for detail in details:
        full_location = detail["loc"]
        if detail["type"] == "too_short" and full_location in with_refused_items:
            continue
        with_refused_items.update(full_location[:end] for end in range(len(full_location)))
        location = full_location if document is None else _location_in(detail, document)
        beginnings = (location[:end] for end in range(1, len(location) + 1))
        if seen.isdisjoint(beginnings):
            seen.add(location)
            yield detail, location


def _location_in(detail: ErrorDetails, document: object) -> Location:
    """Return the location of a value: the keys of pydantic's location that the document has."""
    *keys, last = detail["loc"] or ("",)
    location: Location = ()
    node = document
    for key in keys:
        if _has_child(node, key):
            node = child_of(node, key)
            location = (*location, key)
    is_key = detail["type"] in _MISSING_ERRORS or _has_child(node, last)
    return (*location, last) if is_key else location


def _describe_error(detail: ErrorDetails, name: str) -> tuple[Rule, str, str | None]:
    """Return the rule that an error breaks, the fact, and the fix; None for the rule's own fix.

    Args:
        detail: Pydantic's error.
        name: The keys of the value, joined by dots; empty for the whole file.
    """
    kind = detail["type"]
    if kind in _UNKNOWN_KEY_ERRORS:
        return KEY_UNKNOWN, f"the key `{name}` is unknown", None
    if kind in _MISSING_ERRORS and isinstance(detail["loc"][-1], str):
        return KEY_MISSING, f"the key `{name}` is missing", f"add `{_FIXED_VALUES.get(name, name)}`"
    if kind in _MODEL_ERRORS:
        return _MODEL_ERRORS[kind], f"`{name}` {detail['msg']}", None
    if kind == "value_error":
        return VALUE_REFUSED, detail["msg"].removeprefix("Value error, "), None
    subject = f"`{name}`" if name else "the file"
    fact = f"{subject} is {_quoted(detail['input'])}"
    if kind == "finite_number":
        return NUMBER_NOT_FINITE, fact, None
    if kind in _TYPE_FIXES:
        return TYPE_WRONG, fact, _TYPE_FIXES[kind]
    rule, fix = _range_fix(detail)
    return rule, fact, fix or None


def _range_fix(detail: ErrorDetails) -> tuple[Rule, str]:
    """Return the rule for a value out of range, and the allowed values, if known."""
    limits: dict[str, Any] = {}
    for key, value in detail.get("ctx", {}).items():
        limits[key] = int(value) if isinstance(value, float) else value
    pattern = str(limits.get("pattern"))
    if pattern in _PATTERN_FIXES:
        return _PATTERN_FIXES[pattern]
    fix = _RANGE_FIXES.get(detail["type"], "").format(**limits)
    return VALUE_REFUSED, fix.replace("'", '"')


class _Withheld:
    """Placeholder for a text that messages do not quote."""


def _quoted(value: object) -> str:
    """Return a TOML or JSON value as a message shows it, shortened if it is long."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float() | Decimal() | date():
            text = str(value)
        case str():
            text = f'"{value}"'
        case _Withheld():
            return "a text"
        case list() | tuple():
            return "a list"
        case _:
            return "a set of keys and values"
    return text if len(text) <= _MAX_VALUE_LENGTH else text[: _MAX_VALUE_LENGTH - 1] + "…"


def keys_at(kind: TypeAdapter[Any], location: Location) -> set[str]:
    """Return the keys that a value at a location may have; empty if there is no such location."""
    schema: _Schema = _schema_of(kind, by_alias=True)
    nodes = _alternatives(schema, [schema])
    for key in location:
        children = [_child_schema(node, key) for node in nodes]
        nodes = _alternatives(schema, filter(None, children))
    keys: set[str] = set()
    for node in nodes:
        keys.update(node.get("properties", ()))
    return keys


_schema_of = cache(TypeAdapter[Any].json_schema)


def _child_schema(node: _Schema, key: int | str) -> _Schema | None:
    """Return the schema of a value's item or property; None if the schema does not describe any."""
    if isinstance(key, int):
        child = node.get("items")
    else:
        child = node.get("properties", {}).get(key) or node.get("additionalProperties")
    return child if isinstance(child, Mapping) else None


def _alternatives(schema: _Schema, nodes: Iterable[_Schema]) -> list[_Schema]:
    """Return the schemas of values, with references and members of unions followed."""
    alternatives: list[_Schema] = []
    for node in nodes:
        if "$ref" in node:
            definition = schema["$defs"][node["$ref"].rpartition("/")[2]]
            alternatives += _alternatives(schema, [definition])
        alternatives.append(node)
        alternatives += _alternatives(schema, node.get("anyOf", ()))
    return alternatives
