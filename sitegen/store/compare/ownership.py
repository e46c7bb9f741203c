"""Decide who may make each change of a results folder; `validate --base` checks requests with it.

A request is the set of all differences between two states of the folder, and a change is one path
or key that differs. `changed_parts.read_request` returns a `Request` with all changes and their
kinds. Read `ownership_problems` first, which yields the changes that are not allowed in a request;
`OWNERSHIP` lists who may make changes of each kind. `request_line` returns the first line of a
report.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sitegen.problems import Problem, Rule, Statement, counted, listed
from sitegen.store.compare.authors import AuthorEvidence
from sitegen.store.compare.history_rules import (
    HISTORY_BASELINE,
    HISTORY_EDITED,
    HISTORY_JOURNAL,
    HISTORY_MAINTAINED,
    HISTORY_NOT_OWN,
    HISTORY_OWN,
    HISTORY_RIVAL,
)
from sitegen.store.compare.matching import Matches


class Owner(StrEnum):
    """The owner of a changed path or key."""

    SUBMISSION = "own new submission"
    OWN_STATUS = "own status"
    OTHERS = "everything else"


class ChangeKind(StrEnum):
    """The kind of a change, by its subject."""

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
    """A description of the changed content, for the page on security."""
    example: str
    """An example path below `results/`, with a key if the change is to a key."""
    without_submission: str
    """Who may make the change in a request without a new submission."""
    rule: Rule | None = None
    """The rule that the change breaks in a request with a new submission; None if it is allowed."""
    condition: str = ""
    """The condition under which the change is allowed in a request with a new submission."""
    is_found_by_history: bool = False
    """Whether `history`, which compares published results, reports breaches of the rule."""

    @property
    def with_submission(self) -> str:
        """A text on whether a request with a new submission may make the change."""
        if self.rule is None:
            return f"allowed {self.condition}".strip()
        if self.rule.severity == "error":
            return "an error"
        return f"allowed, with the warning {self.rule.code} {self.condition}".strip()


_MAINTAINERS = "the maintainers"

# A long statement, because it is the table that the page on security shows.
OWNERSHIP: Mapping[ChangeKind, Ownership] = {
    ChangeKind.NEW_SUBMISSION: Ownership(
        Owner.SUBMISSION,
        "the folder of a submission that is not published",
        "demo/submissions/2026-07-01-acme-1/",
        "whoever sends it",
    ),
    ChangeKind.NEW_TRACK: Ownership(
        Owner.SUBMISSION,
        "the benchmark or track that the submission introduces, with its tasks, tables and axes",
        "demo/benchmark.toml: `tracks.2`",
        _MAINTAINERS,
        condition="if no published submission is on it",
    ),
    ChangeKind.BASELINE: Ownership(
        Owner.SUBMISSION,
        "`baseline = true` in a new submission",
        "demo/submissions/2026-07-01-random/submission.toml: `baseline = true`",
        _MAINTAINERS,
        HISTORY_BASELINE,
    ),
    ChangeKind.OWN_NOTE: Ownership(
        Owner.SUBMISSION,
        "an unsigned note about only the new submission, or a finding on its new track",
        'demo/findings.toml: `kind = "note"`, `submissions = ["2026-07-01-acme-1"]`',
        _MAINTAINERS,
    ),
    ChangeKind.OWN_STATUS: Ownership(
        Owner.OWN_STATUS,
        "`[status]` of a published submission that names the author's account or contact, or the "
        "same agent, organization and submitter",
        'demo/submissions/2026-06-01-acme-1/submission.toml: `status.state = "superseded"`',
        "the maintainers, or whoever sent it",
        HISTORY_OWN,
        condition="unless the submission names the author's account",
    ),
    ChangeKind.STATUS: Ownership(
        Owner.OTHERS,
        "`[status]`, `baseline`, an `embargo` that ends sooner, comments or checksums of any other "
        "published submission",
        "demo/submissions/2026-06-02-bolt/submission.toml: `status.state`",
        "the maintainers, or whoever sent it",
        HISTORY_RIVAL,
    ),
    ChangeKind.CONTENT: Ownership(
        Owner.OTHERS,
        "anything else in a published submission",
        "demo/submissions/2026-06-02-bolt/rounds.jsonl",
        "nobody; only a redaction may remove content",
        HISTORY_EDITED,
        is_found_by_history=True,
    ),
    ChangeKind.DEFINITION: Ownership(
        Owner.OTHERS,
        "what a benchmark and its tracks say about themselves, `[[renamed]]`, `[[redirects]]` and "
        "`[aliases]`, and agents.toml",
        "demo/benchmark.toml: `tracks.0.headline`, `verified_from`, `axes.kind.weights`",
        _MAINTAINERS,
        HISTORY_NOT_OWN,
    ),
    ChangeKind.TASKS: Ownership(
        Owner.OTHERS,
        "tasks of a published track",
        "demo/tasks/all.jsonl: `title` of task tidy",
        "the maintainers: titles, addresses and labels",
        HISTORY_NOT_OWN,
    ),
    ChangeKind.TABLE: Ownership(
        Owner.OTHERS,
        "published tables",
        "demo/reported/paper.toml",
        _MAINTAINERS,
        HISTORY_NOT_OWN,
    ),
    ChangeKind.FINDING: Ownership(
        Owner.OTHERS,
        "any other finding: exclusions, waivers, reproductions, redactions, and signed notes",
        'demo/findings.toml: `effect = "exclude"`, `by = "the maintainers"`',
        "the maintainers, who add findings and never change one",
        HISTORY_NOT_OWN,
    ),
    ChangeKind.JOURNAL: Ownership(
        Owner.OTHERS,
        "the order of arrival, and checks",
        "arrivals.jsonl, demo/checks.jsonl",
        "the maintainers, who only add lines",
        HISTORY_JOURNAL,
        is_found_by_history=True,
    ),
    ChangeKind.REGISTRATION: Ownership(
        Owner.OTHERS,
        "registrations of planned runs",
        "demo/registrations.jsonl",
        "anyone, before the runs, by adding lines",
        HISTORY_JOURNAL,
        is_found_by_history=True,
    ),
    ChangeKind.RELEASE: Ownership(
        Owner.OTHERS,
        "releases",
        "releases/2026-07-03.toml",
        "the maintainers, who add releases and never change one",
        HISTORY_NOT_OWN,
    ),
    ChangeKind.OTHER_FILE: Ownership(
        Owner.OTHERS,
        "any other file",
        "README.md",
        _MAINTAINERS,
        HISTORY_NOT_OWN,
    ),
}
"""Who may make each kind of change; a table for the code and for the page on security."""

_STATUS_KINDS = frozenset({ChangeKind.STATUS, ChangeKind.OWN_STATUS})

_MAX_NAMED = 3
"""Maximum number of changes, and of published results, named in the first line of a report."""


@dataclass(frozen=True, slots=True)
class Change:
    """One path or key that differs between two states."""

    kind: ChangeKind
    path: Path
    """The path in the later state, even if the file no longer exists."""
    description: str
    """The key with its value before and after, or how the file changed."""
    line: int | None = None
    touches: frozenset[str] = frozenset()
    """Published submissions and table rows, as `BENCHMARK/ID`, that the change may affect."""
    special_rule: Rule | None = None
    """The rule that a finding breaks in a request with a submission; None for its kind's rule."""
    evidence: AuthorEvidence = "unknown"
    """Evidence that the author of the request made the published submission."""
    has_same_content: bool = False
    """Whether the content is unchanged: only comments or checksums differ."""

    @property
    def ownership(self) -> Ownership:
        """Who may make the change."""
        return OWNERSHIP[self.kind]


