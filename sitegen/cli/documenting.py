"""The command that builds the documentation."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.console import print_lines, show_progress, show_steps, today
from sitegen.cli.options import CACHE_FOLDER, JOBS, JobsOption
from sitegen.problems.commands import display_path

DocsFolderOption = Annotated[
    Path, typer.Option("--site", help="The folder to write the documentation to.")
]


def docs(
    site: DocsFolderOption = Path("docs"),
    jobs: JobsOption = JOBS,
) -> None:
    """Build the documentation of this version as a site, with a simulated board as an example."""
    from sitegen.importers.simulation import simulate
    from sitegen.importers.simulation.benchmark import SimulationScale
    from sitegen.pipeline.build_options import BuildOptions, BuildProgress
    from sitegen.pipeline.building import build
    from sitegen.pipeline.importing import apply_import
    from sitegen.publish.projects.project import Project, program_resources

    with tempfile.TemporaryDirectory(prefix="sitegen-docs-") as folder:
        home = Path(folder).resolve()
        results = home / "results"
        scale = SimulationScale(agents=3, tasks=4, attempts=1, seed=1)
        apply_import(simulate(scale), results)
        options = BuildOptions(site, today(), jobs, cache=home / CACHE_FOLDER)
        project = Project(program_resources())
        with show_steps("reading bundles") as reading, show_progress("writing pages") as writing:
            built = build(results, project, options, BuildProgress(reading, writing))
    print_lines(f"Built the documentation. Open {display_path(built.site / 'docs' / 'index.html')}")
