"""Rounds of two submissions side by side: how alike they are, and which of them pass where the other does not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.failstop import SR
from sitegen.metrics.grids import RewardGrid, Sheet, TaskGrid, by_task
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Protocol
from sitegen.models.task import Task
from sitegen.problems import grouped

OutcomeTable = NDArray[np.float64]
"""Results of several submissions, shape (submissions, rounds of all attempts): the share of cases passed, 0 to 1;
2 for a round passed and 3 for one not passed where no cases were counted; -1 where there is no record."""

_PASSED, _NOT_PASSED, _ABSENT = 2.0, 3.0, -1.0

_PRIOR = 2
"""So many pairs that agree as often as any two on the board stand beside those seen in a round: few say little."""

_LEAST_SPREAD = 0.02
"""Where the board's pairs hardly differ, their spread is taken to be that much."""

_SIGMA = 1.4826
"""Median absolute deviations in a standard deviation, where values are normally distributed."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """Two submissions that agree more often than others do, by their lines in the table."""

    first: int
    second: int
    shared: int
    """Rounds that both pass in part."""
    same: int
    """How many of these both pass to the same share."""
    expected: float
    """In how many of these two other submissions of the board would agree."""
    excess: float
    """Agreement beyond that, as a share of what is possible: 0 as others, 1 in every round."""
    usual: float
    """Median of the excess over all pairs of the board that share enough rounds."""
    distance: float
    """How far the pair lies above the usual, in robust standard deviations."""
    pairs: int
    """How many pairs share enough rounds, this one included."""


def outcome_table(sheets: Sequence[Sheet], tasks: Sequence[Task], attempts: int) -> OutcomeTable:
    """Put submissions' results side by side, without the rounds from the reference state."""
    ends = (attempts * np.cumsum([len(task.rounds) for task in tasks])).tolist()
    starts = {
        task.id: end - attempts * len(task.rounds) for task, end in zip(tasks, ends, strict=True)
    }
    table = np.full((len(sheets), ends[-1] if ends else 0), _ABSENT)
    columns: dict[tuple[str, int, tuple[int, ...]], list[int]] = {}
    for line, sheet in zip(table, sheets, strict=True):
        places: list[int] = []
        for grid in sheet.tasks:
            shape = grid.task.id, len(grid.results), tuple(grid.rounds)
            if shape not in columns:
                known = {
                    each.n: place for place, each in enumerate(grid.task.rounds)
                }  # a faulty task has any numbers
                firsts = [
                    starts[grid.task.id] + made * len(grid.task.rounds)
                    for made in range(len(grid.results))
                ]
                columns[shape] = [first + known[n] for first in firsts for n in grid.rounds]
            places += columns[shape]
        if places:
            shares = np.concatenate([grid.shares.ravel() for grid in sheet.tasks])
            rewards = np.concatenate([grid.rewards.ravel() for grid in sheet.tasks])
            line[places] = np.where(
                np.isnan(shares), np.where(rewards, _PASSED, _NOT_PASSED), shares
            )
    return table


def surprise(table: OutcomeTable, group: Sequence[int]) -> float:
    """Tell how unlikely it is that one more submission of a board repeats what some have in common, in bits.

    Each round is as likely to end so as it did for the others, but never less so than the group's own rounds are on the
    whole: two that pass everything have nothing in common but that they are good. Rounds are taken for independent,
    which those of a task are not: it is rather too much. The group are lines of the table that are equal.
    """
    line = table[group[0]]
    known = line != _ABSENT
    others = (table != _ABSENT).sum(axis=0) - len(group)
    repeated = (table == line).sum(axis=0) - len(group)
    _, kinds, often = np.unique(line[known], return_inverse=True, return_counts=True)
    usual = (often / max(known.sum(), 1))[kinds]
    seen = (repeated[known] + _PRIOR * usual) / (others[known] + _PRIOR)
    return float(-np.log2(np.maximum(seen, usual)).sum()) + 0.0


