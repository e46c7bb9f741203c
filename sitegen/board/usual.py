"""How many cases a round usually has and skips: sources truncate test suites."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from statistics import median_low

from sitegen.board.findings import TaskRoundKey
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle
from sitegen.models.task import TaskSet
from sitegen.problems import grouped

AGREEING = 3
"""Submissions that must have a number of cases before it is called usual."""

UsualTotals = Mapping[TaskRoundKey, int]
"""The number of cases that most submissions have in a round."""


def usual_totals(bundles: Sequence[Bundle]) -> UsualTotals:
    """Return how many cases each round has in most submissions; only where they agree."""
    totals_by_round: dict[TaskRoundKey, Counter[int]] = defaultdict(Counter)
    for result in _scored(bundles):
        if result.total:
            totals_by_round[result.task, result.round][result.total] += 1
    usual = {}
    for key, totals in totals_by_round.items():
        total, times = totals.most_common(1)[0]
        if times >= AGREEING and 2 * times > totals.total():
            usual[key] = total
    return usual


def usual_skips(bundles: Sequence[Bundle]) -> UsualTotals:
    """Return the median of skipped cases of each round that skips some in enough submissions."""
    records = []
    for result in _scored(bundles):
        records.append(((result.task, result.round), result.skipped or 0))
    usual = {}
    for key, skips in grouped(records).items():
        if any(skips) and len(skips) > AGREEING:
            usual[key] = median_low(skips)
    return usual


def counted_rounds(bundles: Sequence[Bundle], tasks: TaskSet | None) -> AbstractSet[TaskRoundKey]:
    """Return the rounds whose cases are known: a submission counts them, or the task lists them."""
    rounds: set[TaskRoundKey] = set()
    for bundle in bundles:
        for result in bundle.rounds:
            if result.total:
                rounds.add((result.task, result.round))
    if tasks is None:
        return rounds
    for task in tasks.tasks:
        for defined in task.rounds:
            if defined.cases:
                rounds.add((task.id, defined.n))
    return rounds


def _scored(bundles: Sequence[Bundle]) -> Iterator[RoundResult]:
    for bundle in bundles:
        for result in bundle.rounds:
            if result.state == "scored":
                yield result
