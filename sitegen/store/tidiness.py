"""Tells at a glance that lines are written the usual way: flat, and with their keys in the order of the record.

So the program writes them itself, and so do most others. No key stands twice in such a line, which a parser
otherwise has to find out key by key.
"""

from collections.abc import Iterable

from pydantic_core import SchemaValidator, core_schema

_TEXT = r'"(?:[^"\\\x00-\x1f]|\\.)*"'
_VALUE = rf"(?:{_TEXT}|-?[0-9][0-9.eE+-]*|true|false|null|\[(?:{_TEXT}(?:, ?)?)*\])"


class Tidiness:
    """What lines of one kind look like. The expression is pydantic's, which reads some hundred megabytes a second."""

    def __init__(self, keys: Iterable[str]) -> None:
        """Take the keys of a record in their order; any of them may be left out."""
        pairs = "".join(rf'(?:"{key}": ?{_VALUE}(?:, ?)?)?' for key in keys)
        line = rf"\{{{pairs}\}}"
        self._lines = SchemaValidator(core_schema.str_schema(pattern=rf"\A{line}(?:\n{line})*\n?\z"))

    def is_seen_in(self, data: bytes) -> bool:
        """Whether every line of a file is written so. It may be no JSON yet: commas are not looked at."""
        return self._lines.isinstance_python(data)