@dataclass(frozen=True, slots=True)
class Request:
    """All differences between two states of a results folder."""

    head: Path
    """The later state."""
    matches: Matches
    changes: Sequence[Change]
    only_carries_over: bool = False
    """Whether its new submissions only carry published results over to a later track."""

    @property
    def new_submissions(self) -> list[str]:
        """The new submissions, as `BENCHMARK/ID`; empty if they only carry results over."""
        return [] if self.only_carries_over else sorted(self.matches.new)

    @property
    def foreign(self) -> list[Change]:
        """The changes that a request with a new submission should not make."""
        return [change for change in self.changes if change.ownership.owner is Owner.OTHERS]


def ownership_problems(request: Request) -> Iterator[Problem]:
    """Yield problems with changes that a request may not make, or that a reviewer must check.

    Changes that nobody may make, such as changes of published rounds, are reported by `history`.
    """
    new_names = sorted(name.rpartition("/")[2] for name in request.new_submissions)
    for change in request.changes:
        if new_names:
            problem = _problem_beside_submission(change, new_names[0])
            if problem:
                yield problem
        elif _needs_maintainer(change):
            yield HISTORY_MAINTAINED.broken(change.path, change.line, change.description)


def _needs_maintainer(change: Change) -> bool:
    """Return whether a change of status needs a maintainer, as its author is not confirmed."""
    if change.kind not in _STATUS_KINDS or change.has_same_content:
        return False
    return change.evidence != "account"


def _problem_beside_submission(change: Change, new_name: str) -> Problem | None:
    """Return the problem of a change next to a new submission; None if the change is allowed."""
    ownership = change.ownership
    if ownership.rule is None or ownership.is_found_by_history:
        return None
    rule = change.special_rule or ownership.rule
    fact = change.description
    names_submission = change.kind is ChangeKind.BASELINE or change.special_rule is not None
    if not names_submission:
        fact = f"{fact}, in the request that adds {new_name}"
    if change.kind is ChangeKind.OWN_STATUS:
        reason = _OWN_REASONS[change.evidence]
        if not reason:
            return None
        fact = f"{fact}, {reason}"
    fix = None
    if rule is HISTORY_NOT_OWN:
        fix = (
            "undo this change; in a request without a submission it may be made by "
            f"{ownership.without_submission}"
        )
    return rule.broken(change.path, change.line, fact, fix)


