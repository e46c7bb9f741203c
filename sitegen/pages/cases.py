"""The cases of a round as one attempt reports them, with their outcomes and requirements."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from sitegen.models.outcome import OUTCOME_STATUS, CaseStatus, Failure, RoundResult
from sitegen.models.task import Case, TaskRound
from sitegen.pages import addresses
from sitegen.pages.labels import CASES, visible
from sitegen.pages.texts import join_texts
from sitegen.problems import grouped

_TEXT_FIELDS = ("scenario", "input", "expected", "actual", "reason")
"""The text fields of a failed case, except for its intent, which serves as its title."""

_texts_of = attrgetter(*_TEXT_FIELDS)


class CaseKey(NamedTuple):
    """The key of a case; ids alone are not unique across agents or across rounds.

    For a case that the benchmark lists, `requirement` comes from the benchmark, and `intent` is
    None.
    """

    case: str
    requirement: str | None = None
    intent: str | None = None

    @property
    def is_bare(self) -> bool:
        """Whether only the name is known."""
        return self.requirement is None and self.intent is None


class KnownCase(NamedTuple):
    """A case with all that is known about it; a tuple, since there are hundreds of thousands."""

    case: Case
    """The case as the benchmark describes it; only its id if the benchmark does not list it."""
    status: CaseStatus
    failure: Failure | None
    """The source's report of the case, if it did not pass."""
    title: str
    """The purpose of the case; empty if it is not known, or is the same as its requirement."""
    texts: Sequence[tuple[str, str]]
    """Its texts with their names, each text once; the intent is left out."""
    key: CaseKey
    anchor: str
    """Its anchor on the page that shows it."""

    @property
    def is_failed(self) -> bool:
        """Whether it ran and did not pass."""
        return self.status in {"failed", "error"}

    @property
    def is_cut(self) -> bool:
        """Whether the source cut one of its texts."""
        return self.failure is not None and self.failure.truncated

    @property
    def requirement(self) -> str | None:
        """The requirement that the case checks; None if it is not known."""
        return self.case.requirement or (self.failure.requirement if self.failure else None)

    @property
    def check(self) -> tuple[str | None, ...] | None:
        """The content of the check, in texts that stay the same from round to round, unlike names.

        None if no such texts are known.
        """
        failure = self.failure
        if failure is None or not (failure.intent or failure.scenario):
            return None
        return failure.intent, failure.scenario

    @property
    def identity(self) -> object:
        """The value that best distinguishes it from other failed cases of its attempt."""
        return self.requirement, self.check or self.case.id

    @property
    def about(self) -> str:
        """Its outcome unless it simply failed, its category, and the round that introduced it."""
        category = self.case.category
        origin = self.case.origin
        if self.failure:
            category = category or self.failure.category
            origin = origin or self.failure.origin
        ending = "" if self.status == "failed" else CASES[self.status][1]
        return join_texts(ending, category, f"since {origin}" if origin else None)


