"""The command that lists changes caused by another version of the program."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from sitegen.cli.console import print_lines, show_progress
from sitegen.cli.options import ResultsOption
from sitegen.problems import counted

if TYPE_CHECKING:
    from sitegen.board.history.differences import Difference
    from sitegen.pipeline import upgrading

MAX_LINES = 40
"""Maximum number of printed lines of each kind."""

ProgramArgument = Annotated[
    Path,
    typer.Argument(
        help="The other version: a wheel, a checkout, or a Python interpreter that has it."
    ),
]
CheckOption = Annotated[
    bool, typer.Option("--check", hidden=True, help="Write nothing; so far, the only mode.")
]


def upgrade(
    program: ProgramArgument,
    results: ResultsOption = Path("results"),
    *,
    check: CheckOption = True,  # noqa: ARG001 - there is no other mode yet
) -> None:
    """Show which scores, ranks, problems and pages another version of sitegen would change."""
    from sitegen.pipeline import upgrading

    with (
        TemporaryDirectory(prefix="sitegen-upgrade-") as work,
        show_progress("building with both versions"),
    ):
        outcome = upgrading.upgrade(program, results, Path(work).resolve())
    entries = counted(outcome.rows, "entry")
    for kind, changed_rows in (("scores", outcome.scores), ("ranks", outcome.standings)):
        lines = [_row_line(address, differences) for address, differences in changed_rows]
        _print_some(f"{kind}: {len(lines)} of {entries} differ", lines)
    for kind, problems in (("new", outcome.new), ("fixed", outcome.gone)):
        _print_some(f"problems: {len(problems)} {kind}", problems)
    _print_pages(outcome)
    for problem in outcome.new:
        if ": error " in problem:
            raise typer.Exit(1)


def _row_line(address: str, differences: "Sequence[Difference]") -> str:
    """Return a line with the values of a submission that would change."""
    changes = []
    for difference in differences:
        before = _format_value(difference.before)
        after = _format_value(difference.after)
        changes.append(f"{difference.name} {before} to {after}")
    return f"{address}: {', '.join(changes)}"


def _format_value(value: object) -> str:
    from sitegen.board import GAP

    if value is None:
        return GAP
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def _print_pages(outcome: "upgrading.Upgrade") -> None:
    """Print how many pages would change, appear or disappear, and list the first of them."""
    pages_by_change = Counter({"changed": 0, "new": 0, "gone": 0})
    lines = []
    for address, change in outcome.pages:
        pages_by_change[change] += 1
        name = address or "the home page"
        lines.append(f"{name}: {change}")
    counts = []
    for change, number in pages_by_change.items():
        counts.append(f"{number:,} {change}")
    _print_some(f"pages: {', '.join(counts)}, of {outcome.all_pages:,}", lines)


def _print_some(heading: str, lines: Sequence[str]) -> None:
    """Print a heading, the first lines and the number of remaining lines."""
    print_lines(heading)
    for line in lines[:MAX_LINES]:
        print_lines(f"  {line}")
    if len(lines) > MAX_LINES:
        print_lines(f"  and {len(lines) - MAX_LINES:,} more")
