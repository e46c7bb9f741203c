"""Commands that read results and say what is in them, and what differs between two states of them."""

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from sitegen.board.board import Board
from sitegen.board.changes_report import as_json, as_markdown, as_text
from sitegen.board.entry import Entry
from sitegen.board.export import scores_json
from sitegen.board.score import GAP
from sitegen.board.tables import scores_csv
from sitegen.cli.console import (
    note_what_is_ahead,
    progress,
    say,
    say_json,
    say_note,
    say_problems,
    shown_path,
    shown_place,
    today,
)
from sitegen.cli.problem_report import ProblemFormat, failures_told, report
from sitegen.metrics.catalogue import METRICS
from sitegen.models.schemas import SCHEMAS, json_schema
from sitegen.pages.labels import interval_text, place_text
from sitegen.pipeline import judging
from sitegen.pipeline.comparing import compare, history_of
from sitegen.pipeline.judging import Judged, collector_off, results_of
from sitegen.pipeline.repairing import Repairs, count_mendable, declined, published_at, repair
from sitegen.problems import UsageError, errors_of, visible
from sitegen.publish.repairs import Repair
from sitegen.publish.transaction import transaction

PathsArgument = Annotated[list[Path] | None, typer.Argument(help="Results folders, benchmarks or bundles.")]

_DEFAULT = [Path("results")]
_ABOUT = ("rank", "agent", "evidence", "coverage")
_WIDE = 240
"""Columns of a table in a pipe, where nothing needs to fit a screen."""


class ScoreFormat(StrEnum):
    """How scores are printed."""

    table = "table"
    json = "json"
    csv = "csv"


class ChangesFormat(StrEnum):
    """How changes are printed."""

    text = "text"
    json = "json"
    markdown = "markdown"


@collector_off()  # the program ends with it
def validate(
    paths: PathsArgument = None,
    form: Annotated[ProblemFormat, typer.Option("--format", help="How to print the problems.")] = ProblemFormat.text,
    *,
    fix: Annotated[bool, typer.Option("--fix", help="First mend what is mechanical, in place, and tell what.")] = False,
    base: Annotated[
        str | None, typer.Option("--base", help="Also tell what published results lost since then.")
    ] = None,
) -> None:
    """Check results exactly as a build will: list every problem with file, line and fix."""
    with failures_told(form):
        there = _there(paths)
        repairs = [_repairs(path, base) for path in there]
        judged = _repaired(repairs) if fix else list(_judged(repairs))
        problems = tuple(chain.from_iterable(map(Judged.problems, judged)))
        if base is not None:
            for path, each in zip(there, judged, strict=True):
                problems += history_of(each, path, base, Path(shown_path(each.results.path)), today())
            note_what_is_ahead(base)
        mendable = 0 if fix else sum(count_mendable(each, problems) for each in repairs)
    say(*report(problems, form, mendable).split("\n"))
    if errors_of(problems):
        raise typer.Exit(1)


@collector_off()
def score(
    paths: PathsArgument = None,
    form: Annotated[ScoreFormat, typer.Option("--format", help="How to print the scores.")] = ScoreFormat.table,
) -> None:
    """Recompute every metric that protocol and data allow."""
    judged = list(_judged([_repairs(path, None) for path in _there(paths)]))
    rows = list(chain.from_iterable(map(Judged.entries, judged)))
    match form:
        case ScoreFormat.json:
            say_json(scores_json(rows))
        case ScoreFormat.csv:
            say(*scores_csv(rows).rstrip("\n").split("\n"))
        case ScoreFormat.table:
            _print_tables(rows)
    errors = errors_of(chain.from_iterable(map(Judged.problems, judged)))
    if errors:
        say_problems(errors)
        raise typer.Exit(1)


def explain(
    address: Annotated[str, typer.Argument(help="BENCHMARK/TRACK/SUBMISSION, or that and /TASK, as on the site.")],
    results: Annotated[Path, typer.Option("--results", help="The results folder.")] = Path("results"),
) -> None:
    """Show the arithmetic of a submission's scores, down to the rounds."""
    judged = judging.judge(results, today())
    errors = errors_of(judged.problems_outside())
    try:
        say(*judging.explain(address, judged).lines())
    finally:
        if errors:  # they may be why a score is another one, or why there is none
            say_problems(errors)
    if errors:
        raise typer.Exit(1)


