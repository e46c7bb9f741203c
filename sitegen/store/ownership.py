"""Whose each change of a results folder is: the gate of `validate --base`.

`changed_parts.read_request` gives a `Request`: every changed path and key with its kind. `OWNERSHIP`
says whose each kind is. `ownership_problems` gives what a request may not change, and `request_line`
the first line of every report about it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from sitegen.problems import Problem, Rule, Statement, counted, listed, reasons
from sitegen.store.journals import HISTORY_MAINTAINED
from sitegen.store.matching import Matches


class Owner(StrEnum):
    """Whose a change is."""

    SUBMISSION = "own new submission"
    STATUS = "own status"
    OTHERS = "everything else"


class ChangeKind(StrEnum):
    """What a change touches."""

    NEW_SUBMISSION = "new submission"
    NEW_TRACK = "new track"
    OWN_NOTE = "own note"
    OWN_STATUS = "own status"
    STATUS = "status"
    CONTENT = "published content"
    DEFINITION = "definition"
    TASKS = "tasks"
    TABLE = "published table"
    FINDING = "finding"
    JOURNAL = "journal"
    REGISTRATION = "registration"
    RELEASE = "release"
    OTHER_FILE = "other file"


@dataclass(frozen=True, slots=True)
class Ownership:
    """Whose changes of one kind are, and who may make them."""

    owner: Owner
    what: str
    """What is changed, as the page on security says it."""
    example: str
    """A path below `results/`, with the key where there is one."""
    beside: str
    """What becomes of it beside a new submission."""
    alone: str
    """Who may change it where no submission is new."""


_MAINTAINERS = "the maintainers"
_FORBIDDEN = "an error"

OWNERSHIP: Mapping[ChangeKind, Ownership] = {
    ChangeKind.NEW_SUBMISSION: Ownership(
        Owner.SUBMISSION,
        "the folder of a submission that is not published",
        "demo/submissions/2026-07-01-acme-1/",
        "allowed",
        "whoever sends it in",
    ),
    ChangeKind.NEW_TRACK: Ownership(
        Owner.SUBMISSION,
        "the benchmark or track that the submission begins, with its tasks, tables and axes",
        "demo/benchmark.toml: `tracks.2`",
        "allowed where no published submission is on it",
        _MAINTAINERS,
    ),
    ChangeKind.OWN_NOTE: Ownership(
        Owner.SUBMISSION,
        "an unsigned note about the new submission alone, or a finding on the track that it begins",
        'demo/findings.toml: `kind = "note"`, `submissions = ["2026-07-01-acme-1"]`',
        "allowed",
        _MAINTAINERS,
    ),
    ChangeKind.OWN_STATUS: Ownership(
        Owner.STATUS,
        "`[status]` of a published submission with the same agent, organization and submitter",
        'demo/submissions/2026-06-01-acme-1/submission.toml: `status.state = "superseded"`',
        "allowed, with the warning HISTORY-OWN",
        "the maintainers, or whoever sent it in",
    ),
    ChangeKind.STATUS: Ownership(
        Owner.OTHERS,
        "`[status]`, comments or checksums of any other published submission",
        "demo/submissions/2026-06-02-bolt/submission.toml: `status.state`",
        _FORBIDDEN,
        "the maintainers, or whoever sent it in",
    ),
    ChangeKind.CONTENT: Ownership(
        Owner.OTHERS,
        "anything else in a published submission",
        "demo/submissions/2026-06-02-bolt/rounds.jsonl",
        _FORBIDDEN,
        "nobody; content may leave by a redaction",
    ),
    ChangeKind.DEFINITION: Ownership(
        Owner.OTHERS,
        "what a benchmark and its tracks say of themselves, and `[[renamed]]`, `[[redirects]]` and `[aliases]`",
        "demo/benchmark.toml: `tracks.0.headline`, `verified_from`, `axes.kind.weights`",
        _FORBIDDEN,
        _MAINTAINERS,
    ),
    ChangeKind.TASKS: Ownership(
        Owner.OTHERS,
        "tasks of a published track",
        "demo/tasks/all.jsonl: `title` of task tidy",
        _FORBIDDEN,
        "the maintainers, as far as no score depends on it",
    ),
    ChangeKind.TABLE: Ownership(
        Owner.OTHERS,
        "published tables",
        "demo/reported/paper.toml",
        _FORBIDDEN,
        _MAINTAINERS,
    ),
    ChangeKind.FINDING: Ownership(
        Owner.OTHERS,
        "any other finding: exclusions, waivers, reproductions, redactions, and what somebody signs",
        'demo/findings.toml: `effect = "exclude"`, `by = "the maintainers"`',
        _FORBIDDEN,
        "the maintainers, who add findings and never change one",
    ),
    ChangeKind.JOURNAL: Ownership(
        Owner.OTHERS,
        "the order of arrival, and checks",
        "arrivals.jsonl, demo/checks.jsonl",
        _FORBIDDEN,
        "the maintainers, who only add lines",
    ),
    ChangeKind.REGISTRATION: Ownership(
        Owner.OTHERS,
        "runs that are planned",
        "demo/registrations.jsonl",
        _FORBIDDEN,
        "anybody, before the runs; lines are only added",
    ),
    ChangeKind.RELEASE: Ownership(
        Owner.OTHERS,
        "releases",
        "releases/2026-07-03.toml",
        _FORBIDDEN,
        "the maintainers, who add releases and never change one",
    ),
    ChangeKind.OTHER_FILE: Ownership(
        Owner.OTHERS,
        "any other file",
        "README.md",
        _FORBIDDEN,
        _MAINTAINERS,
    ),
}
"""Whose each kind of change is: what the gate decides by, and the table of the page on security."""

_KEPT = partial(Rule.error, unwaivable=reasons.KEPT)
HISTORY_NOT_OWN = _KEPT(
    "HISTORY-NOT-OWN",
    "A change that brings a submission changes nothing that others published or decide.",
    "take it out",
)
HISTORY_RIVAL = _KEPT(
    "HISTORY-RIVAL",
    "No change that brings a submission withdraws that of another agent, or takes from it by a finding.",
    "take that out; whoever publishes decides about other submissions, in a change of its own",
)
HISTORY_RERUN = _KEPT(
    "HISTORY-RERUN",
    "No change that brings a submission says that a maintainer's run bears it out.",
    "take the finding out; the maintainers record what came of their own run once the submission is published",
)
HISTORY_OWN = Rule.warning(
    "HISTORY-OWN",
    "A submission takes the place of a published one only where the same people sent both in.",
    "merge it if whoever opened the request also sent in the published submission: the files only repeat its names",
    unwaivable=reasons.KEPT,
)

STATUS_RANK = {"published": 0, "superseded": 1, "withdrawn": 2}
"""How far a status has gone: it never goes back."""

_NAMED = 3
"""Changes, and published results, that the first line of a report names."""


@dataclass(frozen=True, slots=True)
class Change:
    """One path or key that differs between two states."""

    kind: ChangeKind
    path: Path
    """In the later state, also where nothing is there any more."""
    line: int | None
    what: str
    """The key, with its value before and after; or what became of the file."""
    touches: frozenset[str] = frozenset()
    """Published submissions and rows of published tables, as `BENCHMARK/ID`, that it changes or may change."""
    rule: Rule = HISTORY_NOT_OWN
    """What it breaks beside a new submission, where it is not the request's own."""

    @property
    def ownership(self) -> Ownership:
        """Whose it is."""
        return OWNERSHIP[self.kind]


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that a change of a results folder touches."""

    head: Path
    """The later state."""
    matches: Matches
    changes: Sequence[Change]

    @property
    def brings_submissions(self) -> bool:
        """Whether a submission is new, so that nothing may change but what is the request's own."""
        return bool(self.matches.new)

    @property
    def foreign(self) -> list[Change]:
        """Return the changes that are not the request's own."""
        return [change for change in self.changes if change.ownership.owner is Owner.OTHERS]


