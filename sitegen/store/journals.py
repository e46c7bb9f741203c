"""Journals of a results folder, to which lines are only added: which bundle arrived when, and which was checked."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from sitegen.models.benchmark import Benchmark
from sitegen.models.journal import Arrival, Check, Registration, outweighs, seed_of
from sitegen.models.release import Release
from sitegen.problems import Problem, Rule, limited, reasons
from sitegen.reading.files import read_bytes, sha256_of
from sitegen.reading.json import LineKind, Lines, read_lines
from sitegen.store.layout import ARRIVALS, CHECKS, CHECKSUMS, DEFINITION, REGISTRATIONS, SUBMISSIONS

J = TypeVar("J", Arrival, Check, Registration)

_OWN = partial(Rule.error, unwaivable=reasons.KEPT)
ARRIVALS_BROKEN = _OWN(
    "ARRIVALS-BROKEN",
    "Each line of arrivals.jsonl has its number, and the SHA-256 of the line before; no bundle arrives twice.",
    "put the file back as it was; `sitegen release` adds lines",
)
ARRIVALS_CUT = _OWN(
    "ARRIVALS-CUT",
    "The last line of arrivals.jsonl that a release names stays.",
    "put the file back as it was when the release was locked",
)
CHECK_UNSOUND = _OWN(
    "CHECK-UNSOUND",
    "A line of checks.jsonl is about an existing submission, counts no more rounds than there are, and has the seed "
    "that its other values give.",
    "remove the line; `sitegen verify` adds lines",
)
CHECK_FORESEEABLE = Rule.warning(
    "CHECK-FORESEEABLE",
    "A check of a sample has a `nonce`: without one, a submitter can compute which rounds will be drawn.",
    "check the submission again: `sitegen verify` draws a nonce and adds a line that counts",
)
REGISTRATION_UNKNOWN = _OWN(
    "REGISTRATION-UNKNOWN",
    "A line of registrations.jsonl names a track of its benchmark.",
    "name one of its tracks",
)
HISTORY_JOURNAL = _OWN(
    "HISTORY-JOURNAL",
    "Whoever publishes adds lines to arrivals.jsonl and checks.jsonl, and no change that brings a submission does.",
    "put the file back as it was; the maintainers add lines once the submission is published",
)
HISTORY_MAINTAINED = Rule.warning(
    "HISTORY-MAINTAINED",
    "Whoever publishes withdraws submissions and adds lines to journals, in a change that does nothing else.",
    "merge it if a maintainer made it, or a submitter who withdraws a row of their own",
    unwaivable=reasons.KEPT,
)
_ARRIVALS, _CHECKS, _REGISTRATIONS = LineKind(Arrival), LineKind(Check), LineKind(Registration)


def _journal(path: Path, kind: LineKind[J]) -> Lines[J]:
    """Read a journal; it has no lines where there is none."""
    return read_lines(path, kind) if path.exists() or path.is_symlink() else Lines[J]()


def line_digest(line: bytes) -> str:
    """The SHA-256 by which the next line, or a release, names a line."""
    return hashlib.sha256(line).hexdigest()


def bundle_digest(folder: Path) -> str:
    """The SHA-256 of a bundle's SHA256SUMS, which names all of its files."""
    return sha256_of(folder / CHECKSUMS)


def read_arrivals(
    folder: Path, releases: Sequence[Release] = ()
) -> tuple[Lines[Arrival], list[Problem]]:
    """Read which bundles of a results folder arrived when, and say where the chain of lines is broken."""
    path, before, seen = folder / ARRIVALS, line_digest(b""), set[str]()
    lines = _journal(path, _ARRIVALS)
    found = list(lines.problems)
    for place, (line, raw, each) in enumerate(
        zip(lines.numbers, lines.raw, lines.records, strict=True), start=1
    ):
        faults = {
            f"n is {each.n}, and this is entry {place}": each.n != place,
            "`before` is not the SHA-256 of the line before": each.before != before,
            f"{each.bundle} has arrived before": each.bundle in seen,
        }
        found += [
            ARRIVALS_BROKEN.broken(path, line, f"arrivals: {what}")
            for what, holds in faults.items()
            if holds
        ]
        before = line_digest(raw)
        seen.add(each.bundle)
    known = set(map(line_digest, lines.raw))
    for release in releases:
        if release.arrivals and release.arrivals not in known:
            what = f"arrivals: the last line that release {release.date} names is gone or differs"
            found.append(ARRIVALS_CUT.broken(path, None, what))
    return lines, list(limited(found))


