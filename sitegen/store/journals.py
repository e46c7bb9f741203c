"""Read the journals of a results folder: arrivals of bundles, checks and registrations.

Lines are only added to a journal. `journal_problems` compares two states of all journals.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from sitegen.models.benchmark import Benchmark
from sitegen.models.journal import Arrival, Check, Registration, outweighs, seed_of
from sitegen.models.release import Release
from sitegen.problems import Problem, Rule, limited, reasons
from sitegen.reading.files import read_bytes, sha256_of
from sitegen.reading.json import LineKind, Lines, read_lines
from sitegen.store.error_rules import history_error
from sitegen.store.layout import (
    ARRIVALS_FILE,
    CHECKS_FILE,
    CHECKSUMS_FILE,
    DEFINITION_FILE,
    REGISTRATIONS_FILE,
    SUBMISSIONS_FOLDER,
)

J = TypeVar("J", Arrival, Check, Registration)

ARRIVALS_BROKEN = history_error(
    "ARRIVALS-BROKEN",
    "A line of arrivals.jsonl has the wrong number or checksum, or a bundle arrives twice.",
    "restore the file; only `sitegen release` adds lines",
)
ARRIVALS_CUT = history_error(
    "ARRIVALS-CUT",
    "Lines of arrivals.jsonl that a release refers to are missing.",
    "restore the file as it was when the release was locked",
)
CHECK_UNSOUND = history_error(
    "CHECK-UNSOUND",
    "A line of checks.jsonl names an unknown submission, counts too many rounds, or has the "
    "wrong seed.",
    "remove the line; only `sitegen verify` adds lines",
)
CHECK_FORESEEABLE = Rule.warning(
    "CHECK-FORESEEABLE",
    "A check of a sample has no `nonce`, so a submitter can compute which rounds will be drawn.",
    "check the submission again: `sitegen verify` draws a nonce and adds a line that counts",
)
REGISTRATION_UNKNOWN = history_error(
    "REGISTRATION-UNKNOWN",
    "A line of registrations.jsonl names a track that its benchmark does not have.",
    "name one of the benchmark's tracks",
)
HISTORY_JOURNAL = history_error(
    "HISTORY-JOURNAL",
    "A change with a submission also adds lines to arrivals.jsonl or checks.jsonl.",
    "restore the file; the maintainers add lines after the submission is published",
)
HISTORY_MAINTAINED = Rule.warning(
    "HISTORY-MAINTAINED",
    "A change withdraws submissions or adds lines to journals, which only maintainers may do.",
    "merge it if a maintainer made it, or if submitters withdraw their own submission",
    unwaivable=reasons.KEPT,
)

_ARRIVAL_LINES = LineKind(Arrival)
_CHECK_LINES = LineKind(Check)
_REGISTRATION_LINES = LineKind(Registration)


def line_digest(line: bytes) -> str:
    """Return the SHA-256 by which the next line, or a release, names a line of a journal."""
    return hashlib.sha256(line).hexdigest()


def bundle_digest(folder: Path) -> str:
    """Return the SHA-256 of a bundle's SHA256SUMS, which names all of its files."""
    return sha256_of(folder / CHECKSUMS_FILE)


def _read_journal(path: Path, kind: LineKind[J]) -> Lines[J]:
    """Return the lines of a journal; none if there is no file."""
    if path.exists() or path.is_symlink():
        return read_lines(path, kind)
    return Lines[J]()


def read_arrivals(
    folder: Path, releases: Sequence[Release] = ()
) -> tuple[Lines[Arrival], list[Problem]]:
    """Return the order in which bundles arrived, and where the chain of lines is broken.

    Args:
        folder: The results folder.
        releases: Releases, which name the last line of their time.
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
    return lines, list(limited(problems))


def _broken_chain(path: Path, lines: Lines[Arrival]) -> Iterator[Problem]:
    """Yield lines with a wrong number or digest, and bundles that arrive twice."""
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

    Within a day, the order of lines says nothing.
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

    A day that is no date is left out.
    """
    days = {}
    for arrival in arrivals.records:
        benchmark, _, name = arrival.bundle.partition("/")
        try:
            days[benchmark, name] = date.fromisoformat(arrival.seen)
        except ValueError:
            continue
    return days


