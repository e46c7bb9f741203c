"""Commands that correct published results: files stay, and a new status states the reason."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.console import (
    date_of,
    day_or_today,
    print_lines,
    print_note,
    require_results,
    show_progress,
    today,
)
from sitegen.cli.import_options import (
    AgentOption,
    CatalogOption,
    FormOption,
    MetricOption,
    ModelOption,
    TaskOption,
    TasksOption,
)
from sitegen.cli.options import AddressArgument, ResultsOption, complete_addresses, parse_day

StatusDateOption = Annotated[
    datetime | None,
    typer.Option(
        "--date",
        parser=parse_day,
        metavar="YYYY-MM-DD",
        help="The first day of the new status; by default, today.",
    ),
]
RunsDateOption = Annotated[
    datetime | None,
    typer.Option(
        "--date", parser=parse_day, metavar="YYYY-MM-DD", help="The day the runs were made."
    ),
]
OneAgentsRunsArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RUNS",
        help="The folder or file that the runner wrote, with runs of that agent only.",
    ),
]
AllowMissingRunsOption = Annotated[
    bool, typer.Option("--allow-missing", help="Continue without the tasks that have no runs.")
]
StatusReasonOption = Annotated[str, typer.Option(help="The reason; readers of the site see it.")]
OptionalReasonOption = Annotated[
    str | None, typer.Option(help="The reason; readers of the site see it.")
]
DecidedByOption = Annotated[str, typer.Option(help="Who decided it.")]
SupersededArgument = Annotated[
    str,
    typer.Argument(
        metavar="ADDRESS",
        autocompletion=complete_addresses,
        help="The submission to replace: BENCHMARK/TRACK/SUBMISSION, or any unique part of it.",
    ),
]
ReplacementOption = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        autocompletion=complete_addresses,
        help="The submission that replaces it.",
    ),
]
_CHANGED_FILES = "only [status] changed, in submission.toml and SHA256SUMS; commit both"


def _resolve(address: str, results: Path) -> str:
    """Return the full address of a submission from the address that the user gave."""
    from sitegen.pipeline.addressing import complete_address

    require_results(results)
    return complete_address(address, results)


def withdraw(
    address: AddressArgument,
    reason: StatusReasonOption,
    by: DecidedByOption = "the submitter",
    day: StatusDateOption = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Take a submission off its board; its page stays and says why."""
    from sitegen.pipeline import correcting
    from sitegen.pipeline.correcting import Correction

    correction = Correction.of(_resolve(address, results), results, today())
    correcting.withdraw(correction, by, reason, day_or_today(day))
    print_lines(f"{correction.bundle.id} is withdrawn: {_CHANGED_FILES}")


def supersede(
    old: SupersededArgument,
    by: ReplacementOption,
    reason: OptionalReasonOption = None,
    day: StatusDateOption = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Replace a submission with another one; its page stays and links to the newer one."""
    from sitegen.pipeline import correcting
    from sitegen.pipeline.correcting import Correction

    correction = Correction.of(_resolve(old, results), results, today())
    new = correcting.supersede(correction, _resolve(by, results), reason, day_or_today(day))
    print_lines(f"{correction.bundle.id} is superseded by {new}: {_CHANGED_FILES}")


# There is one parameter per option, because typer reads options from the signature.
def add_attempt(
    address: AddressArgument,
    runs: OneAgentsRunsArgument,
    form: FormOption = None,
    model: ModelOption = None,
    agent: AgentOption = None,
    day: RunsDateOption = None,
    tasks: TasksOption = None,
    catalog: CatalogOption = None,
    task: TaskOption = None,
    metric: MetricOption = None,
    results: ResultsOption = Path("results"),
    *,
    allow_missing: AllowMissingRunsOption = False,
) -> None:
    """Add runs as further attempts; a new bundle with all attempts supersedes the old one."""
    from sitegen.importers.kit.options import ImportOptions
    from sitegen.pipeline import correcting
    from sitegen.pipeline.correcting import Correction
    from sitegen.pipeline.destination import Destination, Runs

    source = Runs.of(runs, form)
    correction = Correction.of(_resolve(address, results), results, today())
    track = correction.bundle.submission.track
    destination = Destination.of(correction.results.path, track)
    format_options = {"tasks": tasks, "catalog": catalog, "task": task, "metric": metric}
    with show_progress(f"reading {runs.name}") as watch:
        options = ImportOptions(
            today(),
            destination.benchmark,
            track,
            date=date_of(day),
            allow_missing=allow_missing,
            model=model,
            agent=agent,
            watch=watch,
        )
        name = correction.bundle.submission.agent.name
        incoming = source.read_of_agent(destination, options, format_options, name)
    print_note(f"{runs} is read as {source.form}, {source.reason}")
    print_note(*incoming.notes, *correcting.deadline_note(correction))
    new = correcting.add_attempts(correction, incoming)
    attempts = new.submission.attempts
    print_lines(
        f"{new.id} has {attempts} attempts, and supersedes {correction.bundle.id}. "
        "Commit both folders, and open one request"
    )
