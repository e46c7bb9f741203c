"""Cases as pages show them: what failed, with its texts, and what passed."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sitegen.models.outcome import OUTCOME_STATUS, CaseStatus, Failure, RoundResult
from sitegen.models.task import Case, TaskRound
from sitegen.pages import addresses
from sitegen.pages.labels import CASES
from sitegen.pages.text import visible

_TEXTS = ("intent", "scenario", "input", "expected", "actual", "reason")
_OPEN = 3
"""So many groups of failed cases stand open; a reader opens the others."""


@dataclass(frozen=True, slots=True)
class CaseView:
    """A case on a run page."""

    id: str
    anchor: str
    status: CaseStatus
    mark: str
    about: str
    title: str
    texts: Sequence[tuple[str, str]]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Group:
    """The failed cases of one requirement."""

    title: str
    count: str
    cases: Sequence[CaseView]
    is_open: bool


@dataclass(frozen=True, slots=True)
class RoundCases:
    """Every case known of one round of one attempt, failing ones first."""

    groups: Sequence[Group]
    passed: Sequence[CaseView]


@dataclass(frozen=True, slots=True)
class KnownCase:
    """A case that something is known about: what the benchmark says, how it ended, and its texts."""

    case: Case
    status: CaseStatus
    failure: Failure | None
    anchor: str

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


def known_cases(result: RoundResult, defined: TaskRound, failures: Sequence[Failure]) -> list[KnownCase]:
    """Give every case known of a round, failing ones first, each with its anchor on the run page.

    Args:
        result: The round's record.
        defined: What the benchmark says about the round.
        failures: Texts of the cases that did not pass in this round.
    """
    known = sorted(_told(result, defined, failures), key=lambda told: told[1] == "passed")
    anchors = addresses.case_anchors(result.round, result.attempt, [case.id for case, _, _ in known])
    return [KnownCase(*told, anchor) for told, anchor in zip(known, anchors, strict=True)]


def round_cases(result: RoundResult, defined: TaskRound, failures: Sequence[Failure]) -> RoundCases:
    """Arrange what is known of a round's cases by requirement; arguments as of `known_cases`."""
    known = known_cases(result, defined, failures)
    by_requirement: dict[str, list[KnownCase]] = defaultdict(list)
    for each in known:
        if each.status != "passed":
            by_requirement[each.requirement or ""].append(each)
    ordered = sorted(by_requirement.items(), key=lambda item: -_failed(item[1]))
    groups = [_group(name, members, index) for index, (name, members) in enumerate(ordered)]
    return RoundCases(groups, [_view(each) for each in known if each.status == "passed"])


def case_outcomes(result: RoundResult, defined: TaskRound) -> Iterator[tuple[Case, CaseStatus]]:
    """Give every case of a round with how it ended; nothing where only counts are known."""
    cases = _cases(result, defined)
    if result.outcomes is not None and len(cases) == len(result.outcomes):
        yield from zip(cases, (OUTCOME_STATUS[letter] for letter in result.outcomes), strict=True)


def _cases(result: RoundResult, defined: TaskRound) -> Sequence[Case]:
    by_id = {case.id: case for case in defined.cases or ()}
    if result.case_ids is not None:
        return [by_id.get(name, Case(name)) for name in result.case_ids]
    return defined.cases or [Case(f"case-{index}") for index in range(1, len(result.outcomes or "") + 1)]


def _told(
    result: RoundResult, defined: TaskRound, failures: Sequence[Failure]
) -> Iterator[tuple[Case, CaseStatus, Failure | None]]:
    waiting: dict[str, list[Failure]] = defaultdict(list)
    for failure in failures:
        waiting[failure.case].append(failure)
    for case, status in case_outcomes(result, defined):
        texts = waiting.get(case.id) if status != "passed" else None
        yield case, status, texts.pop(0) if texts else None
    for left in waiting.values():
        for failure in left:
            yield Case(failure.case), failure.status, failure


def _view(known: KnownCase) -> CaseView:
    failure, mark = known.failure, CASES[known.status][0]
    texts = merged_texts(failure) if failure else ()
    cut = failure.truncated if failure else False
    return CaseView(known.case.id, known.anchor, known.status, mark, known.about, known.requirement or "", texts, cut)


def merged_texts(failure: Failure) -> list[tuple[str, str]]:
    """Give the texts of a failed case, each once: sources often repeat one under several names."""
    names: dict[str, str] = {}
    for name in _TEXTS:
        text = getattr(failure, name)
        if text:
            names[text] = f"{names[text]}, {name}" if text in names else name.capitalize()
    if names and not failure.reason and not failure.actual:
        names["no reason given"] = "Reason"
    return [(given, visible(text)) for text, given in names.items()]


def _failed(members: Sequence[KnownCase]) -> int:
    """How many cases of a requirement failed, listed or not."""
    stated = max((known.failure.requirement_failed or 0 for known in members if known.failure), default=0)
    return max(stated, len(members))


def _group(name: str, members: Sequence[KnownCase], index: int) -> Group:
    failed = _failed(members)
    shown = f"{failed} failed" if failed == len(members) else f"{len(members)} of {failed} failed cases shown"
    return Group(name or "Failed cases", shown, [_view(known) for known in members], index < _OPEN)
