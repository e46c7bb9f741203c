"""How many cases a round usually has: sources break suites off, and then a share of one case says little."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

from sitegen.models.results import Bundle

AGREEING = 3
"""So many submissions must have a number of cases before it is called usual."""

UsualTotals = Mapping[tuple[str, int], int]
"""The number of cases that most submissions have in a (task, round)."""


def usual_totals(bundles: Sequence[Bundle]) -> UsualTotals:
    """Find how many cases each round has in most submissions; no number where they do not agree."""
    seen: dict[tuple[str, int], Counter[int]] = defaultdict(Counter)
    for result in chain.from_iterable(bundle.rounds for bundle in bundles):
        if result.state == "scored" and result.total:
            seen[result.task, result.round][result.total] += 1
    common = {key: totals.most_common(1)[0] for key, totals in seen.items()}
    return {key: total for key, (total, times) in common.items() if times >= AGREEING and 2 * times > seen[key].total()}
