"""A submission's results as arrays: what every metric is computed from."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain, product
from operator import attrgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sitegen.models.declared import MEASURE, VERDICTS
from sitegen.models.outcome import (
    PASS_REWARD,
    REACHED,
    Place,
    RoundResult,
    RunFigures,
    Start,
    with_known_costs,
)
from sitegen.models.task import Task
from sitegen.problems import grouped

RewardGrid = NDArray[np.bool_]
"""One task's rewards, shape (attempts, rounds): True where every case passed."""

ShareGrid = NDArray[np.float64]
"""One task's shares of passed cases, shape (attempts, rounds): 0 to 1, NaN where a verdict came without cases."""

Floats = NDArray[np.float64]

Stacked = NDArray[np.bool_] | NDArray[np.float64]
"""Grids of one shape, shape (grids, attempts, rounds)."""

Checkpoints: TypeAlias = Sequence[RoundResult | None]
"""Every expected record, None where it is missing."""

_PLACE = attrgetter("task", "attempt", "round", "start")


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
        weights = np.array(
            [each.weight for each in self.task.rounds if each.n in self.rounds], dtype=np.float64
        )
        share: NDArray[np.float64] = weights / weights.sum()
        return share

    @cached_property
    def worked(self) -> list[list[RoundResult]]:
        """Records of the rounds that an agent worked on, whatever came of it, by attempt."""
        return [reached(attempt) for attempt in self.results]

    @cached_property
    def graded(self) -> ShareGrid:
        """Reward of each round as it was given, shape (attempts, rounds); 0 where there is no verdict."""
        rewards = [
            [each.reward if each and each.state == "scored" else 0.0 for each in row]
            for row in self.results
        ]
        return np.array(rewards, dtype=np.float64).reshape(self.rewards.shape)

    @property
    def is_missing(self) -> bool:
        """Whether it has no record at all."""
        return not any(each for attempt in (*self.results, self.reference) for each in attempt)


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
    word: str = "round"
    """What a record is: what the benchmark calls a round, or an attempt at a task of one round."""
    is_free: bool = False
    """Whether a cost of 0 is real; else it is unknown."""

    @cached_property
    def rewards(self) -> list[RewardGrid]:
        """Rewards of each task."""
        return [grid.rewards for grid in self.tasks]

    @property
    def attempted(self) -> list[RewardGrid]:
        """Rewards of the attempts at each task that were made."""
        return [grid.attempted for grid in self.tasks]

    @cached_property
    def stacks(self) -> "list[Stack]":
        """Its grids, those of one shape together."""
        return stacks_of([self], [grid.task.id for grid in self.tasks])

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
        return (
            replace(self, tasks=[grid for grid in self.tasks if not grid.is_missing])
            if self.missing
            else self
        )


def reached(results: Iterable[RoundResult | None]) -> list[RoundResult]:
    """The records of rounds that an agent worked on, whatever came of it."""
    return [each for each in results if each is not None and each.state in REACHED]


def sheet_of(  # noqa: PLR0913 - what results are arranged from
    tasks: Iterable[Task],
    rounds: Sequence[RoundResult],
    runs: Sequence[RunFigures],
    attempts: int,
    made: int,
    *,
    is_free: bool = False,
) -> Sheet:
    """Arrange a submission's records as arrays, without costs that are unknown.

    Where no round was reached from the reference state, the submission has no such rounds: what was never tried is a
    gap, not a failure. So it is with its attempts, where all that was tried began from the reference state.
    """
    known_rounds = with_known_costs(rounds, is_free=is_free)
    known_runs = with_known_costs(runs, is_free=is_free)
    grids = list(_grids(_Records(known_rounds, known_runs, *_tried(rounds)), tasks, made))
    return Sheet(grids, attempts, made, is_free=is_free)


def sheet_after(
    known: Sheet,
    tasks: Sequence[Task],
    before: Sequence[RoundResult],
    rounds: Sequence[RoundResult],
    runs: Sequence[RunFigures],
) -> Sheet:
    """Arrange a submission's records after some of them changed: tasks without a change keep what is known of them.

    The records as they are stand in the order that they had before; those that did not change are the same objects.
    """
    touched = {now.task for was, now in zip(before, rounds, strict=True) if now is not was}
    if not touched:
        return known
    tried = _tried(rounds)
    if tried != _tried(before):
        anew = sheet_of(tasks, rounds, runs, known.attempts, known.made, is_free=known.is_free)
        return replace(known, tasks=anew.tasks)
    touched_rounds = [each for each in rounds if each.task in touched]
    known_rounds = with_known_costs(touched_rounds, is_free=known.is_free)
    known_runs = with_known_costs(runs, is_free=known.is_free)
    records = _Records(known_rounds, known_runs, *tried)
    changed = _grids(records, (task for task in tasks if task.id in touched), known.made)
    kept = (grid for grid in known.tasks if grid.task.id not in touched)
    grids = {grid.task.id: grid for grid in (*kept, *changed)}
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
        results = [
            own[first : first + len(numbers)]
            for first in range(cells.start, cells.stop, len(numbers))
        ]
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
    return (
        float("nan") if scored.passed is None or not scored.total else scored.passed / scored.total
    )


def _tried(rounds: Sequence[RoundResult]) -> tuple[bool, bool]:
    """Whether any of a submission's rounds was tried from the reference state, and any from the agent's own."""
    return (
        any(each.start == "reference" and each.state != "unreached" for each in rounds),
        any(each.start == "own" and _was_reached(each) for each in rounds),
    )


