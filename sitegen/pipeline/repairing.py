"""Repairing results: what is mechanical follows from the problems, and is mended until nothing of it is left."""

import hashlib
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - as in the models
from fnmatch import fnmatchcase
from itertools import filterfalse
from pathlib import Path

from sitegen.pipeline.judging import Judged, judge, results_of, state_of
from sitegen.problems import Problem, errors_of, mends
from sitegen.problems.mends import LEFTOVERS, Done
from sitegen.publish.packing import checksums
from sitegen.publish.repairs import Repair, Workbench, in_plain_lines, tidied
from sitegen.publish.transaction import snapshot_of, transaction
from sitegen.reading.files import FILE_MISSING
from sitegen.store.bundles import CHECKSUM_DIFFERS, CHECKSUM_SYNTAX, stated_checksums
from sitegen.store.folder import Progress
from sitegen.store.layout import ARRIVALS, CHECKSUMS, KNOWN, MANIFEST, RELEASES, SUBMISSIONS

LEFT_BY_SYSTEMS = (".DS_Store", "._*", "Thumbs.db", "desktop.ini")
"""Files that operating systems leave in folders."""


@dataclass(frozen=True, slots=True)
class Repairs:
    """What is to be repaired.

    Attributes:
        path: A results folder, a benchmark's folder or a bundle; nothing outside of it is touched.
        day: The day on which waivers are to hold.
        kept: Bundles that were there before and stay as they are, by their full paths.
    """

    path: Path
    day: Date
    kept: Collection[Path] = ()

    def bench(self, stand: Path | None = None) -> Workbench:
        """Give a place to repair at."""
        path = self.path.resolve()
        results = results_of(path)
        root, *kept = (
            (stand or results) / each.relative_to(results) for each in (path, *self.kept)
        )
        return Workbench(stand or results, root, kept)


def repair(
    repairs: Repairs, tell: Callable[[Repair], None], progress: Progress | None = None
) -> Judged:
    """Mend what is mechanical, all of it or nothing, and judge what came of it.

    One repair lets others be seen: a file is read when it can be. So it is done to a copy until there is nothing left
    to mend.

    Returns:
        The results as they then are.
    """
    since = snapshot_of(repairs.path)
    judged = judge(repairs.path, repairs.day, progress, repairs.kept)
    bench = repairs.bench()
    _mend(bench, judged.problems())
    if not bench.done:
        return judged
    path = repairs.path.resolve()
    results = results_of(path)
    inside = path.relative_to(results)
    done: list[Repair] = []
    with transaction(results, since) as arrival:
        stand = results
        while bench.done:
            done += [
                replace(each, path=results / each.path.relative_to(stand)) for each in bench.done
            ]
            bench.write(arrival)
            stand = arrival.rehearsed(
                (inside.parts[0], RELEASES, ARRIVALS) if inside.parts else (".",)
            )
            bench = repairs.bench(stand)
            _mend(bench, judge(stand / inside, repairs.day, progress, repairs.kept).problems())
    for each in done:
        tell(each)
    return judge(repairs.path, repairs.day, progress, repairs.kept)


def published_at(base: str, results: Path) -> list[Path]:
    """The bundles that stood in an earlier state already, named as in `state_of`: published ones are not edited.

    Raises:
        UsageError: The earlier state is neither, or the revision has no such folder.
    """
    with state_of(base, results) as folder:
        found = [each.relative_to(folder) for each in folder.glob(f"*/{SUBMISSIONS}/*/{MANIFEST}")]
    return [
        Path(os.path.realpath(results / each)).parent for each in found
    ]  # a link may lead to itself


