"""Runs whose rounds are kept by column, and made whenever they are read."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from math import isnan
from typing import get_args

from sitegen.importers.kit.cases import Place, Try, unreached
from sitegen.importers.kit.rounds import ExpectedTask, Run
from sitegen.models.incoming import MadeRounds
from sitegen.models.outcome import RoundResult, Start, State

STATES: Sequence[State] = get_args(State)
STATE_CODES: Mapping[str, int] = {state: code for code, state in enumerate(STATES)}

UNKNOWN_COUNT = -1
"""Stands for a count that is not known."""

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
    """The rounds of all rows, by column; a column that the table does not have is absent."""

    task_names: list[str] = field(default_factory=list)
    """Different names of tasks."""
    tasks: "array[int]" = field(default_factory=lambda: array("I"))
    """The place of each row's task in this list."""
    attempts: "array[int]" = field(default_factory=lambda: array("H"))
    rounds: "array[int]" = field(default_factory=lambda: array("H"))
    rewards: "array[float]" = field(default_factory=lambda: array("d"))
    states: "array[int]" = field(default_factory=lambda: array("B"))
    """Places in `STATES`."""
    counts: "dict[str, array[int]]" = field(default_factory=dict)
    amounts: "dict[str, array[float]]" = field(default_factory=dict)
    """Figures that may be unknown: NaN."""
    others: dict[str, list[object]] = field(default_factory=dict)
    """Columns of any other values by their fields."""
    _gaps: dict[str, bool] = field(default_factory=dict)
    """Whether a column of figures has unknown ones, as far as that was asked for."""

    def is_from_reference(self, row: int) -> bool:
        """Return whether a round began from the reference state."""
        starts = self.others.get("start")
        return starts is not None and starts[row] == "reference"

    def have_reference(self, rows: Iterable[int]) -> bool:
        """Return whether one of some rounds began from the reference state."""
        return "start" in self.others and any(map(self.is_from_reference, rows))

    def results(self, rows: Sequence[int], ids: Sequence[str]) -> Iterator[RoundResult]:
        """Return the results of some rows.

        Args:
            rows: Places of the rows.
            ids: What the tasks are called, in the order of `task_names`.
        """
        return map(
            RoundResult,
            map(ids.__getitem__, map(self.tasks.__getitem__, rows)),
            map(self.attempts.__getitem__, rows),
            map(self.rounds.__getitem__, rows),
            map(STATES.__getitem__, map(self.states.__getitem__, rows)),
            map(self.rewards.__getitem__, rows),
            self._counts("passed", rows),
            self._counts("total", rows),
            self._counts("skipped", rows),
            self._others("start", rows, "own"),
            self._others("outcomes", rows),
            self._others("case_ids", rows),
            self._others("by_category", rows),
            *(self._amounts(name, rows) for name in AMOUNTS),
            self._others("measures", rows),
            self._others("cause", rows),
            self._others("mode", rows),
        )

    def _counts(self, name: str, rows: Sequence[int]) -> Iterable[int | None]:
        column = self.counts.get(name)
        if column is None:
            return repeat(None)
        values = map(column.__getitem__, rows)
        return (None if value == UNKNOWN_COUNT else value for value in values)

    def _amounts(self, name: str, rows: Sequence[int]) -> Iterable[float | None]:
        column = self.amounts.get(name)
        if column is None:
            return repeat(None)
        values = map(column.__getitem__, rows)
        if name not in self._gaps:
            self._gaps[name] = any(map(isnan, column))
        if not self._gaps[name]:
            return values
        return (None if isnan(value) else value for value in values)

    def _others(
        self, name: str, rows: Sequence[int], default: str | None = None
    ) -> Iterable[object]:
        column = self.others.get(name)
        if column is None:
            return repeat(default)
        return map(column.__getitem__, rows)

    def examples(self, rows: Sequence[int]) -> list[int]:
        """Return rows that show every kind of figure that some rows have."""
        first = rows[0]
        found = {first}
        if "start" in self.others:
            found.add(next(filter(self.is_from_reference, rows), first))
        for counts in self.counts.values():
            found.add(next((row for row in rows if counts[row] > 0), first))
        for amounts in self.amounts.values():
            found.add(next((row for row in rows if amounts[row] >= 0), first))
        return sorted(found)


