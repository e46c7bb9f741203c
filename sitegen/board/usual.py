"""The number of cases that a round usually has or skips; sources may truncate test suites."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from statistics import median_low

from sitegen.board.findings import TaskRoundKey
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle
from sitegen.models.task import TaskSet
from sitegen.problems import grouped

MIN_OTHERS = 3
"""Minimum number of submissions that define the usual number, besides the submission compared."""

UsualCounts = Mapping[TaskRoundKey, int]
"""The usual number of cases by round; rounds without a usual number are left out."""


def usual_totals(bundles: Sequence[Bundle]) -> UsualCounts:
    """Return the total number of cases that most records of each round have.

    At least `MIN_OTHERS` submissions must have that number. A submission with a different number is
    not among them, so it is compared with at least as many other submissions.
    """
    if len(bundles) < MIN_OTHERS:
        return {}
    records_by_round: dict[TaskRoundKey, Counter[int]] = {}
    submissions: Counter[tuple[TaskRoundKey, int]] = Counter()
    for bundle in bundles:
        own_totals: set[tuple[TaskRoundKey, int]] = set()
        for result in bundle.rounds:
            if result.state == "scored" and result.total:
                key = (result.task, result.round)
                records_by_round.setdefault(key, Counter())[result.total] += 1
                own_totals.add((key, result.total))
        submissions.update(own_totals)
    usual = {}
    for key, totals in records_by_round.items():
        total, times = totals.most_common(1)[0]
        if submissions[key, total] >= MIN_OTHERS and 2 * times > totals.total():
            usual[key] = total
    return usual


def usual_skips(bundles: Sequence[Bundle]) -> UsualCounts:
    """Return the median number of cases skipped, for each round in which any record skips cases.

    The median includes the submission that is compared with it, so the round needs records of that
    submission and of at least `MIN_OTHERS` other submissions.
    """
    if len(bundles) <= MIN_OTHERS:
        return {}
    rounds_with_skips: set[TaskRoundKey] = set()
    for bundle in bundles:
        for result in bundle.rounds:
            if result.skipped and result.state == "scored":
                rounds_with_skips.add((result.task, result.round))
    if not rounds_with_skips:
        return {}

    def may_skip(result: RoundResult) -> bool:
        return (result.task, result.round) in rounds_with_skips

    usual = {}
    for key, records in _scored_records(bundles, may_skip).items():
        skips = [result.skipped or 0 for _, result in records]
        submissions = {bundle_id for bundle_id, _ in records}
        if len(submissions) > MIN_OTHERS:
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


def _scored_records(
    bundles: Sequence[Bundle], is_wanted: Callable[[RoundResult], bool]
) -> dict[TaskRoundKey, list[tuple[str, RoundResult]]]:
    """Return the wanted scored records of each round, each with the id of its submission."""
    records = []
    for bundle in bundles:
        for result in bundle.rounds:
            if result.state == "scored" and is_wanted(result):
                records.append(((result.task, result.round), (bundle.id, result)))
    return grouped(records)
