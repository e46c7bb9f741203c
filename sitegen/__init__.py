"""Recount, the program `sitegen`: builds leaderboards from folders of benchmark results.

A folder of submissions goes in; a static site comes out, on which every number is recomputed from
the results of the rounds. `load` gives the same tables to a notebook. Read `pipeline.building`
first: it calls the stages in order, from reading the folder to writing the pages.
"""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitegen.board.tables import Tables

__version__ = "0.1.0"


def load(folder: str | Path) -> "Tables":
    """Return the boards, rounds and cases of a results folder as data frames, for notebooks.

    Scores are recomputed, with the effects of findings: `sitegen.load("results").boards`.

    Raises:
        ProblemsError: The results have errors, or there are none.
    """
    # Imported here because every command imports this package and most need none of this.
    from sitegen.board.tables import make_tables  # noqa: PLC0415
    from sitegen.cli.console import today  # noqa: PLC0415
    from sitegen.pipeline.evaluating import evaluate  # noqa: PLC0415
    from sitegen.problems import ProblemsError, errors_of  # noqa: PLC0415

    evaluation = evaluate(Path(folder), today())
    errors = errors_of(evaluation.problems())
    if errors:
        raise ProblemsError(errors)
    return make_tables(evaluation.all_boards())