@dataclass(slots=True)
class TableRun(Run):
    """The rounds of one agent in the rows of a table."""

    columns: RoundColumns = field(default_factory=RoundColumns)
    rows: Sequence[int] = ()
    """Places of its rows."""
    lengths: Mapping[str, int] = field(default_factory=dict)
    """Its tasks, in the order of its rows, each with the rounds that the table has for it."""
    is_from_reference: bool = False
    """Whether some of its rounds began from the reference state."""
    _slots: "array[int]" = field(default_factory=lambda: array("i"))
    """The row of each round: by task, by attempt (the reference state last), by round; or -1."""
    _firsts: dict[str, int] = field(default_factory=dict)
    """The place of each task's first round among them."""

    @property
    def has_reference(self) -> bool:
        """Whether rounds were run from the reference state."""
        return self.is_from_reference

    def task_lengths(self) -> dict[str, int]:
        """Return the tasks, in the order of the rows, each with its furthest round."""
        return dict(self.lengths)

    def examples(self) -> Iterable[RoundResult]:
        """Return results that show every kind of figure that the run has."""
        rows = self.columns.examples(self.rows)
        return self.columns.results(rows, self.columns.task_names)

    def place_rows(self) -> list[tuple[int, int]]:
        """Give each row its place among the rounds, and return those whose place is taken.

        Returns:
            Pairs of the later and the earlier row. The earlier one keeps the place.
        """
        tries = self.attempts + self.is_from_reference
        self._firsts.clear()
        size = 0
        for name, length in self.lengths.items():
            self._firsts[name] = size
            size += tries * length
        slots = array("i", [-1]) * size
        names = self.columns.task_names
        firsts = [self._firsts.get(name, 0) for name in names]
        lengths = [self.lengths.get(name, 0) for name in names]
        tasks, attempts, rounds = self.columns.tasks, self.columns.attempts, self.columns.rounds
        repeated = []
        for row in self.rows:
            task = tasks[row]
            before = attempts[row] - 1
            if self.is_from_reference and self.columns.is_from_reference(row):
                before = self.attempts
            slot = firsts[task] + before * lengths[task] + rounds[row] - 1
            if slots[slot] >= 0:
                repeated.append((row, slots[slot]))
            else:
                slots[slot] = row
        self._slots = slots
        return repeated

    def is_complete(self, tasks: Sequence[ExpectedTask], tries: Sequence[Try]) -> bool:
        """Return whether it has all rounds of all tries at all tasks."""
        return len(self.rows) == len(tries) * sum(task.length for task in tasks)

    def present_rounds(self, task: ExpectedTask, attempt: int, start: Start) -> list[int]:
        """Return the numbers of the rounds that one try at a task has, in order."""
        rows = self._rows_of(task, (attempt, start))
        return [number for number, row in enumerate(rows, start=1) if row >= 0]

    def _rows_of(self, task: ExpectedTask, attempt: Try) -> Sequence[int]:
        """Return the rows of one try at a task, -1 for each round that it lacks."""
        length = self.lengths.get(task.name, 0)
        number, start = attempt
        if not length or (start == "reference" and not self.is_from_reference):
            return [-1] * task.length
        before = self.attempts if start == "reference" else number - 1
        first = self._firsts[task.name] + before * length
        return [*self._slots[first : first + length], *[-1] * (task.length - length)]

    def expected_rounds(
        self,
        tasks: Sequence[ExpectedTask],
        tries: Sequence[Try],
        usual: Mapping[Place, Sequence[str]],
    ) -> Sequence[RoundResult]:
        """Return all rounds of all tries at all tasks, made whenever they are read."""
        order = array("i")
        has_all_tries = len(tries) == self.attempts + self.is_from_reference
        for task in tasks:
            if has_all_tries and self.lengths.get(task.name) == task.length:
                first = self._firsts[task.name]
                order.extend(self._slots[first : first + len(tries) * task.length])
                continue
            for attempt in tries:
                order.extend(self._rows_of(task, attempt))
        ids = {task.name: task.id for task in tasks}
        all_ids = [ids.get(name, name) for name in self.columns.task_names]
        is_plain = self.is_complete(tasks, tries) and "case_ids" not in self.columns.others

        def make() -> Iterable[RoundResult]:
            if is_plain:
                return self.columns.results(order, all_ids)
            return self._with_gaps(order, all_ids, tasks, tries, usual)

        return MadeRounds(len(order), make)

    def _with_gaps(
        self,
        order: Sequence[int],
        ids: Sequence[str],
        tasks: Sequence[ExpectedTask],
        tries: Sequence[Try],
        usual: Mapping[Place, Sequence[str]],
    ) -> Iterator[RoundResult]:
        """Yield all rounds: unreached ones where a row is -1."""
        made = self.columns.results([row for row in order if row >= 0], ids)
        rows = iter(order)
        for task in tasks:
            for attempt, start in tries:
                for number in range(1, task.length + 1):
                    if next(rows) < 0:
                        yield unreached(task.id, attempt, number, start=start)
                        continue
                    result = next(made)
                    if result.case_ids is not None and result.case_ids == usual.get(
                        (task.name, number), ()
                    ):
                        result = replace(result, case_ids=None)
                    yield result
