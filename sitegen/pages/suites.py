"""The cases of a round by submissions, and which of them broke from round to round."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from sitegen.metrics.outcomes import case_counts
from sitegen.models.outcome import CaseStatus, State
from sitegen.pages.cases import AttemptCases, CaseKey, KnownCase

Silence = State | Literal["missing", "absent", "untold"]
"""Why nothing is known of a case: the state of a round that ran no cases, no record of the round,
a suite without the case, or a source that names only some of those that failed."""


class Ending(NamedTuple):
    """How a case ended in one attempt, or why that is not known. A tuple, since there are hundreds of thousands."""

    status: CaseStatus | None
    silence: Silence | None = None
    case: KnownCase | None = None
    """What the attempt tells of the case; None where its outcome only follows from what is told of others."""


class Row(NamedTuple):
    """One case in every attempt."""

    key: CaseKey
    endings: Mapping[str, Mapping[int, Ending]]
    """How it ended, by submission, then by attempt; none where it is only counted."""
    failed: int
    """In how many attempts it failed."""
    told: int
    """Of how many attempts it is known whether it passed or failed."""
    linked: int
    """How many attempts tell more of it than that it passed."""

    @property
    def is_split(self) -> bool:
        """Whether it tells submissions apart: it passed in some attempt, and failed in another."""
        return 0 < self.failed < self.told

    @property
    def order(self) -> tuple[int, bool, int]:
        """What it is sorted by: what tells most pairs of attempts apart first, then what all fail, then the others."""
        return (-self.failed * (self.told - self.failed), not self.failed, -self.told)

    @classmethod
    def of(cls, key: CaseKey, endings: Mapping[str, Mapping[int, Ending]]) -> "Row":
        """Count how a case ended, by submission, then by attempt."""
        found = [ending for each in endings.values() for ending in each.values()]
        statuses = [ending.status for ending in found]
        failed = statuses.count("failed") + statuses.count("error")
        linked = sum(ending.case is not None and ending.status != "passed" for ending in found)
        return cls(key, endings, failed, failed + statuses.count("passed"), linked)


_FOLLOWS = Ending("passed")
_MISSING, _ABSENT, _UNTOLD = Ending(None, "missing"), Ending(None, "absent"), Ending(None, "untold")


@dataclass(frozen=True)  # no slots: most of it is found out once, where somebody asks
class Suite:
    """The cases of one round: what every submission tells of them, by submission, then by attempt."""

    number: int
    told: Mapping[str, Mapping[int, AttemptCases]]

    @property
    def all_told(self) -> Iterator[AttemptCases]:
        """What each attempt of every submission tells."""
        return (told for attempts in self.told.values() for told in attempts.values())

    def counted(self, submissions: Sequence[str]) -> list[Row]:
        """List the cases of rounds that tell nothing but outcomes, with counts alone; in the order of `rows`."""
        suites: dict[tuple[CaseKey, ...], list[str]] = defaultdict(list)
        for told in (told for name in submissions for told in self.told.get(name, {}).values()):
            suites[told.keys].append(told.result.outcomes or "")
        failed, ran = Counter[CaseKey](), Counter[CaseKey]()
        for keys, outcomes in suites.items():
            for key, lost, told_of in zip(keys, *case_counts(outcomes), strict=True):
                failed[key] += lost
                ran[key] += told_of
        return sorted((Row(key, {}, failed[key], ran[key], 0) for key in ran), key=lambda row: row.order)

    @cached_property
    def _sizes(self) -> Mapping[CaseKey, set[int | None]]:
        """How large the suites are that are known to hold a case."""
        found: dict[CaseKey, set[int | None]] = defaultdict(set)
        for told in self.all_told:
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

    def rows(self, submissions: Sequence[str]) -> list[Row]:
        """List the cases that some of the submissions tell of, those that tell them apart first."""
        told = (each for name in submissions for each in self.told.get(name, {}).values())
        keys = list(dict.fromkeys(self.whole(key) if self._namesakes else key for each in told for key in each.by_key))
        columns = [(name, self._column(name, keys)) for name in submissions]
        rows = [Row.of(key, {name: column[place] for name, column in columns}) for place, key in enumerate(keys)]
        return sorted(rows, key=lambda row: row.order)

    def _column(self, submission: str, keys: Sequence[CaseKey]) -> Sequence[Mapping[int, Ending]]:
        """Say how each case ended for a submission, by attempt; there is always one."""
        told = self.told.get(submission)
        if not told:
            return [{1: _MISSING}] * len(keys)
        endings = [[self.ending(each, key) for key in keys] for each in told.values()]
        return [dict(zip(told, case, strict=True)) for case in zip(*endings, strict=True)]

    def ending(self, told: AttemptCases, key: CaseKey) -> Ending:
        """Say how a case ended in an attempt; why nothing is known of it, where nothing is.

        A case that an attempt does not name has passed only where it names all that failed, of a suite as
        large as one that is known to hold the case: suites break off, and then the case never ran.
        """
        known = told.by_key.get(key)
        if known is None and told.has_outcomes and told.has_names:
            # A case of which the attempt tells only the name, where no other goes by that name.
            is_alone = not self._namesakes.get(key.case, set()) - {key}
            known = told.by_key.get(CaseKey(key.case)) if is_alone else None
        if known:
            return Ending(known.status, None, known)
        if told.result.state != "scored":
            return Ending(None, told.result.state)
        if told.has_outcomes:
            return _ABSENT
        return _FOLLOWS if told.names_all_failed and told.result.total in self._sizes.get(key, ()) else _UNTOLD

    def whole(self, key: CaseKey) -> CaseKey:
        """Find the key of which a name is known to be part; the same key where there is none, or more than one."""
        namesakes = self._namesakes.get(key.case, ()) if key.is_bare else ()
        return next(iter(namesakes)) if len(namesakes) == 1 else key


class Turn(NamedTuple):
    """A case that passed once and fails now."""

    before: int
    """The last round in which it is known to have passed."""
    since: int
    """The first round after that in which it is known to fail."""

    @property
    def is_exact(self) -> bool:
        """Whether it turned in the round `since`; else it may have turned earlier, in a round that does not tell."""
        return self.since == self.before + 1

    def words(self, word: str) -> str:
        """Say since when the case fails; `word` is what the benchmark calls a round."""
        doubt = "" if self.is_exact else " or before"
        return f"regression: passed in {word} {self.before}, broke in {word} {self.since}{doubt}"


def turns(steps: Sequence[tuple[Suite, AttemptCases]]) -> Mapping[int, Mapping[CaseKey, Turn]]:
    """Find in the rounds of an attempt the cases that broke: by round, those that fail in it and passed earlier.

    A pass counts where an outcome says so, or where it follows from what is told (`Suite.ending`). A source that
    names only some of the failed cases of a round says nothing of the others there.
    """
    found: dict[int, Mapping[CaseKey, Turn]] = {}
    failing: dict[CaseKey, Turn | None] = {}  # as it was last known
    for place, (suite, told) in enumerate(steps):
        here = {key: failing.get(key) for key, known in told.by_key.items() if known.is_failed and told.has_names}
        for key in here.keys() - failing.keys():
            passed = (each.number for each, told in steps[place::-1] if each.ending(told, key).status == "passed")
            before = next(passed, None)
            here[key] = Turn(before, suite.number) if before else None
        left = {key: turn for key, turn in failing.items() if suite.ending(told, key).status != "passed"}
        failing = left | here
        found[suite.number] = {key: turn for key, turn in here.items() if turn}
    return found
