"""Convert tables with a column for each attempt to a row for each attempt."""

import re
from collections.abc import Sequence

from sitegen.importers.table.columns import ColumnMap, plain_name
from sitegen.importers.table.tables import Chunk
from sitegen.importers.table.values import Cell, is_verdict, present_cells

_ATTEMPT_COLUMN = re.compile(
    r"(?P<word>run|attempt|trial|seed|epoch|try|rep|repeat|repetition|rollout)_?(?P<number>\d+)"
)
"""Names of columns that each contain the rewards of one attempt: "Run 1", "attempt2"."""


def find_attempt_columns(columns: ColumnMap, sample: Sequence[Sequence[Cell]]) -> dict[int, str]:
    """Return the columns that each contain one attempt, with the attempt's number.

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


def split_attempts(chunk: Chunk, attempts: dict[int, str]) -> Chunk:
    """Return the rows of a chunk, one for each attempt, which the first two columns describe.

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
