"""A benchmark's page: its headline board, and the way to every track."""

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.models.benchmark import Track
from sitegen.models.release import Release
from sitegen.pages import addresses
from sitegen.pages.charts import rounds_chart_views
from sitegen.pages.datasets import Shelf
from sitegen.pages.diagnostics import track_section
from sitegen.pages.environment import Crumb, Page, Templates
from sitegen.pages.standings import board_view
from sitegen.problems import errors_of


@dataclass(frozen=True, slots=True)
class TrackRow:
    """A track in the list of a benchmark's tracks."""

    track: Track
    address: str
    tasks: int
    rounds: int
    rows: int


def benchmark_page(boards: Sequence[Board], templates: Templates, releases: Sequence[Release] = ()) -> Page:
    """Show a benchmark.

    Args:
        boards: Its boards, at least one.
        templates: Where its template stands.
        releases: The oldest first.
    """
    benchmark = boards[0].benchmark
    address = addresses.benchmark_address(benchmark.id)
    headline = headline_board(boards)
    values = {
        "title": benchmark.title,
        "crumbs": [Crumb("Boards", addresses.HOME)],
        "benchmark": benchmark,
        "board": board_view(headline) if headline else None,
        "errors": errors_of(boards[0].results.problems),
        "tracks": [_track_row(board) for board in boards],
        "dataset": Shelf(address, templates, releases).benchmark(boards),
        "charts": rounds_chart_views(boards),
        "diagnosed": [section for board in boards if (section := track_section(board))],
    }
    description = benchmark.summary or f"{benchmark.title}: boards and drilldowns."
    content = templates.fill("benchmark.html.j2", address, values)
    return Page(address, benchmark.title, description, content, is_landing=True)


def headline_board(boards: Sequence[Board]) -> Board | None:
    """Give the board that a benchmark shows first: a current track's, with rows where one has any."""
    current = [board for board in boards if board.track.status == "current"] or list(boards)
    return next((board for board in current if board.entries), next(iter(current), None))


def _track_row(board: Board) -> TrackRow:
    address = addresses.board_address(board.benchmark.id, board.track.id)
    return TrackRow(board.track, address, len(board.tasks.tasks), board.tasks.rounds, len(board.entries))