def ownership_problems(request: Request) -> Iterator[Problem]:
    """Say which changes are not the request's to make, or need a look by whoever merges them.

    What nobody may change, such as published rounds, is a problem in any request: `history` says it.
    """
    newcomers = sorted(name.rpartition("/")[2] for name in request.matches.new)
    for change in request.changes:
        if newcomers:
            yield from _problems_beside(change, newcomers[0])
        elif change.kind is ChangeKind.STATUS and change.touches:
            yield HISTORY_MAINTAINED.broken(change.path, change.line, change.what)


def _problems_beside(change: Change, newcomer: str) -> Iterator[Problem]:
    """Say what is wrong about a change beside a new submission."""
    match change.kind:
        case ChangeKind.NEW_SUBMISSION | ChangeKind.NEW_TRACK | ChangeKind.OWN_NOTE:
            return
        case ChangeKind.CONTENT | ChangeKind.JOURNAL | ChangeKind.REGISTRATION:
            return  # HISTORY-EDITED, -DELETED, -STATUS and -JOURNAL say it
        case ChangeKind.OWN_STATUS:
            what = f"{change.what}, as {newcomer} comes, which names the same agent, organization and submitter"
            yield HISTORY_OWN.broken(change.path, change.line, what)
        case ChangeKind.STATUS:
            yield HISTORY_RIVAL.broken(
                change.path, change.line, f"{change.what}, as {newcomer} comes"
            )
        case ChangeKind.FINDING if change.rule is not HISTORY_NOT_OWN:
            yield change.rule.broken(change.path, change.line, change.what)
        case _:
            who = f"who may change it: {change.ownership.alone}, in a change that brings no submission"
            what = f"{change.what}, as {newcomer} comes"
            yield change.rule.broken(change.path, change.line, what, f"take it out; {who}")


