"""Two rows of a board head to head: how far they lie apart, who is likely ahead, and why that can't be told of some."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

from sitegen.board.board import Board, order_of
from sitegen.board.certainty import Standing
from sitegen.board.entry import Entry
from sitegen.metrics.likeness import RoundCounts
from sitegen.metrics.metric import Metric
from sitegen.metrics.paired import Paired
from sitegen.metrics.uncertainty import ROUNDING


@dataclass(frozen=True, slots=True)
class ScoreDifference:
    """How far the first of two rows lies above the second by one metric."""

    metric: Metric
    paired: Paired
    """The first's score less the second's, from the differences at the tasks."""

    @property
    def standing(self) -> Standing:
        """Whether the two are told apart, if nobody picked them out of others."""
        if not self.paired.is_shown:
            return "cannot tell"
        return (
            "ahead" if (self.paired.value > 0) == (self.metric.direction == "higher") else "behind"
        )


class Comparison(NamedTuple):
    """A row of a board beside another one, by the headline score."""

    second: Entry
    difference: ScoreDifference | None
    """None where one of them has no results to draw from."""
    standing: Standing
    """Whether the first is likely ahead, this pair looked at alone; of printed counts nothing is said of that."""
    on_board: Standing
    """Whether it is shown to be, as one of all pairs of the board."""
    rounds: RoundCounts | None
    """How the rounds went that both have a verdict on; None where there is none."""


def comparisons(board: Board, first: Entry, others: Sequence[Entry]) -> list[Comparison]:
    """Compare one row with others that stand, all at once, which is faster than pair by pair."""
    metric, sure = board.headline, board.certainty
    drawn = [entry for entry in others if not _gap(board, metric, first, entry)]
    paired = zip(drawn, sure.paired(metric, first, drawn) if drawn else (), strict=True)
    found = {entry.id: ScoreDifference(metric, each) for entry, each in paired}
    compared = []
    for entry in others:
        difference, on_board = found.get(entry.id), sure.standing(first, entry)
        alone = difference.standing if difference else on_board
        compared.append(
            Comparison(entry, difference, alone, on_board, _rounds(board, first, entry))
        )
    return compared


def _rounds(board: Board, first: Entry, second: Entry) -> RoundCounts | None:
    return board.verdicts.compare(first.id, second.id) if first.sheet and second.sheet else None


Letter = Literal["a", "b", "c", "t", "A", "B", "C", "r", "g", "m", "v", "o", "k"]
"""What the data says of two rows, and why it says so: see `FINDINGS`."""


class Finding(NamedTuple):
    """What the data says of two rows."""

    word: str
    """That the first is "likely ahead" or "likely behind", that they "tie", or that it "cannot tell"."""
    reason: str


FINDINGS: Mapping[Letter, Finding] = {
    "a": Finding("likely ahead", "the interval of the difference leaves out 0"),
    "b": Finding("likely behind", "the interval of the difference leaves out 0"),
    "c": Finding("cannot tell", "the interval of the difference holds 0"),
    "t": Finding("tie", "the scores are equal"),
    "A": Finding("ahead", "shown over all pairs of the board at once"),
    "B": Finding("behind", "shown over all pairs of the board at once"),
    "C": Finding("cannot tell", "not shown over all pairs of the board at once"),
    "r": Finding("cannot tell", "a reported row has no results of tasks to compare"),
    "g": Finding("cannot tell", "no score to compare"),
    "m": Finding("cannot tell", "there are no results for some of the tasks"),
    "v": Finding("cannot tell", "measured by different versions of the definition"),
    "o": Finding("cannot tell", "a single task says nothing of others"),
    "k": Finding("cannot tell", "the tasks lie in too few clusters for a test"),
}
"""The findings by their letters: first those of a pair alone, then those as one of all pairs, then gaps."""

_SHOWN: Mapping[Standing, Letter] = {"ahead": "A", "behind": "B", "cannot tell": "C"}

MOST = 200
"""So many rows of a board, the best ones, are held against each other: pairs grow with the square of the rows."""

Pair = tuple[str, str]
"""Ids of two rows, the better one first."""


@dataclass(frozen=True)  # no slots: what is asked for is computed once and stays
class HeadToHead:
    """Every two rows of a board, also rows that do not stand any more."""

    board: Board

    @cached_property
    def rows(self) -> Sequence[Entry]:
        """The best `MOST` rows in order; those that do not stand any more are at the place of their score."""
        return sorted(self.board.all_entries, key=partial(order_of, headline=self.board.headline))[
            :MOST
        ]

    @property
    def pairs(self) -> Iterator[tuple[Entry, Entry]]:
        """Every two rows: the first with the second, with the third, and so on; then the second with the third."""
        return combinations(self.rows, 2)

    @cached_property
    def differences(self) -> Mapping[str, Mapping[Pair, ScoreDifference]]:
        """How far rows lie apart, by column of the board and pair; pairs that can't be drawn are left out.

        Those of all rows that were measured by one version of a definition are computed at once.
        """
        certainty = self.board.certainty
        found: dict[str, dict[Pair, ScoreDifference]] = {
            metric.id: {} for metric in self.board.columns
        }
        for metric in self.board.columns if certainty.has_tasks else ():
            measured: dict[str | None, list[Entry]] = defaultdict(list)
            for entry in self.rows:
                score = entry.scores.get(metric.id)
                if entry.sheet and score and entry.has_score(metric.id):
                    measured[score.version].append(entry)
            for rows in measured.values():
                for place, first in enumerate(rows[:-1]):
                    others = rows[place + 1 :]
                    apart = zip(others, certainty.paired(metric, first, others), strict=True)
                    found[metric.id] |= {
                        (first.id, other.id): ScoreDifference(metric, paired)
                        for other, paired in apart
                    }
        return found

    def letter(self, metric: Metric, first: Entry, second: Entry) -> Letter:
        """Say which of two rows is likely ahead by a metric, or why there is no difference."""
        difference = self.differences[metric.id].get((first.id, second.id))
        return _drawn(difference) if difference else _gap(self.board, metric, first, second) or "g"

    def standing(self, first: Entry, second: Entry) -> Letter:
        """Say which of two rows is likely ahead by the headline score, and why."""
        return _standing(
            self.board,
            first,
            second,
            self.differences[self.board.headline.id].get((first.id, second.id)),
        )

    def on_board(self, first: Entry, second: Entry) -> Letter:
        """Say whether the first of two rows is shown to be ahead by the headline score, as one of all pairs."""
        return _SHOWN[self.board.certainty.standing(first, second)]

    def rounds(self, first: Entry, second: Entry) -> RoundCounts | None:
        """Count how the rounds went that both have a verdict on; None where there is none."""
        return _rounds(self.board, first, second)


def task_points(board: Board, metric: Metric) -> Mapping[str, Mapping[str, float]]:
    """What each task adds to a score, by row and task; none where that is no plain mean over tasks."""
    resampling = board.certainty.resampling
    if not metric.is_plain_mean or not board.certainty.has_tasks:
        return {}
    made = resampling.contributions(metric) / len(resampling.tasks)
    rows = zip(resampling.scores[metric.id], made.tolist(), strict=True)
    return {name: dict(zip(resampling.tasks, points, strict=True)) for name, points in rows}


class Step(NamedTuple):
    """A row and the next one of a board, with how far their headline scores lie apart; None where nothing tells."""

    letter: Letter
    """Whether it is shown to be ahead as one of all pairs, else whether it is likely, this pair looked at alone."""
    difference: ScoreDifference | None


def steps(board: Board) -> Mapping[str, Step]:
    """Hold each ranked row against the next one, by the headline score; by the better row's id."""
    found = {}
    for first, second in pairwise(board.placed):
        (pair,) = comparisons(board, first, [second])
        letter = _SHOWN[pair.on_board]
        if pair.on_board == "cannot tell":
            letter = _standing(board, first, second, pair.difference)
        found[first.id] = Step(letter, pair.difference)
    return found


