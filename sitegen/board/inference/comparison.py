"""Comparison of two rows: how far their scores differ, and which row is likely ahead."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial
from itertools import combinations, pairwise
from typing import NamedTuple, Self, assert_never

from sitegen.board.board import Board, score_sort_key
from sitegen.board.entry import Entry
from sitegen.board.inference.board_inference import PairOrder
from sitegen.metrics.likeness import RoundCounts
from sitegen.metrics.metric import Metric
from sitegen.metrics.paired import PairedDifference
from sitegen.metrics.tolerances import SCORE_TOLERANCE


@dataclass(frozen=True, slots=True)
class ScoreDifference:
    """The difference between two rows' scores on one metric."""

    metric: Metric
    paired: PairedDifference
    """The first row's score minus the second row's score, from the differences on the tasks."""

    @property
    def order(self) -> PairOrder:
        """Which row is shown to be better, if the pair was not picked from several pairs."""
        if not self.paired.is_shown:
            return "cannot tell"
        is_higher = self.paired.value > 0
        if is_higher == (self.metric.direction == "higher"):
            return "ahead"
        return "behind"

    @property
    def outcome(self) -> "PairOutcome":
        """Which row is likely ahead, considering this pair alone."""
        match self.order:
            case "ahead":
                return PairOutcome.LIKELY_AHEAD
            case "behind":
                return PairOutcome.LIKELY_BEHIND
            case "cannot tell":
                if abs(self.paired.value) <= SCORE_TOLERANCE:
                    return PairOutcome.TIE
                return PairOutcome.CANNOT_TELL
            case _ as unknown:
                assert_never(unknown)


class PairOutcome(StrEnum):
    """The conclusion about two rows and its reason; its value is a letter in the comparison file.

    The first four members are about a single pair, the next three about a pair tested together with
    all pairs of the board, and the remaining members are reasons why a pair cannot be compared.
    """

    word: str
    """The conclusion about the first row, such as "likely ahead", "tie" or "cannot tell"."""
    reason: str

    LIKELY_AHEAD = "a", "likely ahead", "the interval of the difference excludes 0"
    LIKELY_BEHIND = "b", "likely behind", "the interval of the difference excludes 0"
    CANNOT_TELL = "c", "cannot tell", "the interval of the difference includes 0"
    TIE = "t", "tie", "the scores are equal"
    AHEAD = "A", "ahead", "a clear difference when all pairs on the board are tested together"
    BEHIND = "B", "behind", "a clear difference when all pairs on the board are tested together"
    NOT_SHOWN = (
        "C",
        "cannot tell",
        "no clear difference when all pairs on the board are tested together",
    )
    REPORTED = "r", "cannot tell", "published scores have no results by task"
    NO_SCORE = "g", "cannot tell", "no score to compare"
    MISSING_TASKS = "m", "cannot tell", "results for some tasks are not available"
    OTHER_VERSION = "v", "cannot tell", "measured by different versions of the definition"
    ONE_TASK = "o", "cannot tell", "a single task is too few for a test"
    FEW_CLUSTERS = "k", "cannot tell", "the tasks form too few clusters for a test"
    MEDIAN = "d", "cannot tell", "two medians over tasks are not compared by a test"

    def __new__(cls, letter: str, word: str, reason: str) -> Self:
        """Create a member whose value is its letter."""
        outcome = str.__new__(cls, letter)
        outcome._value_ = letter
        outcome.word = word
        outcome.reason = reason
        return outcome

    @property
    def order(self) -> PairOrder:
        """Which row is likely, or shown to be, ahead."""
        match self:
            case PairOutcome.LIKELY_AHEAD | PairOutcome.AHEAD:
                return "ahead"
            case PairOutcome.LIKELY_BEHIND | PairOutcome.BEHIND:
                return "behind"
            case (
                PairOutcome.CANNOT_TELL
                | PairOutcome.TIE
                | PairOutcome.NOT_SHOWN
                | PairOutcome.REPORTED
                | PairOutcome.NO_SCORE
                | PairOutcome.MISSING_TASKS
                | PairOutcome.OTHER_VERSION
                | PairOutcome.ONE_TASK
                | PairOutcome.FEW_CLUSTERS
                | PairOutcome.MEDIAN
            ):
                return "cannot tell"
            case _ as unknown:
                assert_never(unknown)


