"""Read bundles, which are folders of submissions: in one process, in several, or from a cache.

Read `read_bundle` first, which reads one folder and checks it against its benchmark.
"""

import multiprocessing
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from sitegen.models.benchmark import is_beside_submissions
from sitegen.models.consistency import fraction_problems, is_bare_verdict, round_breaches
from sitegen.models.finding import Finding
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.record import is_slug
from sitegen.models.results import Bundle
from sitegen.models.submission import Submission
from sitegen.models.task import TaskSet
from sitegen.problems import Problem, ProblemsError, Rule, limited, mends, reasons
from sitegen.reading.files import FILE_MISSING, MEGABYTE, read_text, sha256_of
from sitegen.reading.json import LineKind, Lines, empty_problem, read_lines
from sitegen.reading.privacy import email_problems, file_problems, private_problems
from sitegen.reading.shape import SLUG_INVALID
from sitegen.reading.toml import Document, read_toml
from sitegen.store.checks.cases import (
    FailuresByRound,
    cause_problems,
    detail_problems,
    failure_problems,
    listed_case_problems,
)
from sitegen.store.checks.costs import cost_problems
from sitegen.store.checks.expected import short_round_name
from sitegen.store.checks.provenance import provenance_problems
from sitegen.store.checks.track_checks import BundleContext, entry_problems, track_problems
from sitegen.store.files.failures import FailureIndex, read_failures
from sitegen.store.files.layout import (
    BUNDLE_CONTENTS,
    BUNDLE_FILES,
    CHECKSUMS_FILE,
    FAILURE_FILES,
    FILE_UNEXPECTED,
    MANIFEST_FILE,
    NAME_RESERVED,
    REQUIRED_FILES,
    ROUNDS_FILE,
    RUNS_FILE,
    strays,
)
from sitegen.store.files.readings import Reading
from sitegen.store.readers.findings import (
    FINDING_UNDONE,
    full_redaction,
    redacted_tasks,
    restored_content_problems,
    with_redacted_status,
)

CHECKSUM_DIFFERS = Rule.error(
    "CHECKSUM-DIFFERS",
    "The checksum of a file differs from SHA256SUMS.",
    "restore the file, or run `sha256sum` over the bundle's files again if the change is intended",
    unwaivable=reasons.TIDY,
    mend=mends.CHECKSUMS,
)
CHECKSUM_MISSING = Rule.error(
    "CHECKSUM-MISSING",
    "A file of the bundle is not listed in SHA256SUMS.",
    "run `sha256sum` over the bundle's files and write the result to SHA256SUMS",
    unwaivable=reasons.TIDY,
    mend=mends.CHECKSUMS,
)
CHECKSUM_SYNTAX = Rule.error(
    "CHECKSUM-SYNTAX",
    "A line of SHA256SUMS is not a SHA-256 in hexadecimal, two spaces and a file name.",
    "write the file with `sha256sum`",
    unwaivable=reasons.TIDY,
    mend=mends.CHECKSUMS,
)
FOLDER_EMPTY = Rule.error(
    "FOLDER-EMPTY",
    "A folder of a bundle is empty.",
    "add the bundle's files, or remove the folder",
    unwaivable=reasons.LOST,
)
BUNDLE_TOO_LARGE = Rule.error(
    "BUNDLE-TOO-LARGE",
    "The files of a bundle are larger than 200 MB in total.",
    "keep failures in `failures.jsonl.gz`, and shorten their longest texts",
)

LARGEST_BUNDLE = 200 * MEGABYTE
"""Maximum total size of a bundle's files in bytes; two files of the largest size fit."""

_CHECKSUM_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](?:\./)?([^/\\\0]+)")
"""A checksum, and the name of a file in the folder itself."""
_MAX_QUOTED_LENGTH = 60
_DIGEST_PREFIX_LENGTH = 12
_MIN_PARALLEL_BYTES = 4 * MEGABYTE
"""Total size of failed cases in bytes above which several processes read faster than one."""
_SHARED_FIELDS = ("task", "reward", "outcomes", "interactions", "turns")
"""Fields of rounds with few distinct values; the records of a bundle share equal values."""
_ROUND_LINES = LineKind(RoundResult, shared=_SHARED_FIELDS)
_RUN_LINES = LineKind(RunFigures)

L = TypeVar("L", RoundResult, RunFigures)

BundleReading = Reading[Bundle | None]
"""A bundle with its problems; None with problems if its manifest or rounds can't be read."""

RemoteReader = Callable[[Callable[[Path], BundleReading], Sequence[Path]], Iterator[BundleReading]]
"""Applies a function to folders on other machines, and yields its results in order."""


