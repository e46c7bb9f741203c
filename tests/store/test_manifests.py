"""What must hold between a bundle's manifest, its track and the findings."""

import pytest
from kit.results_folders import ROUNDS, TASKS, Told, Tree, json_lines

from sitegen.models.finding import Finding

FINDING = """
[[findings]]
date = 2026-06-26
kind = "defect"
title = "The round's check reads the clock"
reason = "It fails at night."
effect = "exclude"
tasks = ["tidy"]
rounds = [2]
"""
EXCLUDED = Told(
    "ROUND-EXCLUDED-WITHOUT-FINDING",
    "rounds.jsonl:2",
    "round 2 of tidy is excluded, but no finding excludes it",
    'record the finding in findings.toml with `effect = "exclude"`, or correct the state',
)


def test_an_unknown_track_is_told_with_the_one_meant(tree: Tree) -> None:
    tree.edit("submission.toml", '"main"', '"mian"')
    assert tree.told() == [
        Told("TRACK-UNKNOWN", "submission.toml:2", "mini has no track `mian`", "did you mean `main`?")
    ]


def test_an_unknown_track_is_told_with_those_there_are(tree: Tree) -> None:
    tree.edit("submission.toml", '"main"', '"x"')
    assert tree.told() == [
        Told("TRACK-UNKNOWN", "submission.toml:2", "mini has no track `x`", "name one of: main, relay")
    ]


def test_a_track_that_is_no_slug_is_told_once(tree: Tree) -> None:
    tree.edit("submission.toml", '"main"', '"Main Track"')
    assert [(problem.code, problem.place) for problem in tree.told()] == [("SLUG-INVALID", "submission.toml:2")]


def test_an_unknown_metric_in_claims_is_told(tree: Tree) -> None:
    tree.edit("submission.toml", "dataset_score", "datset_score")
    expected_message, fix = "there is no metric `datset_score`", "did you mean `dataset_score`?"
    assert tree.told() == [Told("METRIC-UNKNOWN", "submission.toml:13", expected_message, fix)]


def test_a_metric_like_no_other_is_told(tree: Tree) -> None:
    tree.edit("submission.toml", "dataset_score", "zzz")
    expected_message = "there is no metric `zzz`"
    assert tree.told() == [
        Told(
            "METRIC-UNKNOWN",
            "submission.toml:13",
            expected_message,
            "name a metric that `sitegen metrics BENCHMARK` lists, or declare it in benchmark.toml",
        )
    ]


def test_no_more_attempts_than_the_track_has(tree: Tree) -> None:
    """Records of the spare attempt are no problem of their own."""
    tree.edit("submission.toml", "[agent]", "attempts = 2\n\n[agent]")
    tree.rounds(*ROUNDS, *({**round_result, "attempt": 2} for round_result in ROUNDS))
    expected_message, fix = "2 attempts, but track main asks for 1", "submit only as many attempts as the track allows"
    assert tree.told() == [Told("ATTEMPTS-ABOVE-TRACK", "submission.toml:5", expected_message, fix)]


@pytest.mark.parametrize("number", ["1001", "999999999999"])
def test_a_number_of_attempts_has_a_limit(tree: Tree, number: str) -> None:
    tree.edit("submission.toml", "[agent]", f"attempts = {number}\n\n[agent]")
    expected_message = f"`attempts` is {number}"
    assert tree.told() == [Told("VALUE-REFUSED", "submission.toml:5", expected_message, "give at most 1000")]


def test_fewer_attempts_than_the_track_has_are_a_warning(tree: Tree) -> None:
    tree.edit("submission.toml", '"main"', '"relay"')
    tree.edit("submission.toml", "[agent]", "attempts = 1\n\n[agent]")
    tree.edit("submission.toml", "dataset_score = 25.0", "")
    tree.rounds(*ROUNDS, *({**round_result, "start": "reference"} for round_result in ROUNDS))
    consequence = "means are computed from the existing attempts, and metrics that need all of them are left blank"
    fix = f"add the missing attempts; until then, {consequence}"
    expected_message = "1 attempt, but track relay asks for 2"
    assert tree.told() == [Told("ATTEMPTS-BELOW-TRACK", "submission.toml:5", expected_message, fix, "warning")]


