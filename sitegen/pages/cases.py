"""Cases as pages show them: what failed, with its texts, and what passed."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.models.outcome import OUTCOME_STATUS, CaseStatus, Failure, RoundResult
from sitegen.models.task import Case, TaskRound
from sitegen.pages import addresses

_TEXTS = ("intent", "scenario", "input", "expected", "actual", "reason")
_OPEN = 3
"""So many groups of failed cases stand open; a reader opens the others."""


@dataclass(frozen=True, slots=True)
class CaseView:
    """A case on a run page."""

    id: str
    anchor: str
    status: CaseStatus
    title: str
    category: str | None
    origin: str | None
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
class _Known:
    """A case that something is known about: what the benchmark says, how it ended, and its texts."""

    case: Case
    status: CaseStatus
    failure: Failure | None

    @property
    def requirement(self) -> str | None:
        return self.case.requirement or (self.failure.requirement if self.failure else None)


def round_cases(result: RoundResult, defined: TaskRound, failures: Sequence[Failure]) -> RoundCases:
    """Arrange what is known of a round's cases.

    Args:
        result: The round's record.
        defined: What the benchmark says about the round.
        failures: Texts of the cases that did not pass in this round.
    """
    known = sorted(_known(result, defined, failures), key=lambda each: each.status == "passed")
    anchors = addresses.case_anchors(result.round, result.attempt, [each.case.id for each in known])
    views = [(each, _view(each, anchor)) for each, anchor in zip(known, anchors, strict=True)]
    open_groups: dict[str, list[tuple[_Known, CaseView]]] = defaultdict(list)
    for each, view in views:
        if each.status != "passed":
            open_groups[each.requirement or ""].append((each, view))
    ordered = sorted(open_groups.items(), key=lambda item: -_failed(item[1]))
    groups = [_group(name, members, index) for index, (name, members) in enumerate(ordered)]
    return RoundCases(groups, [view for each, view in views if each.status == "passed"])


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


def _known(result: RoundResult, defined: TaskRound, failures: Sequence[Failure]) -> Iterator[_Known]:
    waiting: dict[str, list[Failure]] = defaultdict(list)
    for failure in failures:
        waiting[failure.case].append(failure)
    for case, status in case_outcomes(result, defined):
        texts = waiting.get(case.id) if status != "passed" else None
        yield _Known(case, status, texts.pop(0) if texts else None)
    for left in waiting.values():
        for failure in left:
            yield _Known(Case(failure.case), failure.status, failure)


def _view(known: _Known, anchor: str) -> CaseView:
    case, failure = known.case, known.failure
    return CaseView(
        case.id,
        anchor,
        known.status,
        known.requirement or "",
        case.category or (failure.category if failure else None),
        case.origin or (failure.origin if failure else None),
        merged_texts(failure) if failure else (),
        failure.truncated if failure else False,
    )


def merged_texts(failure: Failure) -> list[tuple[str, str]]:
    """Give the texts of a failed case, each once: sources often repeat one under several names."""
    names: dict[str, list[str]] = defaultdict(list)
    for name in _TEXTS:
        text = getattr(failure, name)
        if text:
            names[text].append(name)
    if names and not failure.reason and not failure.actual:
        names["no reason given"].append("reason")
    return [(", ".join(given).capitalize(), text) for text, given in names.items()]


def _failed(members: Sequence[tuple[_Known, CaseView]]) -> int:
    """How many cases of a requirement failed, listed or not."""
    stated = max((known.failure.requirement_failed or 0 for known, _ in members if known.failure), default=0)
    return max(stated, len(members))


def _group(name: str, members: Sequence[tuple[_Known, CaseView]], index: int) -> Group:
    failed = _failed(members)
    shown = f"{failed} failed" if failed == len(members) else f"{len(members)} of {failed} failed cases shown"
    return Group(name or "Failed cases", shown, [view for _, view in members], index < _OPEN)


def failures_by_round(failures: Sequence[Failure]) -> Mapping[tuple[int, int], list[Failure]]:
    """Sort the failures of one task by attempt and round; those from the reference state are left out."""
    found: dict[tuple[int, int], list[Failure]] = defaultdict(list)
    for failure in failures:
        if failure.start == "own":
            found[failure.attempt, failure.round].append(failure)
    return found
