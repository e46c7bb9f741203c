"""Listed failures agree with the outcomes of their rounds, and a bundle holds what it states."""

import pytest
from kit.results_folders import TASKS, Tree, json_lines

FAILED = {"task": "tidy", "attempt": 1, "round": 2, "case": "c4"}
CASES = ["c1", "c2", "c3", "c4"]
DOUBTS = {"FAILURE-CASE-UNKNOWN", "FAILURE-CONTRADICTED", "FAILURE-TWICE"}
SECOND = [{"n": 1}, {"n": 2, "cases": [{"id": name} for name in CASES]}]


def told(tree: Tree, *failures: dict[str, object]) -> list[tuple[str, str, str, str]]:
    """List failures, and give what is told: code, severity, place and fact."""
    tree.write("failures.jsonl", json_lines(*failures))
    return [(problem.code, problem.severity, problem.place, problem.what) for problem in tree.told()]


def test_a_failure_agrees_with_the_outcomes(tree: Tree) -> None:
    tree.change(2, outcomes="pppf", case_ids=CASES)
    assert told(tree, FAILED) == []


def test_a_case_that_passed_is_no_failure(tree: Tree) -> None:
    tree.change(2, outcomes="fppp", case_ids=CASES)
    message = "case c4 of round 2 of tidy, attempt 1 is listed as failed, but `outcomes` says passed"
    assert told(tree, FAILED) == [("FAILURE-CONTRADICTED", "error", "failures.jsonl:1", message)]


def test_a_case_ended_in_one_way(tree: Tree) -> None:
    tree.change(2, outcomes="pppe", case_ids=CASES)
    message = "case c4 of round 2 of tidy, attempt 1 is listed as failed, but `outcomes` says error"
    assert told(tree, FAILED) == [("FAILURE-CONTRADICTED", "error", "failures.jsonl:1", message)]


def test_the_task_s_cases_are_those_of_a_round_that_names_none(tree: Tree) -> None:
    tree.put("tasks/all.jsonl", json_lines({**TASKS[0], "rounds": SECOND}, TASKS[1]))
    tree.change(2, outcomes="fppp")
    assert [problem[0] for problem in told(tree, FAILED)] == ["FAILURE-CONTRADICTED"]


def test_a_round_from_the_reference_state_is_named_as_such(tree: Tree) -> None:
    tree.put("tasks/all.jsonl", json_lines({**TASKS[0], "rounds": SECOND}, TASKS[1]))
    tree.change(2, start="reference")
    message = "round 2 of tidy, attempt 1 from the reference state has no case `c9`"
    failure = {**FAILED, "case": "c9", "start": "reference"}
    assert ("FAILURE-CASE-UNKNOWN", "error", "failures.jsonl:1", message) in told(tree, failure)


def test_a_case_that_the_round_does_not_have_is_told(tree: Tree) -> None:
    tree.put("tasks/all.jsonl", json_lines({**TASKS[0], "rounds": SECOND}, TASKS[1]))
    message = "round 2 of tidy, attempt 1 has no case `c9`"
    assert told(tree, {**FAILED, "case": "c9"}) == [("FAILURE-CASE-UNKNOWN", "error", "failures.jsonl:1", message)]


def test_a_name_that_stands_for_two_cases_may_have_ended_in_both_ways(tree: Tree) -> None:
    tree.change(2, outcomes="pppf", case_ids=["a", "b", "c", "a"])
    assert told(tree, {**FAILED, "case": "a"}) == []


def test_where_nobody_knows_the_cases_any_may_have_failed(tree: Tree) -> None:
    tree.change(2, outcomes="pppf")
    assert told(tree, FAILED) == []


def test_a_failure_is_listed_once(tree: Tree) -> None:
    tree.change(2, passed=2)
    message = "case c4 of round 2 of tidy is already listed in line 1"
    assert told(tree, FAILED, FAILED) == [("FAILURE-TWICE", "error", "failures.jsonl:2", message)]


def test_cases_of_one_name_are_several_failures_where_their_texts_differ(tree: Tree) -> None:
    tree.change(2, passed=2)
    assert told(tree, {**FAILED, "reason": "one"}, {**FAILED, "reason": "two"}) == []


def test_a_failure_that_is_spelled_otherwise_is_the_same(tree: Tree) -> None:
    tree.change(2, passed=2)
    tree.write("failures.jsonl", json_lines(FAILED) + json_lines(FAILED).replace(" ", ""))
    assert [(problem.code, problem.place) for problem in tree.told()] == [("FAILURE-TWICE", "failures.jsonl:2")]


def test_where_the_cases_are_known_one_is_listed_once_whatever_it_says(tree: Tree) -> None:
    tree.change(2, passed=2, outcomes="ppff", case_ids=CASES)
    message = "case c4 of round 2 of tidy, attempt 1 is already listed in line 1, with other texts"
    assert told(tree, {**FAILED, "reason": "one"}, {**FAILED, "reason": "two"}) == [
        ("FAILURE-TWICE", "error", "failures.jsonl:2", message)
    ]


