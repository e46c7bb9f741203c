"""The cases of a round by submissions, and which of them broke from round to round."""

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
        told = (each for name in submissions for each in self.told.get(name, {}).values())
        suites = grouped((each.keys, each.result.outcomes or "") for each in told)
        failed, ran = Counter[CaseKey](), Counter[CaseKey]()
        for keys, outcomes in suites.items():
            for key, lost, told_of in zip(keys, *case_counts(outcomes), strict=True):
                failed[key] += lost
                ran[key] += told_of
        return sorted(
            (Row(key, {}, failed[key], ran[key], 0) for key in ran), key=lambda row: row.order
        )

    @cached_property
    def _held(self) -> Mapping[int | None, set[CaseKey]]:
        """The cases that are known to be in suites of a size."""
        found: dict[int | None, set[CaseKey]] = defaultdict(set)
        for told in self.all_told:
            found[told.result.total].update(told.by_key)
        return found

    @cached_property
    def _namesakes(self) -> Mapping[str, set[CaseKey]]:
        """Cases by name of which more than the name is known; none are looked for where no name stands alone."""
        found: dict[str, set[CaseKey]] = defaultdict(set)
        known = set().union(*self._held.values())
        if any(key.is_bare for key in known):
            for key in known:
                if not key.is_bare:
                    found[key.case].add(key)
        return found

    def rows(self, submissions: Sequence[str]) -> list[Row]:
        """List the cases that some of the submissions tell of, those that tell them apart first."""
        told = (each for name in submissions for each in self.told.get(name, {}).values())
        keys = list(
            dict.fromkeys(
                self.whole(key) if self._namesakes else key for each in told for key in each.by_key
            )
        )
        columns = zip(*(self._column(name, keys) for name in submissions), strict=True)
        rows = [
            Row.of(key, dict(zip(submissions, ends, strict=True)))
            for key, ends in zip(keys, columns, strict=True)
        ]
        return sorted(rows, key=lambda row: row.order)

    def _column(self, submission: str, keys: Sequence[CaseKey]) -> Sequence[Mapping[int, Ending]]:
        """Say how each case ended for a submission, by attempt; there is always one."""
        told = self.told.get(submission) or {}
        endings = [self.endings(each, keys) for each in told.values()]
        if len(told) <= 1:
            attempt, only = next(iter(told), 1), endings[0] if endings else [_MISSING] * len(keys)
            return [{attempt: ending} for ending in only]
        return [dict(zip(told, case, strict=True)) for case in zip(*endings, strict=True)]

    def endings(self, told: AttemptCases, keys: Sequence[CaseKey]) -> list[Ending]:
        """Say how cases ended in an attempt; why nothing is known of one, where nothing is.

        A case that an attempt does not name has passed only where it names all that failed, of a suite as
        large as one that is known to hold the case: suites break off, and then the case never ran.
        """
        known, follows, otherwise = told.by_key, set[CaseKey](), _UNTOLD
        if told.result.state != "scored":
            otherwise = Ending(None, told.result.state)
        elif told.has_outcomes:
            otherwise = _ABSENT
        elif told.names_all_failed:
            follows = self._held.get(told.result.total, follows)
        if told.has_outcomes and told.has_names and any(key.is_bare for key in known):
            # Of some cases the attempt tells only the name, where no other goes by that name.
            others = (
                key
                for key in keys
                if key not in known and not self._namesakes.get(key.case, set()) - {key}
            )
            known = {
                **known,
                **{key: known[bare] for key in others if (bare := CaseKey(key.case)) in known},
            }
        return [
            Ending(case.status, None, case)
            if (case := known.get(key))
            else _FOLLOWS
            if key in follows
            else otherwise
            for key in keys
        ]

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

    A pass counts where an outcome says so, or where it follows from what is told (`Suite.endings`). A source that
    names only some of the failed cases of a round says nothing of the others there.
    """
    found: dict[int, Mapping[CaseKey, Turn]] = {}
    failing: dict[CaseKey, Turn | None] = {}  # as it was last known

    def passed(step: tuple[Suite, AttemptCases], keys: Sequence[CaseKey]) -> set[CaseKey]:
        suite, told = step
        return {
            key
            for key, end in zip(keys, suite.endings(told, keys), strict=True)
            if end.status == "passed"
        }

    for place, (suite, told) in enumerate(steps):
        here = {
            key: failing.get(key)
            for key, known in told.by_key.items()
            if known.is_failed and told.has_names
        }
        new = [key for key in here if key not in failing]
        for earlier in steps[place::-1]:
            if not new:
                break
            now = passed(earlier, new)
            here |= dict.fromkeys(now, Turn(earlier[0].number, suite.number))
            new = [key for key in new if key not in now]
        now = passed(steps[place], list(failing))
        failing = {key: turn for key, turn in failing.items() if key not in now} | here
        found[suite.number] = {key: turn for key, turn in here.items() if turn}
    return found
