"""Read the journals of a results folder: arrivals of bundles, checks and registrations.

Journals only ever gain lines; `journal_history` compares two states of all journals.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from sitegen.models.benchmark import Benchmark
from sitegen.models.journal import Arrival, Check, Registration, outweighs, seed_of
from sitegen.models.release import Release
from sitegen.problems import Problem, Rule, limited, reasons
from sitegen.reading.files import sha256_of
from sitegen.reading.json import LineKind, Lines, read_lines
from sitegen.store.files.layout import (
    ARRIVALS_FILE,
    CHECKS_FILE,
    CHECKSUMS_FILE,
    REGISTRATIONS_FILE,
    SUBMISSIONS_FOLDER,
)
from sitegen.store.files.readings import Reading

J = TypeVar("J", Arrival, Check, Registration)

ARRIVALS_BROKEN = Rule.error(
    "ARRIVALS-BROKEN",
    "A line of arrivals.jsonl has the wrong number or checksum, or a bundle arrives twice.",
    "restore the file; only `sitegen release` adds lines",
    unwaivable=reasons.KEPT,
)
ARRIVALS_CUT = Rule.error(
    "ARRIVALS-CUT",
    "Lines of arrivals.jsonl that a release refers to are missing.",
    "restore the file as it was when the release was locked",
    unwaivable=reasons.KEPT,
)
CHECK_UNSOUND = Rule.error(
    "CHECK-UNSOUND",
    "A line of checks.jsonl names an unknown submission, counts too many rounds, or has the "
    "wrong seed.",
    "remove the line; only `sitegen verify` adds lines",
    unwaivable=reasons.KEPT,
)
CHECK_FORESEEABLE = Rule.warning(
    "CHECK-FORESEEABLE",
    "A check of a sample has no `nonce`, so a submitter can compute which rounds will be drawn.",
    "check the submission again: `sitegen verify` draws a nonce and adds a line that counts",
)
REGISTRATION_UNKNOWN = Rule.error(
    "REGISTRATION-UNKNOWN",
    "A line of registrations.jsonl names a track that its benchmark does not have.",
    "name one of the benchmark's tracks",
    unwaivable=reasons.KEPT,
)

_ARRIVAL_LINES = LineKind(Arrival)
_CHECK_LINES = LineKind(Check)
_REGISTRATION_LINES = LineKind(Registration)


def line_digest(line: bytes) -> str:
    """Return the SHA-256 that identifies a line of a journal in the next line or in a release."""
    return hashlib.sha256(line).hexdigest()


def bundle_digest(folder: Path) -> str:
    """Return the SHA-256 of a bundle's SHA256SUMS, which lists all its files."""
    return sha256_of(folder / CHECKSUMS_FILE)


def _read_journal(path: Path, kind: LineKind[J]) -> Lines[J]:
    """Return the lines of a journal; empty if there is no file."""
    if path.exists() or path.is_symlink():
        return read_lines(path, kind)
    return Lines[J]()


def read_arrivals(folder: Path, releases: Sequence[Release] = ()) -> Reading[Lines[Arrival]]:
    """Return the arrivals of bundles in order, with problems in the chain of lines.

    Args:
        folder: The results folder.
        releases: The releases, each of which identifies the last line at its time.
    """
    path = folder / ARRIVALS_FILE
    lines = _read_journal(path, _ARRIVAL_LINES)
    problems = [*lines.problems, *_broken_chain(path, lines)]
    digests = {line_digest(line) for line in lines.raw}
    for release in releases:
        if release.arrivals and release.arrivals not in digests:
            fact = (
                f"arrivals: the last line that release {release.date} names is missing or differs"
            )
            problems.append(ARRIVALS_CUT.broken(path, None, fact))
    return Reading(lines, list(limited(problems)))


