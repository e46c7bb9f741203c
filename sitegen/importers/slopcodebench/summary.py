"""Compares what follows from a run's checkpoints with what the runner made of them itself."""

from collections.abc import Iterator, Sequence
from math import fsum, isclose

from sitegen.importers.kit import rules
from sitegen.importers.kit.report import Doubt
from sitegen.importers.slopcodebench.evaluation import REGRESSION
from sitegen.importers.slopcodebench.files import Summary
from sitegen.importers.slopcodebench.run import Run
from sitegen.models.outcome import RoundResult

_CORE = "core"


def summary_doubts(run: Run, expected: int) -> Iterator[Doubt]:
    """Say once what of a run's summary does not follow from its checkpoints.

    Shares are not compared: early summaries leave missing checkpoints out of them.

    Args:
        run: The run.
        expected: Checkpoints of all its problems.
    """
    if run.summary is None:
        return
    apart = [
        f"`{name}` is {stated:g} there, {found:g} by the checkpoints"
        for name, stated, found in _compared(run.summary, list(run.results.values()), expected)
        if not isclose(stated, found, rel_tol=1e-9, abs_tol=1e-6)
    ]
    if apart:
        yield rules.SCORE_DIFFERS, "; ".join(apart)


def _compared(stated: Summary, results: Sequence[RoundResult], expected: int) -> Iterator[tuple[str, float, float]]:
    """Give what a summary states: its key, its value, and what the checkpoints give."""
    compared = (
        ("checkpoints_solved", stated.checkpoints_solved, sum(result.solved for result in results)),
        ("checkpoints_iso_solved", stated.checkpoints_iso_solved, sum(map(_passes_own, results))),
        ("checkpoints_core_solved", stated.checkpoints_core_solved, sum(map(_passes_core, results))),
        ("expected_checkpoints", stated.expected_checkpoints, expected),
        ("costs.total", stated.costs.total, fsum(result.cost_usd or 0 for result in results)),
    )
    yield from ((name, value, found) for name, value, found in compared if value is not None)


def _passes_own(result: RoundResult) -> bool:
    """Whether all tests but those of earlier checkpoints pass."""
    return _passes(result, [name for name in result.by_category or () if name != REGRESSION])


def _passes_core(result: RoundResult) -> bool:
    return _passes(result, [name for name in result.by_category or () if name == _CORE])


def _passes(result: RoundResult, categories: list[str]) -> bool:
    counts = [count for name, count in (result.by_category or {}).items() if name in categories and count[1]]
    return bool(counts) and all(passed == total for passed, total in counts)