class Comparison(NamedTuple):
    """A row of a board compared with another row by the headline score."""

    second: Entry
    difference: ScoreDifference | None
    """The difference of their scores; None if a row has no results by task."""
    alone: PairOutcome
    """The outcome for this pair alone; for reported rows, among all pairs of the board."""
    on_board: PairOrder
    """Whether the first row is shown to be ahead, tested as one of all pairs of the board."""
    rounds: RoundCounts | None
    """The counts of rounds on which both rows have a verdict; None if there are none."""

    @property
    def outcome(self) -> PairOutcome:
        """The outcome among all pairs of the board if conclusive, else for the pair alone."""
        if self.on_board == "cannot tell":
            return self.alone
        return _board_outcome(self.on_board)


def comparisons(board: Board, first: Entry, rows: Sequence[Entry]) -> list[Comparison]:
    """Return comparisons of a row with other rows; faster than comparing one pair at a time."""
    inference = board.inference
    comparable_entries = []
    for entry in rows:
        if not _obstacle(board, board.headline, first, entry):
            comparable_entries.append(entry)
    differences = _differences(board, board.headline, first, comparable_entries)
    compared = []
    for entry in rows:
        difference = differences.get(entry.id)
        on_board = inference.pair_order(first, entry)
        alone = _headline_outcome(board, first, entry, difference)
        rounds = _rounds(board, first, entry)
        compared.append(Comparison(entry, difference, alone, on_board, rounds))
    return compared


def _differences(
    board: Board, metric: Metric, first: Entry, rows: Sequence[Entry]
) -> dict[str, ScoreDifference]:
    """Return the differences between a row and other rows with results by task, by row id."""
    if not rows:
        return {}
    paired = board.inference.paired(metric, first, rows)
    differences = {}
    for row, pair in zip(rows, paired, strict=True):
        differences[row.id] = ScoreDifference(metric, pair)
    return differences


def _rounds(board: Board, first: Entry, second: Entry) -> RoundCounts | None:
    if not (first.submission_results and second.submission_results):
        return None
    return board.verdicts.compare(first.id, second.id)


MAX_COMPARED_ROWS = 200
"""Maximum number of top rows that are compared; the number of pairs grows with its square."""

Pair = tuple[str, str]
"""The ids of two rows, the better one first."""


@dataclass(frozen=True)  # no slots: differences are computed once, on demand
class HeadToHead:
    """All pairs of rows of a board, including withdrawn and superseded rows."""

    board: Board

    @cached_property
    def rows(self) -> Sequence[Entry]:
        """The best rows in order, with withdrawn and superseded rows sorted in by score."""
        best_first = partial(score_sort_key, headline=self.board.headline)
        return sorted(self.board.all_entries, key=best_first)[:MAX_COMPARED_ROWS]

    @property
    def pairs(self) -> Iterator[tuple[Entry, Entry]]:
        """All pairs of rows: the first with the second, the first with the third, and so on."""
        return combinations(self.rows, 2)

    @cached_property
    def differences(self) -> Mapping[str, Mapping[Pair, ScoreDifference]]:
        """The differences between rows, by column of the board and by pair; both rows need results.

        Only rows measured by the same version of a definition are compared.
        """
        board = self.board
        differences: dict[str, dict[Pair, ScoreDifference]] = {}
        for metric in board.columns:
            differences[metric.id] = {}
            if board.inference.untested_clause(metric):
                continue
            for rows in self._comparable_rows(metric):
                for index, first in enumerate(rows):
                    by_row = _differences(board, metric, first, rows[index + 1 :])
                    for row_id, difference in by_row.items():
                        differences[metric.id][first.id, row_id] = difference
        return differences

    def _comparable_rows(self, metric: Metric) -> Sequence[Sequence[Entry]]:
        """Return the rows with results and a score, grouped by the version of the definition."""
        by_version: dict[str | None, list[Entry]] = defaultdict(list)
        for entry in self.rows:
            score = entry.scores.get(metric.id)
            if entry.submission_results and score and entry.has_score(metric.id):
                by_version[score.version].append(entry)
        return list(by_version.values())

    def metric_outcome(self, metric: Metric, first: Entry, second: Entry) -> PairOutcome:
        """Return which of two rows is likely ahead by a metric, or why there is no difference."""
        difference = self.differences[metric.id].get((first.id, second.id))
        if difference:
            return difference.outcome
        return _obstacle(self.board, metric, first, second) or PairOutcome.NO_SCORE

    def headline_outcome(self, first: Entry, second: Entry) -> PairOutcome:
        """Return which of two rows is likely ahead by the headline score, with the reason."""
        difference = self.differences[self.board.headline.id].get((first.id, second.id))
        return _headline_outcome(self.board, first, second, difference)

    def board_outcome(self, first: Entry, second: Entry) -> PairOutcome:
        """Return whether the first row is shown to be ahead, with all pairs tested together."""
        return _board_outcome(self.board.inference.pair_order(first, second))

    def rounds(self, first: Entry, second: Entry) -> RoundCounts | None:
        """Return the counts of rounds on which both rows have a verdict; None if there are none."""
        return _rounds(self.board, first, second)


