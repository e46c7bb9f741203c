"""Boards of some size, with all that a simulated benchmark holds: rows are complete, scored or a gap, and in order."""

import pytest
from kit.simulated_boards import simulated_boards

from sitegen.board.board import Board
from sitegen.importers.simulation import SimulationScale


@pytest.fixture(
    scope="module", params=[SimulationScale(seed=1), SimulationScale(agents=5, attempts=3, seed=2)], ids=str
)
def boards(request: pytest.FixtureRequest) -> tuple[Board, ...]:
    return simulated_boards(request.param)


def test_every_simulated_record_is_there(boards: tuple[Board, ...]) -> None:
    assert all(
        entry.coverage and entry.coverage.rounds == entry.coverage.expected_rounds
        for board in boards
        for entry in board.all_entries
    )


def test_every_column_has_a_score_or_a_reason(boards: tuple[Board, ...]) -> None:
    for board in boards:
        for entry in board.all_entries:
            scores = [entry.scores[metric.id] for metric in board.columns]
            assert all((score.value is None) == (score.gap is not None) for score in scores)


def test_ranks_run_with_the_scores(boards: tuple[Board, ...]) -> None:
    for board in boards:
        ranked = [entry for entry in board.entries if entry.id in board.ranks]
        values = [entry.value(board.track.headline) for entry in ranked]
        assert values == sorted(values, key=lambda value: -(value or 0))
        assert [board.ranks[entry.id] for entry in ranked] == sorted(board.ranks.values())
