"""Two rows head to head: how far they lie apart, which is likely ahead, or why it is not known."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, pairwise
from typing import Literal, NamedTuple, assert_never

from sitegen.board.board import Board, order_of
from sitegen.board.entry import Entry
from sitegen.board.inference import Standing
from sitegen.metrics.intervals import ROUNDING
from sitegen.metrics.likeness import RoundCounts
from sitegen.metrics.metric import Metric
from sitegen.metrics.paired import Paired


@dataclass(frozen=True, slots=True)
class ScoreDifference:
    """How far the first of two rows lies above the second by one metric."""

    metric: Metric
    paired: Paired
    """The first's score minus the second's, from the differences at the tasks."""

    @property
    def standing(self) -> Standing:
        """Whether one of the two is shown to be better, if nobody picked the pair out of others."""
        if not self.paired.is_shown:
            return "cannot tell"
        is_higher = self.paired.value > 0
        if is_higher == (self.metric.direction == "higher"):
            return "ahead"
        return "behind"


class Comparison(NamedTuple):
    """A row of a board compared with another one by the headline score."""

    second: Entry
    difference: ScoreDifference | None
    """None where one of them has no results by task."""
    standing: Standing
    """Whether the first is likely ahead, looking at this pair alone.

    For printed counts it is the same as `on_board`.
    """
    on_board: Standing
    """Whether the first is shown to be ahead, as one of all pairs of the board."""
    rounds: RoundCounts | None
    """How the rounds went that both have a verdict on; None where there is none."""


def comparisons(board: Board, first: Entry, rows: Sequence[Entry]) -> list[Comparison]:
    """Compare one row with others of its board, all at once, which is faster than pair by pair."""
    certainty = board.certainty
    drawn = []
    for entry in rows:
        if not _gap(board, board.headline, first, entry):
            drawn.append(entry)
    differences = _differences(board, board.headline, first, drawn)
    compared = []
    for entry in rows:
        difference = differences.get(entry.id)
        on_board = certainty.standing(first, entry)
        alone = on_board
        if difference:
            alone = difference.standing
        rounds = _rounds(board, first, entry)
        compared.append(Comparison(entry, difference, alone, on_board, rounds))
    return compared


def _differences(
    board: Board, metric: Metric, first: Entry, rows: Sequence[Entry]
) -> dict[str, ScoreDifference]:
    """Return how far a row lies above others with results by task, by the other's id."""
    if not rows:
        return {}
    paired = board.certainty.paired(metric, first, rows)
    differences = {}
    for row, pair in zip(rows, paired, strict=True):
        differences[row.id] = ScoreDifference(metric, pair)
    return differences


def _rounds(board: Board, first: Entry, second: Entry) -> RoundCounts | None:
    if not (first.submission_results and second.submission_results):
        return None
    return board.verdicts.compare(first.id, second.id)


Letter = Literal["a", "b", "c", "t", "A", "B", "C", "r", "g", "m", "v", "o", "k"]
"""What the data says of two rows, and why it says so: see `FINDINGS`."""


class PairFinding(NamedTuple):
    """What the data says of two rows."""

    word: str
    """That the first is "likely ahead" or "likely behind", that they "tie", or "cannot tell"."""
    reason: str


FINDINGS: Mapping[Letter, PairFinding] = {
    "a": PairFinding("likely ahead", "the interval of the difference leaves out 0"),
    "b": PairFinding("likely behind", "the interval of the difference leaves out 0"),
    "c": PairFinding("cannot tell", "the interval of the difference holds 0"),
    "t": PairFinding("tie", "the scores are equal"),
    "A": PairFinding("ahead", "shown over all pairs of the board at once"),
    "B": PairFinding("behind", "shown over all pairs of the board at once"),
    "C": PairFinding("cannot tell", "not shown over all pairs of the board at once"),
    "r": PairFinding("cannot tell", "a reported row has no results of tasks to compare"),
    "g": PairFinding("cannot tell", "no score to compare"),
    "m": PairFinding("cannot tell", "there are no results for some of the tasks"),
    "v": PairFinding("cannot tell", "measured by different versions of the definition"),
    "o": PairFinding("cannot tell", "a single task says nothing of others"),
    "k": PairFinding("cannot tell", "the tasks lie in too few clusters for a test"),
}
"""The findings by their letters: of a pair alone, then as one of all pairs, then of gaps."""

_SHOWN: Mapping[Standing, Letter] = {"ahead": "A", "behind": "B", "cannot tell": "C"}

MOST = 200
"""Rows of a board that are compared, the best ones: pairs grow with the square of the rows."""

Pair = tuple[str, str]
"""Ids of two rows, the better one first."""


