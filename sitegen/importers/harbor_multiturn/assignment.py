"""Which task each run was about, and how many rounds that task has."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.importers.harbor.book import Taskbook
from sitegen.importers.harbor.tasks import task_id
from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.runs import Run
from sitegen.importers.kit.report import Report, Spot
from sitegen.models.task import Task, TaskRound
from sitegen.problems import counted


@dataclass(frozen=True, slots=True)
class Assignment:
    """The tasks of runs.

    Attributes:
        tasks: Every task that is defined or was run, by their id, in the order of their ids.
        of_run: Id of the task that a run was about, by the run's folder.
    """

    tasks: Mapping[str, Task]
    of_run: Mapping[Path, str]

    def divided(self, runs: Iterable[Run]) -> tuple[dict[str, Task], list[str]]:
        """Give the tasks that some runs were about, by id; and the ids of the others."""
        ran = {self.of_run.get(run.path) for run in runs}
        tasks = {name: task for name, task in self.tasks.items() if name in ran}
        return tasks, [name for name in self.tasks if name not in ran]


def assign(runs: Sequence[Run], book: Taskbook, report: Report) -> Assignment:
    """Find each run its task.

    How many rounds a task has is known from its definition. Where that is missing, it follows from the runs that
    were to go through all of them: they state where the rounds that they were scored on end.

    Args:
        runs: The runs that count.
        book: The tasks that are defined.
        report: Takes what can't be told.
    """
    of_run = {run.path: name for run in runs if (name := _task_of(run, book))}
    tasks = {name: each.task for name, each in book.tasks.items() if each.is_chain}
    for name in sorted(set(of_run.values()) - tasks.keys()):
        task = _derived(name, filter(lambda run: of_run.get(run.path) == name, runs))
        if task is not None:
            tasks[name] = task
            report.doubt(rules.ROUNDS_ASSUMED, report.root, Spot(None, name, name), counted(len(task.rounds), "round"))
    return Assignment(dict(sorted(tasks.items())), of_run)


def _task_of(run: Run, book: Taskbook) -> str | None:
    """Give the id of the task of a run; never by the name of its folder, which is cut."""
    stated = list(_stated(run))
    defined = book.find([*stated, *reversed(run.job)])
    return defined.task.id if defined else next((task_id(name) for name in stated if task_id(name)), None)


def _stated(run: Run) -> Iterator[str]:
    """Give the names that a run has for its task, the surest first."""
    references = (run.result.task_id, run.settings.task)
    name = run.result.task_name or ""
    names = [name for each in references if each for name in each.names if name]
    for each in (name, *names, name.rpartition("/")[2], run.task_folder):
        if each:
            yield each


def _derived(name: str, runs: Iterable[Run]) -> Task | None:
    """Make a task with the rounds that whole runs were scored on; None where there is no such run."""
    windows = (run.result.verifier_result for run in runs if run.is_whole)
    ends = [each.aggregate_window_end or 0 for each in windows if each]
    last = max(ends, default=0)
    return Task(name, tuple(TaskRound(number) for number in range(1, last + 1))) if last else None
