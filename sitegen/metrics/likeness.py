"""Compare the rounds of two submissions: how similar they are, and which rounds only one passes."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import Literal, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sitegen.metrics.arrays import BatchArray, kept_rounds
from sitegen.metrics.failstop import SR
from sitegen.metrics.metric import Metric
from sitegen.metrics.results import SubmissionResults, TaskResults, score_by_task
from sitegen.models.benchmark import Protocol
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Task

OutcomeTable = NDArray[np.float64]
"""Results of several submissions, shape (submissions, rounds of all attempts).

A result is the share of cases passed, 0 to 1. If cases were not counted, it is 2 for a passed round
and 3 for a failed round. It is -1 if there is no record.
"""

_PASSED, _NOT_PASSED, _ABSENT = 2.0, 3.0, -1.0

_PRIOR = 2
"""Number of pairs with the board's mean agreement added to the observed pairs of a round."""

_LEAST_SPREAD = 0.02
"""Minimum spread assumed for the pairs of a board, in case they hardly differ."""

_SIGMA = 1.4826
"""Ratio of the standard deviation to the median absolute deviation of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """Two submissions that agree more often than other pairs do."""

    first: int
    """Row of the first submission in the table."""
    second: int
    shared: int
    """Number of rounds that both submissions pass in part."""
    same: int
    """Number of these rounds in which both submissions pass the same share of cases."""
    expected: float
    """Number of these rounds in which two other submissions of the board would agree."""
    excess: float
    """Agreement beyond the expected, as a share of the possible excess; 1 if all rounds agree."""
    usual: float
    """Median of the excess over all pairs of the board that share enough rounds."""
    distance: float
    """How far the pair's excess is above the usual excess, in robust standard deviations."""
    pairs: int
    """Number of pairs that share enough rounds, including this pair."""


def outcome_table(
    submissions: Sequence[SubmissionResults], tasks: Sequence[Task], attempts: int
) -> OutcomeTable:
    """Return submissions' results side by side, excluding rounds from the reference state."""
    first_column = {}
    width = 0
    for task in tasks:
        first_column[task.id] = width
        width += attempts * len(task.rounds)
    table = np.full((len(submissions), width), _ABSENT)
    columns_by_shape: dict[tuple[str, int, tuple[int, ...]], list[int]] = {}
    for row, submission in zip(table, submissions, strict=True):
        columns: list[int] = []
        for task_results in submission.tasks:
            shape = task_results.task.id, len(task_results.results), tuple(task_results.rounds)
            if shape not in columns_by_shape:
                columns_by_shape[shape] = _task_columns(
                    task_results, first_column[task_results.task.id]
                )
            columns += columns_by_shape[shape]
        if columns:
            shares = np.concatenate(
                [task_results.shares.ravel() for task_results in submission.tasks]
            )
            rewards = np.concatenate(
                [task_results.rewards.ravel() for task_results in submission.tasks]
            )
            verdicts = np.where(rewards, _PASSED, _NOT_PASSED)
            row[columns] = np.where(np.isnan(shares), verdicts, shares)
    return table


def _task_columns(task_results: TaskResults, first: int) -> list[int]:
    """Return the columns of a task's counted rounds, attempt by attempt.

    A faulty task may have arbitrary round numbers.
    """
    index_by_number = {}
    for index, task_round in enumerate(task_results.task.rounds):
        index_by_number[task_round.n] = index
    length = len(task_results.task.rounds)
    columns = []
    for attempt in range(len(task_results.results)):
        start = first + attempt * length
        columns += [start + index_by_number[number] for number in task_results.rounds]
    return columns


def surprise(table: OutcomeTable, group: Sequence[int]) -> float:
    """Return how unlikely it is, in bits, that another submission repeats a group's common results.

    The likelihood of each round's result is its frequency among the other submissions, but at least
    the frequency of such results in the group's own rounds: if two submissions pass everything,
    they may have nothing but their strength in common. Rounds are assumed to be independent, which
    rounds of one task are not, so the value is somewhat too large.

    Args:
        table: The results of the board.
        group: Rows of the table that are equal.
    """
    row = table[group[0]]
    is_known = row != _ABSENT
    other_counts = (table != _ABSENT).sum(axis=0) - len(group)
    repeat_counts = (table == row).sum(axis=0) - len(group)
    _, kinds, counts = np.unique(row[is_known], return_inverse=True, return_counts=True)
    shares_by_kind = counts / max(is_known.sum(), 1)
    own_shares = shares_by_kind[kinds]
    repeats = repeat_counts[is_known] + _PRIOR * own_shares
    seen_shares = repeats / (other_counts[is_known] + _PRIOR)
    likelihoods = np.log2(np.maximum(seen_shares, own_shares))
    return float(-likelihoods.sum()) + 0.0


