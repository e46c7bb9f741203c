"""What is odd, but no error: it is told once, with its line, and the bundle is shown all the same."""

from collections.abc import Mapping, Sequence

import pytest
from kit.results_folders import ABSENT, MANIFEST, ROUNDS, TASKS, Told, Tree, json_lines, seal

from sitegen.store.checks.anomalies import SKIPS_UNUSUAL, TOTAL_UNUSUAL, TOTAL_VARIES

FAILED = {"task": "tidy", "attempt": 1, "round": 2, "case": "c4"}


def with_others(tree: Tree, *records: Mapping[str, object], others: int = 3) -> Sequence[Told]:
    """Enter more bundles with some records beside the first, and give what is told of the first."""
    for number in range(others):
        tree.add(f"other-{number}", *records, manifest=MANIFEST.replace("Acme-1", f"Other-{number + 7}"))
    return [problem for problem in tree.told() if not problem.place.startswith("mini/")]


def test_failures_that_are_not_listed_are_counted(tree: Tree) -> None:
    tree.change(2, passed=1)
    tree.write("failures.jsonl", json_lines(FAILED))
    expected_message = "detail incomplete: 2 of 3 failed cases are not listed, in 1 round"
    fix = "list every failed case, if the source has it"
    assert tree.told() == [Told("DETAIL-INCOMPLETE", "failures.jsonl", expected_message, fix, "note")]


def test_more_failures_than_failed_are_told(tree: Tree) -> None:
    tree.write("failures.jsonl", json_lines(FAILED, {**FAILED, "case": "c5"}))
    expected_message = "round 2 of tidy, attempt 1: 2 failed cases listed, but 1 failed"
    fix = "check which of the two counts is right"
    assert tree.told() == [Told("DETAIL-EXCESS", "failures.jsonl:1", expected_message, fix, "warning")]


def test_skipped_cases_are_no_failures(tree: Tree) -> None:
    tree.change(2, passed=2, skipped=1)
    tree.write("failures.jsonl", json_lines(FAILED, {**FAILED, "case": "c5", "status": "skipped"}))
    assert tree.told() == []


def test_texts_that_are_cut_are_told_with_the_failures_that_are_not_listed(tree: Tree) -> None:
    tree.change(2, passed=2)
    tree.write("failures.jsonl", json_lines({**FAILED, "truncated": True}))
    (problem,) = tree.told()
    assert (problem.code, problem.what) == (
        "DETAIL-INCOMPLETE",
        (
            "detail incomplete: 1 of 2 failed cases is not listed, in 1 round; "
            "the source shortened the texts of 1 failed case"
        ),
    )


def test_cut_texts_are_told_once(tree: Tree) -> None:
    tree.change(2, passed=2)
    tree.write("failures.jsonl", json_lines(*({**FAILED, "case": name, "truncated": True} for name in "ab")))
    expected_message, fix = (
        "the source shortened the texts of 2 failed cases",
        "give the texts in full, if the source has them",
    )
    assert tree.told() == [Told("DETAIL-TRUNCATED", "failures.jsonl:1", expected_message, fix, "note")]


def test_failures_lie_in_rounds_whose_cases_ran(tree: Tree) -> None:
    elsewhere = ({**FAILED, "round": 3}, {**FAILED, "task": "wide", "round": 1})
    tree.write("failures.jsonl", json_lines(FAILED, *elsewhere))
    fix = "correct the line's task, attempt or round"
    assert tree.told() == [
        Told(
            "FAILURE-UNEXPECTED",
            "failures.jsonl:2",
            "case c4 failed in round 3 of tidy, attempt 1, which has no record",
            fix,
        ),
        Told(
            "FAILURE-UNEXPECTED",
            "failures.jsonl:3",
            'case c4 failed in round 1 of wide, attempt 1, which is "unreached"',
            fix,
        ),
    ]


def test_a_round_without_cases_says_why(tree: Tree) -> None:
    tree.change(3, state="no_cases")
    expected_message = "1 round without cases and without a cause (first: round 1 of wide)"
    fix = "add the `cause`, if it is known"
    assert tree.told() == [Told("NO-CASES-UNEXPLAINED", "rounds.jsonl:3", expected_message, fix, "warning")]


def test_a_cause_that_lies_with_the_machine_is_told(tree: Tree) -> None:
    tree.change(3, state="no_cases", cause="bind: Address already in use")
    expected_message = "1 round without cases may be the fault of the machine (first: round 1 of wide): "
    (problem,) = tree.told()
    assert problem[:2] == ("NO-CASES-INFRASTRUCTURE", "rounds.jsonl:3")
    assert problem.what == expected_message + '"bind: Address already in use"'


