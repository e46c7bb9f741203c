"""Cases of a round as one attempt tells of them: how each ended, and by which requirement."""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import NamedTuple

from sitegen.models.outcome import OUTCOME_STATUS, CaseStatus, Failure, RoundResult
from sitegen.models.task import Case, TaskRound
from sitegen.pages import addresses
from sitegen.pages.labels import CASES, visible

_TEXTS = ("scenario", "input", "expected", "actual", "reason")
"""The texts of a failed case beside its intent, which is its title."""


class CaseKey(NamedTuple):
    """What tells a case from another: ids alone are no key, neither across agents nor from round to round.

    Of a case that the benchmark lists, `requirement` is what the benchmark says, and `intent` is None.
    """

    case: str
    requirement: str | None = None
    intent: str | None = None

    @property
    def is_bare(self) -> bool:
        """Whether nothing but the name is known."""
        return self.requirement is None and self.intent is None


class KnownCase(NamedTuple):
    """A case that something is known about: what the benchmark says, how it ended, and its texts.

    A tuple, since there are hundreds of thousands.

    Attributes:
        case: As the benchmark describes it; where it does not, its name.
        status: How it ended.
        failure: What is told of it, where it did not pass.
        title: What it is meant to show; empty where that is not known, or is its requirement.
        texts: Its texts with their names, each once, without the intent.
        key: What tells it from others.
        anchor: Where it stands on the page that shows it.
    """

    case: Case
    status: CaseStatus
    failure: Failure | None
    title: str
    texts: Sequence[tuple[str, str]]
    key: CaseKey
    anchor: str

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
        """The requirement that it checks."""
        return self.case.requirement or (self.failure.requirement if self.failure else None)

    @property
    def about(self) -> str:
        """How it ended, its category and where it was introduced, as far as they are known."""
        case, failure = self.case, self.failure
        category = case.category or (failure.category if failure else None)
        origin = case.origin or (failure.origin if failure else None)
        parts = (CASES[self.status][1], category, f"since {origin}" if origin else None)
        return " · ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class AttemptCases:
    """What one attempt tells about the cases of a round.

    Attributes:
        result: The round's record.
        cases: Every case that it tells of, those that did not pass first.
        by_key: The same; of cases that nothing tells apart, the first.
        names_all_failed: Whether it names as many failed cases as it counts, so that the others did not fail.
        has_names: Whether outcomes, where it has them, stand for cases with names; else places are counted.
    """

    result: RoundResult
    cases: Sequence[KnownCase]
    by_key: Mapping[CaseKey, KnownCase]
    names_all_failed: bool
    has_names: bool

    @property
    def has_outcomes(self) -> bool:
        """Whether it tells how every case ended."""
        return self.result.outcomes is not None


def cases_of(result: RoundResult, defined: TaskRound, failures: Sequence[Failure]) -> AttemptCases:
    """Bring together all that is known of a round's cases.

    Args:
        result: The round's record.
        defined: What the benchmark says about the round.
        failures: Texts of the cases that did not pass in this round.
    """
    listed = {case.id: case for case in defined.cases or ()}
    named = _named(result, defined, listed)
    found = sorted(
        _ended(result, listed, named or _nameless(result, failures), failures), key=lambda each: each[1] == "passed"
    )
    anchors = addresses.case_anchors(result.round, result.attempt, [case.id for case, _, _ in found])
    known = [_known(*each, anchor, listed) for each, anchor in zip(found, anchors, strict=True)]
    by_key: dict[CaseKey, KnownCase] = {}
    for each in known:
        by_key.setdefault(each.key, each)
    failed = sum(each.is_failed for each in by_key.values())
    return AttemptCases(result, known, by_key, failed == result.failed, bool(named) or not result.outcomes)


def _named(result: RoundResult, defined: TaskRound, listed: Mapping[str, Case]) -> Sequence[Case]:
    """List the cases that a round's outcomes stand for; none where they have no names, or not as many."""
    cases = defined.cases or ()
    if result.case_ids is not None:
        cases = tuple(listed.get(name) or Case(name) for name in result.case_ids)
    return cases if len(cases) == len(result.outcomes or "") else ()


