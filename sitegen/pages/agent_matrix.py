"""A matrix of agents by boards, with each agent's best result, and pairs of boards to compare.

Takes every board and returns an `AgentMatrix`, with a row for each agent and a column for each
board that is not withdrawn. Start with `agent_matrix`. `pages.scatter` draws two of its columns.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import NamedTuple

from sitegen.board import Board, BoardEntry, Entry
from sitegen.board.wording import joined
from sitegen.metrics.intervals import Interval
from sitegen.models.agents import ListedAgent
from sitegen.pages import addresses, labels
from sitegen.pages.score_axis import ONLY, REPORTED, ScoreAxis, ScoreStrip, score_axis
from sitegen.pages.texts import only_value
from sitegen.problems import agreeing, counted

_MAX_DECIMALS = 4
"""Decimal places of the positions in an axis's data."""


@dataclass(frozen=True, slots=True)
class AgentOverview:
    """An agent with all its results, under the spelling that most of them use."""

    name: str
    address: str
    rows: Sequence[BoardEntry]
    listed: ListedAgent | None
    """The agent's entry in `agents.toml`; None if it has none."""

    @property
    def organization(self) -> str | None:
        """The organization that made its model; None if unknown or sources disagree."""
        if self.listed and self.listed.organization:
            return self.listed.organization
        return only_value({entry.agent.organization for _, entry in self.rows} - {None})

    @property
    def open_weights(self) -> bool | None:
        """Whether its weights are open; None if unknown or sources disagree."""
        if self.listed and self.listed.open_weights is not None:
            return self.listed.open_weights
        stated = {entry.agent.open_weights for _, entry in self.rows} - {None}
        return stated.pop() if len(stated) == 1 else None

    @property
    def parameters_b(self) -> float | None:
        """The size of its model in billions of parameters; None if unknown or sources disagree."""
        if self.listed and self.listed.parameters_b:
            return self.listed.parameters_b
        return only_value({entry.agent.parameters_b for _, entry in self.rows} - {None})

    @property
    def released(self) -> str:
        """The day on which its model was released; empty if unknown or sources disagree."""
        if self.listed and self.listed.released:
            return str(self.listed.released)
        days = {str(entry.agent.model_released or "") for _, entry in self.rows} - {""}
        return only_value(days) or ""


class MatrixColumn(NamedTuple):
    """A board as a column of the matrix."""

    board: Board
    key: str
    """The board's ids, as BENCHMARK/TRACK."""
    axis: ScoreAxis
    remark: str
    """The board's labels, such as "legacy", "reported" or "simulated"; empty if it has none."""

    @property
    def title(self) -> str:
        """The titles of the benchmark and the track."""
        return f"{self.board.benchmark.title}, {self.board.track.title}"

    @property
    def first_sort(self) -> str:
        """The sort order after a first click: better scores first."""
        if self.board.headline.direction == "higher":
            return "descending"
        return "ascending"

    @property
    def axis_data(self) -> str:
        """The ends and the ticks of its axis as JSON, for the script that draws two boards."""
        ruler = self.axis.ruler
        marks = [round(mark, _MAX_DECIMALS) for mark in ruler.marks]
        ends = {"low": round(ruler.low, _MAX_DECIMALS), "high": round(ruler.high, _MAX_DECIMALS)}
        return json.dumps({**ends, "marks": marks})


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """An agent's best result on a board."""

    entry: Entry
    address: str
    value: str | None
    """The score with all digits; None for a gap."""
    number: float | None
    text: str
    rank_text: str
    """The ranks that the agent may have, as text."""
    rank: int | None
    """The agent's rank by score alone; None if it is not ranked."""
    ranks: tuple[int, int] | None
    """The first and the last rank that the agent may have; None if ranks are not tested."""
    interval: Interval | None
    interval_text: str
    strip: ScoreStrip | None
    remark: str
    """The missing tasks or attempts, and the number of the agent's other results on the board."""

    @property
    def is_reported(self) -> bool:
        """Whether the result is reported, not recomputed here."""
        return self.entry.table_line is not None


