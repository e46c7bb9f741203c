"""Wide tables: a row for each agent and a column for each task, or the other way round."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import NamedTuple

from sitegen.importers.table import rules
from sitegen.importers.table.columns import (
    COLUMNS,
    OF_AGENTS,
    Asked,
    ColumnMap,
    Wide,
    map_columns,
    plain_name,
)
from sitegen.importers.table.summaries import is_summary
from sitegen.importers.table.tables import Chunk, Table
from sitegen.importers.table.values import Cell, is_missing, is_verdict
from sitegen.problems import listed

_BESIDE: dict[Wide, tuple[str, ...]] = {
    "agents": (*OF_AGENTS, "attempt", "round", "start"),
    "tasks": ("task", "title", "weight", "attempt", "round", "start"),
}
"""Columns of a wide table that describe its rows, by what a row is."""

_ROW_NAMES: dict[Wide, tuple[str, ...]] = {"agents": ("agent", "model"), "tasks": ("task",)}
"""What the column can mean that names the rows, by what a row is."""


class _Layout(NamedTuple):
    """Which columns of a wide table are what."""

    facts: list[tuple[str, int]]
    """Columns that describe the rows: what each means, and its number."""
    labels: list[tuple[str, int]]
    """Columns with labels of tasks: the name of each, and its number."""
    results: list[int]
    """Columns that hold rewards."""


def long_chunks(table: Table, chunks: Iterator[Chunk], asked: Asked, wide: Wide) -> Iterator[Chunk]:
    """Yield the rows of a wide table as those of a long one: a row for each reward.

    Raises:
        ProblemsError: The table has nothing but descriptions of rows, or columns of averages.
        UsageError: The user speaks of a column that the table does not have.
    """
    layout: _Layout | None = None
    width = 0
    for part in chunks:
        if layout is None:
            layout = _layout(table, part, asked, wide)
        else:  # objects of JSON may have further keys
            layout.results.extend(
                number for number in range(width, len(part.names)) if part.names[number]
            )
        width = len(part.names)
        yield _melted(part, layout, wide)


def _layout(table: Table, sample: Chunk, asked: Asked, wide: Wide) -> _Layout:
    """Find out which columns are what, by the first rows."""
    columns = map_columns(sample.names, sample.columns, asked)
    meanings = _BESIDE[wide]
    facts = [
        (meaning, number) for meaning, number in columns.numbers.items() if meaning in meanings
    ]
    used = {number for _, number in facts}
    named = [meaning for meaning, _ in facts if meaning in _ROW_NAMES[wide]]
    if not named:
        first = _first_names(columns, sample, used)
        facts.append((_ROW_NAMES[wide][0], first))
        used.add(first)
        name = sample.names[first] or "without a name"
        table.assumptions.append(f"the column {name} names the {wide}, of which each row is one")
    used |= {*columns.labels.values(), *columns.ignored}
    for number in columns.index:
        if not sample.names[number] or _numbers_rows(sample.columns[number]):
            used.add(number)
    left_out = []
    results = []
    for number, name in enumerate(sample.names):
        if number in used:
            continue
        known = [cell for cell in sample.columns[number] if not is_missing(cell)]
        if _is_known_figure(name) or not all(map(is_verdict, known)):
            left_out.append(name)
        else:
            results.append(number)
    if left_out:
        table.notes.append(f"left out: the columns {listed(left_out)}, which hold no rewards")
    _check_results(table, sample, results, wide)
    labels = [(sample.names[number], number) for number in columns.labels.values()]
    return _Layout(facts, labels, results)


def _first_names(columns: ColumnMap, sample: Chunk, used: Iterable[int]) -> int:
    """Return the column that names the rows: the first one that holds texts, else the first one."""
    left_out = {*used, *columns.ignored}
    candidates = [number for number in range(len(sample.names)) if number not in left_out]
    for number in candidates:
        known = [cell for cell in sample.columns[number] if not is_missing(cell)]
        if known and not all(map(is_verdict, known)):
            return number
    return candidates[0] if candidates else 0


def _numbers_rows(cells: Sequence[Cell]) -> bool:
    """Return whether a column holds nothing but the numbers of rows."""
    found = [str(cell).removesuffix(".0") for cell in cells]
    for first in (0, 1):
        expected = list(map(str, range(first, first + len(found))))
        if found == expected:
            return True
    return False


def _is_known_figure(name: str) -> bool:
    """Return whether a column is called as a figure of a round that is no reward."""
    meaning = plain_name(name)
    if meaning not in COLUMNS or meaning == "passed" or is_summary(name):
        return False
    return COLUMNS[meaning].kind in {"amount", "json", "whole"}


_SCORES = frozenset({"reward", "score", "accuracy", "acc"})
"""Names of columns that hold the reward of a whole row, of all its tasks or agents."""


def _check_results(table: Table, sample: Chunk, results: Sequence[int], wide: Wide) -> None:
    """Refuse a table without results, and one with averages among them.

    Raises:
        ProblemsError: It is one.
    """
    further = "tasks" if wide == "agents" else "agents"
    names = [sample.names[number] for number in results]
    if not names:
        message = f"no column beside those that describe the {wide} holds rewards of {further}"
        raise table.stop(rules.COLUMN_MISSING, None, message)
    odd = [name for name in names if is_summary(name) or plain_name(name) in _SCORES]
    if odd:
        message = (
            f"columns are called as summaries of others are, and would be {further}: {listed(odd)}"
        )
        way = f"leave the column out with `--column ignore={odd[0]}`"
        fix = f"{way}; if it is one of the {further}, give it another name"
        if odd == names:
            fix = "leave out `--wide`: the table has a row for each result"
        raise table.stop(rules.SUMMARY, None, message, fix)
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise table.stop(rules.COLUMN_TWICE, None, f"there twice: {listed(repeated)}")


def _melted(part: Chunk, layout: _Layout, wide: Wide) -> Chunk:
    """Return the rows of a chunk, one for each result."""
    width = len(layout.results)
    names = []
    columns: list[Sequence[Cell]] = []
    for name, number in (*layout.facts, *layout.labels):
        names.append(name)
        cells = part.columns[number]
        columns.append(list(chain.from_iterable(repeat(cell, width) for cell in cells)))
    lines = list(chain.from_iterable(repeat(line, width) for line in part.lines))
    names += ["task" if wide == "agents" else "agent", "reward"]
    columns.append([part.names[number] for number in layout.results] * len(part.lines))
    cells_of_rows = zip(*(part.columns[number] for number in layout.results), strict=True)
    columns.append(list(chain.from_iterable(cells_of_rows)))
    return Chunk(names, lines, columns)
