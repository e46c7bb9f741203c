"""The rules as the submit page tells them: with what can be repaired, and what can't be waived."""

from sitegen.board.waivers import refusal
from sitegen.pages.site import ToldRule
from sitegen.pipeline.repairing import REPAIRED
from sitegen.pipeline.rules import all_rules, rules_of_results
from sitegen.problems import Rule


def told_rules() -> dict[str, list[ToldRule]]:
    """Give every rule by the place that it is told in."""
    return {slot: list(map(_told, rules)) for slot, rules in all_rules().items()}


def _told(rule: Rule) -> ToldRule:
    is_waivable = rule.code in rules_of_results() and rule.severity == "error" and not refusal(rule.code)
    return ToldRule(rule, REPAIRED.get(rule.code), is_waivable)