class MatrixRow(NamedTuple):
    """An agent with one cell per column; a cell is None if the agent has no result there."""

    agent: AgentOverview
    cells: Sequence[MatrixCell | None]

    @property
    def board_count(self) -> int:
        """The number of boards on which the agent has a score."""
        return sum(bool(cell and cell.value is not None) for cell in self.cells)


class AgentMatrix(NamedTuple):
    """The matrix of all agents and all boards that are not withdrawn."""

    columns: Sequence[MatrixColumn]
    rows: Sequence[MatrixRow]
    """Agents by score in the first column, best first; then the others, most boards first."""
    withdrawn: Sequence[Board]
    """The withdrawn boards, which have no column."""

    @property
    def shared(self) -> int:
        """The number of agents with a score on more than one board."""
        return sum(row.board_count > 1 for row in self.rows)

    @property
    def answer(self) -> str:
        """A phrase with the number of agents, and of agents that appear on more than one board."""
        agents = sum(row.board_count > 0 for row in self.rows)
        text = f"{counted(agents, 'agent')} on {self._board_counts()}"
        if len(self.columns) < 2 or agents < 2:  # noqa: PLR2004 - nothing to share
            return text
        if self.shared == 0:
            return f"{text}; none of them appears on more than one"
        verb = agreeing(self.shared, "appears", "appear")
        return f"{text}; {self.shared} of them {verb} on more than one"

    def _board_counts(self) -> str:
        """Return a phrase with the number of boards by status, such as "3 boards and 1 legacy"."""
        statuses = Counter(column.board.track.status for column in self.columns)
        current = statuses.pop("current", 0)
        others = [f"{count} {status}" for status, count in sorted(statuses.items())]
        if not others:
            return counted(current, "board")
        if not current:
            return f"{joined(others)} {agreeing(len(self.columns), 'board', 'boards')}"
        noun = agreeing(sum(statuses.values()), "board", "boards")
        return f"{counted(current, 'board')} and {joined(others)} {noun}"


def agent_results(boards: Sequence[Board]) -> list[AgentOverview]:
    """Return every agent, sorted by name, with its results on all boards.

    Results belong to the same agent if their names differ only in spelling.
    """
    rows_by_address: dict[str, list[BoardEntry]] = {}
    for board in boards:
        for entry in board.all_entries:
            address = addresses.agent_address(entry.agent.name)
            rows_by_address.setdefault(address, []).append(BoardEntry(board, entry))
    agents = []
    for address, rows in rows_by_address.items():
        spellings = Counter(entry.agent.name for _, entry in rows)
        ((name, _),) = spellings.most_common(1)
        first_board, _ = rows[0]
        listed = first_board.benchmark.agents.find(name)
        agents.append(AgentOverview(name, address, rows, listed))
    agents.sort(key=lambda agent: agent.name.lower())
    return agents


def agent_matrix(
    boards: Sequence[Board], agents: Sequence[AgentOverview], lead: Board | None = None
) -> AgentMatrix:
    """Return the matrix of agents by boards, sorted by the score on its first column.

    Args:
        boards: All boards; withdrawn boards and boards without agents get no column.
        agents: All agents.
        lead: The board of the first column; None for the first current board.
    """
    withdrawn = [board for board in boards if board.track.status == "withdrawn"]
    columns = []
    for board in boards:
        if board not in withdrawn and board.entries:
            columns.append(_column(board))
    columns.sort(
        key=lambda column: (column.board is not lead, column.board.track.status != "current")
    )
    rows = []
    for agent in agents:
        cells = [_cell(column, agent) for column in columns]
        rows.append(MatrixRow(agent, cells))
    rows.sort(key=_row_order)
    if columns:
        rows.sort(key=partial(_first_column_order, columns[0]))
    return AgentMatrix(columns, rows, withdrawn)


