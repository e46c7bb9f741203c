"""Read the table of sweeps: rounds passed by each agent and, in later versions, its tool calls.

The grammar of the table changed four times. The last two versions differ only in the note, which
says what the last figure of a cell means. Results are never taken from the table, so unusable parts
of it can be left out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.files import Publication
from sitegen.importers.kit.agents import AgentNames, repeated
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.redaction import one_line
from sitegen.models.outcome import RunFigures
from sitegen.problems import listed
from sitegen.reading.lines import TextLines

EXCLUDED = "—"
"""The cell of a run that does not count."""

FIRST_COLUMNS = ["task", "total_rounds"]
NOTE = "__note"

_CELL = re.compile(
    r"(?P<passed>\d{1,9})/(?P<rounds>\d{1,9})"
    r"(?: c\d+(?:\.\d+)?%)?(?: r(?P<last>\d{1,15}(?:\.\d+)?))?"
)

_MEAN = re.compile(r"interactions|tool calls|per reached round")
_REACHED = "rounds actually reached"
"""Substrings of notes that state the meaning of a cell's last figure."""

_WITH_DECIMALS = re.compile(r" r\d+\.[1-9]")
"""A last figure that can't be a number of rounds."""

_NO_TRAJECTORY = "0.0"
"""The figure that means that no round's trajectory could be read; a mean of 0 is written `0`."""


@dataclass(frozen=True, slots=True)
class SweepCell:
    """The table's cell for one agent at one task."""

    passed: int | None = None
    """Number of rounds passed; None if the run does not count."""
    rounds: int | None = None
    interactions: float | None = None
    """Mean tool calls per reached round; None if the table does not state them."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The table of sweeps; empty if there is no table."""

    path: Path
    cells: Mapping[tuple[str, str], SweepCell] = field(default_factory=dict)
    """Cells by the task's name and the agent."""


class SweepLine(NamedTuple):
    """A line of the table that follows the grammar."""

    number: int
    task: str
    cells: Mapping[str, str]
    """Cells by column."""
    note: str


def run_figures(task: str, swept: SweepCell | None) -> list[RunFigures]:
    """Return the figures that the table contains for a run; empty if it has no figures."""
    if swept is None or swept.interactions is None:
        return []
    return [RunFigures(task, 1, interactions_per_round=swept.interactions)]


def read_sweep(publication: Publication, roster: AgentNames, log: ImportLog) -> Sweep:
    """Read the table of sweeps in the folder of the published files; empty if there is no table.

    If there are several tables, none of them is used, because it is unclear which belongs to the
    files.

    Args:
        publication: The files.
        roster: The agents that columns may be about.
        log: Collects the problems.
    """
    paths = sorted(publication.source.glob("sweep_*.csv"))
    if len(paths) > 1:
        names = listed(one_line(path.name) for path in paths)
        message = f"{len(paths)} tables of sweeps: {names}"
        log.add_with_caveat(rules.SWEEP_SEVERAL, publication.source, message, None, names)
    if len(paths) != 1:
        return Sweep(publication.source)
    path = paths[0]
    columns, lines = _read_lines(path, log)
    agents = _match_columns(columns, roster, path, log)
    lines = _matched_lines(lines, publication, path, log)
    are_means = _has_means(lines, path, log)
    cells = {}
    for line in lines:
        for column, agent in agents.items():
            cells[line.task, agent] = parse_sweep_cell(line.cells[column], are_means=are_means)
    return Sweep(path, cells)


def parse_sweep_cell(text: str, *, are_means: bool) -> SweepCell:
    """Return the parsed cell; `are_means` says whether its last figure is a mean of tool calls."""
    match = _CELL.fullmatch(text)
    if match is None:
        return SweepCell()
    interactions = None
    if are_means and match["last"] not in {None, _NO_TRAJECTORY}:
        interactions = float(match["last"])
    return SweepCell(int(match["passed"]), int(match["rounds"]), interactions)