def test_a_run_that_worked_has_a_verdict(tree: Tree) -> None:
    tree.change(3, state="aborted")
    tree.write("runs.jsonl", '{"task": "wide", "attempt": 1, "interactions_per_round": 42}\n')
    expected_message = "task wide ended without a verdict, although the agent made 42 tool calls per round"
    fix = "find out why the verifier gave no verdict"
    assert tree.told() == [Told("ABORTED-AFTER-WORK", "rounds.jsonl:3", expected_message, fix, "warning")]


def test_a_suite_that_stopped_early_is_told(tree: Tree) -> None:
    tree.change(2, passed=0, total=1)
    expected_message = "round 2 of tidy usually has 40 cases, but has 1 here"
    assert with_others(tree, ROUNDS[0], {**ROUNDS[1], "total": 40}, ROUNDS[2]) == [
        Told(
            "ROUND-TOTAL-DEGENERATE",
            "rounds.jsonl:2",
            expected_message,
            "check whether the test suite stopped before its cases ran",
            "warning",
        )
    ]


def test_suites_that_stopped_early_are_one_problem_with_all_of_their_lines(tree: Tree) -> None:
    records = [{**ROUNDS[0], "total": 40, "passed": 40}, {**ROUNDS[1], "total": 40}, ROUNDS[2]]
    tree.change(1, passed=1, total=1)
    tree.change(2, passed=0, total=1)
    for number in range(3):
        tree.add(f"other-{number}", *records)
    (suite_problem,) = (
        problem for problem in tree.read().benchmarks[0].bundles[0].problems if problem.code == "ROUND-TOTAL-DEGENERATE"
    )
    assert suite_problem.lines == (1, 2)
    assert suite_problem.what.endswith(
        "usually has 40 cases, but has 1 here; 2 rounds have almost none of their usual cases"
    )


def test_far_fewer_cases_are_told(tree: Tree) -> None:
    expected_message, fix = (
        "round 2 of tidy usually has 40 cases, but has 4 here",
        "find out why the number of cases differs",
    )
    assert with_others(tree, ROUNDS[0], {**ROUNDS[1], "total": 40}, ROUNDS[2]) == [
        Told("ROUND-TOTAL-UNUSUAL", "rounds.jsonl:2", expected_message, fix, "warning")
    ]


@pytest.mark.parametrize(
    ("total", "usual", "passed"), [(39, 40, 39), (38, 40, 38), (41, 40, 41), (20, 40, 3), (1, 3, 0)]
)
def test_another_number_of_cases_is_a_note_where_it_decides_nothing(
    tree: Tree, total: int, usual: int, passed: int
) -> None:
    """It is more than half of the suite, and a round that passes lacks one case in 20 at most."""
    tree.change(2, passed=passed, total=total, reward=int(passed == total))
    expected_message, fix = f"round 2 of tidy usually has {usual} cases, but has {total} here", TOTAL_VARIES.fix
    assert with_others(tree, ROUNDS[0], {**ROUNDS[1], "total": usual}, ROUNDS[2]) == [
        Told("ROUND-TOTAL-VARIES", "rounds.jsonl:2", expected_message, fix, "note")
    ]


def test_a_pass_without_some_of_its_cases_is_a_warning(tree: Tree) -> None:
    tree.change(2, passed=37, total=37, reward=1)
    (problem,) = with_others(tree, ROUNDS[0], {**ROUNDS[1], "total": 40}, ROUNDS[2])
    assert (problem.code, problem.severity) == ("ROUND-TOTAL-UNUSUAL", "warning")


def test_two_others_make_no_usual_number(tree: Tree) -> None:
    assert with_others(tree, ROUNDS[0], {**ROUNDS[1], "total": 40}, ROUNDS[2], others=2) == []


def test_a_pass_that_skips_far_more_than_others_is_told(tree: Tree) -> None:
    records = [{**ROUNDS[0], "passed": 40, "total": 40}, *ROUNDS[1:]]
    tree.change(1, passed=37, total=40, skipped=3)
    expected_message, fix = "round 1 of tidy passed with 3 of 40 cases skipped, but 0 are usual", SKIPS_UNUSUAL.fix
    assert with_others(tree, *records) == [
        Told("ROUND-SKIPS-UNUSUAL", "rounds.jsonl:1", expected_message, fix, "warning")
    ]


