"""The commands that turn something else into bundles, and the foreign formats that they read."""

import sys
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from sitegen.cli.console import say, say_note, say_problems, shown_path, today, waiting
from sitegen.importers.formats import FORMATS, format_of
from sitegen.importers.kit.drafts import figures_of
from sitegen.importers.kit.options import Format, ImportOptions, Pick
from sitegen.importers.kit.tree import is_archive
from sitegen.importers.simulation import Scale, simulate
from sitegen.models.benchmark import Protocol
from sitegen.models.incoming import Brought
from sitegen.pipeline.destination import Destination
from sitegen.pipeline.importing import benchmarks_in, bring_in
from sitegen.problems import UsageError, counted

if TYPE_CHECKING:
    FormatName = str
else:
    FormatName = Literal[FORMATS]

FormOption = Annotated[
    FormatName | None, typer.Option("--format", help="Its format; else it is recognised.")
]
DayOption = Annotated[
    datetime | None,
    typer.Option("--date", formats=["%Y-%m-%d"], help="The day the results were made."),
]
TasksOption = Annotated[
    Path | None, typer.Option(help="The tasks' own folders (harbor, harbor-multiturn).")
]
CatalogOption = Annotated[
    Path | None, typer.Option(help="Checkpoints of each problem (slopcodebench).")
]
TaskOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Take only this task; repeat it for several (every-eval-ever: the benchmark)."
    ),
]
ResultOption = Annotated[str | None, typer.Option(help="The result that counts (every-eval-ever).")]
MetricOption = Annotated[
    str | None,
    typer.Option(
        help="The score that counts: SCORER or SCORER,PART (inspect), METRIC,FILTER (lm-eval), a key (harbor)."
    ),
]
ScaleOption = Annotated[
    float | None,
    typer.Option(metavar="MAX", help="The largest possible reward, by which each is divided."),
]
RunsOption = Annotated[
    Literal["attempts"] | None,
    typer.Option(
        "--runs", help="attempts: several runs on the same tasks are attempts, in order of time."
    ),
]
PickOption = Annotated[
    Pick | None, typer.Option(help="Which of several runs on the same tasks counts.")
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(metavar="OURS=THEIRS", help="A column's meaning: reward=score (table)."),
]
LabelOption = Annotated[
    list[str] | None,
    typer.Option(metavar="AXIS", help="A column with a label of the tasks (table)."),
]
WideOption = Annotated[
    Literal["agents", "tasks"] | None, typer.Option(help="What a row of a wide table is (table).")
]
TrajectoriesOption = Annotated[
    str | None,
    typer.Option(help="Where the transcripts are: a pattern with {task}, {attempt} and {round}."),
]

_DEFAULT = Scale()


def check_options(form: str, known_format: Format, given: Collection[str]) -> None:
    """Refuse options that a format does not have.

    Args:
        form: Name of the format.
        known_format: The format.
        given: Names of the options that were given, of those that only some formats have.

    Raises:
        UsageError: One of them belongs to other formats.
    """
    foreign = [
        f"--{option.replace('_', '-')}" for option in given if option not in known_format.extras
    ]
    if foreign:
        raise UsageError(f"{', '.join(foreign)} can't be used with {form}")


def _check_source(form: str, source: Path) -> None:
    """Refuse a source of another kind than the format reads.

    Raises:
        UsageError: It is an archive, or a folder where a file is needed, or the other way round.
    """
    if is_archive(source.name) and not source.is_dir():
        raise UsageError(f"{source} is an archive; unpack it first, and name what was in it")
    if format_of(form).can_be(source):
        return
    if format_of(form).is_file:
        raise UsageError(f"{source} is no file; name the table to read")
    if not source.exists():
        raise UsageError(f"{source} does not exist; name the folder or file that the runner wrote")
    raise UsageError(f"{source} is no folder; name the one that holds the results")


