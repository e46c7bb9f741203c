"""Cases that broke or were repaired, told in words and led to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import filterfalse

from sitegen.pages.cases import CaseKey, Told
from sitegen.pages.environment import Crumb
from sitegen.pages.history import Turn
from sitegen.pages.places import RunPlaces

_NAMED = 12
"""So many cases are led to by name; of more, the number is told."""


@dataclass(frozen=True, slots=True)
class TurnList:
    """Cases that turned in a round: how many, and the way to some of them."""

    count: int
    cases: Sequence[Crumb]

    @property
    def others(self) -> int:
        """How many of them are not named."""
        return self.count - len(self.cases)


@dataclass(frozen=True, slots=True)
class RoundTurns:
    """What turned in a round.

    Attributes:
        broke: Cases that fail from this round on, after they had passed.
        repaired: Cases that pass from this round on, after they had failed.
        still_broken: How many cases broke in an earlier round and fail still.
    """

    broke: TurnList
    repaired: TurnList
    still_broken: int

    @property
    def any(self) -> bool:
        """Whether anything turned in this round."""
        return bool(self.broke.count or self.repaired.count)


def turn_words(turn: Turn, word: str, *, is_failed: bool) -> str:
    """Say of a case since when it fails, or passes.

    Args:
        turn: When it turned.
        word: What the benchmark calls a round.
        is_failed: Whether it fails now.
    """
    then, now = ("passed", "broke") if is_failed else ("failed", "repaired")
    doubt = "" if turn.is_exact else " or before"
    kind = "regression: " if is_failed else ""
    return f"{kind}{then} in {word} {turn.before}, {now} in {word} {turn.since}{doubt}"


def round_turns(
    attempt: int, told: Mapping[int, Told], number: int, turns: Mapping[CaseKey, Turn], places: RunPlaces
) -> RoundTurns:
    """Tell what turned in a round.

    Args:
        attempt: The attempt.
        told: What it tells, by round.
        number: The round.
        turns: What holds in this round of the cases that turned by then.
        places: Where the run's cases stand.
    """
    here = [key for key, turn in turns.items() if turn.since == number]
    failing = {key for key in turns if _is_failed(told[number], key)}
    failed_here, passed_here = filter(failing.__contains__, here), filterfalse(failing.__contains__, here)
    broke = [_way(attempt, key, told, number, places) for key in failed_here]
    repaired = [_way(attempt, key, told, turns[key].before, places) for key in passed_here]
    return RoundTurns(_listed(broke), _listed(repaired), len(failing) - len(broke))


def _is_failed(told: Told, key: CaseKey) -> bool:
    known = told.by_key.get(key)
    return known is not None and known.is_failed


def _listed(cases: Sequence[Crumb]) -> TurnList:
    return TurnList(len(cases), cases[:_NAMED])


def _way(attempt: int, key: CaseKey, told: Mapping[int, Told], number: int, places: RunPlaces) -> Crumb:
    """Lead to a case in the round in which it is known to have failed."""
    return Crumb(key.case, places.of_case((attempt, number), told[number].by_key[key]))
