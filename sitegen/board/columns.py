"""The scores of boards as columns, one line a row: what tables for programs are made of."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.metrics.catalogue import METRICS

Rows = Sequence[tuple[Board, Entry]]
"""Rows of boards, each with its board."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        name: In the head.
        kind: What its values are, where they are known.
        values: One a line; None for a gap.
    """

    name: str
    kind: Literal["text", "count", "number"]
    values: Sequence[str | int | float | None]


def score_columns(rows: Iterable[tuple[Board, Entry]]) -> list[Column]:
    """Give the scores of rows; how sure places and scores are, and over what they are, stands behind the scores."""
    shown = list(rows)
    metrics = [name for name in METRICS if any(name in entry.scores for _, entry in shown)]
    scores = (Column(name, "number", [entry.value(name) for _, entry in shown]) for name in metrics)
    return [*_about(shown), *scores, *_places(shown), *_intervals(shown, metrics), *_extents(shown, metrics)]


def _about(rows: Rows) -> Iterator[Column]:
    yield Column("benchmark", "text", [board.benchmark.id for board, _ in rows])
    yield Column("track", "text", [board.track.id for board, _ in rows])
    yield Column("id", "text", [entry.id for _, entry in rows])
    yield Column("agent", "text", [entry.agent.name for _, entry in rows])
    yield Column("status", "text", [entry.status.state for _, entry in rows])
    yield Column("evidence", "text", [entry.evidence for _, entry in rows])
    yield Column("rank", "count", [board.ranks.get(entry.id) for board, entry in rows])


def _places(rows: Rows) -> Iterator[Column]:
    """Give first and last rank."""
    places = [board.certainty.ranks.get(entry.id, (None, None)) for board, entry in rows]
    yield Column("rank_low", "count", [first for first, _ in places])
    yield Column("rank_high", "count", [last for _, last in places])


def _intervals(rows: Rows, metrics: Sequence[str]) -> Iterator[Column]:
    """Give low, high and kind of each score's interval."""
    for name in metrics:
        found = [_interval(board, entry, name) for board, entry in rows]
        yield Column(f"{name}_low", "number", [low for low, _, _ in found])
        yield Column(f"{name}_high", "number", [high for _, high, _ in found])
        yield Column(f"{name}_interval", "text", [kind for _, _, kind in found])


def _extents(rows: Rows, metrics: Sequence[str]) -> Iterator[Column]:
    """Give what each score is over, of what it is defined over."""
    for name in metrics:
        scores = [entry.scores.get(name) for _, entry in rows]
        found = [score.extent if score else None for score in scores]
        yield Column(f"{name}_n", "count", [extent.n if extent else None for extent in found])
        yield Column(f"{name}_of", "count", [extent.of if extent else None for extent in found])


def _interval(board: Board, entry: Entry, metric: str) -> tuple[float, float, str] | tuple[None, None, None]:
    found = board.certainty.interval(entry, metric)
    return (found.low, found.high, found.kind) if found else (None, None, None)
