"""The command that makes the documentation."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.building import JOBS, JobsOption
from sitegen.cli.console import progress, say, shown_path, today
from sitegen.importers.simulation import simulate
from sitegen.importers.simulation.benchmark import Scale
from sitegen.pipeline.build_options import BuildOptions, BuildProgress
from sitegen.pipeline.building import build
from sitegen.pipeline.importing import bring_in
from sitegen.publish.cache import FOLDER
from sitegen.publish.project import Project, program_parts


def docs(
    site: Annotated[Path, typer.Option("--site", help="The folder that it is to have.")] = Path(
        "docs"
    ),
    jobs: JobsOption = JOBS,
) -> None:
    """Build the documentation of this version as a site of its own, with a simulated board as its example."""
    with tempfile.TemporaryDirectory(prefix="sitegen-docs-") as folder:
        home = Path(folder).resolve()
        bring_in(simulate(Scale(agents=3, tasks=4, attempts=1, seed=1)), home / "results")
        with progress("reading bundles") as reading, progress("writing pages") as writing:
            order = BuildOptions(site, today(), jobs, cache=home / FOLDER)
            built = build(
                home / "results", Project(program_parts()), order, BuildProgress(reading, writing)
            )
    say(f"{shown_path(built.site / 'submit' / 'index.html')} is where it begins")
