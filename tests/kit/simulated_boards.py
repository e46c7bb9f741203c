"""Boards of simulated results, as `sitegen demo` generates them."""

from pathlib import Path

from sitegen.board.board import Board
from sitegen.board.making import make_boards
from sitegen.importers.simulation import SimulationScale, simulate
from sitegen.models.results import BenchmarkResults, Bundle


def simulated_boards(scale: SimulationScale) -> tuple[Board, ...]:
    """Simulate a benchmark with two tracks, and return its boards."""
    incoming = simulate(scale)
    bundles = tuple(
        Bundle(draft.id, Path(draft.id), draft.submission, tuple(draft.rounds), draft.runs) for draft in incoming.drafts
    )
    sets = {tasks.id: tasks for tasks in incoming.task_sets}
    return make_boards(BenchmarkResults(Path("demo"), incoming.benchmark, sets, bundles, findings=incoming.findings))
