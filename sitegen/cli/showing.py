"""Commands that show scores, their arithmetic, schemas, and changes between two states."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, assert_never

import typer

from sitegen.cli.checking import evaluate_paths
from sitegen.cli.console import (
    note_if_ahead,
    print_json,
    print_lines,
    print_note,
    print_problems,
    require_results,
    today,
)
from sitegen.cli.options import (
    SCHEMA_NAMES,
    AuthorOption,
    PathsArgument,
    ResultsOption,
    complete_addresses,
)
from sitegen.problems import Problem, UsageError, counted, errors_of, visible
from sitegen.reading.collector import collector_off

if TYPE_CHECKING:
    from rich.table import Table

    from sitegen.board import Board, BoardEntry, Entry
    from sitegen.board.history.changes_report import Changes
    from sitegen.pipeline.evaluating import Evaluation

ScoreFormat = Literal["table", "json", "csv"]
ChangeFormat = Literal["text", "json", "markdown"]

ScoreFormatOption = Annotated[
    ScoreFormat, typer.Option("--format", help="How to print the scores.")
]
TasksOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tasks",
        metavar="AXIS:VALUE[,VALUE]",
        help="Score and rank only the tasks with one of these values; if repeated, only the tasks "
        "that match every option.",
    ),
]
RowOrTaskArgument = Annotated[
    str,
    typer.Argument(
        metavar="ADDRESS",
        autocompletion=complete_addresses,
        help="BENCHMARK/TRACK/SUBMISSION as on the site; add /TASK for a single task.",
    ),
]
ExplainFormatOption = Annotated[
    Literal["text", "json"], typer.Option("--format", help="How to print the arithmetic.")
]
EmbargoedOption = Annotated[
    bool,
    typer.Option(
        "--embargoed",
        help="Include submissions under embargo; their scores are printed and not saved.",
    ),
]
SummaryOption = Annotated[
    bool, typer.Option("--summary", help="Show only the rank and the scores.")
]
SchemaArgument = Annotated[str | None, typer.Argument(help=f"One of: {', '.join(SCHEMA_NAMES)}.")]
SchemaFolderOption = Annotated[
    Path | None, typer.Option("--into", help="Write all schemas to this folder.")
]
EarlierStateArgument = Annotated[
    str, typer.Argument(help="The earlier state: a results folder or a git revision.")
]
LaterStateArgument = Annotated[
    str, typer.Argument(help="The later state: a results folder or a git revision.")
]
ChangeFormatOption = Annotated[
    ChangeFormat, typer.Option("--format", help="How to print the changes.")
]
RevisionResultsOption = Annotated[
    Path,
    typer.Option(
        "--results", "-r", metavar="DIR", help="The results folder's path in a git revision."
    ),
]

_AGENT_COLUMNS = ("rank", "agent", "evidence", "coverage")
PIPE_COLUMNS = 480
"""The width of a table in a pipe, in columns; it need not fit a screen."""


@collector_off()  # the program ends with the command
def score(
    paths: PathsArgument = None,
    form: ScoreFormatOption = "table",
    tasks: TasksOption = None,
    results: ResultsOption = Path("results"),
    *,
    embargoed: EmbargoedOption = False,
) -> None:
    """Recompute every score that the protocol and the data allow."""
    from sitegen.board.export import scores_json
    from sitegen.board.tables import scores_csv

    rows: list[BoardEntry] = []
    errors: list[Problem] = []
    evaluations = evaluate_paths(paths, results, has_embargoed=embargoed)
    for evaluation in evaluations:
        errors += errors_of(evaluation.problems())
    if tasks:
        evaluations = _restrict_tasks(evaluations, tasks)
    for evaluation in evaluations:
        rows += evaluation.entries()
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


def _restrict_tasks(
    evaluations: "Sequence[Evaluation]", texts: Sequence[str]
) -> "list[Evaluation]":
    """Return evaluations restricted to matching tasks; print a note for each board without any."""
    from sitegen.pipeline.subsets import boards_left_out, parse_filters, select_tasks

    filters = parse_filters(texts, evaluations)
    restricted = select_tasks(evaluations, filters)
    for title in boards_left_out(evaluations, restricted):
        print_note(f"{title} is left out: none of its tasks match `--tasks`")
    return restricted


def explain(
    address: RowOrTaskArgument,
    form: ExplainFormatOption = "text",
    results: ResultsOption = Path("results"),
    *,
    summary: SummaryOption = False,
    embargoed: EmbargoedOption = False,
) -> None:
    """Show the arithmetic of a submission's scores, down to the rounds."""
    from sitegen.pipeline import evaluating
    from sitegen.pipeline.addressing import complete_address

    require_results(results)
    complete = complete_address(address, results)
    if embargoed:
        evaluation = evaluating.evaluate_with_embargoed(results, today())
    else:
        evaluation = evaluating.evaluate(results, today())
    errors = errors_of(evaluation.problems_outside())
    try:
        match form:
            case "json":
                print_json(_explanation_document(complete, evaluation, has_rounds=not summary))
            case "text" if summary:
                print_lines(*_summary_lines(complete, evaluation))
            case "text":
                print_lines(*evaluating.explain(complete, evaluation))
            case _:
                assert_never(form)
    finally:
        if errors:  # they may explain why a score differs or is missing
            print_problems(errors)
    if errors:
        raise typer.Exit(1)


