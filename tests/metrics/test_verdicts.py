"""Rounds of two submissions side by side, drawn one mark a round."""

from collections.abc import Sequence

import pytest
from kit.result_grids import sheet, task

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.likeness import RoundCounts, VerdictRule, VerdictTable, rule_sentence, select_verdict_rule
from sitegen.metrics.results import SubmissionResults
from sitegen.models.benchmark import Protocol


def compare(
    first: SubmissionResults, second: SubmissionResults, rounds: Sequence[int], rule: VerdictRule = "first"
) -> RoundCounts | None:
    """Compare two submissions on tasks a, b, c that have some rounds each."""
    tasks = [task(name, count) for name, count in zip("abc", rounds, strict=False)]
    return VerdictTable({"one": first, "two": second}, tasks, rule).compare("one", "two")


def test_every_round_falls_into_one_of_four_cells() -> None:
    assert compare(sheet("##..", "#"), sheet("#.#.", "#"), (4, 1)) == RoundCounts(2, 1, 1, 1, "first")


def test_rounds_without_a_verdict_are_failed() -> None:
    """No case ran, aborted, never reached."""
    assert compare(sheet("nx-"), sheet("###"), (3,)) == RoundCounts(0, 0, 3, 0, "first")


def test_excluded_and_missing_rounds_are_left_out() -> None:
    """Of five rounds one is excluded for the first, and the second lacks a record of another."""
    assert compare(sheet("#!###"), sheet("## ##"), (5,)) == RoundCounts(3, 0, 0, 0, "first")


def test_a_task_that_one_has_no_records_of_is_left_out() -> None:
    assert compare(sheet("##", "!!"), sheet("#.", "##"), (2, 2)) == RoundCounts(1, 1, 0, 0, "first")


def test_without_a_common_round_there_is_nothing_to_count() -> None:
    assert compare(sheet("#!"), sheet("!#"), (2,)) is None


def test_the_first_attempt_stands_for_a_chain() -> None:
    assert compare(sheet(("#.", ".#")), sheet(("..", "##")), (2,)) == RoundCounts(0, 1, 0, 1, "first")


def test_under_fail_stop_any_attempt_may_keep_a_round() -> None:
    """What comes after an attempt's first failure is lost."""
    ours, theirs = sheet(("##.#", "#..#")), sheet(("#...", "####"))
    assert compare(ours, theirs, (4,), "kept") == RoundCounts(2, 0, 2, 0, "kept")


def test_more_attempts_than_the_other_made_do_not_count() -> None:
    ours, theirs = sheet(("#...", "####")), sheet("##..")
    assert compare(ours, theirs, (4,), "kept") == RoundCounts(1, 0, 1, 2, "kept")


def test_a_round_that_an_attempt_has_no_record_of_is_left_out_under_fail_stop() -> None:
    assert compare(sheet(("# ", "##")), sheet(("##", "##")), (2,), "kept") == RoundCounts(1, 0, 0, 0, "kept")


@pytest.mark.parametrize("rule", ["first", "kept"])
def test_an_attempt_that_was_not_made_has_no_verdict_on_a_round(rule: VerdictRule) -> None:
    """The first submission has rounds from the reference state alone."""
    assert compare(sheet(">-", reference=("##",)), sheet("##"), (2,), rule) is None


def test_rounds_from_the_reference_state_are_compared_where_they_rank() -> None:
    ours, theirs = sheet("..", reference=("##",)), sheet("##", reference=("#.",))
    assert compare(ours, theirs, (2,), "reference") == RoundCounts(1, 1, 0, 0, "reference")


@pytest.mark.parametrize(
    ("headline", "protocol", "rule"),
    [
        ("dataset_score", "chain", "first"),
        ("resolved", "once", "first"),
        ("mt_at_k", "fail-stop", "kept"),
        ("sr", "fail-stop", "reference"),
    ],
)
def test_the_rule_goes_with_what_ranks(headline: str, protocol: Protocol, rule: VerdictRule) -> None:
    assert select_verdict_rule(METRICS[headline], protocol) == rule
    assert " passed" in rule_sentence(rule, "round")
