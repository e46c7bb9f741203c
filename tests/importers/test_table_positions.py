"""Attempts and rounds of a table: counted from 0 or 1, told by seeds and names, or repeated."""

from dataclasses import replace
from pathlib import Path

import pytest
from kit.small_tables import OPTIONS, SEVERAL, assumed, csv, refusal, rounds_of

from sitegen.importers.kit.options import ImportOptions, Pick
from sitegen.importers.table.source import read_table
from sitegen.problems import UsageError

ATTEMPTS = replace(OPTIONS, runs="attempts")


def attempts_of(file: Path, options: ImportOptions = OPTIONS) -> list[tuple[str, int, float | None]]:
    """Return task, attempt and reward of each round of a table of one agent."""
    return [(task, attempt, reward) for _, task, attempt, _, reward in rounds_of(file, options)]


@pytest.mark.parametrize("name", ["attempt", "trial", "epoch", "run", "sample", "seed", "rollout_id"])
def test_attempts_may_count_from_0(tmp_path: Path, name: str) -> None:
    file = csv(tmp_path, "a,0,1", "a,1,0", "b,0,0", "b,1,1", head=f"task,{name},reward")
    assert attempts_of(file) == [("a", 1, 1), ("a", 2, 0), ("b", 1, 0), ("b", 2, 1)]
    assert assumed(read_table(file, OPTIONS)) == ["attempts count from 0 in the table: attempt 0 is attempt 1 here"]


