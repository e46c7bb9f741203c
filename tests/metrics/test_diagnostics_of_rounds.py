"""Diagnostics of rounds that follow each other, read off hand-sized grids."""

from dataclasses import replace

import pytest
from kit.drawn_submissions import long, look, results, rounds, terms, told

from sitegen.metrics.diagnostics import add_overall_column
from sitegen.metrics.diagnostics.sample import Kind
from sitegen.metrics.diagnostics.tables import against_reference, aptitude, by_label, by_round, first_failure, recovery

CHAIN = terms(long("a", 3), long("b", 2))
RELAY = terms(long("a", 3), protocol="fail-stop", attempts=2, headline="mt_at_k", reference_rounds=True)


def test_a_round_passes_by_its_number_over_tasks_and_submissions() -> None:
    sample = look(CHAIN, results(CHAIN, {"a": "##.", "b": "#."}), results(CHAIN, {"a": "..#", "b": ".#"}))
    assert told(by_round(sample)) == {"1": "2 2/4", "2": "2 2/4", "3": "1 1/2"}


def test_a_curve_follows_the_tasks_that_have_as_many_rounds_as_four_fifths_of_all() -> None:
    under = terms(*(long(name, 2) for name in "abcde"), long("f", 4), long("g", 1))
    sheet = results(under, {**dict.fromkeys("abcde", "#."), "f": "####", "g": "."})
    shown = by_round(look(under, sheet))
    assert told(shown) == {"1": "7 6/7", "2": "6 1/6", "3": "1 1/1", "4": "1 1/1"}
    assert told(replace(shown, lines=shown.curve)) == {"1": "6 6/6", "2": "6 1/6"}
    assert shown.over == "the 6 tasks with 2 rounds or more"


def test_a_curve_follows_five_tasks_at_least() -> None:
    under = terms(*(long(name, 2) for name in "abcd"), long("e", 1))
    shown = by_round(look(under, results(under, {**dict.fromkeys("abcd", "##"), "e": "#"})))
    assert (told(replace(shown, lines=shown.curve)), shown.over) == ({"1": "5 5/5"}, "all 5 tasks")


def test_a_short_task_by_itself_has_all_of_its_rounds() -> None:
    under = terms(*(long(name, 2) for name in "abcdef"), long("g", 3))
    sample = look(under, results(under, {**dict.fromkeys("abcdef", "#."), "g": "##."})).on(under.tasks.tasks[-1])
    assert told(by_round(sample)) == {"1": "1/1", "2": "1/1", "3": "0/1"}


def test_attempts_at_a_chain_are_pooled() -> None:
    under = terms(long("a", 2), long("b", 1), attempts=2)
    assert told(by_round(look(under, results(under, {"a": ["#.", "##"], "b": ["#", "."]})))) == {
        "1": "2 3/4",
        "2": "1 1/2",
    }


def test_only_tasks_with_every_attempt_say_what_some_and_what_every_attempt_passes() -> None:
    """Task a was tried twice, task b once and task c three times, as often as the track asks."""
    under = terms(long("a", 1), long("b", 1), long("c", 1), attempts=3)
    sample = look(under, results(under, {"a": ["#", "#"], "b": ["#"], "c": ["#", "#", "#"]}))
    counts = sample.tally.rounds[[Kind.REPEATED, Kind.ANY, Kind.EVERY]]
    assert counts.tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 1]]
    assert sample.tally.tasks.tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 1]]


def test_an_attempt_that_was_not_made_at_a_task_is_a_verdict_that_is_no_pass() -> None:
    under = terms(long("a", 1), long("b", 1), attempts=2)
    sample = look(under, results(under, {"a": ["#", "#"], "b": ["#"]}))
    assert told(by_round(sample)) == {"1": "2 3/4"}
    assert sample.tally.failures.sum() == 0


def test_the_best_attempt_is_the_verdict_on_a_fail_stop_track() -> None:
    """The second attempt passes round 3, but lost its work in round 1."""
    assert told(by_round(look(RELAY, results(RELAY, {"a": ["##.", ".##"]})))) == {"1": "1/1", "2": "1/1", "3": "0/1"}


