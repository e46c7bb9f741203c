"""Commands that import the results of other programs as bundles, or simulate results."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sitegen.cli.console import (
    date_of,
    print_lines,
    print_note,
    print_problems,
    show_progress,
    today,
)
from sitegen.cli.import_options import (
    AllowMissingOption,
    CatalogOption,
    ColumnOption,
    DayOption,
    LabelOption,
    MetricOption,
    OrganizationOption,
    PickOption,
    ReasoningOption,
    ResultOption,
    RunsOption,
    ScaleOption,
    TaskOption,
    TasksOption,
    TrajectoriesOption,
    WideOption,
    choose_scores,
    complete_format,
    parse_format,
)
from sitegen.cli.options import DEMO_AGENTS, DEMO_ATTEMPTS, DEMO_SEED, DEMO_TASKS, Protocol
from sitegen.importers.registrations import FORMATS
from sitegen.problems import UsageError, counted
from sitegen.problems.commands import display_path, results_option, validate_command

if TYPE_CHECKING:
    from sitegen.models.incoming import Brought, Incoming

FormatArgument = Annotated[
    str,
    typer.Argument(
        metavar="FORMAT",
        parser=parse_format,
        autocompletion=complete_format,
        help=f"Name of the format: {', '.join(FORMATS)}.",
    ),
]
SourceArgument = Annotated[
    Path, typer.Argument(metavar="SOURCE", help="The folder or file with the results.")
]
IntoOption = Annotated[
    Path,
    typer.Option(
        "--results",
        "-r",
        "--into",
        metavar="DIR",
        help="The results folder; it is created if it does not exist.",
    ),
]
BenchmarkOption = Annotated[
    str | None,
    typer.Option(help="Id of the benchmark; formats of a single benchmark have a default."),
]
TrackOption = Annotated[
    str | None,
    typer.Option(
        help="Id of the track; by default, the format's own track or the one that has these tasks."
    ),
]
SourceModelOption = Annotated[
    str | None, typer.Option(help="Import only the results of this model.")
]
SourceAgentOption = Annotated[
    str | None, typer.Option(help="Name of the agent, if it differs from the name in the source.")
]
ClaimsOption = Annotated[
    Path | None,
    typer.Option(help="A file with published values: TOML as in reported/, or JSON rows."),
]
AliasOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SPELLING=NAME", help="Another spelling of an agent's name; may be repeated."
    ),
]
ProtocolOption = Annotated[
    Protocol | None, typer.Option(help="How the rounds of a task are run and scored (table).")
]
NewTrackOption = Annotated[
    bool,
    typer.Option("--new-track", help="Create the track given by --track in an existing benchmark."),
]
NoInstructionsOption = Annotated[
    bool,
    typer.Option(
        "--no-instructions", help="Leave out the instructions of rounds (harbor, harbor-multiturn)."
    ),
]
FiguresOnlyOption = Annotated[
    bool,
    typer.Option(
        "--figures-only",
        help="Leave out the texts of the source: round titles and failure messages.",
    ),
]
SupersedesOption = Annotated[
    Literal["auto"] | None,
    typer.Option(
        metavar="auto",
        help="`auto` supersedes earlier submissions of the same agents on the track.",
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be written; write nothing.")
]


# There is one parameter per option, because typer reads options from the signature.
def import_(
    form: FormatArgument,
    source: SourceArgument,
    into: IntoOption = Path("results"),
    benchmark: BenchmarkOption = None,
    track: TrackOption = None,
    day: DayOption = None,
    model: SourceModelOption = None,
    agent: SourceAgentOption = None,
    organization: OrganizationOption = None,
    reasoning: ReasoningOption = None,
    trajectories: TrajectoriesOption = None,
    claims: ClaimsOption = None,
    alias: AliasOption = None,
    tasks: TasksOption = None,
    catalog: CatalogOption = None,
    protocol: ProtocolOption = None,
    task: TaskOption = None,
    result: ResultOption = None,
    metric: MetricOption = None,
    scale: ScaleOption = None,
    runs: RunsOption = None,
    pick: PickOption = None,
    column: ColumnOption = None,
    label: LabelOption = None,
    wide: WideOption = None,
    *,
    new_track: NewTrackOption = False,
    allow_missing: AllowMissingOption = False,
    no_instructions: NoInstructionsOption = False,
    figures_only: FiguresOnlyOption = False,
    supersedes: SupersedesOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Convert the results of another program into bundles, one per agent."""
    from sitegen.importers.formats import load_format
    from sitegen.importers.kit.drafts import figures_of
    from sitegen.importers.kit.options import ImportOptions
    from sitegen.pipeline.destination import Destination, require_format_options
    from sitegen.pipeline.importing import apply_import

    source_format = load_format(form)
    _require_source(form, source)
    shared_options = {"metric": metric, "scale": scale, "runs": runs, "pick": pick}
    format_options = {
        "tasks": tasks,
        "catalog": catalog,
        "protocol": protocol,
        "result": result,
        "column": column,
        "label": label,
        "wide": wide,
    }
    format_values = {name: value for name, value in format_options.items() if value}
    option_names = [name for name, value in shared_options.items() if value is not None]
    option_names += format_values
    if no_instructions:
        option_names.append("no_instructions")
    require_format_options(form, option_names)
    benchmark_id = benchmark or source_format.benchmark
    if not benchmark_id:
        raise _missing_benchmark(form, into)
    options = ImportOptions(
        today(),
        benchmark_id,
        track or source_format.track,
        date=date_of(day),
        allow_missing=allow_missing,
        claims=claims,
        aliases=_parse_aliases(alias or ()),
        model=model,
        agent=agent,
        organization=organization,
        reasoning=reasoning,
        trajectories=trajectories,
    )
    options = choose_scores(options, task, metric, scale, runs, pick)
    if no_instructions:
        options = replace(options, instructions=False)
    destination = Destination.of(into / benchmark_id, track, new_track=new_track)
    read_source = partial(source_format.read, source, **format_values)
    with show_progress(f"reading {source.name}") as watch:
        incoming = destination.read(replace(options, watch=watch), read_source)
    print_note(*incoming.notes)
    if figures_only:
        incoming = figures_of(incoming)
    superseded_on = today() if supersedes else None
    if superseded_on and not dry_run:
        _confirm_superseded(incoming, into, superseded_on)
    brought = apply_import(incoming, into, write=not dry_run, supersedes=superseded_on)
    _print_import(brought, into, is_written=not dry_run)


