"""Comparing two states of a results folder."""

from collections.abc import Container, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as in the models
from itertools import chain
from pathlib import Path

from sitegen.board.changes.boards import board_changes
from sitegen.board.changes.telling import Changes
from sitegen.pipeline.judging import Judged, judge, require_no_link, state_of
from sitegen.pipeline.new_releases import new_release_problems
from sitegen.problems import Problem, UsageError
from sitegen.store.definitions import RELEASES
from sitegen.store.folder import kind_of
from sitegen.store.history import history_problems
from sitegen.store.releases import read_releases


def compare(base: str, head: str, results: Path, day: Date) -> tuple[Changes, Judged]:
    """Find what differs between two states of a results folder.

    Args:
        base: The earlier state: a results folder, or a revision of the git repository around the working directory.
        head: The later state, likewise.
        results: The results folder in a revision, below the working directory.
        day: The day on which waivers are to hold.

    Returns:
        What differs, and the later state.

    Raises:
        UsageError: A state is neither a folder nor a revision, or the revision has no such folder.
    """
    with ExitStack() as held:
        was = judge(held.enter_context(state_of(base, results)), day)
        had = [bundle.path for each in was.results.benchmarks for bundle in each.bundles]
        now = judge(held.enter_context(state_of(head, results)), day, published=had)
        return _changes(was, now, day), now


def _changes(was: Judged, now: Judged, day: Date) -> Changes:
    before, after = dict(_problems(was)), dict(_problems(now))
    days = [release.date for release in was.results.releases]
    # Between states that lie far apart, boards may well have gone on since a release was locked.
    releases_since = (replace(each, severity="warning") for each in new_release_problems(now, days, day))
    history = chain(history_problems(was.results.path, now.results.path), releases_since)
    new = [_within(now.results.path, problem) for problem in history]
    boards = board_changes(list(was.all_boards()), list(now.all_boards()))
    releases = [release for release in now.results.releases if release.date not in days]
    return Changes(boards, [*new, *_only(after, before)], _only(before, after), releases)


_Key = tuple[str, Path, str]


def _only(problems: Mapping[_Key, Problem], others: Container[_Key]) -> list[Problem]:
    return [problem for key, problem in problems.items() if key not in others]


def history_of(judged: Judged, part: Path, base: str, results: Path, day: Date) -> tuple[Problem, ...]:
    """Say what published results lost or had changed since an earlier state.

    Args:
        judged: The later state.
        part: What is asked for: a results folder, a benchmark's folder or a bundle.
        base: The earlier state: a results folder, or a revision of the git repository around the working directory.
        results: The results folder in a revision, below the working directory.
        day: Today.

    Raises:
        UsageError: The earlier state is neither a results folder nor a revision that has one, or the later is a link.
    """
    require_no_link(part)
    with state_of(base, results) as folder:
        if kind_of(folder) in {"benchmark", "submissions", "bundle"}:
            raise UsageError(f"{base} is no results folder; name the folder that holds the benchmarks' folders")
        found = list(history_problems(folder, judged.results.path))
        if part.resolve() == judged.results.path:
            days = [release.date for release in read_releases(folder / RELEASES)[0]]
            found += new_release_problems(judged, days, day)
    return tuple(problem for problem in found if problem.path.is_relative_to(part.resolve()))


def _problems(judged: Judged) -> Iterator[tuple[_Key, Problem]]:
    """Give every problem by what makes it the same one in another state: its line may differ."""
    for problem in judged.problems():
        placed = _within(judged.results.path, problem)
        yield (problem.code, placed.path, problem.what), placed


def _within(folder: Path, problem: Problem) -> Problem:
    """Give a problem with its path as seen from the results folder, where it lies in that."""
    path = problem.path
    return replace(problem, path=path.relative_to(folder)) if path.is_relative_to(folder) else problem
