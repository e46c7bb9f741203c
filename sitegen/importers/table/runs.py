"""Store the rounds of a table's runs by column, and create results only when they are read."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from math import isnan
from typing import TypeVar, get_args

from sitegen.importers.kit.cases import AttemptStart, Place, blank_round
from sitegen.importers.kit.rounds import AgentResults, ExpectedTask
from sitegen.models.incoming import MadeRounds
from sitegen.models.outcome import RoundResult, Start, State

T = TypeVar("T")

STATES: Sequence[State] = get_args(State)
STATE_CODES: Mapping[str, int] = {state: code for code, state in enumerate(STATES)}

UNKNOWN_COUNT = -1
"""The value stored for an unknown count."""

AMOUNTS = (
    "interactions",
    "turns",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "cost_usd",
    "agent_seconds",
    "verifier_seconds",
)
COUNTS = ("passed", "total", "skipped")


@dataclass(slots=True)
class RoundColumns:
    """The rounds of all rows, by column; columns that the table does not have are absent."""

    task_names: list[str] = field(default_factory=list)
    """The distinct names of tasks."""
    tasks: "array[int]" = field(default_factory=lambda: array("I"))
    """The index of each row's task in `task_names`."""
    attempts: "array[int]" = field(default_factory=lambda: array("H"))
    rounds: "array[int]" = field(default_factory=lambda: array("H"))
    rewards: "array[float]" = field(default_factory=lambda: array("d"))
    states: "array[int]" = field(default_factory=lambda: array("B"))
    """Indices in `STATES`."""
    counts: "dict[str, array[int]]" = field(default_factory=dict)
    amounts: "dict[str, array[float]]" = field(default_factory=dict)
    """Columns of figures; NaN for an unknown figure."""
    others: dict[str, list[object]] = field(default_factory=dict)
    """Columns of other values, by the field of `RoundResult`."""
    _has_gaps: dict[str, bool] = field(default_factory=dict)
    """Whether a column of figures has unknown values; cached for columns that were checked."""

    def is_from_reference(self, row: int) -> bool:
        """Return whether a round began from the reference state."""
        starts = self.others.get("start")
        return starts is not None and starts[row] == "reference"

    def have_reference(self, rows: Iterable[int]) -> bool:
        """Return whether any of the rounds began from the reference state."""
        return "start" in self.others and any(map(self.is_from_reference, rows))

    def results(self, rows: Sequence[int], ids: Sequence[str]) -> Iterator[RoundResult]:
        """Return the results of the given rows.

        Args:
            rows: Indices of the rows.
            ids: The ids of the tasks, in the order of `task_names`.
        """
        task_ids = map(ids.__getitem__, values_at(self.tasks, rows))
        states = map(STATES.__getitem__, values_at(self.states, rows))
        counts = [self._counts(name, rows) for name in COUNTS]
        amounts = [self._amounts(name, rows) for name in AMOUNTS]
        # In the order of the fields of `RoundResult`, since `map` passes arguments by position.
        return map(
            RoundResult,
            task_ids,
            values_at(self.attempts, rows),
            values_at(self.rounds, rows),
            states,
            values_at(self.rewards, rows),
            *counts,
            self._others("start", rows, "own"),
            self._others("outcomes", rows),
            self._others("case_ids", rows),
            self._others("by_category", rows),
            *amounts,
            self._others("measures", rows),
            self._others("cause", rows),
            self._others("mode", rows),
        )

    def _counts(self, name: str, rows: Sequence[int]) -> Iterable[int | None]:
        """Return the counts of the given rows; None for an unknown count."""
        column = self.counts.get(name)
        if column is None:
            return repeat(None)
        values = values_at(column, rows)
        return (None if value == UNKNOWN_COUNT else value for value in values)

    def _amounts(self, name: str, rows: Sequence[int]) -> Iterable[float | None]:
        """Return the figures of the given rows; None for an unknown figure."""
        column = self.amounts.get(name)
        if column is None:
            return repeat(None)
        values = values_at(column, rows)
        if name not in self._has_gaps:
            self._has_gaps[name] = any(map(isnan, column))
        if not self._has_gaps[name]:
            return values
        return (None if isnan(value) else value for value in values)

    def _others(
        self, name: str, rows: Sequence[int], default: str | None = None
    ) -> Iterable[object]:
        """Return the values of a column in `others` in the given rows; the default if absent."""
        column = self.others.get(name)
        if column is None:
            return repeat(default)
        return values_at(column, rows)

    def examples(self, rows: Sequence[int]) -> list[int]:
        """Return rows that together contain every kind of figure that the given rows contain."""
        first = rows[0]
        examples = {first}
        if "start" in self.others:
            examples.add(next(filter(self.is_from_reference, rows), first))
        for counts in self.counts.values():
            counted_rows = (row for row in rows if counts[row] > 0)
            examples.add(next(counted_rows, first))
        for amounts in self.amounts.values():
            measured_rows = (row for row in rows if amounts[row] >= 0)  # NaN is unknown
            examples.add(next(measured_rows, first))
        return sorted(examples)


def values_at(column: Sequence[T], rows: Iterable[int]) -> Iterator[T]:
    """Return the values of a column in the given rows."""
    return map(column.__getitem__, rows)