def request_line(request: Request) -> Statement:
    """Return the first line of a report: what kind of change it is, and which published results it touches."""
    new, foreign = sorted(request.matches.new), request.foreign
    if not request.changes:
        return Statement("Nothing in the results differs from the earlier state.")
    if new:
        brought = _named("This change brings", new)
        if foreign:
            told = Statement(
                f", and {counted(len(foreign), 'change')} beside it that a submission may not bring"
            )
            return (
                brought + told + Statement(": ") + _changes_named(request, foreign) + Statement(".")
            )
        brought_kinds = {change.kind for change in request.changes}
        if ChangeKind.NEW_TRACK in brought_kinds:
            brought += Statement(", begins what it enters")
        if ChangeKind.OWN_NOTE in brought_kinds:
            brought += Statement(", says something about itself in a finding")
        status = [change for change in request.changes if change.kind is ChangeKind.OWN_STATUS]
        if not status:
            return brought + Statement(", and changes nothing that is published.")
        rows = sorted(name for change in status for name in change.touches)
        asks = "whoever merges it checks that the same people sent them in"
        return brought + _named(", and changes the status of", rows) + Statement(f": {asks}.")
    kinds = {change.kind for change in request.changes}
    if kinds == {ChangeKind.REGISTRATION}:
        return Statement(
            "This change registers planned runs, as anybody may, and brings no submission."
        )
    changes = _changes_named(request, request.changes)
    line = (
        Statement("This is a maintainers' change, without a new submission: ")
        + changes
        + Statement(". ")
    )
    rows = sorted({name for change in request.changes for name in change.touches})
    if not rows:
        return line + Statement("It touches no published result.")
    touched = line + _named(f"It touches {counted(len(rows), 'published result')}:", rows)
    if ChangeKind.CONTENT in kinds:
        return touched + Statement("; published results leave by a redaction alone.")
    who = (
        "a maintainer or their submitter made it"
        if kinds == {ChangeKind.STATUS}
        else "a maintainer made it"
    )
    return touched + Statement(f"; merge it if {who}.")


def _named(words: str, names: Sequence[str]) -> Statement:
    """Return words that are followed by names, of which the first ones are told."""
    places = listed(["{}"] * len(names), _NAMED)
    return Statement(f"{words} {places}", tuple(names[:_NAMED]))


def _changes_named(request: Request, changes: Sequence[Change]) -> Statement:
    """Return what the first changes are, each with its place, and how many more there are."""
    values: list[str] = []
    for change in changes[:_NAMED]:
        path = change.path.relative_to(request.head).as_posix()
        values += (change.what, f"{path}:{change.line}" if change.line else path)
    return Statement(listed(["{} in {}"] * len(changes), _NAMED, separator="; "), tuple(values))
