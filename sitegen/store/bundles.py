"""Reads bundles, each one submission's folder: several at a time where that pays."""

import multiprocessing
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Protocol

from sitegen.models.benchmark import BESIDE_SUBMISSIONS
from sitegen.models.consistency import breaches, fraction_problems
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.record import is_slug, share
from sitegen.models.results import Bundle
from sitegen.models.submission import Submission
from sitegen.models.task import TaskSet
from sitegen.problems import Problem, ProblemsError, Rule, limited, mends, reasons
from sitegen.reading.files import FILE_MISSING, MEGABYTE, read_text, sha256_of
from sitegen.reading.json import LineKind, Lines, empty_problem, read_lines
from sitegen.reading.privacy import email_problems, file_problems, private_problems
from sitegen.reading.shape import SLUG_INVALID
from sitegen.reading.toml import Document, read_toml
from sitegen.store import layout
from sitegen.store.cases import (
    Listing,
    cause_problems,
    detail_problems,
    failure_problems,
    listing_problems,
)
from sitegen.store.costs import cost_problems
from sitegen.store.entering import Setting, entering_problems, track_problems
from sitegen.store.failures import Failures, read_failures
from sitegen.store.findings import FINDING_UNDONE, emptying, redacted_tasks, stone_of, undone
from sitegen.store.provenance import provenance_problems

_TIDY = partial(Rule.error, unwaivable=reasons.TIDY)
CHECKSUM_DIFFERS = _TIDY(
    "CHECKSUM-DIFFERS",
    "Every file has the checksum that SHA256SUMS states.",
    "restore the file, or run `sha256sum` over the bundle's files again if the change is meant",
    mend=mends.CHECKSUMS,
)
CHECKSUM_MISSING = _TIDY(
    "CHECKSUM-MISSING",
    "SHA256SUMS lists every file of the bundle.",
    "run `sha256sum` over the bundle's files and write the result to SHA256SUMS",
    mend=mends.CHECKSUMS,
)
CHECKSUM_SYNTAX = _TIDY(
    "CHECKSUM-SYNTAX",
    "A line of SHA256SUMS is a SHA-256 in hexadecimal, two blanks and a file's name.",
    "write the file with `sha256sum`",
    mend=mends.CHECKSUMS,
)

_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](?:\./)?([^/\\\0]+)")
"""A checksum, and the name of a file that lies in the folder itself."""


def checksum_problems(folder: Path) -> list[Problem]:
    """Which files differ from their checksum or lack one; and of those that no bundle needs, which are missing."""
    path = folder / layout.CHECKSUMS
    text, problems = read_text(path)
    if text is None:
        return problems
    stated = _stated(text)
    broken = (
        CHECKSUM_SYNTAX.broken(
            path, number, f'"{line[:60]}" is no checksum of a file in this folder'
        )
        for number, line in _numbered(text)
        if line.strip() and not _LINE.fullmatch(line)
    )
    differing: list[Problem] = []
    for name, (number, checksum) in stated.items():
        try:
            found = sha256_of(folder / name)
        except ProblemsError as error:  # what else keeps it from being read is told by who reads it
            if error.problems[0].code == FILE_MISSING.code and name not in layout.REQUIRED:
                what = f"{name} has a checksum but is missing"
                fix = "add the file, or remove its line from SHA256SUMS"
                differing.append(FILE_MISSING.broken(path, number, what, fix))
            continue
        if found != checksum:
            what = f"{name} has SHA-256 {found[:12]}…, but {checksum[:12]}… is stated"
            differing.append(CHECKSUM_DIFFERS.broken(path, number, what))
    there = {file.name for file in folder.iterdir()}
    unlisted = sorted((there & layout.KNOWN).difference(stated, {layout.CHECKSUMS}))
    missing = [CHECKSUM_MISSING.broken(path, None, f"{name} has no checksum") for name in unlisted]
    return [*limited(broken), *differing, *missing]


def stated_checksums(folder: Path) -> dict[str, str]:
    """The checksums that a bundle states, by the files' names; none where it states none that can be read."""
    text, _ = read_text(folder / layout.CHECKSUMS)
    return {name: checksum for name, (_, checksum) in _stated(text or "").items()}


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    return ((number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), start=1))


def _stated(text: str) -> dict[str, tuple[int, str]]:
    return {
        found[2]: (number, found[1].lower())
        for number, line in _numbered(text)
        if (found := _LINE.fullmatch(line))
    }


