"""The cases of a round by requirement, those that did not pass first."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import NamedTuple

from sitegen.pages.cases import KnownCase, Told
from sitegen.pages.room import GROUP, portions, weight_of


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
    def failing(self) -> Iterator[KnownCase]:
        """The cases that did not pass."""
        return chain.from_iterable(group.cases for group in self.groups)

    @property
    def passing(self) -> Iterator[KnownCase]:
        """The cases that passed."""
        return chain.from_iterable(group.cases for group in self.passed)


def grouped(told: Told) -> RoundCases:
    """Arrange what is known of a round's cases by requirement."""
    groups = [_group(name, cases) for name, cases in _by_requirement(k for k in told.cases if k.status != "passed")]
    passed = [Group(name, cases) for name, cases in _by_requirement(k for k in told.cases if k.status == "passed")]
    return RoundCases(sorted(groups, key=lambda group: -group.failed), passed)


def parts_of(cases: RoundCases) -> list[RoundCases]:
    """Cut the cases of a round into what one page each has room for, in their order; there is always one part."""
    members = [(group, known) for group in (*cases.groups, *cases.passed) for known in group.cases]
    cuts = portions([weight_of(known) + GROUP * (known is group.cases[0]) for group, known in members])
    return [RoundCases(*_regrouped(members[cut])) for cut in cuts]


def _regrouped(members: Sequence[tuple[Group, KnownCase]]) -> tuple[list[Group], list[Group]]:
    """Give the groups that have members among these, with those members only: the failing ones, and the passing."""
    groups = [
        members[0][0]._replace(cases=[known for _, known in members])
        for members in (list(found) for _, found in groupby(members, key=lambda member: id(member[0])))
    ]
    failing = [group for group in groups if group.cases[0].status != "passed"]
    return failing, groups[len(failing) :]


def _by_requirement(cases: Iterable[KnownCase]) -> Iterable[tuple[str, list[KnownCase]]]:
    found: dict[str, list[KnownCase]] = defaultdict(list)
    for known in cases:
        found[known.requirement or ""].append(known)
    return found.items()


def _group(requirement: str, cases: Sequence[KnownCase]) -> Group:
    named = sum(known.is_failed for known in cases)
    stated = max((known.failure.requirement_failed or 0 for known in cases if known.failure), default=0)
    return Group(requirement, cases, max(stated, named), named, len(cases) - named)
