"""A simulated benchmark on its boards: nobody claims what the rewards do not give, but those who are meant to."""

from pathlib import Path

import pytest

from sitegen.board.board import Board, boards_of
from sitegen.board.claims import problems_of
from sitegen.importers.simulation import Scale, simulate
from sitegen.models.results import BenchmarkResults, Bundle


@pytest.fixture(scope="module", params=[Scale(seed=1), Scale(agents=5, attempts=3, seed=2)], ids=str)
def boards(request: pytest.FixtureRequest) -> tuple[Board, ...]:
    """Simulate a benchmark and rank it, without a file in between."""
    incoming = simulate(request.param)
    bundles = tuple(
        Bundle(draft.id, Path(draft.id), draft.submission, draft.rounds, draft.runs) for draft in incoming.drafts
    )
    sets = {tasks.id: tasks for tasks in incoming.task_sets}
    return boards_of(BenchmarkResults(Path("demo"), incoming.benchmark, sets, bundles))


def test_what_a_simulated_submitter_claims_is_so(boards: tuple[Board, ...]) -> None:
    problems = [problem for board in boards for entry in board.all_entries for problem in problems_of(entry)]
    assert {problem.code for problem in problems} == {"CLAIM-SOURCE-DIFFERS"}


def test_every_simulated_record_is_there(boards: tuple[Board, ...]) -> None:
    assert all(entry.coverage and entry.coverage.is_full for board in boards for entry in board.all_entries)


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
