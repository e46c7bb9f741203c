"""The command that lists what a newer version of the program would change."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from sitegen.board.differences import Difference
from sitegen.board.score import GAP
from sitegen.cli.console import print_lines, show_progress
from sitegen.cli.options import ResultsOption
from sitegen.pipeline import upgrading
from sitegen.problems import counted

MAX_LINES = 40
"""Lines of each kind that are printed."""

ProgramArgument = Annotated[
    Path,
    typer.Argument(help="The other version: a wheel, a checkout, or a Python that has it."),
]
CheckOption = Annotated[
    bool, typer.Option("--check", help="Tell, and write nothing: all that there is so far.")
]


def upgrade(
    program: ProgramArgument,
    results: ResultsOption = Path("results"),
    *,
    check: CheckOption = True,  # noqa: ARG001 - there is no other mode yet
) -> None:
    """Tell which scores, places, problems and pages another version of the program would change."""
    with (
        TemporaryDirectory(prefix="sitegen-upgrade-") as work,
        show_progress("building by both versions"),
    ):
        outcome = upgrading.upgrade(program, results, Path(work).resolve())
    rows = counted(outcome.rows, "row")
    for kind, changed_rows in (("scores", outcome.scores), ("places", outcome.standings)):
        lines = [_row_line(address, differences) for address, differences in changed_rows]
        _print_some(f"{kind}: {len(lines)} of {rows} differ", lines)
    for kind, problems in (("new", outcome.new), ("gone", outcome.gone)):
        _print_some(f"problems: {len(problems)} {kind}", problems)
    numbers = Counter(change for _, change in outcome.pages)
    changes = ", ".join(f"{numbers[change]:,} {change}" for change in ("changed", "new", "gone"))
    pages = [f"{address or 'the first page'}: {change}" for address, change in outcome.pages]
    _print_some(f"pages: {changes}, of {outcome.all_pages:,}", pages)
    if any(": error " in problem for problem in outcome.new):
        raise typer.Exit(1)


def _row_line(address: str, differences: Sequence[Difference]) -> str:
    changes = []
    for difference in differences:
        before = _format_value(difference.before)
        changes.append(f"{difference.name} {before} to {_format_value(difference.after)}")
    return f"{address}: {', '.join(changes)}"


def _format_value(value: object) -> str:
    if value is None:
        return GAP
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _print_some(heading: str, lines: Sequence[str]) -> None:
    """Print a heading with the first lines, and the number of the others."""
    print_lines(heading, *(f"  {line}" for line in lines[:MAX_LINES]))
    if len(lines) > MAX_LINES:
        print_lines(f"  and {len(lines) - MAX_LINES:,} more")
