"""The command that sends results in."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.console import (
    ResultsOption,
    problem_text,
    say,
    say_note,
    shown_path,
    summary,
    today,
    waiting,
)
from sitegen.cli.importing import (
    CatalogOption,
    ColumnOption,
    DayOption,
    FormOption,
    LabelOption,
    MetricOption,
    PickOption,
    ResultOption,
    RunsOption,
    ScaleOption,
    TaskOption,
    TasksOption,
    TrajectoriesOption,
    WideOption,
)
from sitegen.importers.kit.options import ImportOptions
from sitegen.metrics.catalogue import METRICS
from sitegen.pipeline.destination import Destination, Runs
from sitegen.pipeline.importing import benchmarks_in, bring_in
from sitegen.pipeline.submitting import Proposal, claims_of, propose, repository_of
from sitegen.problems import UsageError
from sitegen.publish.branches import Repository


def submit(
    runs: Annotated[
        Path, typer.Argument(help="The folder that the runner wrote; for `table`, the file.")
    ],
    to: Annotated[str, typer.Option(help="BENCHMARK/TRACK that the results belong to.")],
    claim: Annotated[
        list[str] | None,
        typer.Option(help="A score that you claim: METRIC=VALUE; `sitegen metrics` has the ids."),
    ] = None,
    form: FormOption = None,
    model: Annotated[
        str | None, typer.Option(help="The one model to take, of runs of several.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="Name of the agent, where the runs tell another.")
    ] = None,
    organization: Annotated[str | None, typer.Option(help="Who made the agent.")] = None,
    reasoning: Annotated[str | None, typer.Option(help="The reasoning setting.")] = None,
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
    branch: Annotated[
        str | None, typer.Option(help="Name of the branch; else that of the bundle.")
    ] = None,
    *,
    new_track: Annotated[
        bool,
        typer.Option("--new-track", help="Begin the track, and the benchmark where there is none."),
    ] = False,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Go on without what is missing.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show all of it, and write nothing.")
    ] = False,
    open_: Annotated[
        bool, typer.Option("--open", help="Push, and open the pull request with gh or glab.")
    ] = False,
) -> None:
    """Make a bundle of runs, check it as a pull request is checked, and commit it on a branch of its own."""
    name, slash, track = to.strip("/").partition("/")
    if not (slash and ((results / name).is_dir() or new_track)):
        there = ", ".join(benchmarks_in(results)) or "none"
        advice = "name a track of one of them, or begin a benchmark with --new-track"
        raise UsageError(
            f"--to names BENCHMARK/TRACK, and this is {to}; in {results} there are: {there}; {advice}"
        )
    if not results.is_dir():
        raise UsageError(
            f"there is no folder {results}: make it, or begin a project that has one with `sitegen init`"
        )
    own = {
        "tasks": tasks,
        "catalog": catalog,
        "result": result,
        "column": column,
        "label": label,
        "wide": wide,
    }
    source, claims = Runs.of(runs, form), claims_of(claim or ())
    say_note(f"{runs} is read as {source.form}: {source.reason}")
    if branch is not None and (around := Repository.around(results)):
        around.require_branch_name(branch)
    repository = None if dry_run else repository_of(results)
    with waiting(f"reading {runs.name}") as watch:
        options = ImportOptions(
            *(today(), name, track, day.date() if day else None, allow_missing),
            known_metrics=METRICS,
            model=model,
            agent=agent,
            organization=organization,
            reasoning=reasoning,
            trajectories=trajectories,
            task_names=tuple(task or ()),
            metric=metric,
            scale=scale,
            runs=runs_are,
            pick=pick,
            watch=watch,
        )
        destination = Destination.of(results / name, track, new_track=new_track)
        incoming = source.read(destination, options, own)
    say_note(*incoming.notes)
    stands = destination.tracks.get(track)
    if stands and stands.status != "current":
        say_note(f"{to} is {stands.status}{f': {stands.reason}' if stands.reason else ''}")
    if claims is None and sys.stdin.isatty() and len(incoming.drafts) == 1:
        headline = (stands or incoming.benchmark.tracks[0]).headline
        value = typer.prompt(
            f"{headline} that you claim; nothing for no claim",
            default="",
            show_default=False,
            err=True,
        )
        claims = claims_of([f"{headline}={value}"] if value.strip() else ())
    proposal = propose(incoming, claims, results, today())
    say_note(*proposal.notes)
    for problem in proposal.warnings:
        say_note(*problem_text(problem).split("\n"))
    say_note(summary(proposal.warnings))
    say(f"# {proposal.title}", "", *proposal.text)
    sys.stdout.flush()  # in a pipe, what follows would come first
    if dry_run:
        say_note(
            "nothing written; would be:",
            *(f"  {shown_path(results / each)}" for each in proposal.files),
        )
    elif repository is None:
        bring_in(proposal.incoming, results)
        say_note(
            f"{results} is in no git repository: the bundle is written, and there is no branch"
        )
        say_note(*(f"  {shown_path(results / each)}" for each in proposal.files))
    else:
        _commit(proposal, repository, branch or proposal.branch, asked=open_)


def _commit(proposal: Proposal, repository: Repository, branch: str, *, asked: bool) -> None:
    """Commit on a branch; push it and open its pull request where somebody says so."""
    commit = repository.commit(branch, proposal.files, proposal.title)
    say_note(f"committed as {commit} on branch {branch}; nothing is pushed")
    opener = repository.opener()
    if opener and not asked and sys.stdin.isatty():
        asked = typer.confirm(f"Push {branch}, and open the pull request with {opener}?", err=True)
    if asked and opener:
        repository.open_request(opener, branch, proposal.title, "\n".join(proposal.text))
    else:
        say_note(f"`git push -u origin {branch}` sends it; the text above is for the pull request")
