"""Scores as programs read them: full precision, and null for a gap."""

from collections.abc import Iterable

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import Score
from sitegen.metrics.uncertainty import Interval

Json = dict[str, object]


def scores_json(rows: Iterable[tuple[Board, Entry]]) -> Json:
    """Give the document that `sitegen score --format json` prints."""
    return {"schema": 1, "submissions": [_row(board, entry) for board, entry in rows]}


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
