"""Commands that show scores, their arithmetic, schemas, and changes between two states."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, assert_never

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sitegen.board import GAP, Board, Entry
from sitegen.board.changes_report import (
    LARGEST_REPORT,
    ChangeReport,
    Changes,
    as_json,
    as_markdown,
    as_text,
)
from sitegen.board.export import scores_json
from sitegen.board.proposal import folded, in_a_line, opening
from sitegen.board.tables import scores_csv
from sitegen.cli.checking import judge_paths
from sitegen.cli.console import note_if_ahead, print_json, print_lines, print_problems, today
from sitegen.cli.options import PathsArgument, ResultsOption
from sitegen.models.schemas import SCHEMAS, json_schema
from sitegen.pages.labels import place_text, row_interval_text
from sitegen.pipeline import evaluating
from sitegen.pipeline.comparing import compare
from sitegen.pipeline.evaluating import Evaluation, collector_off
from sitegen.problems import Problem, UsageError, errors_of, visible
from sitegen.publish.transaction import transaction

ScoreFormat = Literal["table", "json", "csv"]
ChangeFormat = Literal["text", "json", "markdown"]

ScoreFormatOption = Annotated[
    ScoreFormat, typer.Option("--format", help="How to print the scores.")
]
RowOrTaskArgument = Annotated[
    str, typer.Argument(help="BENCHMARK/TRACK/SUBMISSION, or that and /TASK, as on the site.")
]
SchemaArgument = Annotated[str | None, typer.Argument(help=f"One of: {', '.join(SCHEMAS)}.")]
SchemaFolderOption = Annotated[
    Path | None, typer.Option("--into", help="Write all of them to this folder.")
]
EarlierStateArgument = Annotated[
    str, typer.Argument(help="The earlier state: a results folder or a git revision.")
]
LaterStateArgument = Annotated[str, typer.Argument(help="The later state, likewise.")]
ChangeFormatOption = Annotated[
    ChangeFormat, typer.Option("--format", help="How to print the changes.")
]
RevisionResultsOption = Annotated[
    Path, typer.Option("--results", help="The results folder in a revision.")
]

_AGENT_COLUMNS = ("rank", "agent", "evidence", "coverage")
PIPE_COLUMNS = 480
"""Width of a table in a pipe, where nothing needs to fit a screen."""


@collector_off()  # the program ends with the command
def score(
    paths: PathsArgument = None,
    form: ScoreFormatOption = "table",
) -> None:
    """Recompute every metric that protocol and data allow."""
    rows: list[tuple[Board, Entry]] = []
    errors: list[Problem] = []
    for judged in judge_paths(paths):
        rows += judged.entries()
        errors += errors_of(judged.problems())
    match form:
        case "table":
            _print_tables(rows)
        case "json":
            print_json(scores_json(rows))
        case "csv":
            print_lines(*scores_csv(rows).rstrip("\n").split("\n"))
        case _:
            assert_never(form)
    if errors:
        print_problems(errors)
        raise typer.Exit(1)


def explain(
    address: RowOrTaskArgument,
    results: ResultsOption = Path("results"),
) -> None:
    """Show the arithmetic of a submission's scores, down to the rounds."""
    judged = evaluating.evaluate(results, today())
    errors = errors_of(judged.problems_outside())
    try:
        print_lines(*evaluating.explain(address, judged))
    finally:
        if errors:  # they may be why a score differs, or why there is none
            print_problems(errors)
    if errors:
        raise typer.Exit(1)


def schema(
    name: SchemaArgument = None,
    into: SchemaFolderOption = None,
) -> None:
    """Print a JSON Schema of the bundle format, or write all of them."""
    if name is not None and name not in SCHEMAS:
        raise UsageError(f"there is no schema `{name}`; there are: {', '.join(SCHEMAS)}")
    schemas = {kind: json_schema(kind) for kind in SCHEMAS}
    if into is None:
        print_json(schemas[name] if name else schemas, indent=2)
        return
    files = {}
    for kind, document in schemas.items():
        text = json.dumps(document, indent=2, ensure_ascii=False)
        files[f"{kind}.schema.json"] = f"{text}\n".encode()
    with transaction(into) as changes:
        changes.write("", files)


