"""Problems of a board's rows: of single rows, or found by comparing rows."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sitegen.board.board import Board
from sitegen.board.claims import entry_problems
from sitegen.board.entry import Entry
from sitegen.board.likeness import likeness_problems
from sitegen.board.outliers import outlier_problems
from sitegen.board.reproduction import reproduction_problems, stray_reproductions
from sitegen.problems import Problem, errors_of


def with_problems(board: Board) -> Board:
    """Return a board with the problems that are found only by comparing its rows.

    A problem whose path is in a bundle is shown on that submission's page, and when the bundle is
    validated. Other problems are shown with the benchmark.
    """
    problems = list(stray_reproductions(board.results, board.track))
    for entry in board.all_entries:
        if entry.bundle:
            reruns = board.reproductions.get(entry.id, ())
            problems += reproduction_problems(entry.bundle, reruns)
    problems += likeness_problems(board)
    problems += outlier_problems(board)
    return replace(board, problems=tuple(problems))


def problems_in(board: Board, entry: Entry) -> tuple[Problem, ...]:
    """Return every problem of a row: of its bundle, of its claims, and from comparing rows."""
    bundle = entry.bundle
    if bundle is None:
        return ()
    problems_beside_others = []
    for problem in board.problems:
        if problem.path.is_relative_to(bundle.path):
            problems_beside_others.append(problem)
    # Claims can't be compared with scores if tasks or figures are wrong.
    needed_files = {
        board.results.path / "tasks" / f"{board.track.tasks}.jsonl",
        bundle.path / "runs.jsonl",
    }
    errors = errors_of((*board.results.problems, *board.waivers.applied(bundle.problems)))
    has_broken_file = any(problem.path in needed_files for problem in errors)
    can_be_scored = bool(board.tasks.tasks) and not has_broken_file
    row_problems = bundle.problems
    if can_be_scored:
        row_problems = entry_problems(entry)
    return board.waivers.applied((*row_problems, *problems_beside_others))


def problems_outside_bundles(board: Board) -> tuple[Problem, ...]:
    """Return the problems found by comparing a board's rows that are in none of its bundles."""
    folders = [entry.bundle.path for entry in board.all_entries if entry.bundle]
    outside = []
    for problem in board.problems:
        if not _is_in_any(problem, folders):
            outside.append(problem)
    return board.waivers.applied(outside)


def _is_in_any(problem: Problem, folders: Sequence[Path]) -> bool:
    return any(problem.path.is_relative_to(folder) for folder in folders)
