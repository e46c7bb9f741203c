"""Decide who may make each change of a results folder; `validate --base` checks requests with it.

`changed_parts.read_request` returns a `Request`, which holds every changed path and key with its
kind. Start with `ownership_problems`, which yields what a request may not change; `OWNERSHIP` says
the same about each kind in words. `request_line` returns the first line of a report.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import assert_never

from sitegen.problems import Problem, Rule, Statement, counted, listed, reasons
from sitegen.store.authors import Proof
from sitegen.store.error_rules import history_error
from sitegen.store.journals import HISTORY_MAINTAINED
from sitegen.store.matching import Matches


class Owner(StrEnum):
    """What a changed path or key belongs to."""

    SUBMISSION = "own new submission"
    STATUS = "own status"
    OTHERS = "everything else"


class ChangeKind(StrEnum):
    """What a change touches."""

    NEW_SUBMISSION = "new submission"
    NEW_TRACK = "new track"
    BASELINE = "baseline"
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
    """Who may make changes of one kind."""

    owner: Owner
    changed_content: str
    """What is changed, as the page on security says it."""
    example: str
    """A path below `results/`, with a key where there is one."""
    with_submission: str
    """What a request with a new submission may do, as the page on security says it."""
    without_submission: str
    """Who may make the change in a request without a new submission."""


_MAINTAINERS = "the maintainers"
_FORBIDDEN = "an error"

# One statement, because it is the table that the page on security prints.
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
    ChangeKind.BASELINE: Ownership(
        Owner.SUBMISSION,
        "that a new submission is a baseline",
        "demo/submissions/2026-07-01-random/submission.toml: `baseline = true`",
        "allowed, with the warning HISTORY-BASELINE",
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
        "`[status]` of a published submission that names the author's account or contact, or the "
        "same agent, organization and submitter",
        'demo/submissions/2026-06-01-acme-1/submission.toml: `status.state = "superseded"`',
        "allowed, with the warning HISTORY-OWN unless the submission names the author's account",
        "the maintainers, or whoever sent it in",
    ),
    ChangeKind.STATUS: Ownership(
        Owner.OTHERS,
        "`[status]`, `baseline`, an `embargo` that ends sooner, comments or checksums of any other "
        "published submission",
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
        "what a benchmark and its tracks say of themselves, `[[renamed]]`, `[[redirects]]` and "
        "`[aliases]`, and agents.toml",
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
        "any other finding: exclusions, waivers, reproductions, redactions, and what somebody "
        "signs",
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
"""Who may make each kind of change: the table of the page on security.

