"""Collects the rows of a table in columns of rounds, those of agents that are asked for."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import nan
from typing import Any, NamedTuple

from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.table import rules
from sitegen.importers.table.agents import TableAgents
from sitegen.importers.table.cells import CellReader
from sitegen.importers.table.columns import OF_AGENTS
from sitegen.importers.table.positions import Positions
from sitegen.importers.table.runs import AMOUNTS, COUNTS, UNKNOWN_COUNT, RoundColumns
from sitegen.importers.table.tables import Chunk
from sitegen.importers.table.values import NoVerdict, shown, text_of
from sitegen.problems import Rule, UsageError, listed

_OTHERS = ("start", "outcomes", "case_ids", "by_category", "measures", "cause", "mode")
"""Columns of values of which no numbers are made."""


class Difference(NamedTuple):
    """A row in which another column contradicts the reward."""

    row: int
    column: str
    reward: str
    other: str


@dataclass(slots=True)
class TableRows:
    """The rows of a table that are of agents that are asked for, by columns."""

    reader: CellReader
    agents: TableAgents
    options: ImportOptions
    rounds: RoundColumns = field(default_factory=RoundColumns)
    """What the rows say about rounds; the numbers of attempts and rounds are found out later."""
    lines: "array[int]" = field(default_factory=lambda: array("Q"))
    """Where each row stands in the file."""
    agent_of: "array[int]" = field(default_factory=lambda: array("I"))
    """The place of each row's agent."""
    attempts: Positions = field(default_factory=Positions)
    round_numbers: Positions = field(default_factory=Positions)
    stated: list[str | None] = field(default_factory=list)
    """The state that each row states; empty where there is no such column."""
    causes: dict[int, str] = field(default_factory=dict)
    """Why rows have no verdict, by their places."""
    weights: "array[float]" = field(default_factory=lambda: array("d"))
    """Weights of rounds, NaN where a row says nothing; empty where there is no such column."""
    titles: dict[str, str] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    """Labels of tasks, by axis and task."""
    other_tasks: dict[str, None] = field(default_factory=dict)
    """Tasks that are not asked for."""
    difference: Difference | None = None
    """The first row in which another column contradicts the reward."""
    _task_places: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)

    def where(self, row: int) -> str:
        """Name a row, for messages: "line 3"."""
        return f"{self.reader.table.place} {self.lines[row]}"

    def line(self, row: int) -> int | None:
        """Return the line of a row, if the table is a text."""
        return self.lines[row] if self.reader.table.place == "line" else None

    def add(self, rule: Rule, row: int, message: str, kind: str | None = None) -> None:
        """Report what is wrong with a row."""
        self.reader.add(rule, self.lines[row], message, kind)

    def task_of(self, row: int) -> str:
        """Return the name of a row's task."""
        return self.rounds.task_names[self.rounds.tasks[row]]

    def take(self, chunk: Chunk) -> None:
        """Take the rows of a chunk."""
        chunk = self._of_asked_agents(self._of_asked_tasks(chunk))
        if not chunk.lines:
            return
        start = len(self)
        self.lines.extend(chunk.lines)
        tasks: list[str] = [task or "" for task in self.reader.values("task", chunk) or ()]
        self._take_tasks(tasks)
        self._take_descriptions(tasks, chunk)
        self._take_positions(chunk)
        self._take_rewards(start, chunk)
        self._take_figures(start, chunk)

    def check_asked_tasks(self) -> None:
        """Check that all tasks that are asked for are there.

        Raises:
            UsageError: One is not; the message lists those that are.
        """
        found = {spelling for name in self.rounds.task_names for spelling in self._spellings(name)}
        unknown = [name for name in self.options.task_names if name not in found]
        if unknown:
            there = listed(map(one_line, self.other_tasks | dict.fromkeys(self.rounds.task_names)))
            asked = ", ".join(map(one_line, unknown))
            raise UsageError(f"the table has no task {asked}; it has: {there}")

    def _of_asked_tasks(self, chunk: Chunk) -> Chunk:
        """Return the rows of a chunk of tasks that are asked for, and note the other tasks."""
        wanted = set(self.options.task_names)
        if not wanted:
            return chunk
        cells = map(text_of, chunk.columns[self.reader.columns.numbers["task"]])
        tasks = [task if isinstance(task, str) else "" for task in cells]
        titles = self.reader.values("title", chunk)
        for task, title, _ in _first_pairs(tasks, titles or [None] * len(tasks), chunk.lines):
            self.titles.setdefault(task, title)
        names = dict.fromkeys(tasks)
        asked = {name for name in names if not wanted.isdisjoint(self._spellings(name))}
        self.other_tasks.update(dict.fromkeys(name for name in names if name not in asked))
        return chunk.rows([task in asked for task in tasks])

    def _spellings(self, name: str) -> set[str]:
        """Return what a task may be asked for by: its name, its title and its id."""
        title = self.titles.get(name, name)
        standing = self.options.standing
        known_id = standing.titles.get(one_line(title)) if standing else None
        return {name, title, slug_of(name), known_id or name}

    def _of_asked_agents(self, chunk: Chunk) -> Chunk:
        """Return the rows of a chunk of agents that are asked for, and note their agents."""
        number = len(chunk.lines)
        columns = [self.reader.values(meaning, chunk) for meaning in OF_AGENTS]
        filled = [[None] * number if column is None else column for column in columns]
        descriptions = list(zip(*filled, strict=True))
        known: dict[tuple[str | None, ...], int | None] = {}
        for description in dict.fromkeys(descriptions):
            line = chunk.lines[descriptions.index(description)]
            known[description] = self.agents.place(description, line, self.reader)
        numbers = list(map(known.__getitem__, descriptions))
        self.agent_of.extend(number for number in numbers if number is not None)
        if None not in known.values():
            return chunk
        is_taken = [number is not None for number in numbers]
        self.agents.skipped_rows += is_taken.count(False)
        return chunk.rows(is_taken)

    def _take_tasks(self, tasks: Sequence[str]) -> None:
        """Note the tasks of rows."""
        numbers = self._task_places
        for task in dict.fromkeys(tasks):
            if task not in numbers:
                numbers[task] = len(numbers)
                self.rounds.task_names.append(task)
        self.rounds.tasks.extend(map(numbers.__getitem__, tasks))

    def _take_descriptions(self, tasks: Sequence[str], chunk: Chunk) -> None:
        """Note what rows say about their tasks: titles and labels."""
        titles = self.reader.values("title", chunk)
        if titles is not None:
            for task, title, line in _first_pairs(tasks, titles, chunk.lines):
                known = self.titles.setdefault(task, title)
                if known != title:
                    message = f"the title of {one_line(task)} is {shown(title)} here, and {shown(known)} above"
                    self.reader.add(rules.FACT_DIFFERS, line, message, "title")
        for axis, number in self.reader.columns.labels.items():
            labels = self.labels.setdefault(axis, {})
            for task, label, line in _first_pairs(
                tasks, self.reader.column("title", number, chunk), chunk.lines
            ):
                known = labels.setdefault(task, one_line(label))
                if known != one_line(label):
                    message = f"`{axis}` of {one_line(task)} is {shown(label)} here, and {shown(known)} above"
                    self.reader.add(rules.LABEL_DIFFERS, line, message, axis)

    def _take_positions(self, chunk: Chunk) -> None:
        """Note what rows say about the numbers of their attempts and rounds."""
        for meaning, positions in (("attempt", self.attempts), ("round", self.round_numbers)):
            values = self.reader.values(meaning, chunk)
            positions.add(
                [1] * len(chunk.lines) if values is None else [value or 0 for value in values]
            )

    def _take_rewards(self, start: int, chunk: Chunk) -> None:
        """Note the rewards of rows, and the first one that another column contradicts."""
        values = self.reader.values("reward", chunk)
        if values is None:
            self.rounds.rewards.extend([nan] * len(chunk.lines))
            return
        for number in self.reader.columns.rivals:
            self._compare(start, values, number, chunk)
        if NoVerdict in set(map(type, values)):
            for row, value in enumerate(values, start=start):
                if isinstance(value, NoVerdict):
                    self.causes[row] = value.cause
            values = [nan if isinstance(value, NoVerdict) else value for value in values]
        self.rounds.rewards.extend(_filled(values, nan))

    def _compare(self, start: int, rewards: Sequence[Any], number: int, chunk: Chunk) -> None:
        """Compare rewards with another column; what that one does not know is no difference."""
        if self.difference is not None:
            return
        others = self.reader.column("reward", number, chunk)
        if others == rewards:
            return
        for row, reward, other in zip(count(start), rewards, others, strict=False):
            if other != reward and not isinstance(other, NoVerdict):
                mine = chunk.columns[self.reader.columns.numbers["reward"]][row - start]
                theirs = chunk.columns[number][row - start]
                self.difference = Difference(row, chunk.names[number], shown(mine), shown(theirs))
                return

    def _take_figures(self, start: int, chunk: Chunk) -> None:
        """Note all else that rows say about their rounds."""
        rounds = self.rounds
        for meaning in COUNTS:
            values = self.reader.values(meaning, chunk)
            if values is not None:
                counts = rounds.counts.setdefault(meaning, array("q", [UNKNOWN_COUNT]) * start)
                counts.extend(_filled(values, UNKNOWN_COUNT))
        for meaning in AMOUNTS:
            values = self.reader.values(meaning, chunk)
            if values is not None:
                amounts = rounds.amounts.setdefault(meaning, array("d", [nan]) * start)
                amounts.extend(_filled(values, nan))
        for meaning in _OTHERS:
            values = self.reader.values(meaning, chunk)
            if values is not None:
                default = "own" if meaning == "start" else None
                column = rounds.others.setdefault(meaning, [default] * start)
                column.extend(_filled(values, default))
        weights = self.reader.values("weight", chunk)
        if weights is not None:
            self.weights.extend([nan] * (start - len(self.weights)))
            self.weights.extend(_filled(weights, nan))
        states = self.reader.values("state", chunk)
        if states is not None:
            self.stated.extend([None] * (start - len(self.stated)))
            self.stated.extend(states)


def _filled(values: list[Any], default: object) -> list[Any]:
    """Return values with a default in the place of those that are not known."""
    if None not in values:
        return values
    return [default if value is None else value for value in values]


def _first_pairs(
    tasks: Sequence[str], values: Sequence[str | None], lines: Sequence[int]
) -> Iterable[tuple[str, str, int]]:
    """Yield each different pair of a task and a known value, with the line where it comes first."""
    seen = set()
    for pair, line in zip(zip(tasks, values, strict=True), lines, strict=True):
        task, value = pair
        if value is not None and pair not in seen:
            seen.add(pair)
            yield task, value, line
