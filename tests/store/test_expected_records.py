"""Every expected (task, attempt, round, start) stands in rounds.jsonl exactly once."""

import json
from collections.abc import Mapping

import pytest
from kit.results_folders import ROUNDS, Told, Tree, json_lines

ADD = 'add a line for every missing round; a round that was never reached has state "unreached" and reward 0'
START = "leave `start` out, or submit to a track with `reference_rounds = true`"
ATTEMPT = "correct the attempt's number, or `attempts` in submission.toml"


def relay(*, attempts: int = 2) -> list[Mapping[str, object]]:
    """Give the records that track relay expects: every round in each attempt, and once from the reference state."""
    attempt_records = [
        {**round_result, "attempt": attempt} for attempt in range(1, attempts + 1) for round_result in ROUNDS
    ]
    return [*attempt_records, *({**round_result, "start": "reference"} for round_result in ROUNDS)]


def enter_relay(tree: Tree, *records: Mapping[str, object]) -> None:
    """Enter track relay with some records, and claim nothing."""
    tree.edit("submission.toml", '"main"', '"relay"')
    tree.edit("submission.toml", "dataset_score = 25.0", "")
    tree.rounds(*records)


def test_an_unknown_task_is_told_with_the_one_meant(tree: Tree) -> None:
    """And the round of that task is not called missing."""
    tree.change(3, task="wid")
    message = "the track has no task `wid`"
    assert tree.told() == [Told("TASK-UNKNOWN", "rounds.jsonl:3", message, "did you mean `wide`?")]


def test_a_task_like_no_other_is_told(tree: Tree) -> None:
    tree.change(3, task="zzz")
    assert tree.told() == [
        Told("TASK-UNKNOWN", "rounds.jsonl:3", "the track has no task `zzz`", "correct the task's id")
    ]


def test_an_unknown_round_is_told(tree: Tree) -> None:
    tree.change(2, round=3)
    message = "tidy has 2 rounds, but this is round 3"
    assert tree.told() == [Told("ROUND-UNKNOWN", "rounds.jsonl:2", message, "correct the round's number")]


def test_an_unknown_attempt_is_told(tree: Tree) -> None:
    tree.change(2, attempt=2)
    message = "this is attempt 2 at tidy, but there is only 1 attempt"
    assert tree.told() == [Told("ATTEMPT-UNKNOWN", "rounds.jsonl:2", message, ATTEMPT)]


def test_the_attempts_of_a_track_are_counted(tree: Tree) -> None:
    enter_relay(tree, *relay(), {**ROUNDS[0], "attempt": 3})
    message = "this is attempt 3 at tidy, but there are only 2 attempts"
    assert tree.told()[0] == Told("ATTEMPT-UNKNOWN", "rounds.jsonl:10", message, ATTEMPT)


def test_records_may_stand_in_any_order(tree: Tree) -> None:
    enter_relay(tree, *reversed(relay()))
    assert [problem for problem in tree.told() if problem.code.startswith("ROUND-")] == []


def test_a_record_stands_once(tree: Tree) -> None:
    tree.rounds(*ROUNDS, ROUNDS[1])
    message = "round 2 of tidy, attempt 1 is already recorded in line 2"
    assert tree.told() == [Told("ROUND-TWICE", "rounds.jsonl:4", message, "keep one of the lines")]


def test_a_missing_round_is_told(tree: Tree) -> None:
    tree.rounds(ROUNDS[0], ROUNDS[2])
    assert tree.told() == [Told("ROUND-MISSING", "rounds.jsonl", "tidy: round 2 has no record in attempt 1", ADD)]


def test_a_copied_record_does_not_stand_for_a_missing_one(tree: Tree) -> None:
    tree.rounds(ROUNDS[0], ROUNDS[0], ROUNDS[2])
    assert tree.codes() == ["ROUND-TWICE", "ROUND-MISSING"]


def test_a_missing_task_is_one_problem(tree: Tree) -> None:
    tree.rounds(ROUNDS[2])
    assert tree.told() == [Told("ROUND-MISSING", "rounds.jsonl", "tidy has no records", ADD)]


def test_a_missing_task_is_one_problem_however_many_attempts_it_has(tree: Tree) -> None:
    enter_relay(tree, *(record for record in relay() if record["task"] == "wide"))
    assert tree.told() == [Told("ROUND-MISSING", "rounds.jsonl", "tidy has no records", ADD)]


def test_a_missing_attempt_is_one_problem(tree: Tree) -> None:
    enter_relay(tree, *relay(attempts=1))
    message = "no task has a record in attempt 2"
    fix = "add its records, or state in submission.toml how many `attempts` were made"
    assert tree.told() == [Told("ROUND-MISSING", "rounds.jsonl", message, fix)]


