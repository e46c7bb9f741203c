"""The command that exports rows in the formats of other sites."""

from pathlib import Path
from typing import Annotated, Literal, assert_never

import typer

from sitegen.cli.console import print_lines, print_note, today
from sitegen.cli.options import ResultsOption, complete_addresses
from sitegen.problems import UsageError, counted
from sitegen.problems.commands import display_path

ExportFormat = Literal["every-eval-ever", "huggingface"]

FormatArgument = Annotated[
    ExportFormat,
    typer.Argument(metavar="FORMAT", help="The format to write: every-eval-ever or huggingface."),
]
PathArgument = Annotated[
    str,
    typer.Argument(
        metavar="PATH|ADDRESS",
        autocompletion=complete_addresses,
        help="A results folder, a benchmark or a submission, given as a folder or an address.",
    ),
]
IntoOption = Annotated[
    Path,
    typer.Option(
        "--into", metavar="DIR", help="The folder to write to; it is created if it does not exist."
    ),
]
DatasetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset",
        help="The benchmark's dataset on the Hub (huggingface): ORG/NAME, or BENCHMARK=ORG/NAME "
        "once for each of several benchmarks; by default, the dataset that the benchmark links to.",
    ),
]


def export(
    form: FormatArgument,
    path: PathArgument,
    into: IntoOption,
    dataset: DatasetOption = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Export published submissions to the format of Every Eval Ever or Hugging Face."""
    from sitegen.pipeline import exporting
    from sitegen.pipeline.addressing import folder_named
    from sitegen.publish.projects.project import find_project
    from sitegen.publish.site.authored import settings_in, site_in

    folder = folder_named(path, results)
    if dataset and form != "huggingface":
        raise UsageError(f"--dataset can't be used with {form}")
    selection = exporting.rows_at(folder, today())
    site = site_in(settings_in(find_project(Path.cwd()).settings))
    if not site.address:
        print_note(
            "mkdocs.yml has no `site_url`, so the exported records can't link to their pages"
        )
    match form:
        case "huggingface":
            exported = exporting.for_hugging_face(selection, site, dataset or ())
            print_note(
                "`evaluation_framework` in eval.yaml must be a name from the Hub's list; "
                "check it before you send the file"
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
