"""The commands that turn something else into bundles."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.clock import today
from sitegen.cli.formats import READERS, Extras, Format, Pick
from sitegen.cli.printing import say, say_note, say_problems, shown_path, waiting
from sitegen.importers.kit.drafts import figures_of
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.simulation import Scale, simulate
from sitegen.metrics.catalogue import METRICS
from sitegen.models.benchmark import Protocol
from sitegen.models.incoming import Brought
from sitegen.pipeline.bringing import bring_in
from sitegen.pipeline.destination import Destination
from sitegen.problems import UsageError, counted

_DEFAULT = Scale()


def import_(
    form: Annotated[Format, typer.Argument(metavar="FORMAT", help=", ".join(READERS))],
    source: Annotated[Path, typer.Argument(help="The folder of results; for `table`, the CSV or JSON Lines file.")],
    into: Annotated[Path, typer.Option("--into", help="The results folder; made when absent.")] = Path("results"),
    benchmark: Annotated[
        str | None, typer.Option(help="Id of the benchmark; evocodebench and slopcodebench have their own.")
    ] = None,
    track: Annotated[
        str | None, typer.Option(help="Id of the track; else the format's own, or the one that has the tasks.")
    ] = None,
    day: Annotated[
        datetime | None, typer.Option("--date", formats=["%Y-%m-%d"], help="The day the results were made.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The one model to take, of a source that holds several.")] = None,
    agent: Annotated[str | None, typer.Option(help="Name of the agent, where the source tells another.")] = None,
    organization: Annotated[str | None, typer.Option(help="Who made the agent.")] = None,
    reasoning: Annotated[str | None, typer.Option(help="The reasoning setting.")] = None,
    claims: Annotated[Path | None, typer.Option(help="Published values: TOML as in reported/, or JSON rows.")] = None,
    alias: Annotated[list[str] | None, typer.Option(help="Another spelling of an agent's name: SPELLING=NAME.")] = None,
    tasks: Annotated[Path | None, typer.Option(help="The tasks' own folders (harbor, harbor-multiturn).")] = None,
    pick: Annotated[Pick | None, typer.Option(help="Which of several runs of a task to take (harbor).")] = None,
    catalog: Annotated[Path | None, typer.Option(help="Checkpoints of each problem (slopcodebench).")] = None,
    protocol: Annotated[Protocol | None, typer.Option(help="How rounds follow each other (table).")] = None,
    *,
    new_track: Annotated[
        bool, typer.Option("--new-track", help="Begin the track that --track names, in a benchmark that stands.")
    ] = False,
    allow_missing: Annotated[
        bool,
        typer.Option("--allow-missing", help="Go on without what is missing."),
    ] = False,
    figures_only: Annotated[
        bool,
        typer.Option("--figures-only", help="Leave out the source's sentences: titles of rounds, texts of failures."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be written, and write nothing.")] = False,
) -> None:
    """Turn a foreign tree of results into bundles, one for each agent: all of it, or nothing."""
    reader, extras = READERS[form], Extras(tasks, pick, catalog, protocol)
    reader.check(source, extras, form)
    options = ImportOptions(
        today(),
        benchmark or reader.own_benchmark(form, into),
        track or reader.track,
        date=day.date() if day else None,
        allow_missing=allow_missing,
        claims=claims,
        aliases=dict(_alias(pair) for pair in alias or ()),
        known_metrics=METRICS,
        model=model,
        agent=agent,
        organization=organization,
        reasoning=reasoning,
    )
    destination = Destination.of(into / options.benchmark, track, new_track=new_track)
    with waiting(f"reading {source.name}") as watch:
        incoming = destination.read(replace(options, watch=watch), lambda each: reader.read(source, each, extras))
    say_note(*incoming.notes)
    taken = figures_of(incoming) if figures_only else incoming
    _tell(bring_in(taken, into, write=not dry_run), into, written=not dry_run)


def demo(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The results folder; made when absent.")],
    agents: Annotated[int, typer.Option(min=1, help="Agents.")] = _DEFAULT.agents,
    tasks: Annotated[int, typer.Option(min=1, help="Tasks.")] = _DEFAULT.tasks,
    attempts: Annotated[int, typer.Option(min=1, help="Attempts at each task.")] = _DEFAULT.attempts,
    seed: Annotated[int, typer.Option(help="Another number gives other results.")] = _DEFAULT.seed,
) -> None:
    """Simulate a benchmark, labelled as such: something to look at and to test with."""
    _tell(bring_in(simulate(Scale(agents, tasks, attempts, seed)), folder), folder)


def _alias(pair: str) -> tuple[str, str]:
    spelling, equals, name = pair.partition("=")
    if not (spelling and equals and name):
        raise UsageError(f"--alias takes SPELLING=NAME, and this is `{pair}`")
    return spelling, name


def _tell(brought: Brought, into: Path, *, written: bool = True) -> None:
    """Say what an import did: its warnings on standard error, its result on standard output."""
    if brought.problems:
        say_problems(brought.problems)
    unchanged = f", {len(brought.unchanged)} unchanged" if brought.unchanged else ""
    would = "" if written else "nothing written; would be "
    say(f"{would}{counted(len(brought.new), 'new bundle')} in {shown_path(brought.folder)}{unchanged}")
    say(*(f"  {name}" for name in _parts(brought)))
    if written:
        say(f"`sitegen validate {shown_path(into)}` checks it, `sitegen build --results {shown_path(into)}` shows it")


def _parts(brought: Brought) -> Iterator[str]:
    """Name what came into a benchmark's folder."""
    yield from (f"submissions/{name}" for name in brought.new)
    yield from (f"{name} created" for name in brought.created)
    yield from (f"{name} changed" for name in brought.changed)
    yield from (f"begins {name}" for name in brought.begun)