def test_cases_of_one_name_may_each_be_listed(tree: Tree) -> None:
    tree.change(2, passed=1, outcomes="pfff", case_ids=["c1", "c4", "c4", "c3"])
    twice = [{**FAILED, "reason": reason} for reason in ("one", "two")]
    assert told(tree, *twice, {**FAILED, "case": "c3"}) == []
    assert [problem[0] for problem in told(tree, *twice, {**FAILED, "reason": "three"})] == ["FAILURE-TWICE"]


def stated(tree: Tree, detail: str) -> list[tuple[str, str, str]]:
    """State how much of its cases the bundle holds, and give code, place and fact of what is told."""
    tree.edit("submission.toml", 'cases = "counts"', f'cases = "{detail}"')
    return [(problem.code, problem.place, problem.what) for problem in tree.told()]


def test_all_cases_are_outcomes_of_every_scored_round(tree: Tree) -> None:
    tree.change(1, outcomes="ppp")
    message = '`detail.cases` is "all", but 1 of 2 scored rounds lack `outcomes`'
    assert stated(tree, "all") == [("DETAIL-OVERSTATED", "submission.toml:10", message)]


@pytest.mark.parametrize("detail", ["failures", "sample"])
def test_failures_that_are_stated_are_listed(tree: Tree, detail: str) -> None:
    message = f'`detail.cases` is "{detail}", but 1 case failed, but none is listed'
    assert stated(tree, detail) == [("DETAIL-OVERSTATED", "submission.toml:10", message)]


@pytest.mark.parametrize("detail", ["counts", "none"])
def test_less_may_be_stated_than_is_there(tree: Tree, detail: str) -> None:
    tree.write("failures.jsonl", json_lines(FAILED))
    assert stated(tree, detail) == []


def test_without_a_failed_case_there_is_nothing_to_list(tree: Tree) -> None:
    tree.change(2, reward=1, passed=4)
    tree.edit("submission.toml", "[claims]\ndataset_score = 25.0\n", "")
    assert stated(tree, "failures") == []


def test_of_a_round_that_is_not_there_no_case_is_doubted(tree: Tree) -> None:
    """What is told is that the round, or the task, is unknown."""
    for astray in ({"round": 9}, {"task": "other"}):
        assert not {problem[0] for problem in told(tree, {**FAILED, **astray})} & DOUBTS


def test_of_a_task_that_nobody_describes_no_case_is_doubted(tree: Tree) -> None:
    (tree.benchmark / "tasks" / "all.jsonl").unlink()
    assert not {problem[0] for problem in told(tree, FAILED)} & DOUBTS


def test_a_record_beyond_the_rounds_of_its_task_has_no_cases(tree: Tree) -> None:
    tree.change(2, round=9)
    assert not {problem[0] for problem in told(tree, {**FAILED, "round": 9})} & DOUBTS


def test_where_nobody_says_how_cases_ended_any_that_is_named_may_have_failed(tree: Tree) -> None:
    tree.change(2, case_ids=CASES)
    assert told(tree, FAILED) == []


def test_outcomes_of_another_length_say_nothing_of_a_case(tree: Tree) -> None:
    tree.change(2, outcomes="fpp", case_ids=CASES)
    assert not {problem[0] for problem in told(tree, FAILED)} & DOUBTS


def test_names_of_another_number_than_the_cases_are_not_believed(tree: Tree) -> None:
    tree.change(2, case_ids=CASES[:3])
    assert not {problem[0] for problem in told(tree, FAILED)} & DOUBTS


def test_of_cases_of_one_name_it_is_told_how_each_ended(tree: Tree) -> None:
    tree.change(2, outcomes="pppf", case_ids=["a", "b", "c", "a"])
    message = "case a of round 2 of tidy, attempt 1 is listed as error, but `outcomes` says failed or passed"
    assert ("FAILURE-CONTRADICTED", message) in {
        (problem[0], problem[3]) for problem in told(tree, {**FAILED, "case": "a", "status": "error"})
    }


def test_repeated_failures_are_told_line_by_line(tree: Tree) -> None:
    tree.change(1, reward=0, passed=2)
    first = {**FAILED, "round": 1}
    problems = told(tree, FAILED, first, first, FAILED)
    assert [problem[2] for problem in problems if problem[0] == "FAILURE-TWICE"] == [
        "failures.jsonl:3",
        "failures.jsonl:4",
    ]


@pytest.mark.parametrize("detail", ["counts", "none"])
def test_who_states_no_failures_need_list_none(tree: Tree, detail: str) -> None:
    tree.edit("submission.toml", 'cases = "counts"', f'cases = "{detail}"')
    assert tree.told() == []
