"""The cases of one round by submissions: the same case found again in each, and how it ended there."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from sitegen.models.outcome import CaseStatus, State
from sitegen.pages.cases import CaseKey, KnownCase, Told

Silence = State | Literal["missing", "absent", "untold"]
"""Why nothing is known of a case: the state of a round that ran no cases, no record of the round,
a suite without the case, or a source that names only some of those that failed."""


class Ending(NamedTuple):
    """How a case ended in one attempt. A tuple, since there are hundreds of thousands.

    Attributes:
        status: None where that is not known.
        silence: Then, why.
        case: What the attempt tells of the case; None where its outcome only follows from what is told of others.
    """

    status: CaseStatus | None
    silence: Silence | None = None
    case: KnownCase | None = None


class Row(NamedTuple):
    """One case in every attempt.

    Attributes:
        key: What tells it from others.
        endings: How it ended, by submission, then by attempt.
        failed: In how many attempts it failed.
        told: Of how many attempts it is known whether it passed or failed.
        attempts: How many attempts there are.
        linked: How many of them tell more of it than that it passed.
    """

    key: CaseKey
    endings: Mapping[str, Mapping[int, Ending]]
    failed: int
    told: int
    attempts: int
    linked: int


def _row(key: CaseKey, endings: Mapping[str, Mapping[int, Ending]]) -> Row:
    found = [ending for each in endings.values() for ending in each.values()]
    statuses = [ending.status for ending in found]
    failed = statuses.count("failed") + statuses.count("error")
    told = failed + statuses.count("passed")
    linked = sum(ending.case is not None and ending.status != "passed" for ending in found)
    return Row(key, endings, failed, told, len(found), linked)


_FOLLOWS = Ending("passed")
_MISSING, _ABSENT, _UNTOLD = Ending(None, "missing"), Ending(None, "absent"), Ending(None, "untold")


@dataclass(frozen=True)  # no slots: most of it is found out once, where somebody asks
class Suite:
    """The cases of one round.

    Attributes:
        number: The round.
        told: What every submission tells of them, by submission, then by attempt.
    """

    number: int
    told: Mapping[str, Mapping[int, Told]]

    @cached_property
    def _sizes(self) -> Mapping[CaseKey, set[int | None]]:
        """How large the suites are that are known to hold a case."""
        found: dict[CaseKey, set[int | None]] = defaultdict(set)
        for told in self._all:
            for key in told.by_key:
                found[key].add(told.result.total)
        return found

    @cached_property
    def _namesakes(self) -> Mapping[str, set[CaseKey]]:
        """Cases by name of which more than the name is known; none are looked for where no name stands alone."""
        found: dict[str, set[CaseKey]] = defaultdict(set)
        if any(key.is_bare for key in self._sizes):
            for key in self._sizes:
                if not key.is_bare:
                    found[key.case].add(key)
        return found

    @property
    def _all(self) -> Iterable[Told]:
        return (told for attempts in self.told.values() for told in attempts.values())

    def rows(self, submissions: Sequence[str]) -> list[Row]:
        """Give the cases that some of the submissions tell of, those that fail most often first."""
        failures: Counter[CaseKey] = Counter()
        for name in submissions:
            for told in self.told.get(name, {}).values():
                self._count(told, failures)
        keys = [key for key, _ in failures.most_common()]
        columns = [(name, self._column(name, keys)) for name in submissions]
        return [_row(key, {name: column[place] for name, column in columns}) for place, key in enumerate(keys)]

    def _count(self, told: Told, failures: Counter[CaseKey]) -> None:
        """Count the failures that an attempt tells of, at 0 where it tells of a pass."""
        for key, known in told.by_key.items():
            failures[self.whole(key) if self._namesakes else key] += known.is_failed

    def _column(self, submission: str, keys: Sequence[CaseKey]) -> Sequence[Mapping[int, Ending]]:
        """Say how each case ended for a submission, by attempt; there is always one."""
        told = self.told.get(submission)
        if not told:
            return [{1: _MISSING}] * len(keys)
        endings = [[self.ending(each, key) for key in keys] for each in told.values()]
        return [dict(zip(told, case, strict=True)) for case in zip(*endings, strict=True)]

    def ending(self, told: Told, key: CaseKey) -> Ending:
        """Say how a case ended in an attempt; why nothing is known of it, where nothing is.

        A case that an attempt does not name has passed only where it names all that failed, of a suite as
        large as one that is known to hold the case: suites break off, and then the case never ran.
        """
        known = told.by_key.get(key)
        if known is None and told.has_outcomes:
            known = self._by_name(told, key)
        if known:
            return Ending(known.status, None, known)
        if told.result.state != "scored":
            return Ending(None, told.result.state)
        if told.has_outcomes:
            return _ABSENT
        return _FOLLOWS if told.names_all_failed and told.result.total in self._sizes.get(key, ()) else _UNTOLD

    def _by_name(self, told: Told, key: CaseKey) -> KnownCase | None:
        """Find a case of which an attempt tells only the name, where no other goes by that name."""
        known = told.by_key.get(CaseKey(key.case)) if told.has_names else None
        return None if known is None or self._namesakes.get(key.case, set()) - {key} else known

    def whole(self, key: CaseKey) -> CaseKey:
        """Give the key of which a name is known to be part; the same key where there is none, or more than one."""
        namesakes = self._namesakes.get(key.case, ()) if key.is_bare else ()
        return next(iter(namesakes)) if len(namesakes) == 1 else key
