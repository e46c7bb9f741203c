"""The command that submits results."""

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sitegen.cli.console import (
    date_of,
    print_lines,
    print_note,
    print_problems,
    require_results,
    show_progress,
    today,
)
from sitegen.cli.import_options import (
    AgentOption,
    AllowMissingOption,
    CatalogOption,
    ColumnOption,
    DayOption,
    FormOption,
    LabelOption,
    MetricOption,
    ModelOption,
    OrganizationOption,
    PickOption,
    ReasoningOption,
    ResultOption,
    RunsArgument,
    RunsOption,
    ScaleOption,
    TaskOption,
    TasksOption,
    TrajectoriesOption,
    WideOption,
    choose_scores,
)
from sitegen.cli.options import ResultsOption, parse_day
from sitegen.problems import UsageError
from sitegen.problems.commands import display_path

if TYPE_CHECKING:
    from sitegen.models.benchmark import Track
    from sitegen.models.incoming import Incoming
    from sitegen.models.submission import Claims
    from sitegen.pipeline.submitting import Proposal
    from sitegen.publish.results.branches import Repository

ToOption = Annotated[
    str,
    typer.Option(metavar="BENCHMARK/TRACK", help="The track that the results belong to."),
]
ClaimOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="METRIC=VALUE",
        help="A score that you claim; may be repeated. `sitegen metrics` lists the ids.",
    ),
]
BranchOption = Annotated[
    str | None,
    typer.Option(help="Name of the branch; by default, `submit-` followed by the bundle's name."),
]
NewTrackOption = Annotated[
    bool,
    typer.Option("--new-track", help="Create the track, and the benchmark if it does not exist."),
]
EmbargoDayOption = Annotated[
    datetime | None,
    typer.Option(
        "--embargo",
        parser=parse_day,
        metavar="YYYY-MM-DD",
        help="The first day on which the results count; before it, no page shows them.",
    ),
]
AccountOption = Annotated[
    list[str] | None,
    typer.Option(
        "--account",
        metavar="HOST:NAME",
        help="An account that may later correct or withdraw the submission, such as "
        "github:acme-ada; may be repeated.",
    ),
]
ContactOption = Annotated[
    str | None,
    typer.Option(
        "--contact", help="A contact address for questions about the submission; it is published."
    ),
]
SubmitterOption = Annotated[
    str | None, typer.Option("--submitter", help="The name of the submitter.")
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Show what the command would do; write nothing.")
]
OpenOption = Annotated[
    bool, typer.Option("--open", help="Push, and open the pull request with gh or glab.")
]


# There is one parameter per option, because typer reads options from the signature.
def submit(
    runs: RunsArgument,
    to: ToOption,
    claim: ClaimOption = None,
    form: FormOption = None,
    model: ModelOption = None,
    agent: AgentOption = None,
    organization: OrganizationOption = None,
    reasoning: ReasoningOption = None,
    day: DayOption = None,
    trajectories: TrajectoriesOption = None,
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
    results: ResultsOption = Path("results"),
    branch: BranchOption = None,
    embargo: EmbargoDayOption = None,
    account: AccountOption = None,
    contact: ContactOption = None,
    submitter: SubmitterOption = None,
    *,
    new_track: NewTrackOption = False,
    allow_missing: AllowMissingOption = False,
    dry_run: DryRunOption = False,
    open_: OpenOption = False,
) -> None:
    """Turn runs into a bundle, run the checks that CI runs, and commit the bundle to a branch."""
    from sitegen.importers.kit.options import ImportOptions
    from sitegen.metrics.catalogue import METRICS
    from sitegen.pipeline.destination import Destination, Runs
    from sitegen.pipeline.submitting import (
        claims_of,
        propose,
        repository_of,
        submitter_of,
        with_embargo,
        with_submitter,
    )

    require_results(results)
    benchmark, track = _parse_target(to, results, new_track=new_track)
    source = Runs.of(runs, form)
    claims = claims_of(claim or ())
    sender = submitter_of(submitter, contact, account or ())
    print_note(f"{runs} is read as {source.form}, {source.reason}")
    if branch is not None:
        _require_branch_name(branch, results)
    repository = None
    if not dry_run:
        repository = repository_of(results)
    format_options = {
        "tasks": tasks,
        "catalog": catalog,
        "result": result,
        "column": column,
        "label": label,
        "wide": wide,
    }
    with show_progress(f"reading {runs.name}") as watch:
        options = ImportOptions(
            today(),
            benchmark,
            track,
            date=date_of(day),
            allow_missing=allow_missing,
            known_metrics=METRICS,
            model=model,
            agent=agent,
            organization=organization,
            reasoning=reasoning,
            trajectories=trajectories,
            watch=watch,
        )
        options = choose_scores(options, task, metric, scale, runs_are, pick)
        destination = Destination.of(results / benchmark, track, new_track=new_track)
        incoming = source.read(destination, options, format_options)
    print_note(*incoming.notes)
    incoming = with_submitter(incoming, sender)
    embargo_day = date_of(embargo)
    if embargo_day:
        incoming = with_embargo(incoming, embargo_day)
    existing_track = destination.tracks.get(track)
    if existing_track:
        _note_track_status(to, existing_track)
    if claims is None:
        claims = _asked_claims(incoming, existing_track)
    proposal = propose(incoming, claims, results, today())
    _print_proposal(proposal)
    _note_missing_account(proposal)
    if dry_run:
        print_note("nothing was written; the command would write:")
        _print_files(proposal, results)
        return
    _write(proposal, results, repository, branch, is_requested=open_)


