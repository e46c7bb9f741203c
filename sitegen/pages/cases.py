"""Cases of a round as one attempt tells of them: how each ended, and by which requirement."""

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
from sitegen.problems import grouped

_TEXTS = ("scenario", "input", "expected", "actual", "reason")
"""The texts of a failed case beside its intent, which is its title."""

_texts_of = attrgetter(*_TEXTS)


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
    """A case that something is known about. A tuple, since there are hundreds of thousands."""

    case: Case
    """As the benchmark describes it; where it does not, its name."""
    status: CaseStatus
    failure: Failure | None
    """What is told of it, where it did not pass."""
    title: str
    """What it is meant to show; empty where that is not known, or is its requirement."""
    texts: Sequence[tuple[str, str]]
    """Its texts with their names, each once, without the intent."""
    key: CaseKey
    anchor: str
    """Where it stands on the page that shows it."""

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
    def check(self) -> tuple[str | None, ...] | None:
        """What it checks, in words that stay from round to round, as names may not; None where none are known."""
        failure = self.failure
        return (
            (failure.intent, failure.scenario)
            if failure and (failure.intent or failure.scenario)
            else None
        )

    @property
    def identity(self) -> object:
        """What tells it best from other failed cases of its attempt."""
        return (self.requirement, self.check or self.case.id)

    @property
    def about(self) -> str:
        """How it ended if it did not simply fail, its category and where it was introduced, as far as is known."""
        case, failure = self.case, self.failure
        category = case.category or (failure.category if failure else None)
        origin = case.origin or (failure.origin if failure else None)
        ended = "" if self.status == "failed" else CASES[self.status][1]
        return " · ".join(filter(None, (ended, category, f"since {origin}" if origin else None)))


@dataclass(frozen=True)  # no slots: what few ask for is found out once
class AttemptCases:
    """What one attempt tells about the cases of a round, with the texts of those that did not pass."""

    result: RoundResult
    defined: TaskRound
    failures: Sequence[Failure] = ()

    @cached_property
    def _listed(self) -> Mapping[str, Case]:
        return {case.id: case for case in self.defined.cases or ()}

    @cached_property
    def named(self) -> Sequence[Case]:
        """The cases that the round's outcomes stand for; none where they have no names, or not as many."""
        cases = self.defined.cases or ()
        if self.result.case_ids is not None:
            cases = tuple(self._listed.get(name) or Case(name) for name in self.result.case_ids)
        return cases if len(cases) == len(self.result.outcomes or "") else ()

    @property
    def has_names(self) -> bool:
        """Whether outcomes, where it has them, stand for cases with names; else places are counted."""
        return bool(self.named) or not self.result.outcomes

    @cached_property
    def cases(self) -> Sequence[KnownCase]:
        """Every case that it tells of, those that did not pass first."""
        result, named = self.result, self.named or _nameless(self.result, self.failures)
        ended = _ended(result, self._listed, named, self.failures)
        found = sorted(ended, key=lambda each: each[1] == "passed")
        anchors = addresses.case_anchors(
            result.round, result.attempt, [case.id for case, _, _ in found]
        )
        return [
            _known(*each, anchor, self._listed) for each, anchor in zip(found, anchors, strict=True)
        ]

    @cached_property
    def by_key(self) -> Mapping[CaseKey, KnownCase]:
        """The same; of cases that nothing tells apart, the first."""
        by_key: dict[CaseKey, KnownCase] = {}
        for each in self.cases:
            by_key.setdefault(each.key, each)
        return by_key

    @cached_property
    def names_all_failed(self) -> bool:
        """Whether it names as many failed cases as it counts, so that the others did not fail."""
        return sum(each.is_failed for each in self.by_key.values()) == self.result.failed

    @property
    def keys(self) -> tuple[CaseKey, ...]:
        """What tells the cases apart that its outcomes stand for, in their order."""
        if not self.named:
            return _placed_keys(len(self.result.outcomes or ""))
        return tuple(CaseKey(case.id, case.requirement) for case in self.named)

    @property
    def endings(self) -> Iterator[tuple[str, str]]:
        """The name of each case of which nothing but the outcome is told, and its letter, in the order of the suite."""
        return zip((key.case for key in self.keys), self.result.outcomes or "", strict=False)

    @property
    def identities(self) -> Mapping[object, int]:
        """What tells the cases that did not pass best from each other, and how many share it."""
        if self.failures:
            return Counter(known.identity for known in self.failing)
        return Counter(
            key
            for key, letter in zip(self.keys, self.result.outcomes or "", strict=False)
            if letter != "p"
        )

    @property
    def has_outcomes(self) -> bool:
        """Whether it tells how every case ended."""
        return self.result.outcomes is not None

    @property
    def tells_all_failed(self) -> bool:
        """Whether it says of every case that failed that it did."""
        return self.has_outcomes or self.names_all_failed

    @property
    def failing(self) -> list[KnownCase]:
        """The cases that it names and that did not pass."""
        return [known for known in self.cases if known.status != "passed"]

    @cached_property
    def by_requirement(self) -> Mapping[str, int]:
        """How many cases failed of each requirement, named or not; those that nothing is told of are left out."""
        if (
            not self.failures
        ):  # no object is made of a case of which nothing but the outcome is told
            outcomes = self.result.outcomes or ""
            if self.named:
                ended = zip(self.named, outcomes, strict=True)
                return Counter(case.requirement or "" for case, letter in ended if letter in "fe")
            failed = outcomes.count("f") + outcomes.count("e")
            return {"": failed} if failed else {}
        named = Counter(known.requirement or "" for known in self.cases if known.is_failed)
        stated = {
            known.requirement or "": known.failure.requirement_failed or 0
            for known in self.cases
            if known.failure
        }
        return {each: max(count, stated.get(each, 0)) for each, count in named.items()}