def _read_lines(path: Path, log: ImportLog) -> tuple[list[str], list[SweepLine]]:
    """Return the agents' columns, and the lines that follow the grammar."""
    text = TextLines(path)
    rows = text.rows(rules.SWEEP_CELL)
    _, header = next(rows, (1, list[str]()))
    if header[:2] != FIRST_COLUMNS and not text.problems:
        begin = one_line(",".join(header[:2]))
        expected = ",".join(FIRST_COLUMNS)
        message = f"the first line begins with `{begin}`, not with `{expected}`"
        _leave_out(path, 1, message, log)
        return [], []
    columns = [column for column in header[2:] if column != NOTE]
    lines = list(_well_formed(rows, header, path, log))
    for problem in text.problems:
        _leave_out(path, problem.line, problem.what, log)
        return [], []
    return columns, lines


def _leave_out(path: Path, line: int | None, message: str, log: ImportLog) -> None:
    """Report a part of the table that is not used."""
    fact = f"line {line}: {message}" if line else message
    log.add(rules.SWEEP_CELL, path, message, line)
    log.add_caveat(None, rules.SWEEP_CELL, fact)


def _well_formed(
    rows: Iterable[tuple[int, list[str]]], header: Sequence[str], path: Path, log: ImportLog
) -> Iterator[SweepLine]:
    """Yield the lines that follow the grammar, and report the others."""
    for number, row in rows:
        by_column = dict(zip(header, row, strict=False))
        cells = {}
        wrong = []
        for column, cell in by_column.items():
            if column in {*FIRST_COLUMNS, NOTE}:
                continue
            cells[column] = cell.strip()
            if cells[column] != EXCLUDED and not _CELL.fullmatch(cells[column]):
                wrong.append(f"`{one_line(cells[column], 40)}`")
        if len(row) != len(header):
            _leave_out(path, number, f"{len(row)} cells under {len(header)} columns", log)
        elif wrong:
            _leave_out(path, number, f"{listed(wrong)} can't be read", log)
        else:
            yield SweepLine(number, by_column["task"], cells, by_column.get(NOTE, ""))


def _match_columns(
    columns: Sequence[str], roster: AgentNames, path: Path, log: ImportLog
) -> dict[str, str]:
    """Return the agent of each column that belongs to an agent of the import."""
    agents: dict[str, str] = {}
    unmatched = []
    for column in columns:
        agent = roster.find(column)
        if agent is None:
            unmatched.append(one_line(column))
        else:
            agents[column] = agent
    ambiguous = repeated(agents.values())
    ambiguous += [roster.find(column) or "" for column in repeated(columns)]
    for agent in dict.fromkeys(filter(None, ambiguous)):
        fact = f"{one_line(agent)} has several columns"
        log.add_with_caveat(rules.SWEEP_COLUMN_TWICE, path, fact, None, one_line(agent))
    if unmatched:
        message = f"no agent of the index is called {', '.join(unmatched)}"
        log.add(rules.SWEEP_COLUMN, path, message, 1)
    return {column: agent for column, agent in agents.items() if agent not in ambiguous}


def _matched_lines(
    lines: Sequence[SweepLine], publication: Publication, path: Path, log: ImportLog
) -> list[SweepLine]:
    """Return the lines of tasks that occur only once, and report unknown and missing tasks."""
    tasks = [line.task for line in lines]
    index_names = {task.name for task in publication.index.tasks}
    faults = {
        "unknown": sorted(set(tasks) - index_names),
        "listed several times": repeated(tasks),
        "not listed": sorted(publication.files.keys() - set(tasks)),
    }
    facts = [f"{fault}: {listed(map(one_line, names))}" for fault, names in faults.items() if names]
    if facts:
        log.add(rules.SWEEP_TASK, path, f"tasks {'; '.join(facts)}")
    return [line for line in lines if line.task not in faults["listed several times"]]


def _has_means(lines: Sequence[SweepLine], path: Path, log: ImportLog) -> bool:
    """Return whether the last figures in the cells of a table are means of tool calls.

    They are if a note says so, or if any of them can't be a number of rounds.
    """
    notes = " ".join(dict.fromkeys(line.note for line in lines))
    numbers = []
    has_decimals = False
    for line in lines:
        cells = "\n".join(line.cells.values())
        if " r" in cells:
            numbers.append(line.number)
        has_decimals |= _WITH_DECIMALS.search(cells) is not None
    if _REACHED in notes or not numbers:
        return False
    if _MEAN.search(notes) or has_decimals:
        return True
    log.add(rules.SWEEP_UNCLEAR, path, f"`{NOTE}` does not say what `r` is", numbers[0])
    return False
