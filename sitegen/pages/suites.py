"""The cases of a round by submission, and the cases that broke from round to round."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from sitegen.metrics.outcomes import case_counts
from sitegen.models.outcome import CaseStatus, State
from sitegen.pages.cases import AttemptCases, CaseKey, KnownCase
from sitegen.problems import grouped

Silence = State | Literal["missing", "absent", "untold"]
"""The reason why a case's outcome is not known."""


class CaseEnding(NamedTuple):
    """The outcome of a case in one attempt. A tuple, because there are hundreds of thousands."""

    status: CaseStatus | None
    silence: Silence | None = None
    """The reason why the status is not known."""
    case: KnownCase | None = None
    """The case as the attempt reports it; None if its outcome is inferred."""


class AttemptColumn(NamedTuple):
    """The submission and the attempt of a column; attempt 1 if the submission has no record."""

    submission: str
    attempt: int


class CaseRow(NamedTuple):
    """One case in every attempt."""

    key: CaseKey
    endings: Sequence[CaseEnding]
    """Its outcomes, in the order of `Suite.columns`; empty if it is only counted."""
    failed: int
    """The number of attempts in which it failed."""
    known_count: int
    """The number of attempts in which it is known whether the case passed or failed."""
    linked: int
    """The number of attempts that report the case and in which it did not pass."""

    @property
    def is_split(self) -> bool:
        """Whether it distinguishes submissions: it passed in some attempts and failed in others."""
        return 0 < self.failed < self.known_count

    @property
    def order(self) -> tuple[int, bool, int]:
        """The sort key of rows.

        Cases that distinguish the most pairs of attempts come first, followed by cases that every
        attempt fails.
        """
        distinguished_pairs = self.failed * (self.known_count - self.failed)
        return -distinguished_pairs, not self.failed, -self.known_count

    @classmethod
    def of(cls, key: CaseKey, endings: Sequence[CaseEnding]) -> "CaseRow":
        """Return the row for a case, with its number of failures, computed from its outcomes."""
        statuses = [ending[0] for ending in endings]
        failed = statuses.count("failed") + statuses.count("error")
        passed = statuses.count("passed")
        linked = 0
        for status, _, case in endings:
            if case is not None and status != "passed":
                linked += 1
        return cls(key, endings, failed, failed + passed, linked)


_INFERRED_PASS = CaseEnding("passed")
_MISSING = CaseEnding(None, "missing")
_ABSENT = CaseEnding(None, "absent")
_UNTOLD = CaseEnding(None, "untold")


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class Suite:
    """The cases of one round, as every submission reports them: by submission, then by attempt."""

    number: int
    reported_cases: Mapping[str, Mapping[int, AttemptCases]]

    @property
    def all_reported(self) -> Iterator[AttemptCases]:
        """The cases of each attempt of every submission."""
        for attempts in self.reported_cases.values():
            yield from attempts.values()

    def _attempts_of(self, submissions: Sequence[str]) -> Iterator[AttemptCases]:
        for submission_id in submissions:
            yield from self.reported_cases.get(submission_id, {}).values()

    def counted_rows(self, submissions: Sequence[str]) -> list[CaseRow]:
        """Return a row with counts for each case of a round whose cases have no details.

        The rows are in the order of `rows`.
        """
        attempts = self._attempts_of(submissions)
        outcomes_by_keys = grouped((cases.keys, cases.result.outcomes or "") for cases in attempts)
        failed: Counter[CaseKey] = Counter()
        ran: Counter[CaseKey] = Counter()
        for keys, outcomes in outcomes_by_keys.items():
            failed_counts, ran_counts = case_counts(outcomes)
            for key, failed_count, ran_count in zip(keys, failed_counts, ran_counts, strict=True):
                failed[key] += failed_count
                ran[key] += ran_count
        rows = [CaseRow(key, (), failed[key], ran[key], 0) for key in ran]
        return sorted(rows, key=lambda row: row.order)

    @cached_property
    def _keys_by_suite_size(self) -> Mapping[int | None, set[CaseKey]]:
        """The keys of the cases that are known to be in suites of each size."""
        keys: dict[int | None, set[CaseKey]] = defaultdict(set)
        for attempt_cases in self.all_reported:
            keys[attempt_cases.result.total].update(attempt_cases.by_key)
        return keys

    @cached_property
    def _namesakes(self) -> Mapping[str, set[CaseKey]]:
        """Cases with more known details than their name, by name.

        Empty if no attempt reports only a name, because the cases are then not needed.
        """
        keys = set().union(*self._keys_by_suite_size.values())
        namesakes: dict[str, set[CaseKey]] = defaultdict(set)
        if any(key.is_bare for key in keys):
            for key in keys:
                if not key.is_bare:
                    namesakes[key.case].add(key)
        return namesakes

    def rows(self, submissions: Sequence[str]) -> list[CaseRow]:
        """Return the cases that some of the submissions report, the most distinguishing first."""
        unique_keys: dict[CaseKey, None] = {}
        for attempt_cases in self._attempts_of(submissions):
            reported_keys = attempt_cases.by_key.keys()
            if self._namesakes:
                unique_keys |= dict.fromkeys(map(self.fuller_key, reported_keys))
            else:
                unique_keys |= dict.fromkeys(reported_keys)
        keys = list(unique_keys)
        columns = [self._column(column, keys) for column in self.columns(submissions)]
        rows = list(map(CaseRow.of, keys, zip(*columns, strict=True)))
        return sorted(rows, key=lambda row: row.order)

    def columns(self, submissions: Sequence[str]) -> list[AttemptColumn]:
        """Return the submission and attempt of each outcome of a row, in order."""
        columns = []
        for submission_id in submissions:
            attempts = self.reported_cases.get(submission_id) or (1,)
            columns += [AttemptColumn(submission_id, attempt) for attempt in attempts]
        return columns

    def _column(self, column: AttemptColumn, keys: Sequence[CaseKey]) -> list[CaseEnding]:
        """Return the outcome of each case in an attempt."""
        attempt_cases = self.reported_cases.get(column.submission, {}).get(column.attempt)
        if attempt_cases is None:
            return [_MISSING] * len(keys)
        return self.case_endings(attempt_cases, keys)

    def case_endings(
        self, attempt_cases: AttemptCases, keys: Sequence[CaseKey]
    ) -> list[CaseEnding]:
        """Return the outcomes of cases in an attempt, or why they are not known.

        A case that an attempt does not name has passed only if the attempt names all its failed
        cases and its suite is as large as one that is known to contain the case. A suite of another
        size may have broken off before the case ran.
        """
        known_cases = self._cases_by_key(attempt_cases, keys)
        passed: set[CaseKey] = set()
        default = _UNTOLD
        if attempt_cases.result.state != "scored":
            default = CaseEnding(None, attempt_cases.result.state)
        elif attempt_cases.has_outcomes:
            default = _ABSENT
        elif attempt_cases.has_all_failed_names:
            passed = self._keys_by_suite_size.get(attempt_cases.result.total, passed)
        endings = []
        for key in keys:
            case = known_cases.get(key)
            if case:
                endings.append(CaseEnding(case.status, None, case))
            elif key in passed:
                endings.append(_INFERRED_PASS)
            else:
                endings.append(default)
        return endings

    def _cases_by_key(
        self, attempt_cases: AttemptCases, keys: Sequence[CaseKey]
    ) -> Mapping[CaseKey, KnownCase]:
        """Return an attempt's cases by key, and by fuller key if it reports only a unique name."""
        cases = attempt_cases.by_key
        if not attempt_cases.has_outcomes or not attempt_cases.has_case_names:
            return cases
        if not any(key.is_bare for key in cases):
            return cases
        by_key = dict(cases)
        for key in keys:
            bare_case = cases.get(CaseKey(key.case))
            if key not in cases and bare_case and not self._namesakes.get(key.case, set()) - {key}:
                by_key[key] = bare_case
        return by_key

    def fuller_key(self, key: CaseKey) -> CaseKey:
        """Return the fuller key of a bare name; the same key if there is none, or several."""
        namesakes = self._namesakes.get(key.case, ()) if key.is_bare else ()
        if len(namesakes) == 1:
            return next(iter(namesakes))
        return key


