"""Commands that revise submissions: correct wrong statements, and replace rounds."""

from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.console import (
    date_of,
    print_lines,
    print_note,
    require_results,
    show_progress,
    today,
)
from sitegen.cli.import_options import (
    AgentOption,
    CatalogOption,
    ColumnOption,
    FormOption,
    MetricOption,
    ModelOption,
    ScaleOption,
    TaskOption,
    TasksOption,
    choose_scores,
)
from sitegen.cli.options import AddressArgument, AuthorOption, ResultsOption, parse_day

RevisionReasonOption = Annotated[
    str, typer.Option("--reason", help="The reason, in one line; readers of the site see it.")
]
NameValueOption = Annotated[str | None, typer.Option("--name", help="The agent's name.")]
OrganizationValueOption = Annotated[
    str | None,
    typer.Option(
        "--organization", help="The organization that made the model; an empty string removes it."
    ),
]
ModelValueOption = Annotated[
    str | None, typer.Option("--model", help="The model's own name; an empty string removes it.")
]
ScaffoldValueOption = Annotated[
    str | None,
    typer.Option(
        "--scaffold", help="The program that drives the model; an empty string removes it."
    ),
]
ScaffoldVersionOption = Annotated[
    str | None,
    typer.Option("--scaffold-version", help="The scaffold's version; an empty string removes it."),
]
ReasoningValueOption = Annotated[
    str | None,
    typer.Option("--reasoning", help="The reasoning setting; an empty string removes it."),
]
LinkOption = Annotated[
    str | None,
    typer.Option(
        "--link", metavar="URL", help="A web page about the agent; an empty string removes it."
    ),
]
ArtifactsOption = Annotated[
    str | None,
    typer.Option(
        "--artifacts",
        metavar="URL",
        help="Where the runs are published; an empty string removes it.",
    ),
]
TranscriptsOption = Annotated[
    str | None,
    typer.Option(
        "--trajectories",
        metavar="URL",
        help="Where the transcripts are; an empty string removes it.",
    ),
]
ResultsDateOption = Annotated[
    datetime | None,
    typer.Option(
        "--date", parser=parse_day, metavar="YYYY-MM-DD", help="The day the results were made."
    ),
]
ReleasedOption = Annotated[
    datetime | None,
    typer.Option(
        "--released", parser=parse_day, metavar="YYYY-MM-DD", help="The day the model was released."
    ),
]
PublishedOption = Annotated[
    str | None,
    typer.Option(
        "--base",
        metavar="REV",
        help="The revision or folder with the published results; by default, the main branch.",
    ),
]
PartialRunsArgument = Annotated[
    Path,
    typer.Argument(
        metavar="RUNS",
        help="The folder or file that the runner wrote, with the rounds that were run again.",
    ),
]
RerunDateOption = Annotated[
    datetime | None,
    typer.Option(
        "--date", parser=parse_day, metavar="YYYY-MM-DD", help="The day the runs were made."
    ),
]
AttemptOption = Annotated[
    int | None,
    typer.Option(
        "--attempt",
        min=1,
        help="The attempt that the runs replace; by default, the attempt number in the runs.",
    ),
]