def best_shares(task_results: TaskResults) -> tuple[float, float]:
    """Return the shares of a task's rounds and of its cases that the best attempt passes.

    If cases were not counted, a failed round is assumed to have no passed cases.
    """
    cases = np.where(np.isnan(task_results.shares), task_results.rewards, task_results.shares)
    round_shares = task_results.rewards.mean(axis=1)
    case_shares = cases.mean(axis=1)
    return float(round_shares.max()), float(case_shares.max())


def best_shares_of_rounds(tasks: Sequence[TaskResults]) -> list[float]:
    """Return the share of rounds that the best attempt at each task passes."""

    def best_share(batch: BatchArray) -> ArrayLike:
        attempt_shares = batch.mean(axis=2)
        return np.asarray(np.max(attempt_shares, axis=1))

    rewards = [task_results.rewards for task_results in tasks]
    return score_by_task(rewards, best_share)


def equal_lines(table: OutcomeTable) -> list[list[int]]:
    """Return groups of at least two rows of a table that are equal in every round."""
    rows_by_content: dict[bytes, list[int]] = defaultdict(list)
    for index, row in enumerate(table):
        rows_by_content[row.tobytes()].append(index)
    return [rows for rows in rows_by_content.values() if len(rows) > 1]


def close_pairs(table: OutcomeTable, least_shared: int, least_excess: float) -> Iterator[Closeness]:
    """Yield pairs that pass the same share of cases in far more rounds than other pairs do.

    Only rounds that both submissions pass in part count: agents of equal strength agree in any case
    on rounds that everybody or nobody passes. How often two agents agree depends on the round: if a
    single case is hard, all agents that fail it agree. The expected agreement in each round is
    therefore the agreement of the board's other pairs.

    Args:
        table: The results of the board.
        least_shared: Minimum number of rounds that a pair must share.
        least_excess: Minimum agreement beyond the expected.

    Source:
        P. W. Holland, Assessing unusual agreement between the incorrect answers of two examinees
        using the K-index, ETS Research Report 96-7, 1996, for using only items that neither got
        right. J. Cohen, A coefficient of agreement for nominal scales, Educational and
        Psychological Measurement 20, 1960, for agreement beyond the expected.
    """
    if not len(table):
        return
    is_partial = (table > 0) & (table < 1)
    same, expected = _agreement(table, is_partial)
    shared = is_partial.astype(np.float64) @ is_partial.T.astype(np.float64)
    has_enough_shared = shared >= max(least_shared, 1)
    first, second = np.nonzero(np.triu(has_enough_shared, 1))
    possible = shared[first, second] - expected[first, second]
    beyond_expected = same[first, second] - expected[first, second]
    excess = beyond_expected / np.maximum(possible, np.finfo(np.float64).eps)
    usual, spread = middle_and_spread(excess.tolist())
    distances = (excess - usual) / max(spread, _LEAST_SPREAD)
    for pair in np.flatnonzero(excess >= least_excess).tolist():
        row = int(first[pair])
        column = int(second[pair])
        yield Closeness(
            first=row,
            second=column,
            shared=int(shared[row, column]),
            same=int(same[row, column]),
            expected=float(expected[row, column]),
            excess=float(excess[pair]),
            usual=usual,
            distance=float(distances[pair]),
            pairs=len(excess),
        )


def middle_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """Return the median and a robust standard deviation of values; 0 if there are none.

    A few outliers move neither of them.
    """
    if not values:
        return 0.0, 0.0
    middle = median(values)
    distances = [abs(value - middle) for value in values]
    return middle, _SIGMA * median(distances)