def test_an_excluded_round_needs_a_finding(tree: Tree) -> None:
    tree.change(2, state="excluded")
    assert tree.told() == [EXCLUDED]


def test_an_excluded_round_with_a_finding_is_accepted(tree: Tree) -> None:
    tree.change(2, state="excluded")
    tree.findings(FINDING)
    assert tree.told() == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rounds = [2]", "rounds = [1]"),
        ('tasks = ["tidy"]\nrounds = [2]', 'tasks = ["wide"]'),
        ('effect = "exclude"', 'effect = "note"'),
        ("rounds = [2]", 'tracks = ["relay"]'),
    ],
)
def test_a_finding_about_something_else_excludes_nothing(tree: Tree, old: str, new: str) -> None:
    tree.change(2, state="excluded")
    tree.findings(FINDING.replace(old, new))
    assert tree.told() == [EXCLUDED]


def test_a_finding_without_scope_concerns_everything() -> None:
    finding = Finding.model_validate({"date": "2026-06-26", "kind": "note", "title": "x"}, strict=False)
    assert finding.concerns("main", "2026-06-25-acme", "tidy", 2)


def test_a_verdict_after_the_first_failure_is_a_warning(tree: Tree) -> None:
    tree.edit("submission.toml", '"main"', '"relay"')
    tree.edit("submission.toml", "dataset_score = 25.0", "")
    failed = {**ROUNDS[0], "reward": 0, "passed": 1}
    attempt_rounds = [
        {**round_result, "attempt": attempt} for attempt in (1, 2) for round_result in (failed, *ROUNDS[1:])
    ]
    tree.rounds(*attempt_rounds, *({**round_result, "start": "reference"} for round_result in ROUNDS))
    expected_message, fix = (
        "2 verdicts stand after the first failure of a run",
        "check that the track is fail-stop: verdicts after the first failure count as 0",
    )
    assert tree.told() == [Told("ROUND-AFTER-FAILURE", "rounds.jsonl:2", expected_message, fix, "warning")]


def test_runs_are_of_known_tasks_and_attempts(tree: Tree) -> None:
    tree.write("runs.jsonl", '{"task": "tdy", "attempt": 1}\n{"task": "tidy", "attempt": 2}\n')
    assert [(problem.code, problem.place) for problem in tree.told()] == [
        ("TASK-UNKNOWN", "runs.jsonl:1"),
        ("ATTEMPT-UNKNOWN", "runs.jsonl:2"),
    ]


def test_a_run_stands_once(tree: Tree) -> None:
    tree.write("runs.jsonl", '{"task": "tidy", "attempt": 1}\n' * 2)
    expected_message = "attempt 1 at tidy is already recorded in line 1"
    assert tree.told() == [Told("RUN-TWICE", "runs.jsonl:2", expected_message, "keep one of the lines")]


def test_outcomes_can_be_given_names(tree: Tree) -> None:
    """The task lists three cases, the round had four: somebody must say which."""
    cases = [{"id": name} for name in "abc"]
    tree.put("tasks/all.jsonl", json_lines({**TASKS[0], "rounds": [{"n": 1}, {"n": 2, "cases": cases}]}, TASKS[1]))
    tree.change(2, outcomes="pppf")
    expected_message = "`outcomes` has 4 cases, but the task lists 3 (round 2 of tidy)"
    fix = "list the cases that were run in `case_ids`"
    assert tree.told() == [Told("ROUND-OUTCOMES-LENGTH", "rounds.jsonl:2", expected_message, fix)]


def test_a_bundle_is_read_with_its_problems(tree: Tree) -> None:
    tree.change(2, passed=9)
    bundle = tree.read_bundle()
    assert [problem.code for problem in bundle.problems] == ["ROUND-PASSED-ABOVE-TOTAL"]
    assert bundle.rounds[1].passed == 9
