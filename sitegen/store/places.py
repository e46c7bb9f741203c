"""Finds the line of a TOML file that a key stands on, so that a problem can name it."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

Location = tuple[int | str, ...]
"""Keys and positions from the root of a document, such as ("tracks", 1, "protocol")."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A header or a key with its value, as TOML reads it by itself."""

    line: int
    """Where it begins, from 1."""
    table: Location
    """The table it stands in; for a header, the table it opens."""
    content: Mapping[str, object]
    """What it sets in that table; nothing for a header."""

    def reach(self, place: Location) -> int:
        """How far it leads on the way to a place, in keys and positions."""
        shared = 0
        while shared < min(len(place), len(self.table)) and place[shared] == self.table[shared]:
            shared += 1
        if shared < len(self.table):
            return shared
        node: object = self.content
        for part in place[shared:]:
            node = child_of(node, part)
            if node is None:
                break
            shared += 1
        return shared


@dataclass(frozen=True, slots=True)
class Places:
    """The places of one TOML file, which must be valid."""

    text: str = ""
    _found: list[Statement] = field(default_factory=list)

    def line_of(self, place: Location) -> int | None:
        """Find the line of a key, or of what leads nearest to it; None where nothing does."""
        if not self._found:
            self._found.extend(_statements(self.text))
        nearest = max(self._found, key=lambda statement: statement.reach(place), default=None)
        return nearest.line if nearest and nearest.reach(place) else None


def child_of(node: object, part: int | str) -> object:
    """Give what a document holds under a key or at a position; None where it holds nothing there."""
    if isinstance(node, Mapping):
        return node.get(part)
    if isinstance(node, list | tuple) and isinstance(part, int) and part < len(node):
        return node[part]
    return None


def _statements(text: str) -> Iterator[Statement]:
    """Split a file: a statement is the shortest run of lines that is TOML by itself."""
    table: Location = ()
    positions: dict[Location, int] = {}
    begin, run = 1, ""
    for number, line in enumerate(text.split("\n"), start=1):
        run += line + "\n"
        try:
            content = tomllib.loads(run)
        except tomllib.TOMLDecodeError:
            continue
        if run.lstrip().startswith("["):
            table = _opened(content, positions)
            yield Statement(begin, table, {})
        elif content:
            yield Statement(begin, table, content)
        begin, run = number + 1, ""


def _opened(header: object, positions: dict[Location, int]) -> Location:
    """Tell which table a header opens, the position in a list of tables included."""
    table: Location = ()
    while isinstance(header, dict) and header:
        key, header = next(iter(header.items()))
        table += (key,)
        if isinstance(header, list):
            positions[table] = positions.get(table, -1) + 1
            header = header[0]
        if table in positions:
            table += (positions[table],)
    return table
