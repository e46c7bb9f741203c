"""A submission's results as arrays: what every metric is computed from."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sitegen.models.outcome import RoundResult, RunFigures, Start
from sitegen.models.task import Task

RewardGrid = NDArray[np.bool_]
"""One task's rewards, shape (attempts, rounds): True where every case passed."""

ShareGrid = NDArray[np.float64]
"""One task's shares of passed cases, shape (attempts, rounds): 0 to 1, NaN where a verdict came without cases."""

FigureGrid = NDArray[np.float64]
"""One task's measurements, shape (attempts, rounds), NaN where nothing was measured."""

_REACHED = {"scored", "no_cases", "aborted"}


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

    @property
    def is_whole(self) -> bool:
        """Whether no record is missing."""
        return None not in self.results

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
    records = _Records.of(rounds, runs, _sampling(rounds))
    return Sheet(list(_grids(records.rows(task, made) for task in tasks)), attempts, made)


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
    sampling = _sampling(rounds)
    if sampling != _sampling(before):
        return sheet_of(tasks, rounds, runs, known.attempts, known.made)
    records = _Records.of([each for each in rounds if each.task in touched], runs, sampling)
    return replace(known, tasks=list(_regridded(known, tasks, records, touched)))


def _regridded(
    known: Sheet, tasks: Sequence[Task], records: "_Records", touched: AbstractSet[str]
) -> Iterator[TaskGrid]:
    """Arrange some tasks anew, and keep the others; a task whose every round is excluded is left out."""
    anew = _grids(records.rows(task, known.made) for task in tasks if task.id in touched)
    kept = (grid for grid in known.tasks if grid.task.id not in touched)
    grids = {grid.task.id: grid for grid in (*kept, *anew)}
    yield from (grids[task.id] for task in tasks if task.id in grids)


class _Sampling(NamedTuple):
    """Which of a submission's rounds were tried."""

    from_reference: bool
    """Whether any round was tried from the reference state."""
    from_own: bool
    """Whether any was tried from the agent's own."""


def _sampling(rounds: Sequence[RoundResult]) -> _Sampling:
    return _Sampling(any(map(_tried_from_reference, rounds)), any(map(_tried_from_own, rounds)))


class _Rows(NamedTuple):
    """One submission's records on one task: what a grid begins with, under the same names."""

    task: Task
    rounds: Sequence[int]
    results: Sequence[Sequence[RoundResult | None]]
    reference: Sequence[RoundResult | None]
    runs: Sequence[RunFigures | None]
    unmade: frozenset[int]


def _grids(tasks: Iterable[_Rows]) -> Iterator[TaskGrid]:
    """Make grids, all from two long arrays: many short ones take much longer. A task without rounds is left out."""
    counted = [each for each in tasks if each.rounds]
    records = [each for task in counted for attempt in task.results for each in attempt]
    rewards = np.array(list(map(_passes, records)), dtype=np.bool_)
    shares = np.array(list(map(_share, records)), dtype=np.float64)
    start = 0
    for each in counted:
        shape = len(each.results), len(each.rounds)
        cells = slice(start, start := start + shape[0] * shape[1])
        yield TaskGrid(*each, rewards[cells].reshape(shape), shares[cells].reshape(shape))


@dataclass(frozen=True, slots=True)
class _Records:
    """A submission's records, to be found by what they are about."""

    rounds: Mapping[tuple[str, Start, int], Mapping[int, RoundResult]]
    """By task, start and attempt, and then by round."""
    runs: Mapping[tuple[str, int], RunFigures]
    excluded: AbstractSet[tuple[str, int]]
    is_only_sampled: bool
    """Whether all that was tried began from the reference state."""

    @classmethod
    def of(cls, rounds: Sequence[RoundResult], runs: Sequence[RunFigures], sampling: _Sampling) -> "_Records":
        """Sort records by what they are about, those of rounds that nobody tried from the reference state left out."""
        excluded = filter(_is_excluded, rounds)
        known = rounds if sampling.from_reference else filter(_is_own, rounds)
        by_run: dict[tuple[str, Start, int], dict[int, RoundResult]] = defaultdict(dict)
        for each in known:
            by_run[each.task, each.start, each.attempt][each.round] = each
        return cls(
            by_run,
            {(run.task, run.attempt): run for run in runs},
            {(each.task, each.round) for each in excluded},
            sampling.from_reference and not sampling.from_own,
        )

    def rows(self, task: Task, made: int) -> _Rows:
        """Arrange the records of one task."""
        numbers = [each.n for each in task.rounds if (task.id, each.n) not in self.excluded]
        attempts = range(1, made + 1)
        own = [self._row(task, "own", attempt, numbers) for attempt in attempts]
        figures = [self.runs.get((task.id, attempt)) for attempt in attempts]
        unmade = frozenset(place for place, attempt in enumerate(own) if not self._was_made(attempt))
        return _Rows(task, numbers, own, self._row(task, "reference", 1, numbers), figures, unmade)

    def _was_made(self, attempt: Sequence[RoundResult | None]) -> bool:
        states = {each.state for each in attempt if each}
        return bool(states & _REACHED or (states and not self.is_only_sampled and "fast_forwarded" not in states))

    def _row(self, task: Task, start: Start, attempt: int, numbers: Sequence[int]) -> list[RoundResult | None]:
        records = self.rounds.get((task.id, start, attempt), {})
        return [records.get(number) for number in numbers]


def _is_own(result: RoundResult) -> bool:
    return result.start == "own"


def _is_excluded(result: RoundResult) -> bool:
    return result.state == "excluded"


def _tried_from_reference(result: RoundResult) -> bool:
    return result.start == "reference" and result.state != "unreached"


def _tried_from_own(result: RoundResult) -> bool:
    return result.start == "own" and result.state in _REACHED


def _interactions(worked: Sequence[RoundResult], run: RunFigures | None) -> list[float]:
    own = [each.interactions for each in worked if each.interactions is not None]
    mean = run.interactions_per_round if run else None
    return own or ([] if mean is None else [mean])


def reached(results: Iterable[RoundResult | None]) -> list[RoundResult]:
    """Give the records of rounds that an agent worked on, whatever came of it."""
    return [each for each in results if each is not None and each.state in _REACHED]


def _passes(result: RoundResult | None) -> bool:
    return result is not None and result.solved


def _share(result: RoundResult | None) -> float:
    if result is None or result.state != "scored":
        return 0.0
    if result.passed is None or not result.total:
        return float("nan")
    return result.passed / result.total
