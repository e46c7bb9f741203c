"""Cells of heat maps: how a round, a run or a task went, told by a mark, by words and by colour."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from statistics import fmean
from typing import NamedTuple

from sitegen.models.outcome import RoundResult, State
from sitegen.pages.findings import Flag
from sitegen.pages.labels import MARKS, STATES
from sitegen.problems import counted

STEPS = 7
"""Shades of what passed in part; nothing passed has one of its own, and so has everything."""


def _bounds(step: int) -> str:
    return f"{100 * (step - 1) // STEPS} to {100 * step // STEPS} % passed"


SHARES = (("share-7", "98"), ("share-4", "50"), ("share-0", "0"))
"""Samples for the legend where cells hold percents."""

COUNTS = (("share-1", "1"), ("share-3", "3"), ("share-5", "5"), ("share-7", "7"), ("share-0", "0"))
"""Samples for the legend where cells hold counts."""


SHADES: Mapping[str, tuple[str, str]] = {
    "all": (MARKS["scored"], "all passed"),
    **{f"share-{step}": ("", _bounds(step)) for step in range(STEPS, 0, -1)},
    "share-0": ("0", "none passed"),
    **{state: (MARKS[state], words) for state, words in STATES.items() if state != "scored"},
    "missing": ("", "no record"),
}
"""Every ground of a cell, from the best down, with its mark where that is the same for all, and words."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a heat map.

    Attributes:
        submission, task: What it is about.
        round: The round's number; None for a whole task.
        state: As the data says.
        shade: Name of the ground: "all", "share-0" to "share-7", or a state other than scored.
        mark: What stands in it.
        words: The same in words, the mark among them where it is a number: a reader may ask for the cell by it.
        address: Where it leads, below the site's root.
        finding: Names of the findings that concern it, with blanks between them.
    """

    submission: str
    task: str
    round: int | None
    state: State
    shade: str
    mark: str
    words: str
    address: str
    finding: str = ""

    def flagged(self, flag: Flag | None) -> "Cell":
        """Mark the cell, where findings concern it."""
        return replace(self, finding=flag.ids, words=f"{self.words}; {flag.words}") if flag else self


class Look(NamedTuple):
    """How a round, a run or a task went; the fields are those of a cell."""

    state: State
    shade: str
    mark: str
    words: str

    def about(self, what: str) -> "Look":
        """Say first what the words are about."""
        return self._replace(words=f"{what}: {self.words}")

    def cell(self, submission: str, task: str, number: int | None, address: str) -> Cell:
        """Make the cell of a round, or of a whole task where `number` is None."""
        return Cell(submission, task, number, *self, address)


_MISSING = Look("unreached", "missing", "", "no record")


def _ticked(words: str) -> Look:
    """Look of what passed as a whole."""
    return Look("scored", "all", "✓", words)


def shaded(share: float, mark: str, words: str) -> Look:
    """Look of what passed in part, or failed with a verdict."""
    return Look("scored", f"share-{min(STEPS, 1 + int(STEPS * share)) if share else 0}", mark, words)


def _unscored(state: State, words: str) -> Look:
    """Look of what has no verdict by cases, as `state` says; `words` say more of it."""
    return Look(state, state, MARKS[state], STATES[state] + words)


def round_look(results: Sequence[RoundResult], usual: int | None = None) -> Look:
    """Tell how a round went over a submission's attempts.

    Args:
        results: One record an attempt; empty where all are missing.
        usual: How many cases the round has in most submissions; None where they do not agree.
    """
    if not results:
        return _MISSING
    if len(results) == 1:
        return _single(results[0], usual)
    passed = _passed(results)
    mark = f"{passed}/{len(results)}"
    words = f"passed in {mark} attempts"
    if passed == len(results):
        return _ticked(words)
    if "scored" not in {result.state for result in results}:
        return _unscored(results[0].state, f"; {words}")
    best = max(map(_share, results))
    return shaded(passed / len(results), mark, f"{words}; at best {_percent(best)} % of cases")


def _single(result: RoundResult, usual: int | None) -> Look:
    if result.state != "scored":
        return _unscored(result.state, f" ({result.cause})" if result.cause else "")
    share = _share(result)
    if result.passed is None or result.total is None:
        words = "passed" if result.solved else "failed; cases unknown"
    else:
        words = f"{result.passed} of {counted(result.total, 'case')} passed"
        if not result.solved:
            words += f", {_percent(share)} %"
        if result.skipped:
            words += f", {result.skipped} skipped"
        if usual and result.total != usual:
            words += f"; this round usually has {usual:,}"
    return _ticked(words) if result.solved else shaded(share, str(_percent(share)), words)


def task_look(runs: Sequence[Sequence[RoundResult]]) -> Look:
    """Tell how a task went.

    Args:
        runs: Per attempt, the records of its rounds that count.
    """
    recorded = list(filter(None, runs))
    if not recorded:
        return _unscored("excluded", "") if runs else _MISSING
    passed = list(map(_passed, recorded))
    share = fmean(rounds / len(run) for rounds, run in zip(passed, recorded, strict=True))
    mean = f"{fmean(passed):.3g}"
    several = f", mean of {counted(len(runs), 'attempt')}" if len(runs) > 1 else ""
    words = f"{mean} of {counted(len(recorded[0]), 'round')} passed{several}"
    state, *others = {result.state for result in chain.from_iterable(recorded)}
    if share == 1:
        return _ticked(words)
    return shaded(share, mean, words) if others or state == "scored" else _unscored(state, " in every round")


def _passed(results: Sequence[RoundResult]) -> int:
    """Count the rounds, or the attempts at one, that passed."""
    return sum(result.solved for result in results)


def _share(result: RoundResult) -> float:
    if result.state != "scored":
        return 0.0
    return result.passed / result.total if result.passed is not None and result.total else float(result.solved)


def _percent(share: float) -> int:
    """Whole percent, never rounded up: 100 is kept for all."""
    return int(100 * share)
