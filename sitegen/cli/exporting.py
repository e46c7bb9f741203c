"""The command that exports rows in the formats of other sites."""

from pathlib import Path
from typing import Annotated, Literal, assert_never

import typer

from sitegen.cli.console import display_path, print_lines, print_note, today
from sitegen.pipeline import exporting
from sitegen.problems import UsageError, counted
from sitegen.publish.authored import settings_in, site_in
from sitegen.publish.project import find_project

ExportFormat = Literal["every-eval-ever", "huggingface"]

FormatArgument = Annotated[ExportFormat, typer.Argument(metavar="FORMAT")]
PathArgument = Annotated[
    Path, typer.Argument(help="A results folder, a benchmark's folder or a bundle.")
]
IntoOption = Annotated[
    Path, typer.Option("--into", help="The folder that the files go to; made when absent.")
]
DatasetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset",
        help="The benchmark's dataset on the Hub (huggingface): ORG/NAME, "
        "or BENCHMARK=ORG/NAME once for each of several benchmarks; else its homepage tells.",
    ),
]


def export(
    form: FormatArgument,
    path: PathArgument,
    into: IntoOption,
    dataset: DatasetOption = None,
) -> None:
    """Write the rows that stand as every-eval-ever or huggingface has them, each with its page as
    the source.
    """  # noqa: D205 - this sentence is the help
    if not path.exists():
        raise UsageError(f"{path} does not exist; name a results folder, a benchmark or a bundle")
    if dataset and form != "huggingface":
        raise UsageError(f"--dataset can't be used with {form}")
    selection = exporting.rows_at(path, today())
    site = site_in(settings_in(find_project(Path.cwd()).settings))
    if not site.address:
        print_note("mkdocs.yml has no `site_url`: rows can't name their pages as the source")
    match form:
        case "huggingface":
            exported = exporting.for_hugging_face(selection, site, dataset or ())
            print_note(
                "`evaluation_framework` of eval.yaml is to be a name from the Hub's list; "
                "look at it before you send it"
            )
        case "every-eval-ever":
            exported = exporting.for_every_eval_ever(selection, site)
        case _:
            assert_never(form)
    for note in exported.notes:
        print_note(note)
    exporting.write(exported.files, into)
    print_lines(f"{counted(exported.rows, 'row')} in {display_path(into)}")
    for name in sorted(exported.files):
        print_lines(f"  {name}")