def schema(
    name: Annotated[str | None, typer.Argument(help=f"One of: {', '.join(SCHEMAS)}.")] = None,
    into: Annotated[Path | None, typer.Option("--into", help="Write all of them to this folder.")] = None,
) -> None:
    """Print a JSON Schema of the bundle format, or write all of them."""
    if name is not None and name not in SCHEMAS:
        raise UsageError(f"there is no schema `{name}`; there are: {', '.join(SCHEMAS)}")
    schemas = {each: json_schema(each) for each in SCHEMAS}
    if into is not None:
        texts = {each: json.dumps(found, indent=2, ensure_ascii=False) for each, found in schemas.items()}
        with transaction(into) as changes:
            changes.write("", {f"{each}.schema.json": f"{text}\n".encode() for each, text in texts.items()})
    else:
        say_json(schemas[name] if name else schemas, indent=2)


def diff(
    base: Annotated[str, typer.Argument(help="The earlier state: a results folder or a git revision.")],
    head: Annotated[str, typer.Argument(help="The later state, likewise.")],
    form: Annotated[ChangesFormat, typer.Option("--format", help="How to print the changes.")] = ChangesFormat.text,
    results: Annotated[Path, typer.Option("--results", help="The results folder in a revision.")] = Path("results"),
) -> None:
    """Tell what differs between two states of the results: rows, scores, ranks, and every record behind them."""
    changes, later = compare(base, head, results, today())
    if Path(head).is_dir():
        note_what_is_ahead(base)
    if form is ChangesFormat.json:
        say_json(as_json(changes))
    else:
        say(*(as_markdown(changes) if form is ChangesFormat.markdown else as_text(changes)))
    if errors_of((*later.problems(), *changes.new)):
        raise typer.Exit(1)


def _judged(asked: list[Repairs]) -> Iterator[Judged]:
    with progress("reading bundles") as steps:
        for each in asked:
            yield judging.judge(each.path, each.day, steps, each.kept)


def _repairs(path: Path, base: str | None) -> Repairs:
    """Say what is to be repaired: what was published at an earlier state is not."""
    return Repairs(path, today(), published_at(base, Path(shown_path(results_of(path)))) if base is not None else ())


def _repaired(repairs: list[Repairs]) -> list[Judged]:
    """Repair results and judge them; what was done goes to standard error, where it disturbs no report."""
    done: list[Repair] = []
    try:
        with progress("reading bundles") as steps:
            judged = [repair(each, done.append, steps) for each in repairs]
    finally:
        for each in done:
            say_note(f"{shown_place(each.path, each.line)}: {each.done}")
    for asked, found in zip(repairs, judged, strict=True):
        for told in declined(asked, found.problems()):
            say_note(told)
    return judged


def _there(paths: list[Path] | None) -> list[Path]:
    """Give the paths that a command is about, which all are there."""
    for path in paths or _DEFAULT:
        if not path.exists():
            raise UsageError(f"{path} does not exist; name a results folder, a benchmark or a bundle")
    return paths or _DEFAULT


def _print_tables(rows: list[tuple[Board, Entry]]) -> None:
    console = Console() if sys.stdout.isatty() else Console(width=_WIDE)
    by_track: dict[tuple[str, str], tuple[Board, list[Entry]]] = {}
    for board, entry in rows:
        by_track.setdefault((board.benchmark.id, board.track.id), (board, []))[1].append(entry)
    with console.capture() as printed:  # whoever prints ends the program where nobody reads on, as if data had problems
        for board, entries in by_track.values():
            console.print(_table(board, entries))
    sys.stdout.write(printed.get())


def _table(board: Board, entries: list[Entry]) -> Table:
    """Make a table of the metrics that any row has a value of; the score that ranks has its 95 % interval."""
    metrics = [name for name in METRICS if any(entry.value(name) is not None for entry in entries)]
    titles = [Column(title, no_wrap=title == "agent", overflow="fold") for title in _ABOUT]
    scores = [Column(name, justify="right", overflow="fold") for name in metrics]
    title = Text(visible(f"{board.benchmark.title}, {board.track.title}"))
    table = Table(*titles, *scores, title=title, title_justify="left")
    for entry in entries:
        about = (place_text(board, entry), entry.agent.name, entry.evidence, str(entry.coverage or GAP))
        texts = {name: entry.text(name) for name in metrics}
        interval = board.certainty.interval(entry, board.headline.id) if board.headline.id in texts else None
        if interval:
            texts[board.headline.id] += f" ({interval_text(interval, board.headline)})"
        table.add_row(*(Text(visible(each)) for each in about), *texts.values())
    return table
