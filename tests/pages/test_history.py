"""Regressions: told where it is known that a case passed before, never guessed."""

from collections.abc import Mapping

from kit.boards import track
from kit.task_cases import book, counted, failure, ran, submission, task

from sitegen.pages.records import TaskCases
from sitegen.pages.suites import CaseTransition

SAME = task(["c1", "c2"], ["c1", "c2"], ["c1", "c2"], ["c1", "c2"])
UNLISTED = task(None, None, None)


def turned(task_cases: TaskCases, case: str = "c1", attempt: int = 1) -> Mapping[int, CaseTransition]:
    """Give the turns of a case of the submission acme, by round."""
    by_round = task_cases.transitions.get(("acme", attempt), {})
    return {number: turn for number, turns in by_round.items() for key, turn in turns.items() if key.case == case}


def story(*outcomes: str) -> TaskCases:
    """Let acme go through the rounds, two cases each."""
    return book(SAME, submission("acme", *(ran(number, letters) for number, letters in enumerate(outcomes, start=1))))


def test_a_case_that_passed_before_and_fails_now_is_a_regression() -> None:
    assert turned(story("pp", "fp")) == {2: CaseTransition(1, 2)}


def test_a_regression_keeps_the_round_that_broke_it() -> None:
    broke = CaseTransition(1, 2)
    assert turned(story("pp", "fp", "fp", "fp")) == {2: broke, 3: broke, 4: broke}


def test_a_case_that_fails_from_the_start_is_no_regression() -> None:
    assert turned(story("fp", "fp")) == {}


def test_a_case_that_was_mended_is_no_regression_any_more() -> None:
    assert turned(story("pp", "fp", "pp", "pp")) == {2: CaseTransition(1, 2)}


def test_a_case_can_break_again() -> None:
    assert turned(story("pp", "fp", "pp", "fp")) == {2: CaseTransition(1, 2), 4: CaseTransition(3, 4)}


def test_a_skipped_case_has_not_broken() -> None:
    assert turned(story("pp", "sp", "fp")) == {3: CaseTransition(1, 3)}


def test_rounds_between_that_do_not_tell_make_a_turn_inexact() -> None:
    assert CaseTransition(1, 2).is_exact
    assert not CaseTransition(1, 3).is_exact


def test_attempts_have_histories_of_their_own() -> None:
    two_attempts = submission("acme", ran(1, "pp"), ran(2, "pp"), ran(1, "fp", attempt=2), ran(2, "fp", attempt=2))
    assert turned(book(SAME, two_attempts), attempt=2) == {}


def test_a_case_of_the_same_name_that_checks_something_else_is_another_case() -> None:
    first, second = failure(1, "c2", intent="adds"), failure(2, "c1", intent="sorts")
    listed = submission("acme", counted(1, 1, 2), first, counted(2, 1, 2), second)
    other_submission = submission("bolt", counted(1, 1, 2), failure(1, "c1", intent="trims"))
    assert turned(book(UNLISTED, listed, other_submission)) == {}


def test_a_source_that_names_every_failure_tells_what_passed() -> None:
    """That c1 was among the cases of round 1 is known from the other attempt."""
    other_attempt = (counted(1, 1, 2, attempt=2), failure(1, "c1", attempt=2))
    listed = submission("acme", counted(1, 2, 2), counted(2, 1, 2), failure(2, "c1"), *other_attempt)
    assert turned(book(UNLISTED, listed)) == {2: CaseTransition(1, 2)}


def test_what_others_tell_proves_nothing() -> None:
    """The pages of a run do not change when somebody else submits."""
    listed = submission("acme", counted(1, 2, 2), counted(2, 1, 2), failure(2, "c1"))
    other_submission = submission("bolt", counted(1, 1, 2), failure(1, "c1"))
    assert turned(book(UNLISTED, listed, other_submission)) == {}


def test_a_source_that_names_some_failures_tells_nothing_of_the_others() -> None:
    sample = submission("acme", counted(1, 0, 2), failure(1, "c2"), counted(2, 1, 2), failure(2, "c1"))
    other_submission = submission("bolt", counted(1, 1, 2), failure(1, "c1"))
    assert turned(book(UNLISTED, sample, other_submission)) == {}


def test_a_case_that_nobody_names_in_a_round_may_not_have_been_there() -> None:
    listed = submission("acme", counted(1, 2, 2), counted(2, 1, 2), failure(2, "c1"))
    assert turned(book(UNLISTED, listed)) == {}


def test_a_suite_that_broke_off_did_not_run_the_case() -> None:
    """Acme's one case of round 1 is not among those that bolt ran 40 of."""
    listed = submission("acme", counted(1, 1, 1), counted(2, 39, 40), failure(2, "c1"))
    other_submission = submission("bolt", counted(1, 39, 40), failure(1, "c1"))
    assert turned(book(UNLISTED, listed, other_submission)) == {}


def test_outcomes_without_names_have_no_history() -> None:
    """The first of three cases need not be the first of four."""
    assert book(UNLISTED, submission("acme", ran(1, "ppp"), ran(2, "fppp"))).transitions["acme", 1] == {1: {}, 2: {}}


def test_names_that_come_with_outcomes_are_enough() -> None:
    """Texts are known only of the round in which it failed."""
    before, after = ran(1, "p", case_ids=("c1",)), ran(2, "f", case_ids=("c1",))
    named = submission("acme", before, after, failure(2, "c1", intent="sorts"))
    assert turned(book(UNLISTED, named)) == {2: CaseTransition(1, 2)}


def test_targets_that_do_not_follow_each_other_cannot_break() -> None:
    once = track(protocol="once", headline="resolved", columns=("resolved",))
    assert turned(book(SAME, submission("acme", ran(1, "pp"), ran(2, "fp")), on=once)) == {}
    assert turned(book(SAME, submission("acme", ran(1, "pp"), ran(2, "fp")), ordered=False)) == {}
