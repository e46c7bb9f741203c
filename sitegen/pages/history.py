"""What became of cases from round to round: those that broke after they had passed, and those that were repaired."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sitegen.pages.cases import CaseKey, Told
from sitegen.pages.suite import Suite

Step = tuple[Suite, Told]
"""A round of an attempt: its cases by submissions, and what this attempt tells of them."""


class Turn(NamedTuple):
    """A case that passed once and fails now, or the other way round.

    Attributes:
        before: The last round in which it is known to have been otherwise.
        since: The first round after that in which it is known to be as it is now.
    """

    before: int
    since: int

    @property
    def is_exact(self) -> bool:
        """Whether it turned in the round `since`; else it may have turned earlier, in a round that does not tell."""
        return self.since == self.before + 1


class _Past(NamedTuple):
    """What is known of a case so far: whether it failed, in which round that was last known, and its last turn."""

    is_failed: bool
    last: int
    turn: Turn | None


def turns(steps: Sequence[Step]) -> Mapping[int, Mapping[CaseKey, Turn]]:
    """Find the cases that turned: by round, what holds of a case in that round.

    A pass counts where an outcome says so, or where it follows from what is told (`Suite.ending`). A source that
    names only some of the failed cases of a round says nothing of the others there.

    Args:
        steps: The rounds of one attempt, in order.
    """
    found: dict[int, dict[CaseKey, Turn]] = {}
    past: dict[CaseKey, _Past] = {}
    for place, (suite, told) in enumerate(steps):
        here = _failing(steps[:place], suite, told, past) | _passing(suite, told, past)
        past |= here
        found[suite.number] = {key: each.turn for key, each in here.items() if each.turn}
    return found


def _failing(earlier: Sequence[Step], suite: Suite, told: Told, past: Mapping[CaseKey, _Past]) -> dict[CaseKey, _Past]:
    """Say of the cases that fail in a round since when they do."""
    here: dict[CaseKey, _Past] = {}
    for key, known in told.by_key.items():
        if not known.is_failed or not told.has_names:
            continue
        known_past = past.get(key)
        if known_past and known_past.is_failed:
            turn = known_past.turn
        else:
            before = known_past.last if known_past else _last_pass(earlier, key)
            turn = Turn(before, suite.number) if before else None
        here[key] = _Past(is_failed=True, last=suite.number, turn=turn)
    return here


def _last_pass(earlier: Sequence[Step], key: CaseKey) -> int | None:
    passed = (suite.number for suite, told in reversed(earlier) if suite.ending(told, key).status == "passed")
    return next(passed, None)


def _passing(suite: Suite, told: Told, past: Mapping[CaseKey, _Past]) -> dict[CaseKey, _Past]:
    """Say of the cases that failed once and pass in a round since when they do."""
    here: dict[CaseKey, _Past] = {}
    for key, each in past.items():
        if suite.ending(told, key).status == "passed":
            turn = Turn(each.last, suite.number) if each.is_failed else each.turn
            here[key] = _Past(is_failed=False, last=suite.number, turn=turn)
    return here
