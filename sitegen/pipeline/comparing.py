"""Comparing two states of a results folder."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as in the models
from itertools import chain
from pathlib import Path

from sitegen.board.changes import board_changes
from sitegen.board.changes_report import Changes
from sitegen.pipeline.judging import Judged, judge, state_of
from sitegen.pipeline.releasing import new_release_problems
from sitegen.problems import Problem, errors_of
from sitegen.store.changed_parts import read_request
from sitegen.store.history import history_problems
from sitegen.store.ownership import request_line


def compare(base: str, head: str, results: Path, day: Date) -> tuple[Changes, Judged]:
    """Find what differs between two states of a results folder; gives the later one, too.

    States are named as in `state_of`, and waivers are to hold on the day.

    Raises:
        UsageError: A state is neither a folder nor a revision, or the revision has no such folder.
    """
    with ExitStack() as held:
        was = judge(held.enter_context(state_of(base, results)), day)
        had = [bundle.path for each in was.results.benchmarks for bundle in each.bundles]
        now = judge(held.enter_context(state_of(head, results)), day, published=had)
        before, after = dict(_problems(was)), dict(_problems(now))
        days = [release.date for release in was.results.releases]
        # Between states that lie far apart, boards may well have gone on since a release was locked.
        releases_since = (
            replace(each, severity="warning") for each in new_release_problems(now, days, day)
        )
        request = read_request(was.results.path, now.results.path)
        history = chain(
            history_problems(was.results.path, now.results.path, request), releases_since
        )
        new = [problem.moved(now.results.path, Path()) for problem in history]
        new += [problem for key, problem in after.items() if key not in before]
        gone = [problem for key, problem in before.items() if key not in after]
        standing = len(errors_of(problem for key, problem in after.items() if key in before))
        boards = board_changes(list(was.all_boards()), list(now.all_boards()))
        releases = [release for release in now.results.releases if release.date not in days]
        return Changes(boards, new, gone, releases, standing, request_line(request)), now


def _problems(judged: Judged) -> Iterator[tuple[tuple[str, Path, str], Problem]]:
    """Give every problem by what makes it the same one in another state: its line may differ."""
    for problem in judged.problems():
        placed = problem.moved(judged.results.path, Path())
        yield (problem.code, placed.path, problem.what), placed
