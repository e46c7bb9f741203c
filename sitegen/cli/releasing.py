"""The command that locks a snapshot."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.clock import today
from sitegen.cli.printing import progress, say, shown_path
from sitegen.pipeline import releasing
from sitegen.problems import counted


def release(
    day: Annotated[datetime, typer.Argument(metavar="DATE", formats=["%Y-%m-%d"], help="The release's date.")],
    title: Annotated[str, typer.Option(help="What it is called.")] = "",
    results: Annotated[Path, typer.Option("--results", help="The results folder.")] = Path("results"),
) -> None:
    """Lock all boards as they are: the results that they come from can't change any more without a word."""
    with progress("reading bundles") as steps:
        path, locked = releasing.lock(results, day.date(), title, today(), steps)
    boards = [board for benchmark in locked.benchmarks for board in benchmark.boards]
    rows = sum(len(board.rows) for board in boards)
    say(f"{shown_path(path)}: {counted(len(boards), 'board')}, {counted(rows, 'row')}, version {locked.program}")