@dataclass(frozen=True)  # no slots: differences are computed once, on demand
class HeadToHead:
    """Every two rows of a board, also withdrawn and superseded ones."""

    board: Board

    @cached_property
    def rows(self) -> Sequence[Entry]:
        """The best `MOST` rows in order; withdrawn and superseded ones are sorted in by score."""
        best_first = partial(order_of, headline=self.board.headline)
        return sorted(self.board.all_entries, key=best_first)[:MOST]

    @property
    def pairs(self) -> Iterator[tuple[Entry, Entry]]:
        """Every two rows: the first with the second, the first with the third, and so on."""
        return combinations(self.rows, 2)

    @cached_property
    def differences(self) -> Mapping[str, Mapping[Pair, ScoreDifference]]:
        """How far rows lie apart, by column of the board and pair; pairs need results.

        Only rows that were measured by one version of a definition are compared.
        """
        board = self.board
        differences: dict[str, dict[Pair, ScoreDifference]] = {}
        for metric in board.columns:
            differences[metric.id] = {}
            if not board.certainty.has_tasks:
                continue
            for rows in self._comparable_rows(metric):
                for index, first in enumerate(rows):
                    by_row = _differences(board, metric, first, rows[index + 1 :])
                    for name, difference in by_row.items():
                        differences[metric.id][first.id, name] = difference
        return differences

    def _comparable_rows(self, metric: Metric) -> Sequence[Sequence[Entry]]:
        """Return the rows with results and a score, by the version of the definition."""
        by_version: dict[str | None, list[Entry]] = defaultdict(list)
        for entry in self.rows:
            score = entry.scores.get(metric.id)
            if entry.submission_results and score and entry.has_score(metric.id):
                by_version[score.version].append(entry)
        return list(by_version.values())

    def letter(self, metric: Metric, first: Entry, second: Entry) -> Letter:
        """Return which of two rows is likely ahead by a metric, or why there is no difference."""
        difference = self.differences[metric.id].get((first.id, second.id))
        if difference:
            return _letter_alone(difference)
        return _gap(self.board, metric, first, second) or "g"

    def standing(self, first: Entry, second: Entry) -> Letter:
        """Return which of two rows is likely ahead by the headline score, and why."""
        difference = self.differences[self.board.headline.id].get((first.id, second.id))
        return _standing(self.board, first, second, difference)

    def on_board(self, first: Entry, second: Entry) -> Letter:
        """Return whether the first row is shown to be ahead, as one of all pairs of the board."""
        return _SHOWN[self.board.certainty.standing(first, second)]

    def rounds(self, first: Entry, second: Entry) -> RoundCounts | None:
        """Count how the rounds went that both have a verdict on; None where there is none."""
        return _rounds(self.board, first, second)


def task_points(board: Board, metric: Metric) -> Mapping[str, Mapping[str, float]]:
    """Return what each task adds to a score, by row and task.

    Empty for a metric that is not a plain mean over tasks.
    """
    if not metric.is_plain_mean or not board.certainty.has_tasks:
        return {}
    resampling = board.certainty.resampling
    contributions = resampling.contributions(metric) / len(resampling.tasks)
    rows = zip(resampling.scores[metric.id], contributions.tolist(), strict=True)
    points_by_row = {}
    for name, points in rows:
        points_by_row[name] = dict(zip(resampling.tasks, points, strict=True))
    return points_by_row


class Step(NamedTuple):
    """A ranked row compared with the next one of its board."""

    letter: Letter
    """Whether it is shown to be ahead as one of all pairs, else whether it is likely alone."""
    difference: ScoreDifference | None
    """How far their headline scores lie apart; None where one has no results by task."""


def steps(board: Board) -> Mapping[str, Step]:
    """Compare each ranked row with the next one by the headline score; by the better row's id."""
    steps_by_row = {}
    for first, second in pairwise(board.placed):
        (comparison,) = comparisons(board, first, [second])
        letter = _SHOWN[comparison.on_board]
        if comparison.on_board == "cannot tell":
            letter = _standing(board, first, second, comparison.difference)
        steps_by_row[first.id] = Step(letter, comparison.difference)
    return steps_by_row


def _standing(
    board: Board, first: Entry, second: Entry, difference: ScoreDifference | None
) -> Letter:
    """Return which of two rows is likely ahead by the headline score, and why.

    Published rows are compared by their printed counts.
    """
    if difference:
        return _letter_alone(difference)
    if first.is_incomplete or second.is_incomplete:
        return "m"
    if first.submission_results or second.submission_results:
        return _gap(board, board.headline, first, second) or "g"
    first_value = first.value(board.headline.id)
    second_value = second.value(board.headline.id)
    if first_value is None or second_value is None:
        return "g"
    if first_value == second_value:
        return "t"
    if not {first.id, second.id} <= board.certainty.ranks.keys():
        return "r"
    return _SHOWN[board.certainty.standing(first, second)]


def _letter_alone(difference: ScoreDifference) -> Letter:
    """Return which of two rows is likely ahead, looking at this pair alone."""
    match difference.standing:
        case "ahead":
            return "a"
        case "behind":
            return "b"
        case "cannot tell":
            if abs(difference.paired.value) <= ROUNDING:
                return "t"
            return "c"
        case _ as unknown:
            assert_never(unknown)


def _gap(board: Board, metric: Metric, first: Entry, second: Entry) -> Letter | None:
    """Return why two rows have no difference by a metric; None where they have one."""
    if first.is_incomplete or second.is_incomplete:
        return "m"
    if not (first.submission_results and second.submission_results):
        return "r"
    first_score = first.scores.get(metric.id)
    second_score = second.scores.get(metric.id)
    if first_score is None or second_score is None:
        return "g"
    if first_score.value is None or second_score.value is None:
        return "g"
    if not board.certainty.has_tasks:
        if board.certainty.has_several_tasks:
            return "k"
        return "o"
    if first_score.version == second_score.version:
        return None
    return "v"