def diff(
    base: EarlierStateArgument,
    head: LaterStateArgument,
    form: ChangeFormatOption = "text",
    results: RevisionResultsOption = Path("results"),
) -> None:
    """Tell what differs between two states of the results: rows, scores, ranks, and every record
    behind them.
    """  # noqa: D205 - this sentence is the help
    changes, later = compare(base, head, results, today())
    if Path(head).is_dir():
        note_if_ahead(base)
    match form:
        case "json":
            print_json(as_json(changes))
        case "markdown" if not changes.are_none:
            print_lines(*_markdown_lines(changes, later))
        case "text" | "markdown":
            print_lines(*_text_lines(changes))
        case _:
            assert_never(form)
    if errors_of((*later.problems(), *changes.new)):
        raise typer.Exit(1)


def _text_lines(changes: Changes) -> Iterator[str]:
    """Yield changes as text; a sentence where there are none."""
    if not changes.are_none:
        yield changes.request.written()
        yield in_a_line(changes, ChangeReport(markdown=False))
        yield ""
    yield from as_text(changes)


def _markdown_lines(changes: Changes, later: Evaluation) -> list[str]:
    """Return changes as Markdown, cut where they would be too long for a comment."""
    first_lines = list(opening(changes, later.entries()))
    frame = [*first_lines, *folded(())]
    used_bytes = len("\n".join(frame).encode()) + 1
    details = as_markdown(changes, LARGEST_REPORT - used_bytes)
    return [*first_lines, *folded(details)]


def _print_tables(rows: Iterable[tuple[Board, Entry]]) -> None:
    """Print a table of scores for each board."""
    boards: dict[tuple[str, str], Board] = {}
    entries: dict[tuple[str, str], list[Entry]] = {}
    for board, entry in rows:
        track = (board.benchmark.id, board.track.id)
        boards.setdefault(track, board)
        entries.setdefault(track, []).append(entry)
    width = None if sys.stdout.isatty() else PIPE_COLUMNS
    console = Console(width=width)
    # Rich itself would end the program with 1 if nobody reads its output: that means data problems.
    with console.capture() as printed:
        for track, board in boards.items():
            console.print(_score_table(board, entries[track]))
    sys.stdout.write(printed.get())


def _score_table(board: Board, entries: Sequence[Entry]) -> Table:
    """Return a table of the metrics that any of the rows has a value of."""
    metrics = [metric for metric in board.metrics if _has_values(entries, metric)]
    title = Text(visible(board.title))
    table = Table(title=title, title_justify="left")
    for name in _AGENT_COLUMNS:
        table.add_column(name, no_wrap=name == "agent", overflow="fold")
    for metric in metrics:
        table.add_column(metric, justify="right", overflow="fold")
    for entry in entries:
        agent = (place_text(board, entry), entry.agent.name, entry.evidence, _coverage_text(entry))
        agent_cells = [Text(visible(text)) for text in agent]
        scores = [_score_text(board, entry, metric) for metric in metrics]
        table.add_row(*agent_cells, *scores)
    return table


def _has_values(entries: Iterable[Entry], metric: str) -> bool:
    for entry in entries:
        if entry.value(metric) is not None:
            return True
    return False


def _coverage_text(entry: Entry) -> str:
    """Return how many rounds have a record, and which tasks and attempts are missing."""
    coverage = ""
    if entry.coverage:
        coverage = str(entry.coverage)
    return ", ".join(filter(None, (coverage, entry.attempts_words))) or GAP


def _score_text(board: Board, entry: Entry, metric: str) -> str:
    """Return a score with its interval, and what it lacks."""
    text = entry.text(metric)
    interval = row_interval_text(board, entry, board.metrics[metric])
    if interval:
        text = f"{text} ({interval})"
    score = entry.scores.get(metric)
    if score and score.value is not None and score.missing_note:
        text += f", {score.missing_note}"
    return text
