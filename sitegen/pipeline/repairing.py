"""Repair mechanical faults of results until none remain."""

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path

from sitegen.pipeline.evaluating import Evaluation, evaluate, results_of, state_of
from sitegen.problems import Problem, errors_of, mends
from sitegen.problems.mends import LEFTOVERS, LineChanges
from sitegen.publish.machine.packing import checksums
from sitegen.publish.machine.transaction import snapshot_of, transaction
from sitegen.publish.results.repairs import Repair, Workbench, in_plain_lines, line_repair_for
from sitegen.reading.files import FILE_MISSING
from sitegen.store.compare.manifest_states import has_allowed_changes
from sitegen.store.compare.matching import has_same_bytes
from sitegen.store.files.layout import (
    ARRIVALS_FILE,
    BUNDLE_FILES,
    CHECKSUMS_FILE,
    MANIFEST_FILE,
    RELEASES_FOLDER,
    SUBMISSIONS_FOLDER,
)
from sitegen.store.files.raw_documents import read_document
from sitegen.store.readers.bundles import CHECKSUM_DIFFERS, CHECKSUM_SYNTAX, stated_checksums
from sitegen.store.readers.folder import Progress

LEFT_BY_SYSTEMS = (".DS_Store", "._*", "Thumbs.db", "desktop.ini")
"""Patterns of files that operating systems leave behind in folders."""


@dataclass(frozen=True, slots=True)
class Repairs:
    """The results to repair, and the published bundles among them."""

    path: Path
    """A results folder, a benchmark's folder or a bundle; files outside it are not changed."""
    day: date
    """The current day, on which waivers must hold."""
    published: Collection[Path] = ()
    """The full paths of an earlier state's bundles, which are not changed."""
    edited_as_allowed: Collection[Path] = ()
    """The published bundles whose manifest has an allowed edit, such as a shorter embargo.

    In them, only the checksum of the manifest may be updated.
    """

    def workbench(self, copy: Path | None = None) -> Workbench:
        """Return a workbench for the results folder, or for a copy of it."""
        path = self.path.resolve()
        results = results_of(path)
        root = copy or results
        published = [root / bundle.relative_to(results) for bundle in self.published]
        manifests = []
        for bundle in self.edited_as_allowed:
            manifests.append(root / bundle.relative_to(results) / MANIFEST_FILE)
        return Workbench(root, root / path.relative_to(results), published, manifests)


def repair(
    repairs: Repairs, report: Callable[[Repair], None], progress: Progress | None = None
) -> Evaluation:
    """Make all mechanical repairs, and return the repaired results.

    One repair can reveal the need for another, since a file is checked only once it can be read.
    Repairs are therefore made on a copy, which is checked again until no repair is left to make.
    Either all repairs are written or none.

    Args:
        repairs: The results to repair.
        report: Called with each repair after all repairs have been written.
        progress: Called with each bundle before it is read.
    """
    since = snapshot_of(repairs.path)
    evaluation = evaluate(repairs.path, repairs.day, progress, repairs.published)
    bench = repairs.workbench()
    _repair_all(bench, evaluation.problems())
    if not bench.repairs:
        return evaluation
    path = repairs.path.resolve()
    results = results_of(path)
    inside = path.relative_to(results)
    copied = (inside.parts[0], RELEASES_FOLDER, ARRIVALS_FILE) if inside.parts else (".",)
    done: list[Repair] = []
    with transaction(results, since) as changes:
        folder = results
        while bench.repairs:
            for step in bench.repairs:
                done.append(_move(step, folder, results))
            bench.write(changes)
            folder = changes.preview_copy(copied)
            bench = repairs.workbench(folder)
            rehearsed = evaluate(folder / inside, repairs.day, progress, repairs.published)
            _repair_all(bench, rehearsed.problems())
    for step in done:
        report(step)
    return evaluate(repairs.path, repairs.day, progress, repairs.published)


def _move(step: Repair, copy: Path, results: Path) -> Repair:
    """Return a repair of a copied file as a repair of the original file."""
    return replace(step, path=results / step.path.relative_to(copy))


def repairs_since(base: str, path: Path, results: Path, day: date) -> Repairs:
    """Return the repairs that may be made at a path without changing an earlier state's bundles.

    The earlier state is named as in `state_of`. In its bundles, only the checksum of a manifest
    with an allowed edit may be updated.

    Raises:
        UsageError: The earlier state does not exist, or the revision has no such folder.
    """
    bundles = []
    edited_as_allowed = []
    with state_of(base, results) as folder:
        for manifest_before in folder.glob(f"*/{SUBMISSIONS_FOLDER}/*/{MANIFEST_FILE}"):
            manifest_after = results / manifest_before.relative_to(folder)
            # `Path.resolve` raises an error for a link that leads to itself.
            bundle = Path(os.path.realpath(manifest_after)).parent
            bundles.append(bundle)
            if _has_allowed_edit(manifest_before, bundle / MANIFEST_FILE):
                edited_as_allowed.append(bundle)
    return Repairs(path, day, bundles, edited_as_allowed)


def _has_allowed_edit(path_before: Path, path_after: Path) -> bool:
    """Return whether a published manifest has changes, but only those that are always allowed."""
    if not path_after.is_file() or has_same_bytes(path_before, path_after):
        return False
    before = read_document(path_before)
    after = read_document(path_after)
    if before is None or after is None:
        return False
    return has_allowed_changes(before, after)