FOLDER_EMPTY = Rule.error(
    "FOLDER-EMPTY",
    "No bundle is an empty folder.",
    "add the bundle's files, or remove it",
    unwaivable=reasons.LOST,
)
BUNDLE_TOO_LARGE = Rule.error(
    "BUNDLE-TOO-LARGE",
    "The files of a bundle have at most 200 MB together.",
    "keep failures in `failures.jsonl.gz`, and shorten their longest texts",
)

LARGEST_BUNDLE = 200 * MEGABYTE
"""So much do the files of a bundle have together: two of the largest."""
_ROUNDS, _RUNS = LineKind(RoundResult), LineKind(RunFigures)


def _file_problems(
    manifest: Document[Submission],
    rounds: Lines[RoundResult],
    runs: Lines[RunFigures],
    failures: Failures,
) -> Iterator[Problem]:
    """What is wrong with the files of a bundle by themselves, and beside each other."""
    for each in (manifest, rounds, runs, failures):
        yield from each.problems
    for lines in (rounds, runs, failures):
        yield from lines.private
    yield from file_problems([manifest.path])
    yield from email_problems(manifest)
    path = manifest.path.with_name(layout.ROUNDS)
    for lines, name in ((runs, layout.RUNS), (failures, failures.path.name)):
        yield from [empty_problem(path.with_name(name))] if lines.is_empty else ()
    yield from limited(
        rule.broken(path, line, f"{what} (round {result.round} of {result.task})")
        for line, result in rounds.numbered
        for rule, what in breaches(result)
    )
    yield from cause_problems(path, rounds)
    yield from fraction_problems(path, rounds.numbered)
    yield from cost_problems(manifest, rounds, runs)


def _case_problems(
    manifest: Document[Submission],
    rounds: Lines[RoundResult],
    failures: Failures,
    tasks: TaskSet | None,
    redacted: frozenset[str],
) -> Iterator[Problem]:
    """What is wrong with what is told of cases; of `redacted` tasks no text is to be here, so none is missing."""
    texts = failures.log.texts.keys()
    for task in sorted(redacted & texts):
        yield FINDING_UNDONE.broken(
            failures.path, None, f"the texts of {task} were redacted, and are here"
        )
    listing = Listing(
        failures, [each for each in rounds.records if each.task not in redacted - texts]
    )
    yield from listing_problems(listing, rounds.refused)
    yield from failure_problems(listing, tasks)
    if not (rounds.refused or failures.refused or failures.problems):
        yield from detail_problems(manifest, listing)


def read_bundle(folder: Path, setting: Setting) -> "Read":
    """Read a bundle as far as it can be, None where manifest or rounds can't; and all that is wrong with it."""
    sizes = {file.name: file.lstat().st_size for file in folder.iterdir()}
    size, names = sum(sizes.values()), set(sizes)
    if size > LARGEST_BUNDLE:
        what = f"the files have {size / MEGABYTE:.1f} MB together, more than {LARGEST_BUNDLE // MEGABYTE}"
        return None, [BUNDLE_TOO_LARGE.broken(folder, None, what)]
    if not names:
        return None, list(_folder_problems(folder, names))
    path = folder / layout.MANIFEST
    manifest = (
        read_toml(path, Submission) if path.name in names else Document[Submission](path=path)
    )
    if manifest.is_newer:
        return None, list(manifest.problems)
    submission, track = manifest.record, setting.track(manifest.raw.get("track"))
    redactions = [each for each in setting.findings if each.redacts(folder.name)]
    if redaction := emptying(redactions):
        # What is left of a submission whose content was taken out: who it was of, and that it was there.
        told = [
            *_folder_problems(folder, names | {layout.ROUNDS}),
            *manifest.problems,
            *undone(folder, manifest),
        ]
        told += [*file_problems([manifest.path]), *email_problems(manifest)]
        if submission is None or track is None:
            return None, [*told, *track_problems(manifest, setting.benchmark)]
        return Bundle(
            folder.name, folder, stone_of(submission, redaction), (), problems=tuple(told)
        ), told
    rounds = (
        read_lines(folder / layout.ROUNDS, _ROUNDS, private_problems)
        if layout.ROUNDS in names
        else Lines()
    )
    runs = (
        read_lines(folder / layout.RUNS, _RUNS, private_problems)
        if layout.RUNS in names
        else Lines()
    )
    log = folder / next((name for name in layout.FAILURES if name in names), layout.FAILURES[0])
    failures, tasks = (
        read_failures(log) if log.name in names else Failures(path=log),
        setting.tasks_of(track),
    )
    problems = [*_folder_problems(folder, names), *_file_problems(manifest, rounds, runs, failures)]
    if track:
        problems += entering_problems(manifest, track, setting, rounds, runs)
    else:
        problems += track_problems(manifest, setting.benchmark)
    if rounds.records:
        problems += _case_problems(manifest, rounds, failures, tasks, redacted_tasks(redactions))
    problems += provenance_problems(manifest, tasks)
    if not (submission and track and rounds.records):
        return None, problems
    share(rounds.records, "task", "reward", "outcomes", "interactions", "turns")
    bundle = Bundle(
        folder.name,
        folder,
        submission,
        tuple(rounds.records),
        tuple(runs.records),
        failures.log,
        tuple(problems),
        rounds.numbers,
        {
            each: manifest.places.line_of(("claims", each))
            for each in (submission.claims.values if submission.claims else ())
        },
    )
    return bundle, problems