class BundleCache(Protocol):
    """A cache of bundles that an earlier run read, with a way to read other bundles."""

    @property
    def remote_reader(self) -> RemoteReader | None:
        """The reader on other machines; None if this machine reads the bundles."""

    def get(self, folder: Path) -> BundleReading | None:
        """Return the earlier reading of an unchanged bundle; None for any other bundle."""

    def put(self, folder: Path, reading: BundleReading) -> None:
        """Store the reading of a bundle."""


@dataclass(frozen=True, slots=True)
class _BundleFiles:
    """The files of a bundle; missing files are empty."""

    manifest: Document[Submission]
    rounds: Lines[RoundResult]
    runs: Lines[RunFigures]
    failures: FailureIndex


def read_bundles(
    folders: Sequence[Path], context: BundleContext, cache: BundleCache | None = None
) -> Iterator[BundleReading]:
    """Yield the reading of each bundle, in order; bundles in the cache are not read again.

    Several processes read bundles if the lists of failed cases are long. Sending rounds between
    processes takes about as long as reading them, so for failed cases only line positions,
    compressed texts and meanings are sent.

    Raises:
        ChildProcessError: A reading process was killed.
    """
    if cache:
        yield from _read_with_cache(folders, context, cache)
        return
    read = partial(read_bundle, context=context)
    process_count = min(len(folders), os.cpu_count() or 1)
    has_fork = "fork" in multiprocessing.get_all_start_methods()
    if process_count <= 1 or not has_fork or _failure_bytes(folders) < _MIN_PARALLEL_BYTES:
        yield from map(read, folders)
        return
    with ProcessPoolExecutor(process_count, multiprocessing.get_context("fork")) as pool:
        try:
            yield from pool.map(read, folders)
        except BrokenProcessPool as error:
            raise ChildProcessError("a process that reads bundles ended early") from error


def _read_with_cache(
    folders: Sequence[Path], context: BundleContext, cache: BundleCache
) -> Iterator[BundleReading]:
    """Yield the reading of each bundle, from the cache or else newly read and cached."""
    cached: dict[Path, BundleReading] = {}
    for folder in folders:
        reading = cache.get(folder)
        if reading:
            cached[folder] = reading
    missing = [folder for folder in folders if folder not in cached]
    read_remotely = cache.remote_reader if missing else None
    if read_remotely:
        new_readings = read_remotely(partial(read_bundle, context=context), missing)
    else:
        new_readings = read_bundles(missing, context)
    for folder in folders:
        if folder in cached:
            yield cached.pop(folder)
        else:
            reading = next(new_readings)
            cache.put(folder, reading)
            yield reading


def _failure_bytes(folders: Sequence[Path]) -> int:
    """Return the total size of the bundles' lists of failed cases, in bytes."""
    size = 0
    for folder in folders:
        for name in FAILURE_FILES:
            log = folder / name
            if log.is_file():
                size += log.stat().st_size
    return size


def read_bundle(folder: Path, context: BundleContext) -> BundleReading:
    """Read as much of a bundle as possible, and check it against its benchmark.

    Returns:
        The bundle with its problems; None and the problems if the manifest, the track or the rounds
            can't be read.
    """
    sizes = {file.name: file.lstat().st_size for file in folder.iterdir()}
    names = set(sizes)
    total_size = sum(sizes.values())
    if total_size > LARGEST_BUNDLE:
        size = f"{total_size / MEGABYTE:.1f} MB"
        limit = f"{LARGEST_BUNDLE // MEGABYTE} MB"
        fact = f"the files are {size} in total, more than the limit of {limit}"
        return Reading(None, [BUNDLE_TOO_LARGE.broken(folder, None, fact)])
    if not names:
        return Reading(None, list(_folder_problems(folder, names)))
    manifest = _read_manifest(folder, names)
    if manifest.is_newer:
        return Reading(None, manifest.problems)
    redactions = [finding for finding in context.findings if finding.redacts(folder.name)]
    redaction = full_redaction(redactions)
    if redaction:
        return _read_redacted(folder, names, manifest, context, redaction)

    files = _read_files(folder, names, manifest)
    track = context.track(manifest.raw.get("track"))
    tasks = context.tasks_of(track)
    rounds = files.rounds
    problems = list(_folder_problems(folder, names))
    problems += _problems_in_files(files)
    if track:
        problems += entry_problems(manifest, track, context, rounds, files.runs)
    else:
        problems += track_problems(manifest, context.benchmark)
    if rounds.records:
        problems += _case_problems(files, tasks, redacted_tasks(redactions))
    problems += provenance_problems(manifest, tasks)
    submission = manifest.record
    if submission is None or track is None or not rounds.records:
        return Reading(None, problems)

    bundle = Bundle(
        id=folder.name,
        path=folder,
        submission=submission,
        rounds=tuple(rounds.records),
        runs=tuple(files.runs.records),
        failures=files.failures.log,
        problems=tuple(problems),
        round_lines=rounds.numbers,
        claim_lines=_claim_lines(manifest, submission),
    )
    return Reading(bundle)


