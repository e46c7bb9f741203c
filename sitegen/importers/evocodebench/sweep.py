"""The table of sweeps beside the files: rounds passed by each agent at each task, and in later ones its tool calls."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.run import Run
from sitegen.importers.evocodebench.snapshot import Snapshot
from sitegen.importers.evocodebench.sweep_lines import EXCLUDED, NOTE, SweepCell, SweepLine, read_lines
from sitegen.importers.kit.agents import Roster, repeated
from sitegen.models.outcome import RunFigures
from sitegen.problems import Problem


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


def read_sweep(snapshot: Snapshot, roster: Roster) -> tuple[Sweep, list[Problem]]:
    """Read the table of sweeps beside the published files, if there is one.

    Several tables are an error, for which of them belongs to the files can't be told from outside.
    """
    found = sorted(snapshot.source.glob("sweep_*.csv"))
    if len(found) != 1:
        return Sweep(snapshot.source), list(_several(snapshot.source, found))
    (path,) = found
    columns, lines, problems = read_lines(path)
    if not columns:
        return Sweep(path), problems
    agents, unmatched = _agents(path, columns, roster)
    problems += [*unmatched, *_line_problems(path, lines, snapshot)]
    cells = {(line.task, agent): line.cell(column) for line in lines for column, agent in agents.items()}
    return Sweep(path, cells), problems


def _several(source: Path, found: Sequence[Path]) -> Iterator[Problem]:
    if found:
        what = f"{len(found)} tables of sweeps: {', '.join(each.name for each in found)}"
        yield rules.SWEEP_SEVERAL.broken(source, None, what)


def _agents(path: Path, columns: Sequence[str], roster: Roster) -> tuple[dict[str, str], list[Problem]]:
    """Find the agent of each column."""
    agents: dict[str, str] = {}
    problems: list[Problem] = []
    unmatched: list[str] = []
    for column in columns:
        agent = roster.find(column)
        if agent is None:
            unmatched.append(column)
        elif agent in agents.values():
            problems.append(rules.SWEEP_COLUMN_TWICE.broken(path, 1, f"{agent} has several columns"))
        else:
            agents[column] = agent
    if unmatched:
        what = f"no agent of the index is called {', '.join(unmatched)}"
        problems.append(rules.SWEEP_COLUMN.broken(path, 1, what))
    return agents, problems


def _line_problems(path: Path, lines: Sequence[SweepLine], snapshot: Snapshot) -> Iterator[Problem]:
    """Say which lines do not fit the tasks, and whether their last figure can be told."""
    named = [line.task for line in lines]
    faults = {
        "unknown": sorted(set(named) - snapshot.listed),
        "listed several times": repeated(named),
        "not listed": sorted(snapshot.files.keys() - set(named)),
    }
    told = "; ".join(f"{word}: {', '.join(found)}" for word, found in faults.items() if found)
    if told:
        yield rules.SWEEP_TASK.broken(path, None, f"tasks {told}")
    unclear = next((line for line in lines if line.unclear), None)
    if unclear:
        yield rules.SWEEP_UNCLEAR.broken(path, unclear.number, f"`{NOTE}` does not say what `r` is")


def sweep_problems(sweep: Sweep, runs: Sequence[Run]) -> Iterator[Problem]:
    """Say once for which runs the table counts other rounds than the task files tell of."""
    apart = [f"{run.agent} at {run.task}: {count}" for run in runs for count in other_count(sweep, run)]
    if apart:
        yield rules.SWEEP_DIFFERS.broken(sweep.path, None, f"other rounds are counted for {'; '.join(apart)}")


def other_count(sweep: Sweep, run: Run) -> Iterator[str]:
    """Say how many rounds of a run the table counts, where the task's file tells of others."""
    cell = sweep.cells.get((run.task, run.agent))
    if cell is None or (cell.passed is None and run.excluded):
        return
    if (cell.passed, cell.rounds) != (run.passed, len(run.cells)):
        stated = EXCLUDED if cell.passed is None else f"{cell.passed}/{cell.rounds}"
        yield f"{stated} here, {run.passed}/{len(run.cells)} in the file"
