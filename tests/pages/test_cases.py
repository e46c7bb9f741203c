"""Cases on a run page: failing first, grouped by requirement, each text once."""

from sitegen.models.outcome import Failure, RoundResult
from sitegen.models.task import Case, TaskRound
from sitegen.pages.cases import merged_texts, round_cases

DEFINED = TaskRound(1, cases=(Case("c1", requirement="sort"), Case("c2", requirement="sort"), Case("c3")))


def result(outcomes: str | None, passed: int, total: int) -> RoundResult:
    return RoundResult("t", 1, 1, "scored", float(passed == total), passed, total, outcomes=outcomes)


def failure(case: str, requirement: str = "sort", **texts: object) -> Failure:
    return Failure("t", 1, 1, case, requirement=requirement, **texts)  # type: ignore[arg-type]  # fields by name


def test_outcomes_tell_every_case() -> None:
    cases = round_cases(result("pfp", 2, 3), DEFINED, [failure("c2", reason="no")])
    assert [view.id for view in cases.passed] == ["c1", "c3"]
    assert [(group.title, [view.id for view in group.cases]) for group in cases.groups] == [("sort", ["c2"])]


def test_without_outcomes_the_listed_failures_are_what_is_known() -> None:
    cases = round_cases(result(None, 1, 3), TaskRound(1), [failure("c9")])
    assert not cases.passed
    assert cases.groups[0].cases[0].id == "c9"


def test_a_group_says_how_many_the_source_left_out() -> None:
    cases = round_cases(result(None, 1, 36), TaskRound(1), [failure("c1", requirement_failed=35)])
    assert cases.groups[0].count == "1 of 35 failed cases shown"


def test_the_requirement_that_failed_most_comes_first() -> None:
    listed = [failure("c1", "rare"), failure("c2", "common"), failure("c3", "common")]
    titles = [group.title for group in round_cases(result(None, 0, 3), TaskRound(1), listed).groups]
    assert titles == ["common", "rare"]


def test_a_text_that_is_repeated_is_shown_once() -> None:
    texts = merged_texts(failure("c1", expected="rc 0", actual="rc 4", reason="rc 4"))
    assert texts == [("Expected", "rc 0"), ("Actual, reason", "rc 4")]


def test_a_failure_without_a_reason_says_so() -> None:
    assert merged_texts(failure("c1", intent="sorts"))[-1] == ("Reason", "no reason given")
