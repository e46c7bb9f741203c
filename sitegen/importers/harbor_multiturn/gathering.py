"""Gathers what counts of a source: its runs told apart by kind, each with its agent, its task and its rounds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.importers.harbor.book import read_tasks
from sitegen.importers.harbor.choice import HarborChoice
from sitegen.importers.harbor.survey import Survey
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.assignment import Assignment, assign
from sitegen.importers.harbor_multiturn.course import Course, course_of
from sitegen.importers.harbor_multiturn.doubts import doubt_course, doubt_kinds
from sitegen.importers.harbor_multiturn.entrants import by_entrant, chosen, roster_of
from sitegen.importers.harbor_multiturn.finder import Found, find
from sitegen.importers.harbor_multiturn.kinds import KINDS, Kind, Lineage, kind_of
from sitegen.importers.harbor_multiturn.notes import note_found
from sitegen.importers.harbor_multiturn.runs import Run, read_run
from sitegen.importers.harbor_multiturn.showing import Showing, Sorted, showing_of
from sitegen.importers.kit.agents import Entrant, Roster
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.tree import Tree
from sitegen.models.task import Task


@dataclass(frozen=True, slots=True)
class Gathered:
    """What counts of a source.

    Attributes:
        showings: What each agent that is asked for has to show, in the order of their names.
        tasks: The tasks that anybody ran, by id, in the order of their ids.
        idle: Ids of the tasks that are defined and that nobody ran.
        roster: The agents of the source.
        lineage: Finds what a run goes on from.
    """

    showings: Sequence[Showing]
    tasks: Mapping[str, Task]
    idle: Sequence[str]
    roster: Roster
    lineage: Lineage


@dataclass(frozen=True, slots=True)
class Kinds:
    """The runs of a source, told apart."""

    found: Found
    of_run: Mapping[Path, Kind]
    """By the run's folder."""
    counting: Sequence[Run]
    """The runs of the kinds that count, in the order of their paths."""
    lineage: Lineage


def told_apart(tree: Tree, report: Report) -> Kinds:
    """Find the runs of a source and tell their kinds apart."""
    found = find(tree)
    runs = []
    for folder in found.runs:
        run, problems = read_run(folder, tree)
        runs.append(run)
        report.problems += problems
    report.problems += tree.problems()
    lineage = Lineage.of(runs)
    of_run = {run.path: kind_of(run, lineage) for run in runs}
    by_kind = {kind: [run for run in runs if of_run[run.path] == kind] for kind in KINDS}
    note_found(found, by_kind, report)
    doubt_kinds(by_kind, report)
    return Kinds(found, of_run, [run for run in runs if not KINDS[of_run[run.path]].why], lineage)


def gathered(kinds: Kinds, tasks: Path | None, options: ImportOptions, report: Report) -> Gathered:
    """Gather what counts.

    Args:
        kinds: The runs.
        tasks: The folder of the tasks; None where the source holds them.
        options: Which agents are meant.
        report: Takes what is wrong.

    Raises:
        UsageError: The agent that is asked for is not here, or the folder of the tasks is none.
    """
    wanted = chosen(kinds.counting, options)
    paths = {run.path for run in wanted}
    others = [run.path for run in kinds.counting if run.path not in paths]
    report.passed_over("another model than the one asked for", others)
    book, problems = read_tasks(Survey(tasks=kinds.found.definitions), HarborChoice(tasks))
    report.problems += problems
    assignment = assign(kinds.counting, book, report)
    roster = roster_of(wanted, options)
    sorter = _Sorter(kinds, assignment, report)
    showings = [sorter.showing(*each) for each in by_entrant(wanted, roster, options).items()]
    shown = [showing for showing in showings if showing.courses]
    return Gathered(shown, *assignment.divided(kinds.counting), roster, kinds.lineage)


@dataclass(frozen=True, slots=True)
class _Sorter:
    """Sorts the runs of an agent by task and kind."""

    kinds: Kinds
    assignment: Assignment
    report: Report

    def showing(self, entrant: Entrant, runs: Sequence[Run]) -> Showing:
        """Lay out what an agent has to show."""
        if not entrant.name:
            for run in runs:
                self.report.doubt(rules.AGENT_UNKNOWN, run.path, self.report.name(run.path))
        return showing_of(entrant, self._sorted(entrant, runs), self.kinds.lineage)

    def _sorted(self, entrant: Entrant, runs: Iterable[Run]) -> list[Sorted]:
        found: dict[str, dict[Kind, list[Course]]] = {}
        for run in runs:
            name = self.assignment.of_run.get(run.path, "")
            task = self.assignment.tasks.get(name)
            if task is None:
                self.report.doubt(rules.TASK_UNKNOWN, run.path, self.report.name(run.path), name)
                continue
            course = course_of(run, Spot(entrant, task.id, self.report.name(run.path)), self.report)
            kind = self.kinds.of_run[run.path]
            if doubt_course(course, kind, task, self.report):
                found.setdefault(name, {}).setdefault(kind, []).append(course)
        return [Sorted(task, courses) for task, courses in sorted(found.items())]