def read_checks(folder: Path) -> tuple[Mapping[str, Check], list[Problem]]:
    """Return the check of each submission that counts, and what is wrong with the others.

    A check counts if it fits the submission's files of today.
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
    return valid_checks, list(limited(problems))


def _check_problem(path: Path, line: int, check: Check, submission: Path) -> Problem | None:
    """Return what is wrong with a check; None if nothing is."""
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


def read_registrations(
    folder: Path, benchmark: Benchmark
) -> tuple[tuple[Registration, ...], list[Problem]]:
    """Return the runs that were registered before they were made, and what is wrong with them."""
    path = folder / REGISTRATIONS_FILE
    lines = _read_journal(path, _REGISTRATION_LINES)
    problems = list(lines.problems)
    tracks = {track.id for track in benchmark.tracks}
    for line, registration in lines.numbered:
        if registration.track not in tracks:
            fact = f"{benchmark.id} has no track {registration.track}"
            problems.append(REGISTRATION_UNKNOWN.broken(path, line, fact))
    return tuple(lines.records), list(limited(problems))


def journal_problems(
    base: Path, head: Path, names_after: Mapping[str, str], new: Sequence[str]
) -> Iterator[Problem]:
    """Yield lines of journals that are gone or differ since an earlier state, or that are new.

    Args:
        base: The earlier state of the results folder.
        head: The later state.
        names_after: The later name of each benchmark of the earlier state.
        new: The submissions that only the later state has, as `BENCHMARK/ID`.
    """
    new_submission = new[0].rpartition("/")[2] if new else None
    for name_before, name_after in _journal_names(head, names_after):
        lines_before = _lines_of(base / name_before)
        lines_after = _lines_of(head / name_after)
        path = head / name_after
        journal = path.name.removesuffix(".jsonl")
        if lines_after[: len(lines_before)] != lines_before:
            yield _changed_lines(path, journal, lines_before, lines_after)
        elif lines_after != lines_before:
            line = len(lines_before) + 1
            fact = f"{journal}: lines are new"
            if new_submission:
                fact = f"{fact} in a change that brings {new_submission}"
                yield HISTORY_JOURNAL.broken(path, line, fact)
            elif path.name != REGISTRATIONS_FILE:  # anybody may register runs
                yield HISTORY_MAINTAINED.broken(path, line, fact)


def _journal_names(head: Path, names_after: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the path of each journal in the earlier and in the later state."""
    yield ARRIVALS_FILE, ARRIVALS_FILE
    benchmarks = dict(names_after)
    for path in head.glob(f"*/{DEFINITION_FILE}"):
        name = path.parent.name
        if name not in names_after.values():
            benchmarks.setdefault(name, name)
    for name, name_after in sorted(benchmarks.items()):
        for journal in (CHECKS_FILE, REGISTRATIONS_FILE):
            yield f"{name}/{journal}", f"{name_after}/{journal}"


def _changed_lines(
    path: Path, journal: str, lines_before: Sequence[bytes], lines_after: Sequence[bytes]
) -> Problem:
    """Return the problem of a journal whose earlier lines differ or are gone."""
    line = _first_difference(lines_before, lines_after)
    event = "lines are missing" if line is None else "a line differs"
    fact = f"{journal}: {event}, but lines may only be added"
    return HISTORY_JOURNAL.broken(path, line, fact)


def _first_difference(lines_before: Iterable[bytes], lines_after: Iterable[bytes]) -> int | None:
    """Return the number of the first line that differs; None if one text begins with the other."""
    pairs = zip(lines_before, lines_after, strict=False)
    for number, (line_before, line_after) in enumerate(pairs, start=1):
        if line_before != line_after:
            return number
    return None


def _lines_of(path: Path) -> list[bytes]:
    """Return the lines of a file that are not blank; none if it is missing or can't be read."""
    if not path.is_file():
        return []
    content, _ = read_bytes(path)
    return [line for line in (content or b"").split(b"\n") if line.strip()]
