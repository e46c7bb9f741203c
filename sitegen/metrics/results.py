"""A submission's results as arrays, from which every metric is computed.

`arrange_results` turns a submission's records into a `SubmissionResults`, which has a `TaskResults`
for each task. Results of equal shape are combined into a `ResultsBatch`, because one array
operation on many results takes as long as one on few.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import product, starmap, zip_longest
from operator import attrgetter, eq
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sitegen.metrics.arrays import (
    BatchArray,
    BoolArray,
    FloatArray,
    TaskRewards,
    TaskShares,
    kept_rounds,
)
from sitegen.models.declared import MEASURE, VERDICTS
from sitegen.models.outcome import (
    PASS_REWARD,
    REACHED,
    ROUND_KEY,
    RoundKey,
    RoundResult,
    RunFigures,
    Start,
    with_known_costs,
)
from sitegen.models.task import Task

Checkpoints: TypeAlias = Sequence[RoundResult | None]
"""All expected records of rounds; None for a missing record."""


_UNKNOWN_SHARE = float("nan")

_VERDICT_FIELDS = {"pass": "rewards", "reward": "graded", "cases": "shares"}
"""The field of `TaskResults` that contains the values of each kind of verdict."""


_NO_ATTEMPTS: frozenset[int] = frozenset()
"""Shared by all tasks without an unmade attempt."""

_Value = TypeVar("_Value", np.bool_, np.float64)


@dataclass(frozen=True, slots=True)
class TaskResults:
    """One submission's results on one task, over the rounds that are not excluded.

    A large board has hundreds of thousands of these objects, so they store no arrays of their own
    and nothing that can be derived.
    """

    task: Task
    rounds: Sequence[int]
    """Numbers of the counted rounds, from 1."""
    results: Sequence[Sequence[RoundResult | None]]
    """Records, shape (attempts, rounds); None for a missing record."""
    reference: Sequence[RoundResult | None]
    """Records of rounds started from the reference state."""
    runs: Sequence[RunFigures | None]
    """Figures of complete runs, one per attempt."""
    unmade_attempts: frozenset[int]
    """Indices of the attempts that were never made.

    These attempts have no records, or only records of what the reference did.
    """
    submission_rewards: BoolArray
    """Whether each round passed, for all tasks one after another; see `rewards`."""
    submission_shares: FloatArray
    """Shares of passed cases in the rounds of all tasks, one after another; see `shares`."""
    start: int = 0
    """Index of this task's first value in both arrays."""

    @property
    def rewards(self) -> TaskRewards:
        """Which rounds passed; a missing record counts as failed."""
        return self._own_part(self.submission_rewards)

    @property
    def shares(self) -> TaskShares:
        """Share of cases passed; 0 for rounds without cases, NaN for verdicts without counts."""
        return self._own_part(self.submission_shares)

    def _own_part(self, values: NDArray[_Value]) -> NDArray[_Value]:
        """Return the values of this task, shape (attempts, rounds)."""
        shape = len(self.results), len(self.rounds)
        return values[self.start : self.start + shape[0] * shape[1]].reshape(shape)

    @property
    def rewards_of_made_attempts(self) -> TaskRewards:
        """Rewards of the attempts that were made; unmade attempts do not count as failed."""
        if not self.unmade_attempts:
            return self.rewards
        return np.delete(self.rewards, list(self.unmade_attempts), axis=0)

    @property
    def weights(self) -> FloatArray:
        """Weight of each counted round, adding up to 1."""
        counted_weights = []
        for task_round in self.task.rounds:
            if task_round.n in self.rounds:
                counted_weights.append(task_round.weight)
        weights = np.array(counted_weights, dtype=np.float64)
        shares: FloatArray = weights / weights.sum()
        return shares

    @property
    def reached_results(self) -> list[list[RoundResult]]:
        """Records of the rounds on which an agent worked, whatever the outcome, by attempt."""
        return [reached_results(attempt) for attempt in self.results]

    @property
    def graded(self) -> TaskShares:
        """Reward of each round as reported, shape (attempts, rounds); 0 if there is no verdict."""
        rewards = np.zeros(self.rewards.shape)
        for attempt, row in enumerate(self.results):
            for column, result in enumerate(row):
                if result and result.state == "scored":
                    rewards[attempt, column] = result.reward
        return rewards

    @property
    def is_missing(self) -> bool:
        """Whether the task has no records."""
        if any(self.reference):
            return False
        return not any(any(attempt) for attempt in self.results)


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class SubmissionResults:
    """One submission's results on its complete task set: the input of every metric."""

    tasks: Sequence[TaskResults]
    """Results in the order of the task set, excluding tasks whose rounds are all excluded."""
    attempts_asked: int
    """Number of attempts per task that the track requires."""
    attempts_made: int
    """Number of attempts that the submission made."""
    is_fail_stop: bool = False
    """Whether nothing counts after the first failure."""
    word: str = "round"
    """Noun for a record: the benchmark's word for a round, or "attempt" if tasks have one round."""
    is_free: bool = False
    """Whether a cost of 0 is real; otherwise a cost of 0 means unknown."""

    @property
    def rewards(self) -> list[TaskRewards]:
        """Rewards of each task."""
        return [task_results.rewards for task_results in self.tasks]

    @property
    def rewards_of_made_attempts(self) -> list[TaskRewards]:
        """Rewards of the attempts that were made at each task."""
        return [task_results.rewards_of_made_attempts for task_results in self.tasks]

    @cached_property
    def batches(self) -> "list[ResultsBatch]":
        """The results, with tasks of equal shape in one batch."""
        task_ids = [task_results.task.id for task_results in self.tasks]
        return batch_results([self], task_ids)

    @cached_property
    def results(self) -> list[RoundResult | None]:
        """Every expected record not started from the reference state; None for a missing record."""
        results: list[RoundResult | None] = []
        for task_results in self.tasks:
            for attempt in task_results.results:
                results.extend(attempt)
        return results

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Ids of the counted tasks without any records."""
        task_ids = []
        for task_results in self.tasks:
            if task_results.is_missing:
                task_ids.append(task_results.task.id)
        return tuple(task_ids)

    @property
    def present(self) -> "SubmissionResults":
        """The same results without the tasks that have no records."""
        if not self.missing:
            return self
        present_tasks = [task_results for task_results in self.tasks if not task_results.is_missing]
        return replace(self, tasks=present_tasks)


def reached_results(results: Iterable[RoundResult | None]) -> list[RoundResult]:
    """Return the records of rounds on which an agent worked, whatever the outcome."""
    return [result for result in results if result is not None and result.state in REACHED]


# Arranging records


def arrange_results(  # noqa: PLR0913 - the inputs of results
    tasks: Iterable[Task],
    rounds: Sequence[RoundResult],
    runs: Sequence[RunFigures],
    attempts_asked: int,
    attempts_made: int,
    *,
    is_free: bool = False,
) -> SubmissionResults:
    """Return a submission's records arranged as arrays, with unknown costs removed.

    If no round was reached from the reference state, the submission has no such rounds: a round
    that was never tried is a gap, not a failure. The same applies to its own attempts if every
    attempted round was started from the reference state.
    """
    rounds_with_costs = with_known_costs(rounds, is_free=is_free)
    runs_with_costs = with_known_costs(runs, is_free=is_free)
    records = _Records(rounds_with_costs, runs_with_costs, *_starts_tried(rounds))
    arranged = list(_arrange_tasks(records, tasks, attempts_made))
    return SubmissionResults(arranged, attempts_asked, attempts_made, is_free=is_free)


def rearrange_results(
    earlier: SubmissionResults,
    tasks: Sequence[Task],
    earlier_rounds: Sequence[RoundResult],
    rounds: Sequence[RoundResult],
    runs: Sequence[RunFigures],
) -> SubmissionResults:
    """Return a submission's records arranged again after some of them changed.

    Tasks without a change keep their results.

    Args:
        earlier: The results before the change.
        tasks: The tasks of the track.
        earlier_rounds: The records before the change.
        rounds: The records after the change, in the same order; unchanged records are the same
            objects.
        runs: Figures of complete runs.
    """
    changed_tasks = set()
    for old, new in zip(earlier_rounds, rounds, strict=True):
        if new is not old:
            changed_tasks.add(new.task)
    if not changed_tasks:
        return earlier
    starts_tried = _starts_tried(rounds)
    if starts_tried != _starts_tried(earlier_rounds):
        anew = arrange_results(
            tasks,
            rounds,
            runs,
            earlier.attempts_asked,
            earlier.attempts_made,
            is_free=earlier.is_free,
        )
        return replace(earlier, tasks=anew.tasks)
    changed_rounds = [result for result in rounds if result.task in changed_tasks]
    rounds_with_costs = with_known_costs(changed_rounds, is_free=earlier.is_free)
    runs_with_costs = with_known_costs(runs, is_free=earlier.is_free)
    records = _Records(rounds_with_costs, runs_with_costs, *starts_tried)
    results_by_task = {}
    for task_results in earlier.tasks:
        if task_results.task.id not in changed_tasks:
            results_by_task[task_results.task.id] = task_results
    tasks_to_arrange = [task for task in tasks if task.id in changed_tasks]
    for task_results in _arrange_tasks(records, tasks_to_arrange, earlier.attempts_made):
        results_by_task[task_results.task.id] = task_results
    ordered_results = [results_by_task[task.id] for task in tasks if task.id in results_by_task]
    return replace(earlier, tasks=ordered_results)


def _arrange_tasks(
    records: "_Records", tasks: Iterable[Task], attempts_made: int
) -> Iterator[TaskResults]:
    """Yield the results of each task that has rounds.

    All of them are slices of two long arrays, because many short arrays take much longer to create.
    """
    counted_rounds = []
    for task in tasks:
        numbers = records.counted_rounds(task)
        if numbers:
            counted_rounds.append((task, numbers))
    results = records.from_own_state(counted_rounds, attempts_made)
    runs = {(run.task, run.attempt): run for run in records.runs}
    # Each record is examined in place: calling its properties takes twice as long.
    passes = []
    passed_shares = []
    for result in results:
        if result is None or result.state != "scored":
            passes.append(False)
            passed_shares.append(0.0)
            continue
        passes.append(result.reward >= PASS_REWARD)
        passed_shares.append(_passed_share(result))
    rewards = np.array(passes, dtype=np.bool_)
    shares = np.array(passed_shares, dtype=np.float64)
    start = 0
    for task, numbers in counted_rounds:
        length = len(numbers)
        end = start + attempts_made * length
        by_attempt = tuple(results[first : first + length] for first in range(start, end, length))
        task_runs: Sequence[RunFigures | None] = _absent(attempts_made)
        if runs:
            task_runs = [runs.get((task.id, attempt)) for attempt in range(1, attempts_made + 1)]
        yield TaskResults(
            task=task,
            rounds=numbers,
            results=by_attempt,
            reference=records.from_reference(task, numbers),
            runs=task_runs,
            unmade_attempts=records.unmade_attempts(by_attempt),
            submission_rewards=rewards,
            submission_shares=shares,
            start=start,
        )
        start = end


def _passed_share(result: RoundResult) -> float:
    """Return the share of cases passed; NaN if cases were not counted."""
    if result.passed is None or not result.total:
        return _UNKNOWN_SHARE
    return result.passed / result.total


def _starts_tried(rounds: Sequence[RoundResult]) -> tuple[bool, bool]:
    """Return whether any round was tried from the reference state, and any from own work."""
    is_reference_tried = False
    is_own_tried = False
    for result in rounds:
        if result.start == "reference":
            is_reference_tried = is_reference_tried or result.state != "unreached"
        elif not is_own_tried:
            is_own_tried = _was_reached(result)
    return is_reference_tried, is_own_tried


def _was_reached(result: RoundResult) -> bool:
    """Return whether an agent worked on a round.

    A round that a finding excludes keeps its earlier counts.
    """
    if result.state in REACHED:
        return True
    return result.state == "excluded" and bool(result.reward or result.total)


CountedRounds = Sequence[tuple[Task, Sequence[int]]]
"""Tasks with the numbers of their counted rounds."""


def _own_places(counted_rounds: CountedRounds, attempts_made: int) -> Iterator[RoundKey]:
    """Yield the keys of all possible records of an agent's own rounds, task by task."""
    starts: tuple[Start] = ("own",)
    attempts = range(1, attempts_made + 1)
    for task, numbers in counted_rounds:
        yield from product((task.id,), attempts, numbers, starts)


