"""Caveats of a bundle: what was odd about its source, in sentences that its readers are told."""

from collections import defaultdict
from collections.abc import Iterable

from sitegen.importers.redaction import one_line
from sitegen.problems import Rule

Doubt = tuple[Rule, str]
"""A rule that a source breaks, and the fact as readers of one bundle are told it; empty where the rule says it all."""

_SHOWN, _LONGEST = 5, 400
"""Facts told of one rule, and the characters of one; the other facts are counted."""


def caveats_of(doubts: Iterable[Doubt]) -> tuple[str, ...]:
    """Tell what was odd about a bundle's source: a sentence for each broken rule, in the order of the rules' codes.

    Args:
        doubts: Everything that is doubtful about the bundle, whether its readers are told of it or not.
    """
    facts: defaultdict[Rule, dict[str, None]] = defaultdict(dict)
    for rule, fact in doubts:
        if rule.caveat:
            facts[rule][one_line(fact, _LONGEST)] = None
    return tuple(rule.caveat.format(_listed(list(facts[rule]))) for rule in sorted(facts, key=lambda each: each.code))


def _listed(facts: list[str]) -> str:
    more = [f"and {len(facts) - _SHOWN} more"] if len(facts) > _SHOWN else []
    return "; ".join([*facts[:_SHOWN], *more])
