"""The command that tells what differs."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sitegen.board.changes_report import as_json, as_markdown, as_text
from sitegen.cli.clock import today
from sitegen.cli.printing import note_what_is_ahead, say
from sitegen.pipeline.comparing import compare
from sitegen.problems import errors_of


class ChangesFormat(StrEnum):
    """How changes are printed."""

    text = "text"
    json = "json"
    markdown = "markdown"


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
        say(*json.dumps(as_json(changes), indent=1, ensure_ascii=False).split("\n"))
    else:
        say(*(as_markdown(changes) if form is ChangesFormat.markdown else as_text(changes)))
    if errors_of((*later.problems(), *changes.new)):
        raise typer.Exit(1)
