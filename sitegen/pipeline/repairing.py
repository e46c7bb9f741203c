"""Repairing results: what is mechanical follows from the problems, and is mended until nothing of it is left."""

import hashlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - as in the models
from fnmatch import fnmatchcase
from itertools import filterfalse
from pathlib import Path

from sitegen.pipeline.judging import Judged, judge, results_of, state_of
from sitegen.problems import Problem, errors_of
from sitegen.publish.benchmarks import checksums
from sitegen.publish.repairs import (
    Done,
    Repair,
    TextRepair,
    Workbench,
    in_plain_lines,
    one_after_the_other,
    without_blank_lines,
    without_mark,
    without_repeats,
)
from sitegen.publish.transaction import snapshot_of, transaction
from sitegen.reading.rules import FILE_MISSING, TEXT_MARKED
from sitegen.store import evidence_rules, rules, structure_rules
from sitegen.store.benchmarks import SUBMISSIONS
from sitegen.store.checksums import stated_checksums
from sitegen.store.definitions import RELEASES
from sitegen.store.folder import Progress
from sitegen.store.parts import CHECKSUMS, KNOWN, MANIFEST

Mending = Callable[[Workbench, Problem], bool]
"""Mends what a problem tells, where that is mechanical; says whether it is."""

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
        """Give a place to repair at.

        Args:
            stand: The results folder, where that is a copy.
        """
        path = self.path.resolve()
        results = results_of(path)
        root, *kept = ((stand or results) / each.relative_to(results) for each in (path, *self.kept))
        return Workbench(stand or results, root, kept)


def repair(repairs: Repairs, tell: Callable[[Repair], None], progress: Progress | None = None) -> Judged:
    """Mend what is mechanical, all of it or nothing, and judge what came of it.

    One repair lets others be seen: a file is read when it can be. So it is done to a copy until there is nothing left
    to mend.

    Args:
        repairs: What is to be repaired.
        tell: Told of each repair, once all are done.
        progress: Told of each bundle before it is read.

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
            done += [replace(each, path=results / each.path.relative_to(stand)) for each in bench.done]
            bench.write(arrival)
            stand = arrival.rehearsed((inside.parts[0], RELEASES) if inside.parts else (".",))
            bench = repairs.bench(stand)
            _mend(bench, judge(stand / inside, repairs.day, progress, repairs.kept).problems())
    for each in done:
        tell(each)
    return judge(repairs.path, repairs.day, progress, repairs.kept)


def published_at(base: str, results: Path) -> list[Path]:
    """Give the bundles that stood in an earlier state already: published ones are not edited.

    Args:
        base: The earlier state: a results folder, or a revision of the git repository around the working directory.
        results: The results folder, as seen from the working directory.

    Raises:
        UsageError: The earlier state is neither, or the revision has no such folder.
    """
    with state_of(base, results) as folder:
        found = [each.relative_to(folder) for each in folder.glob(f"*/{SUBMISSIONS}/*/{MANIFEST}")]
    return [Path(os.path.realpath(results / each)).parent for each in found]  # a link may lead to itself


def declined(repairs: Repairs, problems: Sequence[Problem]) -> Iterator[str]:
    """Say which checksums were left as they are, and why.

    Args:
        repairs: What was repaired.
        problems: What is wrong still.
    """
    for folder in dict.fromkeys(problem.path.parent for problem in filter(_is_about_checksums, problems)):
        why = _reason_to_leave(repairs, folder, problems)
        if why:
            yield f"the checksums of {folder.name} stay as they are, since {why}"


def _reason_to_leave(repairs: Repairs, folder: Path, problems: Sequence[Problem]) -> str:
    """Say why the checksums of a bundle are not written; empty where nothing keeps them from it."""
    if folder in repairs.kept:
        return "the bundle is published; where its `[status]` changed, renew them by hand"
    inside = (problem for problem in errors_of(problems) if problem.path.is_relative_to(folder))
    others = sorted({problem.code for problem in filterfalse(_is_about_checksums, inside)})
    return f"something else is wrong: {', '.join(others)}" if others else ""


def count_mendable(repairs: Repairs, problems: Sequence[Problem]) -> int:
    """Tell how many problems `repair` would mend, as far as that can be told before the first repair.

    Args:
        repairs: What would be repaired.
        problems: What is wrong with it.
    """
    if REPAIRED.keys().isdisjoint(problem.code for problem in problems):
        return 0
    return len(_mend(repairs.bench(), problems))


def _mend(bench: Workbench, problems: Sequence[Problem]) -> list[Problem]:
    """Mend what is mechanical. Checksums come last: where anything else is wrong, they may tell of damage."""
    mended = [problem for problem in problems if _is_mended(bench, problem)]
    left = [problem for problem in problems if problem not in mended]
    for folder in dict.fromkeys(problem.path.parent for problem in filter(_is_about_checksums, left)):
        mended += _sealed(bench, folder, left)
    return mended


def _sealed(bench: Workbench, folder: Path, problems: Sequence[Problem]) -> list[Problem]:
    """Write the checksums of a bundle, if nothing else is wrong with it, and give the problems that this mends."""
    errors = [problem for problem in errors_of(problems) if problem.path.is_relative_to(folder)]
    told = list(filter(_is_about_checksums, errors))
    if len(told) < len(errors) or not bench.holds(folder / CHECKSUMS):
        return []
    if not bench.is_changed(folder):  # what is changed is looked at once more before
        _seal(bench, folder, told)
    return told


def _is_mended(bench: Workbench, problem: Problem) -> bool:
    """Mend what a problem tells, where that is mechanical and the file is to be repaired."""
    mending = _MENDINGS.get(problem.code)
    return bool(mending and bench.holds(problem.path) and mending(bench, problem))


def _text(repairing: TextRepair) -> Mending:
    """Mend a text, and the ends of its lines with it."""

    def mend(bench: Workbench, problem: Problem) -> bool:
        path = problem.path
        if bench.takes(path) and bench.mend(path, repairing):
            bench.mend(path, _tidied(path))
        lines = {each.line for each in bench.done if each.path == path}
        return lines.issuperset(problem.lines)

    return mend


def _cleared(bench: Workbench, problem: Problem) -> bool:
    """Remove what an operating system left."""
    is_left = any(fnmatchcase(problem.path.name, name) for name in LEFT_BY_SYSTEMS)
    if is_left and bench.takes(problem.path):
        bench.remove(problem.path)
        return True
    return False


def _restored(bench: Workbench, problem: Problem) -> bool:
    """Give files back the line ends that they had when their checksum was made."""
    folder = problem.path.parent
    before = len(bench.done)
    for name, stated in stated_checksums(folder).items():
        path = folder / name
        if bench.takes(path) and _digest(bench.data(path)) != stated:
            fitting = (each for each in (in_plain_lines, _tidied(path)) if _digest(each(bench.data(path))[0]) == stated)
            bench.mend(path, next(fitting, _unchanged))
    return len(bench.done) > before


def _seal(bench: Workbench, folder: Path, told: Sequence[Problem]) -> None:
    """Write the checksums of a bundle's files as they are: who asks for repairs says that they are meant."""
    stated = stated_checksums(folder)
    paths = list(filter(bench.takes, sorted(folder / name for name in KNOWN - {CHECKSUMS})))
    done: Done = [(each.line, f"removed, {each.what}") for each in told if each.code == rules.CHECKSUM_SYNTAX.code]
    for path in paths:
        if _digest(bench.data(path)) != stated.get(path.name):
            bench.mend(path, _tidied(path))
            done.append((None, _SEALED[path.name in stated].format(path.name)))
    bench.put(folder / CHECKSUMS, checksums({path.name: bench.data(path) for path in paths}), done)


