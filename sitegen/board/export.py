"""Scores, releases and events as JSON for programs: full precision, and null for a gap."""

from collections.abc import Iterable, Sequence
from typing import Any

from sitegen.board.board import Board, BoardEntry
from sitegen.board.entry import APART_WORDS, Entry
from sitegen.board.history.differences import CellChange
from sitegen.board.history.ledger import BoardEvents, Event, Ledger, ReleaseEvents, ScoreChange
from sitegen.board.history.revisions import RevisionView, revision_notes, revisions_of
from sitegen.board.score import Score
from sitegen.metrics.intervals import Interval
from sitegen.models.release import LockedBoard, LockedRow, LockedScore
from sitegen.problems import counted

Json = dict[str, object]
"""A JSON document, or an object within one."""

_CHECK_FIELDS = ("by", "day", "drawn", "of", "agreed")
_COVERAGE_FIELDS = ("tasks", "expected_tasks", "rounds", "expected_rounds")
_CELL_FIELDS = ("task", "attempt", "round", "start", "kind")


def fields_json(record: object | None, names: Iterable[str]) -> Json:
    """Return some fields of a record by name; all None if there is no record."""
    if record is None:
        return dict.fromkeys(names)
    return {name: getattr(record, name) for name in names}


def scores_json(rows: Iterable[BoardEntry]) -> Json:
    """Return the document that `sitegen score --format json` prints."""
    submissions = []
    for board, entry in rows:
        submissions.append(row_json(board, entry))
    return {"schema": 1, "submissions": submissions}


def row_json(board: Board, entry: Entry) -> dict[str, Any]:
    """Return a row's identity, completeness, possible ranks and scores."""
    ranks = board.inference.ranks.get(entry.id)
    metrics = {}
    for metric_id, score in entry.scores.items():
        interval = board.inference.interval(entry, metric_id)
        metrics[metric_id] = score_json(score, interval, entry.missing_note(metric_id))
    rank_interval = None
    if ranks:
        rank_interval = list(ranks)
    return {
        "benchmark": board.benchmark.id,
        "track": board.track.id,
        "id": entry.id,
        "agent": entry.agent.model_dump(mode="json"),
        "status": entry.status.state,
        **_revisions(board, entry),
        "evidence": entry.evidence,
        **_completeness(entry),
        "rank": board.ranks.get(entry.id),
        "rank_interval": rank_interval,
        **_special_conditions(entry),
        "metrics": metrics,
    }


def _special_conditions(entry: Entry) -> Json:
    """Return why a row is listed apart, and the results that it carries from an earlier track.

    A ranked row with only its own results has neither key.
    """
    conditions: Json = {}
    if entry.apart:
        conditions["apart"] = entry.apart
    if entry.submission and entry.submission.carried:
        conditions["carried"] = entry.submission.carried.model_dump(mode="json")
    return conditions


def _revisions(board: Board, entry: Entry) -> Json:
    """Return the revisions of a row under the key `revisions`; empty if there are none."""
    views = revisions_of(board, entry)
    if not views:
        return {}
    return {"revisions": [revision_json(view) for view in views]}


def revision_json(view: RevisionView) -> Json:
    """Return a revision: corrected values, and rounds run again with old and new rewards."""
    revision = view.revision
    corrected = {}
    for difference in view.corrections:
        corrected[difference.name] = [difference.before, difference.after]
    rounds = []
    for rerun in view.reruns:
        before = rerun.replaced
        rounds.append(
            {
                **fields_json(rerun.result, ("task", "attempt", "round", "start")),
                "state": [before.state if before else None, rerun.result.state],
                "reward": [before.reward if before else None, rerun.result.reward],
            }
        )
    return {
        "of": revision.of,
        "by": view.bundle.id,
        "date": str(revision.date),
        "reason": revision.reason,
        "text": view.words,
        "records": view.records,
        "rounds": rounds,
        "added": list(revision.added),
        "corrected": corrected,
    }


def _completeness(entry: Entry) -> Json:
    """Return the check of a row's rounds, its coverage, missing tasks and attempts."""
    coverage = entry.coverage
    expected = None
    if entry.submission_results:
        expected = entry.submission_results.attempts_asked
    check = None
    if entry.check:
        check = fields_json(entry.check, _CHECK_FIELDS)
    return {
        "checked": check,
        "coverage": fields_json(coverage, _COVERAGE_FIELDS),
        "missing": list(coverage.missing) if coverage else [],
        "attempts": {"made": entry.attempts, "expected": expected},
    }


def score_json(score: Score, interval: Interval | None, missing_note: str) -> Json:
    """Return a score with its interval and one of its claims."""
    interval_kind = None
    if interval:
        interval_kind = interval.kind
    covered = None
    expected = None
    if score.extent:
        covered = score.extent.covered
        expected = score.extent.expected
    return {
        "value": score.value,
        "unit": score.metric.unit,
        **fields_json(interval, ("low", "high")),
        "interval": interval_kind,
        "sd": score.deviation,
        "n": covered,
        "of": expected,
        "missing_note": missing_note or None,
        **_claim_json(score),
    }


