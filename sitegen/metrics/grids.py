"""A submission's results as arrays: what every metric is computed from."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.records import REACHED, Records, sampling_of, wanted
from sitegen.models.outcome import PASS_REWARD, RoundResult, RunFigures
from sitegen.models.task import Task

RewardGrid = NDArray[np.bool_]
"""One task's rewards, shape (attempts, rounds): True where every case passed."""

ShareGrid = NDArray[np.float64]
"""One task's shares of passed cases, shape (attempts, rounds): 0 to 1, NaN where a verdict came without cases."""

FigureGrid = NDArray[np.float64]
"""One task's measurements, shape (attempts, rounds), NaN where nothing was measured."""


@dataclass(frozen=True)  # no slots: what several metrics need is computed once and stays
class TaskGrid:
    """One submission's results on one task, excluded rounds left out."""

    task: Task
    rounds: Sequence[int]
    """Numbers of the rounds that count, from 1."""
    results: Sequence[Sequence[RoundResult | None]]
    """Records, shape (attempts, rounds); None where one is missing."""
    reference: Sequence[RoundResult | None]
    """Records of rounds started from the reference state."""
    runs: Sequence[RunFigures | None]
    """Figures of whole runs, one an attempt."""
    unmade: frozenset[int]
    """Places of the attempts that were never made: without a record, or with nothing but what the reference did."""
    rewards: RewardGrid
    """Which rounds passed; a missing record did not."""
    shares: ShareGrid
    """Share of cases passed; 0 for rounds without cases, NaN for verdicts without counts."""

    @property
    def attempted(self) -> RewardGrid:
        """Rewards of the attempts that were made; one that was never made did not fail."""
        return np.delete(self.rewards, list(self.unmade), axis=0) if self.unmade else self.rewards

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Weight of each round that counts, adding up to 1."""
        weights = np.array([each.weight for each in self.task.rounds if each.n in self.rounds], dtype=np.float64)
        share: NDArray[np.float64] = weights / weights.sum()
        return share

    @cached_property
    def worked(self) -> list[list[RoundResult]]:
        """Records of the rounds that an agent worked on, whatever came of it, by attempt."""
        return [reached(attempt) for attempt in self.results]

    @property
    def is_missing(self) -> bool:
        """Whether it has no record at all."""
        return not any(each for attempt in (*self.results, self.reference) for each in attempt)

    @property
    def rounds_with_interactions(self) -> int:
        """How many of the reached rounds have interactions that are known: their own, or their run's mean."""
        known = 0
        for worked, run in zip(self.worked, self.runs, strict=True):
            own = sum(each.interactions is not None for each in worked)
            known += own or len(worked) * (run is not None and run.interactions_per_round is not None)
        return known

    @cached_property
    def interactions(self) -> list[list[float]]:
        """Interactions of each reached round by attempt; a run's mean where its rounds have none of their own."""
        by_attempt = (_interactions(worked, run) for worked, run in zip(self.worked, self.runs, strict=True))
        return [found for found in by_attempt if found]