def best_shares(grid: TaskGrid) -> tuple[float, float]:
    """The shares of a task's rounds and of its cases that the best attempt passes.

    Where cases were not counted, a round that was not passed has none that did.
    """
    cases = np.where(np.isnan(grid.shares), grid.rewards, grid.shares)
    return float(grid.rewards.mean(axis=1).max()), float(cases.mean(axis=1).max())


def best_shares_of_rounds(grids: Sequence[TaskGrid]) -> list[float]:
    """The share of rounds that the best attempt at each task passes."""
    return by_task(
        [grid.rewards for grid in grids], lambda stack: np.max(stack.mean(axis=2), axis=1)
    )


def equal_lines(table: OutcomeTable) -> list[list[int]]:
    """Group the lines of a table that are equal in every round; groups of at least two."""
    groups = grouped((line.tobytes(), number) for number, line in enumerate(table))
    return [group for group in groups.values() if len(group) > 1]


def close_pairs(table: OutcomeTable, least_shared: int, least_excess: float) -> Iterator[Closeness]:
    """Find pairs that pass the same share of cases in far more rounds than other pairs do.

    Only rounds that both pass in part are looked at: what everybody passes, or nobody, tells nobody from another,
    and two agents of the same strength agree on it anyhow. In how many shares two of them agree depends on the round:
    where one case is hard, all that fail it agree. So each round's agreement is taken from the board's other pairs.

    Source:
        P. W. Holland, Assessing unusual agreement between the incorrect answers of two examinees using the K-index,
        ETS Research Report 96-7, 1996: only what both did not get right tells. J. Cohen, A coefficient of agreement
        for nominal scales, Educational and Psychological Measurement 20, 1960: agreement beyond the expected.
    """
    if not len(table):
        return
    partial = (table > 0) & (table < 1)
    same, expected = _agreement(table, partial)
    shared = partial.astype(np.float64) @ partial.T.astype(np.float64)
    first, second = np.nonzero(np.triu(shared >= max(least_shared, 1), 1))
    possible = shared[first, second] - expected[first, second]
    excess = (same[first, second] - expected[first, second]) / np.maximum(
        possible, np.finfo(np.float64).eps
    )
    usual, spread = middle_and_spread(excess.tolist())
    distances = (excess - usual) / max(spread, _LEAST_SPREAD)
    for pair in np.flatnonzero(excess >= least_excess).tolist():
        one, other = int(first[pair]), int(second[pair])
        counts = int(shared[one, other]), int(same[one, other]), float(expected[one, other])
        yield Closeness(
            one, other, *counts, float(excess[pair]), usual, float(distances[pair]), len(excess)
        )


def middle_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """The median of values, and their standard deviation, so that a few odd ones can't move either; 0 without any."""
    middle = median(values) if values else 0.0
    return middle, _SIGMA * median(abs(value - middle) for value in values) if values else 0.0