def _read_redacted(
    folder: Path,
    names: set[str],
    manifest: Document[Submission],
    context: BundleContext,
    redaction: Finding,
) -> BundleReading:
    """Read a submission whose content was redacted; only its manifest is left to identify it."""
    problems = list(_folder_problems(folder, names, required=(MANIFEST_FILE, CHECKSUMS_FILE)))
    problems += manifest.problems
    problems += restored_content_problems(folder, manifest)
    problems += file_problems([manifest.path])
    problems += email_problems(manifest)
    submission = manifest.record
    if submission is None or context.track(manifest.raw.get("track")) is None:
        return Reading(None, [*problems, *track_problems(manifest, context.benchmark)])
    redacted_submission = with_redacted_status(submission, redaction)
    bundle = Bundle(folder.name, folder, redacted_submission, (), problems=tuple(problems))
    return Reading(bundle)


def _read_manifest(folder: Path, names: Collection[str]) -> Document[Submission]:
    path = folder / MANIFEST_FILE
    if MANIFEST_FILE in names:
        return read_toml(path, Submission)
    return Document[Submission](path=path)


def _read_files(
    folder: Path, names: Collection[str], manifest: Document[Submission]
) -> _BundleFiles:
    """Read the files other than the manifest; a compressed list of failed cases is preferred."""
    rounds = _read_optional_lines(folder, ROUNDS_FILE, names, _ROUND_LINES)
    runs = _read_optional_lines(folder, RUNS_FILE, names, _RUN_LINES)
    log_names = [name for name in FAILURE_FILES if name in names]
    failures = FailureIndex(path=folder / FAILURE_FILES[0])
    if log_names:
        failures = read_failures(folder / log_names[0])
    return _BundleFiles(manifest, rounds, runs, failures)


def _read_optional_lines(
    folder: Path, name: str, names: Collection[str], kind: LineKind[L]
) -> Lines[L]:
    if name not in names:
        return Lines()
    return read_lines(folder / name, kind, private_problems, has_raw=False)


def _claim_lines(manifest: Document[Submission], submission: Submission) -> dict[str, int | None]:
    """Return the line number of each metric for which a submission claims a value."""
    if submission.claims is None:
        return {}
    lines = {}
    for metric in submission.claims.values:
        lines[metric] = manifest.places.line_of(("claims", metric))
    return lines


def _folder_problems(
    folder: Path, names: Collection[str], required: Sequence[str] = REQUIRED_FILES
) -> Iterator[Problem]:
    """Yield problems with the folder: its name, missing files and unexpected files."""
    if not is_slug(folder.name):
        yield SLUG_INVALID.broken(folder, None, f'the folder name "{folder.name}" is not a slug')
    if is_beside_submissions(folder.name):
        fact = f'"{folder.name}" is reserved for an address of the site'
        yield NAME_RESERVED.broken(folder, None, fact)
    yield from strays(folder, BUNDLE_CONTENTS)
    if not names:
        yield FOLDER_EMPTY.broken(folder, None, "the folder is empty")
        return
    for name in required:
        if name not in names:
            fix = CHECKSUM_MISSING.fix if name == CHECKSUMS_FILE else None
            yield FILE_MISSING.broken(folder / name, None, f"{name} is missing", fix)
    if set(names).issuperset(FAILURE_FILES):
        compressed, plain = FAILURE_FILES
        fact = f"there are two files of failures, {compressed} and {plain}"
        yield FILE_UNEXPECTED.broken(folder / plain, None, fact, "keep one of them")
    if CHECKSUMS_FILE in names:
        yield from checksum_problems(folder)


def _problems_in_files(files: _BundleFiles) -> Iterator[Problem]:
    """Yield the problems in a bundle's files that do not depend on its benchmark."""
    manifest, rounds, runs, failures = files.manifest, files.rounds, files.runs, files.failures
    for file in (manifest, rounds, runs, failures):
        yield from file.problems
    for lines in (rounds, runs, failures):
        yield from lines.private
    yield from file_problems([manifest.path])
    yield from email_problems(manifest)
    if runs.is_empty:
        yield empty_problem(manifest.path.with_name(RUNS_FILE))
    if failures.is_empty:
        yield empty_problem(failures.path)
    rounds_path = manifest.path.with_name(ROUNDS_FILE)
    yield from limited(_contradictory_rounds(rounds_path, rounds))
    yield from cause_problems(rounds_path, rounds)
    yield from fraction_problems(rounds_path, rounds.numbered)
    yield from cost_problems(manifest, rounds, runs)


