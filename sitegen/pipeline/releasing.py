"""Locking a snapshot of all boards, and holding results to what was locked and published."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from sitegen.board.differences import differing, dotted, leaves
from sitegen.board.releases import release_of
from sitegen.models.journal import Arrival
from sitegen.models.release import Release
from sitegen.pipeline.judging import Judged, judge, require_no_link, state_of
from sitegen.problems import Problem, ProblemsError, Statement, UsageError, errors_of
from sitegen.publish.project import program_version
from sitegen.publish.records import json_lines, toml
from sitegen.publish.transaction import snapshot_of, transaction
from sitegen.reading.shape import Location
from sitegen.store.changed_parts import read_request
from sitegen.store.folder import Progress, kind_of
from sitegen.store.history import HISTORY_RELEASE, history_problems
from sitegen.store.journals import bundle_digest, line_digest, read_arrivals
from sitegen.store.layout import ARRIVALS, RELEASES
from sitegen.store.ownership import request_line
from sitegen.store.provenance import FIRST, ZONES
from sitegen.store.releases import locked_files, read_releases


def _arrived(judged: Judged, today: date) -> tuple[bytes, str | None]:
    """Write arrivals.jsonl with a line more for each bundle that it lacks, and name its last line.

    Raises:
        ProblemsError: The file is broken.
    """
    folder = judged.results.path
    lines, problems = read_arrivals(folder)
    if problems:
        raise ProblemsError(tuple(problems))
    raw, seen = list(lines.raw), {each.bundle for each in lines.records}
    for results in judged.results.benchmarks:
        bundles = {bundle.id: bundle for bundle in results.bundles}
        for name in results.arrivals.sorted(bundles):
            told = f"{results.path.name}/{name}"
            if told not in seen:
                before = line_digest(raw[-1] if raw else b"")
                digest = bundle_digest(bundles[name].path)
                raw += json_lines(
                    [Arrival(len(raw) + 1, told, digest, str(today), before)]
                ).splitlines()
    return b"".join(line + b"\n" for line in raw), line_digest(raw[-1]) if raw else None


def record_arrivals(folder: Path, today: date, progress: Progress | None = None) -> Path:
    """Write down which bundles of a results folder are new; raises ProblemsError where it has errors."""
    since = snapshot_of(folder)
    judged = _sound(folder, today, progress)
    with transaction(folder, since) as changes:
        changes.write(".", {ARRIVALS: _arrived(judged, today)[0]})
    return folder / ARRIVALS


def _sound(folder: Path, today: date, progress: Progress | None) -> Judged:
    judged = judge(folder, today, progress)
    if errors_of(judged.problems()) or not judged.boards:
        raise ProblemsError(judged.problems())
    return judged


def release_now(judged: Judged, day: date, title: str) -> Release:
    """Give the release that locks boards as they are."""
    files = {
        (results.benchmark.id, bundle.id): locked_files(bundle)
        for results in judged.results.benchmarks
        for bundle in results.bundles
    }
    return release_of(judged.boards, files, day, title, program_version())


def lock(
    folder: Path, day: date, title: str, today: date, progress: Progress | None = None
) -> tuple[Path, Release]:
    """Lock the boards of a results folder as they are, in a file of its own beside the benchmarks.

    Returns:
        The file, and what it holds.

    Raises:
        ProblemsError: The results have errors.
        UsageError: There is a release of that day or of a later one: what is locked stays, and comes in order. Or the
            day lies ahead, so that no other release could be made until then, or before there was anything to lock. Or
            another command locked the same day meanwhile.
    """
    since = snapshot_of(folder)
    judged = _sound(folder, today, progress)
    if day < FIRST:
        raise UsageError(
            f"{day} is before {FIRST}; a release is dated the day on which it is locked"
        )
    if day > today + ZONES:
        raise UsageError(f"{day} lies ahead; a release is dated the day on which it is locked")
    last = max((each.date for each in judged.results.releases), default=None)
    if last and day <= last:
        raise UsageError(
            f"there is a release of {last} already; a new one is dated later, and none is written again"
        )
    arrivals, head = _arrived(judged, today)
    release = release_now(judged, day, title).model_copy(update={"arrivals": head})
    name = f"{day}.toml"
    with transaction(folder, since) as changes:
        changes.write(RELEASES, {name: toml(release).encode()})
        if head:
            changes.write(".", {ARRIVALS: arrivals})
    return folder / RELEASES / name, release


@dataclass(frozen=True, slots=True)
class History:
    """What became of published results since an earlier state."""

    request: Statement | None
    """What kind of change it is; None where only a part of the results is looked at."""
    problems: Sequence[Problem]


def history_of(judged: Judged, part: Path, base: str, results: Path, day: date) -> History:
    """Say what published results lost or had changed since an earlier state.

    Raises:
        UsageError: The earlier state is neither a results folder nor a revision that has one, or the later is a link.
    """
    require_no_link(part)
    with state_of(base, results) as folder:
        if kind_of(folder) in {"benchmark", "submissions", "bundle"}:
            raise UsageError(
                f"{base} is no results folder; name the folder that holds the benchmarks' folders"
            )
        request = read_request(folder, judged.results.path)
        found = list(history_problems(folder, judged.results.path, request))
        line = None
        if part.resolve() == judged.results.path:
            line = request_line(request)
            days = [release.date for release in read_releases(folder / RELEASES)[0]]
            found += new_release_problems(judged, days, day)
    return History(
        line, [problem for problem in found if problem.path.is_relative_to(part.resolve())]
    )


_PASSED_OVER = {"first", "last", "formerly"}
"""What hangs on thousands of draws, which another machine may sum up otherwise in the last digit; and what no release
has written."""
_CLOSE = 1e-4

_FIX = (
    "write it with `sitegen release`, on the day, and in a commit that changes no results after it"
)


def new_release_problems(judged: Judged, known: Collection[date], day: date) -> Iterator[Problem]:
    """Say which new releases lie ahead or behind others, or are not what `sitegen release` would write."""
    new = [release for release in judged.results.releases if release.date not in known]
    is_sound = (
        not errors_of(judged.problems()) if new else True
    )  # else there is nothing to compare with
    for release in new:
        path, name = (
            judged.results.path / RELEASES / f"{release.date}.toml",
            f"the release {release.date} is new",
        )
        if not FIRST <= release.date <= day + ZONES:
            side = f"is dated before {FIRST}" if release.date < FIRST else "lies ahead"
            yield HISTORY_RELEASE.broken(path, None, f"{name}, and {side}", _FIX)
        later = max((each for each in known if each > release.date), default=None)
        if later:
            yield HISTORY_RELEASE.broken(
                path, None, f"{name}, and there was one of {later} already", _FIX
            )
        now = release_now(judged, release.date, release.title) if is_sound else release
        found = [
            dotted(place)
            for place, said, is_so in differing(_said(release), _said(now))
            if place[-1] not in _PASSED_OVER and not _is_close(said, is_so)
        ]
        if found:
            what = f"{name}, and says otherwise than the boards in {len(found)} places: {'; '.join(found[:3])}"
            yield HISTORY_RELEASE.broken(path, None, what, _FIX)


def _said(release: Release) -> dict[Location, object]:
    """What stands at each place of a release, its parts by their ids or tracks."""

    def part(each: object, position: int) -> str:
        known = each if isinstance(each, dict) else {}
        return str(known.get("id", known.get("track", position)))

    return dict(leaves(release.model_dump(exclude={"program", "arrivals"}), part=part))


def _is_close(one: object, other: object) -> bool:
    if not (isinstance(one, float) and isinstance(other, float)):
        return False
    return math.isclose(one, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