# There is one parameter per option, because typer reads options from the signature.
def correct(
    address: AddressArgument,
    reason: RevisionReasonOption,
    name: NameValueOption = None,
    organization: OrganizationValueOption = None,
    model: ModelValueOption = None,
    scaffold: ScaffoldValueOption = None,
    scaffold_version: ScaffoldVersionOption = None,
    reasoning: ReasoningValueOption = None,
    link: LinkOption = None,
    artifacts: ArtifactsOption = None,
    trajectories: TranscriptsOption = None,
    day: ResultsDateOption = None,
    released: ReleasedOption = None,
    base: PublishedOption = None,
    author: AuthorOption = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Correct what a submission states about its agent, before or after it is published."""
    from sitegen.pipeline import revising
    from sitegen.pipeline.addressing import complete_address
    from sitegen.pipeline.correcting import Correction

    texts = {
        "agent.name": name,
        "agent.organization": organization,
        "agent.model": model,
        "agent.scaffold": scaffold,
        "agent.scaffold_version": scaffold_version,
        "agent.reasoning": reasoning,
        "agent.url": link,
        "provenance.artifacts": artifacts,
        "provenance.trajectories": trajectories,
    }
    values: dict[str, str | date | None] = {}
    for key, text in texts.items():
        if text is not None:
            values[key] = text.strip() or None
    for key, moment in {"date": day, "agent.model_released": released}.items():
        if moment is not None:
            values[key] = date_of(moment)
    require_results(results)
    correction = Correction.of(complete_address(address, results), results, today())
    publication = revising.PublicationCheck.of(correction, base, author)
    if publication.is_published:
        print_note(publication.words(correction.bundle))
    revised = revising.correct(correction, publication, values, reason, today())
    print_lines(_outcome(revised.step, correction.bundle.id, revised.submission, revised.words))


def _outcome(step: str, old: str, new: str, words: str) -> str:
    """Return sentences on the outcome of a correction and the next step."""
    match step:
        case "edited":
            said = (
                f"{old} is not published: edited its submission.toml and SHA256SUMS; {words}. "
                "Commit both"
            )
            if any(change.startswith("name ") for change in words.split("; ")):
                said += (
                    f". Its id stays {old}; rename its folder with `git mv` to give its page "
                    "another address"
                )
            return said
        case "replaced":
            return (
                f"One change: {new} supersedes {old}; {words}. "
                "Commit both folders, and open one request"
            )
        case "added":
            return (
                f"The first of two changes: {new} is new; {words}. Commit it and open a request; "
                f"once that is merged, run this command again: it lets {new} supersede {old}"
            )
        case _:
            return (
                f"The second of two changes: {old} is superseded by {new}; {words}. "
                "Only [status] changed, in submission.toml and SHA256SUMS; commit both"
            )


# There is one parameter per option, because typer reads options from the signature.
def replace_rounds(
    address: AddressArgument,
    runs: PartialRunsArgument,
    reason: RevisionReasonOption,
    attempt: AttemptOption = None,
    form: FormOption = None,
    model: ModelOption = None,
    agent: AgentOption = None,
    day: RerunDateOption = None,
    tasks: TasksOption = None,
    catalog: CatalogOption = None,
    task: TaskOption = None,
    metric: MetricOption = None,
    scale: ScaleOption = None,
    column: ColumnOption = None,
    base: PublishedOption = None,
    author: AuthorOption = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Replace rounds that were run again, or add tasks without results; keep all other rounds."""
    from sitegen.importers.kit.options import ImportOptions
    from sitegen.pipeline import rerunning, revising
    from sitegen.pipeline.addressing import complete_address
    from sitegen.pipeline.correcting import Correction, deadline_note
    from sitegen.pipeline.destination import Destination, Runs

    source = Runs.of(runs, form)
    require_results(results)
    correction = Correction.of(complete_address(address, results), results, today())
    track = correction.bundle.submission.track
    destination = Destination.of(correction.results.path, track)
    format_options = {"tasks": tasks, "catalog": catalog, "column": column}
    with show_progress(f"reading {runs.name}") as watch:
        options = ImportOptions(
            today(),
            destination.benchmark,
            track,
            date=date_of(day),
            allow_missing=True,
            model=model,
            agent=agent,
            is_partial=True,
            watch=watch,
        )
        options = choose_scores(options, task, metric, scale, None, None)
        name = correction.bundle.submission.agent.name
        incoming = source.read_of_agent(destination, options, format_options, name)
    print_note(f"{runs} is read as {source.form}, {source.reason}")
    print_note(*incoming.notes)
    publication = revising.PublicationCheck.of(correction, base, author)
    print_note(publication.words(correction.bundle), *deadline_note(correction))
    rerun = rerunning.Rerun(reason, today(), incoming, attempt)
    revised = rerunning.replace_rounds(correction, publication, rerun)
    print_lines(
        f"{revised.words}: {revised.submission} supersedes {correction.bundle.id}, which keeps the "
        "old values. Commit both folders, and open one request"
    )
