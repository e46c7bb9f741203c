"""Tells at a glance that lines are written the usual way: flat, and with their keys in the order of the record.

So the program writes them itself, and so do most others. No key stands twice in such a line, which a parser
otherwise has to find out key by key.
"""

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, Field
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic_core import SchemaValidator, core_schema

from sitegen.models.record import Position

_TEXT = r'"(?:[^"\\\x00-\x1f]|\\.)*"'
_VALUE = rf"(?:{_TEXT}|-?[0-9][0-9.eE+-]*|true|false|null|\[(?:{_TEXT}(?:, ?)?)*\])"

_EXACT: dict[object, str] = {
    str: r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u(?:[0-9a-cefA-CEF][0-9a-fA-F]|[dD][0-7])[0-9a-fA-F]{2}))*"',
    Position: "[1-9][0-9]{0,3}",
    NoneType: "null",
}
"""Expressions for nothing but values of a kind, though not for each: a place of five digits needs a closer look."""


class _Look:
    """What lines all look like. The expression is pydantic's, which reads some hundred megabytes a second."""

    def __init__(self, line: str) -> None:
        """Take the expression of a line."""
        self._lines = SchemaValidator(core_schema.str_schema(pattern=rf"\A{line}(?:\n{line})*\n?\z"))

    def is_seen_in(self, data: bytes) -> bool:
        """Whether every line of a file looks so."""
        return self._lines.isinstance_python(data)


class Tidiness(_Look):
    """What lines of one kind look like. They may be no JSON yet: commas are not looked at."""

    def __init__(self, keys: Iterable[str]) -> None:
        """Take the keys of a record in their order; any of them may be left out."""
        pairs = "".join(f"(?:{_pair(key, _VALUE)}(?:, ?)?)?" for key in keys)
        super().__init__(rf"\{{{pairs}\}}")


class Soundness(_Look):
    """What lines look like that are JSON and hold sound records, though not each of them is seen."""

    def __init__(self, told: Sequence[Field[Any]]) -> None:
        """Take the fields that lines may tell, all texts and places: first those that each line has to tell."""
        needed = ", ?".join(_pair(each.name, _exactly(each.type)) for each in told if each.default is MISSING)
        others = "".join(
            f"(?:, ?{_pair(each.name, _exactly(each.type))})?" for each in told if each.default is not MISSING
        )
        super().__init__(rf"\{{{needed}{others}\}}")


def _pair(key: str, value: str) -> str:
    return f'"{key}": ?{value}'


def _exactly(hint: object) -> str:
    kinds = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
    return f"(?:{'|'.join(_EXACT[kind] for kind in kinds)})"
