"""A submission's records, to be found by what they are about: what its grids are made from."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, product
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from sitegen.models.outcome import RoundResult, RunFigures, Start
from sitegen.models.task import Task

Place: TypeAlias = tuple[str, Start, int, int]
"""What a record is about: task, start, attempt and round."""

REACHED = frozenset({"scored", "no_cases", "aborted"})
"""States of the rounds that an agent worked on, whatever came of it."""

_PLACE = attrgetter("task", "start", "attempt", "round")
_OWN: tuple[Start] = ("own",)
_REFERENCE: tuple[Start] = ("reference",)


class Sampling(NamedTuple):
    """Which of a submission's rounds were tried."""

    from_reference: bool
    """Whether any round was tried from the reference state."""
    from_own: bool
    """Whether any was tried from the agent's own."""

    @property
    def is_from_reference_only(self) -> bool:
        """Whether all that was tried began from the reference state."""
        return self.from_reference and not self.from_own


def sampling_of(rounds: Sequence[RoundResult]) -> Sampling:
    """Tell which of a submission's rounds were tried."""
    return Sampling(
        any(each.start == "reference" and each.state != "unreached" for each in rounds),
        any(each.start == "own" and each.state in REACHED for each in rounds),
    )


class Wanted(NamedTuple):
    """What the records of an agent's own rounds are about."""

    places: list[Place]
    """By task, attempt and round."""
    is_distinct: bool
    """Whether none stands twice, as in a faulty task that gives two rounds one number."""


@lru_cache(maxsize=8)
def wanted(rounds: Iterable[tuple[str, Sequence[int]]], made: int) -> Wanted:
    """Say which records there may be; the submissions of a board mostly ask for the same, so that some are kept.

    Args:
        rounds: Tasks with the numbers of their rounds, in tuples.
        made: Attempts that the submission made.
    """
    by_task = (product((task,), _OWN, range(1, made + 1), numbers) for task, numbers in rounds)
    places = list(chain.from_iterable(by_task))
    return Wanted(places, len(set(places)) == len(places))


@dataclass(frozen=True)  # no slots: what is asked for is computed once and stays
class Records:
    """A submission's records, to be found by what they are about."""

    rounds: Sequence[RoundResult]
    runs: Mapping[tuple[str, int], RunFigures]
    excluded: AbstractSet[tuple[str, int]]
    sampling: Sampling

    @classmethod
    def of(cls, rounds: Sequence[RoundResult], runs: Sequence[RunFigures], sampling: Sampling) -> "Records":
        """Sort out the records of whole runs, and the rounds that do not count."""
        return cls(
            rounds,
            {(run.task, run.attempt): run for run in runs},
            {(each.task, each.round) for each in rounds if each.state == "excluded"},
            sampling,
        )

    def numbers(self, task: Task) -> tuple[int, ...]:
        """Give the numbers of the rounds of a task that count."""
        return tuple([each.n for each in task.rounds if (task.id, each.n) not in self.excluded])

    def own(self, places: Wanted) -> tuple[RoundResult | None, ...]:
        """Give the records of some places, None where one is missing. Mostly there are just these, in their order."""
        if places.is_distinct and self._places == places.places:
            return tuple(self.rounds)
        return tuple(map(self._by_place.get, places.places))

    def reference(self, task: Task, numbers: Sequence[int]) -> Sequence[RoundResult | None]:
        """Give the records from the reference state; none where nobody tried a round from it."""
        if not self.sampling.from_reference:
            return [None] * len(numbers)
        return list(map(self._by_place.get, product((task.id,), _REFERENCE, (1,), numbers)))

    def runs_of(self, task: Task, made: int) -> list[RunFigures | None]:
        """Give the figures of whole runs of a task, by attempt."""
        return [self.runs.get((task.id, attempt)) for attempt in range(1, made + 1)]

    def unmade(self, attempts: Iterable[Sequence[RoundResult | None]]) -> frozenset[int]:
        """Give the places of the attempts at a task that were never made."""
        return frozenset(place for place, attempt in enumerate(attempts) if not self._was_made(attempt))

    def _was_made(self, attempt: Sequence[RoundResult | None]) -> bool:
        for each in attempt:
            if each is not None and each.state in REACHED:
                return True
        states = {each.state for each in attempt if each}
        return bool(states) and not self.sampling.is_from_reference_only and "fast_forwarded" not in states

    @cached_property
    def _places(self) -> list[Place]:
        return list(map(_PLACE, self.rounds))

    @cached_property
    def _by_place(self) -> dict[Place, RoundResult]:
        return dict(zip(self._places, self.rounds, strict=True))
