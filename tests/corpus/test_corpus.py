"""Every bad bundle of the corpus gets exactly the problems that its entry names; the base gets none."""

import re
from pathlib import Path

import pytest
from corpus.entries import BASE, DAY, Entry, entries, told

from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.rules import all_rules

ENTRIES = entries()
LEAST = 120
"""So many bad bundles the corpus has at least."""


def test_the_base_has_no_problem() -> None:
    assert [str(problem) for problem in evaluate(BASE, DAY).problems()] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=[f"{entry.theme}-{entry.name}" for entry in ENTRIES])
def test_a_bad_bundle_is_told_of_exactly(tmp_path: Path, entry: Entry) -> None:
    """Code, severity, file and line of every problem; what was found stands in its words, and what to do."""
    tree = entry.spoil(tmp_path)
    problems = entry.judged(tree)
    assert sorted(told(tree, problem) for problem in problems) == sorted(expected for expected, _ in entry.expected)
    for expected, fact in entry.expected:
        assert any(told(tree, problem) == expected and fact in problem.what for problem in problems), fact
    assert all(problem.fix for problem in problems)
    for problem in problems:
        rounds = re.findall(r"\bround \d+ of ([a-z0-9_-]+)", problem.what)
        assert problem.is_error or set(rounds) <= set(problem.tasks), "a page could not name the task by its title"


def test_there_are_enough_bad_bundles() -> None:
    assert len(ENTRIES) >= LEAST


def test_every_entry_says_what_is_wrong() -> None:
    for entry in ENTRIES:
        assert entry.values["wrong"].endswith("."), entry.name
        assert len(entry.expected) == len(entry.values["problems"]) > 0, entry.name


def test_every_rule_of_results_is_broken_by_some_entry() -> None:
    broken = {expected.code for entry in ENTRIES for expected, _ in entry.expected}
    assert {rule.code for rule in all_rules()["rules-of-results"]} - broken == set()


def test_a_name_stands_for_one_entry() -> None:
    names = [entry.name for entry in ENTRIES]
    assert len(set(names)) == len(names)
