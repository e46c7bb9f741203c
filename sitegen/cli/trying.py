"""The command that shows arbitrary runs as a board."""

import shutil
import tempfile
import time
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.console import (
    print_lines,
    print_note,
    print_problems,
    show_progress,
    show_steps,
    today,
)
from sitegen.cli.import_options import (
    CatalogOption,
    ColumnOption,
    FormOption,
    LabelOption,
    MetricOption,
    ModelOption,
    PickOption,
    ResultOption,
    RunsArgument,
    RunsOption,
    ScaleOption,
    TaskOption,
    TasksOption,
    WideOption,
    choose_scores,
)
from sitegen.cli.options import JOBS, JobsOption, PortOption
from sitegen.cli.serving import serve_folder

NamelessAgentOption = Annotated[
    str | None, typer.Option(help="Name of the agent, if the runs do not name it.")
]
NoBrowserOption = Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")]
NoServeOption = Annotated[bool, typer.Option("--no-serve", help="Only build the site and keep it.")]


# There is one parameter per option, because typer reads options from the signature.
def try_(
    runs: RunsArgument,
    form: FormOption = None,
    model: ModelOption = None,
    agent: NamelessAgentOption = None,
    tasks: TasksOption = None,
    catalog: CatalogOption = None,
    task: TaskOption = None,
    result: ResultOption = None,
    metric: MetricOption = None,
    scale: ScaleOption = None,
    runs_are: RunsOption = None,
    pick: PickOption = None,
    column: ColumnOption = None,
    label: LabelOption = None,
    wide: WideOption = None,
    port: PortOption = 0,
    jobs: JobsOption = JOBS,
    *,
    no_browser: NoBrowserOption = False,
    no_serve: NoServeOption = False,
) -> None:
    """Show any runs as a board in the browser; the site is built in a temporary folder."""
    from sitegen.importers.kit.options import ImportOptions
    from sitegen.metrics.catalogue import METRICS
    from sitegen.pipeline import trying
    from sitegen.pipeline.build_options import BuildOptions, BuildProgress
    from sitegen.pipeline.destination import Runs

    source = Runs.of(runs, form)
    print_note(f"{runs} is read as {source.form}, {source.reason}")
    format_options = {
        "tasks": tasks,
        "catalog": catalog,
        "result": result,
        "column": column,
        "label": label,
        "wide": wide,
    }
    home = Path(tempfile.mkdtemp(prefix="sitegen-try-")).resolve()
    site = home / "site"
    try:
        with show_progress(f"reading {runs.name}") as watch:
            options = ImportOptions(
                today(),
                known_metrics=METRICS,
                model=model,
                agent=agent,
                instructions=True,
                watch=watch,
            )
            options = choose_scores(options, task, metric, scale, runs_are, pick)
            tried = trying.import_runs(source, home / "results", options, format_options)
        if tried.problems:
            print_problems(tried.problems)
        build_options = BuildOptions(home, today(), jobs)
        with show_steps("reading bundles") as reading, show_progress("writing pages") as writing:
            progress = BuildProgress(reading, writing)
            trying.build_board(home, tried.drafts, build_options, progress)
        if no_serve:
            print_lines(f"Open {site / 'index.html'}")
        else:
            _serve_until_interrupted(site, port, has_browser=not no_browser)
    finally:
        if not no_serve or not site.exists():
            shutil.rmtree(home, ignore_errors=True)


def _serve_until_interrupted(site: Path, port: int, *, has_browser: bool) -> None:
    """Serve a site until Ctrl-C, and open it in a browser if requested."""
    with serve_folder(site, port) as address:
        if has_browser:
            webbrowser.open(address)
        while True:
            time.sleep(1)