def _parse_target(to: str, results: Path, *, new_track: bool) -> tuple[str, str]:
    """Return the benchmark and the track in BENCHMARK/TRACK.

    Raises:
        UsageError: The text has another form, or the benchmark does not exist and is not to be
            started.
    """
    from sitegen.pipeline.addressing import benchmarks_in

    benchmark, slash, track = to.strip("/").partition("/")
    if slash and (new_track or (results / benchmark).is_dir()):
        return benchmark, track
    existing = benchmarks_in(results)
    if not slash:
        fault = f"--to needs BENCHMARK/TRACK, not {to}"
    else:
        fault = f"there is no benchmark {benchmark} in {results}/"
    if existing:
        fault += f"; it has {', '.join(existing)}"
    raise UsageError(f"{fault}. Name one of its tracks, or start a benchmark with --new-track")


def _require_branch_name(branch: str, results: Path) -> None:
    """Raise a UsageError if the repository of the results can't have a branch with this name."""
    from sitegen.publish.results.branches import Repository

    repository = Repository.around(results)
    if repository:
        repository.require_branch_name(branch)


def _note_track_status(address: str, track: "Track") -> None:
    """Print a note if a track is not current, with the reason."""
    if track.status == "current":
        return
    note = f"{address} is {track.status}"
    if track.reason:
        note += f": {track.reason}"
    print_note(note)


def _asked_claims(incoming: "Incoming", existing_track: "Track | None") -> "Claims | None":
    """Ask for a claimed score at the terminal, and return it; None if the user is not asked."""
    if not sys.stdin.isatty() or len(incoming.drafts) != 1:
        return None
    headline_track = existing_track or incoming.benchmark.tracks[0]
    return _ask_claim(headline_track.headline)


def _ask_claim(metric: str) -> "Claims | None":
    """Ask for the claimed score at the terminal, and return it."""
    from sitegen.pipeline.submitting import claims_of

    question = f"{metric} that you claim; leave empty for no claim"
    value = typer.prompt(question, default="", show_default=False, err=True)
    if not value.strip():
        return claims_of(())
    return claims_of([f"{metric}={value}"])


def _print_proposal(proposal: "Proposal") -> None:
    """Print the text of the pull request; print notes and warnings to standard error."""
    print_note(*proposal.notes)
    print_problems(proposal.warnings)
    print_lines(f"# {proposal.title}", "", *proposal.text)
    sys.stdout.flush()  # so that later notes also come later in a pipe


def _note_missing_account(proposal: "Proposal") -> None:
    """Print a note if a submission contains nothing that can prove who submitted it."""
    for draft in proposal.incoming.drafts:
        submitter = draft.submission.submitter
        if submitter is None or not (submitter.accounts or submitter.contact):
            print_note(
                f"{draft.id} names no account, so a maintainer has to find out who sent a later "
                "correction of it; `--account github:NAME` names yours, and `--contact` an address"
            )
            return


def _print_files(proposal: "Proposal", results: Path) -> None:
    """Print the names of the files that a proposal writes, as notes."""
    for name in proposal.files:
        print_note(f"  {display_path(results / name)}")


def _write(
    proposal: "Proposal",
    results: Path,
    repository: "Repository | None",
    branch: str | None,
    *,
    is_requested: bool,
) -> None:
    """Commit a proposal to a branch, or write its files if there is no repository."""
    if repository is None:
        _write_without_repository(proposal, results)
    else:
        _commit(proposal, repository, branch or proposal.branch, is_requested=is_requested)


def _write_without_repository(proposal: "Proposal", results: Path) -> None:
    """Write a proposal into a results folder outside any repository."""
    from sitegen.pipeline.importing import apply_import

    apply_import(proposal.incoming, results)
    print_note(f"{results} is not in a git repository, so the bundle was written without a branch")
    _print_files(proposal, results)


def _commit(
    proposal: "Proposal", repository: "Repository", branch: str, *, is_requested: bool
) -> None:
    """Commit a proposal to a branch; if requested, push it and open its pull request.

    On a terminal, the user is asked if the option is not given.
    """
    commit = repository.commit(branch, proposal.files, proposal.title)
    print_note(f"committed as {commit} on branch {branch}; nothing was pushed")
    program = repository.request_program()
    if program and not is_requested and sys.stdin.isatty():
        question = f"Push {branch}, and open the pull request with {program}?"
        is_requested = typer.confirm(question, err=True)
    if program and is_requested:
        text = "\n".join(proposal.text)
        repository.open_request(program, branch, proposal.title, text)
    else:
        print_note(
            f"Push it with `git push -u origin {branch}`, and describe the pull request with the "
            "text above"
        )
