"""Selections that several pages make: of boards, releases, rows and results."""

from collections.abc import Iterable, Sequence
from datetime import date

from sitegen.board import Board, Entry
from sitegen.models.benchmark import TrackStatus
from sitegen.models.outcome import RoundResult
from sitegen.models.release import Release


def boards_of_status(boards: Iterable[Board], status: TrackStatus) -> list[Board]:
    """Return the boards of current, legacy or withdrawn tracks."""
    return [board for board in boards if board.track.status == status]


def releases_with(board: Board, releases: Iterable[Release]) -> list[Release]:
    """Return the releases that include a board."""
    benchmark_id = board.benchmark.id
    track_id = board.track.id
    return [release for release in releases if release.board(benchmark_id, track_id)]


def has_submissions(board: Board) -> bool:
    """Return whether a board has submissions, rather than only published rows."""
    return any(entry.bundle for entry in board.all_entries)


def find_entry(entries: Iterable[Entry], entry_id: str | None) -> Entry | None:
    """Return the row with an id; None if there is none."""
    return next((entry for entry in entries if entry.id == entry_id), None)


def latest_date(entries: Sequence[Entry]) -> date | None:
    """Return the date of the latest row; None if there are no rows."""
    return max((entry.date for entry in entries), default=None)


def counting_results(results: Iterable[RoundResult]) -> list[RoundResult]:
    """Return the results that no finding excludes."""
    return [result for result in results if result.state != "excluded"]


def own_results(results: Iterable[RoundResult]) -> list[RoundResult]:
    """Return the results of the agent's own work, excluding rounds from the reference state."""
    return [result for result in results if result.start == "own"]


def count_solved(results: Iterable[RoundResult]) -> int:
    """Return the number of results that passed."""
    return sum(result.solved for result in results)
