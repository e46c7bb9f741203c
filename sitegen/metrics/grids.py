"""A submission's results as arrays: what every metric is computed from."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain, product
from operator import attrgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sitegen.models.outcome import PASS_REWARD, RoundResult, RunFigures, Start
from sitegen.models.task import Task

RewardGrid = NDArray[np.bool_]
"""One task's rewards, shape (attempts, rounds): True where every case passed."""

ShareGrid = NDArray[np.float64]
"""One task's shares of passed cases, shape (attempts, rounds): 0 to 1, NaN where a verdict came without cases."""

Stacked = NDArray[np.bool_] | NDArray[np.float64]
"""Grids of one shape, shape (grids, attempts, rounds)."""

Checkpoints: TypeAlias = Sequence[RoundResult | None]
"""Every expected record, None where it is missing."""

Place: TypeAlias = tuple[str, Start, int, int]
"""What a record is about: task, start, attempt and round."""

REACHED = frozenset({"scored", "no_cases", "aborted"})
"""States of the rounds that an agent worked on, whatever came of it."""

_PLACE = attrgetter("task", "start", "attempt", "round")


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

    @cached_property
    def graded(self) -> ShareGrid:
        """Reward of each round as it was given, shape (attempts, rounds); 0 where there is no verdict."""
        rewards = [[each.reward if each and each.state == "scored" else 0.0 for each in row] for row in self.results]
        return np.array(rewards, dtype=np.float64).reshape(self.rewards.shape)

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
        by_attempt = []
        for worked, run in zip(self.worked, self.runs, strict=True):
            own = [made for each in worked if (made := each.interactions) is not None]
            if not own and run and run.interactions_per_round is not None:
                own = [run.interactions_per_round]
            if own:
                by_attempt.append(own)
        return by_attempt


@dataclass(frozen=True)  # no slots: what several metrics need is computed once and stays
class Sheet:
    """One submission's results on its whole task set: the input of every metric."""

    tasks: Sequence[TaskGrid]
    """In the order of the task set; a task whose every round is excluded is left out."""
    attempts: int
    """Attempts that the track asks for."""
    made: int
    """Attempts that the submission made."""
    is_fail_stop: bool = False
    """Whether nothing counts after the first failure."""

    @cached_property
    def rewards(self) -> list[RewardGrid]:
        """Rewards of each task."""
        return [grid.rewards for grid in self.tasks]

    @property
    def attempted(self) -> list[RewardGrid]:
        """Rewards of the attempts at each task that were made."""
        return [grid.attempted for grid in self.tasks]

    @cached_property
    def graded(self) -> list[ShareGrid]:
        """Rewards of each task as they were given; after the first failure 0, where nothing counts then."""
        given = [grid.graded for grid in self.tasks]
        if not self.is_fail_stop:
            return given
        reached = [np.roll(np.logical_and.accumulate(grid, axis=1), 1, axis=1) for grid in self.rewards]
        for each in reached:
            each[:, 0] = True
        return [rewards * counts for rewards, counts in zip(given, reached, strict=True)]

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


def reached(results: Iterable[RoundResult | None]) -> list[RoundResult]:
    """The records of rounds that an agent worked on, whatever came of it."""
    return [each for each in results if each is not None and each.state in REACHED]


def sheet_of(
    tasks: Iterable[Task], rounds: Sequence[RoundResult], runs: Sequence[RunFigures], attempts: int, made: int
) -> Sheet:
    """Arrange a submission's records as arrays.

    Where no round was reached from the reference state, the submission has no such rounds: what was never tried is a
    gap, not a failure. So it is with its attempts, where all that was tried began from the reference state.
    """
    return Sheet(list(_grids(_Records(rounds, runs, *_tried(rounds)), tasks, made)), attempts, made)


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
    tried = _tried(rounds)
    if tried != _tried(before):
        return sheet_of(tasks, rounds, runs, known.attempts, known.made)
    records = _Records([each for each in rounds if each.task in touched], runs, *tried)
    anew = _grids(records, (task for task in tasks if task.id in touched), known.made)
    kept = (grid for grid in known.tasks if grid.task.id not in touched)
    grids = {grid.task.id: grid for grid in (*kept, *anew)}
    return replace(known, tasks=[grids[task.id] for task in tasks if task.id in grids])


def _grids(records: "_Records", tasks: Iterable[Task], made: int) -> Iterator[TaskGrid]:
    """Make grids, all from two long arrays: many short ones take much longer. A task without rounds is left out."""
    counted = [(task, numbers) for task in tasks if (numbers := records.numbers(task))]
    places, is_distinct = _wanted(tuple((task.id, numbers) for task, numbers in counted), made)
    own = records.own(places, is_distinct=is_distinct)
    runs = {(run.task, run.attempt): run for run in records.runs}
    # Each record is looked at in place: asking it whether it is solved takes twice as long.
    scored = [each is not None and each.state == "scored" and each for each in own]
    rewards = np.array([each and each.reward >= PASS_REWARD for each in scored], dtype=np.bool_)
    shares = np.array([_share(each) if each else 0.0 for each in scored], dtype=np.float64)
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
            [runs.get((task.id, attempt)) for attempt in range(1, made + 1)],
            records.unmade(results),
            rewards[cells].reshape(shape),
            shares[cells].reshape(shape),
        )


