"""Commands that turn something else into bundles."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated

import typer

from sitegen import pipeline
from sitegen.cli.printing import say, say_problems, shown_path
from sitegen.errors import UsageError, counted
from sitegen.importers.evocodebench import read_published
from sitegen.importers.options import ImportOptions
from sitegen.importers.simulation import Scale, simulate
from sitegen.metrics.catalogue import METRICS
from sitegen.models.addition import Brought

importing = typer.Typer(help="Turn a foreign tree of results into bundles.", no_args_is_help=True)


_DEFAULT = Scale()


@importing.callback()
def formats() -> None:
    """Turn a foreign tree of results into bundles; each format is a command of its own."""


@importing.command()
def evocodebench(
    source: Annotated[Path, typer.Argument(help="A folder with index.json and tasks/, as EvoCode-Bench publishes it.")],
    into: Annotated[Path, typer.Option("--into", help="The results folder; made when absent.")] = Path("results"),
    benchmark: Annotated[str, typer.Option(help="Id of the benchmark.")] = "evocode-bench",
    track: Annotated[str, typer.Option(help="Id of the track.")] = "official",
    day: Annotated[
        datetime | None, typer.Option("--date", formats=["%Y-%m-%d"], help="The day the results were published.")
    ] = None,
    claims: Annotated[Path | None, typer.Option(help="Published values: TOML as in reported/, or JSON rows.")] = None,
    alias: Annotated[list[str] | None, typer.Option(help="Another spelling of an agent's name: SPELLING=NAME.")] = None,
    *,
    allow_missing: Annotated[bool, typer.Option("--allow-missing", help="Leave out tasks without data.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be written, and write nothing.")] = False,
) -> None:
    """Read EvoCode-Bench's published result files into bundles, one per agent."""
    options = ImportOptions(
        today=_today(),
        benchmark=benchmark,
        track=track,
        date=day.date() if day else None,
        allow_missing=allow_missing,
        claims=claims,
        aliases=dict(_alias(pair) for pair in alias or ()),
        known_metrics=METRICS,
    )
    if not source.is_dir():
        raise UsageError(f"{source} is no folder; name the one that holds index.json")
    _tell(pipeline.bring_in(read_published(source, options), into, write=not dry_run), into, written=not dry_run)


def demo(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The results folder; made when absent.")],
    agents: Annotated[int, typer.Option(min=1, help="Agents.")] = _DEFAULT.agents,
    tasks: Annotated[int, typer.Option(min=1, help="Tasks.")] = _DEFAULT.tasks,
    attempts: Annotated[int, typer.Option(min=1, help="Attempts at each task.")] = _DEFAULT.attempts,
    seed: Annotated[int, typer.Option(help="Another number gives other results.")] = _DEFAULT.seed,
) -> None:
    """Simulate a benchmark, labelled as such: something to look at and to test with."""
    _tell(pipeline.bring_in(simulate(Scale(agents, tasks, attempts, seed)), folder), folder)


def _today() -> date:
    return datetime.now(tz=UTC).date()


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
    for name in brought.new:
        say(f"  submissions/{name}")
    for verb, names in (("created", brought.created), ("changed", brought.changed)):
        for name in names:
            say(f"  {name} {verb}")
    if written:
        say(f"`sitegen validate {shown_path(into)}` checks it, `sitegen build --results {shown_path(into)}` shows it")
