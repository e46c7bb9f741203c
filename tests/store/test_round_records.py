"""What a record of rounds.jsonl may not say at once: each contradiction with its line and a way out of it."""

import pytest
from kit.results_folders import ABSENT, ROUNDS, Told, Tree, json_lines

from sitegen.problems import counted

RECOUNT = "recount the cases from the verifier's output and correct the line"
STATE = "correct the state, or the reward and the counts"


def refused(tree: Tree, code: str, expected_message: str, fix: str = RECOUNT) -> bool:
    """Whether the one problem is that of line 2, round 2 of tidy."""
    return tree.told() == [Told(code, "rounds.jsonl:2", f"{expected_message} (round 2 of tidy)", fix)]


def test_no_more_cases_pass_than_there_are(tree: Tree) -> None:
    tree.change(2, passed=5)
    assert refused(tree, "ROUND-PASSED-ABOVE-TOTAL", "5 cases passed, but the round has 4")


def test_no_more_cases_of_a_category_pass_than_there_are(tree: Tree) -> None:
    tree.change(2, by_category={"core": [3, 2], "error": [0, 2]})
    assert refused(tree, "ROUND-PASSED-ABOVE-TOTAL", "3 cases of category core passed, but it has 2")


def test_skipped_cases_are_cases_of_the_round(tree: Tree) -> None:
    tree.change(2, skipped=2)
    assert refused(tree, "ROUND-COUNTS-DIFFER", "3 passed and 2 skipped are more than 4 cases")


@pytest.mark.parametrize("passed", [0, 3])
def test_outcomes_tell_as_many_passed_cases(tree: Tree, passed: int) -> None:
    tree.change(2, passed=passed, outcomes="ppff")
    assert refused(tree, "ROUND-COUNTS-DIFFER", f"{passed} cases passed, but `outcomes` has 2")


@pytest.mark.parametrize(("skipped", "outcomes"), [(0, "ppps"), (1, "pppf")])
def test_outcomes_tell_as_many_skipped_cases(tree: Tree, skipped: int, outcomes: str) -> None:
    tree.change(2, skipped=skipped, outcomes=outcomes)
    expected_message = f"{counted(skipped, 'case')} skipped, but `outcomes` has {1 - skipped}"
    assert refused(tree, "ROUND-COUNTS-DIFFER", expected_message)


def test_categories_tell_as_many_passed_cases(tree: Tree) -> None:
    tree.change(2, by_category={"core": [1, 2], "error": [1, 2]})
    assert refused(tree, "ROUND-COUNTS-DIFFER", "3 cases passed, but `by_category` adds up to 2")


def test_categories_tell_as_many_failed_cases(tree: Tree) -> None:
    tree.change(2, by_category={"core": [3, 5]})
    assert refused(tree, "ROUND-COUNTS-DIFFER", "1 case failed, but `by_category` adds up to 2")


@pytest.mark.parametrize("total", [3, 4])
def test_categories_may_count_skipped_cases_or_not(tree: Tree, total: int) -> None:
    tree.change(2, passed=2, skipped=1, by_category={"core": [2, total]})
    assert tree.told() == []


@pytest.mark.parametrize("outcomes", ["ppp", "pppff", ""])
def test_outcomes_have_a_letter_for_each_case(tree: Tree, outcomes: str) -> None:
    tree.change(2, outcomes=outcomes)
    expected_message = f"`outcomes` has {len(outcomes)} cases, but the round has 4"
    assert refused(tree, "ROUND-OUTCOMES-LENGTH", expected_message, "write one entry for each case")


def test_case_ids_have_a_name_for_each_case(tree: Tree) -> None:
    tree.change(2, case_ids=["a", "b"])
    expected_message = "`case_ids` names 2 cases, but the round has 4"
    assert refused(tree, "ROUND-OUTCOMES-LENGTH", expected_message, "write one entry for each case")


@pytest.mark.parametrize("outcomes", [ABSENT, "pppf"])
def test_a_failed_case_costs_the_reward(tree: Tree, outcomes: object) -> None:
    tree.change(2, reward=1, outcomes=outcomes)
    assert refused(tree, "ROUND-REWARD-DESPITE-FAILURE", "a reward of 1 with 1 failed case")


@pytest.mark.parametrize("outcomes", [ABSENT, "pppf"])
def test_the_reward_counts_from_0_999_on(tree: Tree, outcomes: object) -> None:
    tree.change(2, reward=0.9989, outcomes=outcomes)
    assert tree.codes() == ["REWARD-FRACTIONAL"]
    tree.change(2, reward=0.999)
    assert refused(tree, "ROUND-REWARD-DESPITE-FAILURE", "a reward of 0.999 with 1 failed case")


@pytest.mark.parametrize("outcomes", [ABSENT, "pppp"])
def test_passing_all_cases_earns_the_reward(tree: Tree, outcomes: object) -> None:
    tree.change(2, passed=4, outcomes=outcomes)
    assert refused(tree, "ROUND-PASS-WITHOUT-REWARD", "a reward of 0, but all 4 cases passed")
    tree.edit("submission.toml", "dataset_score = 25.0", "dataset_score = 50.0")
    tree.change(2, reward=0.999)
    assert tree.told() == []


@pytest.mark.parametrize("reward", [0, 1])
def test_a_skipped_case_may_spoil_a_round_or_not(tree: Tree, reward: int) -> None:
    """Benchmarks differ in that: the reward says it."""
    tree.change(2, skipped=1, reward=reward)
    assert tree.codes() == []


