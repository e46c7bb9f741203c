"""What repairs make of the corpus of bad bundles: they end, they hold, and they hide nothing."""

from pathlib import Path

import pytest
from corpus.entries import DAY, Entry, entries
from kit.small_import import files_in

from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.repairing import Repairs, count_mendable, repair
from sitegen.pipeline.rules import rules_of_results
from sitegen.publish.results.repairs import Repair

REPAIRED = {code for code, rule in rules_of_results().items() if rule.mend}
REPAIRABLE = [
    entry for entry in entries() if any(expected_problem.code in REPAIRED for expected_problem, _ in entry.expected)
]


@pytest.mark.parametrize("entry", REPAIRABLE, ids=lambda corpus_entry: f"{corpus_entry.theme}-{corpus_entry.name}")
def test_a_repair_holds_and_hides_nothing(entry: Entry, tmp_path: Path) -> None:
    """Nothing is done without a word; a second time nothing is left to do; every other error is still told."""
    tree = entry.spoil(tmp_path)
    repairs = Repairs(tree, entry.values.get("day", DAY))
    problems = evaluate(tree, repairs.day).problems()
    errors = {problem.code for problem in problems if problem.is_error}
    offered = count_mendable(repairs, problems)
    before, done = files_in(tree), list[Repair]()
    remaining_codes = {problem.code for problem in repair(repairs, done.append).problems()}
    assert bool(done) == bool(offered) == (files_in(tree) != before)
    assert errors - REPAIRED <= remaining_codes
    again = list[Repair]()
    repair(repairs, again.append)
    assert again == []
