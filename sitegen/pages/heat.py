"""Cells of heat maps: the result of a round, a run or a task as a mark, a text and a shade."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import NamedTuple

from markupsafe import Markup

from sitegen.board import Board
from sitegen.models.outcome import RoundResult, State
from sitegen.pages.findings import flag_of
from sitegen.pages.labels import MARKS, STATES, escaped, visible
from sitegen.pages.selection import count_solved
from sitegen.pages.texts import only_value
from sitegen.problems import counted

STEPS = 7
"""Number of shades for shares between none and all, which have shades of their own."""


SHARES = (("share-7", "98"), ("share-4", "50"), ("share-0", "0"))
"""Sample cells for the legend of maps whose cells show percentages."""

COUNTS = (("share-1", "1"), ("share-3", "3"), ("share-5", "5"), ("share-7", "7"), ("share-0", "0"))
"""Sample cells for the legend of maps whose cells show counts."""

PARTS = (("share-4", "1/2"), ("share-0", "0"))
"""Sample cells for the legend of maps whose cells show how many attempts passed."""


def _shades() -> Mapping[str, tuple[str, str]]:
    shades = {"all": (MARKS["scored"], "all passed")}
    for step in range(STEPS, 0, -1):
        low = 100 * (step - 1) // STEPS
        high = 100 * step // STEPS
        shades[f"share-{step}"] = ("", f"{low} to {high} % passed")
    shades["share-0"] = ("0", "none passed")
    for state, text in STATES.items():
        if state != "scored":
            shades[state] = (MARKS[state], text)
    shades["missing"] = ("", "no record")
    return shades


SHADES = _shades()
"""Every shade, best first, with the mark that all its cells share, if any, and its text."""

CellKey = tuple[str, str, int | None]
"""A submission, a task, and a round, which is None for all rounds of the task."""


class HeatCell(NamedTuple):
    """The result of a round or a task for a submission, and the address of its details."""

    state: State
    shade: str
    """The key of the shade in `SHADES`."""
    mark: str
    words: str
    """The text of the cell; it includes a numeric mark, so that speech input can use the number."""
    submission: str = ""
    task: str = ""
    round: int | None = None
    """The number of the round; None for all rounds of the task."""
    address: str = ""
    finding: str = ""
    """Ids of the findings that concern it, separated by spaces."""

    def linked(self, board: Board, key: CellKey, subject: str, address: str) -> "HeatCell":
        """Return the cell of a submission, with its address and the findings that concern it.

        Args:
            board: The board of the submission.
            key: The submission, the task and the round that the cell is about.
            subject: The same in words, for the start of the cell's text.
            address: The address of further details.
        """
        submission, task, number = key
        if number is None:
            findings = board.findings.on_task(submission, task)
        else:
            findings = board.findings.on_round(submission, task, number)
        flag = flag_of(board, findings)
        text = f"{subject}: {self.words}"
        finding_ids = ""
        if flag:
            text = f"{text}; {flag.words}"
            finding_ids = flag.ids
        return HeatCell(self.state, self.shade, self.mark, text, *key, address, finding_ids)

    def html(self, root: str) -> Markup:
        """Return the cell as HTML; no template is used, since a large board has 100,000 cells.

        Args:
            root: The path from the page to the site's root.
        """
        text = escaped(visible(self.words))
        number = "" if self.round is None else self.round
        finding = ""
        if self.finding:
            finding = f' data-finding="{escaped(self.finding)}"'
        # all attributes below are constants of this module, or escaped
        return Markup(  # noqa: S704
            f'<a class="sg-cell" href="{escaped(root + self.address)}" data-cell'
            f' data-state="{self.state}" data-shade="{self.shade}"'
            f' data-submission="{escaped(self.submission)}" data-task="{escaped(self.task)}"'
            f' data-round="{number}"{finding} title="{text}" aria-label="{text}">'
            f"{escaped(self.mark)}</a>"
        )


MISSING = HeatCell("unreached", "missing", "", "no record")


def states_in(cells: Iterable[HeatCell]) -> list[State]:
    """Return the states that some cells show instead of a share, for the legend."""
    shades = {cell.shade for cell in cells}
    return [state for state in MARKS if state in shades]


def samples_in(
    cells: Iterable[HeatCell], samples: Sequence[tuple[str, str]]
) -> Sequence[tuple[str, str]]:
    """Return the sample cells that a legend needs for these cells.

    Without results that passed in part, that is the sample of none passed; it is left out as well
    if no cell has its shade.
    """
    shades = {cell.shade for cell in cells}
    if any(f"share-{step}" in shades for step in range(1, STEPS + 1)):
        return samples
    return [sample for sample in samples if sample[0] == "share-0" and sample[0] in shades]


def passed_cell(text: str) -> HeatCell:
    """Return the cell of a round or task that passed completely."""
    return HeatCell("scored", "all", "✓", text)


def share_cell(share: float, mark: str, text: str) -> HeatCell:
    """Return the cell of a scored result that did not pass completely; `share` is from 0 to 1."""
    step = 0
    if share:
        step = min(STEPS, 1 + int(STEPS * share))
    return HeatCell("scored", f"share-{step}", mark, text)


def _unscored_cell(state: State, remark: str) -> HeatCell:
    """Return the cell of a result without a verdict; `remark` continues the text of the state."""
    return HeatCell(state, state, MARKS[state], STATES[state] + remark)


def round_cell(results: Sequence[RoundResult], usual: int | None = None) -> HeatCell:
    """Return the cell of a round over a submission's attempts that have a record of it.

    Args:
        results: One per attempt; there may be none.
        usual: The number of cases in most submissions; None if they do not agree.
    """
    if not results:
        return MISSING
    if len(results) == 1:
        return _single_result(results[0], usual)
    passed = count_solved(results)
    mark = f"{passed}/{len(results)}"
    text = f"passed in {mark} attempts"
    if passed == len(results):
        return passed_cell(text)
    if all(result.state != "scored" for result in results):
        return _unscored_cell(results[0].state, f"; {text}")
    best = max(map(_passed_share, results))
    return share_cell(passed / len(results), mark, f"{text}; at best {_percent(best)} % of cases")


def _single_result(result: RoundResult, usual: int | None) -> HeatCell:
    """Return the cell of a round in one attempt."""
    if result.state != "scored":
        return _unscored_cell(result.state, f" ({result.cause})" if result.cause else "")
    text = _result_text(result, usual)
    if result.solved:
        return passed_cell(text)
    share = _passed_share(result)
    return share_cell(share, str(_percent(share)), text)


def _result_text(result: RoundResult, usual: int | None) -> str:
    """Return a text on how many cases of a round passed, and how many were skipped."""
    if result.passed is None or result.total is None:
        if result.solved:
            return "passed"
        return "failed; case counts unknown"
    text = f"{result.passed} of {counted(result.total, 'case')} passed"
    if not result.solved:
        text += f", {_percent(_passed_share(result))} %"
    if result.skipped:
        text += f", {result.skipped} skipped"
    if usual and result.total != usual:
        text += f"; usually {counted(usual, 'case')}"
    return text


def task_cell(runs: Sequence[Sequence[RoundResult]], round_noun: str) -> HeatCell:
    """Return the cell of a task over the attempts with a result that counts.

    As in metrics, an attempt without such a result neither passed nor failed.

    Args:
        runs: The results that count, by attempt.
        round_noun: What the benchmark calls a round.
    """
    recorded = [run for run in runs if run]
    if not recorded:
        return _unscored_cell("excluded", "") if runs else MISSING
    passed = [count_solved(run) for run in recorded]
    share = fmean(count / len(run) for count, run in zip(passed, recorded, strict=True))
    mean_passed = f"{fmean(passed):.3g}"
    mark = mean_passed
    round_count = len(recorded[0])
    if round_count > 1:
        text = f"{mean_passed} of {counted(round_count, round_noun)} passed"
        if len(recorded) > 1:
            text += f", mean of {counted(len(recorded), 'attempt')}"
    elif len(recorded) > 1:
        mark = f"{sum(passed)}/{len(recorded)}" if share else "0"
        text = f"passed in {sum(passed)} of {counted(len(recorded), 'attempt')}"
    else:
        text = "passed" if share else "not passed"
    if share == 1:
        return passed_cell(text)
    common_state = only_value(result.state for result in chain.from_iterable(recorded))
    if common_state is None or common_state == "scored":
        return share_cell(share, mark, text)
    return _unscored_cell(common_state, f" in every {round_noun}" if round_count > 1 else "")


def _passed_share(result: RoundResult) -> float:
    """Return the share of a round's cases that passed, or 1 or 0 for its verdict without counts."""
    if result.state != "scored":
        return 0.0
    if result.passed is not None and result.total:
        return result.passed / result.total
    return float(result.solved)


def _percent(share: float) -> int:
    """Return a share in whole percent, rounded down so that 100 means all."""
    return int(100 * share)
