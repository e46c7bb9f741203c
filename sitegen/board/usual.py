"""How many cases a round usually has, and skips: sources break suites off, and then a share of one case says little."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from statistics import median_low

from sitegen.models.results import Bundle
from sitegen.models.task import TaskSet
from sitegen.problems import grouped

AGREEING = 3
"""So many submissions must have a number of cases before it is called usual."""

UsualTotals = Mapping[tuple[str, int], int]
"""The number of cases that most submissions have in a (task, round)."""


def usual_totals(bundles: Sequence[Bundle]) -> UsualTotals:
    """Find how many cases each round has in most submissions; no number where they do not agree."""
    records = chain.from_iterable(bundle.rounds for bundle in bundles)
    told = Counter(
        (each.task, each.round, each.total) for each in records if each.state == "scored"
    )
    seen: dict[tuple[str, int], Counter[int]] = defaultdict(Counter)
    for (task, number, total), times in told.items():
        if total:
            seen[task, number][total] = times
    most = ((key, totals.most_common(1)[0], totals.total()) for key, totals in seen.items())
    return {
        key: total
        for key, (total, times), all_times in most
        if times >= AGREEING and 2 * times > all_times
    }


def usual_skips(bundles: Sequence[Bundle]) -> UsualTotals:
    """Find how many cases of a round are skipped in the median; only where somebody skips some and enough have it."""
    scored = (each for bundle in bundles for each in bundle.rounds if each.state == "scored")
    seen = grouped(((each.task, each.round), each.skipped or 0) for each in scored)
    return {
        key: median_low(skips)
        for key, skips in seen.items()
        if any(skips) and len(skips) > AGREEING
    }


def counted_rounds(
    bundles: Sequence[Bundle], tasks: TaskSet | None
) -> AbstractSet[tuple[str, int]]:
    """Find the (task, round) of which cases are known: some submission counts them, or the task lists them."""
    records = chain.from_iterable(bundle.rounds for bundle in bundles)
    listed = (
        {(task.id, each.n) for task in tasks.tasks for each in task.rounds if each.cases}
        if tasks
        else set()
    )
    return {(each.task, each.round) for each in records if each.total} | listed