def test_a_submission_without_every_attempt_has_no_verdict_on_a_fail_stop_track() -> None:
    sample = look(RELAY, results(RELAY, {"a": ["###"]}), results(RELAY, {"a": ["#..", "..."]}))
    assert told(by_round(sample)) == {"1": "1/1", "2": "0/1", "3": "0/1"}


def test_a_round_that_is_missing_or_unreached_did_not_pass() -> None:
    assert told(by_round(look(CHAIN, results(CHAIN, {"a": "# -"})))) == {"1": "2 1/2", "2": "2 0/2", "3": "1 0/1"}


def test_an_excluded_round_leaves_every_count() -> None:
    sample = look(CHAIN, results(CHAIN, {"a": "#!#", "b": ".#"}))
    assert told(by_round(sample)) == {"1": "2 1/2", "2": "1 1/1", "3": "1 1/1"}


def test_one_task_needs_no_number_of_tasks() -> None:
    sample = look(CHAIN, results(CHAIN, {"a": "##.", "b": "#."})).on(CHAIN.tasks.tasks[1])
    assert told(by_round(sample)) == {"1": "1/1", "2": "0/1"}


def test_the_gap_is_what_the_reference_state_adds() -> None:
    sample = look(RELAY, results(RELAY, {"a": ["#..", "..."]}, {"a": "##."}), results(RELAY, {"a": ["##.", "..."]}))
    assert told(against_reference(sample)) == {"1": "2/2 1/1 0", "2": "1/2 1/1 50", "3": "0/2 0/1 0"}


def test_there_is_no_gap_without_rounds_from_the_reference_state() -> None:
    assert not against_reference(look(RELAY, results(RELAY, {"a": ["##.", "..."]}))).has_data


def test_failed_rounds_are_solved_where_the_reference_state_was_enough() -> None:
    """Attempts fail rounds 2 and 3, then all; a round after the first failure failed, even with a verdict."""
    sample = look(RELAY, results(RELAY, {"a": ["#.#", ".##"]}, {"a": ".##"}))
    assert told(recovery(sample)) == {"1": "0/1", "2": "2/2", "3": "2/2", "All rounds": "4/5"}


def test_an_attempt_that_was_not_made_failed_nothing() -> None:
    sheet = results(RELAY, {"a": ["#..", "   "]}, {"a": "###"})
    assert told(recovery(look(RELAY, sheet))) == {"2": "1/1", "3": "1/1", "All rounds": "2/2"}


def test_a_submission_without_reference_rounds_solves_none_of_them() -> None:
    assert not recovery(look(RELAY, results(RELAY, {"a": ["#..", "..."]}))).has_data


@pytest.mark.parametrize(
    ("marks", "label"),
    [
        (".####", "First fifth"),
        ("####.", "Last fifth"),
        ("#.#.#", "Second fifth"),
        (".######", "First fifth"),
        ("#.#####", "Second fifth"),
        ("##.", "Last fifth"),
        (".##", "Second fifth"),
        ("#!!!!.", "Last fifth"),
    ],
)
def test_the_first_failure_has_its_place_among_the_tasks_rounds(marks: str, label: str) -> None:
    """Round 2 of 7 lies at 0.29, round 1 of 3 at 0.33, and excluded rounds take no place."""
    under = terms(long("a", len(marks)))
    lines = told(first_failure(look(under, results(under, {"a": marks}))))
    assert lines.pop(label) == "1/1"
    assert set(lines.values()) == {"0/1"}


def test_attempts_that_pass_every_round_have_no_first_failure() -> None:
    under = terms(long("a", 2), attempts=3)
    lines = told(first_failure(look(under, results(under, {"a": ["##", "#.", ".#"]}))))
    assert lines == {
        "First fifth": "0/2",
        "Second fifth": "0/2",
        "Third fifth": "1/2",
        "Fourth fifth": "0/2",
        "Last fifth": "1/2",
    }


def test_nothing_failed_is_nothing_to_show() -> None:
    assert not first_failure(look(CHAIN, results(CHAIN, {"a": "###", "b": "##"}))).has_data


