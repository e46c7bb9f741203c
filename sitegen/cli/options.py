"""Options and arguments that several commands share, as typer reads them.

Where an option has no name here, its name is that of the command's parameter.
"""

import os
from pathlib import Path
from typing import Annotated

import typer

JOBS = os.cpu_count() or 1
"""Default of `--jobs`."""

AddressArgument = Annotated[str, typer.Argument(help="BENCHMARK/TRACK/SUBMISSION, as on the site.")]
PathsArgument = Annotated[
    list[Path] | None, typer.Argument(help="Results folders, benchmarks or bundles.")
]
ResultsOption = Annotated[Path, typer.Option("--results", help="The results folder.")]

SiteOption = Annotated[Path, typer.Option("--site", help="The folder that the site is to have.")]
JobsOption = Annotated[
    int, typer.Option("--jobs", min=1, help="Processes that render pages side by side.")
]
AllowOption = Annotated[
    bool, typer.Option("--allow-problems", help="Publish what has errors, marked as such.")
]
CacheOption = Annotated[
    Path,
    typer.Option(
        "--cache",
        help="The folder for what the next build can use; not in the results or the site.",
    ),
]
PortOption = Annotated[int, typer.Option(min=0, max=65535, help="Port on localhost.")]
