"""Keep only the tasks that the user names with `--task`."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.models.outcome import Failure, RunFigures
from sitegen.problems import UsageError, listed

if TYPE_CHECKING:
    from sitegen.importers.kit.rounds import AgentResults, ImportSource

AboutTask = TypeVar("AboutTask", Failure, RunFigures)
Key = TypeVar("Key", bound=tuple[object, ...])
Value = TypeVar("Value")


def keep_tasks(sources: Sequence["ImportSource"], options: ImportOptions) -> None:
    """Remove the tasks that were not requested from all parts of an import.

    Args:
        sources: The parts of an import, which share their tasks.
        options: The requested tasks: names in the source, ids or titles.

    Raises:
        UsageError: A task does not exist; the message lists the existing tasks.
    """
    ids = sources[0].ids(options)
    titles = dict(sources[0].titles)
    for name, task in sources[0].tasks.items():
        if task.title:
            titles.setdefault(name, task.title)
    wanted = picked_names(ids, titles, options)
    for source in sources:
        source.tasks = {name: task for name, task in source.tasks.items() if name in wanted}
        for run in source.runs:
            _keep_tasks_of_run(run, wanted, len(ids))
        source.runs = [run for run in source.runs if run.results or run.planned or run.missing]


def picked_names(
    ids: Mapping[str, str], titles: Mapping[str, str], options: ImportOptions
) -> Collection[str]:
    """Return the names of the requested tasks.

    Args:
        ids: The id of each task, by its name in the source.
        titles: The title of each task, by its name in the source.
        options: The requested tasks; empty for all tasks.

    Raises:
        UsageError: A task does not exist; the message lists the existing tasks.
    """
    if not options.task_names:
        return set(ids)
    # A name in the source takes precedence over an equal id, and an id over an equal title.
    names_by_spelling = {titles[name]: name for name in ids if name in titles}
    names_by_spelling.update(zip(ids.values(), ids, strict=True))
    names_by_spelling.update(zip(ids, ids, strict=True))
    unknown = [name for name in options.task_names if name not in names_by_spelling]
    if unknown:
        asked = ", ".join(map(one_line, unknown))
        raise UsageError(f"the source has no task {asked}; it has: {listed(map(one_line, ids))}")
    return {names_by_spelling[name] for name in options.task_names}


def _keep_tasks_of_run(run: "AgentResults", wanted: Collection[str], task_count: int) -> None:
    """Remove the unwanted tasks from a run.

    Args:
        run: The run.
        wanted: Names of the tasks to keep.
        task_count: The number of tasks in the source, all of which the run's claims cover.
    """
    run.planned = [name for name in run.planned if name in wanted]
    run.missing = [name for name in run.missing if name in wanted]
    run.results = _select_values(run.results, wanted)
    run.failures = _select_records(run.failures, wanted)
    run.figures = _select_records(run.figures, wanted)
    run.files = _select_values(run.files, wanted)
    if run.claims and run.claims.tasks is None and len(wanted) < task_count:
        run.claims = run.claims.model_copy(update={"tasks": task_count})


def _select_records(records: Iterable[AboutTask], wanted: Collection[str]) -> list[AboutTask]:
    """Return the records of the wanted tasks."""
    return [record for record in records if record.task in wanted]


def _select_values(values: Mapping[Key, Value], wanted: Collection[str]) -> dict[Key, Value]:
    """Return the values whose key begins with a wanted task."""
    return {key: value for key, value in values.items() if key[0] in wanted}
