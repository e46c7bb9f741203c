"""The table of sweeps beside the files: rounds passed by each agent at each task, and in later ones its tool calls.

Its grammar changed four times; the last two forms differ only in what the note says of a cell's last figure.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.files import Snapshot
from sitegen.importers.kit.agents import Roster, repeated
from sitegen.models.outcome import RunFigures
from sitegen.problems import Problem
from sitegen.reading.lines import TextLines

EXCLUDED = "—"
"""The cell of a run that does not count."""

_FIRST, _NOTE = ["task", "total_rounds"], "__note"
_CELL = re.compile(r"(?P<passed>\d+)/(?P<rounds>\d+)(?: c\d+(?:\.\d+)?%)?(?: r(?P<last>\d+(?:\.\d+)?))?")

_MEAN = re.compile(r"interactions|tool calls|per reached round")
_REACHED = "rounds actually reached"
"""What notes say of a cell's last figure."""

_NO_TRAJECTORY = "0.0"
"""How the source prints that no round's trajectory could be read; a mean of 0 is printed `0`."""


@dataclass(frozen=True, slots=True)
class SweepCell:
    """What the table says of one agent at one task."""

    passed: int | None = None
    """Rounds passed; None where the run does not count."""
    rounds: int | None = None
    interactions: float | None = None
    """Mean tool calls of a reached round; None where the table does not tell."""

    @classmethod
    def of(cls, text: str, *, are_means: bool) -> "SweepCell":
        """Read a cell, whose last figure is such a mean or something else."""
        match = _CELL.fullmatch(text)
        if match is None:
            return cls()
        is_measured = are_means and match["last"] not in {None, _NO_TRAJECTORY}
        return cls(int(match["passed"]), int(match["rounds"]), float(match["last"]) if is_measured else None)


@dataclass(frozen=True, slots=True)
class Sweep:
    """The table of sweeps; empty where there is none."""

    path: Path
    cells: Mapping[tuple[str, str], SweepCell] = field(default_factory=dict)
    """By task and agent."""

    def figures(self, agent: str, tasks: Sequence[str]) -> tuple[RunFigures, ...]:
        """What the table knows of an agent's runs at some tasks."""
        means = ((task, self.cells[task, agent].interactions) for task in tasks if (task, agent) in self.cells)
        return tuple(RunFigures(task, 1, interactions_per_round=mean) for task, mean in means if mean is not None)


class _Line(NamedTuple):
    number: int
    task: str
    texts: Mapping[str, str]
    note: str


def read_sweep(snapshot: Snapshot, roster: Roster) -> tuple[Sweep, list[Problem]]:
    """Read the table of sweeps beside the published files, if there is one.

    Several tables are an error, for which of them belongs to the files can't be told from outside.
    """
    paths = sorted(snapshot.source.glob("sweep_*.csv"))
    if len(paths) > 1:
        what = f"{len(paths)} tables of sweeps: {', '.join(each.name for each in paths)}"
        return Sweep(snapshot.source), [rules.SWEEP_SEVERAL.broken(snapshot.source, None, what)]
    if not paths:
        return Sweep(snapshot.source), []
    (path,) = paths
    columns, lines, problems = _read_lines(path)
    if not columns:
        return Sweep(path), problems
    agents: dict[str, str] = {}
    unmatched = [column for column in columns if roster.find(column) is None]
    for column in columns:
        agent = roster.find(column)
        if agent in agents.values():
            problems.append(rules.SWEEP_COLUMN_TWICE.broken(path, 1, f"{agent} has several columns"))
        elif agent is not None:
            agents[column] = agent
    if unmatched:
        problems.append(rules.SWEEP_COLUMN.broken(path, 1, f"no agent of the index is called {', '.join(unmatched)}"))
    tasks = [line.task for line in lines]
    faults = {
        "unknown": sorted({*tasks} - {task.task for task in snapshot.index.tasks}),
        "listed several times": repeated(tasks),
        "not listed": sorted(snapshot.files.keys() - {*tasks}),
    }
    if fault := "; ".join(f"{word}: {', '.join(found)}" for word, found in faults.items() if found):
        problems.append(rules.SWEEP_TASK.broken(path, None, f"tasks {fault}"))
    # One answer for the whole table: its notes say what the last figures are, or a figure that no count can be.
    notes = " ".join(dict.fromkeys(line.note for line in lines))
    figures = [line for line in lines if any(" r" in text for text in line.texts.values())]
    is_broken = any(re.search(r" r\d+\.[1-9]", text) for line in figures for text in line.texts.values())
    are_means = _REACHED not in notes and (bool(_MEAN.search(notes)) or is_broken)
    if figures and not are_means and _REACHED not in notes:
        problems.append(rules.SWEEP_UNCLEAR.broken(path, figures[0].number, f"`{_NOTE}` does not say what `r` is"))
    cells = {
        (line.task, agent): SweepCell.of(line.texts[column], are_means=are_means)
        for line in lines
        for column, agent in agents.items()
    }
    return Sweep(path, cells), problems


def _read_lines(path: Path) -> tuple[list[str], list[_Line], list[Problem]]:
    """The columns that are about agents; the lines that follow the grammar; and what is wrong with the others."""
    text = TextLines(path)
    rows = text.rows(rules.SWEEP_CELL)
    _, header = next(rows, (1, list[str]()))
    if header[:2] != _FIRST and not text.problems:
        what = f"the first line begins with `{','.join(header[:2])}`, not with `{','.join(_FIRST)}`"
        return [], [], [rules.SWEEP_CELL.broken(path, 1, what)]
    lines, problems = [], []
    for number, cells in rows:
        named = dict(zip(header, cells, strict=False))
        texts = {column: cell.strip() for column, cell in named.items() if column not in {*_FIRST, _NOTE}}
        wrong = [f"`{cell}`" for cell in texts.values() if cell != EXCLUDED and not _CELL.fullmatch(cell)]
        if len(cells) != len(header):
            problems.append(rules.SWEEP_CELL.broken(path, number, f"{len(cells)} cells under {len(header)} columns"))
        elif wrong:
            problems.append(rules.SWEEP_CELL.broken(path, number, f"{', '.join(wrong)} can't be read"))
        else:
            lines.append(_Line(number, named["task"], texts, named.get(_NOTE, "")))
    if text.problems:
        return [], [], text.problems
    return [column for column in header[2:] if column != _NOTE], lines, problems
