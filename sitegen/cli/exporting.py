"""The command that hands rows on to others."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from sitegen.cli.console import say, say_note, shown_path, today
from sitegen.pipeline import exporting
from sitegen.problems import UsageError, counted
from sitegen.publish.builder import settings_in, site_in
from sitegen.publish.project import find_project

_DATASET_HELP = (
    "The benchmark's dataset on the Hub (huggingface): ORG/NAME, or BENCHMARK=ORG/NAME once for each of several "
    "benchmarks; else its homepage tells."
)


def export(
    form: Annotated[Literal["every-eval-ever", "huggingface"], typer.Argument(metavar="FORMAT")],
    path: Annotated[
        Path, typer.Argument(help="A results folder, a benchmark's folder or a bundle.")
    ],
    into: Annotated[
        Path, typer.Option("--into", help="The folder that the files go to; made when absent.")
    ],
    dataset: Annotated[list[str] | None, typer.Option("--dataset", help=_DATASET_HELP)] = None,
) -> None:
    """Write the rows that stand as every-eval-ever or huggingface has them, each with its page as the source."""
    if not path.exists():
        raise UsageError(f"{path} does not exist; name a results folder, a benchmark or a bundle")
    if dataset and form != "huggingface":
        raise UsageError(f"--dataset can't be used with {form}")
    selection = exporting.rows_at(path, today())
    site = site_in(settings_in(find_project(Path.cwd()).settings))
    if not site.address:
        say_note("mkdocs.yml has no `site_url`: rows can't name their pages as the source")
    if form == "huggingface":
        exported = exporting.for_hugging_face(selection, site, dataset or ())
        say_note(
            "`evaluation_framework` of eval.yaml is to be a name from the Hub's list; look at it before you send it"
        )
    else:
        exported = exporting.for_every_eval_ever(selection, site)
    for note in exported.notes:
        say_note(note)
    exporting.write(exported.files, into)
    say(
        f"{counted(exported.rows, 'row')} in {shown_path(into)}",
        *(f"  {name}" for name in sorted(exported.files)),
    )