def test_missing_reference_rounds_are_one_problem(tree: Tree) -> None:
    enter_relay(tree, *(record for record in relay() if "start" not in record))
    message = "no task has a record from the reference state"
    assert tree.told() == [Told("ROUND-MISSING", "rounds.jsonl", message, ADD)]


def test_a_missing_reference_round_is_told(tree: Tree) -> None:
    enter_relay(tree, *relay()[:-2], relay()[-1])
    message = "tidy: round 2 has no record from the reference state"
    assert tree.told() == [Told("ROUND-MISSING", "rounds.jsonl", message, ADD)]


def test_no_record_at_all_is_one_problem(tree: Tree) -> None:
    tree.write("rounds.jsonl", "")
    assert tree.told() == [Told("ROUND-MISSING", "rounds.jsonl", "all 3 expected records are missing", ADD)]


def test_missing_rounds_of_a_run_are_told_the_short_way(tree: Tree) -> None:
    tree.put(
        "tasks/all.jsonl", '{"id": "long", "rounds": [' + ", ".join(f'{{"n": {n}}}' for n in range(1, 10)) + "]}\n"
    )
    tree.rounds(*({**ROUNDS[1], "task": "long", "round": number} for number in (1, 5, 9)))
    (problem,) = tree.told()
    assert problem.what == "long: rounds 2-4, 6-8 have no record in attempt 1"


def test_only_some_tracks_have_reference_rounds(tree: Tree) -> None:
    tree.change(2, start="reference")
    message = "round 2 of tidy starts from the reference state, but the track has no such rounds"
    assert tree.told() == [Told("START-UNEXPECTED", "rounds.jsonl:2", message, START)]


def test_a_whole_relay_has_no_problem(tree: Tree) -> None:
    enter_relay(tree, *relay())
    assert [problem for problem in tree.told() if problem.severity == "error"] == []


@pytest.mark.parametrize(
    "broken",
    [
        json.dumps(ROUNDS[1])[:-1],
        json.dumps({**ROUNDS[1], "reward": "0"}),
        json.dumps({**ROUNDS[1], "round": "2"}),
        json.dumps({**ROUNDS[1], "round": 0}),
        json.dumps({**ROUNDS[1], "attempt": -1}),
        json.dumps({**ROUNDS[1], "task": 5}),
        json.dumps({"round": 2}),
        "{}",
        "}{",
        "\x00\x01",
    ],
)
def test_the_round_of_a_broken_line_is_not_missing_too(tree: Tree, broken: str) -> None:
    tree.write("rounds.jsonl", json_lines(ROUNDS[0]) + broken + "\n" + json_lines(ROUNDS[2]))
    assert "ROUND-MISSING" not in tree.codes()
    assert {problem.place for problem in tree.told()} == {"rounds.jsonl:2"}


def test_a_broken_line_hides_no_other_missing_round(tree: Tree) -> None:
    tree.write("rounds.jsonl", json_lines(ROUNDS[0]) + json.dumps(ROUNDS[1])[:-1])
    assert [(problem.code, problem.what) for problem in tree.told() if problem.code == "ROUND-MISSING"] == [
        ("ROUND-MISSING", "wide has no records")
    ]


def test_the_failures_of_a_broken_line_are_no_problem(tree: Tree) -> None:
    tree.write("failures.jsonl", '{"task": "tidy", "attempt": 1, "round": 2, "case": "c4"}\n')
    tree.change(2, reward="0")
    assert tree.codes() == ["TYPE-WRONG"]


def test_a_task_that_can_not_be_read_makes_no_record_unknown(tree: Tree) -> None:
    tree.put("tasks/all.jsonl", '{"id": "tidy", "rounds": [{"n": 1}, {"n": 2}]}\n{"id": "wide", "rounds": []}\n')
    assert [(problem.code, problem.place) for problem in tree.told()] == [("VALUE-REFUSED", "mini/tasks/all.jsonl:2")]


def test_several_faults_are_told_together(tree: Tree) -> None:
    tree.rounds(ROUNDS[0], {**ROUNDS[1], "passed": 9}, {**ROUNDS[2], "task": "wid"}, {**ROUNDS[0], "reward": "1"})
    tree.edit("submission.toml", "schema = 1", 'schema = 1\ncolour = "red"')
    tree.edit("submission.toml", "dataset_score", "datset_score")
    tree.write("notes.txt", "")
    assert sorted(tree.codes()) == [
        "FILE-UNEXPECTED",
        "KEY-UNKNOWN",
        "METRIC-UNKNOWN",
        "ROUND-PASSED-ABOVE-TOTAL",
        "TASK-UNKNOWN",
        "TYPE-WRONG",
    ]


def test_a_broken_manifest_hides_no_missing_round(tree: Tree) -> None:
    tree.edit("submission.toml", "2026-06-25", '"2026-06-25"')
    tree.rounds(ROUNDS[0], ROUNDS[2])
    assert tree.codes() == ["TYPE-WRONG", "ROUND-MISSING"]