def _agreement(
    table: OutcomeTable, is_partial: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the number of rounds in which each pair agrees, and that expected from other pairs.

    Both arrays have the shape (submissions, submissions) and count rounds that both submissions of
    a pair pass in part.
    """
    submissions_per_round = is_partial.sum(axis=0)
    pairs = submissions_per_round * (submissions_per_round - 1) / 2
    # Shares are strictly between 0 and 1, so their sum with the index of the round is unique.
    rows, rounds = np.nonzero(is_partial)
    _, outcomes = np.unique(rounds + table[rows, rounds], return_inverse=True)
    counts = np.bincount(outcomes)
    round_by_outcome = np.zeros(len(counts), dtype=np.int64)
    round_by_outcome[outcomes] = rounds
    agreeing_pairs = np.bincount(round_by_outcome, counts * (counts - 1) / 2, len(pairs))
    usual_share = agreeing_pairs.sum() / max(pairs.sum(), 1)
    weights = 1 / np.maximum(pairs - 1 + _PRIOR, 1)
    has_outcome = np.zeros((len(table), len(counts)), dtype=np.float32)
    has_outcome[rows, outcomes] = 1
    expected_shares = (agreeing_pairs + _PRIOR * usual_share) * weights
    expected: NDArray[np.float64] = is_partial * expected_shares @ is_partial.T.astype(np.float64)
    outcome_weights = weights[round_by_outcome].astype(np.float32)
    pair_agreement = (has_outcome * outcome_weights) @ has_outcome.T
    agreements = (has_outcome @ has_outcome.T).astype(np.float64)
    return agreements, expected - pair_agreement


VerdictRule = Literal["reference", "kept", "first"]
"""The rule for a round's verdict: a round has a single verdict however often it was attempted.

`reference`: the round passes when started from the reference state. `kept`: at least one attempt
passes it and every earlier round. `first`: the first attempt passes it. Attempts are exchangeable,
so the first attempt is as fair as any, and two verdicts on one round are not two pieces of
evidence.
"""

_RULES: Mapping[VerdictRule, str] = {
    "reference": "A {word} counts as passed if it passes when started from the reference state.",
    "kept": "A {word} counts as passed if some attempt passes it and every {word} before it.",
    "first": "A {word} counts as passed if the first attempt passes it.",
}


def rule_sentence(rule: VerdictRule, round_word: str) -> str:
    """Return a sentence that states the rule, with the benchmark's word for a round."""
    return _RULES[rule].format(word=round_word)


Verdicts = NDArray[np.int8]
"""Verdict on each round of a track, shape (rounds,): 1 passed, 0 not passed, -1 unknown."""

_UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class RoundCounts:
    """Outcomes of the rounds on which two submissions both have a verdict."""

    both: int
    only_first: int
    only_second: int
    neither: int
    rule: VerdictRule


def select_verdict_rule(headline: Metric, protocol: Protocol) -> VerdictRule:
    """Return the rule that applies to the headline metric of a track."""
    if headline is SR:
        return "reference"
    return "kept" if protocol == "fail-stop" else "first"


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class VerdictTable:
    """The verdicts of submissions on the rounds of a track."""

    submissions: Mapping[str, SubmissionResults]
    tasks: Sequence[Task]
    rule: VerdictRule
    _collected: dict[tuple[str, int], Verdicts] = field(default_factory=dict, init=False)

    def compare(self, first: str, second: str) -> RoundCounts | None:
        """Count the outcomes of the rounds on which two submissions both have a verdict.

        If one submission made more attempts, its additional attempts are left out. The result is
        None if there is no such round.
        """
        attempts = min(
            self.submissions[first].attempts_made, self.submissions[second].attempts_made
        )
        first_verdicts = self.verdicts(first, attempts)
        second_verdicts = self.verdicts(second, attempts)
        has_both = (first_verdicts >= 0) & (second_verdicts >= 0)
        outcomes = 2 * first_verdicts[has_both] + second_verdicts[has_both]
        counts = np.bincount(outcomes, minlength=4).tolist()
        if not sum(counts):
            return None
        neither, only_second, only_first, both = counts
        return RoundCounts(both, only_first, only_second, neither, self.rule)

    def verdicts(self, name: str, attempts: int) -> Verdicts:
        """Return a submission's verdicts from its first attempts, in the order of the rounds."""
        if (name, attempts) not in self._collected:
            verdicts = np.full(len(self._index_of_round), _UNKNOWN, dtype=np.int8)
            for task_results in self.submissions[name].tasks:
                indices = [
                    self._index_of_round[task_results.task.id, number]
                    for number in task_results.rounds
                ]
                verdicts[indices] = self._task_verdicts(task_results, attempts)
            self._collected[name, attempts] = verdicts
        return self._collected[name, attempts]

    @cached_property
    def _index_of_round(self) -> Mapping[tuple[str, int], int]:
        """Index of each round in the array of verdicts, by its task and number."""
        index_of_round: dict[tuple[str, int], int] = {}
        index = 0
        for task in self.tasks:
            for task_round in task.rounds:
                index_of_round[task.id, task_round.n] = index
                index += 1
        return index_of_round

    def _task_verdicts(self, task_results: TaskResults, attempts: int) -> list[int]:
        """Return the verdicts on the rounds of a task."""
        match self.rule:
            case "reference":
                return [_verdict(result) for result in task_results.reference]
            case "first":
                if 0 in task_results.unmade_attempts:
                    return [_UNKNOWN] * len(task_results.rounds)
                return [_verdict(result) for result in task_results.results[0]]
            case "kept":
                if not task_results.unmade_attempts.isdisjoint(range(attempts)):
                    return [_UNKNOWN] * len(task_results.rounds)
                is_kept = kept_rounds(task_results.rewards[:attempts])
                verdicts: Verdicts = np.array(is_kept.any(axis=0), dtype=np.int8)
                for attempt in task_results.results[:attempts]:
                    verdicts[[result is None for result in attempt]] = _UNKNOWN
                return [int(verdict) for verdict in verdicts]
            case _:
                assert_never(self.rule)


def _verdict(result: RoundResult | None) -> int:
    return _UNKNOWN if result is None else int(result.solved)