def arrival_groups(arrivals: Lines[Arrival]) -> list[set[tuple[str, str]]]:
    """The bundles that arrived, each by benchmark and name, day by day: of one day, the order says nothing."""
    days = groupby(arrivals.records, lambda each: each.seen)
    return [
        {(each.bundle.partition("/")[0], each.bundle.partition("/")[2]) for each in group}
        for _, group in days
    ]


def read_checks(folder: Path) -> tuple[Mapping[str, Check], list[Problem]]:
    """Read the checks of a benchmark's submissions: of each the one that counts, of those that fit its files."""
    path, counting = folder / CHECKS, dict[str, Check]()
    lines = _journal(path, _CHECKS)
    found = list(lines.problems)
    for line, each in lines.numbered:
        home = folder / SUBMISSIONS / each.submission
        if "/" in each.submission or not (home / CHECKSUMS).is_file():
            found.append(
                CHECK_UNSOUND.broken(path, line, f"there is no submission {each.submission}")
            )
        elif not each.agreed <= each.drawn <= each.of:
            what = f"{each.agreed} of {each.drawn} drawn agree, of {each.of} rounds"
            found.append(CHECK_UNSOUND.broken(path, line, what))
        elif each.seed != seed_of(each.base, each.digest, each.nonce):
            what = "`seed` is not the SHA-256 of base, digest and nonce"
            found.append(CHECK_UNSOUND.broken(path, line, what))
        elif each.agrees and each.could_be_foreseen:
            what = (
                f"{each.drawn} of {each.of} rounds of {each.submission} were drawn without a nonce"
            )
            found.append(
                CHECK_FORESEEABLE.broken(path, line, f"{what}, so the check does not count")
            )
        elif each.digest == bundle_digest(home) and outweighs(each, counting.get(each.submission)):
            counting[each.submission] = each
    return counting, list(limited(found))


def read_registrations(
    folder: Path, benchmark: Benchmark
) -> tuple[tuple[Registration, ...], list[Problem]]:
    """Read which runs of a benchmark's agents were told of before they were made."""
    path, tracks = folder / REGISTRATIONS, {track.id for track in benchmark.tracks}
    lines = _journal(path, _REGISTRATIONS)
    unknown = ((line, each.track) for line, each in lines.numbered if each.track not in tracks)
    found = (
        REGISTRATION_UNKNOWN.broken(path, line, f"{benchmark.id} has no track {name}")
        for line, name in unknown
    )
    return tuple(lines.records), list(limited((*lines.problems, *found)))


def journal_problems(
    base: Path, head: Path, names: Mapping[str, str], new: Sequence[str]
) -> Iterator[Problem]:
    """Yield which lines of journals are gone or differ since an earlier state, or came with a submission.

    Args:
        base: The earlier state of the results folder.
        head: The later state.
        names: The later name of each benchmark of the earlier state.
        new: The submissions that the later state alone has, as `BENCHMARK/ID`.
    """
    later = {path.parent.name for path in head.glob(f"*/{DEFINITION}")}
    homes = {**{name: name for name in later if name not in names.values()}, **names}
    journals = [(ARRIVALS, ARRIVALS)]
    for home, later_home in sorted(homes.items()):
        journals += [
            (f"{home}/{journal}", f"{later_home}/{journal}") for journal in (CHECKS, REGISTRATIONS)
        ]
    for before, name in journals:
        word = name.rpartition("/")[2].removesuffix(".jsonl")
        was, now = _lines_of(base / before), _lines_of(head / name)
        path = head / name
        if now[: len(was)] != was:
            place = next(
                (
                    n
                    for n, (old, new) in enumerate(zip(was, now, strict=False), start=1)
                    if old != new
                ),
                None,
            )
            line = place if len(now) >= len(was) or place else None
            what = f"{word}: {'a line differs' if place else 'lines are gone'}, and they are only added to"
            yield HISTORY_JOURNAL.broken(path, line, what)
        elif now != was and (
            new or word != "registrations"
        ):  # which anybody may add, before the run
            what = f"{word}: lines are new" + (
                f" in a change that brings {new[0].rpartition('/')[2]}" if new else ""
            )
            yield (HISTORY_JOURNAL if new else HISTORY_MAINTAINED).broken(path, len(was) + 1, what)


def _lines_of(path: Path) -> list[bytes]:
    data, _ = read_bytes(path) if path.is_file() else (b"", [])
    return [line for line in (data or b"").split(b"\n") if line.strip()]
