"""Scores, releases and events as programs read them: full precision, and null for a gap."""

from collections.abc import Iterable, Sequence
from typing import Any

from sitegen.board.board import Board
from sitegen.board.differences import CellChange
from sitegen.board.entry import Entry
from sitegen.board.ledger import BoardEvents, Event, Ledger, ReleaseEvents, ScoreChange
from sitegen.board.score import Score
from sitegen.metrics.intervals import Interval
from sitegen.models.release import LockedBoard, LockedRow, LockedScore

Json = dict[str, object]
"""A JSON document, or an object within one."""

_CHECK_FIELDS = ("by", "day", "drawn", "of", "agreed")
_COVERAGE_FIELDS = ("tasks", "expected_tasks", "rounds", "expected_rounds")
_CELL_FIELDS = ("task", "attempt", "round", "start", "kind")


def fields_json(record: object | None, names: Iterable[str]) -> Json:
    """Return some fields of a record by their names; all None where there is no record."""
    if record is None:
        return dict.fromkeys(names)
    return {name: getattr(record, name) for name in names}


def scores_json(rows: Iterable[tuple[Board, Entry]]) -> Json:
    """Return the document that `sitegen score --format json` prints."""
    return {"schema": 1, "submissions": [row_json(board, entry) for board, entry in rows]}


def row_json(board: Board, entry: Entry) -> dict[str, Any]:
    """Return a row: who it is, how complete it is, which ranks it may have, and its scores."""
    ranks = board.certainty.ranks.get(entry.id)
    metrics = {}
    for name, score in entry.scores.items():
        interval = board.certainty.interval(entry, name)
        metrics[name] = score_json(score, interval, entry.missing_note(name))
    return {
        "benchmark": board.benchmark.id,
        "track": board.track.id,
        "id": entry.id,
        "agent": entry.agent.model_dump(mode="json"),
        "status": entry.status.state,
        "evidence": entry.evidence,
        **_completeness(entry),
        "rank": board.ranks.get(entry.id),
        "rank_interval": list(ranks) if ranks else None,
        "metrics": metrics,
    }


def _completeness(entry: Entry) -> Json:
    """Return how many rounds of a row were checked, and what it covers and lacks."""
    coverage = entry.coverage
    expected = entry.sheet.attempts if entry.sheet else None
    return {
        "checked": fields_json(entry.check, _CHECK_FIELDS) if entry.check else None,
        "coverage": fields_json(coverage, _COVERAGE_FIELDS),
        "missing": list(coverage.missing) if coverage else [],
        "attempts": {"made": entry.attempts, "expected": expected},
    }


def score_json(score: Score, interval: Interval | None, missing_note: str) -> Json:
    """Return a score with its interval, and one claim about it."""
    return {
        "value": score.value,
        "unit": score.metric.unit,
        **fields_json(interval, ("low", "high")),
        "interval": interval.kind if interval else None,
        "sd": score.deviation,
        **fields_json(score.extent, ("n", "of")),
        "missing_note": missing_note or None,
        **_claim_json(score),
    }


def _claim_json(score: Score) -> Json:
    """Return the claim about a score; of several, the submission's own."""
    claim = score.claim
    if claim is None:
        return dict.fromkeys(("claimed", "claim_source", "claim_tasks", "agrees"))
    return {
        "claimed": float(claim.value),
        "claim_source": claim.source,
        "claim_tasks": claim.tasks,
        "agrees": score.agrees(claim),
    }


def status_notes(board: Board, entry: Entry) -> list[str]:
    """Return what to know of a row whose track or submission does not count as it did.

    A withdrawn or legacy track has a note, and so has a withdrawn or superseded submission; a
    published one on a current track has none.
    """
    track = board.track
    status = entry.status
    notes = []
    if track.status != "current":
        superseded = f"superseded by {track.superseded_by}" if track.superseded_by else ""
        notes.append(_with_details(f"{track.status} track", track.reason, superseded))
    if status.state != "published":
        decided_by = f"by {status.by}" if status.by else ""
        notes.append(_with_details(f"{status.state} submission", decided_by, status.reason))
    return notes


def _with_details(note: str, *details: str | None) -> str:
    """Return a note with the details that there are: "withdrawn track: its tasks leaked"."""
    text = ", ".join(filter(None, details))
    return f"{note}: {text}" if text else note


def releases_json(releases: Sequence[ReleaseEvents]) -> Json:
    """Return the list of releases, the latest first."""
    summaries = []
    for chapter in reversed(releases):
        release = chapter.release
        summary = {
            "date": str(release.date),
            "title": release.name,
            "program": release.program,
            "events": sum(len(board.events) for board in chapter.boards),
        }
        summaries.append(summary)
    return {"schema": 1, "releases": summaries}


def release_json(ledger: Ledger, chapter: ReleaseEvents) -> Json:
    """Return a release: its boards as they were, and what happened since the one before."""
    release = chapter.release
    boards = []
    for benchmark in release.benchmarks:
        boards += [_locked_board(benchmark.id, board) for board in benchmark.boards]
    events = []
    for board_events in chapter.boards:
        events += [_event(ledger, board_events, event) for event in board_events.events]
    return {
        "schema": 1,
        "date": str(release.date),
        "title": release.name,
        "program": release.program,
        "before": str(chapter.before.date) if chapter.before else None,
        "boards": boards,
        "events": events,
    }


def _locked_board(benchmark: str, board: LockedBoard) -> Json:
    return {
        "benchmark": benchmark,
        "track": board.track,
        "status": board.status,
        "headline": board.headline,
        "rows": [_locked_row(row) for row in board.rows],
    }


def _locked_row(row: LockedRow) -> Json:
    document: Json = row.model_dump(mode="json", exclude={"first", "last", "scores", "formerly"})
    document["rank_interval"] = _possible_ranks(row)
    document["metrics"] = {name: _locked_score(score) for name, score in row.scores.items()}
    return document


def _possible_ranks(row: LockedRow | None) -> list[int] | None:
    if row is None or row.first is None or row.last is None:
        return None
    return [row.first, row.last]


def _locked_score(score: LockedScore | None) -> Json | None:
    return score.model_dump(exclude={"printed"}) if score else None


def _event(ledger: Ledger, board_events: BoardEvents, event: Event) -> Json:
    row = event.row
    rank_before = event.before.rank if event.before else None
    cells = ledger.deciding_cells(board_events, event)
    return {
        "id": event_id(board_events, event),
        "what": event.what,
        "benchmark": board_events.benchmark.id,
        "track": board_events.board.track,
        "submission": row.id,
        "agent": row.name,
        "earlier": event.earlier[1] if event.earlier else None,
        "rank": [rank_before, row.rank],
        "rank_interval": [_possible_ranks(event.before), _possible_ranks(row)],
        "causes": [fields_json(cause, ("kind", "about")) for cause in event.causes],
        "metrics": {change.metric: _score_change(change) for change in event.turns},
        "cells": [_cell_change(cell) for cell in cells],
    }


def _score_change(change: ScoreChange) -> Json:
    return {"before": _locked_score(change.before), "after": _locked_score(change.after)}


def _cell_change(cell: CellChange) -> Json:
    differences = {change.name: [change.before, change.after] for change in cell.differences}
    return {**fields_json(cell, _CELL_FIELDS), "differences": differences}


def event_id(board_events: BoardEvents, event: Event) -> str:
    """Return the name of an event within its release."""
    track = board_events.board.track
    return f"{board_events.benchmark.id}/{track}/{event.row.id}/{event.what}"