def _contradictory_rounds(path: Path, rounds: Lines[RoundResult]) -> Iterator[Problem]:
    for line, result in rounds.numbered:
        if is_bare_verdict(result):
            continue
        for rule, fact in round_breaches(result):
            yield rule.broken(path, line, f"{fact} ({short_round_name(result)})")


def _case_problems(
    files: _BundleFiles, tasks: TaskSet | None, redacted: frozenset[str]
) -> Iterator[Problem]:
    """Yield the problems in a bundle's cases.

    Texts of `redacted` tasks must not be present, so their rounds are not checked for missing
    texts.
    """
    rounds, failures = files.rounds, files.failures
    tasks_with_texts = failures.log.texts.keys()
    for task in sorted(redacted & tasks_with_texts):
        fact = f"the texts of {task} were redacted, but are still in this folder"
        yield FINDING_UNDONE.broken(failures.path, None, fact)
    silent_tasks = redacted - tasks_with_texts
    records = rounds.records
    if silent_tasks:
        records = [record for record in records if record.task not in silent_tasks]
    failures_by_round = FailuresByRound(failures, records)
    yield from listed_case_problems(failures_by_round, rounds.refused)
    yield from failure_problems(failures_by_round, tasks)
    if not (rounds.refused or failures.refused or failures.problems):
        yield from detail_problems(files.manifest, failures_by_round)


def checksum_problems(folder: Path) -> list[Problem]:
    """Return problems with SHA256SUMS: malformed lines, and files that differ or are not listed.

    Other checks report missing required files.
    """
    path = folder / CHECKSUMS_FILE
    text, problems = read_text(path)
    if text is None:
        return problems
    stated = _parse_checksums(text)
    problems = list(limited(_malformed_lines(path, text)))
    for name, (line_number, checksum) in stated.items():
        problem = _checksum_problem(folder, name, line_number, checksum)
        if problem:
            problems.append(problem)
    file_names = {file.name for file in folder.iterdir()}
    listable_names = (file_names & BUNDLE_FILES) - {CHECKSUMS_FILE}
    for name in sorted(listable_names.difference(stated)):
        problems.append(CHECKSUM_MISSING.broken(path, None, f"{name} has no checksum"))
    return problems


def _malformed_lines(path: Path, text: str) -> Iterator[Problem]:
    for number, line in _numbered_lines(text):
        if line.strip() and not _CHECKSUM_LINE.fullmatch(line):
            fact = f'"{line[:_MAX_QUOTED_LENGTH]}" is not a checksum of a file in this folder'
            yield CHECKSUM_SYNTAX.broken(path, number, fact)


def _checksum_problem(folder: Path, name: str, line_number: int, checksum: str) -> Problem | None:
    """Return the problem of a file that differs from its checksum, or is listed but missing."""
    path = folder / CHECKSUMS_FILE
    try:
        actual = sha256_of(folder / name)
    except ProblemsError as error:
        # The reader of a file reports other reasons why the file can't be read.
        if error.problems[0].code != FILE_MISSING.code or name in REQUIRED_FILES:
            return None
        fact = f"{name} has a checksum but is missing"
        fix = "add the file, or remove its line from SHA256SUMS"
        return FILE_MISSING.broken(path, line_number, fact, fix)
    if actual == checksum:
        return None
    actual_prefix = actual[:_DIGEST_PREFIX_LENGTH]
    stated_prefix = checksum[:_DIGEST_PREFIX_LENGTH]
    fact = f"{name} has SHA-256 {actual_prefix}…, but SHA256SUMS has {stated_prefix}…"
    return CHECKSUM_DIFFERS.broken(path, line_number, fact)


def stated_checksums(folder: Path) -> dict[str, str]:
    """Return the checksums in a bundle's SHA256SUMS by file name; empty if it can't be read."""
    text, _ = read_text(folder / CHECKSUMS_FILE)
    return {name: checksum for name, (_, checksum) in _parse_checksums(text or "").items()}


def _parse_checksums(text: str) -> dict[str, tuple[int, str]]:
    """Return the line number and the checksum of each file in SHA256SUMS; skip malformed lines."""
    checksums = {}
    for number, line in _numbered_lines(text):
        match = _CHECKSUM_LINE.fullmatch(line)
        if match:
            checksums[match[2]] = (number, match[1].lower())
    return checksums


def _numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        yield number, line.rstrip("\r")
