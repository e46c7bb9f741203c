"""Cells of heat maps: how a round, a run or a task went, told by a mark, by words and by colour."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import NamedTuple

from markupsafe import Markup

from sitegen.board.board import Board
from sitegen.models.outcome import RoundResult, State
from sitegen.pages.findings import flag_of
from sitegen.pages.labels import MARKS, STATES, escaped, visible
from sitegen.problems import counted

STEPS = 7
"""Shades of what passed in part; nothing passed has one of its own, and so has everything."""


SHARES = (("share-7", "98"), ("share-4", "50"), ("share-0", "0"))
"""Samples for the legend where cells hold percents."""

COUNTS = (("share-1", "1"), ("share-3", "3"), ("share-5", "5"), ("share-7", "7"), ("share-0", "0"))
"""Samples for the legend where cells hold counts."""

PARTS = (("share-4", "0.5"), ("share-0", "0"))
"""Samples for the legend where cells hold the share of attempts that passed."""

SHADES: Mapping[str, tuple[str, str]] = {
    "all": (MARKS["scored"], "all passed"),
    **{
        f"share-{step}": ("", f"{100 * (step - 1) // STEPS} to {100 * step // STEPS} % passed")
        for step in range(STEPS, 0, -1)
    },
    "share-0": ("0", "none passed"),
    **{state: (MARKS[state], words) for state, words in STATES.items() if state != "scored"},
    "missing": ("", "no record"),
}
"""Every ground of a cell, from the best down, with its mark where that is the same for all, and words."""


class Cell(NamedTuple):
    """How a round or a task went for a submission; a cell of a heat map says, too, where that is told."""

    state: State
    shade: str
    """Name of the ground: "all", "share-0" to "share-7", or a state other than scored."""
    mark: str
    words: str
    """The same as the mark, which is among them where it is a number: a reader may ask for the cell by it."""
    submission: str = ""
    task: str = ""
    round: int | None = None
    """None for a whole task."""
    address: str = ""
    finding: str = ""
    """Names of the findings that concern it, with blanks between them."""

    def placed(
        self, board: Board, key: tuple[str, str, int | None], what: str, address: str
    ) -> "Cell":
        """Say whose cell it is, what its words are about, and where it leads; and mark it where findings concern it.

        The key is the submission, the task, and the round, or None for a whole task.
        """
        submission, task, number = key
        marks = (
            board.marks.on_task(submission, task)
            if number is None
            else board.marks.on_round(submission, task, number)
        )
        flag = flag_of(board, marks)
        words = f"{what}: {self.words}" + (f"; {flag.words}" if flag else "")
        return Cell(
            self.state, self.shade, self.mark, words, *key, address, flag.ids if flag else ""
        )

    def html(self, root: str) -> Markup:
        """Write it, for a page from which `root` leads to the site's: a large board has 100,000 of them."""
        words, number = escaped(visible(self.words)), "" if self.round is None else self.round
        finding = f' data-finding="{escaped(self.finding)}"' if self.finding else ""
        return Markup(  # noqa: S704 - what is no word of ours is escaped
            f'<a class="sg-cell" href="{escaped(root + self.address)}" data-cell data-state="{self.state}"'
            f' data-shade="{self.shade}" data-submission="{escaped(self.submission)}" data-task="{escaped(self.task)}"'
            f' data-round="{number}"{finding} title="{words}" aria-label="{words}">{escaped(self.mark)}</a>'
        )


MISSING = Cell("unreached", "missing", "", "no record")


def states_in(cells: Iterable[Cell]) -> list[State]:
    """List the states that some cells show instead of a share, for the legend."""
    shades = {cell.shade for cell in cells}
    return [state for state in MARKS if state in shades]


def ticked(words: str) -> Cell:
    """Show what passed as a whole."""
    return Cell("scored", "all", "✓", words)


def shaded(share: float, mark: str, words: str) -> Cell:
    """Show what passed in part, or failed with a verdict."""
    return Cell(
        "scored", f"share-{min(STEPS, 1 + int(STEPS * share)) if share else 0}", mark, words
    )


def _unscored(state: State, words: str) -> Cell:
    """Show what has no verdict by cases, as `state` says; `words` say more of it."""
    return Cell(state, state, MARKS[state], STATES[state] + words)


def round_look(results: Sequence[RoundResult], usual: int | None = None) -> Cell:
    """Tell how a round went over a submission's attempts, of each of which there is a record, if there are any.

    `usual` is how many cases the round has in most submissions; None where they do not agree.
    """
    if not results:
        return MISSING
    if len(results) == 1:
        return _single(results[0], usual)
    passed = sum(result.solved for result in results)
    mark = f"{passed}/{len(results)}"
    words = f"passed in {mark} attempts"
    if passed == len(results):
        return ticked(words)
    if "scored" not in {result.state for result in results}:
        return _unscored(results[0].state, f"; {words}")
    best = max(map(_share, results))
    return shaded(passed / len(results), mark, f"{words}; at best {_percent(best)} % of cases")


def _single(result: RoundResult, usual: int | None) -> Cell:
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
            words += f"; usually {usual:,}"
    return ticked(words) if result.solved else shaded(share, str(_percent(share)), words)


def task_look(runs: Sequence[Sequence[RoundResult]], word: str) -> Cell:
    """Tell how a task went, by the records that count of each attempt; `word` is the benchmark's for a round."""
    recorded = list(filter(None, runs))
    if not recorded:
        return _unscored("excluded", "") if runs else MISSING
    passed = [sum(result.solved for result in run) for run in recorded]
    share = fmean(rounds / len(run) for rounds, run in zip(passed, recorded, strict=True))
    mean = f"{fmean(passed):.3g}"
    several = f", mean of {counted(len(runs), 'attempt')}" if len(runs) > 1 else ""
    if len(recorded[0]) > 1:
        words = f"{mean} of {counted(len(recorded[0]), word)} passed{several}"
    elif len(runs) > 1:
        words = f"passed in {sum(passed)} of {counted(len(recorded), 'attempt')}"
    else:
        words = "passed" if share else "not passed"
    state, *others = {result.state for result in chain.from_iterable(recorded)}
    if share == 1:
        return ticked(words)
    return (
        shaded(share, mean, words)
        if others or state == "scored"
        else _unscored(state, f" in every {word}" if len(recorded[0]) > 1 else "")
    )


def _share(result: RoundResult) -> float:
    if result.state != "scored":
        return 0.0
    return (
        result.passed / result.total
        if result.passed is not None and result.total
        else float(result.solved)
    )


def _percent(share: float) -> int:
    """Whole percent, never rounded up: 100 is kept for all."""
    return int(100 * share)