def _agreement(
    table: OutcomeTable, partial: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rounds that two lines both pass in part and agree in, and those in which two other lines would.

    Both have the shape (submissions, submissions).
    """
    members = partial.sum(axis=0)
    pairs = members * (members - 1) / 2
    # Kinds of outcomes: shares lie between 0 and 1, both excluded, so that two of one kind are one share in one round.
    lines, rounds = np.nonzero(partial)
    _, kinds = np.unique(rounds + table[lines, rounds], return_inverse=True)
    often = np.bincount(kinds)
    rounds_of_kinds = np.zeros(len(often), dtype=np.int64)
    rounds_of_kinds[kinds] = rounds
    agreeing = np.bincount(rounds_of_kinds, often * (often - 1) / 2, len(members))
    usual = agreeing.sum() / max(pairs.sum(), 1)
    weights = 1 / np.maximum(pairs - 1 + _PRIOR, 1)
    has_kind = np.zeros((len(table), len(often)), dtype=np.float32)
    has_kind[lines, kinds] = 1
    own = (has_kind * weights[rounds_of_kinds].astype(np.float32)) @ has_kind.T
    expected: NDArray[np.float64] = (
        partial * ((agreeing + _PRIOR * usual) * weights) @ partial.T.astype(np.float64)
    )
    return (has_kind @ has_kind.T).astype(np.float64), expected - own


VerdictRule = Literal["reference", "kept", "first"]
"""When a round counts as passed, so that it has one verdict however often it was tried.

`reference`: it passes when started from the reference state. `kept`: some attempt passes it with every round before
it. `first`: the first attempt passes it. Attempts are exchangeable, so that the first one is as fair as any, and two
verdicts of one round are not two pieces of evidence.
"""

RULES: Mapping[VerdictRule, str] = {
    "reference": "A round is passed if it passes when started from the reference state.",
    "kept": "A round is passed if some attempt passes it with every round before it.",
    "first": "The first attempt says what is passed.",
}

Verdicts = NDArray[np.int8]
"""The verdict on each round of a track, shape (rounds,): 1 passed, 0 not passed, -1 not known or left out."""

_UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class RoundCounts:
    """How the rounds went that two submissions both have a verdict on."""

    both: int
    only_first: int
    only_second: int
    neither: int
    rule: VerdictRule


def rule_of(headline: Metric, protocol: Protocol) -> VerdictRule:
    """Choose the rule that goes with what a track ranks by."""
    if headline is SR:
        return "reference"
    return "kept" if protocol == "fail-stop" else "first"


@dataclass(frozen=True)  # no slots: places of rounds are found once and stay
class VerdictTable:
    """The verdicts of some submissions on the rounds of a track."""

    sheets: Mapping[str, Sheet]
    tasks: Sequence[Task]
    rule: VerdictRule
    _collected: dict[tuple[str, int], Verdicts] = field(default_factory=dict, init=False)

    def compare(self, first: str, second: str) -> RoundCounts | None:
        """Count how two submissions did on the rounds that both have a verdict on; None where there is no such round.

        Where one made more attempts, those that the other has no counterpart of are left out.
        """
        attempts = min(self.sheets[first].made, self.sheets[second].made)
        ours, theirs = self.verdicts(first, attempts), self.verdicts(second, attempts)
        known = (ours >= 0) & (theirs >= 0)
        counts = np.bincount(2 * ours[known] + theirs[known], minlength=4).tolist()
        neither, only_second, only_first, both = counts
        return (
            RoundCounts(both, only_first, only_second, neither, self.rule) if sum(counts) else None
        )

    def verdicts(self, name: str, attempts: int) -> Verdicts:
        """A submission's verdicts by so many of its attempts, round by round in the order of the tasks."""
        if (name, attempts) not in self._collected:
            sheet, verdicts = self.sheets[name], np.full(len(self._places), _UNKNOWN, dtype=np.int8)
            places = [
                self._places[grid.task.id, number] for grid in sheet.tasks for number in grid.rounds
            ]
            verdicts[places] = [
                each for grid in sheet.tasks for each in self._verdicts(grid, attempts)
            ]
            self._collected[name, attempts] = verdicts
        return self._collected[name, attempts]

    @cached_property
    def _places(self) -> Mapping[tuple[str, int], int]:
        rounds = ((task.id, each.n) for task in self.tasks for each in task.rounds)
        return {key: place for place, key in enumerate(rounds)}

    def _verdicts(self, grid: TaskGrid, attempts: int) -> list[int]:
        """The verdicts on the rounds of a task."""
        if self.rule == "reference":
            return [_UNKNOWN if each is None else each.solved for each in grid.reference]
        if not grid.unmade.isdisjoint(range(1 if self.rule == "first" else attempts)):
            return [_UNKNOWN] * len(grid.rounds)
        if self.rule == "first":
            return [_UNKNOWN if each is None else each.solved for each in grid.results[0]]
        kept: RewardGrid = np.logical_and.accumulate(grid.rewards[:attempts], axis=1)
        by_round = zip(kept.T.tolist(), zip(*grid.results[:attempts], strict=True), strict=True)
        return [_UNKNOWN if None in records else any(passed) for passed, records in by_round]