Code reads `owner` and `without_submission` alone. `_problems_with_submission` decides what a
request with a new submission may not change, and must agree with `with_submission`.
"""

HISTORY_NOT_OWN = history_error(
    "HISTORY-NOT-OWN",
    "A change with a submission also changes something that others published or decide.",
    "remove this part of the change",
)
HISTORY_RIVAL = history_error(
    "HISTORY-RIVAL",
    "A change with a submission also withdraws another agent's submission, or lowers it by a "
    "finding.",
    "remove this part of the change, and ask a maintainer to correct the other submission with "
    "`sitegen correct`",
)
HISTORY_RERUN = history_error(
    "HISTORY-RERUN",
    "A change with a submission also states that a maintainers' run confirms it.",
    "remove the finding; the maintainers record the result of their run after the submission is "
    "published",
)
HISTORY_OWN = Rule.warning(
    "HISTORY-OWN",
    "A submission replaces a published one, and only the files say that the same people sent both.",
    "merge it if the person who opened the request also sent the published submission: anyone "
    "can copy names into files",
    unwaivable=reasons.KEPT,
)

HISTORY_BASELINE = Rule.warning(
    "HISTORY-BASELINE",
    "A new submission calls itself a baseline, which maintainers decide.",
    "merge it if a maintainer made it; else take `baseline` out of submission.toml",
    unwaivable=reasons.KEPT,
)
_STATUS_KINDS = frozenset({ChangeKind.STATUS, ChangeKind.OWN_STATUS})

STATUS_RANK = {"published": 0, "superseded": 1, "withdrawn": 2}
"""Order of the states of a submission; a state never goes back."""

_MAX_NAMED = 3
"""Number of changes, and of published results, that the first line of a report names."""


@dataclass(frozen=True, slots=True)
class Change:
    """One path or key that differs between two states."""

    kind: ChangeKind
    path: Path
    """Path in the later state, even if nothing is there any more."""
    description: str
    """The key with its value before and after, or what became of the file."""
    line: int | None = None
    touches: frozenset[str] = frozenset()
    """Published submissions and table rows, as `BENCHMARK/ID`, that the change may affect."""
    special_rule: Rule | None = None
    """The rule that a finding breaks beside a new submission, instead of `HISTORY_NOT_OWN`."""
    proof: Proof = "unknown"
    """How a published submission is shown to be the author's."""

    @property
    def ownership(self) -> Ownership:
        """Who may make the change."""
        return OWNERSHIP[self.kind]


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that a change of a results folder touches."""

    head: Path
    """The later state."""
    matches: Matches
    changes: Sequence[Change]
    has_carried_alone: bool = False
    """Whether its new submissions only hold results of published ones, on a later track."""

    @property
    def new_submissions(self) -> list[str]:
        """The submissions that somebody sent in, as `BENCHMARK/ID`; carried ones are none."""
        return [] if self.has_carried_alone else sorted(self.matches.new)

    @property
    def foreign(self) -> list[Change]:
        """The changes that do not belong to the request."""
        return [change for change in self.changes if change.ownership.owner is Owner.OTHERS]


def ownership_problems(request: Request) -> Iterator[Problem]:
    """Yield the changes that a request may not make, or that its reviewer has to look at.

    Changes that nobody may make, such as those of published rounds, are reported by `history`.
    """
    new_names = sorted(name.rpartition("/")[2] for name in request.new_submissions)
    for change in request.changes:
        if new_names:
            yield from _problems_with_submission(change, new_names[0])
        elif change.kind in _STATUS_KINDS and change.touches and change.proof != "account":
            yield HISTORY_MAINTAINED.broken(change.path, change.line, change.description)


def _problems_with_submission(change: Change, new_name: str) -> Iterator[Problem]:
    """Yield what is wrong about a change beside a new submission."""
    description = f"{change.description}, as {new_name} comes"
    match change.kind:
        case ChangeKind.NEW_SUBMISSION | ChangeKind.NEW_TRACK | ChangeKind.OWN_NOTE:
            return
        case ChangeKind.CONTENT | ChangeKind.JOURNAL | ChangeKind.REGISTRATION:
            return  # reported by HISTORY-EDITED, -DELETED, -STATUS and -JOURNAL
        case ChangeKind.BASELINE:
            yield HISTORY_BASELINE.broken(change.path, change.line, change.description)
        case ChangeKind.OWN_STATUS:
            reason = _OWN_REASONS[change.proof]
            if reason:
                yield HISTORY_OWN.broken(change.path, change.line, f"{description}, {reason}")
        case ChangeKind.STATUS:
            yield HISTORY_RIVAL.broken(change.path, change.line, description)
        case ChangeKind.FINDING:
            if change.special_rule is None:
                yield _not_own(change, description)
            else:
                yield change.special_rule.broken(change.path, change.line, change.description)
        case (
            ChangeKind.DEFINITION
            | ChangeKind.TASKS
            | ChangeKind.TABLE
            | ChangeKind.RELEASE
            | ChangeKind.OTHER_FILE
        ):
            yield _not_own(change, description)
        case unexpected:
            assert_never(unexpected)


_OWN_REASONS: Mapping[Proof, str] = {
    "account": "",
    "contact": "and the commits have the address of its contact, which anybody can write there",
    "unknown": "which names the same agent, organization and submitter",
    "denied": "",
}
"""Why a published submission counts as the author's; empty where nobody has to look at it."""


def _not_own(change: Change, description: str) -> Problem:
    """Return the problem of a change that others have to make."""
    fix = (
        f"take it out; who may change it: {change.ownership.without_submission}, "
        "in a change that brings no submission"
    )
    return HISTORY_NOT_OWN.broken(change.path, change.line, description, fix)


