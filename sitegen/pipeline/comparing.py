"""Comparing two states of a results folder."""

import math
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as in the models
from itertools import chain
from pathlib import Path

from sitegen.board.changes import board_changes
from sitegen.board.changes_report import Changes
from sitegen.board.differences import differing, dotted, leaves
from sitegen.models.release import Release
from sitegen.pipeline.judging import Judged, judge, require_no_link, state_of
from sitegen.pipeline.releasing import release_now
from sitegen.problems import Problem, UsageError, errors_of
from sitegen.reading.shape import Location
from sitegen.store.folder import kind_of
from sitegen.store.history import HISTORY_RELEASE, history_problems
from sitegen.store.layout import RELEASES
from sitegen.store.provenance import FIRST, ZONES
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
        before, after = dict(_problems(was)), dict(_problems(now))
        days = [release.date for release in was.results.releases]
        # Between states that lie far apart, boards may well have gone on since a release was locked.
        releases_since = (replace(each, severity="warning") for each in new_release_problems(now, days, day))
        history = chain(history_problems(was.results.path, now.results.path), releases_since)
        new = [_within(now.results.path, problem) for problem in history]
        new += [problem for key, problem in after.items() if key not in before]
        gone = [problem for key, problem in before.items() if key not in after]
        boards = board_changes(list(was.all_boards()), list(now.all_boards()))
        releases = [release for release in now.results.releases if release.date not in days]
        return Changes(boards, new, gone, releases), now


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


def _problems(judged: Judged) -> Iterator[tuple[tuple[str, Path, str], Problem]]:
    """Give every problem by what makes it the same one in another state: its line may differ."""
    for problem in judged.problems():
        placed = _within(judged.results.path, problem)
        yield (problem.code, placed.path, problem.what), placed


def _within(folder: Path, problem: Problem) -> Problem:
    """Give a problem with its path as seen from the results folder, where it lies in that."""
    path = problem.path
    return replace(problem, path=path.relative_to(folder)) if path.is_relative_to(folder) else problem


_PASSED_OVER = {"first", "last", "formerly"}
"""What hangs on thousands of draws, which another machine may sum up otherwise in the last digit; and what no release
has written."""
_CLOSE = 1e-4

_FIX = "write it with `sitegen release`, on the day, and in a commit that changes no results after it"


def new_release_problems(judged: Judged, known: Collection[Date], day: Date) -> Iterator[Problem]:
    """Say which new releases lie ahead or behind others, or are not what `sitegen release` would write.

    Args:
        judged: The later state, a whole results folder.
        known: Days of the releases of the earlier state.
        day: Today.
    """
    new = [release for release in judged.results.releases if release.date not in known]
    is_sound = not errors_of(judged.problems()) if new else True  # else there is nothing to compare with
    for release in new:
        path, name = judged.results.path / RELEASES / f"{release.date}.toml", f"the release {release.date} is new"
        if not FIRST <= release.date <= day + ZONES:
            side = f"is dated before {FIRST}" if release.date < FIRST else "lies ahead"
            yield HISTORY_RELEASE.broken(path, None, f"{name}, and {side}", _FIX)
        later = max((each for each in known if each > release.date), default=None)
        if later:
            yield HISTORY_RELEASE.broken(path, None, f"{name}, and there was one of {later} already", _FIX)
        found = _differing(release, release_now(judged, release.date, release.title)) if is_sound else []
        if found:
            what = f"{name}, and says otherwise than the boards in {len(found)} places: {'; '.join(found[:3])}"
            yield HISTORY_RELEASE.broken(path, None, what, _FIX)


def _differing(release: Release, now: Release) -> list[str]:
    """Name the places at which a release says something else than the boards."""
    places = differing(_said(release), _said(now))
    told = (place for place, said, is_so in places if not _is_close(said, is_so))
    return [dotted(place) for place in told if place[-1] not in _PASSED_OVER]


def _said(release: Release) -> dict[Location, object]:
    """What stands at each place of a release, its parts by their ids or tracks."""

    def part(each: object, position: int) -> str:
        known = each if isinstance(each, dict) else {}
        return str(known.get("id", known.get("track", position)))

    return dict(leaves(release.model_dump(exclude={"program"}), part=part))


def _is_close(one: object, other: object) -> bool:
    if not (isinstance(one, float) and isinstance(other, float)):
        return False
    return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