def _broken_chain(path: Path, lines: Lines[Arrival]) -> Iterator[Problem]:
    """Yield problems with lines whose number or digest is wrong, and with repeated bundles."""
    previous_digest = line_digest(b"")
    seen_bundles: set[str] = set()
    rows = zip(lines.numbers, lines.raw, lines.records, strict=True)
    for position, (line_number, line, arrival) in enumerate(rows, start=1):
        facts = []
        if arrival.n != position:
            facts.append(f"n is {arrival.n}, but this is entry {position}")
        if arrival.before != previous_digest:
            facts.append("`before` is not the SHA-256 of the line before")
        if arrival.bundle in seen_bundles:
            facts.append(f"{arrival.bundle} has already arrived")
        for fact in facts:
            yield ARRIVALS_BROKEN.broken(path, line_number, f"arrivals: {fact}")
        previous_digest = line_digest(line)
        seen_bundles.add(arrival.bundle)


def arrival_groups(arrivals: Lines[Arrival]) -> list[set[tuple[str, str]]]:
    """Return the bundles that arrived on each day, by benchmark and name.

    Within a day, the order of lines has no meaning.
    """
    groups = []
    for _, arrivals_of_day in groupby(arrivals.records, lambda arrival: arrival.seen):
        bundles = set()
        for arrival in arrivals_of_day:
            benchmark, _, name = arrival.bundle.partition("/")
            bundles.add((benchmark, name))
        groups.append(bundles)
    return groups


def arrival_days(arrivals: Lines[Arrival]) -> dict[tuple[str, str], date]:
    """Return the day on which each bundle was first seen, by benchmark and name.

    Values that are not dates are left out.
    """
    days = {}
    for arrival in arrivals.records:
        benchmark, _, name = arrival.bundle.partition("/")
        try:
            days[benchmark, name] = date.fromisoformat(arrival.seen)
        except ValueError:
            continue
    return days


def read_checks(folder: Path) -> Reading[Mapping[str, Check]]:
    """Return the check that counts for each submission, and the problems of the journal.

    A check counts if it matches the submission's current files.
    """
    path = folder / CHECKS_FILE
    lines = _read_journal(path, _CHECK_LINES)
    problems = list(lines.problems)
    valid_checks: dict[str, Check] = {}
    for line, check in lines.numbered:
        submission = folder / SUBMISSIONS_FOLDER / check.submission
        problem = _check_problem(path, line, check, submission)
        if problem:
            problems.append(problem)
            continue
        is_current = check.digest == bundle_digest(submission)
        if is_current and outweighs(check, valid_checks.get(check.submission)):
            valid_checks[check.submission] = check
    return Reading(valid_checks, list(limited(problems)))


def _check_problem(path: Path, line: int, check: Check, submission: Path) -> Problem | None:
    """Return the problem of a check; None if it is valid."""
    if "/" in check.submission or not (submission / CHECKSUMS_FILE).is_file():
        fact = f"there is no submission {check.submission}"
        return CHECK_UNSOUND.broken(path, line, fact)
    if not check.agreed <= check.drawn <= check.of:
        fact = (
            f"{check.agreed} of {check.drawn} drawn rounds agree, but the submission has {check.of}"
        )
        return CHECK_UNSOUND.broken(path, line, fact)
    if check.seed != seed_of(check.base, check.digest, check.nonce):
        fact = "`seed` is not the SHA-256 of base, digest and nonce"
        return CHECK_UNSOUND.broken(path, line, fact)
    if check.agrees and check.could_be_foreseen:
        fact = (
            f"{check.drawn} of {check.of} rounds of {check.submission} "
            "were drawn without a nonce, so the check does not count"
        )
        return CHECK_FORESEEABLE.broken(path, line, fact)
    return None


def read_registrations(folder: Path, benchmark: Benchmark) -> Reading[tuple[Registration, ...]]:
    """Return the runs that were registered in advance, and the problems of the journal."""
    path = folder / REGISTRATIONS_FILE
    lines = _read_journal(path, _REGISTRATION_LINES)
    problems = list(lines.problems)
    tracks = {track.id for track in benchmark.tracks}
    for line, registration in lines.numbered:
        if registration.track not in tracks:
            fact = f"{benchmark.id} has no track {registration.track}"
            problems.append(REGISTRATION_UNKNOWN.broken(path, line, fact))
    return Reading(tuple(lines.records), list(limited(problems)))