def request_line(request: Request) -> Statement:
    """Return the first line of a report: the kind of request and the published results in it."""
    if not request.changes:
        return Statement("Nothing in the results differs from the earlier state.")
    if request.new_submissions:
        return _submission_line(request)
    return _maintenance_line(request)


def _submission_line(request: Request) -> Statement:
    """Return the first line of a report about a request with new submissions."""
    line = _with_names("This change brings", request.new_submissions)
    if request.foreign:
        number = counted(len(request.foreign), "change")
        line += Statement(f", and {number} beside it that a submission may not bring")
        return line + Statement(": ") + _list_changes(request, request.foreign) + Statement(".")
    kinds = {change.kind for change in request.changes}
    if ChangeKind.NEW_TRACK in kinds:
        line += Statement(", begins what it enters")
    if ChangeKind.OWN_NOTE in kinds:
        line += Statement(", says something about itself in a finding")
    if ChangeKind.OWN_STATUS not in kinds:
        return line + Statement(", and changes nothing that is published.")
    names: list[str] = []
    is_shown_own = True
    for change in request.changes:
        if change.kind is ChangeKind.OWN_STATUS:
            names += change.touches
            is_shown_own = is_shown_own and change.proof == "account"
    line += _with_names(", and changes the status of", sorted(names))
    if is_shown_own:
        return line + Statement(", which its author sent in.")
    return line + Statement(": whoever merges it checks that the same people sent them in.")


def _maintenance_line(request: Request) -> Statement:
    """Return the first line of a report about a request without a new submission."""
    kinds = {change.kind for change in request.changes}
    if kinds == {ChangeKind.REGISTRATION}:
        text = "This change registers planned runs, as anybody may, and brings no submission."
        return Statement(text)
    proofs = {change.proof for change in request.changes}
    if kinds == {ChangeKind.OWN_STATUS} and proofs == {"account"}:
        line = Statement("This change is about submissions that its author sent in: ")
        return line + _list_changes(request, request.changes) + Statement(".")
    line = Statement("This is a maintainers' change, without a new submission: ")
    others = list(request.changes)
    if request.has_carried_alone:
        carried = counted(len(request.matches.new), "submission")
        line = Statement(f"This is a maintainers' change that carries over {carried}: ")
        others = [item for item in others if item.kind is not ChangeKind.NEW_SUBMISSION]
    line += _list_changes(request, others) + Statement(". ")
    names = _touched_names(request.changes)
    if not names:
        return line + Statement("It touches no published result.")
    line += _with_names(f"It touches {counted(len(names), 'published result')}:", names)
    if ChangeKind.CONTENT in kinds:
        return line + Statement("; published results leave by a redaction alone.")
    if kinds <= {ChangeKind.STATUS, ChangeKind.OWN_STATUS}:
        return line + Statement("; merge it if a maintainer or their submitter made it.")
    return line + Statement("; merge it if a maintainer made it.")


def _touched_names(changes: Collection[Change]) -> list[str]:
    """Return the published results that some changes touch, sorted, each once."""
    names: set[str] = set()
    for change in changes:
        names.update(change.touches)
    return sorted(names)


def _with_names(text: str, names: Sequence[str]) -> Statement:
    """Return a text that is followed by the first names and the number of the others."""
    blanks = listed(["{}"] * len(names), _MAX_NAMED)
    return Statement(f"{text} {blanks}", tuple(names[:_MAX_NAMED]))


def _list_changes(request: Request, changes: Sequence[Change]) -> Statement:
    """Return the first changes, each with its file and line, and the number of the others."""
    values: list[str] = []
    for change in changes[:_MAX_NAMED]:
        path = change.path.relative_to(request.head).as_posix()
        location = f"{path}:{change.line}" if change.line else path
        values += (change.description, location)
    blanks = listed(["{} in {}"] * len(changes), _MAX_NAMED, separator="; ")
    return Statement(blanks, tuple(values))
