"""The leading board of a site: first on the home page, and the first column of all agents."""

from collections.abc import Iterable, Sequence

from sitegen.board import Board
from sitegen.pages import addresses
from sitegen.problems import UsageError


def lead_of(boards: Sequence[Board], named: str) -> Board | None:
    """Return the board that leads the home page, never a simulated one; None if there is none.

    This is the board that the settings name as BENCHMARK/TRACK, or else the board with ranks and
    the most submissions. If its track was replaced, the latest version leads as soon as it has
    ranks.

    Raises:
        UsageError: There is no such board, or it is simulated.
    """
    real_boards = [board for board in boards if not board.benchmark.simulated]
    real = {"/".join(addresses.of(board)): board for board in real_boards}
    if named in real:
        return latest_board(real[named], real.values())
    if named:
        reason = "is not a board of these results"
        if any(named == "/".join(addresses.of(board)) for board in boards):
            reason = "is simulated, and simulated data never leads"
        choices = ", ".join(real)
        raise UsageError(
            f"`extra: lead:` in mkdocs.yml says {named}, which {reason}; use one of: {choices}"
        )
    current = list(filter(is_current_with_ranks, real.values()))
    replaced = [board for board in real_boards if board.ranks and _is_replaced(board)]
    largest = max([*current, *replaced], key=lambda board: len(board.submissions), default=None)
    if largest is None:
        return None
    return latest_board(largest, real_boards)


def latest_board(board: Board, boards: Iterable[Board]) -> Board:
    """Return the board of the latest version of a track if it has ranks, or else the same board."""
    latest = board.benchmark.latest_version(board.track.id)
    for candidate in boards:
        if candidate.benchmark.id == board.benchmark.id and candidate.track.id == latest:
            return candidate if candidate.ranks else board
    return board


def _is_replaced(board: Board) -> bool:
    """Return whether a track has a later version and is no longer current."""
    latest = board.benchmark.latest_version(board.track.id)
    return board.track.status == "legacy" and latest != board.track.id


def is_current_with_ranks(board: Board) -> bool:
    """Return whether a board belongs to a current track and ranks agents."""
    return board.track.status == "current" and bool(board.ranks)
