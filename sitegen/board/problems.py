"""What is odd about the rows of a board beside each other, which no bundle shows by itself."""

from collections.abc import Iterator

from sitegen.board.board import Board
from sitegen.board.claims import problems_of
from sitegen.board.entry import Entry
from sitegen.board.likeness import likeness_problems
from sitegen.board.outliers import outlier_problems
from sitegen.board.reproduction import reproduction_problems, stray_reproductions
from sitegen.models.results import Bundle
from sitegen.problems import Problem, errors_of


def board_problems(board: Board) -> Iterator[Problem]:
    """Say what is odd about the rows of a board beside each other.

    A problem whose path lies in a bundle is told on that submission's page, and where the bundle is validated. One
    that lies elsewhere is told of the benchmark. A board asks for them once, and keeps them: take `board.problems`.
    """
    yield from stray_reproductions(board.results, board.track)
    for entry in board.all_entries:
        if entry.bundle:
            yield from reproduction_problems(entry.bundle, board.reproductions.get(entry.id, ()))
    yield from likeness_problems(board)
    yield from outlier_problems(board)


def problems_in(board: Board, entry: Entry) -> tuple[Problem, ...]:
    """Give everything that is wrong with a row: with its bundle, its claims, and beside the board's other rows."""
    if entry.bundle is None:
        return ()
    path = entry.bundle.path
    beside = (each for each in board.problems if each.path.is_relative_to(path))
    own = problems_of(entry) if _can_be_scored(board, entry.bundle) else entry.bundle.problems
    return board.waivers.applied((*own, *beside))


def _can_be_scored(board: Board, bundle: Bundle) -> bool:
    """Whether claims can be held against a row's scores; where tasks or figures are wrong, that is told alone."""
    files = {board.results.path / "tasks" / f"{board.track.tasks}.jsonl", bundle.path / "runs.jsonl"}
    errors = errors_of((*board.results.problems, *board.waivers.applied(bundle.problems)))
    return bool(board.tasks.tasks) and not any(problem.path in files for problem in errors)


def problems_beside(board: Board) -> tuple[Problem, ...]:
    """Give what is odd about a board's rows and lies in none of their bundles."""
    folders = [entry.bundle.path for entry in board.all_entries if entry.bundle]
    outside = (each for each in board.problems if not any(map(each.path.is_relative_to, folders)))
    return board.waivers.applied(outside)
