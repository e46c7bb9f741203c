"""The command that shows any runs as a board."""

import shutil
import tempfile
import time
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.building import JOBS, JobsOption, PortOption, served
from sitegen.cli.console import progress, say, say_note, say_problems, today, waiting
from sitegen.cli.importing import (
    CatalogOption,
    ColumnOption,
    FormOption,
    LabelOption,
    MetricOption,
    PickOption,
    ResultOption,
    RunsOption,
    ScaleOption,
    TaskOption,
    TasksOption,
    WideOption,
)
from sitegen.importers.kit.options import ImportOptions
from sitegen.metrics.catalogue import METRICS
from sitegen.pipeline import trying
from sitegen.pipeline.build_options import BuildOptions, BuildProgress
from sitegen.pipeline.destination import Runs


def try_(
    runs: Annotated[
        Path, typer.Argument(help="The folder that the runner wrote; for `table`, the file.")
    ],
    form: FormOption = None,
    model: Annotated[
        str | None, typer.Option(help="The one model to take, of runs of several.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="Name of the agent, where the runs tell none.")
    ] = None,
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
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Open no browser.")] = False,
    no_serve: Annotated[
        bool, typer.Option("--no-serve", help="Only build the site, and leave it there.")
    ] = False,
) -> None:
    """Show any runs as a board, in the browser: built in a folder of its own, which goes when you end it."""
    source = Runs.of(runs, form)
    own = {
        "tasks": tasks,
        "catalog": catalog,
        "result": result,
        "column": column,
        "label": label,
        "wide": wide,
    }
    say_note(f"{runs} is read as {source.form}: {source.reason}")
    home = Path(tempfile.mkdtemp(prefix="sitegen-try-")).resolve()
    try:
        with waiting(f"reading {runs.name}") as watch:
            options = ImportOptions(
                today(),
                known_metrics=METRICS,
                model=model,
                agent=agent,
                task_names=tuple(task or ()),
                metric=metric,
                scale=scale,
                runs=runs_are,
                pick=pick,
                instructions=True,
                watch=watch,
            )
            tried = trying.import_runs(source, home / "results", options, own)
        if tried.problems:
            say_problems(tried.problems)
        with progress("reading bundles") as reading, progress("writing pages") as writing:
            trying.build_board(
                home,
                tried.drafts,
                BuildOptions(home, today(), jobs),
                BuildProgress(reading, writing),
            )
        if no_serve:
            say(f"{home / 'site' / 'index.html'} shows it")
            return
        with served(home / "site", port) as address:
            if not no_browser:
                webbrowser.open(address)
            while True:
                time.sleep(1)
    finally:
        if not (no_serve and (home / "site").exists()):
            shutil.rmtree(home, ignore_errors=True)