_SEALED = {
    False: "checksum of {} added",
    True: "checksum of {} renewed: the file is taken for the one that is meant",
}


def _tidied(path: Path) -> TextRepair:
    """Tell how a file's lines are tidied; packed ones are left as they are."""
    if path.suffix == ".jsonl":
        return one_after_the_other(in_plain_lines, without_blank_lines)
    return in_plain_lines


def _unchanged(text: bytes) -> tuple[bytes, Done]:
    return text, []


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _is_about_checksums(problem: Problem) -> bool:
    if problem.code == FILE_MISSING.code:
        return problem.path.name == CHECKSUMS and problem.line is None  # with a line, another file is missing
    return problem.code in _ABOUT_CHECKSUMS


_ABOUT_CHECKSUMS = {rules.CHECKSUM_DIFFERS.code, rules.CHECKSUM_MISSING.code, rules.CHECKSUM_SYNTAX.code}

_MENDINGS: Mapping[str, Mending] = {
    TEXT_MARKED.code: _text(without_mark),
    rules.ROUND_TWICE.code: _text(without_repeats),
    rules.RUN_TWICE.code: _text(without_repeats),
    evidence_rules.FAILURE_TWICE.code: _text(without_repeats),
    rules.FILE_UNEXPECTED.code: _cleared,
    structure_rules.FILE_HIDDEN.code: _cleared,
    rules.CHECKSUM_DIFFERS.code: _restored,
}
"""What is done about a problem, by its code."""

_REPEATS = "removes lines that say what another line says, byte by byte"
_LEFT = "removes what operating systems leave"
_SUMS = "writes SHA256SUMS, where nothing else is wrong with the bundle"

REPAIRED: Mapping[str, str] = {
    TEXT_MARKED.code: "removes the mark",
    **dict.fromkeys((rules.ROUND_TWICE.code, rules.RUN_TWICE.code, evidence_rules.FAILURE_TWICE.code), _REPEATS),
    **dict.fromkeys((rules.FILE_UNEXPECTED.code, structure_rules.FILE_HIDDEN.code), _LEFT),
    **dict.fromkeys((*_ABOUT_CHECKSUMS, FILE_MISSING.code), _SUMS),
}
"""What a repair does about problems, by their code."""