def _claim_json(score: Score) -> Json:
    """Return the claim about a score; of several claims, the submission's own."""
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
    """Return notes on the status of a row's track and submission; usually empty.

    A withdrawn or legacy track has a note. So does a withdrawn or superseded submission, a
    submission that is listed apart or has carried results, and each revision. Any other submission
    on a current track has no notes.
    """
    track = board.track
    status = entry.status
    notes = []
    if track.status != "current":
        superseded = ""
        if track.superseded_by:
            superseded = f"superseded by {track.superseded_by}"
        notes.append(_with_details(f"{track.status} track", track.reason, superseded))
    if status.state == "published" and entry.apart:
        notes.append(f"{APART_WORDS[entry.apart]}, not ranked")
    carried = entry.submission.carried if entry.submission else None
    if carried:
        tasks = counted(len(carried.tasks), "task")
        notes.append(f"results of {tasks} carried from {carried.track}")
    if status.state != "published":
        decided_by = ""
        if status.by:
            decided_by = f"by {status.by}"
        notes.append(_with_details(f"{status.state} submission", decided_by, status.reason))
    notes += revision_notes(board, entry)
    return notes


def _with_details(note: str, *details: str | None) -> str:
    """Return a note with the details that are not empty: "withdrawn track: its tasks leaked"."""
    text = ", ".join(filter(None, details))
    if not text:
        return note
    return f"{note}: {text}"


def releases_json(releases: Sequence[ReleaseEvents]) -> Json:
    """Return the list of releases, the latest first."""
    summaries = []
    for chapter in reversed(releases):
        release = chapter.release
        event_count = sum(len(board.events) for board in chapter.boards)
        summary = {
            "date": str(release.date),
            "title": release.name,
            "program": release.program,
            "events": event_count,
        }
        summaries.append(summary)
    return {"schema": 1, "releases": summaries}


def release_json(ledger: Ledger, chapter: ReleaseEvents) -> Json:
    """Return a release: its boards as they were, and the events since the previous release."""
    release = chapter.release
    boards = []
    for benchmark in release.benchmarks:
        for board in benchmark.boards:
            boards.append(_locked_board(benchmark.id, board))
    events = []
    for board_events in chapter.boards:
        for event in board_events.events:
            events.append(_event(ledger, board_events, event))
    date_before = None
    if chapter.release_before:
        date_before = str(chapter.release_before.date)
    return {
        "schema": 1,
        "date": str(release.date),
        "title": release.name,
        "program": release.program,
        "before": date_before,
        "boards": boards,
        "events": events,
    }


def _locked_board(benchmark: str, board: LockedBoard) -> Json:
    rows = []
    for row in board.rows:
        rows.append(_locked_row(row))
    return {
        "benchmark": benchmark,
        "track": board.track,
        "status": board.status,
        "headline": board.headline,
        "rows": rows,
    }


def _locked_row(row: LockedRow) -> Json:
    document: Json = row.model_dump(mode="json", exclude={"first", "last", "scores", "formerly"})
    document["rank_interval"] = _possible_ranks(row)
    metrics = {}
    for metric_id, score in row.scores.items():
        metrics[metric_id] = _locked_score(score)
    document["metrics"] = metrics
    return document


def _possible_ranks(row: LockedRow | None) -> list[int] | None:
    if row is None or row.first is None or row.last is None:
        return None
    return [row.first, row.last]


def _locked_score(score: LockedScore | None) -> Json | None:
    if not score:
        return None
    return score.model_dump(exclude={"printed"})


def _event(ledger: Ledger, board_events: BoardEvents, event: Event) -> Json:
    row = event.row
    rank_before = None
    if event.row_before:
        rank_before = event.row_before.rank
    earlier_id = None
    if event.replaces:
        earlier_id = event.replaces.row
    cells = []
    for cell in ledger.deciding_cells(board_events, event):
        cells.append(_cell_change(cell))
    causes = [fields_json(cause, ("kind", "about")) for cause in event.causes]
    metrics = {}
    for change in event.score_changes:
        metrics[change.metric] = _score_change(change)
    return {
        "id": event_id(board_events, event),
        "what": event.what,
        "benchmark": board_events.benchmark.id,
        "track": board_events.board.track,
        "submission": row.id,
        "agent": row.name,
        "earlier": earlier_id,
        "rank": [rank_before, row.rank],
        "rank_interval": [_possible_ranks(event.row_before), _possible_ranks(row)],
        "causes": causes,
        "metrics": metrics,
        "cells": cells,
    }


def _score_change(change: ScoreChange) -> Json:
    return {"before": _locked_score(change.before), "after": _locked_score(change.after)}


def _cell_change(cell: CellChange) -> Json:
    differences = {}
    for change in cell.differences:
        differences[change.name] = [change.before, change.after]
    return {**fields_json(cell, _CELL_FIELDS), "differences": differences}


def event_id(board_events: BoardEvents, event: Event) -> str:
    """Return the identifier of an event, unique within its release."""
    track = board_events.board.track
    return f"{board_events.benchmark.id}/{track}/{event.row.id}/{event.what}"
