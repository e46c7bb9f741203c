"""Collect the rows of a table by column, keeping only the requested tasks and agents."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import isnan, nan
from typing import Any, NamedTuple, TypeVar

from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.table import rules
from sitegen.importers.table.agents import TableAgents
from sitegen.importers.table.cells import CellReader
from sitegen.importers.table.columns import AGENT_MEANINGS
from sitegen.importers.table.positions import Positions
from sitegen.importers.table.runs import AMOUNTS, COUNTS, UNKNOWN_COUNT, RoundColumns
from sitegen.importers.table.summaries import is_summary
from sitegen.importers.table.tables import Chunk
from sitegen.importers.table.values import (
    NoVerdict,
    parse_moment,
    parse_text,
    quote_value,
    states_scale,
)
from sitegen.models.outcome import State
from sitegen.problems import Rule, UsageError, listed

Column = TypeVar("Column", "array[int]", "array[float]", list[object])

_OTHERS: dict[str, object] = {
    "start": "own",
    "outcomes": None,
    "case_ids": None,
    "by_category": None,
    "measures": None,
    "cause": None,
    "mode": None,
}
"""Columns whose values are not stored as numbers, mapped to the value of an empty cell."""


class RewardConflict(NamedTuple):
    """A row in which another column contradicts the reward."""

    row: int
    rival: str
    """The name of the other column."""
    reward: str
    """The reward, as shown in messages."""
    rival_reward: str
    """The value of the other column, as shown in messages."""


@dataclass(slots=True)
class TableRows:
    """The requested rows of a table, stored by column."""

    reader: CellReader
    agents: TableAgents
    options: ImportOptions
    rounds: RoundColumns = field(default_factory=RoundColumns)
    """The rounds in the rows; attempts and rounds are numbered later."""
    lines: "array[int]" = field(default_factory=lambda: array("Q"))
    """The line or row number of each row in the file."""
    agent_of: "array[int]" = field(default_factory=lambda: array("I"))
    """The number of each row's agent."""
    attempts: Positions = field(default_factory=Positions)
    round_numbers: Positions = field(default_factory=Positions)
    stated: list[State | None] = field(default_factory=list)
    """The state that each row gives, None for an empty cell; empty if there is no such column."""
    causes: dict[int, str] = field(default_factory=dict)
    """The reason why a row has no verdict, by the row's index."""
    weights: "array[float]" = field(default_factory=lambda: array("d"))
    """Weights of rounds, NaN for an empty cell; empty if there is no such column."""
    titles: dict[str, str] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    """Labels of tasks, keyed by axis and then by task name."""
    days: dict[int, date] = field(default_factory=dict)
    """The last day of each agent's rows, by the number of the agent."""
    moments: "array[float]" = field(default_factory=lambda: array("d"))
    """The time of each row in seconds since 1970, NaN if unknown; empty if no column has times."""
    skipped_tasks: dict[str, None] = field(default_factory=dict)
    """Tasks that were not requested."""
    conflict: RewardConflict | None = None
    """The first row in which another column contradicts the reward."""
    _task_numbers: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)

    def name_of(self, row: int) -> str:
        """Return the name of a row in messages: "line 3"."""
        return f"{self.reader.table.row_noun} {self.lines[row]}"

    def line(self, row: int) -> int | None:
        """Return the line number of a row if the table is a text; otherwise None."""
        return self.lines[row] if self.reader.table.row_noun == "line" else None

    def has_moments(self, rows: Iterable[int]) -> bool:
        """Return whether the times of all given rows are known."""
        return all(row < len(self.moments) and not isnan(self.moments[row]) for row in rows)

    def add_fault(self, rule: Rule, row: int, message: str, kind: str | None = None) -> None:
        """Report a fault of a row."""
        self.reader.add_fault(rule, self.lines[row], message, kind)

    def task_of(self, row: int) -> str:
        """Return the name of a row's task."""
        return self.rounds.task_names[self.rounds.tasks[row]]

    def add_chunk(self, chunk: Chunk) -> None:
        """Add the rows of a chunk."""
        chunk = self._select_agents(self._select_tasks(chunk))
        if not chunk.lines:
            return
        start = len(self)
        self.lines.extend(chunk.lines)
        tasks = _fill_unknown(self.reader.values("task", chunk) or [], "")
        self._add_tasks(tasks)
        self._add_descriptions(tasks, chunk)
        self._add_positions(chunk)
        self._add_rewards(start, chunk)
        self._add_figures(start, chunk)
        self._add_days(start, chunk)

    def check_asked_tasks(self) -> None:
        """Check that the table has all requested tasks.

        Raises:
            UsageError: A task does not exist; the message lists the existing tasks.
        """
        spellings: set[str] = set()
        for name in self.rounds.task_names:
            spellings.update(self._spellings(name))
        unknown = [name for name in self.options.task_names if name not in spellings]
        if unknown:
            all_names = self.skipped_tasks | dict.fromkeys(self.rounds.task_names)
            asked = ", ".join(map(one_line, unknown))
            names = listed(map(one_line, all_names))
            raise UsageError(f"the table has no task {asked}; it has: {names}")

    def _select_tasks(self, chunk: Chunk) -> Chunk:
        """Return the rows of a chunk for requested tasks, and note the other tasks."""
        wanted = set(self.options.task_names)
        if not wanted:
            return chunk
        cells = map(parse_text, chunk.columns[self.reader.columns.numbers["task"]])
        tasks = [task if isinstance(task, str) else "" for task in cells]
        titles = self.reader.values("title", chunk)
        if titles is not None:
            for task, title, _ in _first_pairs(tasks, titles, chunk.lines):
                self.titles.setdefault(task, title)
        asked_tasks = set()
        for name in dict.fromkeys(tasks):
            if wanted.isdisjoint(self._spellings(name)):
                self.skipped_tasks[name] = None
            else:
                asked_tasks.add(name)
        are_asked_for = [task in asked_tasks for task in tasks]
        return chunk.keep(are_asked_for)

    def _spellings(self, name: str) -> set[str]:
        """Return the names that may select a task: its name, its title and its ids."""
        title = self.titles.get(name, name)
        track = self.options.existing_track
        track_id = track.titles.get(one_line(title)) if track else None
        return {name, title, slug_of(name), track_id or name}

    def _select_agents(self, chunk: Chunk) -> Chunk:
        """Return the rows of a chunk for requested agents, and record the agent of each of them."""
        no_values = [None] * len(chunk.lines)
        columns = [self.reader.values(meaning, chunk) or no_values for meaning in AGENT_MEANINGS]
        descriptions = list(zip(*columns, strict=True))
        number_of: dict[tuple[str | None, ...], int | None] = {}
        for description in dict.fromkeys(descriptions):
            row = descriptions.index(description)
            line = chunk.lines[row]
            if not any(description) and not self.options.agent:
                self._check_summary(chunk, row)
            number_of[description] = self.agents.number_of(description, line, self.reader)
        numbers = list(map(number_of.__getitem__, descriptions))
        self.agent_of.extend(number for number in numbers if number is not None)
        if None not in number_of.values():
            return chunk
        are_asked_for = [number is not None for number in numbers]
        self.agents.skipped_rows += are_asked_for.count(False)
        return chunk.keep(are_asked_for)

    def _check_summary(self, chunk: Chunk, row: int) -> None:
        """Reject a row without an agent that summarises other rows.

        Raises:
            ProblemsError: The row's task has the name of a summary.
        """
        task = parse_text(chunk.columns[self.reader.columns.numbers["task"]][row])
        if isinstance(task, str) and is_summary(task):
            message = f"the task is called {one_line(task)}, like a summary of other rows"
            self.reader.add_fault(rules.SUMMARY, chunk.lines[row], message)
            self.reader.log.stop_at_errors()

    def _add_tasks(self, tasks: Sequence[str]) -> None:
        """Record the task of each row."""
        numbers = self._task_numbers
        for task in dict.fromkeys(tasks):
            if task not in numbers:
                numbers[task] = len(numbers)
                self.rounds.task_names.append(task)
        self.rounds.tasks.extend(map(numbers.__getitem__, tasks))

    def _add_descriptions(self, tasks: Sequence[str], chunk: Chunk) -> None:
        """Record the titles and labels of tasks in rows."""
        titles = self.reader.values("title", chunk)
        if titles is not None:
            for task, title, line in _first_pairs(tasks, titles, chunk.lines):
                first_title = self.titles.setdefault(task, title)
                if first_title != title:
                    values = f"{quote_value(title)} here, but {quote_value(first_title)} above"
                    message = f"the title of {one_line(task)} is {values}"
                    self.reader.add_fault(rules.FACT_DIFFERS, line, message, "title")
        for axis, number in self.reader.columns.labels.items():
            labels = self.labels.setdefault(axis, {})
            cells = self.reader.column("title", number, chunk)  # labels are read like titles
            for task, label, line in _first_pairs(tasks, cells, chunk.lines):
                first_label = labels.setdefault(task, one_line(label))
                if first_label != one_line(label):
                    values = f"{quote_value(label)} here, but {quote_value(first_label)} above"
                    message = f"`{axis}` of {one_line(task)} is {values}"
                    self.reader.add_fault(rules.LABEL_DIFFERS, line, message, axis)

    def _add_positions(self, chunk: Chunk) -> None:
        """Record the numbers of attempts and rounds in rows."""
        first_positions = [1] * len(chunk.lines)
        for meaning, positions in (("attempt", self.attempts), ("round", self.round_numbers)):
            values = self.reader.values(meaning, chunk)
            if values is not None:
                values = _fill_unknown(values, 0)
            positions.add(first_positions if values is None else values)

    def _add_rewards(self, start: int, chunk: Chunk) -> None:
        """Record the rewards of rows, and the first reward that another column contradicts."""
        number = self.reader.columns.numbers.get("reward")
        if number is None:
            self.rounds.rewards.extend([nan] * len(chunk.lines))
            return
        rewards = self._rewards_in(number, chunk)
        for rival in self.reader.columns.rivals:
            self._compare(start, rewards, rival, chunk)
        if NoVerdict in set(map(type, rewards)):
            rewards = list(rewards)
            for index, reward in enumerate(rewards):
                if isinstance(reward, NoVerdict):
                    self.causes[start + index] = reward.cause
                    rewards[index] = nan
        self.rounds.rewards.extend(_fill_unknown(rewards, nan))

    def _rewards_in(self, number: int, chunk: Chunk) -> list[Any]:
        """Return the rewards in a column, divided by the largest reward of each row, if stated."""
        rewards = self.reader.column("reward", number, chunk)
        largest = self.reader.values("max_reward", chunk)
        if largest is None:
            return rewards
        cells = chunk.columns[number]
        shares = []
        for row, (reward, most) in enumerate(zip(rewards, largest, strict=True)):
            if isinstance(reward, float) and not states_scale(cells[row], self.reader.style):
                shares.append(self._divide(reward, most, chunk.lines[row]))
            else:
                shares.append(reward)
        return shares

    def _divide(self, reward: float, most: float | None, line: int) -> float:
        """Return a reward divided by the largest possible reward.

        If the largest possible reward is unknown or smaller, a fault is reported and NaN returned.
        """
        if most is not None and reward <= most:
            return reward / most
        limit = "unknown" if most is None else f"{most:g}"
        message = f"the reward is {reward:g}, but the largest possible reward is {limit}"
        self.reader.add_fault(rules.VALUE, line, message, "max_reward")
        return nan

    def _add_days(self, start: int, chunk: Chunk) -> None:
        """Record the times of rows, and the last day of each agent's rows."""
        texts = self.reader.values("date", chunk)
        if texts is None:
            return
        self.moments.extend([nan] * (start - len(self.moments)))
        for row, moment in enumerate(map(parse_moment, texts), start):
            self.moments.append(nan if moment is None else moment.timestamp())
            if moment is None:
                continue
            agent = self.agent_of[row]
            day = moment.date()
            if day >= self.days.get(agent, day):
                self.days[agent] = day

    def _compare(self, start: int, rewards: Sequence[Any], number: int, chunk: Chunk) -> None:
        """Compare rewards with another column; missing verdicts in that column are not conflicts.

        Args:
            start: The index of the first row.
            rewards: The rewards of the chunk.
            number: The number of the other column.
            chunk: The rows.
        """
        if self.conflict is not None:
            return
        rival_rewards = self._rewards_in(number, chunk)
        if rival_rewards == rewards:
            return
        for index, (reward, rival_reward) in enumerate(zip(rewards, rival_rewards, strict=True)):
            if rival_reward != reward and not isinstance(rival_reward, NoVerdict):
                cell = chunk.columns[self.reader.columns.numbers["reward"]][index]
                rival_cell = chunk.columns[number][index]
                self.conflict = RewardConflict(
                    start + index, chunk.names[number], quote_value(cell), quote_value(rival_cell)
                )
                return

    def _add_figures(self, start: int, chunk: Chunk) -> None:
        """Record the figures, states and further values of rows.

        The values of a column that begins in a later chunk are unknown for earlier rows.

        Args:
            start: The index of the first row.
            chunk: The rows.
        """
        rounds = self.rounds
        for meaning in COUNTS:
            self._extend(rounds.counts, meaning, array("q", [UNKNOWN_COUNT]), start, chunk)
        for meaning in AMOUNTS:
            self._extend(rounds.amounts, meaning, array("d", [nan]), start, chunk)
        for meaning, default in _OTHERS.items():
            self._extend(rounds.others, meaning, [default], start, chunk)
        weights = self.reader.values("weight", chunk)
        if weights is not None:
            self.weights.extend([nan] * (start - len(self.weights)))
            self.weights.extend(_fill_unknown(weights, nan))
        states = self.reader.values("state", chunk)
        if states is not None:
            self.stated.extend([None] * (start - len(self.stated)))
            self.stated.extend(states)

    def _extend(
        self, columns: dict[str, Column], meaning: str, unknown: Column, start: int, chunk: Chunk
    ) -> None:
        """Add the values of a column, if the table has it.

        Args:
            columns: The columns of the earlier rows.
            meaning: The meaning of the column.
            unknown: A column of one row with the value of an empty cell.
            start: The index of the first row.
            chunk: The rows.
        """
        values = self.reader.values(meaning, chunk)
        if values is None:
            return
        column = columns.setdefault(meaning, unknown * start)
        column.extend(_fill_unknown(values, unknown[0]))


def _fill_unknown(values: list[Any], default: object) -> list[Any]:
    """Return values with None replaced by a default."""
    if None not in values:
        return values
    return [default if value is None else value for value in values]


def _first_pairs(
    tasks: Sequence[str], values: Sequence[str | None], lines: Sequence[int]
) -> Iterable[tuple[str, str, int]]:
    """Yield each distinct pair of a task and a value other than None, with its first line."""
    seen = set()
    for pair, line in zip(zip(tasks, values, strict=True), lines, strict=True):
        task, value = pair
        if value is not None and pair not in seen:
            seen.add(pair)
            yield task, value, line