@dataclass(slots=True)
class TableRun(AgentResults):
    """The rounds of one agent in the rows of a table."""

    columns: RoundColumns = field(default_factory=RoundColumns)
    rows: Sequence[int] = ()
    """Indices of the run's rows."""
    lengths: Mapping[str, int] = field(default_factory=dict)
    """The number of rounds in the table for each of the run's tasks, in the order of the rows."""
    is_from_reference: bool = False
    """Whether any of its rounds began from the reference state."""
    _slots: "array[int]" = field(default_factory=lambda: array("i"))
    """The row of each round, or -1, by task, attempt (the reference state last), and round."""
    _first_slots: dict[str, int] = field(default_factory=dict)
    """The slot of the first round of each task."""

    @property
    def has_reference(self) -> bool:
        """Whether rounds were run from the reference state."""
        return self.is_from_reference

    def task_lengths(self) -> dict[str, int]:
        """Return the number of each task's last round, by task name, in the order of the rows."""
        return dict(self.lengths)

    def examples(self) -> Iterable[RoundResult]:
        """Return results that together contain every kind of figure of the run."""
        rows = self.columns.examples(self.rows)
        return self.columns.results(rows, self.columns.task_names)

    def assign_rows(self) -> list[tuple[int, int]]:
        """Assign each row to its round, and return the rows whose round already has a row.

        Returns:
            Pairs of the later and the earlier row. The earlier row keeps the round.
        """
        columns = self.columns
        self._first_slots.clear()
        size = 0
        for name, length in self.lengths.items():
            self._first_slots[name] = size
            size += self._try_count * length
        self._slots = array("i", [-1]) * size
        # Indexed by task, because looking up the name for each row takes longer.
        first_slots = [self._first_slots.get(name, 0) for name in columns.task_names]
        lengths = [self.lengths.get(name, 0) for name in columns.task_names]
        slots = self._slots
        repeated = []
        for row in self.rows:
            task = columns.tasks[row]
            earlier_tries = columns.attempts[row] - 1
            if self.is_from_reference and columns.is_from_reference(row):
                earlier_tries = self.attempts
            slot = first_slots[task] + earlier_tries * lengths[task] + columns.rounds[row] - 1
            if slots[slot] >= 0:
                repeated.append((row, slots[slot]))
            else:
                slots[slot] = row
        return repeated

    @property
    def _try_count(self) -> int:
        """The number of attempts at each task that have slots, including any reference attempt."""
        return self.attempts + self.is_from_reference

    def is_complete(self, tasks: Sequence[ExpectedTask], tries: Sequence[AttemptStart]) -> bool:
        """Return whether the run has all rounds of all attempts at all tasks."""
        lengths = [task.length for task in tasks]
        return len(self.rows) == len(tries) * sum(lengths)

    def present_rounds(self, task: ExpectedTask, attempt: int, start: Start) -> list[int]:
        """Return the numbers of the rounds in an attempt at a task, in order."""
        rows = self._rows_of_try(task, (attempt, start))
        return [number for number, row in enumerate(rows, start=1) if row >= 0]

    def _rows_of_try(self, task: ExpectedTask, attempt: AttemptStart) -> Sequence[int]:
        """Return the rows of an attempt at a task, with -1 for each missing round."""
        length = self.lengths.get(task.name, 0)
        number, start = attempt
        is_reference = start == "reference"
        if not length or (is_reference and not self.is_from_reference):
            return [-1] * task.length
        earlier_tries = self.attempts if is_reference else number - 1
        first = self._first_slots[task.name] + earlier_tries * length
        rows = list(self._slots[first : first + length])
        return rows + [-1] * (task.length - length)

    def expected_rounds(
        self,
        tasks: Sequence[ExpectedTask],
        tries: Sequence[AttemptStart],
        usual: Mapping[Place, Sequence[str]],
    ) -> Sequence[RoundResult]:
        """Return all rounds of all attempts at all tasks, created only when they are read."""
        rows = array("i")
        for task in tasks:
            if len(tries) == self._try_count and self.lengths.get(task.name) == task.length:
                first = self._first_slots[task.name]
                rows.extend(self._slots[first : first + len(tries) * task.length])
                continue
            for attempt in tries:
                rows.extend(self._rows_of_try(task, attempt))
        ids_by_name = {task.name: task.id for task in tasks}
        ids = [ids_by_name.get(name, name) for name in self.columns.task_names]
        if self.is_complete(tasks, tries) and "case_ids" not in self.columns.others:
            return MadeRounds(len(rows), partial(self.columns.results, rows, ids))
        return MadeRounds(len(rows), partial(self._with_gaps, rows, ids, tasks, tries, usual))

    def _with_gaps(
        self,
        rows: Sequence[int],
        ids: Sequence[str],
        tasks: Sequence[ExpectedTask],
        tries: Sequence[AttemptStart],
        usual: Mapping[Place, Sequence[str]],
    ) -> Iterator[RoundResult]:
        """Yield all rounds; a row of -1 becomes an unreached round.

        Args:
            rows: The row of each round, in the order of tasks, attempts and rounds.
            ids: The ids of all tasks of the table.
            tasks: The tasks of the bundle.
            tries: The attempts at each task.
            usual: Names of the cases of rounds, as in `AgentResults.expected_rounds`.
        """
        results = self.columns.results([row for row in rows if row >= 0], ids)
        remaining_rows = iter(rows)
        for task in tasks:
            for attempt, start in tries:
                for number in range(1, task.length + 1):
                    if next(remaining_rows) < 0:
                        yield blank_round(task.id, attempt, number, start=start)
                        continue
                    result = next(results)
                    if result.case_ids == usual.get((task.name, number), ()):
                        result = replace(result, case_ids=None)
                    yield result