def _is_any_round_twice(counted_rounds: CountedRounds) -> bool:
    """Return whether a task has the same round twice, which only occurs in faulty task sets."""
    task_ids = {task.id for task, _ in counted_rounds}
    if len(task_ids) < len(counted_rounds):
        return True
    return any(len(set(numbers)) < len(numbers) for _, numbers in counted_rounds)


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class _Records:
    """A submission's records, indexed by task, attempt, round and start."""

    rounds: Sequence[RoundResult]
    runs: Sequence[RunFigures]
    is_reference_tried: bool
    """Whether any round was tried from the reference state."""
    is_own_tried: bool
    """Whether any round was tried from the agent's own state."""

    @cached_property
    def excluded(self) -> AbstractSet[tuple[str, int]]:
        """The rounds that are excluded, by task and number."""
        excluded_rounds = set()
        for result in self.rounds:
            if result.state == "excluded":
                excluded_rounds.add((result.task, result.round))
        return excluded_rounds

    @cached_property
    def by_place(self) -> dict[RoundKey, RoundResult]:
        """Each record by its key."""
        return dict(zip(map(ROUND_KEY, self.rounds), self.rounds, strict=True))

    def counted_rounds(self, task: Task) -> tuple[int, ...]:
        """Return the numbers of a task's counted rounds."""
        numbers = []
        for task_round in task.rounds:
            if (task.id, task_round.n) not in self.excluded:
                numbers.append(task_round.n)
        return _shared_numbers(tuple(numbers))

    def from_own_state(
        self, counted_rounds: CountedRounds, attempts_made: int
    ) -> tuple[RoundResult | None, ...]:
        """Return the records of an agent's own rounds; None for a missing record.

        Usually these are all records, in order, which can be checked without building a dict.
        """
        places = _own_places(counted_rounds, attempts_made)
        pairs = zip_longest(map(ROUND_KEY, self.rounds), places)
        if all(starmap(eq, pairs)) and not _is_any_round_twice(counted_rounds):
            return tuple(self.rounds)
        return tuple(map(self.by_place.get, _own_places(counted_rounds, attempts_made)))

    def from_reference(self, task: Task, numbers: Sequence[int]) -> Sequence[RoundResult | None]:
        """Return the records started from the reference state; None for a missing record."""
        if not self.is_reference_tried:
            return _absent(len(numbers))
        return [self.by_place.get((task.id, 1, number, "reference")) for number in numbers]

    def unmade_attempts(self, attempts: Iterable[Sequence[RoundResult | None]]) -> frozenset[int]:
        """Return the indices of the attempts at a task that were never made."""
        is_from_reference_only = self.is_reference_tried and not self.is_own_tried
        unmade_attempts = set()
        for index, attempt in enumerate(attempts):
            for result in attempt:
                if result is not None and result.state in REACHED:
                    break
            else:
                states = {result.state for result in attempt if result}
                if not states or is_from_reference_only or "fast_forwarded" in states:
                    unmade_attempts.add(index)
        return frozenset(unmade_attempts) if unmade_attempts else _NO_ATTEMPTS