def test_a_pass_that_skips_what_others_skip_is_none_of_this(tree: Tree) -> None:
    tree.change(1, passed=37, total=40, skipped=3)
    assert with_others(tree, {**ROUNDS[0], "passed": 38, "total": 40, "skipped": 2}, *ROUNDS[1:]) == []


@pytest.mark.parametrize("other_count", [0, 1])
def test_a_pass_that_skips_more_than_it_passes_is_told_where_nobody_knows_what_is_usual(
    tree: Tree, other_count: int
) -> None:
    tree.change(1, passed=1, total=40, skipped=39)
    reason = "too few other submissions have this round to say how many are usual"
    expected_message = f"round 1 of tidy passed with 39 of 40 cases skipped, and {reason}"
    expected_problem = Told("ROUND-SKIPS-UNUSUAL", "rounds.jsonl:1", expected_message, SKIPS_UNUSUAL.fix, "warning")
    assert with_others(tree, *ROUNDS, others=other_count) == [expected_problem]
    tree.change(1, passed=21, total=40, skipped=19)
    assert tree.told() == []


UNCOUNTED = {"passed": ABSENT, "total": ABSENT}


@pytest.mark.parametrize("other_count", [1, 4])
def test_a_pass_without_counts_is_told_where_others_count(tree: Tree, other_count: int) -> None:
    tree.change(1, **UNCOUNTED)
    tree.change(2, **UNCOUNTED)
    expected_message = "round 1 of tidy passed without a number of cases, although other submissions give it"
    fix = TOTAL_UNUSUAL.fix
    assert with_others(tree, *ROUNDS, others=other_count) == [
        Told("ROUND-TOTAL-UNUSUAL", "rounds.jsonl:1", expected_message, fix, "warning")
    ]


def test_a_pass_without_counts_is_told_where_its_task_or_its_other_rounds_have_some(tree: Tree) -> None:
    tree.change(1, **UNCOUNTED)
    expected_template = "round 1 of tidy passed without a number of cases, although {} it"
    (problem,) = tree.told()
    assert (problem.code, problem.what) == (
        "ROUND-TOTAL-UNUSUAL",
        expected_template.format("other rounds of the submission give"),
    )
    tree.change(2, **UNCOUNTED)
    assert tree.told() == []
    cases = [{"id": "c1"}, {"id": "c2"}]
    tree.put("tasks/all.jsonl", json_lines({**TASKS[0], "rounds": [{"n": 1, "cases": cases}, {"n": 2}]}, TASKS[1]))
    (problem,) = tree.told()
    assert (problem.code, problem.what) == ("ROUND-TOTAL-UNUSUAL", expected_template.format("other submissions give"))


def test_a_tiny_round_among_suites_is_told_at_its_task(tree: Tree) -> None:
    records = [
        {**ROUNDS[0], "passed": 40, "total": 40},
        {**ROUNDS[0], "round": 2, "passed": 1, "total": 1},
        {**ROUNDS[0], "round": 3, "passed": 40, "total": 40},
        ROUNDS[2],
    ]
    tree.put(
        "tasks/all.jsonl",
        json_lines({"id": "tidy", "rounds": [{"n": 1}, {"n": 2}, {"n": 3}]}, {"id": "wide", "rounds": [{"n": 1}]}),
    )
    tree.rounds(*records)
    with_others(tree, *records)
    expected_message = "round 2 of tidy has 1 case for most agents, but the rounds of this task usually have 40 cases"
    fix = "check whether the verifier stops at its first failure"
    assert Told("TASK-ROUND-TINY", "mini/tasks/all.jsonl:1", expected_message, fix, "warning") in tree.told()
    path = tree.benchmark / "tasks/all.jsonl"
    path.write_text(f"\n\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    assert Told("TASK-ROUND-TINY", "mini/tasks/all.jsonl:3", expected_message, fix, "warning") in tree.told()


def test_case_ids_with_two_meanings_are_counted(tree: Tree) -> None:
    tree.write("failures.jsonl", json_lines({**FAILED, "requirement": "R1"}))
    other_bundle = tree.add("other", *ROUNDS, manifest=MANIFEST.replace("Acme-1", "Other-1"))
    (other_bundle / "failures.jsonl").write_text(json_lines({**FAILED, "requirement": "R2"}), encoding="utf-8")
    seal(other_bundle)
    expected_message = "the only case id has different requirements in different submissions"
    fix = "nothing needs to be done: cases are matched by id, requirement and intent"
    assert tree.told() == [Told("CASE-ID-AMBIGUOUS", "mini/tasks/all.jsonl", expected_message, fix, "note")]
