"""The cases of a round on run pages, grouped by reason or requirement, and when they broke."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple, assert_never

from sitegen.pages import labels
from sitegen.pages.cases import AttemptCases, CaseKey, KnownCase
from sitegen.pages.findings import Flag, case_flags
from sitegen.pages.labels import visible
from sitegen.pages.pagination import AttemptRound
from sitegen.pages.records import TaskRun
from sitegen.pages.suites import CaseTransition
from sitegen.pages.texts import join_texts
from sitegen.problems import agreeing, counted, listed

_MAX_NAMED_REQUIREMENTS = 4
"""Maximum number of requirements named with a reason that their cases share."""

_MAX_LINE_LENGTH = 120
"""Maximum characters of a reason on its line; a longer reason is repeated in full below it."""

_MAX_MAIN_REQUIREMENTS = 24
"""Maximum number of requirements that the matrix shows without unfolding."""

_SHADE_STEPS = (1, 4, 8, 32)
"""Numbers of failed cases from which a cell of the matrix is a shade darker."""


class CaseView(NamedTuple):
    """A case that did not pass. A tuple, because templates unpack thousands of them."""

    case: KnownCase
    title: str
    """The title of the case; empty if the page shows it elsewhere."""
    texts: Sequence[tuple[str, str]]
    """The names and contents of its texts, except those that the page shows elsewhere."""
    address: str
    """The address of the case's full description; its own anchor if it is described here."""
    regression: str
    """When the case broke, if it passed in an earlier round; otherwise empty."""
    flag: Flag | None
    """The flag for findings that name this case; None if there are none."""


SAME_NUMBER = "the same number"
"""Text for a round in which as many cases failed as in the previous round."""


class GroupView(NamedTuple):
    """Cases of a round that did not pass and have something in common."""

    reason: str
    """The reason why they failed, if it is the same for all; otherwise empty."""
    title: str
    """Other properties that they have in common."""
    about: str
    """The number of cases, and their requirements."""
    cases: Sequence[CaseView]

    @property
    def needs_details(self) -> bool:
        """Whether it needs more than one line: its reason is long, or its cases have details."""
        if len(self.reason) > _MAX_LINE_LENGTH:
            return True
        return any(view.title or view.texts for view in self.cases)

    @property
    def line(self) -> str:
        """The reason, cut at a space if it is too long for a line."""
        if len(self.reason) <= _MAX_LINE_LENGTH:
            return self.reason
        return f"{self.reason[:_MAX_LINE_LENGTH].rsplit(maxsplit=1)[0]}…"


class RoundCases(NamedTuple):
    """The cases of a round that a page shows."""

    groups: Sequence[GroupView]
    """Groups of cases that did not pass, by kind; within a kind, the largest group comes first."""
    passed: Sequence[tuple[KnownCase, Flag | None]]
    """The passed cases that the page lists, each with the mark of the findings that name it."""
    passed_elsewhere: int = 0
    """The number of passed cases that the page does not list."""
    file: str = ""
    """The address of the file with all outcomes; empty if the page lists every passed case."""


class _GroupKind(IntEnum):
    """What the cases of a group have in common, in the order of the page."""

    SHARED_REASON = 0
    OWN_REASON = 1
    REQUIREMENT = 2
    REPEATED = 3


class _GroupKey(NamedTuple):
    """What the cases of a group have in common, with the text or round they share."""

    kind: _GroupKind
    reason: str = ""
    """The text of a shared reason."""
    requirement: str = ""
    """The requirement of cases without a reason."""
    number: int = 0
    """The earlier round in which repeated cases failed in the same way."""