def _standing(
    board: Board, first: Entry, second: Entry, difference: ScoreDifference | None
) -> Letter:
    """Say which of two rows is likely ahead by the headline score, and why; of reported ones, what counts tell."""
    if difference:
        return _drawn(difference)
    if first.is_incomplete or second.is_incomplete:
        return "m"
    if first.sheet or second.sheet:
        return _gap(board, board.headline, first, second) or "g"
    values = [entry.value(board.headline.id) for entry in (first, second)]
    if None in values:
        return "g"
    if values[0] == values[1]:
        return "t"
    if not {first.id, second.id} <= board.certainty.ranks.keys():
        return "r"
    return _SHOWN[board.certainty.standing(first, second)]


def _drawn(difference: ScoreDifference) -> Letter:
    if difference.standing != "cannot tell":
        return "a" if difference.standing == "ahead" else "b"
    return "t" if abs(difference.paired.value) <= ROUNDING else "c"


def _gap(board: Board, metric: Metric, first: Entry, second: Entry) -> Letter | None:
    """Say why two rows have no difference by a metric; None where they have one."""
    if first.is_incomplete or second.is_incomplete:
        return "m"
    if not (first.sheet and second.sheet):
        return "r"
    ours, theirs = first.scores.get(metric.id), second.scores.get(metric.id)
    if not ours or not theirs or ours.value is None or theirs.value is None:
        return "g"
    if not board.certainty.has_tasks:
        return "k" if board.certainty.has_several_tasks else "o"
    return None if ours.version == theirs.version else "v"