_OWN_REASONS: Mapping[AuthorEvidence, str] = {
    "account": "",
    "contact": "and the commits have the address of its contact, which anyone can write there",
    "unknown": "which names the same agent, organization and submitter",
    "denied": "",
}
"""Why a published submission counts as the author's; empty if no review is needed."""


def request_line(request: Request, *, has_errors: bool = False) -> Statement:
    """Return the first line of a report: the kind of request and the published results affected.

    Args:
        request: The changes.
        has_errors: Whether the report has errors, so that the request must not be merged yet.
    """
    if not request.changes:
        return Statement("Nothing in the results differs from the earlier state.")
    if request.new_submissions:
        return _submission_line(request)
    return _maintenance_line(request, has_errors=has_errors)


def _submission_line(request: Request) -> Statement:
    """Return the first line of a report about a request with new submissions."""
    line = _with_names("This request adds", request.new_submissions)
    if request.foreign:
        number = counted(len(request.foreign), "change")
        line += Statement(f" and {number} that a request with a submission may not make")
        return line + Statement(": ") + _list_changes(request, request.foreign) + Statement(".")
    kinds = {change.kind for change in request.changes}
    if ChangeKind.NEW_TRACK in kinds:
        is_one = len(request.new_submissions) == 1
        tracks = "a new track" if is_one else "one or more new tracks"
        line += Statement(f", starts {tracks}")
    if ChangeKind.OWN_NOTE in kinds:
        line += Statement(", adds a finding about itself")
    if ChangeKind.OWN_STATUS not in kinds:
        return line + Statement(", and changes nothing that is published.")
    names: list[str] = []
    all_by_author = True
    for change in request.changes:
        if change.kind is ChangeKind.OWN_STATUS:
            names += change.touches
            all_by_author = all_by_author and change.evidence == "account"
    line += _with_names(", and changes the status of", sorted(names))
    if all_by_author:
        return line + Statement(", which the author of the request also sent.")
    return line + Statement(": before you merge it, check that the same people sent all of them.")


def _maintenance_line(request: Request, *, has_errors: bool) -> Statement:
    """Return the first line of a report about a request without a new submission."""
    kinds = {change.kind for change in request.changes}
    if kinds == {ChangeKind.REGISTRATION}:
        text = "This request registers planned runs, as anyone may, and adds no submission."
        return Statement(text)
    evidence = {change.evidence for change in request.changes}
    if kinds == {ChangeKind.OWN_STATUS} and evidence == {"account"}:
        line = Statement("This request changes submissions that its author sent: ")
        return line + _list_changes(request, request.changes) + Statement(".")
    line = Statement("This is a maintainer's pull request without a new submission: ")
    others = list(request.changes)
    if request.only_carries_over:
        carried = counted(len(request.matches.new), "submission")
        line = Statement(f"This is a maintainer's pull request that carries over {carried}: ")
        others = [change for change in others if change.kind is not ChangeKind.NEW_SUBMISSION]
    line += _list_changes(request, others) + Statement(". ")
    names = _touched_names(request.changes)
    if not names:
        return line + Statement("It changes no published result.")
    line += _with_names(f"It affects {counted(len(names), 'published result')}:", names)
    if ChangeKind.CONTENT in kinds:
        return line + Statement("; only a redaction may remove published results.")
    if has_errors:
        return line + Statement("; it can't be merged until the errors are fixed.")
    if kinds <= {ChangeKind.STATUS, ChangeKind.OWN_STATUS}:
        return line + Statement("; merge it only if a maintainer or their submitter made it.")
    return line + Statement("; merge it only if a maintainer made it.")


def _touched_names(changes: Collection[Change]) -> list[str]:
    """Return the distinct published results that changes affect, sorted."""
    names: set[str] = set()
    for change in changes:
        names.update(change.touches)
    return sorted(names)


def _with_names(text: str, names: Sequence[str]) -> Statement:
    """Return a text followed by the first names and the number of further names."""
    blanks = listed(["{}"] * len(names), _MAX_NAMED)
    return Statement(f"{text} {blanks}", tuple(names[:_MAX_NAMED]))


def _list_changes(request: Request, changes: Sequence[Change]) -> Statement:
    """Return the first changes with their file and line, and the number of further changes."""
    values: list[str] = []
    for change in changes[:_MAX_NAMED]:
        path = change.path.relative_to(request.head).as_posix()
        location = f"{path}:{change.line}" if change.line else path
        values += (change.description, location)
    blanks = listed(["{} in {}"] * len(changes), _MAX_NAMED, separator="; ")
    return Statement(blanks, tuple(values))
