"""Options and arguments that several commands share, in the form that typer reads.

An option without its own name is named after the command's parameter.
"""

import os
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

JOBS = os.cpu_count() or 1
"""The default of `--jobs`."""

# These values repeat definitions in the pipeline, which would take too long to import for a
# command's help; a test keeps both equal.
CACHE_FOLDER = ".sitegen"
SCHEMA_NAMES = (
    "benchmark",
    "task",
    "submission",
    "round",
    "run",
    "failure",
    "reported",
    "findings",
    "agents",
    "release",
    "arrival",
    "check",
    "registration",
)
DEMO_AGENTS = 8
DEMO_TASKS = 9
DEMO_ATTEMPTS = 1
DEMO_SEED = 0
Protocol = Literal["chain", "fail-stop", "once"]
Host = Literal["github", "gitlab"]
Kind = Literal["one-shot", "attempts", "multi-round", "table"]
Pick = Literal["latest", "first"]


def parse_day(text: str) -> datetime:
    """Return the date of an option given as YYYY-MM-DD.

    Raises:
        BadParameter: The text is not a date in this format.
    """
    try:
        if len(text) == len("YYYY-MM-DD"):
            return datetime.strptime(text, "%Y-%m-%d")  # noqa: DTZ007 - a day has no time zone
    except ValueError:
        pass
    raise typer.BadParameter(f'write the date as YYYY-MM-DD, not "{text}"')


def complete_addresses(beginning: str) -> list[str]:
    """Return the addresses in results/ that start with the typed text, for shell completion."""
    from sitegen.pipeline.addressing import submission_folders

    addresses = [folder.address for folder in submission_folders(Path("results"))]
    return [address for address in addresses if address.startswith(beginning)]


def complete_benchmarks(beginning: str) -> list[str]:
    """Return the benchmarks in results/ that start with the typed text, for shell completion."""
    from sitegen.pipeline.selecting import benchmark_ids

    return [name for name in benchmark_ids(Path("results")) if name.startswith(beginning)]


AddressArgument = Annotated[
    str,
    typer.Argument(
        metavar="ADDRESS",
        autocompletion=complete_addresses,
        help="The submission: BENCHMARK/TRACK/SUBMISSION as on the site, any unique part of it, or "
        "the submission's folder.",
    ),
]
PathsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATH|ADDRESS",
        autocompletion=complete_addresses,
        help="Results folders, benchmarks or submissions, given as folders or as addresses on the "
        "site; by default, the results folder.",
    ),
]
AuthorOption = Annotated[
    str | None,
    typer.Option(
        "--author",
        metavar="ACCOUNT",
        help="The account that opens the pull request, for example github:NAME; it is compared "
        "with the accounts of published submissions.",
    ),
]
ResultsOption = Annotated[
    Path, typer.Option("--results", "-r", metavar="DIR", help="The results folder.")
]

SiteOption = Annotated[
    Path, typer.Option("--site", metavar="DIR", help="The folder to build the site in.")
]
JobsOption = Annotated[
    int, typer.Option("--jobs", min=1, help="Number of processes that render pages.")
]
AllowOption = Annotated[
    bool, typer.Option("--allow-problems", help="Also publish results with errors, and mark them.")
]
CacheOption = Annotated[
    Path,
    typer.Option(
        "--cache",
        metavar="DIR",
        help="The folder for files that the next build can reuse; it must be outside the results "
        "and the site.",
    ),
]
PortOption = Annotated[
    int, typer.Option(min=0, max=65535, help="Port on localhost; 0 means any free port.")
]
