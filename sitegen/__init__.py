"""Recount, the program `sitegen`: builds leaderboards from folders of benchmark results.

A folder of submissions goes in; a static site comes out, on which every number is recomputed from
the results of the rounds. `load` gives the same results to a notebook, as data frames. Read
`pipeline.building` first: it calls the stages in order, from reading the folder to writing the
pages.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sitegen.board.frames import KEY, ResultFrames

__all__ = ["KEY", "ResultFrames", "__version__", "load"]

__version__ = "0.2.0"


def load(path: str | Path = "results", address: str | None = None) -> "ResultFrames":
    """Return results as four pandas data frames: `boards`, `rounds`, `cases` and `tasks`.

    Scores are recomputed with findings applied, as on the site. Each frame is computed when
    it is first used: reading `frames.rounds` computes no score. Only the named benchmark or
    submission is read. A single submission is fastest, but its `boards` have no rank, since a rank
    needs the other submissions.

        frames = sitegen.load("results")
        frames = sitegen.load("results", "evocode-bench")
        frames = sitegen.load("results", "evocode-bench/official/2026-06-25-glm-5-2")
        frames = sitegen.load("results/evocode-bench/submissions/2026-06-25-glm-5-2")

    `ResultFrames` describes every column with its unit.

    Args:
        path: A results folder, the folder of a benchmark in it, or the folder of a submission.
        address: The part of a results folder to load: BENCHMARK, BENCHMARK/TRACK or
            BENCHMARK/TRACK/SUBMISSION, as in the addresses of the site. None for everything.

    Raises:
        ProblemsError: The path has no results, or the requested part has errors. The message lists
            every error, and suggests similar folders.
        UsageError: The address does not exist; the message suggests similar ones.
    """
    # Imported here because every command imports this package and most need none of this.
    from sitegen.cli.console import today  # noqa: PLC0415
    from sitegen.pipeline.loading import load_frames  # noqa: PLC0415

    return load_frames(path, address, today())


def __getattr__(name: str) -> Any:  # noqa: ANN401 - type checkers see the imports above
    """Return `KEY` or `ResultFrames`, whose module takes a while to import."""
    if name in {"KEY", "ResultFrames"}:
        from sitegen.board import frames  # noqa: PLC0415

        return getattr(frames, name)
    raise AttributeError(f"module 'sitegen' has no attribute '{name}'")
