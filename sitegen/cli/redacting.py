"""The command that takes out what must not stay."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.clock import today
from sitegen.cli.printing import say
from sitegen.pipeline import redacting
from sitegen.problems import UsageError, counted
from sitegen.store.provenance import ZONES


def redact(
    address: Annotated[str, typer.Argument(help="BENCHMARK/SUBMISSION, or that and /TASK for a task's texts alone.")],
    reason: Annotated[str, typer.Option(help="Why it must leave; readers of the site see it.")],
    by: Annotated[str, typer.Option(help="Who decides it.")] = "the maintainers",
    day: Annotated[
        datetime | None, typer.Option("--date", formats=["%Y-%m-%d"], help="The record's date; else today.")
    ] = None,
    results: Annotated[Path, typer.Option("--results", help="The results folder.")] = Path("results"),
) -> None:
    """Remove content that must not stay, and keep a record of it: who, when, why, and what was there."""
    decided = day.date() if day else today()
    if decided > today() + ZONES:
        raise UsageError(f"{decided} lies ahead; a redaction is dated the day on which it is decided")
    finding = redacting.redact(address, results, by, reason, decided)
    files = counted(len(finding.digests or ()), "file")
    say(f"{finding.title}: {files} removed or shortened, as findings.toml says. Git's history still has them")
