"""Scores as programs read them: full precision, and null for a gap."""

from collections.abc import Iterable, Iterator

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import Score

Json = dict[str, object]


def scores_json(boards: Iterable[Board]) -> Json:
    """Give the document that `sitegen score --format json` prints."""
    return {"schema": 1, "submissions": [row for board in boards for row in _rows(board)]}


def score_json(score: Score) -> Json:
    """Give one score; a claim that is contradicted goes before one that agrees."""
    claim = score.claim
    return {
        "value": score.value,
        "unit": score.metric.unit,
        "low": None,
        "high": None,
        "claimed": float(claim.value) if claim else None,
        "claim_source": claim.source if claim else None,
        "agrees": claim.agrees_with(score.value) if claim and score.value is not None else None,
    }


def _rows(board: Board) -> Iterator[Json]:
    return (_row(board, entry) for entry in board.all_entries)


def _row(board: Board, entry: Entry) -> Json:
    coverage = entry.coverage
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
        else None,
        "rank": board.ranks.get(entry.id),
        "rank_interval": None,
        "tie_group": None,
        "metrics": {name: score_json(score) for name, score in entry.scores.items()},
    }
