"""Convert tables that have several attempts in each row to tables with one row per attempt."""

import json
import re
from collections.abc import Collection, Sequence
from contextlib import suppress

from sitegen.importers.table.columns import ColumnMap, plain_name
from sitegen.importers.table.tables import Chunk
from sitegen.importers.table.values import Cell, is_verdict, json_cell, present_cells

_ATTEMPT_COLUMN = re.compile(
    r"(?P<word>run|attempt|trial|seed|epoch|try|rep|repeat|repetition|rollout)_?(?P<number>\d+)"
)
"""Names of columns that each contain the rewards of one attempt: "Run 1", "attempt2"."""


def find_attempt_columns(columns: ColumnMap, sample: Sequence[Sequence[Cell]]) -> dict[int, str]:
    """Return the columns that each contain one attempt, mapped to the attempt's number.

    The result is empty unless at least two columns have similar names and contain rewards, the
    table names its tasks, and no column contains the reward or the attempt of a row.

    Args:
        columns: The meanings of the table's columns.
        sample: The first cells of each column.
    """
    meanings = columns.numbers.keys()
    if "task" not in meanings or not meanings.isdisjoint({"reward", "attempt", "passed"}):
        return {}
    attempts: dict[int, str] = {}
    words = set()
    for number in columns.unused():
        match = _ATTEMPT_COLUMN.fullmatch(plain_name(columns.names[number]))
        if match is None:
            continue
        cells = present_cells(sample[number])
        if not all(map(is_verdict, cells)):
            return {}
        attempts[number] = match["number"]
        words.add(match["word"])
    are_distinct = len(set(attempts.values())) == len(attempts) > 1
    return attempts if are_distinct and len(words) == 1 else {}


def find_attempt_list(columns: ColumnMap) -> int | None:
    """Return the column with LiveCodeBench's list of attempts; None if there is no such column."""
    meanings = columns.numbers.keys()
    if "task" not in meanings or "attempt" in meanings:
        return None
    for number in columns.unused():
        if columns.names[number] == "graded_list":
            return number
    return None


def holds_lists(cells: Sequence[Cell]) -> bool:
    """Return whether at least one cell is known and all known cells are lists of verdicts."""
    present = present_cells(cells)
    for cell in present:
        items = _items(cell)
        if items is None or not all(map(is_verdict, items)):
            return False
    return bool(present)


def _items(cell: Cell) -> list[Cell] | None:
    """Return the items of a list, or of a text that contains a list; None for other cells."""
    value: object = cell
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            value = json.loads(cell.replace("True", "true").replace("False", "false"))
    if not isinstance(value, list):
        return None
    return [json_cell(item) for item in value]


def split_list(chunk: Chunk, list_number: int, left_out: Collection[int] = ()) -> Chunk:
    """Return a chunk with one row for each item of the lists; an empty list is one attempt.

    Args:
        chunk: Rows with a list of attempts.
        list_number: The column with the lists.
        left_out: Columns to leave out.
    """
    numbers = [number for number in range(len(chunk.names)) if number not in left_out]
    numbers.remove(list_number)
    lines: list[int] = []
    attempts: list[Cell] = []
    rewards: list[Cell] = []
    rows: list[int] = []
    for row, line in enumerate(chunk.lines):
        items = _items(chunk.columns[list_number][row]) or [None]
        lines += [line] * len(items)
        rows += [row] * len(items)
        attempts += range(1, len(items) + 1)
        rewards += items
    names = ["attempt", "reward", *(chunk.names[number] for number in numbers)]
    columns: list[Sequence[Cell]] = [attempts, rewards]
    for number in numbers:
        columns.append([chunk.columns[number][row] for row in rows])
    return Chunk(names, lines, columns)


def split_attempts(chunk: Chunk, attempts: dict[int, str]) -> Chunk:
    """Return a chunk with one row per attempt; its first columns are the attempt and the reward.

    Args:
        chunk: Rows with several attempts.
        attempts: The columns that each contain one attempt, with the attempt's number.
    """
    times = len(attempts)
    numbers = [number for number in range(len(chunk.names)) if number not in attempts]
    names = ["attempt", "reward", *(chunk.names[number] for number in numbers)]
    rewards: list[Cell] = []
    lines: list[int] = []
    for row, line in enumerate(chunk.lines):
        lines += [line] * times
        rewards += [chunk.columns[number][row] for number in attempts]
    columns: list[Sequence[Cell]] = [[*attempts.values()] * len(chunk.lines), rewards]
    for number in numbers:
        cells: list[Cell] = []
        for cell in chunk.columns[number]:
            cells += [cell] * times
        columns.append(cells)
    return Chunk(names, lines, columns)