def _summary_lines(address: str, evaluation: "Evaluation") -> Iterator[str]:
    """Yield lines with the rank and the scores of a submission."""
    from sitegen.pages.labels import rank_text
    from sitegen.pipeline.evaluating import row_address, row_at

    board, entry, _ = row_at(address, evaluation)
    yield f"{row_address(board, entry)}: {entry.agent.name}"
    yield f"rank {rank_text(board, entry)}; {entry.evidence}; {_coverage_text(entry)}"
    for metric in board.metrics:
        if entry.value(metric) is not None:
            yield f"{metric}: {_score_text(board, entry, metric)}"


def _explanation_document(
    address: str, evaluation: "Evaluation", *, has_rounds: bool
) -> dict[str, object]:
    """Return a submission's scores, and its rounds or a named task's rounds, for JSON output.

    Args:
        address: BENCHMARK/TRACK/SUBMISSION, optionally followed by /TASK.
        evaluation: The evaluation that contains the submission.
        has_rounds: Whether to include the rounds.
    """
    from sitegen.board import BoardEntry
    from sitegen.board.export import scores_json
    from sitegen.models.schemas import SCHEMAS
    from sitegen.pipeline.evaluating import row_address, row_at

    board, entry, task = row_at(address, evaluation)
    scores = scores_json([BoardEntry(board, entry)])
    document: dict[str, object] = {"schema": 1, "address": row_address(board, entry), **scores}
    if not has_rounds:
        return document
    rounds = []
    for result in entry.bundle.rounds if entry.bundle else ():
        if task in {"", result.task}:
            rounds.append(SCHEMAS["round"].dump_python(result, mode="json", exclude_none=True))
    document["rounds"] = rounds
    return document


def schema(
    name: SchemaArgument = None,
    into: SchemaFolderOption = None,
) -> None:
    """Print a JSON Schema of the bundle format, or write all of them."""
    from sitegen.models.schemas import SCHEMAS, json_schema
    from sitegen.publish.machine.transaction import transaction

    if name is not None and name not in SCHEMAS:
        raise UsageError(f"there is no schema {name}; the schemas are {', '.join(SCHEMAS)}")
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
    author: AuthorOption = None,
    results: RevisionResultsOption = Path("results"),
) -> None:
    """Show how scores, ranks and records differ between two states of the results."""
    from sitegen.board.history.changes_report import as_json
    from sitegen.pipeline.comparing import compare

    changes, later = compare(base, head, results, today(), author)
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