@dataclass(frozen=True)  # no slots: what several metrics need is computed once and stays
class Sheet:
    """One submission's results on its whole task set: the input of every metric."""

    tasks: Sequence[TaskGrid]
    """In the order of the task set; a task whose every round is excluded is left out."""
    attempts: int
    """Attempts that the track asks for."""
    made: int
    """Attempts that the submission made."""

    @cached_property
    def rewards(self) -> list[RewardGrid]:
        """Rewards of each task."""
        return [grid.rewards for grid in self.tasks]

    @property
    def attempted(self) -> list[RewardGrid]:
        """Rewards of the attempts at each task that were made."""
        return [grid.attempted for grid in self.tasks]

    @cached_property
    def results(self) -> list[RoundResult | None]:
        """Every expected record that did not start from the reference state, None where it is missing."""
        return [each for grid in self.tasks for attempt in grid.results for each in attempt]

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Ids of the tasks that count and have no record at all."""
        return tuple(grid.task.id for grid in self.tasks if grid.is_missing)

    @property
    def present(self) -> "Sheet":
        """The same without the tasks that have no record at all."""
        return replace(self, tasks=[grid for grid in self.tasks if not grid.is_missing]) if self.missing else self

    @property
    def shares(self) -> list[ShareGrid]:
        """Shares of passed cases of each task."""
        return [grid.shares for grid in self.tasks]


def sheet_of(
    tasks: Iterable[Task], rounds: Sequence[RoundResult], runs: Sequence[RunFigures], attempts: int, made: int
) -> Sheet:
    """Arrange a submission's records as arrays.

    Where no round was reached from the reference state, the submission has no such rounds: what was never tried is a
    gap, not a failure. So it is with its attempts, where all that was tried began from the reference state.

    Args:
        tasks: The track's task set.
        rounds: The submission's records, in any order.
        runs: Its figures of whole runs.
        attempts: Attempts that the track asks for.
        made: Attempts that the submission made.
    """
    records = Records.of(rounds, runs, sampling_of(rounds))
    return Sheet(list(_grids(records, tasks, made)), attempts, made)


def sheet_after(
    known: Sheet,
    tasks: Sequence[Task],
    before: Sequence[RoundResult],
    rounds: Sequence[RoundResult],
    runs: Sequence[RunFigures],
) -> Sheet:
    """Arrange a submission's records after some of them changed: tasks without a change keep what is known of them.

    Args:
        known: The records as they were, arranged.
        tasks: The track's task set.
        before: The records as they were.
        rounds: The records as they are, in the same order; those that did not change are the same objects.
        runs: The submission's figures of whole runs.
    """
    touched = {now.task for was, now in zip(before, rounds, strict=True) if now is not was}
    if not touched:
        return known
    sampling = sampling_of(rounds)
    if sampling != sampling_of(before):
        return sheet_of(tasks, rounds, runs, known.attempts, known.made)
    records = Records.of([each for each in rounds if each.task in touched], runs, sampling)
    return replace(known, tasks=list(_regridded(known, tasks, records, touched)))


def _regridded(known: Sheet, tasks: Sequence[Task], records: Records, touched: AbstractSet[str]) -> Iterator[TaskGrid]:
    """Arrange some tasks anew, and keep the others; a task whose every round is excluded is left out."""
    anew = _grids(records, (task for task in tasks if task.id in touched), known.made)
    kept = (grid for grid in known.tasks if grid.task.id not in touched)
    grids = {grid.task.id: grid for grid in (*kept, *anew)}
    yield from (grids[task.id] for task in tasks if task.id in grids)


def _grids(records: Records, tasks: Iterable[Task], made: int) -> Iterator[TaskGrid]:
    """Make grids, all from two long arrays: many short ones take much longer. A task without rounds is left out."""
    counted = [(task, numbers) for task in tasks if (numbers := records.numbers(task))]
    own = records.own(wanted(tuple((task.id, numbers) for task, numbers in counted), made))
    rewards, shares = _rewards(own), _shares(own)
    start = 0
    for task, numbers in counted:
        shape = made, len(numbers)
        cells = slice(start, start := start + made * len(numbers))
        results = [own[first : first + len(numbers)] for first in range(cells.start, cells.stop, len(numbers))]
        yield TaskGrid(
            task,
            numbers,
            results,
            records.reference(task, numbers),
            records.runs_of(task, made),
            records.unmade(results),
            rewards[cells].reshape(shape),
            shares[cells].reshape(shape),
        )


def _interactions(worked: Sequence[RoundResult], run: RunFigures | None) -> list[float]:
    own = [made for each in worked if (made := each.interactions) is not None]
    mean = run.interactions_per_round if run else None
    return own or ([] if mean is None else [mean])


def reached(results: Iterable[RoundResult | None]) -> list[RoundResult]:
    """Give the records of rounds that an agent worked on, whatever came of it."""
    return [each for each in results if each is not None and each.state in REACHED]


def _rewards(records: Iterable[RoundResult | None]) -> NDArray[np.bool_]:
    """Tell which rounds are solved, each looked at in place: asking every record takes twice as long."""
    return np.array(
        [each is not None and each.state == "scored" and each.reward >= PASS_REWARD for each in records],
        dtype=np.bool_,
    )


def _shares(records: Iterable[RoundResult | None]) -> NDArray[np.float64]:
    found = [_share(each) if each is not None and each.state == "scored" else 0.0 for each in records]
    return np.array(found, dtype=np.float64)


def _share(scored: RoundResult) -> float:
    if scored.passed is None or not scored.total:
        return float("nan")
    return scored.passed / scored.total
