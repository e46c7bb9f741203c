"""Cases as one attempt tells of them: failing first, by requirement, each text once."""

from kit.task_cases import counted, failure, ran

from sitegen.models.task import Case, TaskRound
from sitegen.pages.cases import AttemptCases, CaseKey, merged_texts

DEFINED = TaskRound(1, cases=(Case("c1", requirement="sort"), Case("c2", requirement="sort"), Case("c3")))


def test_outcomes_tell_every_case() -> None:
    attempt_cases = AttemptCases(ran(1, "pfp"), DEFINED, [failure(1, "c2", reason="no")])
    assert [(case.case.id, case.status) for case in attempt_cases.cases] == [
        ("c2", "failed"),
        ("c1", "passed"),
        ("c3", "passed"),
    ]
    assert [failing_case.case.id for failing_case in attempt_cases.failing] == ["c2"]


def test_without_outcomes_the_named_failures_are_what_is_known() -> None:
    attempt_cases = AttemptCases(counted(1, 1, 3), TaskRound(1), [failure(1, "c9")])
    assert [case.case.id for case in attempt_cases.cases] == ["c9"]


def test_a_failed_case_is_described_as_the_benchmark_lists_it() -> None:
    (failed_case,) = AttemptCases(counted(1, 1, 3), DEFINED, [failure(1, "c1", None)]).cases
    assert failed_case.requirement == "sort"


def test_outcomes_without_names_take_those_of_the_texts() -> None:
    attempt_cases = AttemptCases(ran(1, "pff"), TaskRound(1), [failure(1, "c9")])
    assert [(case.case.id, case.status) for case in attempt_cases.cases] == [
        ("c9", "failed"),
        ("case-3", "failed"),
        ("case-1", "passed"),
    ]
    assert not attempt_cases.has_case_names


def test_what_names_every_failed_case_tells_that_the_others_did_not_fail() -> None:
    assert AttemptCases(counted(1, 2, 3), TaskRound(1), [failure(1, "c9")]).has_all_failed_names
    assert not AttemptCases(counted(1, 1, 3), TaskRound(1), [failure(1, "c9")]).has_all_failed_names


def test_more_failed_cases_than_are_counted_tell_nothing_of_the_others() -> None:
    """A source that contradicts itself proves nothing by what it leaves out."""
    attempt_cases = AttemptCases(counted(1, 2, 3), TaskRound(1), [failure(1, "c8"), failure(1, "c9")])
    assert not attempt_cases.has_all_failed_names


def test_of_a_requirement_all_failed_cases_count_that_the_source_states() -> None:
    attempt_cases = AttemptCases(
        counted(1, 1, 36), TaskRound(1), [failure(1, "c1", requirement_failed=35), failure(1, "c2", "save")]
    )
    assert attempt_cases.failed_by_requirement == {"sort": 35, "save": 1}


def test_what_was_skipped_did_not_fail() -> None:
    attempt_cases = AttemptCases(ran(1, "pfs"), TaskRound(1), [])
    assert (len(attempt_cases.failing), attempt_cases.failed_by_requirement) == (2, {"": 1})


def test_a_case_that_the_benchmark_lists_is_known_by_what_it_says() -> None:
    """Texts are known of failures only: they must not tell a failed case from the same one that passed."""
    attempt_cases = AttemptCases(ran(1, "fpp"), DEFINED, [failure(1, "c1", "sort", intent="sorts")])
    assert list(attempt_cases.by_key) == [CaseKey("c1", "sort"), CaseKey("c2", "sort"), CaseKey("c3")]


def test_other_cases_are_known_by_id_requirement_and_intent() -> None:
    attempt_cases = AttemptCases(counted(1, 1, 2), TaskRound(1), [failure(1, "c1", "sort", intent="sorts")])
    assert list(attempt_cases.by_key) == [CaseKey("c1", "sort", "sorts")]


def test_a_text_that_is_repeated_is_shown_once() -> None:
    texts = merged_texts(failure(1, "c1", expected="rc 0", actual="rc 4", reason="rc 4"))
    assert texts == [("Expected", "rc 0"), ("Actual, reason", "rc 4")]


def test_a_text_that_repeats_the_intent_is_left_out() -> None:
    """The intent is the title of the case."""
    assert merged_texts(failure(1, "c1", intent="sorts", scenario="sorts", reason="rc 4")) == [("Reason", "rc 4")]


def test_a_failure_without_a_reason_says_so() -> None:
    assert merged_texts(failure(1, "c1", intent="sorts")) == [("Reason", "no reason given")]