def declined(repairs: Repairs, problems: Sequence[Problem]) -> Iterator[str]:
    """Yield a sentence for each bundle whose checksums are left unchanged, with the reason."""
    for folder in _folders_with_wrong_checksums(problems):
        other_codes = set()
        for error in _errors_in(folder, problems):
            if not _is_about_checksums(error):
                other_codes.add(error.code)
        if folder in repairs.published:
            reason = "the bundle is published: restore its files as they were"
        elif other_codes:
            reason = f"the bundle has other problems: {', '.join(sorted(other_codes))}"
        else:
            continue
        yield f"the checksums of {folder.name} are left unchanged, because {reason}"


def count_mendable(repairs: Repairs, problems: Sequence[Problem]) -> int:
    """Return the number of problems that the first pass of `repair` would solve."""
    if not any(problem.mend for problem in problems):
        return 0
    repaired = _repair_all(repairs.workbench(), problems)
    return len(repaired)


def _repair_all(bench: Workbench, problems: Sequence[Problem]) -> list[Problem]:
    """Make all mechanical repairs, and return the problems that were solved.

    Checksums come last, because wrong checksums may indicate damage if a bundle has other errors.
    """
    repaired = [problem for problem in problems if _repair_problem(bench, problem)]
    remaining = [problem for problem in problems if problem not in repaired]
    for folder in _folders_with_wrong_checksums(remaining):
        errors = _errors_in(folder, remaining)
        if bench.has_allowed_edit(folder / MANIFEST_FILE):
            repaired += _renew_manifest_checksum(bench, folder, errors)
            continue
        has_checksum_errors_only = all(map(_is_about_checksums, errors))
        if not has_checksum_errors_only or not bench.is_in_scope(folder / CHECKSUMS_FILE):
            continue
        repaired += errors
        # A repaired bundle is checked again before its checksums are written.
        if not bench.has_changes_in(folder):
            _write_checksums(bench, folder, errors)
    return repaired


def _folders_with_wrong_checksums(problems: Iterable[Problem]) -> list[Path]:
    """Return the bundles whose checksums have problems, in the order of the problems."""
    folders = [problem.path.parent for problem in problems if _is_about_checksums(problem)]
    return list(dict.fromkeys(folders))


def _errors_in(folder: Path, problems: Iterable[Problem]) -> list[Problem]:
    return [error for error in errors_of(problems) if error.path.is_relative_to(folder)]


def _repair_problem(bench: Workbench, problem: Problem) -> bool:
    """Repair a problem if that is mechanical and allowed; return whether it was repaired."""
    mend = problem.mend
    path = problem.path
    if mend is None or not bench.is_in_scope(path):
        return False
    if mend.repair:
        if bench.can_repair(path) and bench.mend(path, mend.repair):
            bench.mend(path, line_repair_for(path))
        repaired_lines = {step.line for step in bench.repairs if step.path == path}
        return repaired_lines.issuperset(problem.lines)
    if mend == LEFTOVERS:
        return _remove_leftover(bench, path)
    return problem.code == CHECKSUM_DIFFERS.code and _restore_line_ends(bench, path.parent)


def _remove_leftover(bench: Workbench, path: Path) -> bool:
    """Remove a file if an operating system left it behind; return whether it was removed."""
    for pattern in LEFT_BY_SYSTEMS:
        if fnmatchcase(path.name, pattern) and bench.can_repair(path):
            bench.remove(path)
            return True
    return False


def _restore_line_ends(bench: Workbench, folder: Path) -> bool:
    """Restore line ends so that files match their checksums; return whether any changed."""
    steps_before = len(bench.repairs)
    for name, stated in stated_checksums(folder).items():
        path = folder / name
        if not bench.can_repair(path):
            continue
        content = bench.data(path)
        if _digest(content) == stated:
            continue
        for tidy in (in_plain_lines, line_repair_for(path)):
            if _digest(tidy(content)[0]) == stated:
                bench.mend(path, tidy)
                break
    return len(bench.repairs) > steps_before


def _write_checksums(bench: Workbench, folder: Path, errors: Sequence[Problem]) -> None:
    """Write the checksums of a bundle's current files, which are assumed to be correct."""
    stated = stated_checksums(folder)
    paths = []
    for name in sorted(BUNDLE_FILES - {CHECKSUMS_FILE}):
        if bench.can_repair(folder / name):
            paths.append(folder / name)
    done: LineChanges = []
    for error in errors:
        if error.code == CHECKSUM_SYNTAX.code:
            done.append((error.line, f"removed, {error.what}"))
    for path in paths:
        if _digest(bench.data(path)) == stated.get(path.name):
            continue
        bench.mend(path, line_repair_for(path))
        outcome = "added"
        if path.name in stated:
            outcome = "updated: the current file is assumed to be right"
        done.append((None, f"checksum of {path.name} {outcome}"))
    files = {path.name: bench.data(path) for path in paths}
    bench.put(folder / CHECKSUMS_FILE, checksums(files), done)


def _renew_manifest_checksum(
    bench: Workbench, folder: Path, errors: Sequence[Problem]
) -> list[Problem]:
    """Update the checksum of a manifest with an allowed edit, and return the solved problems.

    The checksum is not updated if another checksum of the bundle is wrong.
    """
    checksum_errors = list(filter(_is_about_checksums, errors))
    if [error.code for error in checksum_errors] != [CHECKSUM_DIFFERS.code]:
        return []
    stated = stated_checksums(folder).get(MANIFEST_FILE)
    if stated is None or not bench.renew_checksum(folder / MANIFEST_FILE, stated):
        return []
    return checksum_errors


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _is_about_checksums(problem: Problem) -> bool:
    """Return whether writing a bundle's checksums solves a problem."""
    if problem.code == FILE_MISSING.code:
        # If the problem has a line, a listed file is missing, not the list.
        return problem.path.name == CHECKSUMS_FILE and problem.line is None
    return problem.mend == mends.CHECKSUMS
