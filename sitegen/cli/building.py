"""The command that builds the site."""

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from sitegen.cli.console import (
    count_bundles,
    count_problems,
    print_lines,
    print_note,
    require_results,
    show_progress,
    show_steps,
    today,
)
from sitegen.cli.options import (
    CACHE_FOLDER,
    JOBS,
    AllowOption,
    CacheOption,
    JobsOption,
    ResultsOption,
    SiteOption,
    complete_benchmarks,
)
from sitegen.problems import counted
from sitegen.problems.commands import display_path, results_option, validate_command
from sitegen.reading.collector import collector_off

if TYPE_CHECKING:
    from sitegen.pipeline.build_options import BuildOptions

ParquetOption = Annotated[
    bool, typer.Option("--parquet", help="Also publish scores, rounds and cases as Parquet files.")
]
LinksOption = Annotated[bool, typer.Option("--check-links", help="Check every link of every page.")]
BenchmarksOption = Annotated[
    list[str] | None,
    typer.Option(
        "--benchmark",
        metavar="ID",
        autocompletion=complete_benchmarks,
        help="Build only this benchmark; may be repeated.",
    ),
]
SchedulerOption = Annotated[
    str,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Address of a Dask scheduler whose workers read the bundles; needs the extra `dask`.",
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
    from sitegen.pipeline.build_options import BuildOptions

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
    _note_missing_address()


def _note_missing_address() -> None:
    """Print a note about the missing parts of a site if its settings have no `site_url`."""
    from sitegen.publish.projects.project import find_project
    from sitegen.publish.site.authored import settings_in, site_in

    project = find_project(Path.cwd())
    if not site_in(settings_in(project.settings)).address:
        print_note(
            "mkdocs.yml sets no `site_url`, so the sitemap is empty, and feeds, citations, badges "
            "and link previews have no full addresses; set it before you publish the site"
        )


def build_and_report(results: Path, options: "BuildOptions") -> None:
    """Build the site of the project around the working directory, and print the outcome.

    Raises:
        UsageError: There are no results.
    """
    with collector_off():  # imported modules stay
        from sitegen.pipeline import building
        from sitegen.pipeline.build_options import BuildProgress
        from sitegen.publish.projects.project import find_project
        from sitegen.publish.site.hosts import near_limits
        from sitegen.publish.site.page_weight import heavy_pages

    require_results(results)
    project = find_project(Path.cwd())
    with (
        show_steps("reading bundles", count_bundles([results])) as reading,
        show_progress("writing pages") as writing,
    ):
        built = building.build(results, project, options, BuildProgress(reading, writing))
    if built.problems:
        counts = count_problems(built.problems)
        command = validate_command(results)
        if all(problem.severity == "note" for problem in built.problems):
            command += " --notes"
        print_lines(f"{counts}; `{command}` lists them")
    for warning in (*near_limits(built.sizes), *heavy_pages(built.site, built.sizes)):
        print_lines(warning)
    index = display_path(built.site / "index.html")
    folder = display_path(built.site)
    serve = "sitegen serve"
    if options.site != Path("site"):
        serve += f" --site {quote(folder)}"
    serve += results_option(results)
    print_lines(f"Built {counted(built.pages, 'page')}. Open {index}, or run `{serve}`")
