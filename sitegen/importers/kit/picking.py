"""Keeps only the tasks that the importing person names with `--task`."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.problems import UsageError, listed

if TYPE_CHECKING:
    from sitegen.importers.kit.rounds import Source


def keep_tasks(sources: Sequence["Source"], options: ImportOptions) -> None:
    """Take from sources every task that is not asked for.

    Args:
        sources: The parts of an import, which share their tasks.
        options: Holds the names that were asked for: the names of tasks in the source, their ids or titles.

    Raises:
        UsageError: There is no task of such a name; the message lists those that there are.
    """
    ids = sources[0].ids(options)
    titles = dict(sources[0].titles)
    for name, task in sources[0].tasks.items():
        if task.title:
            titles.setdefault(name, task.title)
    wanted = picked_names(ids, titles, options)
    for source in sources:
        _keep(source, wanted, len(ids))


def picked_names(
    ids: Mapping[str, str], titles: Mapping[str, str], options: ImportOptions
) -> Collection[str]:
    """Return the names of the tasks that are asked for.

    Args:
        ids: The id of each task, by its name in the source.
        titles: What readers see of a task, by its name.
        options: Holds the names that were asked for; if there are none, all tasks are.

    Raises:
        UsageError: There is no task of such a name; the message lists those that there are.
    """
    if not options.task_names:
        return set(ids)
    names_by_title = {titles[name]: name for name in ids if name in titles}
    names_by_id = {task_id: name for name, task_id in ids.items()}
    own_names = {name: name for name in ids}
    names_by_spelling = names_by_title | names_by_id | own_names
    unknown = [name for name in options.task_names if name not in names_by_spelling]
    if unknown:
        asked = ", ".join(map(one_line, unknown))
        raise UsageError(f"the source has no task {asked}; it has: {listed(map(one_line, ids))}")
    return {names_by_spelling[name] for name in options.task_names}


def _keep(source: "Source", wanted: Collection[str], total: int) -> None:
    """Keep the wanted tasks of one part of an import, of which there were `total`."""
    source.tasks = {name: task for name, task in source.tasks.items() if name in wanted}
    for run in source.runs:
        run.planned = _named(run.planned, wanted)
        run.missing = _named(run.missing, wanted)
        run.results = {place: result for place, result in run.results.items() if place[0] in wanted}
        run.failures = [failure for failure in run.failures if failure.task in wanted]
        run.figures = [figures for figures in run.figures if figures.task in wanted]
        run.files = {place: path for place, path in run.files.items() if place[0] in wanted}
        if run.claims and run.claims.tasks is None and len(wanted) < total:
            run.claims = run.claims.model_copy(update={"tasks": total})
    source.runs = [run for run in source.runs if run.results or run.planned or run.missing]


def _named(names: Iterable[str], wanted: Collection[str]) -> list[str]:
    return [name for name in names if name in wanted]
