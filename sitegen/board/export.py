"""Scores, releases and events as programs read them: full precision, and null for a gap."""

from collections.abc import Iterable, Sequence
from typing import Any

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.ledger import BoardEvents, Event, Ledger, ReleaseEvents
from sitegen.board.score import Score
from sitegen.metrics.uncertainty import Interval
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
    """Return a row: who it is, which ranks it may have, and its scores."""
    coverage = entry.coverage
    certainty = board.certainty
    possible_ranks = certainty.ranks.get(entry.id)
    metrics = {}
    for name, score in entry.scores.items():
        interval = certainty.interval(entry, name)
        metrics[name] = score_json(score, interval, entry.missing_note(name))
    return {
        "benchmark": board.benchmark.id,
        "track": board.track.id,
        "id": entry.id,
        "agent": entry.agent.model_dump(mode="json"),
        "status": entry.status.state,
        "evidence": entry.evidence,
        "checked": fields_json(entry.check, _CHECK_FIELDS) if entry.check else None,
        "coverage": fields_json(coverage, _COVERAGE_FIELDS),
        "missing": list(coverage.missing) if coverage else [],
        "attempts": {
            "made": entry.sheet.made if entry.sheet else None,
            "expected": entry.sheet.attempts if entry.sheet else None,
        },
        "rank": board.ranks.get(entry.id),
        "rank_interval": list(possible_ranks) if possible_ranks else None,
        "metrics": metrics,
    }


def score_json(score: Score, interval: Interval | None, missing_note: str) -> Json:
    """Return a score; of several claims, the submission's own."""
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
        "missing_note": missing_note or None,
        "claimed": float(claim.value) if claim else None,
        "claim_source": claim.source if claim else None,
        "claim_tasks": claim.tasks if claim else None,
        "agrees": score.agrees(claim) if claim else None,
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
    metrics = {}
    for change in event.turns:
        metrics[change.metric] = {
            "before": _locked_score(change.before),
            "after": _locked_score(change.after),
        }
    cells = []
    for cell in ledger.deciding_cells(board_events, event):
        differences = {change.name: [change.before, change.after] for change in cell.differences}
        cells.append({**fields_json(cell, _CELL_FIELDS), "differences": differences})
    return {
        "id": event_id(board_events, event),
        "what": event.what,
        "benchmark": board_events.benchmark.id,
        "track": board_events.board.track,
        "submission": event.row.id,
        "agent": event.row.name,
        "earlier": event.earlier[1] if event.earlier else None,
        "rank": [event.before.rank if event.before else None, event.row.rank],
        "rank_interval": [_possible_ranks(event.before), _possible_ranks(event.row)],
        "causes": [fields_json(cause, ("kind", "about")) for cause in event.causes],
        "metrics": metrics,
        "cells": cells,
    }


def event_id(board_events: BoardEvents, event: Event) -> str:
    """Return the name of an event within its release."""
    track = board_events.board.track
    return f"{board_events.benchmark.id}/{track}/{event.row.id}/{event.what}"