def round_cases(
    run: TaskRun, key: AttemptRound, cases: Sequence[KnownCase], page_address: str
) -> RoundCases:
    """Return the cases of a round that a page shows, the failed ones in groups."""
    records = run.records
    builder = _RoundCasesBuilder(run, key, page_address)
    groups = builder.groups([case for case in cases if case.status != "passed"])
    flags = builder.flags
    passed = [(case, flags.get(case.case.id)) for case in cases if case.status == "passed"]
    if run.entry.id not in records.dense:
        return RoundCases(groups, passed)
    flagged = [(case, flag) for case, flag in passed if flag]
    file = records.addresses.outcomes(run.task.id, key[1])
    return RoundCases(groups, flagged, len(passed) - len(flagged), file)


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class _RoundCasesBuilder:
    """Groups the failed cases of one round for one page."""

    run: TaskRun
    key: AttemptRound
    page_address: str

    @cached_property
    def flags(self) -> Mapping[str, Flag]:
        """The marks of findings, by case."""
        board = self.run.board
        return case_flags(board, self.run.entry.id, self.run.task.id, self.key[1])

    @cached_property
    def transitions(self) -> Mapping[CaseKey, CaseTransition]:
        """When each case broke that fails in this round and passed in an earlier one."""
        return self.run.task_cases.transitions_in(self.run.entry, *self.key)

    @property
    def round_noun(self) -> str:
        return labels.rounds_word(self.run.board.benchmark)

    def groups(self, failing: Sequence[KnownCase]) -> list[GroupView]:
        """Return the groups in the order of the page: by kind, then the largest first."""
        reason_counts = Counter(case.failure.reason for case in failing if case.failure)
        cases_by_key: dict[_GroupKey, list[KnownCase]] = defaultdict(list)
        for case in failing:
            cases_by_key[self._group_key(case, reason_counts)].append(case)
        ordered = sorted(cases_by_key.items(), key=lambda item: (item[0].kind, -len(item[1])))
        return [self._group_view(key, cases) for key, cases in ordered]

    def _group_key(self, case: KnownCase, reason_counts: Counter[str | None]) -> _GroupKey:
        repeated = self.run.locations.repeats.get((self.key, case.anchor))
        if repeated:
            (_, number), _ = repeated
            return _GroupKey(_GroupKind.REPEATED, number=number)
        reason = None
        if case.failure:
            reason = case.failure.reason
        if not reason:
            return _GroupKey(_GroupKind.REQUIREMENT, requirement=case.requirement or "")
        if reason_counts[reason] > 1:
            return _GroupKey(_GroupKind.SHARED_REASON, reason=reason)
        return _GroupKey(_GroupKind.OWN_REASON)

    def _group_view(self, key: _GroupKey, cases: Sequence[KnownCase]) -> GroupView:
        reason = visible(key.reason)
        about = _describe_cases(cases)
        match key.kind:
            case _GroupKind.SHARED_REASON:
                title = ""
            case _GroupKind.OWN_REASON:
                title = "Other reasons"
            case _GroupKind.REQUIREMENT:
                title = key.requirement or "Cases"
                about = self._describe_requirement(key.requirement, cases)
            case _GroupKind.REPEATED:
                title = f"Same as in {self.round_noun} {key.number}"
            case _:
                assert_never(key.kind)
        views = [self._case_view(case, reason) for case in cases]
        return GroupView(reason, title, about, views)

    def _describe_requirement(self, requirement: str, cases: Sequence[KnownCase]) -> str:
        """Return a text on how many cases of a requirement failed, and how many were skipped."""
        attempt, number = self.key
        failed = sum(case.is_failed for case in cases)
        skipped = len(cases) - failed
        total_failed = self.run.reported_cases[attempt][number].failed_by_requirement.get(
            requirement, 0
        )
        failed_text = ""
        if failed:
            failed_text = f"{failed} failed"
        if 0 < failed < total_failed:
            failed_text = f"{failed} of {total_failed} failed cases listed"
        return join_texts(failed_text, f"{skipped} skipped" if skipped else "", separator=", ")

    def _case_view(self, case: KnownCase, group_reason: str) -> CaseView:
        repeated = self.run.locations.repeats.get((self.key, case.anchor))
        title = ""
        texts = []
        if not repeated:
            title = case.title
            texts = [(names, text) for names, text in case.texts if text != group_reason]
        described_key, described_case = repeated or (self.key, case)
        address = self.run.locations.address_of(described_key, described_case)
        page, _, anchor = address.partition("#")
        if page == self.page_address:
            address = f"#{anchor}"
        transition = self.transitions.get(case.key)
        regression = ""
        if transition:
            regression = transition.words(self.round_noun)
        flag = self.flags.get(case.case.id)
        return CaseView(case, title, texts, address, regression, flag)


def _describe_cases(cases: Sequence[KnownCase]) -> str:
    """Return a text with the number of cases in a group, and their requirements."""
    requirements = dict.fromkeys(case.requirement for case in cases if case.requirement)
    names = listed(map(visible, requirements), _MAX_NAMED_REQUIREMENTS, more=", {} more")
    return join_texts(counted(len(cases), "case"), names, separator=": ")


class Matrix(NamedTuple):
    """An attempt's failed cases by requirement and round: what broke when, and stayed broken."""

    rounds: Sequence[int]
    main: Sequence["MatrixRow"]
    """The requirements with most failed cases, in the order in which they broke."""
    folded: Sequence["MatrixRow"]
    note: str
    """A note on requirements that are left out; empty if there are none."""


MatrixRow = tuple[str, Sequence[tuple[str, int]]]
"""A requirement, and its failed cases by round: the mark of each cell, and its shade from 0."""


