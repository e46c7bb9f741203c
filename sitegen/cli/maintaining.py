"""Commands of those who keep a leaderboard: begin it, lock its boards, take out what must not stay."""

import os
import sys
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from sitegen.cli.console import ResultsOption, progress, say, shown_path, today
from sitegen.models.benchmark import Protocol
from sitegen.pipeline import redacting, releasing
from sitegen.pipeline.starting import start
from sitegen.problems import UsageError, counted
from sitegen.publish.project import KINDS, Answers, Host, Kind
from sitegen.store.provenance import ZONES


def init(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="The project's folder: a new one, or an empty one."),
    ],
    benchmark: Annotated[
        str, typer.Option(help="Id of its first benchmark; else the folder's name.")
    ] = "",
    title: Annotated[str, typer.Option(help="What benchmark and site are called.")] = "",
    track: Annotated[str, typer.Option(help="Id of the first track.")] = "main",
    protocol: Annotated[
        Protocol, typer.Option(help="How rounds follow each other on it.")
    ] = "chain",
    attempts: Annotated[
        int,
        typer.Option(min=1, max=1000, help="Independent tries at each task; kind attempts has 4."),
    ] = 1,
    host: Annotated[
        Host,
        typer.Option(
            help="Where its repository is to stand; what judges and publishes there comes with it."
        ),
    ] = "github",
    kind: Annotated[
        Kind | None, typer.Option(help="What the benchmark is; asked for on a terminal.")
    ] = None,
) -> None:
    """Begin a leaderboard: a project that builds at once, and waits for results."""
    if kind is None and sys.stdin.isatty() and sys.stdout.isatty():
        answer = typer.prompt(f"What is the benchmark: {', '.join(KINDS)}?", default="multi-round")
        kind = next((each for each in KINDS if each == answer), None)
        if kind is None:
            raise UsageError(f"a benchmark is one of {', '.join(KINDS)}, and this is `{answer}`")
    files = start(folder, Answers(benchmark, title, track, protocol, attempts, host, kind))
    say(f"{counted(len(files), 'file')} in {shown_path(folder)}")
    for name in files:
        say(f"  {name}")
    say("Next:")
    if folder.resolve() != Path(os.curdir).resolve():
        say(f"  cd {quote(shown_path(folder))}")
    (named,) = (Path(name).parent.name for name in files if name.startswith("results/"))
    say(f"  sitegen import FORMAT SOURCE --benchmark {named} --track {track}")
    say("  sitegen validate")
    say("  sitegen build")
    say(
        "`make` and the workflows install the program from wheels/. To take a newer one, run its `sitegen init`"
    )
    say(
        "in a new folder, and put the wheels/ and the requirements.txt that it writes there in the place of these."
    )


def release(
    day: Annotated[
        datetime | None,
        typer.Argument(metavar="DATE", formats=["%Y-%m-%d"], help="The release's date."),
    ] = None,
    title: Annotated[str, typer.Option(help="What it is called.")] = "",
    results: ResultsOption = Path("results"),
    *,
    arrivals: Annotated[
        bool, typer.Option("--arrivals", help="Only record which bundles arrived, and lock none.")
    ] = False,
) -> None:
    """Lock all boards as they are: the results that they come from can't change any more without a word."""
    if (day is None) != arrivals:
        raise UsageError(
            "name the release's DATE, or record with --arrivals alone which bundles arrived"
        )
    with progress("reading bundles") as steps:
        if day is None:
            say(
                f"{shown_path(releasing.record_arrivals(results, today(), steps))}: every bundle has its line"
            )
            return
        path, locked = releasing.lock(results, day.date(), title, today(), steps)
    boards = [board for benchmark in locked.benchmarks for board in benchmark.boards]
    rows = sum(len(board.rows) for board in boards)
    say(
        f"{shown_path(path)}: {counted(len(boards), 'board')}, {counted(rows, 'row')}, version {locked.program}"
    )


def redact(
    address: Annotated[
        str,
        typer.Argument(help="BENCHMARK/SUBMISSION, or that and /TASK for a task's texts alone."),
    ],
    reason: Annotated[str, typer.Option(help="Why it must leave; readers of the site see it.")],
    by: Annotated[str, typer.Option(help="Who decides it.")] = "the maintainers",
    day: Annotated[
        datetime | None,
        typer.Option("--date", formats=["%Y-%m-%d"], help="The record's date; else today."),
    ] = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Remove content that must not stay, and keep a record of it: who, when, why, and what was there."""
    decided = day.date() if day else today()
    if decided > today() + ZONES:
        raise UsageError(
            f"{decided} lies ahead; a redaction is dated the day on which it is decided"
        )
    finding = redacting.redact(address, results, by, reason, decided)
    files = counted(len(finding.digests or ()), "file")
    say(
        f"{finding.title}: {files} removed or shortened, as findings.toml says. Git's history still has them"
    )
