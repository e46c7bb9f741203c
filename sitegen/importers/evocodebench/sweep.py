"""The table of sweeps beside the files: rounds passed by each agent at each task, and in later ones its tool calls."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.errors import Problem
from sitegen.importers import rules
from sitegen.importers.document import read_text
from sitegen.importers.evocodebench.files import Index
from sitegen.importers.evocodebench.run import Run
from sitegen.importers.evocodebench.sweep_lines import EXCLUDED, NOTE, SweepCell, SweepLine, read_lines
from sitegen.importers.roster import Roster
from sitegen.models.outcome import RunFigures


@dataclass(frozen=True, slots=True)
class Sweep:
    """The table of sweeps; empty where there is none."""

    path: Path
    cells: Mapping[tuple[str, str], SweepCell] = field(default_factory=dict)
    """By task and agent."""

    def excludes(self, task: str, agent: str) -> bool:
        """Whether the table says that a run does not count."""
        cell = self.cells.get((task, agent))
        return cell is not None and cell.passed is None

    def figures(self, agent: str, tasks: Sequence[str]) -> tuple[RunFigures, ...]:
        """Give what the table knows of an agent's runs at some tasks."""
        means = ((task, self.cells[task, agent].interactions) for task in tasks if (task, agent) in self.cells)
        return tuple(RunFigures(task, 1, interactions_per_round=mean) for task, mean in means if mean is not None)


def read_sweep(source: Path, index: Index, roster: Roster) -> tuple[Sweep, list[Problem]]:
    """Read the table of sweeps beside the published files, if there is one.

    Several tables are an error, for which of them belongs to the files can't be told from outside.
    """
    found = sorted(source.glob("sweep_*.csv"))
    if not found:
        return Sweep(source), []
    path = found[0]
    if len(found) > 1:
        what = f"{len(found)} tables of sweeps: {', '.join(each.name for each in found)}"
        return Sweep(path), [rules.SWEEP_SEVERAL.broken(source, None, what)]
    text, problems = read_text(path)
    if text is None:
        return Sweep(path), problems
    columns, lines, problems = read_lines(path, text)
    agents, unmatched = _agents(path, columns, roster)
    tasks = [task.task for task in index.tasks]
    problems += [*unmatched, *_line_problems(path, lines, tasks)]
    cells = {(line.task, agent): line.cell(column) for line in lines for column, agent in agents.items()}
    return Sweep(path, cells), problems


def _agents(path: Path, columns: Sequence[str], roster: Roster) -> tuple[dict[str, str], list[Problem]]:
    """Find the agent of each column."""
    agents = {column: agent for column in columns if (agent := roster.find(column))}
    found = [roster.find(column) for column in columns]
    problems = [
        rules.SWEEP_COLUMN_TWICE.broken(path, 1, f"{agent} has {found.count(agent)} columns")
        for agent in dict.fromkeys(agents.values())
        if found.count(agent) > 1
    ]
    unmatched = [column for column in columns if column not in agents]
    if unmatched:
        what = f"no agent of the index is called {', '.join(unmatched)}"
        problems.append(rules.SWEEP_COLUMN.broken(path, 1, what))
    return agents, problems


def _line_problems(path: Path, lines: Sequence[SweepLine], tasks: Sequence[str]) -> Iterator[Problem]:
    """Say which lines do not fit the tasks, and whether their last figure can be told."""
    named = [line.task for line in lines]
    faults = {
        "unknown": [task for task in named if task not in tasks],
        "listed several times": [task for task in dict.fromkeys(named) if named.count(task) > 1],
        "not listed": [task for task in tasks if task not in named],
    }
    told = "; ".join(f"{word}: {', '.join(found)}" for word, found in faults.items() if found)
    if told and lines:
        yield rules.SWEEP_TASK.broken(path, None, f"tasks {told}")
    unclear = next((line.number for line in lines if line.unclear), None)
    if unclear:
        yield rules.SWEEP_UNCLEAR.broken(path, unclear, f"`{NOTE}` does not say what `r` is")


def sweep_problems(sweep: Sweep, runs: Sequence[Run]) -> Iterator[Problem]:
    """Say once for which runs the table counts other rounds than the task files tell of."""
    apart = []
    for run in runs:
        cell = sweep.cells.get((run.task, run.agent))
        if cell is None or (cell.passed is None and run.excluded):
            continue
        if (cell.passed, cell.rounds) != (run.passed, len(run.cells)):
            stated = EXCLUDED if cell.passed is None else f"{cell.passed}/{cell.rounds}"
            apart.append(f"{run.agent} at {run.task}: {stated} here, {run.passed}/{len(run.cells)} in the file")
    if apart:
        yield rules.SWEEP_DIFFERS.broken(sweep.path, None, f"other rounds are counted for {'; '.join(apart)}")