def matrix_of(rounds: Mapping[int, AttemptCases], round_noun: str, max_cells: int) -> Matrix | None:
    """Return the failed cases of an attempt by requirement and round, in at most `max_cells` cells.

    Returns None if no requirement is known, or if there is only one round.
    """
    failed_by_round: dict[int, Mapping[str, int]] = {}
    totals: Counter[str] = Counter()
    for number, attempt_cases in rounds.items():
        counts = attempt_cases.failed_by_requirement
        failed_by_round[number] = {name: count for name, count in counts.items() if name}
        for name, count in Counter(failed_by_round[number]).most_common():
            totals[name] += count  # keys are added in the order in which requirements broke
    if not totals or len(rounds) < 2:  # noqa: PLR2004 - rounds to compare
        return None
    by_failures = sorted(totals, key=lambda name: -totals[name])
    shown = by_failures[: max_cells // (len(rounds) + 1)]
    main_names = set(shown[:_MAX_MAIN_REQUIREMENTS])
    folded_names = set(shown) - main_names
    main = [_matrix_row(name, rounds) for name in totals if name in main_names]
    folded = [_matrix_row(name, rounds) for name in totals if name in folded_names]
    note = _unnamed_failures(rounds, failed_by_round, round_noun)
    omitted = len(totals) - len(shown)
    if omitted:
        note = f"{note} {counted(omitted, 'more requirement')} failed."
    return Matrix(list(rounds), main, folded, note)


def _matrix_row(requirement: str, rounds: Mapping[int, AttemptCases]) -> MatrixRow:
    cells = []
    for attempt_cases in rounds.values():
        count = attempt_cases.failed_by_requirement.get(requirement, 0)
        state = attempt_cases.result.state
        mark = "·" if state == "scored" else labels.MARKS[state]
        shade = sum(count >= step for step in _SHADE_STEPS)
        cells.append((str(count) if count else mark, shade))
    return visible(requirement), cells


def _unnamed_failures(
    rounds: Mapping[int, AttemptCases],
    failed_by_round: Mapping[int, Mapping[str, int]],
    round_noun: str,
) -> str:
    """Return a sentence on failed cases without a known requirement; empty if there are none."""
    unnamed_by_round = {}
    for number, attempt_cases in rounds.items():
        named = sum(failed_by_round[number].values())
        unnamed = (attempt_cases.result.failed or 0) - named
        if unnamed > 0:
            unnamed_by_round[number] = unnamed
    if not unnamed_by_round:
        return ""
    cases = counted(sum(unnamed_by_round.values()), "failed case")
    rounds_text = counted(len(unnamed_by_round), round_noun)
    if len(unnamed_by_round) == 1:
        (number,) = unnamed_by_round
        rounds_text = f"{round_noun} {number}"
    verb = agreeing(sum(unnamed_by_round.values()), "is", "are")
    reason = "because the source does not name the requirement"
    return f"{cases} in {rounds_text} {verb} not shown, {reason}."


def change_words(current: AttemptCases, previous: AttemptCases) -> str:
    """Return a text on how failures changed since the previous round; empty if that is not known.

    Failures are compared by requirement if the requirements of all failed cases are known, and
    otherwise in total.
    """
    failed = current.result.failed
    failed_before = previous.result.failed
    if failed is None or failed_before is None or not (failed or failed_before):
        return ""
    if {current.result.state, previous.result.state} != {"scored"}:
        return ""
    changes: Iterable[int] = [failed - failed_before]
    if _has_all_requirements(current) and _has_all_requirements(previous):
        difference = Counter(current.failed_by_requirement)
        difference.subtract(previous.failed_by_requirement)
        changes = difference.values()
    more_failures = sum(change for change in changes if change > 0)
    fewer_failures = -sum(change for change in changes if change < 0)
    more_text = ""
    if more_failures:
        more_text = f"{more_failures} more"
    fewer_text = ""
    if fewer_failures:
        fewer_text = f"{fewer_failures} fewer"
    return join_texts(more_text, fewer_text, separator=" and ") or SAME_NUMBER


def _has_all_requirements(attempt_cases: AttemptCases) -> bool:
    """Return whether the counts by requirement add up to all failed cases."""
    return sum(attempt_cases.failed_by_requirement.values()) == attempt_cases.result.failed


def fails_alike(current: AttemptCases, previous: AttemptCases) -> bool:
    """Return whether a round failed like the previous one, with the same failed cases listed."""
    if not current.result.failed or current.result.failed != previous.result.failed:
        return False
    if current.failed_by_requirement != previous.failed_by_requirement:
        return False
    identities = current.identities
    return bool(identities) and identities == previous.identities