def import_(
    form: Annotated[FormatName, typer.Argument(metavar="FORMAT", help=", ".join(FORMATS))],
    source: Annotated[Path, typer.Argument(help="The folder of results; for `table`, the file.")],
    into: Annotated[
        Path, typer.Option("--into", help="The results folder; made when absent.")
    ] = Path("results"),
    benchmark: Annotated[
        str | None,
        typer.Option(help="Id of the benchmark; evocodebench and slopcodebench have their own."),
    ] = None,
    track: Annotated[
        str | None,
        typer.Option(help="Id of the track; else the format's own, or the one that has the tasks."),
    ] = None,
    day: DayOption = None,
    model: Annotated[
        str | None, typer.Option(help="The one model to take, of a source that holds several.")
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="Name of the agent, where the source tells another.")
    ] = None,
    organization: Annotated[str | None, typer.Option(help="Who made the agent.")] = None,
    reasoning: Annotated[str | None, typer.Option(help="The reasoning setting.")] = None,
    trajectories: TrajectoriesOption = None,
    claims: Annotated[
        Path | None, typer.Option(help="Published values: TOML as in reported/, or JSON rows.")
    ] = None,
    alias: Annotated[
        list[str] | None, typer.Option(help="Another spelling of an agent's name: SPELLING=NAME.")
    ] = None,
    tasks: TasksOption = None,
    catalog: CatalogOption = None,
    protocol: Annotated[
        Protocol | None, typer.Option(help="How rounds follow each other (table).")
    ] = None,
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
    new_track: Annotated[
        bool,
        typer.Option(
            "--new-track", help="Begin the track that --track names, in a benchmark that stands."
        ),
    ] = False,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Go on without what is missing.")
    ] = False,
    no_instructions: Annotated[
        bool,
        typer.Option(
            "--no-instructions", help="Leave out what rounds ask for (harbor, harbor-multiturn)."
        ),
    ] = False,
    figures_only: Annotated[
        bool,
        typer.Option(
            "--figures-only",
            help="Leave out the source's sentences: titles of rounds, texts of failures.",
        ),
    ] = False,
    supersedes: Annotated[
        Literal["auto"] | None,
        typer.Option(
            help="auto: earlier submissions of the same agents on the track no longer stand."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be written, and write nothing.")
    ] = False,
) -> None:
    """Turn a foreign tree of results into bundles, one for each agent: all of it, or nothing."""
    known_format = format_of(form)
    _check_source(form, source)
    shared = {"metric": metric, "scale": scale, "runs": runs, "pick": pick}
    own = {
        "tasks": tasks,
        "catalog": catalog,
        "protocol": protocol,
        "result": result,
        "column": column,
        "label": label,
        "wide": wide,
        "no_instructions": no_instructions,
    }
    own = {name: value for name, value in own.items() if value}
    given = [name for name, value in shared.items() if value is not None]
    check_options(form, known_format, [*given, *own])
    own.pop("no_instructions", None)
    named = benchmark or known_format.benchmark
    if not named:
        known = benchmarks_in(into)
        there = (
            f"there are: {', '.join(known)}"
            if known
            else "none is there yet, so that any id begins one"
        )
        raise UsageError(
            f"{form} needs --benchmark, the benchmark that the results belong to; in {into} {there}"
        )
    aliases = {}
    for pair in alias or ():
        spelling, equals, name = pair.partition("=")
        if not (spelling and equals and name):
            raise UsageError(f"--alias takes SPELLING=NAME, and this is `{pair}`")
        aliases[spelling] = name
    options = ImportOptions(
        today(),
        named,
        track or known_format.track,
        date=day.date() if day else None,
        allow_missing=allow_missing,
        claims=claims,
        aliases=aliases,
        model=model,
        agent=agent,
        organization=organization,
        reasoning=reasoning,
        instructions=False if no_instructions else None,
        trajectories=trajectories,
        task_names=tuple(task or ()),
        metric=metric,
        scale=scale,
        runs=runs,
        pick=pick,
    )
    destination = Destination.of(into / options.benchmark, track, new_track=new_track)
    with waiting(f"reading {source.name}") as watch:
        incoming = destination.read(
            replace(options, watch=watch), lambda each: known_format.read(source, each, **own)
        )
    say_note(*incoming.notes)
    taken, since = (
        figures_of(incoming) if figures_only else incoming,
        today() if supersedes else None,
    )
    if since and not dry_run:
        for old, new in bring_in(taken, into, write=False, supersedes=since).superseded:
            say(f"{old} is to be superseded by {new}")
        if sys.stdin.isatty():
            typer.confirm("Go on?", abort=True, err=True)
    _tell(bring_in(taken, into, write=not dry_run, supersedes=since), into, written=not dry_run)


def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The results folder; made when absent.")
    ],
    agents: Annotated[int, typer.Option(min=1, help="Agents.")] = _DEFAULT.agents,
    tasks: Annotated[int, typer.Option(min=1, help="Tasks.")] = _DEFAULT.tasks,
    attempts: Annotated[
        int, typer.Option(min=1, help="Attempts at each task.")
    ] = _DEFAULT.attempts,
    seed: Annotated[int, typer.Option(help="Another number gives other results.")] = _DEFAULT.seed,
) -> None:
    """Simulate a benchmark, labelled as such: something to look at and to test with."""
    _tell(bring_in(simulate(Scale(agents, tasks, attempts, seed)), folder), folder)


def _tell(brought: Brought, into: Path, *, written: bool = True) -> None:
    """Say what an import did: its warnings on standard error, its result on standard output."""
    if brought.problems:
        say_problems(brought.problems)
    unchanged = f", {len(brought.unchanged)} unchanged" if brought.unchanged else ""
    would = "" if written else "nothing written; would be "
    say(
        f"{would}{counted(len(brought.new), 'new bundle')} in {shown_path(brought.folder)}{unchanged}"
    )
    say(*(f"  submissions/{name}" for name in brought.new))
    say(*(f"  {name} created" for name in brought.created))
    say(*(f"  {name} changed" for name in brought.changed))
    say(*(f"  begins {name}" for name in brought.begun))
    say(*(f"  {old} superseded by {new}" for old, new in brought.superseded))
    if written:
        say(
            f"`sitegen validate {shown_path(into)}` checks it, `sitegen build --results {shown_path(into)}` shows it"
        )
