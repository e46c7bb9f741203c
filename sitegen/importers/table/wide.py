"""Convert wide tables, with a column for each task or agent, to tables with a row per reward."""

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from sitegen.importers.table import rules
from sitegen.importers.table.columns import (
    AGENT_MEANINGS,
    COLUMNS,
    AskedColumns,
    ColumnMap,
    Wide,
    map_columns,
    plain_name,
)
from sitegen.importers.table.summaries import is_summary
from sitegen.importers.table.tables import Chunk, TableFile
from sitegen.importers.table.values import Cell, is_verdict, present_cells
from sitegen.problems import listed

T = TypeVar("T")

_DESCRIPTIONS: dict[Wide, tuple[str, ...]] = {
    "agents": (*AGENT_MEANINGS, "attempt", "round", "start"),
    "tasks": ("task", "title", "weight", "attempt", "round", "start"),
}
"""Meanings of the columns that describe the rows of a wide table, by the kind of row."""

_ROW_NAMES: dict[Wide, tuple[str, ...]] = {"agents": ("agent", "model"), "tasks": ("task",)}
"""Meanings of the column that names the rows, by the kind of row."""

_HEAD_NAMES: dict[Wide, str] = {"agents": "task", "tasks": "agent"}
"""The meaning of the other columns, by the kind of row."""

_SCORES = frozenset({"reward", "score", "accuracy", "acc"})
"""Names of columns that contain a row's mean reward over all its tasks or agents."""


_RANKS = frozenset({"rank", "ranking"})
"""Names of columns of ranks, because ranks look like rewards."""


class _Layout(NamedTuple):
    """The columns of a wide table that describe its rows, and the columns with rewards."""

    facts: list[tuple[str, int]]
    """The meaning and the number of each column that describes the rows."""
    labels: list[tuple[str, int]]
    """The name and the number of each column with labels of tasks."""
    results: list[int]
    """Columns that contain rewards."""


def long_chunks(
    table: TableFile, chunks: Iterator[Chunk], asked: AskedColumns, wide: Wide
) -> Iterator[Chunk]:
    """Yield a wide table as chunks of a long table, which has a row for each reward.

    Raises:
        ProblemsError: The table has no rewards, or columns of averages.
        UsageError: The user names a column that the table does not have.
    """
    layout: _Layout | None = None
    width = 0
    for chunk in chunks:
        if layout is None:
            layout = _layout(table, chunk, asked, wide)
            width = len(chunk.names)
        # Later JSON objects may have further keys.
        for number in range(width, len(chunk.names)):
            if chunk.names[number]:
                layout.results.append(number)
        width = len(chunk.names)
        yield _melt(chunk, layout, wide)


def _layout(table: TableFile, sample: Chunk, asked: AskedColumns, wide: Wide) -> _Layout:
    """Return the columns that describe rows and the columns with rewards, judging by a sample.

    Raises:
        ProblemsError: No column contains rewards, or some contain averages.
    """
    columns = map_columns(sample.names, sample.columns, asked)
    facts = [fact for fact in columns.numbers.items() if fact[0] in _DESCRIPTIONS[wide]]
    described = {number for _, number in facts}
    described.update(columns.ignored)
    if columns.numbers.keys().isdisjoint(_ROW_NAMES[wide]):
        number = _name_column(columns, sample, described)
        facts.append((_ROW_NAMES[wide][0], number))
        described.add(number)
        name = sample.names[number] or "without a name"
        table.assumptions.append(f"the column {name} names the {wide}, one in each row")
    described.update(columns.labels.values())
    for number in columns.index:
        if not sample.names[number] or _numbers_rows(sample.columns[number]):
            described.add(number)
    left_out = []
    results = []
    for number, name in enumerate(sample.names):
        if number in described:
            continue
        if _is_figure(name) or not _holds_rewards(sample.columns[number]):
            left_out.append(name)
        else:
            results.append(number)
    if left_out:
        table.notes.append(f"left out: the columns {listed(left_out)}, which contain no rewards")
    _check_results(table, [sample.names[number] for number in results], wide)
    labels = [(sample.names[number], number) for number in columns.labels.values()]
    return _Layout(facts, labels, results)


def _name_column(columns: ColumnMap, sample: Chunk, described: Collection[int]) -> int:
    """Return the column that names the rows: the first column of text, or else the first column."""
    candidates = [number for number in range(len(columns.names)) if number not in described]
    for number in candidates:
        if not _holds_rewards(sample.columns[number]):
            return number
    return candidates[0] if candidates else 0


def _holds_rewards(cells: Sequence[Cell]) -> bool:
    """Return whether all known cells of a column could be rewards."""
    return all(map(is_verdict, present_cells(cells)))


def _numbers_rows(cells: Sequence[Cell]) -> bool:
    """Return whether a column contains only row numbers, from 0 or 1."""
    numbers = [str(cell).removesuffix(".0") for cell in cells]
    count = len(numbers)
    from_zero = list(map(str, range(count)))
    from_one = list(map(str, range(1, count + 1)))
    return numbers in (from_zero, from_one)


def _is_figure(name: str) -> bool:
    """Return whether a column has the name of a rank, or of a figure other than the reward."""
    meaning = plain_name(name)
    if meaning in _RANKS:
        return True
    if meaning not in COLUMNS or meaning == "passed" or is_summary(name):
        return False
    return COLUMNS[meaning].kind in {"amount", "seconds", "json", "whole"}


def _check_results(table: TableFile, names: Sequence[str], wide: Wide) -> None:
    """Check that a table has results, and that none of their columns contains averages.

    Args:
        table: The table.
        names: The names of the columns that contain rewards.
        wide: What a row represents.

    Raises:
        ProblemsError: The table has no results, has averages, or has two columns of the same name.
    """
    heads = f"{_HEAD_NAMES[wide]}s"
    if not names:
        message = (
            f"apart from the columns that describe the {wide}, no column has rewards of {heads}"
        )
        raise table.error(rules.COLUMN_MISSING, None, message)
    summaries = [name for name in names if is_summary(name) or plain_name(name) in _SCORES]
    if summaries:
        reason = f"columns are named like summaries, but would be read as {heads}"
        option = f"leave the column out with `--column ignore={summaries[0]}`"
        fix = f"{option}; if it is one of the {heads}, give it another name"
        if summaries == names:
            fix = "leave out `--wide`: the table has a row for each result"
        raise table.error(rules.SUMMARY, None, f"{reason}: {listed(summaries)}", fix)
    repeated_names = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated_names:
        raise table.error(
            rules.COLUMN_TWICE, None, f"columns occur twice: {listed(repeated_names)}"
        )


def _melt(chunk: Chunk, layout: _Layout, wide: Wide) -> Chunk:
    """Return a chunk with one row for each result."""
    width = len(layout.results)
    names = []
    columns: list[Sequence[Cell]] = []
    for name, number in (*layout.facts, *layout.labels):
        names.append(name)
        columns.append(_repeated(chunk.columns[number], width))
    result_names = [chunk.names[number] for number in layout.results]
    result_columns = [chunk.columns[number] for number in layout.results]
    names += [_HEAD_NAMES[wide], "reward"]
    columns.append(result_names * len(chunk.lines))
    columns.append(list(chain.from_iterable(zip(*result_columns, strict=True))))
    return Chunk(names, _repeated(chunk.lines, width), columns)


def _repeated(values: Sequence[T], times: int) -> list[T]:
    """Return each value repeated several times: 1, 1, 2, 2."""
    repeated: list[T] = []
    for value in values:
        repeated += [value] * times
    return repeated
