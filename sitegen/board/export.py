"""Scores, releases and events as programs read them: full precision, and null or nothing for a gap."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.ledger import BoardEvents, Event, Ledger, ReleaseEvents
from sitegen.board.score import Score
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.gaps import Extent
from sitegen.metrics.uncertainty import Interval
from sitegen.models.release import LockedRow, LockedScore

Json = dict[str, object]

Rows = Sequence[tuple[Board, Entry]]
"""Rows of boards, each with its board."""

_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The last four are the wide forms, which some programs take for the narrow ones."""


def scores_json(rows: Iterable[tuple[Board, Entry]]) -> Json:
    """Give the document that `sitegen score --format json` prints."""
    return {"schema": 1, "submissions": [_row(board, entry) for board, entry in rows]}


def _row(board: Board, entry: Entry) -> Json:
    coverage, places = entry.coverage, board.certainty.ranks.get(entry.id)
    counts = ("tasks", "expected_tasks", "rounds", "expected_rounds")
    return {
        "benchmark": board.benchmark.id,
        "track": board.track.id,
        "id": entry.id,
        "agent": entry.agent.model_dump(mode="json"),
        "status": entry.status.state,
        "evidence": entry.evidence,
        "coverage": {name: getattr(coverage, name) if coverage else None for name in counts},
        "missing": list(coverage.missing) if coverage else [],
        "rank": board.ranks.get(entry.id),
        "rank_interval": list(places) if places else None,
        "metrics": {
            name: score_json(score, board.certainty.interval(entry, name)) for name, score in entry.scores.items()
        },
    }


def score_json(score: Score, interval: Interval | None) -> Json:
    """Give one score; of several claims, the submission's own."""
    claim = score.claim
    return {
        "value": score.value,
        "unit": score.metric.unit,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "interval": interval.kind if interval else None,
        "sd": score.deviation,
        "n": score.extent.n if score.extent else None,
        "of": score.extent.of if score.extent else None,
        "claimed": float(claim.value) if claim else None,
        "claim_source": claim.source if claim else None,
        "claim_tasks": claim.tasks if claim else None,
        "agrees": score.agrees(claim) if claim else None,
    }


Cell = str | int | float | None
"""A value of a table; None for a gap."""

