"""The command that labels the tasks of a set from a table."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sitegen.cli.console import display_path, print_lines
from sitegen.cli.options import ResultsOption
from sitegen.problems import counted, listed

if TYPE_CHECKING:
    from sitegen.pipeline.labelling import Labelling

_MAX_NAMED = 5


def label(
    table: Annotated[
        Path,
        typer.Argument(metavar="TABLE", help="A table with a column for the task: CSV, JSON, …"),
    ],
    benchmark: Annotated[str, typer.Option(help="Id of the benchmark.")],
    axis: Annotated[
        list[str], typer.Option("--label", metavar="AXIS", help="A column with a label.")
    ],
    tasks: Annotated[str | None, typer.Option(help="Name of the task set, if several.")] = None,
    results: ResultsOption = Path("results"),
    *,
    replace: Annotated[
        bool, typer.Option("--replace", help="Change labels that tasks have already.")
    ] = False,
) -> None:
    """Label the tasks of a set by the columns of a table, and add the axes to the benchmark."""
    from sitegen.pipeline.labelling import LabelRequest, label_tasks

    request = LabelRequest(benchmark, axis, tasks, replaces=replace)
    labelling = label_tasks(table, results, request)
    print_lines(*_report(labelling, benchmark))
    print_lines(f"Check with `sitegen validate {display_path(results)}`")


def _report(labelling: "Labelling", benchmark: str) -> Iterator[str]:
    """Yield what became of the labels, a line each."""
    name = f"{benchmark}/tasks/{labelling.task_set}.jsonl"
    yield f"{name}: labels of {counted(labelling.labelled, 'task')} written"
    if labelling.unchanged:
        yield f"{counted(labelling.unchanged, 'task')} had these labels already"
    if labelling.new_axes:
        yield f"{benchmark}/benchmark.toml: new axes {', '.join(labelling.new_axes)}"
    if labelling.unlabelled:
        tasks = counted(len(labelling.unlabelled), "task")
        yield f"without a label: {tasks}, {listed(labelling.unlabelled, _MAX_NAMED)}"
    if labelling.unknown:
        names = counted(len(labelling.unknown), "name")
        yield f"no such task: {names} of the table, {listed(labelling.unknown, _MAX_NAMED)}"
    if labelling.release is None or not labelling.labelled:
        return
    if labelling.locked_axes:
        axes = ", ".join(labelling.locked_axes)
        yield (
            f"release {labelling.release} has labels on {axes}: the next release says that labels "
            "changed, and scores by these axes may differ from the released ones"
        )
    else:
        yield f"release {labelling.release} has none of these axes: no released score changes"
