"""The command that labels the tasks of a task set from a table."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sitegen.cli.console import print_lines
from sitegen.cli.options import ResultsOption
from sitegen.problems import agreeing, counted, listed
from sitegen.problems.commands import display_path, validate_command

if TYPE_CHECKING:
    from sitegen.pipeline.labelling import Labelling

_MAX_NAMED = 5


def label(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            help="A table (CSV, JSON, …) with a column that names the task and a column per label.",
        ),
    ],
    benchmark: Annotated[str, typer.Option(help="Id of the benchmark.")],
    axis: Annotated[
        list[str],
        typer.Option(
            "--label", metavar="AXIS", help="Name of a column with labels; may be repeated."
        ),
    ],
    tasks: Annotated[
        str | None, typer.Option(help="Name of the task set, if the benchmark has more than one.")
    ] = None,
    results: ResultsOption = Path("results"),
    *,
    replace: Annotated[
        bool, typer.Option("--replace", help="Also change labels that tasks already have.")
    ] = False,
) -> None:
    """Label tasks from the columns of a table, and add new axes and values to the benchmark."""
    from sitegen.pipeline.labelling import LabelRequest, label_tasks

    request = LabelRequest(benchmark, axis, tasks, replaces=replace)
    labelling = label_tasks(table, results, request)
    print_lines(*_report(labelling, display_path(results / benchmark)))
    print_lines(f"Check with `{validate_command(results)}`")


def _report(labelling: "Labelling", folder: str) -> Iterator[str]:
    """Yield a report of the added labels, line by line.

    Args:
        labelling: The outcome of the command.
        folder: The benchmark's folder, as displayed.
    """
    name = f"{folder}/tasks/{labelling.task_set}.jsonl"
    if labelling.labelled:
        yield f"{name}: wrote the labels of {counted(labelling.labelled, 'task')}"
    else:
        yield f"{name}: nothing changed"
    if labelling.unchanged:
        yield f"{counted(labelling.unchanged, 'task')} already had these labels"
    if labelling.new_axes:
        axes_noun = agreeing(len(labelling.new_axes), "axis", "axes")
        yield f"{folder}/benchmark.toml: added the {axes_noun} {', '.join(labelling.new_axes)}"
    if labelling.unlabelled:
        tasks = counted(len(labelling.unlabelled), "task")
        verb = agreeing(len(labelling.unlabelled), "has", "have")
        yield f"{tasks} {verb} no label: {listed(labelling.unlabelled, _MAX_NAMED)}"
    if labelling.unknown:
        names = counted(len(labelling.unknown), "name")
        verb = agreeing(len(labelling.unknown), "matches", "match")
        yield f"{names} in the table {verb} no task: {listed(labelling.unknown, _MAX_NAMED)}"
    if labelling.release is None or not labelling.labelled:
        return
    if labelling.locked_axes:
        axes = ", ".join(labelling.locked_axes)
        yield (
            f"release {labelling.release} has labels on {axes}: the next release will say that the "
            "labels changed, and scores by these axes may differ from the released scores"
        )
    else:
        yield f"release {labelling.release} has none of these axes: no released score changes"