def _text_lines(changes: "Changes") -> Iterator[str]:
    """Yield changes as text; a single sentence if there are none."""
    from sitegen.board.history.changes_report import ChangeWriter, as_text
    from sitegen.board.history.proposal import in_a_line

    if not changes.are_none:
        yield changes.request.written()
        yield in_a_line(changes, ChangeWriter(markdown=False))
        yield ""
    yield from as_text(changes)


def _markdown_lines(changes: "Changes", later: "Evaluation") -> list[str]:
    """Return changes as Markdown, shortened if they are too long for a comment."""
    from sitegen.board.history.changes_report import LARGEST_REPORT, as_markdown
    from sitegen.board.history.proposal import folded, opening

    first_lines = list(opening(changes, later.entries()))
    frame = [*first_lines, *folded(())]
    used_bytes = len("\n".join(frame).encode()) + 1
    details = as_markdown(changes, LARGEST_REPORT - used_bytes)
    return [*first_lines, *folded(details)]


def _print_tables(rows: "Iterable[BoardEntry]") -> None:
    """Print a table of scores for each board."""
    from rich.console import Console

    boards: dict[tuple[str, str], Board] = {}
    entries: dict[tuple[str, str], list[Entry]] = {}
    for board, entry in rows:
        track = (board.benchmark.id, board.track.id)
        boards.setdefault(track, board)
        entries.setdefault(track, []).append(entry)
    width = None if sys.stdout.isatty() else PIPE_COLUMNS
    console = Console(width=width)
    # If nobody reads its output, Rich itself would end the program with 1, which means data
    # problems.
    with console.capture() as printed:
        for track, board in boards.items():
            console.print(_score_table(board, entries[track]))
    sys.stdout.write(printed.get())


def _score_table(board: "Board", entries: "Sequence[Entry]") -> "Table":
    """Return a table of the metrics for which any submission has a value."""
    from rich.table import Table
    from rich.text import Text

    from sitegen.pages.labels import rank_text

    metrics = [metric for metric in board.metrics if _has_values(entries, metric)]
    title = Text(visible(_table_title(board)))
    table = Table(title=title, title_justify="left")
    for name in _AGENT_COLUMNS:
        table.add_column(name, no_wrap=name == "agent", overflow="fold")
    for metric in metrics:
        table.add_column(metric, justify="right", overflow="fold")
    for entry in entries:
        agent = (rank_text(board, entry), entry.agent.name, entry.evidence, _coverage_text(entry))
        agent_cells = [Text(visible(text)) for text in agent]
        scores = [_score_text(board, entry, metric) for metric in metrics]
        table.add_row(*agent_cells, *scores)
    return table


def _table_title(board: "Board") -> str:
    """Return the title of a board, with the selected tasks unless all are selected."""
    selection = board.tasks.selection
    if selection is None:
        return board.title
    filters = " and ".join(map(str, selection.filters))
    task_count = len(board.tasks.tasks)
    return f"{board.title} ({task_count} of {counted(selection.total, 'task')}: {filters})"


def _has_values(entries: "Iterable[Entry]", metric: str) -> bool:
    for entry in entries:
        if entry.value(metric) is not None:
            return True
    return False


def _coverage_text(entry: "Entry") -> str:
    """Return a text on how many rounds have a record, and on missing tasks and attempts."""
    from sitegen.board import GAP

    coverage = ""
    if entry.coverage:
        coverage = str(entry.coverage)
    return ", ".join(filter(None, (coverage, entry.attempts_words))) or GAP


def _score_text(board: "Board", entry: "Entry", metric: str) -> str:
    """Return a score as text, with its interval and a note on missing data."""
    from sitegen.pages.labels import row_interval_text

    text = entry.text(metric)
    interval = row_interval_text(board, entry, board.metrics[metric])
    if interval:
        text = f"{text} ({interval})"
    score = entry.scores.get(metric)
    if score and score.value is not None and score.missing_note:
        text += f", {score.missing_note}"
    return text
