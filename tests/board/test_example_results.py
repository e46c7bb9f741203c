"""The example in the format's own files: read without an error, and every score as it was computed independently."""

import json
from typing import Any

import pytest
from kit.real_data import real_data

from sitegen.board.claims import entry_problems
from sitegen.board.making import make_boards
from sitegen.models.results import Results
from sitegen.store.readers.folder import read_results


@pytest.fixture(scope="module")
def example() -> Results:
    """Read the example."""
    return read_results(real_data("example-results"))


def test_the_example_has_no_error(example: Results) -> None:
    boards = [board for benchmark in example.benchmarks for board in make_boards(benchmark)]
    claimed = [problem for board in boards for entry in board.all_entries for problem in entry_problems(entry)]
    assert [str(problem) for problem in (*example.all_problems(), *claimed) if problem.is_error] == []


def test_every_track_has_its_submissions(example: Results) -> None:
    (benchmark,) = example.benchmarks
    tracks = {board.track.id: len(board.submissions) for board in make_boards(benchmark)}
    assert tracks == {"chain": 6, "persist": 5, "targets": 4, "checkpoints": 4}


def test_every_expected_score_is_met(example: Results) -> None:
    expected: dict[str, dict[str, Any]] = json.loads(
        real_data("example-results-expected.json").read_text(encoding="utf-8")
    )
    (benchmark,) = example.benchmarks
    entries = {entry.agent.name: entry for board in make_boards(benchmark) for entry in board.entries}
    actual = {name: {metric: entries[name].value(metric) for metric in scores} for name, scores in expected.items()}
    assert actual == {name: pytest.approx(scores, abs=1e-9, rel=0) for name, scores in expected.items()}
    assert sum(map(len, actual.values())) == 76