_CaseReport = tuple[Case, CaseStatus, Failure | None]
"""A case with its outcome, and the source's report of it if it did not pass."""


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class AttemptCases:
    """One attempt's report on the cases of a round, with the texts of failed cases."""

    result: RoundResult
    defined: TaskRound
    failures: Sequence[Failure] = ()

    @cached_property
    def _listed(self) -> Mapping[str, Case]:
        """The cases that the benchmark lists for the round, by id."""
        return {case.id: case for case in self.defined.cases or ()}

    @property
    def _outcomes(self) -> str:
        """One letter per case; empty unless the attempt reports the outcome of every case."""
        return self.result.outcomes or ""

    @cached_property
    def outcome_cases(self) -> Sequence[Case]:
        """The cases that the outcomes belong to, in order; empty if there are not as many cases."""
        cases = self.defined.cases or ()
        if self.result.case_ids is not None:
            cases = tuple(self._listed.get(name) or Case(name) for name in self.result.case_ids)
        return cases if len(cases) == len(self._outcomes) else ()

    @property
    def has_case_names(self) -> bool:
        """Whether outcomes belong to named cases, not positions; true without outcomes."""
        return bool(self.outcome_cases) or not self._outcomes

    @cached_property
    def cases(self) -> Sequence[KnownCase]:
        """Every reported case; those that did not pass come first."""
        named_cases = self.outcome_cases or _unnamed_cases(self.result, self.failures)
        reports = list(self._case_reports(named_cases))
        reports.sort(key=lambda report: report[1] == "passed")
        case_ids = [case.id for case, _, _ in reports]
        anchors = addresses.case_anchors(self.result.round, self.result.attempt, case_ids)
        pairs = zip(reports, anchors, strict=True)
        return [_known_case(report, anchor, self._listed) for report, anchor in pairs]

    def _case_reports(self, cases: Sequence[Case]) -> Iterator[_CaseReport]:
        """Yield each case with its outcome, then failed cases that the outcomes do not cover."""
        failures_by_case = grouped((failure.case, failure) for failure in self.failures)
        for case, letter in zip(cases, self._outcomes, strict=False):
            failures = None
            if letter != "p":
                failures = failures_by_case.get(case.id)
            yield case, OUTCOME_STATUS[letter], failures.pop(0) if failures else None
        for failure in chain.from_iterable(failures_by_case.values()):
            yield self._listed.get(failure.case) or Case(failure.case), failure.status, failure

    @cached_property
    def by_key(self) -> Mapping[CaseKey, KnownCase]:
        """The reported cases by key, with only the first case of each key."""
        by_key: dict[CaseKey, KnownCase] = {}
        for case in self.cases:
            by_key.setdefault(case.key, case)
        return by_key

    @cached_property
    def has_all_failed_names(self) -> bool:
        """Whether it names as many failed cases as it counts, so the others did not fail."""
        return sum(case.is_failed for case in self.by_key.values()) == self.result.failed

    @property
    def keys(self) -> tuple[CaseKey, ...]:
        """The keys of the cases to which its outcomes belong, in order."""
        if not self.outcome_cases:
            return _position_keys(len(self._outcomes))
        return tuple(CaseKey(case.id, case.requirement) for case in self.outcome_cases)

    @property
    def named_outcomes(self) -> Iterator[tuple[str, str]]:
        """The name and outcome letter of each case, in the order of the suite.

        Meant for attempts that report only outcomes.
        """
        return zip((key.case for key in self.keys), self._outcomes, strict=False)

    @property
    def identities(self) -> Mapping[object, int]:
        """The number of cases that did not pass, by identity."""
        if self.failures:
            return Counter(case.identity for case in self.failing)
        endings = zip(self.keys, self._outcomes, strict=False)
        return Counter(key for key, letter in endings if letter != "p")

    @property
    def has_outcomes(self) -> bool:
        """Whether it reports the outcome of every case."""
        return self.result.outcomes is not None

    @property
    def are_failed_cases_known(self) -> bool:
        """Whether it is known which cases failed."""
        return self.has_outcomes or self.has_all_failed_names

    @property
    def failing(self) -> list[KnownCase]:
        """The reported cases that did not pass."""
        return [case for case in self.cases if case.status != "passed"]

    @cached_property
    def failed_by_requirement(self) -> Mapping[str, int]:
        """The number of failed cases by requirement, including cases that are not named.

        Cases without a report are left out; the key "" is for cases without a requirement.
        """
        if not self.failures:
            return self._failed_outcomes_by_requirement()
        failed = Counter(case.requirement or "" for case in self.cases if case.is_failed)
        reported: dict[str, int] = {}
        for case in self.cases:
            if case.failure:
                reported[case.requirement or ""] = case.failure.requirement_failed or 0
        return {name: max(count, reported.get(name, 0)) for name, count in failed.items()}

    def _failed_outcomes_by_requirement(self) -> Mapping[str, int]:
        """Return the number of failed cases by requirement, counted from outcomes alone."""
        if self.outcome_cases:
            outcomes = zip(self.outcome_cases, self._outcomes, strict=True)
            return Counter(case.requirement or "" for case, letter in outcomes if letter in "fe")
        failed = self._outcomes.count("f") + self._outcomes.count("e")
        return {"": failed} if failed else {}


def _unnamed_cases(result: RoundResult, failures: Sequence[Failure]) -> Sequence[Case]:
    """Return cases for outcomes without names.

    Cases that did not pass take their names from the reported texts, in order; the others are named
    by position.
    """
    remaining = iter(failures)
    cases = []
    for position, letter in enumerate(result.outcomes or "", start=1):
        failure = None
        if letter != "p":
            failure = next(remaining, None)
        cases.append(Case(failure.case) if failure else _case_at(position))
    return cases


@cache
def _case_at(position: int) -> Case:
    """Return a case named by its position; cached, because a large board has millions of them."""
    return Case(f"case-{position}")


@cache
def _position_keys(count: int) -> tuple[CaseKey, ...]:
    return tuple(CaseKey(_case_at(position).id) for position in range(1, count + 1))


def _known_case(report: _CaseReport, anchor: str, listed: Container[str]) -> KnownCase:
    case, status, failure = report
    if failure is None:
        return KnownCase(case, status, None, "", (), CaseKey(case.id, case.requirement), anchor)
    requirement = case.requirement or failure.requirement
    key = CaseKey(case.id, requirement, failure.intent)
    if case.id in listed:
        key = CaseKey(case.id, case.requirement)
    title = ""
    if failure.intent and failure.intent != requirement:
        title = visible(failure.intent)
    return KnownCase(case, status, failure, title, merged_texts(failure), key, anchor)


def merged_texts(failure: Failure) -> list[tuple[str, str]]:
    """Return the texts of a failed case with their names, each text once.

    Sources often repeat a text under several names. The intent and any text that repeats it are
    left out, because pages show the intent as the case's title.
    """
    names_by_text: dict[str, str] = {}
    for name, text in zip(_TEXT_FIELDS, _texts_of(failure), strict=True):
        if text and text != failure.intent:
            names = names_by_text.get(text)
            names_by_text[text] = f"{names}, {name}" if names else name.capitalize()
    description = failure.intent or failure.scenario or failure.input or failure.expected
    if description and not (failure.reason or failure.actual):
        names_by_text["no reason given"] = "Reason"
    return [(names, visible(text)) for text, names in names_by_text.items()]