def _was_reached(result: RoundResult) -> bool:
    """Return whether an agent worked on a round; what a finding excludes still has the counts that it had before."""
    return result.state in REACHED or (
        result.state == "excluded" and bool(result.reward or result.total)
    )


@lru_cache(maxsize=8)
def _wanted(rounds: Iterable[tuple[str, Sequence[int]]], made: int) -> tuple[list[Place], bool]:
    """What the records of an agent's own rounds may be about, and whether no place stands twice, as in a faulty task.

    The submissions of a board mostly ask for the same, so that some are kept.
    """
    own: tuple[Start] = ("own",)
    by_task = (product((task,), range(1, made + 1), numbers, own) for task, numbers in rounds)
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
        return [self.by_place.get((task.id, 1, number, "reference")) for number in numbers]

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
    alike = grouped((grid.shape, place) for place, grid in enumerate(grids))
    scores = np.empty(len(grids))
    for places in alike.values():
        scores[places] = score(np.array([grids[place] for place in places]))
    found: list[float] = scores.tolist()
    return found


@dataclass(frozen=True)  # no slots: grids are stacked once, where somebody asks
class Stack:
    """Grids of one shape: of several submissions, or of several tasks."""

    rows: Sequence[int]
    """Places of the submissions, one a grid."""
    columns: Sequence[int]
    """Places of the tasks."""
    grids: Sequence[TaskGrid]
    is_fail_stop: bool = False
    """Whether nothing counts after the first failure."""
    _known: dict[str, Floats] = field(default_factory=dict, init=False)

    @cached_property
    def rewards(self) -> RewardGrid:
        """Which rounds passed, shape (grids, attempts, rounds)."""
        return np.array([grid.rewards for grid in self.grids])

    @cached_property
    def reached(self) -> NDArray[np.bool_]:
        """Which rounds an agent worked on, of the same shape."""
        return np.array(
            [
                [
                    [each is not None and each.state in REACHED for each in row]
                    for row in grid.results
                ]
                for grid in self.grids
            ]
        )

    @cached_property
    def made(self) -> NDArray[np.bool_]:
        """Which attempts were made, shape (grids, attempts)."""
        return np.array(
            [
                [place not in grid.unmade for place in range(len(grid.results))]
                for grid in self.grids
            ]
        )

    @cached_property
    def round_weights(self) -> Floats:
        """Weights of rounds, which add up to 1, shape (grids, 1, rounds)."""
        return np.array([[grid.weights] for grid in self.grids])

    @cached_property
    def task_weights(self) -> Floats:
        """Weights of tasks, shape (grids,)."""
        return np.array([grid.task.weight for grid in self.grids])

    def values(self, of: str) -> Floats:
        """What a declaration takes of each round, NaN where it is not known, shape (grids, attempts, rounds)."""
        if of not in self._known:
            if of in VERDICTS:
                given = {"pass": "rewards", "reward": "graded", "cases": "shares"}[of]
                found = np.array([getattr(grid, given) for grid in self.grids], dtype=np.float64)
                if self.is_fail_stop:
                    found[:, :, 1:][~np.logical_and.accumulate(self.rewards, axis=2)[:, :, :-1]] = (
                        0.0
                    )
            else:
                take = taking(of)
                told = [
                    take(each) if each is not None and each.state in REACHED else None
                    for grid in self.grids
                    for attempt in grid.results
                    for each in attempt
                ]
                found = np.array(told, dtype=np.float64).reshape(self.rewards.shape)
            self._known[of] = found
        return self._known[of]

    def runs(self, of: str) -> Floats:
        """What is told of whole runs whose rounds tell nothing, shape (grids, attempts); NaN for others."""
        found = np.full(self.rewards.shape[:2], np.nan)
        name = "interactions_per_round" if of == "interactions" else of
        if not of.startswith(MEASURE) and any(any(grid.runs) for grid in self.grids):
            take = taking(name)
            told = np.array(
                [[take(run) if run else None for run in grid.runs] for grid in self.grids],
                np.float64,
            )
            reached = self.reached.sum(axis=2)
            silent = np.isnan(self.values(of)).all(axis=2) & (reached > 0)
            found[silent] = (told * reached if of == "interactions" else told)[silent]
        return found


def taking(of: str) -> Callable[[RoundResult | RunFigures], float | None]:
    """What a round or a run took."""
    if not of.startswith(MEASURE):
        return attrgetter(of)
    name = of.removeprefix(MEASURE)

    def measured(each: RoundResult | RunFigures) -> float | None:
        told = getattr(each, "measures", None) or {}
        return next((value for key, value in told.items() if key.partition("@")[0] == name), None)

    return measured


def versions_of(sheet: Sheet, name: str) -> list[str]:
    """By which definitions something was measured, each with its version: `NAME@VERSION`."""
    told = {key for each in reached(sheet.results) for key in each.measures or ()}
    return sorted(key for key in told if key.partition("@")[0] == name)


def stacks_of(sheets: Sequence[Sheet], tasks: Sequence[str]) -> list[Stack]:
    """Stack the grids of submissions, those of one shape together."""
    column = {task: place for place, task in enumerate(tasks)}
    alike: dict[tuple[int, ...], tuple[list[int], list[int], list[TaskGrid]]] = defaultdict(
        lambda: ([], [], [])
    )
    for row, sheet in enumerate(sheets):
        for grid in sheet.tasks:
            rows, columns, grids = alike[grid.rewards.shape]
            rows.append(row)
            columns.append(column[grid.task.id])
            grids.append(grid)
    return [Stack(*each, any(sheet.is_fail_stop for sheet in sheets)) for each in alike.values()]