def _column(board: Board) -> MatrixColumn:
    remarks: list[str] = []
    if board.track.status != "current":
        remarks.append(board.track.status)
    if not board.submissions:
        remarks.append("reported")
    if board.benchmark.simulated:
        remarks.append("simulated")
    axis = score_axis(board, board.entries)
    return MatrixColumn(board, "/".join(addresses.of(board)), axis, ", ".join(remarks))


def _row_order(row: MatrixRow) -> tuple[int, list[float]]:
    """Return the sort key of rows: most boards first, then ranks from left to right."""
    ranks = []
    for cell in row.cells:
        rank = cell.rank if cell else None
        ranks.append(float("inf") if rank is None else float(rank))
    return -row.board_count, ranks


def _first_column_order(column: MatrixColumn, row: MatrixRow) -> float:
    """Return the sort key of rows in their first column: best score first, gaps last."""
    cell = row.cells[0]
    if cell is None or cell.number is None:
        return float("inf")
    return -cell.number if column.board.headline.direction == "higher" else cell.number


def _cell(column: MatrixColumn, agent: AgentOverview) -> MatrixCell | None:
    """Return an agent's cell, with its best published result on a board; None if it has none."""
    board = column.board
    entries = [entry for row_board, entry in agent.rows if row_board is board]
    entries = [entry for entry in entries if entry.is_published]
    if not entries:
        return None
    # The rows of a board come best first; baselines and late submissions are not ranked there.
    entries.sort(key=lambda entry: entry.apart is not None)
    best = entries[0]
    metric = board.headline
    score = best.scores.get(metric.id)
    value = labels.full_precision(score) if score else None
    number = best.value(metric.id)
    interval = board.inference.interval(best, metric.id) if number is not None else None
    interval_text = labels.row_interval_text(board, best, metric) if interval else ""
    remarks = [best.remark, best.attempts_words]
    if len(entries) > 1:
        remarks.append(f"best of {len(entries)} results")
    ranks = board.inference.ranks.get(best.id)
    return MatrixCell(
        entry=best,
        address=addresses.of(board).entry(best.id),
        value=value,
        number=number,
        text=labels.score_text(score) if score else "–",
        rank_text=labels.rank_text(board, best),
        rank=board.ranks.get(best.id),
        ranks=(ranks[0], ranks[1]) if ranks else None,
        interval=interval,
        interval_text=interval_text,
        strip=_strip(column.axis, best, number, interval, ranks),
        remark=", ".join(filter(None, remarks)),
    )


def _strip(
    axis: ScoreAxis,
    entry: Entry,
    number: float | None,
    interval: Interval | None,
    ranks: tuple[int, int] | None,
) -> ScoreStrip | None:
    """Return a score on the axis of its column; None for a gap."""
    if number is None:
        return None
    look = ""
    if entry.table_line:
        look = REPORTED
    elif ranks and ranks[0] == ranks[1]:
        look = ONLY
    return axis.strip("", number, interval, look, "")


def most_shared_pair(matrix: AgentMatrix) -> tuple[int, int] | None:
    """Return the indices of the two columns that share the most agents; None if no pair shares two.

    A pair of boards of different benchmarks comes before two tracks of one benchmark.
    """
    best_pair = None
    best_key = (False, 1)
    for first, second in combinations(range(len(matrix.columns)), 2):
        shared = len(shared_rows(matrix, first, second))
        benchmarks = {matrix.columns[index].board.benchmark.id for index in (first, second)}
        key = (len(benchmarks) > 1 and shared > 1, shared)
        if shared > 1 and key > best_key:
            best_pair = (first, second)
            best_key = key
    return best_pair


def shared_rows(
    matrix: AgentMatrix, first: int, second: int
) -> list[tuple[AgentOverview, MatrixCell, MatrixCell]]:
    """Return the agents with scores in two columns, with both cells."""
    shared = []
    for row in matrix.rows:
        first_cell = row.cells[first]
        second_cell = row.cells[second]
        if first_cell is None or second_cell is None:
            continue
        if first_cell.number is not None and second_cell.number is not None:
            shared.append((row.agent, first_cell, second_cell))
    return shared
