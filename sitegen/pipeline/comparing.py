"""Comparing two states of a results folder."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from sitegen.board.changes.boards import board_changes
from sitegen.board.changes.telling import Changes
from sitegen.errors import Problem
from sitegen.pipeline.judging import Judged, judge
from sitegen.store.revision import state_of


def compare(base: str, head: str, results: Path) -> tuple[Changes, Judged]:
    """Find what differs between two states of a results folder.

    Args:
        base: The earlier state: a results folder, or a revision of the git repository around the working directory.
        head: The later state, likewise.
        results: The results folder in a revision, below the working directory.

    Returns:
        What differs, and the later state.

    Raises:
        UsageError: A state is neither a folder nor a revision, or the revision has no such folder.
    """
    with ExitStack() as held:
        was, now = (judge(held.enter_context(state_of(each, results))) for each in (base, head))
        before, after = (dict(_problems(each)) for each in (was, now))
        new = [problem for key, problem in after.items() if key not in before]
        gone = [problem for key, problem in before.items() if key not in after]
        return Changes(board_changes(list(was.all_boards()), list(now.all_boards())), new, gone), now


def _problems(judged: Judged) -> Iterator[tuple[tuple[str, Path, str], Problem]]:
    """Give every problem by what makes it the same one in another state: its line may differ."""
    for problem in judged.problems():
        path = problem.path
        place = path.relative_to(judged.results.path) if path.is_relative_to(judged.results.path) else path
        yield (problem.code, place, problem.what), replace(problem, path=place)