def _share(scored: RoundResult) -> float:
    return float("nan") if scored.passed is None or not scored.total else scored.passed / scored.total


def _tried(rounds: Sequence[RoundResult]) -> tuple[bool, bool]:
    """Whether any of a submission's rounds was tried from the reference state, and any from the agent's own."""
    return (
        any(each.start == "reference" and each.state != "unreached" for each in rounds),
        any(each.start == "own" and each.state in REACHED for each in rounds),
    )


@lru_cache(maxsize=8)
def _wanted(rounds: Iterable[tuple[str, Sequence[int]]], made: int) -> tuple[list[Place], bool]:
    """What the records of an agent's own rounds may be about, and whether no place stands twice, as in a faulty task.

    The submissions of a board mostly ask for the same, so that some are kept.
    """
    own: tuple[Start] = ("own",)
    by_task = (product((task,), own, range(1, made + 1), numbers) for task, numbers in rounds)
    places = list(chain.from_iterable(by_task))
    return places, len(set(places)) == len(places)


@dataclass(frozen=True)  # no slots: what is asked for is computed once and stays
class _Records:
    """A submission's records, to be found by what they are about."""

    rounds: Sequence[RoundResult]
    runs: Sequence[RunFigures]
    from_reference: bool
    """Whether any round was tried from the reference state."""
    from_own: bool
    """Whether any was tried from the agent's own."""

    @cached_property
    def excluded(self) -> AbstractSet[tuple[str, int]]:
        """The rounds that do not count, by task and number."""
        return {(each.task, each.round) for each in self.rounds if each.state == "excluded"}

    @cached_property
    def places(self) -> list[Place]:
        """What each record is about."""
        return list(map(_PLACE, self.rounds))

    @cached_property
    def by_place(self) -> dict[Place, RoundResult]:
        """Each record by what it is about."""
        return dict(zip(self.places, self.rounds, strict=True))

    def numbers(self, task: Task) -> tuple[int, ...]:
        """The numbers of the rounds of a task that count."""
        return tuple([each.n for each in task.rounds if (task.id, each.n) not in self.excluded])

    def own(self, places: list[Place], *, is_distinct: bool) -> tuple[RoundResult | None, ...]:
        """The records of some places, None where one is missing. Mostly there are just these, in their order."""
        if is_distinct and self.places == places:
            return tuple(self.rounds)
        return tuple(map(self.by_place.get, places))

    def reference(self, task: Task, numbers: Sequence[int]) -> Sequence[RoundResult | None]:
        """The records from the reference state; none where nobody tried a round from it."""
        if not self.from_reference:
            return [None] * len(numbers)
        return [self.by_place.get((task.id, "reference", 1, number)) for number in numbers]

    def unmade(self, attempts: Iterable[Sequence[RoundResult | None]]) -> frozenset[int]:
        """The places of the attempts at a task that were never made."""
        from_reference_only = self.from_reference and not self.from_own
        unmade = set()
        for place, attempt in enumerate(attempts):
            for each in attempt:
                if each is not None and each.state in REACHED:
                    break
            else:
                states = {each.state for each in attempt if each}
                if not states or from_reference_only or "fast_forwarded" in states:
                    unmade.add(place)
        return frozenset(unmade)


def by_task(grids: Sequence[Stacked], score: Callable[[Stacked], ArrayLike]) -> list[float]:
    """Score every task, those whose grids have one shape together: an operation on many takes as long as one on few.

    Grids have the shape (attempts, rounds), and rounds may differ by task; the function gives a number for each of
    those that it is given in a stack.
    """
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for place, grid in enumerate(grids):
        alike[grid.shape].append(place)
    scores = np.empty(len(grids))
    for places in alike.values():
        scores[places] = score(np.array([grids[place] for place in places]))
    found: list[float] = scores.tolist()
    return found


@dataclass(frozen=True)  # no slots: grids are stacked once, where somebody asks
class Stack:
    """The results of several submissions on one task, in grids of one shape."""

    task: int
    """Place of the task in its track."""
    rows: Sequence[int]
    """Places of the submissions."""
    grids: Sequence[TaskGrid]

    @cached_property
    def rewards(self) -> RewardGrid:
        """Which rounds passed, shape (submissions, attempts, rounds)."""
        return np.array([grid.rewards for grid in self.grids])

    @property
    def shares(self) -> ShareGrid:
        """Share of cases passed, shape (submissions, attempts, rounds)."""
        return np.array([grid.shares for grid in self.grids])


def stacks_of(sheets: Sequence[Sheet], tasks: Sequence[str]) -> list[Stack]:
    """Stack the grids of submissions task by task."""
    column = {task: place for place, task in enumerate(tasks)}
    alike: dict[tuple[int, tuple[int, ...]], tuple[list[int], list[TaskGrid]]] = defaultdict(lambda: ([], []))
    for row, sheet in enumerate(sheets):
        for grid in sheet.tasks:
            rows, grids = alike[column[grid.task.id], grid.rewards.shape]
            rows.append(row)
            grids.append(grid)
    return [Stack(task, rows, grids) for (task, _), (rows, grids) in alike.items()]
