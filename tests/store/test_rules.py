"""The rules themselves: what they are called, and whether their words can stand in a message."""

import re

import pytest

from sitegen.pipeline.rules import all_rules
from sitegen.problems import Rule

RULES = [rule for rules in all_rules().values() for rule in rules]

every_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.code for rule in RULES])


def test_every_code_stands_for_one_rule() -> None:
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)


@every_rule
def test_a_code_is_upper_case(rule: Rule) -> None:
    assert re.fullmatch(r"[A-Z0-9]+(-[A-Z0-9]+)+", rule.code)


@every_rule
def test_a_title_is_a_sentence(rule: Rule) -> None:
    assert re.fullmatch(r"[A-Z`].*\.", rule.title)


@every_rule
def test_a_fix_says_what_to_do(rule: Rule) -> None:
    """In the imperative, as the end of a sentence that begins with `fix:`."""
    assert re.fullmatch(r"[a-z].*[^.]", rule.fix)
