"""Scores, releases and events as programs read them: full precision, and null or nothing for a gap."""

from collections.abc import Iterable, Sequence
from typing import Any

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.ledger import BoardEvents, Event, Ledger, ReleaseEvents
from sitegen.board.score import Score
from sitegen.metrics.uncertainty import Interval
from sitegen.models.release import LockedRow, LockedScore

Json = dict[str, object]


_CHECKED = ("by", "day", "drawn", "of", "agreed")


def scores_json(rows: Iterable[tuple[Board, Entry]]) -> Json:
    """Give the document that `sitegen score --format json` prints."""
    return {"schema": 1, "submissions": [row_json(*row) for row in rows]}


def row_json(board: Board, entry: Entry) -> dict[str, Any]:
    """All that is told of a row: who it is, how sure its place is, and its scores."""
    counts = ("tasks", "expected_tasks", "rounds", "expected_rounds")
    coverage, places, certainty = (
        entry.coverage,
        board.certainty.ranks.get(entry.id),
        board.certainty,
    )
    sheet = entry.sheet
    attempts = {
        "made": sheet.made if sheet else None,
        "expected": sheet.attempts if sheet else None,
    }
    return {
        "benchmark": board.benchmark.id,
        "track": board.track.id,
        "id": entry.id,
        "agent": entry.agent.model_dump(mode="json"),
        "status": entry.status.state,
        "evidence": entry.evidence,
        "checked": {name: getattr(entry.check, name) for name in _CHECKED} if entry.check else None,
        "coverage": {name: getattr(coverage, name) if coverage else None for name in counts},
        "missing": list(coverage.missing) if coverage else [],
        "attempts": attempts,
        "rank": board.ranks.get(entry.id),
        "rank_interval": list(places) if places else None,
        "metrics": {
            name: score_json(score, certainty.interval(entry, name), entry.missing_note(name))
            for name, score in entry.scores.items()
        },
    }


def score_json(score: Score, interval: Interval | None, missing_note: str) -> Json:
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
    track, status = board.track, entry.status
    notes = []
    if track.status != "current":
        instead = f"superseded by {track.superseded_by}" if track.superseded_by else ""
        about = ", ".join(filter(None, (track.reason, instead)))
        notes.append(f"{track.status} track: {about}" if about else f"{track.status} track")
    if status.state != "published":
        by = f"by {status.by}" if status.by else ""
        about = ", ".join(filter(None, (by, status.reason)))
        notes.append(
            f"{status.state} submission: {about}" if about else f"{status.state} submission"
        )
    return notes


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
                "rows": [
                    {
                        **row.model_dump(
                            mode="json", exclude={"first", "last", "scores", "formerly"}
                        ),
                        "rank_interval": _ranks(row),
                        "metrics": {
                            metric: _locked_score(score) for metric, score in row.scores.items()
                        },
                    }
                    for row in board.rows
                ],
            }
            for each in release.benchmarks
            for board in each.boards
        ],
        "events": [
            _event(ledger, where, event) for where in brought.boards for event in where.events
        ],
    }


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
            {name: getattr(cell, name) for name in ("task", "attempt", "round", "start", "kind")}
            | {"differences": {each.name: [each.before, each.after] for each in cell.differences}}
            for cell in ledger.deciding_cells(where, event)
        ],
    }


def event_id(where: BoardEvents, event: Event) -> str:
    """Name an event within its release."""
    return f"{where.benchmark.id}/{where.board.track}/{event.row.id}/{event.what}"
