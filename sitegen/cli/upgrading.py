"""The command that tells what a newer version of the program would change."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from sitegen.board.differences import Difference
from sitegen.board.score import GAP
from sitegen.cli.console import ResultsOption, say, waiting
from sitegen.pipeline import upgrading
from sitegen.problems import counted

_MOST = 40
"""So many lines of each kind are told."""


def upgrade(
    program: Annotated[
        Path,
        typer.Argument(help="The other version: a wheel, a checkout, or a Python that has it."),
    ],
    results: ResultsOption = Path("results"),
    *,
    check: Annotated[  # noqa: ARG001 - says it
        bool, typer.Option("--check", help="Tell, and write nothing: all that there is so far.")
    ] = True,
) -> None:
    """Tell which scores, places, problems and pages another version of the program would change."""
    with (
        TemporaryDirectory(prefix="sitegen-upgrade-") as work,
        waiting("building by both versions"),
    ):
        found = upgrading.upgrade(program, results, Path(work).resolve())
    for what, rows in (("scores", found.scores), ("places", found.places)):
        _say_some(
            f"{what}: {len(rows)} of {counted(found.rows, 'row')} differ",
            [_told(*row) for row in rows],
        )
    for what, problems in (("new", found.new), ("gone", found.gone)):
        _say_some(f"problems: {len(problems)} {what}", problems)
    kinds = Counter(what for _, what in found.pages)
    differ = ", ".join(f"{kinds[kind]:,} {kind}" for kind in ("changed", "new", "gone"))
    listed = [f"{address or 'the first page'}: {what}" for address, what in found.pages]
    _say_some(f"pages: {differ}, of {found.all_pages:,}", listed)
    if any(": error " in each for each in found.new):
        raise typer.Exit(1)


def _told(row: str, found: Sequence[Difference]) -> str:
    values = (f"{each.name} {_shown(each.before)} to {_shown(each.after)}" for each in found)
    return f"{row}: {', '.join(values)}"


def _shown(value: object) -> str:
    return GAP if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _say_some(head: str, lines: Sequence[str]) -> None:
    say(head, *(f"  {line}" for line in lines[:_MOST]))
    if len(lines) > _MOST:
        say(f"  and {len(lines) - _MOST:,} more")
