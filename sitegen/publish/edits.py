"""Adds to TOML that people wrote, and leaves their comments and their order alone."""

from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager

import tomlkit
from tomlkit.items import AoT, Array, Item, Key, Table, Whitespace


def manuscript(text: str) -> tomlkit.TOMLDocument:
    """Read a file that is added to."""
    return tomlkit.parse(text if text.endswith("\n") else f"{text}\n")


def table_in(document: tomlkit.TOMLDocument, name: str, *, headless: bool = False) -> MutableMapping[str, object]:
    """Give a table of a file, an empty one where there is none.

    Args:
        document: The file.
        name: The table's key.
        headless: Whether a new one holds tables only, and so goes without a header.
    """
    table = document.setdefault(name, tomlkit.table(is_super_table=headless))
    return table if isinstance(table, MutableMapping) else {}


def put(table: MutableMapping[str, object], key: str, value: object) -> None:
    """Add a key to a table."""
    with _growing(table):
        table[key] = value


def rows_of(document: tomlkit.TOMLDocument, name: str) -> list[MutableMapping[str, object]]:
    """Give the tables of a list of tables."""
    rows = document.get(name)
    return [row for row in rows if isinstance(row, MutableMapping)] if isinstance(rows, list) else []


def add_row(document: tomlkit.TOMLDocument, name: str, row: Mapping[str, object]) -> None:
    """Add a table to a list of tables, the first one included."""
    rows = document.get(name)
    if not isinstance(rows, AoT | Array):
        document[name] = [row]
        return
    with _growing(rows):
        rows.append(row)


@contextmanager
def _growing(container: object) -> Iterator[None]:
    """Keep what stands between a container and its successor between them, while something is added to it.

    The parser takes blank lines and comments for the end of the table before them; most often
    they are about the table behind.
    """
    before = _last_table(container)
    if before is None:
        yield
        return
    between = _cut_tail(before)
    yield
    after = _last_table(container) or before
    first = container[-1] if isinstance(container, AoT) else after
    if after is not before and not first.trivia.indent.startswith("\n"):
        before.add(tomlkit.nl())
    after.value.body.extend(between)


def _cut_tail(table: Table) -> list[tuple[Key | None, Item]]:
    """Take off a table what stands behind its last key and a blank line."""
    body = table.value.body
    last = max((place for place, (key, _) in enumerate(body) if key is not None), default=-1)
    blanks = (place for place in range(last + 1, len(body)) if isinstance(body[place][1], Whitespace))
    cut = next(blanks, len(body))
    tail = body[cut:]
    del body[cut:]
    return tail


def _last_table(container: object) -> Table | None:
    """Give the innermost table that a container ends with; None where it is written in one line."""
    if isinstance(container, AoT):
        return _last_table(container[-1])
    if not isinstance(container, Table):
        return None
    members = [item for key, item in container.value.body if key is not None]
    return (_last_table(members[-1]) if members else None) or container