def _nameless(result: RoundResult, failures: Sequence[Failure]) -> Sequence[Case]:
    """Name the cases of outcomes that come without names: as the texts of the failed ones do, else by their places."""
    left = iter(failures)
    names = [next(left, None) if letter != "p" else None for letter in result.outcomes or ""]
    return [Case(failure.case) if failure else _placed(place) for place, failure in enumerate(names, start=1)]


@cache
def _placed(place: int) -> Case:
    """Name a case by its place: the same object in all rounds, since a large board has millions of such cases."""
    return Case(f"case-{place}")


def _ended(
    result: RoundResult, listed: Mapping[str, Case], cases: Sequence[Case], failures: Sequence[Failure]
) -> Iterator[tuple[Case, CaseStatus, Failure | None]]:
    """Yield each case, how it ended, and what is told of it where it did not pass."""
    waiting: dict[str, list[Failure]] = defaultdict(list)
    for failure in failures:
        waiting[failure.case].append(failure)
    for case, letter in zip(cases, result.outcomes or "", strict=False):
        texts = waiting.get(case.id) if letter != "p" else None
        yield case, OUTCOME_STATUS[letter], texts.pop(0) if texts else None
    for failure in chain.from_iterable(waiting.values()):
        yield listed.get(failure.case) or Case(failure.case), failure.status, failure


def _known(case: Case, status: CaseStatus, failure: Failure | None, anchor: str, listed: Container[str]) -> KnownCase:
    if failure is None:
        return KnownCase(case, status, None, "", (), CaseKey(case.id, case.requirement), anchor)
    requirement = case.requirement or failure.requirement
    is_listed = case.id in listed
    key = CaseKey(case.id, case.requirement) if is_listed else CaseKey(case.id, requirement, failure.intent)
    title = visible(failure.intent) if failure.intent and failure.intent != requirement else ""
    return KnownCase(case, status, failure, title, merged_texts(failure), key, anchor)


def merged_texts(failure: Failure) -> list[tuple[str, str]]:
    """List the texts of a failed case, each once: sources often repeat one under several names.

    Its intent is left out, as is what repeats it: pages show that as the case's title.
    """
    names: dict[str, str] = {}
    for name in _TEXTS:
        text = getattr(failure, name)
        if text and text != failure.intent:
            names[text] = f"{names[text]}, {name}" if text in names else name.capitalize()
    tried = failure.intent or failure.scenario or failure.input or failure.expected
    if tried and not (failure.reason or failure.actual):
        names["no reason given"] = "Reason"
    return [(given, visible(text)) for text, given in names.items()]


class Group(NamedTuple):
    """Cases of one requirement.

    Attributes:
        requirement: Its name; empty where it is not known.
        cases: Those that did not pass, or those that did; where they share pages, those that this page shows.
        failed: How many failed in the round, named or not.
        named: How many of them the source names.
        skipped: How many were skipped.
    """

    requirement: str
    cases: Sequence[KnownCase]
    failed: int = 0
    named: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class RoundCases:
    """Every case known of one round of one attempt, or those of them that a page shows."""

    groups: Sequence[Group] = ()
    """Those that did not pass; the requirement with most of them first."""
    passed: Sequence[Group] = ()

    @property
    def failing(self) -> list[KnownCase]:
        """The cases that did not pass."""
        return [known for group in self.groups for known in group.cases]

    @property
    def passing(self) -> list[KnownCase]:
        """The cases that passed."""
        return [known for group in self.passed for known in group.cases]


def grouped(told: AttemptCases) -> RoundCases:
    """Arrange what is known of a round's cases by requirement."""
    groups = []
    for requirement, cases in _by_requirement(known for known in told.cases if known.status != "passed"):
        named = sum(known.is_failed for known in cases)
        stated = max((known.failure.requirement_failed or 0 for known in cases if known.failure), default=0)
        groups.append(Group(requirement, cases, max(stated, named), named, len(cases) - named))
    passed = [Group(*each) for each in _by_requirement(known for known in told.cases if known.status == "passed")]
    return RoundCases(sorted(groups, key=lambda group: -group.failed), passed)


def _by_requirement(cases: Iterable[KnownCase]) -> Iterable[tuple[str, list[KnownCase]]]:
    found: dict[str, list[KnownCase]] = defaultdict(list)
    for known in cases:
        found[known.requirement or ""].append(known)
    return found.items()
