"""Releases and what they brought, as documents for programs."""

from collections.abc import Sequence

from sitegen.board.export import Json
from sitegen.board.ledger.chapters import Chapter, Ledger
from sitegen.board.ledger.events import BoardEvents, Event, Turn
from sitegen.models.release import LockedBoard, LockedRow, LockedScore


def releases_json(chapters: Sequence[Chapter]) -> Json:
    """List releases, the latest first."""
    return {
        "schema": 1,
        "releases": [
            {
                "date": str(chapter.release.date),
                "title": chapter.release.name,
                "program": chapter.release.program,
                "events": sum(len(board.events) for board in chapter.boards),
            }
            for chapter in reversed(chapters)
        ],
    }


def release_json(ledger: Ledger, chapter: Chapter) -> Json:
    """Give a release: its boards as they were, and what happened since the one before; gaps are null."""
    release = chapter.release
    return {
        "schema": 1,
        "date": str(release.date),
        "title": release.name,
        "program": release.program,
        "before": str(chapter.before.date) if chapter.before else None,
        "boards": [_board(each.id, board) for each in release.benchmarks for board in each.boards],
        "events": [_event(ledger, where, event) for where in chapter.boards for event in where.events],
    }


def _board(benchmark: str, board: LockedBoard) -> Json:
    return {
        "benchmark": benchmark,
        "track": board.track,
        "status": board.status,
        "headline": board.headline,
        "rows": [_row(row) for row in board.rows],
    }


def _row(row: LockedRow) -> Json:
    about = row.model_dump(mode="json", exclude={"first", "last", "scores", "formerly"})
    scores = {metric: _score(score) for metric, score in row.scores.items()}
    return {**about, "rank_interval": _ranks(row), "metrics": scores}


def _ranks(row: LockedRow) -> list[int] | None:
    return None if row.first is None or row.last is None else [row.first, row.last]


def _score(score: LockedScore | None) -> Json | None:
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
        "rank_interval": [_ranks(event.before) if event.before else None, _ranks(event.row)],
        "causes": [{"kind": cause.kind, "about": cause.about} for cause in event.causes],
        "metrics": {turn.metric: _turn(turn) for turn in event.turns},
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


def _turn(turn: Turn) -> Json:
    return {"before": _score(turn.before), "after": _score(turn.after)}


def event_id(where: BoardEvents, event: Event) -> str:
    """Name an event within its release."""
    return f"{where.benchmark.id}/{where.board.track}/{event.row.id}/{event.what}"