@cache
def _shared_numbers(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shared object for equal round numbers."""
    return numbers


@cache
def _absent(count: int) -> tuple[None, ...]:
    """Return a tuple of `count` times None, shared by all tasks without such records."""
    return (None,) * count


# Many tasks at once


def score_by_task(
    task_arrays: Sequence[BatchArray], score: Callable[[BatchArray], ArrayLike]
) -> list[float]:
    """Return the score of every task; tasks of equal shape are scored together.

    Args:
        task_arrays: One array per task, shape (attempts, rounds); rounds may differ by task.
        score: Returns a score per task for an array of shape (tasks, attempts, rounds).
    """
    indices_by_shape: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for index, task_array in enumerate(task_arrays):
        indices_by_shape[task_array.shape].append(index)
    scores = np.empty(len(task_arrays))
    for indices in indices_by_shape.values():
        batch = np.array([task_arrays[index] for index in indices])
        scores[indices] = score(batch)
    task_scores: list[float] = scores.tolist()
    return task_scores


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class ResultsBatch:
    """Results of equal shape on tasks: of several submissions, or on several tasks.

    In shapes, `tasks` is the length of `task_results`, even if several of these are about one task.
    """

    rows: Sequence[int]
    """Index of the submission of each of `task_results`."""
    columns: Sequence[int]
    """Index of the task of each of `task_results`."""
    task_results: Sequence[TaskResults]
    is_fail_stop: bool = False
    """Whether nothing counts after the first failure."""
    _values: dict[str, FloatArray] = field(default_factory=dict, init=False)

    @cached_property
    def rewards(self) -> TaskRewards:
        """Which rounds passed, shape (tasks, attempts, rounds)."""
        return np.array([task_results.rewards for task_results in self.task_results])

    @cached_property
    def results(self) -> list[RoundResult | None]:
        """Every record, task by task and attempt by attempt."""
        results: list[RoundResult | None] = []
        for task_results in self.task_results:
            for attempt in task_results.results:
                results.extend(attempt)
        return results

    @cached_property
    def is_reached(self) -> BoolArray:
        """Which rounds an agent worked on, shape (tasks, attempts, rounds)."""
        is_reached = [result is not None and result.state in REACHED for result in self.results]
        return np.array(is_reached).reshape(self.rewards.shape)

    @cached_property
    def is_made(self) -> BoolArray:
        """Which attempts were made, shape (tasks, attempts)."""
        is_made = np.ones(self.rewards.shape[:2], dtype=np.bool_)
        for index, task_results in enumerate(self.task_results):
            is_made[index, list(task_results.unmade_attempts)] = False
        return is_made

    @cached_property
    def round_weights(self) -> FloatArray:
        """Weights of rounds, which add up to 1, shape (tasks, 1, rounds)."""
        return np.array([[task_results.weights] for task_results in self.task_results])

    @cached_property
    def task_weights(self) -> FloatArray:
        """Weights of tasks, shape (tasks,)."""
        return np.array([task_results.task.weight for task_results in self.task_results])

    def values(self, quantity: str) -> FloatArray:
        """Return a quantity of each round, shape (tasks, attempts, rounds).

        NaN if the quantity is unknown.
        """
        if quantity not in self._values:
            values = self._verdicts(quantity) if quantity in VERDICTS else self._amounts(quantity)
            self._values[quantity] = values
        return self._values[quantity]

    def _verdicts(self, quantity: str) -> FloatArray:
        """Return the verdict on each round; on a fail-stop track, 0 after the first failure."""
        name = _VERDICT_FIELDS[quantity]
        values = np.array(
            [getattr(task_results, name) for task_results in self.task_results], dtype=np.float64
        )
        if self.is_fail_stop:
            is_kept = kept_rounds(self.rewards)
            is_after_failure = ~is_kept[:, :, :-1]
            values[:, :, 1:][is_after_failure] = 0.0
        return values

    def _amounts(self, quantity: str) -> FloatArray:
        """Return amounts or measurements of the rounds that were reached; NaN if unknown."""
        take = amount_getter(quantity)
        amounts: list[float | None] = []
        for result in self.results:
            amount = None
            if result is not None and result.state in REACHED:
                amount = take(result)
            amounts.append(amount)
        return np.array(amounts, dtype=np.float64).reshape(self.rewards.shape)

    def run_amounts(self, quantity: str) -> FloatArray:
        """Return amounts of runs whose rounds have no amounts, shape (tasks, attempts).

        NaN for all other runs.
        """
        amounts = np.full(self.rewards.shape[:2], np.nan)
        has_runs = any(any(task_results.runs) for task_results in self.task_results)
        if quantity.startswith(MEASURE) or not has_runs:
            return amounts
        is_per_round = quantity == "interactions"
        field_name = "interactions_per_round" if is_per_round else quantity
        take = amount_getter(field_name)
        run_amounts = np.array(
            [_take_each(take, task_results.runs) for task_results in self.task_results], np.float64
        )
        reached_rounds = self.is_reached.sum(axis=2)
        if is_per_round:
            run_amounts *= reached_rounds
        is_unknown = np.isnan(self.values(quantity)).all(axis=2)
        has_no_rounds = is_unknown & (reached_rounds > 0)
        amounts[has_no_rounds] = run_amounts[has_no_rounds]
        return amounts


def _take_each(
    take: Callable[[RoundResult | RunFigures], float | None], runs: Sequence[RunFigures | None]
) -> list[float | None]:
    return [take(run) if run else None for run in runs]


def batch_results(
    submissions: Sequence[SubmissionResults], tasks: Sequence[str]
) -> list[ResultsBatch]:
    """Return the results of submissions in batches, one for each shape.

    Args:
        submissions: The submissions, in the order of the rows.
        tasks: Ids of the tasks, in the order of the columns.
    """
    column_by_task = {task: column for column, task in enumerate(tasks)}
    cells_by_shape: dict[tuple[int, ...], list[tuple[int, TaskResults]]] = defaultdict(list)
    for row, submission in enumerate(submissions):
        for task_results in submission.tasks:
            cells_by_shape[task_results.rewards.shape].append((row, task_results))
    is_fail_stop = any(submission.is_fail_stop for submission in submissions)
    batches = []
    for cells in cells_by_shape.values():
        rows = [row for row, _ in cells]
        cell_results = [task_results for _, task_results in cells]
        columns = [column_by_task[task_results.task.id] for task_results in cell_results]
        batches.append(ResultsBatch(rows, columns, cell_results, is_fail_stop))
    return batches


def amount_getter(quantity: str) -> Callable[[RoundResult | RunFigures], float | None]:
    """Return a function that returns an amount or a measurement of a round or a run."""
    if not quantity.startswith(MEASURE):
        return attrgetter(quantity)
    name = quantity.removeprefix(MEASURE)

    def measured(record: RoundResult | RunFigures) -> float | None:
        measures = getattr(record, "measures", None) or {}
        for key, value in measures.items():
            if key.partition("@")[0] == name:
                return float(value)
        return None

    return measured


def measurement_versions(submission: SubmissionResults, name: str) -> list[str]:
    """Return the versioned definitions by which a quantity was measured, sorted.

    Each has the form `NAME@VERSION`.
    """
    versions = set()
    for result in reached_results(submission.results):
        for key in result.measures or ():
            if key.partition("@")[0] == name:
                versions.add(key)
    return sorted(versions)