def test_seeds_are_numbered_in_order(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,42,1", "a,7,0", "b,7,0", "b,42,1", head="task,seed,reward")
    assert attempts_of(file) == [("a", 1, 0), ("a", 2, 1), ("b", 1, 0), ("b", 2, 1)]
    expected_message = "column `seed` numbers the attempts in order: 7 is attempt 1, 42 is attempt 2"
    assert assumed(read_table(file, OPTIONS)) == [expected_message]


def test_names_of_runs_are_numbered_as_they_come(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,second,1", "a,first,0", "b,second,0", "b,first,1", head="task,run_name,reward")
    assert attempts_of(file) == [("a", 1, 1), ("a", 2, 0), ("b", 1, 0), ("b", 2, 1)]


def test_names_that_no_two_tasks_share_are_numbered_for_each_task(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,x1,1", "a,x2,0", "b,y1,0", "b,y2,1", head="task,run_id,reward")
    assert attempts_of(file) == [("a", 1, 1), ("a", 2, 0), ("b", 1, 0), ("b", 2, 1)]


def test_agents_have_seeds_of_their_own(tmp_path: Path) -> None:
    lines = ("m1,a,1,1", "m1,a,2,0", "m2,a,8,1", "m2,a,9,0")
    file = csv(tmp_path, *lines, head="model,task,seed,reward")
    assert [(agent, attempt) for agent, _, attempt, _, _ in rounds_of(file, SEVERAL)] == [
        ("m1", 1),
        ("m1", 2),
        ("m2", 1),
        ("m2", 2),
    ]


def test_a_seed_that_a_task_lacks_is_a_missing_run(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,5,1", "a,6,0", "a,9,0", "b,5,0", "b,9,1", head="task,seed,reward")
    assert refusal(file)[2] == "Acme-1: the source has no results for b (attempt 2)"


def test_an_attempt_that_nobody_made_is_missing(tmp_path: Path) -> None:
    """What is called an attempt counts: a gap is no seed."""
    file = csv(tmp_path, "a,1,1", "a,3,0", head="task,attempt,reward")
    assert refusal(file)[2] == "Acme-1: the source has no results for a (attempt 2)"


def test_rounds_may_count_from_0_and_have_names(tmp_path: Path) -> None:
    from_0 = csv(tmp_path, "a,0,1", "a,1,0", "b,0,1", head="task,step,reward")
    assert [(task, number) for _, task, _, number, _ in rounds_of(from_0)] == [
        ("a", 1),
        ("a", 2),
        ("b", 1),
    ]
    assert assumed(read_table(from_0, OPTIONS)) == ["rounds count from 0 in the table: round 0 is round 1 here"]
    lines = ("a,setup,1", "a,build,0", "b,draft,1", "b,final,1")
    named = csv(tmp_path, *lines, head="task,checkpoint,reward")
    assert [(task, number) for _, task, _, number, _ in rounds_of(named)] == [
        ("a", 1),
        ("a", 2),
        ("b", 1),
        ("b", 2),
    ]


def test_an_attempt_that_is_empty_is_refused(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1,1", "a,,0", head="task,attempt,reward")
    assert refusal(file)[:3] == ("SOURCE-BROKEN", 3, "`attempt` is empty")


@pytest.mark.parametrize(("name", "value"), [("attempt", "20000"), ("round", "20000")])
def test_numbers_without_end_are_refused(tmp_path: Path, name: str, value: str) -> None:
    file = csv(tmp_path, "a,1,1", f"a,{value},0", head=f"task,{name},reward")
    code, _, message, _ = refusal(file)
    assert (code, message) == (
        "TABLE-LARGE",
        f"column `{name}` counts up to 20,000, but at most 10,000 is allowed",
    )


def test_a_row_that_comes_again_is_asked_about_with_both_lines(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1", "b,0", "b,0", "b,1", head="task,reward")
    code, line, message, fix = refusal(file)
    assert (code, line) == ("SOURCE-RESULT-TWICE", 4)
    assert message == "Acme-1 at b: line 4 repeats line 3; and 1 more repeated row"
    for option in ("--runs attempts", "--column attempt=", "--pick latest", "--pick first"):
        assert option in fix


def test_repeated_rows_may_be_attempts(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,1", "b,0", "a,0", "b,1", head="task,reward")
    assert attempts_of(file, ATTEMPTS) == [
        ("a", 1, 1),
        ("a", 2, 0),
        ("b", 1, 0),
        ("b", 2, 1),
    ]
    incoming = read_table(file, ATTEMPTS)
    assert assumed(incoming) == ["rows that repeat a round of a task are further attempts, in the order of the table"]


def test_repeated_rounds_may_be_attempts(tmp_path: Path) -> None:
    lines = ("a,1,1", "a,2,0", "a,1,1", "a,2,1")
    file = csv(tmp_path, *lines, head="task,round,reward")
    attempts = [(attempt, number, reward) for _, _, attempt, number, reward in rounds_of(file, ATTEMPTS)]
    assert attempts == [(1, 1, 1), (1, 2, 0), (2, 1, 1), (2, 2, 1)]


def test_rows_that_do_not_repeat_keep_their_attempts(tmp_path: Path) -> None:
    file = csv(tmp_path, "a,2,1", "a,1,0", head="task,attempt,reward")
    assert attempts_of(file, ATTEMPTS) == [("a", 1, 0), ("a", 2, 1)]


@pytest.mark.parametrize(("pick", "reward"), [("first", 0.25), ("latest", 0.75)])
def test_one_of_repeated_rows_may_count(tmp_path: Path, pick: Pick, reward: float) -> None:
    file = csv(tmp_path, "a,0.25", "a,0.5", "a,0.75", "b,1", head="task,reward")
    assert attempts_of(file, replace(OPTIONS, pick=pick)) == [("a", 1, reward), ("b", 1, 1)]
    incoming = read_table(file, replace(OPTIONS, pick=pick))
    assert [problem.code for problem in incoming.problems] == ["SOURCE-LEFT-OUT"]
    assert (
        "2 rows that repeat a round of a task, "
        f"because only the {pick} row of each round is used, in the order of the table"
        in incoming.drafts[0].submission.caveats[0]
    )


TIMES = ("a,0.5,2026-05-02 09:00", "a,0.75,2026-05-02T10:00:00+02:00", "a,0.25,2026-05-01", "b,1,2026-05-02")
"""Rows of which the last one is the first in time, and the second the second: 08:00 UTC."""


@pytest.mark.parametrize(("pick", "reward"), [("first", 0.25), ("latest", 0.5)])
def test_the_times_of_rows_say_which_is_the_latest(tmp_path: Path, pick: Pick, reward: float) -> None:
    file = csv(tmp_path, *TIMES, head="task,reward,timestamp")
    options = replace(OPTIONS, pick=pick)
    assert attempts_of(file, options) == [("a", 1, reward), ("b", 1, 1)]
    assert "in the order of the times in `timestamp`" in read_table(file, options).drafts[0].submission.caveats[0]


def test_the_times_of_rows_order_attempts(tmp_path: Path) -> None:
    file = csv(tmp_path, *TIMES[:3], head="task,reward,timestamp")
    assert attempts_of(file, ATTEMPTS) == [("a", 1, 0.25), ("a", 2, 0.75), ("a", 3, 0.5)]
    (order, *_) = assumed(read_table(file, ATTEMPTS))
    assert order.endswith("in the order of the times in `timestamp`")


def test_a_row_without_a_time_leaves_the_order_of_the_table(tmp_path: Path) -> None:
    file = csv(tmp_path, TIMES[0], "a,0.25,", head="task,reward,timestamp")
    assert attempts_of(file, replace(OPTIONS, pick="latest")) == [("a", 1, 0.25)]


def test_rounds_from_the_reference_state_are_never_attempts(tmp_path: Path) -> None:
    lines = ("a,1,own", "a,1,reference", "a,0,reference")
    file = csv(tmp_path, *lines, head="task,reward,start")
    assert refusal(file, ATTEMPTS)[:2] == ("SOURCE-RESULT-TWICE", 4)


def test_all_runs_and_one_of_them_are_not_asked_for_at_once() -> None:
    with pytest.raises(UsageError, match="give one of the two options"):
        replace(OPTIONS, runs="attempts", pick="latest")
