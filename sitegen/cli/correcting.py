"""Commands that correct what is published: nothing is edited, and what no longer stands says so."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.console import AddressArgument, ResultsOption, say, say_note, today, waiting
from sitegen.cli.importing import CatalogOption, FormOption, MetricOption, TaskOption, TasksOption
from sitegen.importers.kit.options import ImportOptions
from sitegen.pipeline import correcting
from sitegen.pipeline.correcting import Correction
from sitegen.pipeline.destination import Destination, Runs

DateOption = Annotated[
    datetime | None, typer.Option("--date", formats=["%Y-%m-%d"], help="Since when; else today.")
]
_CHANGED = "only [status] changed, in submission.toml and SHA256SUMS; commit both"


def withdraw(
    address: AddressArgument,
    reason: Annotated[str, typer.Option(help="Why; readers of the site see it.")],
    by: Annotated[str, typer.Option(help="Who decides it.")] = "the submitter",
    day: DateOption = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Take a submission off its board; its page stays and says why."""
    correction = Correction.of(address, results, today())
    correcting.withdraw(correction, by, reason, day.date() if day else today())
    say(f"{correction.bundle.id} is withdrawn: {_CHANGED}")


def supersede(
    old: Annotated[str, typer.Argument(help="BENCHMARK/TRACK/SUBMISSION that no longer stands.")],
    by: Annotated[str, typer.Option(help="The submission that replaces it: its id or address.")],
    reason: Annotated[str | None, typer.Option(help="Why; readers of the site see it.")] = None,
    day: DateOption = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Let a submission stand in the place of another one, whose page stays and names it."""
    correction = Correction.of(old, results, today())
    new = correcting.supersede(correction, by, reason, day.date() if day else today())
    say(f"{correction.bundle.id} is superseded by {new}: {_CHANGED}")


def add_attempt(
    address: AddressArgument,
    runs: Annotated[
        Path,
        typer.Argument(
            help="The folder (`table`: the file) that the runner wrote: of that agent alone."
        ),
    ],
    form: FormOption = None,
    model: Annotated[
        str | None, typer.Option(help="The one model to take, of runs of several.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="Name of the agent, where the runs tell another.")
    ] = None,
    day: Annotated[
        datetime | None,
        typer.Option("--date", formats=["%Y-%m-%d"], help="The day the runs were made."),
    ] = None,
    tasks: TasksOption = None,
    catalog: CatalogOption = None,
    task: TaskOption = None,
    metric: MetricOption = None,
    results: ResultsOption = Path("results"),
    *,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Go on without tasks that have no runs.")
    ] = False,
) -> None:
    """Add runs as further attempts: a new bundle has them all, and supersedes the one that stands."""
    source, correction = Runs.of(runs, form), Correction.of(address, results, today())
    track = correction.bundle.submission.track
    destination = Destination.of(correction.results.path, track)
    with waiting(f"reading {runs.name}") as watch:
        options = ImportOptions(
            *(today(), destination.benchmark, track, day.date() if day else None),
            allow_missing=allow_missing,
            model=model,
            agent=agent,
            watch=watch,
        )
        incoming = source.read(
            destination,
            options,
            {"tasks": tasks, "catalog": catalog, "task": task, "metric": metric},
        )
    say_note(f"{runs} is read as {source.form}: {source.reason}", *incoming.notes)
    new = correcting.add_attempts(correction, incoming)
    say(f"{new.id} has {new.submission.attempts} attempts, and supersedes {correction.bundle.id}")
