"""Turns folders of submitted benchmark results into a static site that recomputes every number it shows."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitegen.board.tables import Tables

__version__ = "0.1.0"


def load(folder: str | Path) -> "Tables":
    """Boards, rounds and cases of a results folder as data frames, for notebooks: `sitegen.load("results").boards`.

    Scores are recomputed, and findings have had their effects.

    Raises:
        ProblemsError: The results have errors, or there are none.
    """
    from sitegen.board.tables import tables_of  # noqa: PLC0415 - who imports the package alone, as commands do, need not wait
    from sitegen.cli.console import today  # noqa: PLC0415 - as above
    from sitegen.pipeline.judging import judge  # noqa: PLC0415 - as above
    from sitegen.problems import ProblemsError, errors_of  # noqa: PLC0415 - as above

    judged = judge(Path(folder), today())
    errors = errors_of(judged.problems())
    if errors:
        raise ProblemsError(errors)
    return tables_of(judged.all_boards())
