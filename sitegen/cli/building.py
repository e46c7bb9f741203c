"""The command that builds the site."""

from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.console import (
    count_problems,
    display_path,
    print_lines,
    show_steps,
    today,
)
from sitegen.cli.options import (
    JOBS,
    AllowOption,
    CacheOption,
    JobsOption,
    ResultsOption,
    SiteOption,
)
from sitegen.pipeline import building
from sitegen.pipeline.build_options import BuildOptions, BuildProgress
from sitegen.problems import UsageError
from sitegen.publish.cache import CACHE_FOLDER
from sitegen.publish.hosts import near_limits
from sitegen.publish.project import find_project

ParquetOption = Annotated[
    bool, typer.Option("--parquet", help="Offer scores, rounds and cases as Parquet too.")
]
LinksOption = Annotated[
    bool, typer.Option("--check-links", help="Read every page again for links that lead nowhere.")
]
BenchmarksOption = Annotated[
    list[str] | None,
    typer.Option(
        "--benchmark",
        metavar="ID",
        help="Show this benchmark alone; repeat the option to show several.",
    ),
]
SchedulerOption = Annotated[
    str,
    typer.Option(
        "--scheduler",
        help="Address of a Dask scheduler whose workers read bundles; the extra `dask`.",
    ),
]


def build(
    results: ResultsOption = Path("results"),
    site: SiteOption = Path("site"),
    jobs: JobsOption = JOBS,
    *,
    allow_problems: AllowOption = False,
    parquet: ParquetOption = False,
    check_links: LinksOption = False,
    cache: CacheOption = Path(CACHE_FOLDER),
    scheduler: SchedulerOption = "",
    benchmark: BenchmarksOption = None,
) -> None:
    """Validate the results, recompute every score, and build the site."""
    options = BuildOptions(
        site,
        today(),
        jobs=jobs,
        allow_problems=allow_problems,
        has_parquet=parquet,
        check_links=check_links,
        cache=cache,
        scheduler=scheduler,
        benchmarks=tuple(benchmark or ()),
    )
    build_and_report(results, options)


def build_and_report(results: Path, options: BuildOptions) -> None:
    """Build the site of the project around the working directory, and print the outcome.

    Raises:
        UsageError: There are no results.
    """
    if not results.is_dir():
        raise UsageError(f"{results} does not exist; name a results folder")
    project = find_project(Path.cwd())
    with show_steps("reading bundles") as reading, show_steps("writing pages") as writing:
        built = building.build(results, project, options, BuildProgress(reading, writing))
    if built.problems:
        counts = count_problems(built.problems)
        print_lines(f"{counts}; `sitegen validate {display_path(results)}` lists them")
    for warning in near_limits(built.sizes):
        print_lines(warning)
    index = display_path(built.site / "index.html")
    folder = display_path(built.site)
    print_lines(f"{built.pages} pages in {folder}; open {index}, or run `sitegen serve`")
