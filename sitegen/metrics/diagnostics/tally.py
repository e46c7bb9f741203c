"""What submissions made of a track's rounds, counted so that submissions add up and tasks can be picked."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.diagnostics.budgets import UNKNOWN, budget_place, turns_of
from sitegen.metrics.diagnostics.outline import Counts, Outline
from sitegen.metrics.grids import RewardGrid, Sheet
from sitegen.models.benchmark import Protocol

FIFTHS = 5
"""Parts of a task that a first failure can fall into."""


class Kind(IntEnum):
    """What is counted of each round."""

    PRESENT = 0
    """Submissions that the round counts for."""
    VERDICTS = 1
    """Verdicts: one an attempt; one a submission on a fail-stop track, where it made every attempt at the task."""
    PASSED = 2
    """Verdicts that are a pass; on a fail-stop track, some attempt keeps the round."""
    REPEATED = 3
    """Submissions that made every one of several attempts at the task."""
    ANY = 4
    """Of these, those with some attempt that passes."""
    EVERY = 5
    """Of these, those whose every attempt passes."""
    REFERENCE = 6
    """Submissions that also run the round from the reference state."""
    SOLVED = 7
    """Of these, those that pass it then."""
    FAILED = 8
    """Attempts of these that do not pass the round when they live with their own work."""
    RECOVERED = 9
    """Of these, those whose submission passes the round from the reference state."""


class Tally(NamedTuple):
    """Counts of one or more submissions, whose sum is the count of them together.

    Attributes:
        rounds: By kind and round, shape (kinds, rounds), in the order of the outline.
        failures: First failures by the fifth of the task that they fall into, shape (tasks, fifths).
        tasks: Submissions by task, shape (3, tasks): that made every one of several attempts; of these, with
            some attempt that passes every round; of these, whose every attempt does.
        runs: Runs by the smallest budget that they keep within, shape (2, tasks, budgets + 2): all of them,
            and those that pass every round. The last places are those of longer runs and of uncounted ones.
    """

    rounds: Counts
    failures: Counts
    tasks: Counts
    runs: Counts

    def on(self, task: int, outline: Outline) -> "Tally":
        """Keep the counts of one task, by its place in the outline."""
        alone = np.arange(len(outline.tasks)) == task
        rounds = self.rounds * (outline.task_of == task)
        return Tally(rounds, self.failures * alone[:, None], self.tasks * alone, self.runs * alone[:, None])


def sum_of(tallies: Sequence[Tally], outline: Outline) -> Tally:
    """Add up the counts of several submissions."""
    return Tally(*(np.sum(counts, axis=0) for counts in zip(_nothing(outline), *tallies, strict=True)))


def tally_of(sheet: Sheet, outline: Outline, protocol: Protocol) -> Tally:
    """Count what a submission made of a track's rounds.

    After an attempt's first failure nothing counts as passed on a fail-stop track. A round that is missing or
    was never reached did not pass; a round that a finding excludes is not counted at all. An attempt without
    any record was not made: it failed nowhere, and the best of the others is not the best of all.

    Args:
        sheet: The submission's results, or those on some of the tasks.
        outline: The track's rounds.
        protocol: How rounds follow each other.
    """
    tally = _nothing(outline)
    if not sheet.tasks:
        return tally
    attempts = _Attempts(sheet)
    counting = attempts.kept if protocol == "fail-stop" else sheet.rewards
    passed = np.concatenate([rewards.sum(axis=0) for rewards in counting])
    places = np.concatenate([outline.places(grid) for grid in sheet.tasks])
    for kind, counts in _round_counts(attempts, passed, best=protocol == "fail-stop").items():
        tally.rounds[kind, places] = counts
    tasks = np.array([outline.task_places[grid.task.id] for grid in sheet.tasks])
    tally.failures[tasks] = attempts.failures()
    tally.tasks[:, tasks] = attempts.through()
    if protocol == "once":
        tally.runs[:, tasks] = attempts.runs()
    return tally


def _nothing(outline: Outline) -> Tally:
    tasks = len(outline.tasks)
    shapes = ((len(Kind), len(outline.rounds)), (tasks, FIFTHS), (3, tasks), (2, tasks, UNKNOWN + 1))
    return Tally(*(np.zeros(shape, dtype=np.int64) for shape in shapes))


@dataclass(frozen=True)  # no slots: what several counts need is found once and stays
class _Attempts:
    """A submission's attempts at its tasks."""

    sheet: Sheet

    @cached_property
    def kept(self) -> list[RewardGrid]:
        """Rounds of each task that pass with every one before them."""
        return [np.logical_and.accumulate(rewards, axis=1) for rewards in self.sheet.rewards]

    @cached_property
    def made(self) -> RewardGrid:
        """Attempts that were made, shape (tasks, attempts)."""
        places = range(self.sheet.made)
        return np.array([[place not in grid.unmade for place in places] for grid in self.sheet.tasks], dtype=np.bool_)

    @cached_property
    def lengths(self) -> Counts:
        """Rounds that count of each task, shape (tasks, 1)."""
        return np.array([[len(grid.rounds)] for grid in self.sheet.tasks], dtype=np.int64)

    @cached_property
    def until(self) -> Counts:
        """Rounds that each attempt passes before its first failure, shape (tasks, attempts)."""
        return np.array([rewards.sum(axis=1) for rewards in self.kept], dtype=np.int64)

    @property
    def is_whole(self) -> RewardGrid:
        """Whether every attempt at a task that the track asks for was made, shape (tasks,)."""
        whole: RewardGrid = self.made.sum(axis=1) == self.sheet.attempts
        return whole

    @property
    def is_repeated(self) -> RewardGrid:
        """Whether there are several attempts, and every one of them was made, shape (tasks,)."""
        return self.is_whole & (self.sheet.attempts > 1)

    def by_round(self, by_task: NDArray[np.generic]) -> Counts:
        """Repeat what is known of a task for each of its rounds that count."""
        return np.repeat(by_task.astype(np.int64), self.lengths[:, 0])

    def failures(self) -> Counts:
        """Count first failures by fifth of the task, shape (tasks, fifths)."""
        fifths = -(-FIFTHS * (self.until + 1) // self.lengths) - 1
        failed = self.made & (self.until < self.lengths)
        counts: Counts = ((fifths[:, :, None] == np.arange(FIFTHS)) & failed[:, :, None]).sum(axis=1, dtype=np.int64)
        return counts

    def through(self) -> Counts:
        """Count tasks with several attempts, and those that some or every attempt passes, shape (3, tasks)."""
        passes = self.until == self.lengths
        found = np.array([np.ones(len(passes), dtype=np.bool_), passes.any(axis=1), passes.all(axis=1)])
        counts: Counts = (self.is_repeated & found).astype(np.int64)
        return counts

    def runs(self) -> Counts:
        """Count runs by budget, and those that pass every round, shape (2, tasks, budgets + 2)."""
        grids, attempts = self.sheet.tasks, range(self.sheet.made)
        budgets = np.array([[budget_place(turns_of(grid, attempt)) for attempt in attempts] for grid in grids])
        runs = budgets[:, :, None] == np.arange(UNKNOWN + 1)
        resolved = runs & (self.until == self.lengths)[:, :, None]
        return np.array([runs.sum(axis=1), resolved.sum(axis=1)], dtype=np.int64)


def _round_counts(attempts: _Attempts, passed: Counts, *, best: bool) -> dict[Kind, Counts | int]:
    """Count by round.

    Args:
        attempts: The submission's attempts.
        passed: Attempts that pass each round, shape (counted rounds,).
        best: Whether a submission has one verdict on a round, that of the best of its attempts.
    """
    sheet = attempts.sheet
    whole, repeated = attempts.by_round(attempts.is_whole), attempts.by_round(attempts.is_repeated)
    records = [each for grid in sheet.tasks for each in grid.reference]
    has_reference = int(any(records))
    solved = np.array([bool(each and each.solved) for each in records], dtype=np.int64)
    failed = has_reference * (attempts.by_round(attempts.made.sum(axis=1)) - passed)
    return {
        Kind.PRESENT: 1,
        Kind.VERDICTS: whole if best else sheet.made,
        Kind.PASSED: whole * (passed > 0) if best else passed,
        Kind.REPEATED: repeated,
        Kind.ANY: repeated * (passed > 0),
        Kind.EVERY: repeated * (passed == sheet.made),
        Kind.REFERENCE: has_reference,
        Kind.SOLVED: solved,
        Kind.FAILED: failed,
        Kind.RECOVERED: failed * solved,
    }