def _folder_problems(folder: Path, names: Collection[str]) -> Iterator[Problem]:
    if not is_slug(folder.name):
        yield SLUG_INVALID.broken(folder, None, f'the folder name "{folder.name}" is no slug')
    if folder.name in BESIDE_SUBMISSIONS:
        yield layout.NAME_RESERVED.broken(
            folder, None, f'"{folder.name}" is an address of the site'
        )
    yield from layout.strays(folder, layout.BUNDLE)
    if not names:
        yield FOLDER_EMPTY.broken(folder, None, "the folder is empty")
        return
    for name in layout.REQUIRED:
        if name not in names:
            fix = CHECKSUM_MISSING.fix if name == layout.CHECKSUMS else None
            yield FILE_MISSING.broken(folder / name, None, f"{name} is missing", fix)
    if set(names).issuperset(layout.FAILURES):
        packed, plain = layout.FAILURES
        what = f"failures are given twice, in {packed} and in {plain}"
        yield layout.FILE_UNEXPECTED.broken(folder / plain, None, what, "keep one of the two")
    if layout.CHECKSUMS in names:
        yield from checksum_problems(folder)


_WORTH_IT = 4 * MEGABYTE
"""From so much text of failed cases on it pays to send what was read from one process to another."""

Read = tuple[Bundle | None, list[Problem]]


Elsewhere = Callable[[Callable[[Path], Read], Sequence[Path]], Iterator[Read]]
"""Has bundles read on other machines by a function that this one would call, and gives what came of it, in order."""


class Memory(Protocol):
    """What is known of bundles that were read before, and who reads the others."""

    @property
    def elsewhere(self) -> Elsewhere | None:
        """Other machines, where those read."""

    def get(self, folder: Path) -> Read | None:
        """What reading a bundle as it is gave; None where nobody knows."""

    def put(self, folder: Path, read: Read) -> None:
        """Know what reading a bundle gave."""


def read_bundles(
    folders: Sequence[Path], setting: Setting, memory: Memory | None = None
) -> Iterator[Read]:
    """Read bundles, each when it is asked for or earlier, in their order; not those that are known.

    Rounds are read about as fast as another process could send them. The list of failed cases is not: of that, what
    is sent is where its lines stand, or the text of a packed one, and what its cases check.

    Raises:
        ChildProcessError: A process that reads was killed.
    """
    read = partial(read_bundle, setting=setting)
    if memory:
        known = {folder: found for folder in folders if (found := memory.get(folder))}
        missing = [folder for folder in folders if folder not in known]
        away = memory.elsewhere if missing else None
        others = away(read, missing) if away else read_bundles(missing, setting)
        for folder in folders:
            if folder not in known:
                memory.put(folder, known.setdefault(folder, next(others)))
            yield known.pop(folder)
        return
    readers = min(len(folders), os.cpu_count() or 1)
    logs = (folder / name for folder in folders for name in layout.FAILURES)
    pays = readers > 1 and sum(log.stat().st_size for log in logs if log.is_file()) >= _WORTH_IT
    if pays and "fork" in multiprocessing.get_all_start_methods():
        with ProcessPoolExecutor(readers, multiprocessing.get_context("fork")) as pool:
            try:
                yield from pool.map(read, folders)
            except BrokenProcessPool as error:
                raise ChildProcessError("a process that reads bundles ended early") from error
    else:
        yield from map(read, folders)
