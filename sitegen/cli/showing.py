"""Commands that show what is in results, and what differs between two states of them."""

import json
import sys
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from sitegen.board.board import Board
from sitegen.board.changes_report import LARGEST_REPORT, Report, as_json, as_markdown, as_text
from sitegen.board.entry import Entry
from sitegen.board.export import scores_json
from sitegen.board.proposal import folded, in_a_line, opening
from sitegen.board.score import GAP
from sitegen.board.tables import scores_csv
from sitegen.cli.checking import PathsArgument, judged_at
from sitegen.cli.console import (
    ResultsOption,
    note_what_is_ahead,
    say,
    say_json,
    say_problems,
    today,
)
from sitegen.models.schemas import SCHEMAS, json_schema
from sitegen.pages.labels import place_text, sure_text
from sitegen.pipeline import judging
from sitegen.pipeline.comparing import compare
from sitegen.pipeline.judging import Judged, collector_off
from sitegen.problems import UsageError, errors_of, visible
from sitegen.publish.transaction import transaction

_ABOUT = ("rank", "agent", "evidence", "coverage")
_WIDE = 480
"""Columns of a table in a pipe, where nothing needs to fit a screen."""


@collector_off()
def score(
    paths: PathsArgument = None,
    form: Annotated[
        Literal["table", "json", "csv"], typer.Option("--format", help="How to print the scores.")
    ] = "table",
) -> None:
    """Recompute every metric that protocol and data allow."""
    judged = judged_at(paths)
    rows = list(chain.from_iterable(map(Judged.entries, judged)))
    match form:
        case "json":
            say_json(scores_json(rows))
        case "csv":
            say(*scores_csv(rows).rstrip("\n").split("\n"))
        case "table":
            console = Console() if sys.stdout.isatty() else Console(width=_WIDE)
            by_track: dict[tuple[str, str], tuple[Board, list[Entry]]] = {}
            for board, entry in rows:
                by_track.setdefault((board.benchmark.id, board.track.id), (board, []))[1].append(
                    entry
                )
            # The console ends the program where nobody reads on, as if data had problems.
            with console.capture() as printed:
                for board, entries in by_track.values():
                    console.print(_table(board, entries))
            sys.stdout.write(printed.get())
    errors = errors_of(chain.from_iterable(map(Judged.problems, judged)))
    if errors:
        say_problems(errors)
        raise typer.Exit(1)


def explain(
    address: Annotated[
        str, typer.Argument(help="BENCHMARK/TRACK/SUBMISSION, or that and /TASK, as on the site.")
    ],
    results: ResultsOption = Path("results"),
) -> None:
    """Show the arithmetic of a submission's scores, down to the rounds."""
    judged = judging.judge(results, today())
    errors = errors_of(judged.problems_outside())
    try:
        say(*judging.explain(address, judged))
    finally:
        if errors:  # they may be why a score is another one, or why there is none
            say_problems(errors)
    if errors:
        raise typer.Exit(1)


def schema(
    name: Annotated[str | None, typer.Argument(help=f"One of: {', '.join(SCHEMAS)}.")] = None,
    into: Annotated[
        Path | None, typer.Option("--into", help="Write all of them to this folder.")
    ] = None,
) -> None:
    """Print a JSON Schema of the bundle format, or write all of them."""
    if name is not None and name not in SCHEMAS:
        raise UsageError(f"there is no schema `{name}`; there are: {', '.join(SCHEMAS)}")
    schemas = {each: json_schema(each) for each in SCHEMAS}
    if into is not None:
        texts = {
            each: json.dumps(found, indent=2, ensure_ascii=False) for each, found in schemas.items()
        }
        with transaction(into) as changes:
            changes.write(
                "", {f"{each}.schema.json": f"{text}\n".encode() for each, text in texts.items()}
            )
    else:
        say_json(schemas[name] if name else schemas, indent=2)


def diff(
    base: Annotated[
        str, typer.Argument(help="The earlier state: a results folder or a git revision.")
    ],
    head: Annotated[str, typer.Argument(help="The later state, likewise.")],
    form: Annotated[
        Literal["text", "json", "markdown"],
        typer.Option("--format", help="How to print the changes."),
    ] = "text",
    results: Annotated[
        Path, typer.Option("--results", help="The results folder in a revision.")
    ] = Path("results"),
) -> None:
    """Tell what differs between two states of the results: rows, scores, ranks, and every record behind them."""
    changes, later = compare(base, head, results, today())
    if Path(head).is_dir():
        note_what_is_ahead(base)
    if form == "json":
        say_json(as_json(changes))
    elif changes.are_none or form == "text":
        first = []
        if not changes.are_none:
            first = [changes.request.written(), in_a_line(changes, Report(markdown=False)), ""]
        say(*first, *as_text(changes))
    else:
        first = list(opening(changes, later.entries()))
        room = LARGEST_REPORT - sum(len(each.encode()) + 1 for each in [*first, *folded(())])
        say(*first, *folded(as_markdown(changes, room)))
    if errors_of((*later.problems(), *changes.new)):
        raise typer.Exit(1)


def _table(board: Board, entries: list[Entry]) -> Table:
    """Make a table of the metrics that any row has a value of, with their intervals."""
    metrics = [
        name for name in board.metrics if any(entry.value(name) is not None for entry in entries)
    ]
    titles = [Column(title, no_wrap=title == "agent", overflow="fold") for title in _ABOUT]
    scores = [Column(name, justify="right", overflow="fold") for name in metrics]
    title = Text(visible(board.title))
    table = Table(*titles, *scores, title=title, title_justify="left")
    for entry in entries:
        about = (place_text(board, entry), entry.agent.name, entry.evidence, _coverage_text(entry))
        texts = (_score_text(board, entry, name) for name in metrics)
        table.add_row(*(Text(visible(each)) for each in about), *texts)
    return table


def _coverage_text(entry: Entry) -> str:
    """Return how many rounds have a record, and which tasks and attempts are missing."""
    coverage = str(entry.coverage) if entry.coverage else ""
    return ", ".join(filter(None, (coverage, entry.attempts_words))) or GAP


def _score_text(board: Board, entry: Entry, metric: str) -> str:
    """Return a score with its interval, and what it lacks."""
    text, interval = entry.text(metric), sure_text(board, entry, board.metrics[metric])
    score = entry.scores.get(metric)
    missing_note = score.missing_note if score and score.value is not None else ""
    with_interval = f"{text} ({interval})" if interval else text
    return ", ".join(filter(None, (with_interval, missing_note)))