def declined(repairs: Repairs, problems: Sequence[Problem]) -> Iterator[str]:
    """Which checksums were left as they are, and why."""
    for folder in dict.fromkeys(
        problem.path.parent for problem in filter(_is_about_checksums, problems)
    ):
        inside = (problem for problem in errors_of(problems) if problem.path.is_relative_to(folder))
        others = sorted({problem.code for problem in filterfalse(_is_about_checksums, inside)})
        why = f"something else is wrong: {', '.join(others)}" if others else ""
        if folder in repairs.kept:
            why = "the bundle is published; where its `[status]` changed, renew them by hand"
        if why:
            yield f"the checksums of {folder.name} stay as they are, since {why}"


def count_mendable(repairs: Repairs, problems: Sequence[Problem]) -> int:
    """How many problems `repair` would mend, as far as that can be told before the first repair."""
    if not any(problem.mend for problem in problems):
        return 0
    return len(_mend(repairs.bench(), problems))


def _mend(bench: Workbench, problems: Sequence[Problem]) -> list[Problem]:
    """Mend what is mechanical. Checksums come last: where anything else is wrong, they may tell of damage."""
    mended = [problem for problem in problems if _is_mended(bench, problem)]
    left = [problem for problem in problems if problem not in mended]
    for folder in dict.fromkeys(
        problem.path.parent for problem in filter(_is_about_checksums, left)
    ):
        errors = [problem for problem in errors_of(left) if problem.path.is_relative_to(folder)]
        told = list(filter(_is_about_checksums, errors))
        if len(told) == len(errors) and bench.holds(folder / CHECKSUMS):
            mended += told
            if not bench.is_changed(folder):  # what is changed is looked at once more before
                _seal(bench, folder, told)
    return mended


def _is_mended(bench: Workbench, problem: Problem) -> bool:
    """Mend what a problem tells, where that is mechanical and the file is to be repaired."""
    mend, path = problem.mend, problem.path
    if mend is None or not bench.holds(path):
        return False
    if mend.repair:
        if bench.takes(path) and bench.mend(path, mend.repair):
            bench.mend(path, tidied(path))
        return {each.line for each in bench.done if each.path == path}.issuperset(problem.lines)
    if mend == LEFTOVERS:
        is_left = bench.takes(path) and any(
            fnmatchcase(path.name, name) for name in LEFT_BY_SYSTEMS
        )
        if is_left:
            bench.remove(path)
        return is_left
    return problem.code == CHECKSUM_DIFFERS.code and _is_restored(bench, path.parent)


def _is_restored(bench: Workbench, folder: Path) -> bool:
    """Give files back the line ends that they had when their checksum was made."""
    before = len(bench.done)
    for name, stated in stated_checksums(folder).items():
        path = folder / name
        if bench.takes(path) and _digest(bench.data(path)) != stated:
            fitting = (
                each
                for each in (in_plain_lines, tidied(path))
                if _digest(each(bench.data(path))[0]) == stated
            )
            found = next(fitting, None)
            if found:
                bench.mend(path, found)
    return len(bench.done) > before


def _seal(bench: Workbench, folder: Path, told: Sequence[Problem]) -> None:
    """Write the checksums of a bundle's files as they are: who asks for repairs says that they are meant."""
    stated = stated_checksums(folder)
    paths = list(filter(bench.takes, sorted(folder / name for name in KNOWN - {CHECKSUMS})))
    done: Done = [
        (each.line, f"removed, {each.what}") for each in told if each.code == CHECKSUM_SYNTAX.code
    ]
    for path in paths:
        if _digest(bench.data(path)) != stated.get(path.name):
            bench.mend(path, tidied(path))
            renewed = (
                "renewed: the file is taken for the one that is meant"
                if path.name in stated
                else "added"
            )
            done.append((None, f"checksum of {path.name} {renewed}"))
    bench.put(folder / CHECKSUMS, checksums({path.name: bench.data(path) for path in paths}), done)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _is_about_checksums(problem: Problem) -> bool:
    if problem.code == FILE_MISSING.code:
        return (
            problem.path.name == CHECKSUMS and problem.line is None
        )  # with a line, another file is missing
    return problem.mend == mends.CHECKSUMS