def test_a_round_that_only_skipped_is_not_passed(tree: Tree) -> None:
    tree.change(2, reward=1, passed=0, skipped=4)
    assert refused(tree, "ROUND-REWARD-DESPITE-FAILURE", "a reward of 1 with none of 4 cases passed")


@pytest.mark.parametrize("counts", [{}, {"passed": ABSENT, "total": ABSENT}])
@pytest.mark.parametrize("status", ["failed", "error"])
def test_a_round_is_not_passed_with_a_case_that_is_listed_as_failed(
    tree: Tree, status: str, counts: dict[str, object]
) -> None:
    tree.change(1, **counts)
    tree.edit("submission.toml", "\n[claims]\ndataset_score = 25.0\n", "")
    listed = {"task": "tidy", "attempt": 1, "round": 1, "status": status, "case": "c1"}
    skipped = {**listed, "status": "skipped", "case": "c0"}
    tree.write("failures.jsonl", json_lines(skipped, listed, {**listed, "round": 2, "case": "c2"}))
    expected_message = "round 1 of tidy, attempt 1: 1 failed case listed, but its reward is 1"
    errors = [problem for problem in tree.told() if problem.severity == "error"]
    assert [(problem.code, problem.place, problem.what) for problem in errors] == [
        ("ROUND-REWARD-DESPITE-FAILURE", "failures.jsonl:2", expected_message)
    ]


@pytest.mark.parametrize("state", ["no_cases", "aborted", "unreached", "fast_forwarded"])
def test_only_scored_rounds_earn_a_reward(tree: Tree, state: str) -> None:
    tree.change(2, state=state, reward=1, passed=0, total=0, cause="x")
    assert refused(tree, "ROUND-STATE-CONTRADICTED", f'state "{state}" with a reward of 1', STATE)


@pytest.mark.parametrize("state", ["no_cases", "aborted", "unreached", "fast_forwarded"])
def test_only_scored_rounds_have_cases(tree: Tree, state: str) -> None:
    tree.change(2, state=state, cause="x")
    assert refused(tree, "ROUND-STATE-CONTRADICTED", f'state "{state}" with 3 of 4 cases passed', STATE)
    tree.change(2, passed=0, outcomes="ffff")
    assert refused(tree, "ROUND-STATE-CONTRADICTED", f'state "{state}" with 0 of 4 cases passed', STATE)


@pytest.mark.parametrize("state", ["no_cases", "aborted", "unreached", "fast_forwarded"])
def test_only_scored_rounds_have_outcomes(tree: Tree, state: str) -> None:
    tree.change(2, state=state, passed=0, total=0, outcomes="f", cause="x")
    assert refused(tree, "ROUND-STATE-CONTRADICTED", f'state "{state}" with outcomes of cases', STATE)


def test_a_scored_round_has_cases(tree: Tree) -> None:
    tree.change(2, passed=0, total=0)
    expected_message = 'state "scored" with 0 cases; if no case ran, the state is "no_cases"'
    assert refused(tree, "ROUND-STATE-CONTRADICTED", expected_message, STATE)


def test_a_verdict_needs_no_counts(tree: Tree) -> None:
    tree.change(2, passed=ABSENT, total=ABSENT)
    assert tree.told() == []


@pytest.mark.parametrize("gone", ["passed", "total"])
def test_counts_stand_together(tree: Tree, gone: str) -> None:
    tree.change(2, **{gone: ABSENT})
    assert refused(tree, "ROUND-COUNTS-HALF", f"`{gone}` is missing", "give both, or neither")


@pytest.mark.parametrize(("key", "value"), [("outcomes", "pppf"), ("skipped", 1), ("by_category", {"core": [3, 4]})])
def test_what_tells_of_cases_needs_counts(tree: Tree, key: str, value: object) -> None:
    tree.change(2, passed=ABSENT, total=ABSENT, **{key: value})
    expected_message = f"`passed` and `total` are missing, but `{key}` has cases"
    assert refused(tree, "ROUND-COUNTS-HALF", expected_message, "give both, or neither")


def test_cases_that_passed_unasked_are_told_beside_how_many_there_were(tree: Tree) -> None:
    tree.change(3, passed=2, total=ABSENT)
    assert any('"unreached" with 2 of 0 cases passed' in problem.what for problem in tree.told())


def test_a_reference_round_is_not_fast_forwarded(tree: Tree) -> None:
    tree.change(2, state="fast_forwarded", start="reference", passed=0, total=0)
    assert "ROUND-STATE-CONTRADICTED" in tree.codes()


def test_a_fault_on_many_lines_is_few_problems(tree: Tree) -> None:
    """Three are told in full, the others by their lines."""
    tree.put(
        "tasks/all.jsonl", '{"id": "long", "rounds": [' + ", ".join(f'{{"n": {n}}}' for n in range(1, 51)) + "]}\n"
    )
    tree.rounds(*({**ROUNDS[1], "task": "long", "round": number, "passed": 9} for number in range(1, 51)))
    *first, last = tree.told()
    assert [problem.place for problem in first] == ["rounds.jsonl:1", "rounds.jsonl:2", "rounds.jsonl:3"]
    assert last.place == "rounds.jsonl:4"
    assert last.what.startswith(
        "9 cases passed, but the round has 4 (round 4 of long); and 46 more like it, in lines 5, 6"
    )
    assert last.what.endswith(", 24…")
