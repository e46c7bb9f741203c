"""Rounds of two submissions side by side: which of them pass a round that the other does not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.grids import RewardGrid, Sheet, TaskGrid
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Protocol
from sitegen.models.task import Task

VerdictRule = Literal["reference", "kept", "first"]
"""When a round counts as passed, so that it has one verdict however often it was tried.

`reference`: it passes when started from the reference state. `kept`: some attempt passes it with every round before
it. `first`: the first attempt passes it. Attempts are exchangeable, so that the first one is as fair as any, and two
verdicts of one round are not two pieces of evidence.
"""

RULES: Mapping[VerdictRule, str] = {
    "reference": "A round is passed if it passes when started from the reference state.",
    "kept": "A round is passed if some attempt passes it with every round before it.",
    "first": "A round is passed if the first attempt passes it.",
}
"""The rules as sentences."""

Verdicts = NDArray[np.int8]
"""The verdict on each round of a track, shape (rounds,): 1 passed, 0 not passed, -1 not known or left out."""

_UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class RoundCounts:
    """How the rounds went that two submissions both have a verdict on.

    Attributes:
        both: Rounds that both pass.
        only_first: Rounds that only the first passes.
        only_second: Rounds that only the second passes.
        neither: Rounds that neither passes.
        rule: When a round counts as passed.
    """

    both: int
    only_first: int
    only_second: int
    neither: int
    rule: VerdictRule


def rule_of(headline: Metric, protocol: Protocol) -> VerdictRule:
    """Choose the rule that goes with what a track ranks by."""
    if headline.id == "sr":
        return "reference"
    return "kept" if protocol == "fail-stop" else "first"


@dataclass(frozen=True)  # no slots: verdicts are collected once and stay
class VerdictTable:
    """The verdicts of some submissions on the rounds of a track.

    Attributes:
        sheets: Results by submission.
        tasks: The track's tasks.
        rule: When a round counts as passed.
    """

    sheets: Mapping[str, Sheet]
    tasks: Sequence[Task]
    rule: VerdictRule

    def compare(self, first: str, second: str) -> RoundCounts | None:
        """Count how two submissions did on the rounds that both have a verdict on; None where there is no such round.

        Where one made more attempts, those that the other has no counterpart of are left out.
        """
        attempts = min(self.sheets[first].made, self.sheets[second].made)
        ours, theirs = self.verdicts(first, attempts), self.verdicts(second, attempts)
        known = (ours >= 0) & (theirs >= 0)
        counts = np.bincount(2 * ours[known] + theirs[known], minlength=4).tolist()
        neither, only_second, only_first, both = counts
        return RoundCounts(both, only_first, only_second, neither, self.rule) if sum(counts) else None

    def verdicts(self, name: str, attempts: int) -> Verdicts:
        """Give a submission's verdicts, round by round in the order of the tasks.

        Args:
            name: The submission.
            attempts: How many of its attempts count, at most those that it made.
        """
        if (name, attempts) not in self._collected:
            self._collected[name, attempts] = self._collect(self.sheets[name], attempts)
        return self._collected[name, attempts]

    def _collect(self, sheet: Sheet, attempts: int) -> Verdicts:
        verdicts = np.full(len(self._places), _UNKNOWN, dtype=np.int8)
        places = [self._places[grid.task.id, number] for grid in sheet.tasks for number in grid.rounds]
        verdicts[places] = [each for grid in sheet.tasks for each in _VERDICTS[self.rule](grid, attempts)]
        return verdicts

    @cached_property
    def _places(self) -> Mapping[tuple[str, int], int]:
        rounds = ((task.id, each.n) for task in self.tasks for each in task.rounds)
        return {key: place for place, key in enumerate(rounds)}

    @cached_property
    def _collected(self) -> dict[tuple[str, int], Verdicts]:
        """Verdicts that were asked for so far, by submission and number of attempts."""
        return {}


def _from_reference(grid: TaskGrid, _: int) -> list[int]:
    return [_UNKNOWN if each is None else each.solved for each in grid.reference]


def _kept(grid: TaskGrid, attempts: int) -> list[int]:
    if not grid.unmade.isdisjoint(range(attempts)):
        return [_UNKNOWN] * len(grid.rounds)
    kept: RewardGrid = np.logical_and.accumulate(grid.rewards[:attempts], axis=1)
    by_round = zip(kept.T.tolist(), zip(*grid.results[:attempts], strict=True), strict=True)
    return [_UNKNOWN if None in records else any(passed) for passed, records in by_round]


def _first(grid: TaskGrid, _: int) -> list[int]:
    unmade = 0 in grid.unmade
    return [_UNKNOWN if unmade or each is None else each.solved for each in grid.results[0]]


_VERDICTS = {"reference": _from_reference, "kept": _kept, "first": _first}
