"""Finds the line of a TOML file that a key stands on, so that a problem can name it."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

_PATIENCE = 500_000
"""So many characters are read in vain, which takes a second."""

Location = tuple[int | str, ...]
"""Keys and positions from the root of a document, such as ("tracks", 1, "protocol")."""

_CLOSERS = re.compile(r"""[]}]|\"{3}|'{3}""")
"""What a value of several lines ends with."""


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

    def places(self) -> Iterator[Location]:
        """Give every place that it leads to."""
        yield from (self.table[:length] for length in range(1, len(self.table) + 1))
        yield from _inside(self.table, self.content)


@dataclass(frozen=True)  # no slots: statements are found once, where a line is asked for
class Places:
    """The places of one TOML file, which must be valid."""

    text: str = ""

    def line_of(self, place: Location) -> int | None:
        """Find the line of a key, or of what leads nearest to it; None where nothing does."""
        if place in self._exact:
            return self._exact[place]
        nearest = max(self._found, key=lambda statement: statement.reach(place), default=None)
        return nearest.line if nearest and nearest.reach(place) else None

    @cached_property
    def _found(self) -> list[Statement]:
        return list(_statements(self.text))

    @cached_property
    def _exact(self) -> dict[Location, int]:
        exact: dict[Location, int] = {}
        for each in self._found:
            for known in each.places():
                exact.setdefault(known, each.line)
        return exact


def child_of(node: object, part: int | str) -> object:
    """Give what a document holds under a key or at a position; None where it holds nothing there."""
    if isinstance(node, Mapping):
        return node.get(part)
    if isinstance(node, list | tuple) and isinstance(part, int) and part < len(node):
        return node[part]
    return None


def _inside(place: Location, content: Mapping[str, object]) -> Iterator[Location]:
    for key, value in content.items():
        yield (*place, key)
        if isinstance(value, Mapping):
            yield from _inside((*place, key), value)


def _statements(text: str) -> Iterator[Statement]:
    """Split a file: a statement is the shortest run of lines that is TOML by itself.

    A value over thousands of lines would be read from its beginning with each: what follows it has no place.
    """
    table: Location = ()
    positions: dict[Location, int] = {}
    begin, run, spent = 1, "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        run += line + "\n"
        if number > begin and not _CLOSERS.search(line):
            continue
        try:
            content = tomllib.loads(run)
        except tomllib.TOMLDecodeError:
            spent += len(run)
            if spent > _PATIENCE:
                return
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
