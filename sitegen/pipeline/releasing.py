"""Locking a snapshot of all boards."""

from datetime import date
from pathlib import Path

from sitegen.board.releases import release_of
from sitegen.models.release import Release
from sitegen.pipeline.judging import Judged, judge
from sitegen.problems import ProblemsError, UsageError, errors_of
from sitegen.publish.project import program_version
from sitegen.publish.records import toml
from sitegen.publish.transaction import snapshot_of, transaction
from sitegen.store.folder import Progress
from sitegen.store.layout import RELEASES
from sitegen.store.provenance import FIRST, ZONES
from sitegen.store.releases import locked_files


def release_now(judged: Judged, day: date, title: str) -> Release:
    """Give the release that locks boards as they are.

    Args:
        judged: The results, whole.
        day: The release's date.
        title: What it is called; empty where it has only its date.
    """
    files = {
        (results.benchmark.id, bundle.id): locked_files(bundle)
        for results in judged.results.benchmarks
        for bundle in results.bundles
    }
    return release_of(judged.boards, files, day, title, program_version())


def lock(folder: Path, day: date, title: str, today: date, progress: Progress | None = None) -> tuple[Path, Release]:
    """Lock the boards of a results folder as they are, in a file of its own beside the benchmarks.

    Args:
        folder: The results folder.
        day: The release's date.
        title: What it is called; empty where it has only its date.
        today: The day on which it is locked, and waivers are looked at.
        progress: Told of each bundle before it is read.

    Returns:
        The file, and what it holds.

    Raises:
        ProblemsError: The results have errors.
        UsageError: There is a release of that day or of a later one: what is locked stays, and comes in order. Or the
            day lies ahead, so that no other release could be made until then, or before there was anything to lock. Or
            another command locked the same day meanwhile.
    """
    since = snapshot_of(folder / RELEASES)
    judged = judge(folder, today, progress)
    errors = errors_of(judged.problems())
    if errors or not judged.boards:
        raise ProblemsError(judged.problems())
    if day < FIRST:
        raise UsageError(f"{day} is before {FIRST}; a release is dated the day on which it is locked")
    if day > today + ZONES:
        raise UsageError(f"{day} lies ahead; a release is dated the day on which it is locked")
    last = max((each.date for each in judged.results.releases), default=None)
    if last and day <= last:
        raise UsageError(f"there is a release of {last} already; a new one is dated later, and none is written again")
    release = release_now(judged, day, title)
    name = f"{day}.toml"
    with transaction(folder, since) as changes:
        changes.write(RELEASES, {name: toml(release).encode()})
    return folder / RELEASES / name, release
