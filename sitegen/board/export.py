"""Scores as programs read them: full precision, and null for a gap."""

import csv
import io
from collections.abc import Iterable

from sitegen.board.board import Board
from sitegen.board.columns import score_columns
from sitegen.board.entry import Entry
from sitegen.board.score import Score
from sitegen.metrics.uncertainty import Interval

Json = dict[str, object]

_BEGIN_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The last four are the wide forms, which some programs take for the narrow ones."""


def scores_json(rows: Iterable[tuple[Board, Entry]]) -> Json:
    """Give the document that `sitegen score --format json` prints."""
    return {"schema": 1, "submissions": [_row(board, entry) for board, entry in rows]}


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


def _row(board: Board, entry: Entry) -> Json:
    coverage, places = entry.coverage, board.certainty.ranks.get(entry.id)
    return {
        "benchmark": board.benchmark.id,
        "track": board.track.id,
        "id": entry.id,
        "agent": entry.agent.model_dump(mode="json"),
        "status": entry.status.state,
        "evidence": entry.evidence,
        "coverage": {
            "tasks": coverage.tasks,
            "expected_tasks": coverage.expected_tasks,
            "rounds": coverage.rounds,
            "expected_rounds": coverage.expected_rounds,
        }
        if coverage
        else dict.fromkeys(("tasks", "expected_tasks", "rounds", "expected_rounds")),
        "missing": list(coverage.missing) if coverage else [],
        "rank": board.ranks.get(entry.id),
        "rank_interval": list(places) if places else None,
        "metrics": {
            name: score_json(score, board.certainty.interval(entry, name)) for name, score in entry.scores.items()
        },
    }