def _nameless(result: RoundResult, failures: Sequence[Failure]) -> Sequence[Case]:
    """Name the cases of outcomes that come without names: as the texts of the failed ones do, else by their places."""
    left = iter(failures)
    names = [next(left, None) if letter != "p" else None for letter in result.outcomes or ""]
    return [
        Case(failure.case) if failure else _placed(place)
        for place, failure in enumerate(names, start=1)
    ]


@cache
def _placed(place: int) -> Case:
    """Name a case by its place: the same object in all rounds, since a large board has millions of such cases."""
    return Case(f"case-{place}")


@cache
def _placed_keys(number: int) -> tuple[CaseKey, ...]:
    return tuple(CaseKey(_placed(place).id) for place in range(1, number + 1))


def _ended(
    result: RoundResult,
    listed: Mapping[str, Case],
    cases: Sequence[Case],
    failures: Sequence[Failure],
) -> Iterator[tuple[Case, CaseStatus, Failure | None]]:
    """Yield each case, how it ended, and what is told of it where it did not pass."""
    waiting = grouped((failure.case, failure) for failure in failures)
    for case, letter in zip(cases, result.outcomes or "", strict=False):
        texts = waiting.get(case.id) if letter != "p" else None
        yield case, OUTCOME_STATUS[letter], texts.pop(0) if texts else None
    for failure in chain.from_iterable(waiting.values()):
        yield listed.get(failure.case) or Case(failure.case), failure.status, failure


def _known(
    case: Case, status: CaseStatus, failure: Failure | None, anchor: str, listed: Container[str]
) -> KnownCase:
    if failure is None:
        return KnownCase(case, status, None, "", (), CaseKey(case.id, case.requirement), anchor)
    requirement = case.requirement or failure.requirement
    is_listed = case.id in listed
    key = (
        CaseKey(case.id, case.requirement)
        if is_listed
        else CaseKey(case.id, requirement, failure.intent)
    )
    title = visible(failure.intent) if failure.intent and failure.intent != requirement else ""
    return KnownCase(case, status, failure, title, merged_texts(failure), key, anchor)


def merged_texts(failure: Failure) -> list[tuple[str, str]]:
    """List the texts of a failed case, each once: sources often repeat one under several names.

    Its intent is left out, as is what repeats it: pages show that as the case's title.
    """
    names: dict[str, str] = {}
    for name, text in zip(_TEXTS, _texts_of(failure), strict=True):
        if text and text != failure.intent:
            names[text] = f"{names[text]}, {name}" if text in names else name.capitalize()
    tried = failure.intent or failure.scenario or failure.input or failure.expected
    if tried and not (failure.reason or failure.actual):
        names["no reason given"] = "Reason"
    return [(given, visible(text)) for text, given in names.items()]