def _require_source(form: str, source: Path) -> None:
    """Raise a UsageError if a source is an archive, or not of the kind that the format expects."""
    from sitegen.importers.formats import load_format
    from sitegen.importers.kit.tree import is_archive

    if is_archive(source.name) and not source.is_dir():
        raise UsageError(f"{source} is an archive; unpack it, and pass the unpacked folder or file")
    if load_format(form).can_be(source):
        return
    if load_format(form).is_file:
        raise UsageError(f"{source} is not a file; pass the table to read")
    if not source.exists():
        raise UsageError(f"{source} does not exist; pass the folder or file that the runner wrote")
    raise UsageError(f"{source} is not a folder; pass the folder that has the results")


def _missing_benchmark(form: str, into: Path) -> UsageError:
    """Return the error that asks for a benchmark and lists the existing benchmarks."""
    from sitegen.pipeline.addressing import benchmarks_in

    benchmarks = benchmarks_in(into)
    existing = "there is no benchmark yet, so any id creates one"
    if benchmarks:
        existing = f"the benchmarks are: {', '.join(benchmarks)}"
    return UsageError(
        f"{form} needs --benchmark, the benchmark that the results belong to; in {into}, {existing}"
    )


def _parse_aliases(pairs: Sequence[str]) -> dict[str, str]:
    """Return agent names by their alternative spellings, which are given as SPELLING=NAME.

    Raises:
        UsageError: A pair does not have this form.
    """
    aliases = {}
    for pair in pairs:
        spelling, _, name = pair.partition("=")
        if not spelling or not name:
            raise UsageError(f"--alias takes SPELLING=NAME, not `{pair}`")
        aliases[spelling] = name
    return aliases


def _confirm_superseded(incoming: "Incoming", into: Path, day: date) -> None:
    """Print the submissions that an import supersedes; on a terminal, ask whether to continue."""
    from sitegen.pipeline.importing import apply_import

    planned = apply_import(incoming, into, write=False, supersedes=day)
    for old, new in planned.superseded:
        print_lines(f"{old} will be superseded by {new}")
    if sys.stdin.isatty():
        typer.confirm("Continue?", abort=True, err=True)


DemoFolderArgument = Annotated[
    Path,
    typer.Argument(metavar="DIR", help="The results folder; it is created if it does not exist."),
]
DemoAgentsOption = Annotated[int, typer.Option(min=1, help="Number of agents.")]
DemoTasksOption = Annotated[int, typer.Option(min=1, help="Number of tasks.")]
DemoAttemptsOption = Annotated[int, typer.Option(min=1, help="Attempts at each task.")]
DemoSeedOption = Annotated[int, typer.Option(help="A different seed gives different results.")]


def demo(
    folder: DemoFolderArgument,
    agents: DemoAgentsOption = DEMO_AGENTS,
    tasks: DemoTasksOption = DEMO_TASKS,
    attempts: DemoAttemptsOption = DEMO_ATTEMPTS,
    seed: DemoSeedOption = DEMO_SEED,
) -> None:
    """Write a simulated benchmark, labelled as such, to try things out."""
    from sitegen.importers.simulation import SimulationScale, simulate
    from sitegen.pipeline.importing import apply_import

    scale = SimulationScale(agents, tasks, attempts, seed)
    brought = apply_import(simulate(scale), folder)
    _print_import(brought, folder, is_written=True)


def _print_import(brought: "Brought", into: Path, *, is_written: bool) -> None:
    """Print the outcome of an import, with warnings on standard error."""
    if brought.problems:
        print_problems(brought.problems)
    new_bundles = counted(len(brought.new), "new bundle")
    folder = display_path(brought.folder)
    summary = f"{new_bundles} in {folder}"
    if brought.unchanged:
        summary += f", {len(brought.unchanged)} unchanged"
    if not is_written:
        summary = f"nothing was written; the import would write {summary}"
    print_lines(summary)
    for name in brought.new:
        print_lines(f"  submissions/{name}")
    for name in brought.created:
        print_lines(f"  {name} created")
    for name in brought.changed:
        print_lines(f"  {name} changed")
    for track in brought.begun:
        print_lines(f"  begins {track}")
    for old, new in brought.superseded:
        print_lines(f"  {old} superseded by {new}")
    if is_written:
        print_lines(
            f"Check with `{validate_command(into)}`; "
            f"look at it with `sitegen build{results_option(into)}`"
        )
