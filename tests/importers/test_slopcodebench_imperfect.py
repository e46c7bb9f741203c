"""Runs with something wrong in their files: what is wrong costs no more than itself, and is named."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from kit.slopcodebench_trees import (
    CONFIG,
    DAG,
    OPTIONS,
    PLANNER,
    Json,
    bucket,
    draft_of,
    early_row,
    imported,
    inference,
    later_row,
    measures_of,
    refused,
    rounds_of,
    row,
    strict_rows,
    warned,
    write_beside,
    write_checkpoint,
    write_run,
)

from sitegen.problems import UsageError

ROWS = "checkpoint_results.jsonl"


def has_caveat(run: Path, *fragments: str) -> bool:
    """Return whether a caveat of the run's bundle has all of some words."""
    caveats = draft_of(run).submission.caveats
    return any(all(fragment in caveat for fragment in fragments) for caveat in caveats)


def write_lines(run: Path, *lines: str | Json) -> Path:
    """Write the rows of a run, some of them as they are."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (run / ROWS).write_text("\n".join(texts) + "\n", encoding="utf-8")
    return run


@pytest.mark.parametrize(
    ("line", "expected_message"),
    [
        ("{]", "broken JSON: "),
        ('{"idx": 2, "idx": 2}', 'broken JSON: Detected duplicate key "idx"'),
        ("[]", "the line is not an object"),
        ('{"problem": "dag_execution"}', "`problem` or `idx` is missing or can't be used"),
        ('{"problem": null, "idx": 2}', "`problem` or `idx` is missing or can't be used"),
        (json.dumps(row(2) | {"idx": 1}), "`idx` is 1, but `checkpoint` is checkpoint_2"),
        (json.dumps(row(2))[:100], "broken JSON: control character"),
    ],
)
def test_a_broken_row_costs_its_own_checkpoint(tmp_path: Path, line: str, expected_message: str) -> None:
    run = write_lines(write_beside(tmp_path), row(1), line, row(3))
    assert [round_result.state for round_result in rounds_of(run).values()] == ["scored", "aborted", "scored"]
    assert warned(run)["SOURCE-VALUE-UNUSABLE"].startswith(f"line 2: {expected_message}")
    assert has_caveat(run, "can't be read", "line 2")


def test_a_broken_row_is_left_to_the_checkpoints_own_files(tmp_path: Path) -> None:
    run = write_lines(write_beside(tmp_path), row(1), "{]", row(3))
    write_checkpoint(run, 2, tests={"checkpoint_2-Core": bucket("a")})
    assert [round_result.state for round_result in rounds_of(run).values()] == ["scored"] * 3


def test_broken_rows_are_one_warning_with_their_lines(tmp_path: Path) -> None:
    run = write_lines(write_beside(tmp_path), *["{]"] * 6, row(1))
    message = warned(run)["SOURCE-VALUE-UNUSABLE"]
    assert "line 5: broken JSON" in message
    assert message.endswith("; and 1 more")


def test_a_row_that_is_not_utf8_is_a_broken_one(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1)])
    with (run / ROWS).open("ab") as file:
        file.write(b'{"problem": "\xff"}\n' + json.dumps(row(2)).encode() + b"\n")
    assert [round_result.state for round_result in rounds_of(run).values()] == ["scored", "scored", "unreached"]
    assert "line 2: " in warned(run)["SOURCE-VALUE-UNUSABLE"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"cost": "1.25"}, "cost_usd"),
        ({"cost": -1}, "cost_usd"),
        ({"steps": 0.5}, "turns"),
        ({"duration": []}, "agent_seconds"),
        ({"steps": 10**400}, "turns"),
    ],
)
def test_a_value_that_can_not_be_right_is_left_out_alone(tmp_path: Path, changes: Json, field: str) -> None:
    run = write_run(tmp_path, [row(1) | changes])
    first = rounds_of(run)[1]
    assert (first.state, first.reward, getattr(first, field)) == ("scored", 1, None)
    (name,) = changes
    assert warned(run)["SOURCE-VALUE-UNUSABLE"] == f"{DAG} 1: `{name}`"
    assert has_caveat(run, "are not used", f"`{name}`")


def test_a_row_without_a_number_is_placed_by_its_checkpoints_name(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1), row(2) | {"idx": "two"}])
    assert [round_result.state for round_result in rounds_of(run).values()] == ["scored", "scored", "unreached"]


@pytest.mark.parametrize(
    ("changes", "reward", "expected_message"),
    [
        ({"total_tests": 9}, 1, "7 cases failed, but `by_category` adds up to 0"),
        ({"core_passed": 3}, 1, "3 cases of category core passed, but it has 2"),
        ({"passed_tests": 1, "core_passed": 1}, 1, "1 of 2 tests passed, but their stated share is 1"),
        ({"strict_pass_rate": 0.5}, 0, "2 of 2 tests passed, but their stated share is 0.5"),
        ({"passed_tests": "2"}, 1, "`passed_tests` is not a number of tests"),
        ({"total_tests": 9, "strict_pass_rate": 100}, 0, "7 cases failed, but `by_category` adds up to 0"),
    ],
)
def test_a_row_that_contradicts_itself_keeps_its_verdict_and_loses_its_cases(
    tmp_path: Path, changes: Json, reward: float, expected_message: str
) -> None:
    run = write_run(tmp_path, [row(1) | changes, row(2)])
    first = rounds_of(run)[1]
    assert (first.state, first.reward, first.passed, first.total) == ("scored", reward, None, None)
    assert first.by_category is None
    assert warned(run)["SOURCE-COUNTS-DIFFER"] == f"the row of {DAG} 1 contradicts itself: {expected_message}"
    assert has_caveat(run, "the verdicts are kept", expected_message)


def test_rows_that_contradict_themselves_are_one_warning(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1), row(2, total_tests=9), row(3, core_passed=3)])
    assert (
        "; the rows of 1 checkpoint (dag_execution 3) also contradict themselves" in warned(run)["SOURCE-COUNTS-DIFFER"]
    )


def test_a_row_that_contradicts_itself_without_any_verdict_is_aborted(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1), row(2, total_tests="9", strict_pass_rate=None)])
    second = rounds_of(run)[2]
    assert (second.state, second.cost_usd) == ("aborted", 1.25)
    assert second.cause == "its verdict can't be read: `total_tests` is not a number of tests"


def test_listed_tests_stand_in_for_a_row_that_contradicts_itself(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1, total_tests=9)])
    write_checkpoint(run, 1, tests={"checkpoint_1-Core": bucket("a", "b")})
    assert (rounds_of(run)[1].reward, rounds_of(run)[1].total) == (1, 2)
    message = "1 checkpoint (dag_execution 1): the listed tests differ from the tests that the rows count"
    assert warned(run)["SOURCE-COUNTS-DIFFER"] == message


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "evaluation.json ends in the middle"),
        ('{"tests": {"checkpoint_2-Core": {"pas', "evaluation.json ends in the middle"),
        ('{"tests": 7}', "`tests` in evaluation.json"),
        ('{"tests": {"checkpoint_2-Core": {"passed": ["a", 7]}}}', "`tests` in evaluation.json"),
        ("[]", "evaluation.json is not in the format that the runner writes"),
        ('{"pass_counts": {"Core": 3}, "total_counts": {"Core": 2}}', "3 cases passed, but the round has 2"),
        (
            '{"problem_name": "eve_industry", "tests": {"checkpoint_2-Core": {"passed": ["a"]}}}',
            "evaluation.json is about checkpoint 2 of eve_industry",
        ),
        (
            '{"checkpoint_name": "checkpoint_3", "tests": {"checkpoint_2-Core": {"passed": ["a"]}}}',
            "evaluation.json is about checkpoint 3 of dag_execution",
        ),
    ],
)
def test_an_evaluation_that_can_not_be_used_is_no_verdict(tmp_path: Path, text: str, fault: str) -> None:
    run = write_beside(tmp_path)
    write_checkpoint(run, 1, tests={"checkpoint_1-Core": bucket("a")})
    (write_checkpoint(run, 2) / "evaluation.json").write_text(text, encoding="utf-8")
    second = rounds_of(run)[2]
    assert (second.state, second.cost_usd) == ("aborted", 0.5)
    assert second.cause is not None
    assert second.cause.startswith("its verdict can't be read: ")
    assert fault in second.cause
    assert has_caveat(run, "Some files of the run can't be read completely", fault)
    assert not has_caveat(run, "copy")


def test_a_row_stands_in_for_an_evaluation_that_can_not_be_used(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1)])
    (write_checkpoint(run, 1) / "evaluation.json").write_text('{"tests": 7}', encoding="utf-8")
    assert (rounds_of(run)[1].state, rounds_of(run)[1].total) == ("scored", 2)
    assert warned(run)["SOURCE-FILE-BROKEN"] == f"{DAG}/checkpoint_1: `tests` in evaluation.json"


def test_counts_of_an_evaluation_stand_in_for_its_list(tmp_path: Path) -> None:
    run = write_beside(tmp_path)
    write_checkpoint(run, 1, tests=[{"id": 7}], pass_counts={"Core": 1}, total_counts={"Core": 2})
    assert (rounds_of(run)[1].state, rounds_of(run)[1].passed, rounds_of(run)[1].total) == ("scored", 1, 2)


@pytest.mark.parametrize(
    ("counts", "fault"),
    [
        ({"pass_counts": {"Core": 2}}, "1 listed tests passed, but 2 are counted"),
        ({"total_counts": {"Core": 3}}, "2 tests are listed, but 3 are counted"),
    ],
)
def test_an_evaluation_that_counts_other_tests_than_it_lists_is_no_verdict(
    tmp_path: Path, counts: Json, fault: str
) -> None:
    run = write_run(tmp_path, [row(1, core=(1, 2)), row(2)])
    for number in (1, 3):
        tests = {f"checkpoint_{number}-Core": bucket("a", failed=["b"])}
        write_checkpoint(run, number, tests=tests, **counts)
    rounds = rounds_of(run)
    assert [round_result.state for round_result in rounds.values()] == ["scored", "scored", "aborted"]
    assert (rounds[1].total, rounds[1].outcomes) == (2, None)
    assert has_caveat(run, f"evaluation.json contradicts itself: {fault}")
    assert has_caveat(run, "came to no verdict, and count 0: 1 checkpoint (dag_execution 3)")


def test_a_row_that_lacks_a_count_keeps_its_verdict(tmp_path: Path) -> None:
    partial_row = {key: value for key, value in row(1).items() if key != "passed_tests"}
    run = write_run(tmp_path, [partial_row])
    assert (rounds_of(run)[1].reward, rounds_of(run)[1].total) == (1, None)
    assert has_caveat(run, "`passed_tests` is missing")


def test_checkpoints_without_a_row_beside_others_are_named(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1)])
    write_checkpoint(run, 2, tests={"checkpoint_2-Core": bucket("a")})
    assert warned(run)["SOURCE-FILE-MISSING"] == f"{DAG} 2"


def test_a_run_whose_rows_are_empty_was_interrupted(tmp_path: Path) -> None:
    run = write_run(tmp_path, [])
    write_checkpoint(run, 1, tests={"checkpoint_1-Core": bucket("a")})
    assert warned(run)["SOURCE-SUMMARY-PARTIAL"].startswith("there is no row in `checkpoint_results.jsonl`")


def test_a_summary_of_more_checkpoints_than_there_are_differs(tmp_path: Path) -> None:
    """Rows that were lost with the end of their file leave no other trace."""
    stated = {"expected_checkpoints": 3, "num_checkpoints": 3}
    run = write_run(tmp_path, [row(1)], result=stated)
    assert warned(run)["SOURCE-SCORE-DIFFERS"] == "`num_checkpoints` is 3 there, but 1 in the checkpoints"


def test_a_newer_evaluation_is_read_with_a_caveat(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1)])
    write_checkpoint(run, 1, tests={"checkpoint_1-Core": bucket("a", "b")}, schema_version=2)
    assert rounds_of(run)[1].reward == 1
    assert has_caveat(run, "newer version", "evaluation.json 2; the newest supported version is 1")


def test_an_agents_own_record_that_can_not_be_read_costs_its_figures(tmp_path: Path) -> None:
    run = write_beside(tmp_path)
    folder = write_checkpoint(run, 1, tests={"checkpoint_1-Core": bucket("a")})
    record = inference(1)
    record["usage"] = record["usage"] | {"cost": "0.5"}
    (folder / "inference_result.json").write_text(json.dumps(record), encoding="utf-8")
    first = rounds_of(run)[1]
    assert (first.reward, first.cost_usd, first.turns, first.input_tokens) == (1, None, 3, 500)
    assert warned(run)["SOURCE-FILE-BROKEN"] == f"{DAG}/checkpoint_1: `usage.cost` in inference_result.json"


def test_rows_that_are_cut_off_are_refused(tmp_path: Path) -> None:
    """What follows is gone, and would count 0."""
    run = write_run(tmp_path, [row(1)])
    with (run / ROWS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row(2))[:100])
    (error,) = refused(run)
    assert (error.code, error.line) == ("SOURCE-CUT-OFF", 2)
    assert "copy the source again" in error.fix


def test_rows_that_are_cut_off_are_left_to_the_checkpoints_own_files(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1)])
    with (run / ROWS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row(2))[:100])
    write_checkpoint(run, 2, tests={"checkpoint_2-Core": bucket("a")})
    assert [round_result.state for round_result in rounds_of(run).values()] == ["scored", "scored", "unreached"]
    assert warned(run)["SOURCE-SUMMARY-PARTIAL"] == "the last row is cut off"
    assert has_caveat(run, "rows is cut off")


def test_a_configuration_tells_what_of_it_can_be_read(tmp_path: Path) -> None:
    config = CONFIG.replace("step_limit: 0", "step_limit: many").replace(f"[{DAG}]", "7")
    run = write_run(tmp_path, config=config)
    agent = draft_of(run).submission.agent
    assert (agent.name, agent.scaffold) == ("glm-5", "claude_code")
    assert warned(run)["SOURCE-FILE-BROKEN"] == "`agent.cost_limits.step_limit`, `problems` in config.yaml"


def test_without_a_readable_configuration_the_agent_is_asked_for(tmp_path: Path) -> None:
    run = write_run(tmp_path, config="agent: [")
    (error,) = refused(run)
    assert error.code == "SOURCE-AGENT-UNKNOWN"
    assert "`--agent`" in error.fix


@pytest.mark.parametrize("text", ["", '{"model": "pangu", "expec', "[]"])
def test_without_its_summary_a_run_of_unknown_definitions_has_no_such_measurements(tmp_path: Path, text: str) -> None:
    """Rows of two generations look alike, and erosion means something else in each."""
    run = write_run(tmp_path, [later_row(1)], problem_catalog={})
    (run / "result.json").write_text(text, encoding="utf-8")
    assert measures_of(run).keys() == {"complex_share@E3", "source_lines", "total_lines"}
    assert "without `result.json`, the version of the definition is unknown" in warned(run)["SOURCE-MEASURE-MISSING"]
    assert has_caveat(run, "result.json")


def test_early_rows_need_no_summary(tmp_path: Path) -> None:
    run = write_run(tmp_path, [early_row(1)], problem_catalog={})
    (run / "result.json").write_text("[]", encoding="utf-8")
    assert "erosion@E1" in measures_of(run)


def test_a_catalogues_name_that_can_not_be_read_still_tells_the_generation(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1)])
    (run / "problem_catalog.json").write_text("{", encoding="utf-8")
    assert "erosion@E4" in measures_of(run)
    assert {"SOURCE-FILE-BROKEN", "SOURCE-ASSUMED"} <= warned(run).keys()


@pytest.mark.parametrize("name", ["problem.yaml", "run_info.yaml"])
def test_a_problems_own_file_that_can_not_be_read_costs_what_it_tells(tmp_path: Path, name: str) -> None:
    run = write_run(tmp_path)
    folder = write_checkpoint(run, 1).parent
    (folder / name).write_text("category: [", encoding="utf-8")
    assert [round_result.state for round_result in rounds_of(run).values()] == ["scored"] * 3
    assert warned(run)["SOURCE-FILE-BROKEN"].startswith(f"{DAG}: {name} is not YAML")


def test_a_source_in_which_nothing_was_checked_is_refused(tmp_path: Path) -> None:
    run = write_beside(tmp_path)
    write_checkpoint(run, 1)
    (error,) = refused(run)
    assert error.code == "SOURCE-NOTHING-SCORED"


def test_a_summarys_numbers_beyond_reason_are_left_out(tmp_path: Path) -> None:
    run = write_run(tmp_path, result={"checkpoints_solved": 10**400, "costs": {"total": 10**400}})
    fact = "`checkpoints_solved`, `costs.total` in result.json"
    assert warned(run)["SOURCE-FILE-BROKEN"] == fact


def test_problems_can_be_picked(tmp_path: Path) -> None:
    config = CONFIG.replace(f"[{DAG}]", f"[{DAG}, {PLANNER}]")
    summary: Mapping[str, object] = {"checkpoints_solved": 6, "expected_checkpoints": 6}
    run = write_run(tmp_path, strict_rows(DAG, PLANNER), config=config, result=dict(summary))
    incoming = imported(run, replace(OPTIONS, task_names=(PLANNER,)))
    assert [task.id for task in incoming.task_sets[0].tasks] == [PLANNER]
    assert {round_result.task for round_result in incoming.drafts[0].rounds} == {PLANNER}
    assert incoming.problems == ()
    with pytest.raises(UsageError, match=f"the source has no task zed; it has: {DAG}, {PLANNER}"):
        imported(run, replace(OPTIONS, task_names=("zed",)))