def task_contributions(board: Board, metric: Metric) -> Mapping[str, Mapping[str, float]]:
    """Return each task's contribution to a score in points, by row and task.

    The contributions add up to the score. Empty for a metric that is not a plain mean over tasks.
    """
    if not metric.is_plain_mean or not board.inference.has_tasks:
        return {}
    resampling = board.inference.resampling
    row_ids = resampling.scored_submissions(metric)
    contributions = resampling.task_contributions(metric, row_ids) / len(resampling.tasks)
    contributions_by_row = {}
    for row_id, amounts in zip(row_ids, contributions.tolist(), strict=True):
        contributions_by_row[row_id] = dict(zip(resampling.tasks, amounts, strict=True))
    return contributions_by_row


def compare_neighbours(board: Board) -> Mapping[str, Comparison]:
    """Return comparisons of each ranked row with the next row, by the id of the better row."""
    by_better_row = {}
    for first, second in pairwise(board.ranked_entries):
        (comparison,) = comparisons(board, first, [second])
        by_better_row[first.id] = comparison
    return by_better_row


def _headline_outcome(
    board: Board, first: Entry, second: Entry, difference: ScoreDifference | None
) -> PairOutcome:
    """Return which of two rows is likely ahead by the headline score, or why it is not known.

    Reported rows are compared by the counts that their tables publish.
    """
    if difference:
        return difference.outcome
    if first.has_missing_tasks or second.has_missing_tasks:
        return PairOutcome.MISSING_TASKS
    if first.submission_results or second.submission_results:
        return _obstacle(board, board.headline, first, second) or PairOutcome.NO_SCORE
    first_value = first.value(board.headline.id)
    second_value = second.value(board.headline.id)
    if first_value is None or second_value is None:
        return PairOutcome.NO_SCORE
    if first_value == second_value:
        return PairOutcome.TIE
    if not {first.id, second.id} <= board.inference.ranks.keys():
        return PairOutcome.REPORTED
    return _board_outcome(board.inference.pair_order(first, second))


def _board_outcome(order: PairOrder) -> PairOutcome:
    """Return the outcome of a pair tested as one of all pairs of a board."""
    match order:
        case "ahead":
            return PairOutcome.AHEAD
        case "behind":
            return PairOutcome.BEHIND
        case "cannot tell":
            return PairOutcome.NOT_SHOWN
        case _ as unknown:
            assert_never(unknown)


def _obstacle(board: Board, metric: Metric, first: Entry, second: Entry) -> PairOutcome | None:
    """Return why two rows have no difference by a metric; None if they have one."""
    if first.has_missing_tasks or second.has_missing_tasks:
        return PairOutcome.MISSING_TASKS
    if not (first.submission_results and second.submission_results):
        return PairOutcome.REPORTED
    first_score = first.scores.get(metric.id)
    second_score = second.scores.get(metric.id)
    if first_score is None or second_score is None:
        return PairOutcome.NO_SCORE
    if first_score.value is None or second_score.value is None:
        return PairOutcome.NO_SCORE
    if board.inference.untested_clause(metric):
        return _untested_outcome(board)
    if first_score.version == second_score.version:
        return None
    return PairOutcome.OTHER_VERSION


def _untested_outcome(board: Board) -> PairOutcome:
    """Return why rows have no differences by a metric that the board does not test."""
    if board.inference.has_tasks:
        return PairOutcome.MEDIAN
    if board.inference.has_several_tasks:
        return PairOutcome.FEW_CLUSTERS
    return PairOutcome.ONE_TASK