def test_aptitude_asks_for_any_attempt_and_consistency_for_all() -> None:
    sample = look(RELAY, results(RELAY, {"a": ["##.", "#.#"]}), results(RELAY, {"a": ["#..", "..."]}))
    assert told(aptitude(sample)) == {
        "1": "2/2 1/2 1/2",
        "2": "1/2 0/2 0/1",
        "3": "0/2 0/2 0/0",
        "All rounds": "3/6 1/6 1/3",
    }


def test_one_attempt_says_nothing_of_consistency() -> None:
    assert not aptitude(look(CHAIN, results(CHAIN, {"a": "##.", "b": "#."}))).has_data


def test_aptitude_needs_every_attempt() -> None:
    sample = look(RELAY, results(RELAY, {"a": ["##."]}), results(RELAY, {"a": ["###", "#.."]}))
    assert told(aptitude(sample))["1"] == "1/1 1/1 1/1"


def test_rounds_without_an_order_are_taken_together_beside_whole_tasks() -> None:
    under = terms(long("a", 2), long("b", 1), protocol="once", attempts=2, headline="resolved")
    sample = look(under, results(under, {"a": ["##", ".#"], "b": ["#", "#"]}))
    assert told(aptitude(sample)) == {"Rounds": "3/3 2/3 2/3", "Complete tasks": "2/2 1/2 1/2"}


def test_tasks_of_one_round_have_one_line_of_aptitude() -> None:
    under = terms(long("a", 1), long("b", 1), protocol="once", attempts=2, headline="resolved")
    sample = look(under, results(under, {"a": ["#", "."], "b": ["#", "#"]}))
    assert told(aptitude(sample)) == {"Rounds": "2/2 1/2 1/2"}


def test_labels_compare_within_early_middle_and_late_rounds() -> None:
    """Round 3 is still early, round 4 in the middle, round 7 late."""
    under = terms(rounds("a", "add", "add", "fix", "add", "fix", "fix", "add"))
    assert told(by_label(look(under, results(under, {"a": "#.##.#."})))) == {
        "Early add": "2 1/2",
        "Early fix": "1 1/1",
        "Middle add": "1 1/1",
        "Middle fix": "2 1/2",
        "Late add": "1 0/1",
    }


def test_a_round_with_several_labels_counts_under_each() -> None:
    under = terms(rounds("a", "add fix", "add", ""))
    assert told(by_label(look(under, results(under, {"a": "#.#"})))) == {"Early add": "2 1/2", "Early fix": "1 1/1"}


def test_labels_are_judged_by_the_best_attempt_on_a_fail_stop_track() -> None:
    under = terms(rounds("a", "add", "fix", "fix"), protocol="fail-stop", attempts=2, headline="mt_at_k")
    sample = look(under, results(under, {"a": ["##.", "..#"]}))
    assert told(by_label(sample)) == {"Early fix": "2 1/2", "Early add": "1 1/1"}


def test_all_submissions_stand_beside_one() -> None:
    first_results, second_results = results(CHAIN, {"a": "##.", "b": "#."}), results(CHAIN, {"a": "...", "b": ".."})
    shown = add_overall_column(
        by_round(look(CHAIN, first_results)), by_round(look(CHAIN, first_results, second_results))
    )
    assert list(shown.columns) == ["Tasks", "Pass rate", "All submissions"]
    assert told(shown) == {"1": "2 2/2 2/4", "2": "2 1/2 1/4", "3": "1 0/1 0/2"}


def test_only_the_key_column_has_one_of_all_submissions_beside_it() -> None:
    first_results, second_results = results(RELAY, {"a": ["##.", "#.#"]}), results(RELAY, {"a": ["#..", "..."]})
    shown = add_overall_column(
        aptitude(look(RELAY, first_results)), aptitude(look(RELAY, first_results, second_results))
    )
    assert list(shown.columns) == ["Aptitude", "Consistency", "Ratio", "Ratio, all"]
    assert told(shown)["All rounds"] == "2/3 1/3 1/2 1/3"


def test_a_diagnostic_says_over_what_it_is_taken() -> None:
    sample = look(RELAY, results(RELAY, {"a": ["##.", "#.#"]}), results(RELAY, {"a": ["#..", "..."]}))
    assert "at least one of 2 attempts" in by_round(sample).sentence
    assert "Based on 2 submissions and 1 task, with 2 attempts each." in by_round(sample).sentence
