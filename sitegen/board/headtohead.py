"""Every two rows of a board head to head: who is likely ahead, by how much, and why that can't be told of some."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

from sitegen.board.board import Board
from sitegen.board.comparison import Difference, comparable, compare, difference_about
from sitegen.board.entry import Entry
from sitegen.metrics.metric import Metric
from sitegen.metrics.pairs import pair_intervals
from sitegen.metrics.uncertainty import ROUNDING
from sitegen.metrics.verdicts import RoundCounts

Letter = Literal["a", "b", "c", "t", "A", "B", "C", "r", "g", "m", "v", "o"]
"""What the data says of two rows, and why it says so: see `FINDINGS`."""


class Finding(NamedTuple):
    """What the data says of two rows.

    Attributes:
        word: What it says: the first is "likely ahead" or "likely behind", they "tie", or it "cannot tell".
        reason: Why it says so.
    """

    word: str
    reason: str


_LEAVES_OUT = "the 95 % interval of the difference leaves out 0"
_APART = "the 95 % intervals of the two scores do not overlap"

FINDINGS: Mapping[Letter, Finding] = {
    "a": Finding("likely ahead", _LEAVES_OUT),
    "b": Finding("likely behind", _LEAVES_OUT),
    "c": Finding("cannot tell", "the 95 % interval of the difference holds 0"),
    "t": Finding("tie", "the scores are equal"),
    "A": Finding("likely ahead", _APART),
    "B": Finding("likely behind", _APART),
    "C": Finding("cannot tell", "the 95 % intervals of the two scores overlap"),
    "r": Finding("cannot tell", "of a reported row there are no results to draw tasks from"),
    "g": Finding("cannot tell", "no score to compare"),
    "m": Finding("cannot tell", "there are no results for some of the tasks"),
    "v": Finding("cannot tell", "measured by different versions of the definition"),
    "o": Finding("cannot tell", "a single task says nothing of others"),
}
"""The findings by their letters: first those from draws of the tasks, then those from printed counts, then gaps."""

MOST = 200
"""So many rows of a board, the best ones, are held against each other: pairs grow with the square of the rows."""

Pair = tuple[str, str]
"""Ids of two rows, the better one first."""


@dataclass(frozen=True)  # no slots: what is asked for is computed once and stays
class HeadToHead:
    """Every two rows of a board, also rows that do not stand any more.

    Attributes:
        board: The board.
    """

    board: Board

    @cached_property
    def rows(self) -> Sequence[Entry]:
        """The best `MOST` rows in order; those that do not stand any more are at the place of their score."""
        return sorted(self.board.all_entries, key=self._place)[:MOST]

    @property
    def pairs(self) -> Iterator[tuple[Entry, Entry]]:
        """Every two rows: the first with the second, with the third, and so on; then the second with the third."""
        return combinations(self.rows, 2)

    @cached_property
    def differences(self) -> Mapping[str, Mapping[Pair, Difference]]:
        """How far rows lie apart, by column of the board and pair; pairs that can't be drawn are left out."""
        return {metric.id: self._differences(metric) for metric in self.board.columns}

    def letter(self, metric: Metric, first: Entry, second: Entry) -> Letter:
        """Say which of two rows is likely ahead by a metric, or why there is no difference."""
        difference = self.differences[metric.id].get((first.id, second.id))
        return _drawn(difference) if difference else _gap(self.board, metric, first, second)

    def standing(self, first: Entry, second: Entry) -> Letter:
        """Say which of two rows is likely ahead by the headline score, as `compare` does, and why."""
        difference = self.differences[self.board.headline.id].get((first.id, second.id))
        return finding(self.board, first, second, difference)

    def rounds(self, first: Entry, second: Entry) -> RoundCounts | None:
        """Count how the rounds went that both have a verdict on; None where there is none."""
        return self.board.verdicts.compare(first.id, second.id) if first.sheet and second.sheet else None

    def _place(self, entry: Entry) -> tuple[bool, bool, float]:
        value, upwards = entry.value(self.board.headline.id), self.board.headline.direction == "higher"
        return entry.is_incomplete, value is None, 0.0 if value is None else -value if upwards else value

    def _differences(self, metric: Metric) -> dict[Pair, Difference]:
        """Compute the differences of all rows that were measured by one version of a definition at once."""
        found: dict[Pair, Difference] = {}
        for rows in self._measured(metric) if self.board.certainty.can_be_drawn else ():
            leads = pair_intervals(self.board.certainty.resampling.draws(metric, [entry.id for entry in rows]))
            for (first, second), lead in zip(combinations(rows, 2), leads, strict=True):
                found[first.id, second.id] = difference_about(metric, first, second, lead)
        return found

    def _measured(self, metric: Metric) -> Collection[Sequence[Entry]]:
        """Give the rows that have results and a score, by the version of the definition that they were measured by."""
        found: dict[str | None, list[Entry]] = defaultdict(list)
        for entry in self.rows:
            score = entry.scores.get(metric.id)
            if entry.sheet and score and entry.has_score(metric.id):
                found[score.version].append(entry)
        return found.values()


class Step(NamedTuple):
    """A row and the next one of a board. `difference` is that of the headline scores; None where there is none."""

    letter: Letter
    difference: Difference | None


def steps(board: Board) -> Mapping[str, Step]:
    """Hold each ranked row against the next one, by the headline score.

    Returns:
        By the better row's id; none for the last one.
    """
    ranked = [entry for entry in board.entries if entry.id in board.ranks]
    return {first.id: _step(board, first, second) for first, second in pairwise(ranked)}


def finding(board: Board, first: Entry, second: Entry, difference: Difference | None) -> Letter:
    """Say which of two rows is likely ahead by the headline score, and why.

    Args:
        board: Their board.
        first: The row that it is said of.
        second: The other row.
        difference: Of their headline scores; None where they can't be drawn.
    """
    if difference:
        return _drawn(difference)
    if first.is_incomplete or second.is_incomplete:
        return "m"
    if first.sheet and second.sheet:
        return _gap(board, board.headline, first, second)
    standing = compare(board, first, second).standing
    if standing == "cannot tell":
        return _undecided(board, first, second)
    return "A" if standing == "ahead" else "B"


def _undecided(board: Board, first: Entry, second: Entry) -> Letter:
    """Say why two rows can't be told apart, of which one is only reported."""
    scores = [board.certainty.contender(entry) for entry in (first, second)]
    known = [score for score in scores if score]
    if len(known) < len(scores):
        return "g"
    if abs(known[0].score - known[1].score) <= ROUNDING:
        return "t"
    return "C" if all(score.interval for score in known) else "r"


def _step(board: Board, first: Entry, second: Entry) -> Step:
    difference = None
    if comparable(board, board.headline, first, second):
        (lead,) = board.certainty.leads(first, [second])
        difference = difference_about(board.headline, first, second, lead)
    return Step(finding(board, first, second, difference), difference)


def _drawn(difference: Difference) -> Letter:
    if difference.standing != "cannot tell":
        return "a" if difference.standing == "ahead" else "b"
    return "t" if abs(difference.value) <= ROUNDING else "c"


def _gap(board: Board, metric: Metric, first: Entry, second: Entry) -> Letter:
    """Say why two rows have no difference by a metric."""
    if first.is_incomplete or second.is_incomplete:
        return "m"
    if not (first.sheet and second.sheet):
        return "r"
    if first.value(metric.id) is None or second.value(metric.id) is None:
        return "g"
    return "v" if board.certainty.can_be_drawn else "o"