class CaseTransition(NamedTuple):
    """A case that passed in an earlier round and fails now."""

    before: int
    """The last round in which it is known to have passed."""
    since: int
    """The first round after that in which it is known to fail."""

    @property
    def is_exact(self) -> bool:
        """Whether it broke in exactly the round `since`; otherwise it may have broken earlier."""
        return self.since == self.before + 1

    def words(self, round_noun: str) -> str:
        """Return a text on when the case broke; `round_noun` is the word for a round."""
        doubt = "" if self.is_exact else " or earlier"
        passed = f"passed in {round_noun} {self.before}"
        return f"regression: {passed}, broke in {round_noun} {self.since}{doubt}"


RoundStep = tuple[Suite, AttemptCases]
"""A round of an attempt: the round's cases, and the cases that the attempt reports."""


def find_transitions(
    steps: Sequence[RoundStep],
) -> Mapping[int, Mapping[CaseKey, CaseTransition]]:
    """Return the cases of an attempt that broke, by round: they fail in it and passed earlier.

    A pass counts if an outcome states it or if it can be inferred (see `Suite.case_endings`). If a
    source names only some of the failed cases of a round, the outcome of its other cases is
    unknown.
    """
    transitions_by_round: dict[int, Mapping[CaseKey, CaseTransition]] = {}
    failing: dict[CaseKey, CaseTransition | None] = {}  # as last known
    for index, step in enumerate(steps):
        suite, attempt_cases = step
        failed_keys = _failed_keys(attempt_cases)
        newly_failing = [key for key in failed_keys if key not in failing]
        failing_in_round = {key: failing.get(key) for key in failed_keys}
        failing_in_round |= _newly_broken(newly_failing, suite.number, steps[:index])
        passed = _passed_keys(step, list(failing))
        still_failing = {key: state for key, state in failing.items() if key not in passed}
        failing = still_failing | failing_in_round
        broken = {key: transition for key, transition in failing_in_round.items() if transition}
        transitions_by_round[suite.number] = broken
    return transitions_by_round


def _newly_broken(
    keys: Sequence[CaseKey], number: int, earlier_steps: Sequence[RoundStep]
) -> Mapping[CaseKey, CaseTransition]:
    """Return the cases that passed in an earlier round, with the last round in which they did."""
    broken: dict[CaseKey, CaseTransition] = {}
    remaining = list(keys)
    for earlier_step in reversed(earlier_steps):
        if not remaining:
            break
        passed = _passed_keys(earlier_step, remaining)
        broken |= dict.fromkeys(passed, CaseTransition(earlier_step[0].number, number))
        remaining = [key for key in remaining if key not in passed]
    return broken


def _failed_keys(attempt_cases: AttemptCases) -> list[CaseKey]:
    """Return the cases that an attempt reports as failed; none if they have no names."""
    if not attempt_cases.has_case_names:
        return []
    return [key for key, case in attempt_cases.by_key.items() if case.is_failed]


def _passed_keys(step: RoundStep, keys: Sequence[CaseKey]) -> set[CaseKey]:
    """Return the cases that are known to have passed in a round."""
    suite, attempt_cases = step
    endings = suite.case_endings(attempt_cases, keys)
    return {key for key, ending in zip(keys, endings, strict=True) if ending.status == "passed"}
