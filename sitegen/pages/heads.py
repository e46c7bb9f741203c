"""The heads of a board's columns."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.splits import Split
from sitegen.metrics.metric import Metric
from sitegen.pages import labels
from sitegen.problems import counted

_BESIDE_WORDS = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column.

    Attributes:
        key: Its name in addresses: a metric's id, "AXIS.VALUE" for a split.
        title: What the column holds.
        unit: Of its numbers, or what part of the tasks they are about.
        help: What it means, in a sentence.
        kind: "number", "text", "rank", "agent" or "coverage", and what else tells how it looks.
        sort: How the column is sorted, as `aria-sort` says it.
        first: The way that a first click sorts.
        mark: Sign of an erratum that concerns the whole column.
    """

    key: str
    title: str
    unit: str
    help: str
    kind: str
    sort: str
    first: str
    mark: str = ""


def has_coverage(board: Board) -> bool:
    """Whether any row has records to count."""
    return any(entry.coverage for entry in board.entries)


def has_dates(board: Board) -> bool:
    """Whether the rows are of more than one day."""
    return len({entry.date for entry in board.entries}) > 1


def heads_of(board: Board) -> Iterator[Head]:
    """Give the heads of a board's columns, from left to right."""
    rank = "Below every row that is shown to be better, above every row that is shown to be worse"
    yield Head("rank", "Rank", "", rank, "rank", "none", "ascending")
    yield Head("agent", "Agent", "", "", "agent", "none", "ascending")
    for metric in board.columns:
        yield _head(metric, board)
    if has_coverage(board):
        recorded = "Rounds with a record, of all rounds of the track"
        yield Head("coverage", "Coverage", "", recorded, "coverage", "none", "descending")
    yield Head("evidence", "Evidence", "", "How far the numbers can be followed", "text", "none", "descending")
    if has_dates(board):
        yield Head("date", "Date", "", "When the results were made or published", "text", "none", "descending")
    for split in board.splits:
        yield from _split_heads(split, board)


def _split_heads(split: Split, board: Board) -> Iterator[Head]:
    metric, mark = board.headline, labels.ERRATUM if split.errata else ""
    first = "descending" if metric.direction == "higher" else "ascending"
    for index, group in enumerate(split.groups):
        key, value = split_key(split.axis, group.value), group.value
        part = f"{split.title}, {counted(group.tasks, 'task')}" if group.tasks else split.title
        about = f"{column_title(metric, board)} on the tasks whose {split.title.lower()} is {group.value}"
        told = f"{about}. {split.left_out}" if split.left_out else about
        yield Head(key, value, part, told, f"number {split_look(index)}", "none", first, mark)


def split_key(axis: str, value: str) -> str:
    """Name a column of a split in addresses, so that links outlive a new value of the axis."""
    return f"{axis}.{_BESIDE_WORDS.sub('-', value.lower()).strip('-')}"


def column_title(metric: Metric, board: Board) -> str:
    """Name a metric as the board's track shows it."""
    return labels.title_of(metric, board.track, board.benchmark)


def _head(metric: Metric, board: Board) -> Head:
    first = "descending" if metric.direction == "higher" else "ascending"
    title, unit = column_title(metric, board), labels.unit_of(metric)
    sort = first if metric is board.headline else "none"
    return Head(metric.id, title, unit, metric.definition, "number", sort, first)


def split_look(index: int) -> str:
    """Tell the first column of a split from the others."""
    return "sg-split" if index else "sg-split sg-first"
