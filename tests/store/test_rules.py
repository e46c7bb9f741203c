"""The rules themselves: what they are called, and whether their words can stand in a message."""

import re

from sitegen.pipeline.rules import all_rules

RULES = [rule for rules in all_rules().values() for rule in rules]


def test_every_code_stands_for_one_rule() -> None:
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)


def test_a_code_is_upper_case() -> None:
    assert [rule.code for rule in RULES if not re.fullmatch(r"[A-Z0-9]+(-[A-Z0-9]+)+", rule.code)] == []


def test_a_title_is_a_sentence() -> None:
    assert [rule.title for rule in RULES if not re.fullmatch(r"[A-Z`].*\.", rule.title)] == []


def test_a_fix_says_what_to_do() -> None:
    """In the imperative, as the end of a sentence that begins with `fix:`."""
    assert [rule.fix for rule in RULES if not re.fullmatch(r"[a-z].*[^.]", rule.fix)] == []


def test_whoever_is_warned_has_something_to_do() -> None:
    """A fact that nobody needs to act on is a note."""
    assert [rule.code for rule in RULES if rule.severity == "warning" and rule.fix.startswith("nothing ")] == []