ColumnKind = Literal["text", "count", "number"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, with the kind of those of its values that are known."""

    name: str
    kind: ColumnKind
    values: Sequence[Cell]


_ABOUT: Mapping[str, Callable[[Board, Entry], str]] = {
    "benchmark": lambda board, _: board.benchmark.id,
    "track": lambda board, _: board.track.id,
    "id": lambda _, entry: entry.id,
    "agent": lambda _, entry: entry.agent.name,
    "status": lambda _, entry: entry.status.state,
    "evidence": lambda _, entry: entry.evidence,
}
_INTERVAL: Sequence[tuple[str, ColumnKind, str]] = (
    ("low", "number", "low"),
    ("high", "number", "high"),
    ("interval", "text", "kind"),
)
_EXTENT: Sequence[tuple[str, ColumnKind, str]] = (("n", "count", "n"), ("of", "count", "of"))
"""What columns of a metric end in, their kind, and what of an interval or an extent they say."""


def score_columns(rows: Iterable[tuple[Board, Entry]]) -> list[Column]:
    """Give the scores of rows, one line each; behind them how sure places and scores are, and over what they are."""
    shown = list(rows)
    metrics = [name for name in METRICS if any(name in entry.scores for _, entry in shown)]
    ranks = [board.certainty.ranks.get(entry.id, (None, None)) for board, entry in shown]
    columns = [Column(name, "text", [value(*row) for row in shown]) for name, value in _ABOUT.items()]
    columns.append(Column("rank", "count", [board.ranks.get(entry.id) for board, entry in shown]))
    columns += [Column(name, "number", [entry.value(name) for _, entry in shown]) for name in metrics]
    columns.append(Column("rank_low", "count", [first for first, _ in ranks]))
    columns.append(Column("rank_high", "count", [last for _, last in ranks]))
    for name in metrics:
        columns += _parts(name, [board.certainty.interval(entry, name) for board, entry in shown], _INTERVAL)
    for name in metrics:
        columns += _parts(name, [entry.extent(name) for _, entry in shown], _EXTENT)
    return columns


def _parts(
    metric: str, found: Sequence[Interval | Extent | None], parts: Sequence[tuple[str, ColumnKind, str]]
) -> Iterator[Column]:
    """One column for each part of what is known of a metric's values."""
    for end, kind, key in parts:
        yield Column(f"{metric}_{end}", kind, [getattr(each, key, None) for each in found])


def scores_csv(rows: Iterable[tuple[Board, Entry]]) -> str:
    """Give one line a row of a board, and one column a metric; a gap is empty."""
    columns = score_columns(rows)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([column.name for column in columns])
    table.writerows(zip(*(map(_plain, column.values) for column in columns), strict=True))
    return text.getvalue()


def _plain(value: object) -> object:
    """Keep a text from being taken for a formula by a program that opens the table; an apostrophe marks it as text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_BEGIN_FORMULAS) else value


def scores_parquet(rows: Iterable[tuple[Board, Entry]]) -> bytes:
    """Give the lines and columns of `scores_csv`: numbers as 64-bit floats, places as integers, gaps as nulls."""
    import pyarrow as pa  # noqa: PLC0415 - an extra, which is only there where somebody wants Parquet
    from pyarrow import parquet  # noqa: PLC0415 - as above

    kinds = {"text": pa.string(), "count": pa.int64(), "number": pa.float64()}
    columns = {column.name: pa.array(column.values, kinds[column.kind]) for column in score_columns(rows)}
    made = io.BytesIO()
    parquet.write_table(pa.table(columns), made)
    return made.getvalue()


def releases_json(releases: Sequence[ReleaseEvents]) -> Json:
    """List releases, the latest first."""
    return {
        "schema": 1,
        "releases": [
            {
                "date": str(each.release.date),
                "title": each.release.name,
                "program": each.release.program,
                "events": sum(len(board.events) for board in each.boards),
            }
            for each in reversed(releases)
        ],
    }


def release_json(ledger: Ledger, brought: ReleaseEvents) -> Json:
    """Give a release: its boards as they were, and what happened since the one before; gaps are null."""
    release = brought.release
    return {
        "schema": 1,
        "date": str(release.date),
        "title": release.name,
        "program": release.program,
        "before": str(brought.before.date) if brought.before else None,
        "boards": [
            {
                "benchmark": each.id,
                "track": board.track,
                "status": board.status,
                "headline": board.headline,
                "rows": [_locked_row(row) for row in board.rows],
            }
            for each in release.benchmarks
            for board in each.boards
        ],
        "events": [_event(ledger, where, event) for where in brought.boards for event in where.events],
    }


def _locked_row(row: LockedRow) -> Json:
    about = row.model_dump(mode="json", exclude={"first", "last", "scores", "formerly"})
    scores = {metric: _locked_score(score) for metric, score in row.scores.items()}
    return {**about, "rank_interval": _ranks(row), "metrics": scores}


def _ranks(row: LockedRow | None) -> list[int] | None:
    return None if row is None or row.first is None or row.last is None else [row.first, row.last]


def _locked_score(score: LockedScore | None) -> Json | None:
    return score.model_dump(exclude={"printed"}) if score else None


def _event(ledger: Ledger, where: BoardEvents, event: Event) -> Json:
    return {
        "id": event_id(where, event),
        "what": event.what,
        "benchmark": where.benchmark.id,
        "track": where.board.track,
        "submission": event.row.id,
        "agent": event.row.name,
        "earlier": event.earlier[1] if event.earlier else None,
        "rank": [event.before.rank if event.before else None, event.row.rank],
        "rank_interval": [_ranks(event.before), _ranks(event.row)],
        "causes": [{"kind": cause.kind, "about": cause.about} for cause in event.causes],
        "metrics": {
            turn.metric: {"before": _locked_score(turn.before), "after": _locked_score(turn.after)}
            for turn in event.turns
        },
        "cells": [
            {
                "task": cell.task,
                "attempt": cell.attempt,
                "round": cell.round,
                "start": cell.start,
                "kind": cell.kind,
                "differences": {each.name: [each.before, each.after] for each in cell.differences},
            }
            for cell in ledger.deciding_cells(where, event)
        ],
    }


def event_id(where: BoardEvents, event: Event) -> str:
    """Name an event within its release."""
    return f"{where.benchmark.id}/{where.board.track}/{event.row.id}/{event.what}"
