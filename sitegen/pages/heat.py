"""Cells of heat maps: how a round, a run or a task went, told by a mark, by words and by colour."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from sitegen.errors import counted
from sitegen.models.outcome import RoundResult, State
from sitegen.pages.labels import MARKS, STATES

STEPS = 8
"""Shades between nothing passed and nearly everything passed."""


SHARES = (("share-7", "98"), ("share-4", "50"), ("share-0", "0"))
"""Samples for the legend where cells hold percents."""

COUNTS = (("share-6", "6"), ("share-3", "3"), ("share-0", "0"))
"""Samples for the legend where cells hold counts."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a heat map.

    Attributes:
        submission, task: What it is about.
        round: The round's number; None for a whole task.
        state: As the data says.
        shade: Name of the ground: "all", "share-0" to "share-7", or a state other than scored.
        mark: What stands in it.
        words: The same in words.
        address: Where it leads, below the site's root.
    """

    submission: str
    task: str
    round: int | None
    state: State
    shade: str
    mark: str
    words: str
    address: str


def round_look(results: Sequence[RoundResult], usual: int | None = None) -> tuple[State, str, str, str]:
    """Tell how a round went over a submission's attempts: state, shade, mark, words.

    Args:
        results: One record an attempt; empty where all are missing.
        usual: How many cases the round has in most submissions; None where they do not agree.
    """
    if not results:
        return "unreached", "missing", "", "no record"
    if len(results) == 1:
        return _single(results[0], usual)
    passed = sum(result.solved for result in results)
    states = [result.state for result in results]
    state: State = "scored" if "scored" in states else states[0]
    words = f"passed in {passed} of {len(results)} attempts"
    if passed == len(results):
        return state, "all", "✓", words
    if state != "scored":
        return state, state, MARKS[state], f"{STATES[state]}; {words}"
    best = max(_share(result) for result in results)
    return (
        state,
        _shade(passed / len(results)),
        f"{passed}/{len(results)}",
        f"{words}; at best {_percent(best)} % of cases",
    )


def task_look(runs: Sequence[Sequence[RoundResult]]) -> tuple[State, str, str, str]:
    """Tell how a task went: state, shade, mark, words.

    Args:
        runs: Per attempt, the records of its rounds that count.
    """
    lengths = [len(run) for run in runs if run]
    if not lengths:
        return "unreached", "missing", "", "no record"
    states = {result.state for run in runs for result in run}
    state: State = states.pop() if len(states) == 1 else "scored"
    share = fmean(sum(result.solved for result in run) / len(run) for run in runs if run)
    passed = [sum(result.solved for result in run) for run in runs if run]
    several = f", mean of {counted(len(runs), 'attempt')}" if len(runs) > 1 else ""
    mean = f"{fmean(passed):.3g}"
    words = f"{mean} of {counted(lengths[0], 'round')} passed{several}"
    if share == 1:
        return state, "all", "✓", words
    if state != "scored":
        return state, state, MARKS[state], f"{STATES[state]} in every round"
    return state, _shade(share), mean, words


def _single(result: RoundResult, usual: int | None) -> tuple[State, str, str, str]:
    state = result.state
    if state != "scored":
        cause = f" ({result.cause})" if result.cause else ""
        return state, state, MARKS[state], STATES[state] + cause
    if result.passed is None or result.total is None:
        return (state, "all", "✓", "passed") if result.solved else (state, "share-0", "0", "failed; cases unknown")
    words = f"{result.passed} of {counted(result.total, 'case')} passed"
    if result.skipped:
        words += f", {result.skipped} skipped"
    if usual and result.total != usual:
        words += f"; this round usually has {usual:,}"
    if result.solved:
        return state, "all", "✓", words
    return state, _shade(_share(result)), str(_percent(_share(result))), words


def _share(result: RoundResult) -> float:
    if result.state != "scored":
        return 0.0
    return result.passed / result.total if result.passed is not None and result.total else float(result.solved)


def _percent(share: float) -> int:
    """Whole percent, never rounded up: 100 is kept for all."""
    return int(100 * share)


def _shade(share: float) -> str:
    return f"share-{min(STEPS - 1, int(STEPS * share))}"
