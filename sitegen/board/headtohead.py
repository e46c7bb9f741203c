"""Every two rows of a board head to head: who is likely ahead, by how much, and why that can't be told of some."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

from sitegen.board.board import Board
from sitegen.board.certainty import Standing
from sitegen.board.comparison import Difference, comparisons
from sitegen.board.entry import Entry
from sitegen.metrics.likeness import RoundCounts
from sitegen.metrics.metric import Metric
from sitegen.metrics.uncertainty import ROUNDING

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


FINDINGS: Mapping[Letter, Finding] = {
    "a": Finding("likely ahead", "the 95 % interval of the difference leaves out 0"),
    "b": Finding("likely behind", "the 95 % interval of the difference leaves out 0"),
    "c": Finding("cannot tell", "the 95 % interval of the difference holds 0"),
    "t": Finding("tie", "the scores are equal"),
    "A": Finding("ahead", "shown over all pairs of the board at once"),
    "B": Finding("behind", "shown over all pairs of the board at once"),
    "C": Finding("cannot tell", "not shown over all pairs of the board at once"),
    "r": Finding("cannot tell", "a reported row has no results of tasks to compare"),
    "g": Finding("cannot tell", "no score to compare"),
    "m": Finding("cannot tell", "there are no results for some of the tasks"),
    "v": Finding("cannot tell", "measured by different versions of the definition"),
    "o": Finding("cannot tell", "a single task says nothing of others"),
}
"""The findings by their letters: first those of a pair alone, then those as one of all pairs, then gaps."""

_SHOWN: Mapping[Standing, Letter] = {"ahead": "A", "behind": "B", "cannot tell": "C"}

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

    def on_board(self, first: Entry, second: Entry) -> Letter:
        """Say whether the first of two rows is shown to be ahead by the headline score, as one of all pairs."""
        return _SHOWN[self.board.certainty.standing(first, second)]

    def rounds(self, first: Entry, second: Entry) -> RoundCounts | None:
        """Count how the rounds went that both have a verdict on; None where there is none."""
        return self.board.verdicts.compare(first.id, second.id) if first.sheet and second.sheet else None

    def _place(self, entry: Entry) -> tuple[bool, bool, float]:
        value, upwards = entry.value(self.board.headline.id), self.board.headline.direction == "higher"
        return entry.is_incomplete, value is None, 0.0 if value is None else -value if upwards else value

    def _differences(self, metric: Metric) -> dict[Pair, Difference]:
        """Compute the differences of all rows that were measured by one version of a definition at once."""
        found: dict[Pair, Difference] = {}
        for rows in self._measured(metric) if self.board.certainty.has_tasks else ():
            for place, first in enumerate(rows[:-1]):
                others = rows[place + 1 :]
                leads = self.board.certainty.paired(metric, first, others)
                found |= {
                    (first.id, other.id): Difference(metric, lead) for other, lead in zip(others, leads, strict=True)
                }
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
    if first.sheet or second.sheet:
        return _gap(board, board.headline, first, second)
    return _counted(board, first, second)


def _counted(board: Board, first: Entry, second: Entry) -> Letter:
    """Say what printed counts tell of two reported rows."""
    values = [entry.value(board.headline.id) for entry in (first, second)]
    if None in values:
        return "g"
    if values[0] == values[1]:
        return "t"
    if not {first.id, second.id} <= board.certainty.ranks.keys():
        return "r"
    return _SHOWN[board.certainty.standing(first, second)]


def _step(board: Board, first: Entry, second: Entry) -> Step:
    difference = comparisons(board, first, [second])[second.id].differences.get(board.headline.id)
    return Step(finding(board, first, second, difference), difference)


def _drawn(difference: Difference) -> Letter:
    if difference.standing != "cannot tell":
        return "a" if difference.standing == "ahead" else "b"
    return "t" if abs(difference.paired.value) <= ROUNDING else "c"


def _gap(board: Board, metric: Metric, first: Entry, second: Entry) -> Letter:
    """Say why two rows have no difference by a metric."""
    if first.is_incomplete or second.is_incomplete:
        return "m"
    if not (first.sheet and second.sheet):
        return "r"
    if first.value(metric.id) is None or second.value(metric.id) is None:
        return "g"
    return "v" if board.certainty.has_tasks else "o"
