"""What the files of single checkpoints add to their rows, and how they stand in for rows that were never written."""

from dataclasses import replace
from pathlib import Path

import pytest
from kit.real_data import real_data
from kit.slopcodebench_trees import (
    CONFIG,
    DAG,
    OPTIONS,
    bucket,
    draft_of,
    imported,
    inference,
    rounds_of,
    row,
    warned,
    write_beside,
    write_checkpoint,
    write_run,
)

from sitegen.importers.slopcodebench.checkpoints import tally_of
from sitegen.importers.slopcodebench.files import CheckpointEvaluation
from sitegen.models.task import Case
from sitegen.reading.json import read_json

TESTS = {
    "checkpoint_2-Core": bucket("test_new", failed=["test_hard"]),
    "checkpoint_1-Regression": bucket("test_old"),
}
"""Of a second checkpoint."""

COUNTED = row(2, core=(1, 2), regression=(1, 1))
"""The row that goes with them."""


def interrupted(folder: Path, config: str | None = CONFIG) -> Path:
    """Write a run that was interrupted in its second checkpoint, before it wrote any row."""
    run = write_beside(folder / "run", config)
    write_checkpoint(run, 1, tests={"checkpoint_1-Core": bucket("test_old")})
    write_checkpoint(run, 2)
    return run


def test_listed_tests_become_cases_with_their_category_and_origin(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1), COUNTED])
    write_checkpoint(run, 2, tests=TESTS)
    (tasks,) = imported(run).task_sets
    assert tasks.tasks[0].rounds[1].cases == (
        Case("test_old", category="regression", origin="checkpoint_1"),
        Case("test_hard", category="core", origin="checkpoint_2"),
        Case("test_new", category="core", origin="checkpoint_2"),
    )
    assert tasks.tasks[0].rounds[0].cases is None


def test_listed_tests_tell_the_outcome_of_each_case(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1), COUNTED])
    write_checkpoint(run, 2, tests=TESTS)
    second = rounds_of(run)[2]
    assert (second.outcomes, second.passed, second.total) == ("pfp", 2, 3)
    assert (second.by_category, second.verifier_seconds) == ({"regression": (1, 1), "core": (1, 2)}, 6.5)


def test_cases_stand_in_the_same_order_whatever_became_of_them(tmp_path: Path) -> None:
    turned = {
        "checkpoint_1-Regression": bucket(failed=["test_old"]),
        "checkpoint_2-Core": bucket("test_hard", "test_new"),
    }
    runs = [write_run(tmp_path / name, [row(1), COUNTED]) for name in ("a", "b")]
    for run, tests in zip(runs, (TESTS, turned), strict=True):
        write_checkpoint(run, 2, tests=tests)
    first, second = (imported(run).task_sets for run in runs)
    assert first == second


def test_the_old_list_of_tests_tells_the_same(tmp_path: Path) -> None:
    listed = [
        {"id": name, "checkpoint": f"checkpoint_{origin}", "group_type": group, "status": status, "duration_ms": 3.5}
        for name, origin, group, status in (
            ("test_new", 2, "Core", "passed"),
            ("test_hard", 2, "Core", "failed"),
            ("test_old", 1, "Regression", "passed"),
        )
    ]
    old, new = write_run(tmp_path / "old", [row(1), COUNTED]), write_run(tmp_path / "new", [row(1), COUNTED])
    write_checkpoint(old, 2, tests=listed)
    write_checkpoint(new, 2, tests=TESTS)
    assert imported(old).task_sets == imported(new).task_sets
    rounds = [
        [replace(round_result, grader_digest=None) for round_result in draft_of(run).rounds] for run in (old, new)
    ]
    assert rounds[0] == rounds[1]


def test_a_skipped_test_has_not_passed(tmp_path: Path) -> None:
    """A checkpoint with a skipped test is out of reach of strict, as the benchmark counts it."""
    run = write_run(tmp_path, [row(1, core=(1, 2))])
    write_checkpoint(run, 1, tests={"checkpoint_1-Core": bucket("test_a", skipped=["test_b"])})
    first = rounds_of(run)[1]
    assert (first.reward, first.passed, first.total, first.skipped, first.failed) == (0, 1, 2, 1, 0)
    assert (first.outcomes, first.by_category) == ("ps", {"core": (1, 2)})
    assert warned(run)["SOURCE-SKIPPED-CASES"] == "tests were skipped in 1 checkpoint (dag_execution 1)"


def test_earlier_tests_under_their_old_category_are_regression_tests(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1), row(2, core=(1, 1), error=(0, 1))])
    write_checkpoint(
        run, 2, tests={"checkpoint_1-Error": bucket(failed=["test_old"]), "checkpoint_2-Core": bucket("t")}
    )
    assert rounds_of(run)[2].by_category == {"regression": (0, 1), "core": (1, 1)}
    assert "dag_execution 2" in warned(run)["SLOP-CATEGORY-OUTDATED"]


def test_tests_of_one_name_are_told_apart(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1), row(2, core=(1, 1), regression=(1, 2))])
    write_checkpoint(
        run, 2, tests={"checkpoint_1-Regression": bucket("test_x", "test_x"), "checkpoint_2-Core": bucket("test_x")}
    )
    (tasks,) = imported(run).task_sets
    assert [case.id for case in tasks.tasks[0].rounds[1].cases or ()] == [
        "checkpoint_1-regression/test_x (1)",
        "checkpoint_1-regression/test_x (2)",
        "checkpoint_2-core/test_x",
    ]


def test_names_of_tests_stay_in_one_bearable_line(tmp_path: Path) -> None:
    """Parameters of a test can be whole files."""
    run = write_run(tmp_path, [row(1, core=(2, 2))])
    write_checkpoint(
        run, 1, tests={"checkpoint_1-Core": bucket("a[\n\x1b[31m" + "x" * 5000, "a[\n\x1b[31m" + "x" * 5001)}
    )
    (tasks,) = imported(run).task_sets
    names = [case.id for case in tasks.tasks[0].rounds[0].cases or ()]
    assert len(set(names)) == 2
    assert all(len(name) == 200 and name.isprintable() for name in names)


def test_where_row_and_list_differ_the_list_counts(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1)])
    write_checkpoint(run, 1, tests={"checkpoint_1-Core": bucket("test_a", failed=["test_b", "test_c"])})
    first = rounds_of(run)[1]
    assert (first.reward, first.passed, first.total) == (0, 1, 3)
    assert "dag_execution 1" in warned(run)["SOURCE-COUNTS-DIFFER"]


def test_counts_without_a_list_are_counts(tmp_path: Path) -> None:
    run = write_beside(tmp_path)
    write_checkpoint(run, 1, tests={}, pass_counts={"Core": 1}, total_counts={"Core": 1, "Error": 2, "Regression": 0})
    first = rounds_of(run)[1]
    assert (first.passed, first.total, first.by_category) == (1, 3, {"core": (1, 1), "error": (0, 2)})
    assert draft_of(run).submission.detail.cases == "counts"


def test_a_failure_of_the_test_runner_has_no_cases_and_says_so(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1, core=(0, 0))])
    write_checkpoint(run, 1, tests={}, pytest_exit_code=126, infrastructure_failure=True)
    first = rounds_of(run)[1]
    assert (first.state, first.reward, first.total) == ("no_cases", 0, 0)
    assert first.cause == "the test runner crashed (exit code 126); no test ran"
    assert warned(run)["SOURCE-VERIFIER-FAILED"] == (
        "the test runner crashed in 1 checkpoint (dag_execution 1); a crash counts as a failure"
    )


def test_a_failure_of_the_test_runner_after_some_tests_is_scored(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1, core=(1, 2))])
    tests = {"checkpoint_1-Core": bucket("a", failed=["b"])}
    write_checkpoint(run, 1, tests=tests, infrastructure_failure=True)
    assert rounds_of(run)[1].state == "scored"
    assert "SOURCE-VERIFIER-FAILED" in warned(run)


def test_an_interrupted_run_is_read_from_its_checkpoints(tmp_path: Path) -> None:
    run = interrupted(tmp_path)
    rounds = rounds_of(run)
    assert [round_result.state for round_result in rounds.values()] == ["scored", "aborted", "unreached"]
    assert (rounds[1].reward, rounds[1].outcomes, rounds[1].cost_usd, rounds[1].turns) == (1, "p", 0.5, 3)
    assert (rounds[1].input_tokens, rounds[1].output_tokens, rounds[1].agent_seconds) == (500, 20, 60)
    assert warned(run)["SOURCE-SUMMARY-PARTIAL"].endswith("2 checkpoints taken from the checkpoints' own files")


def test_work_that_was_not_checked_was_aborted_and_still_cost(tmp_path: Path) -> None:
    second = rounds_of(interrupted(tmp_path))[2]
    assert (second.cause, second.cost_usd) == ("the agent's work was not checked", 0.5)


def test_problems_that_an_interrupted_run_never_began_are_in_the_task_set(tmp_path: Path) -> None:
    run = interrupted(tmp_path, CONFIG.replace("[dag_execution]", "[dag_execution, eve_jump_planner]"))
    incoming = imported(run)
    assert [task.id for task in incoming.task_sets[0].tasks] == ["dag_execution", "eve_jump_planner"]
    assert [round_result.state for round_result in incoming.drafts[0].rounds][3:] == ["unreached"] * 3


def test_problems_that_no_run_began_can_be_left_out_and_are_recorded(tmp_path: Path) -> None:
    run = interrupted(tmp_path, CONFIG.replace("[dag_execution]", "[dag_execution, eve_jump_planner]"))
    incoming = imported(run, replace(OPTIONS, allow_missing=True))
    assert [task.id for task in incoming.task_sets[0].tasks] == ["dag_execution"]
    assert [round_result.task for round_result in incoming.drafts[0].rounds] == ["dag_execution"] * 3
    (finding,) = incoming.findings
    assert (finding.title, finding.tracks) == ("1 of 2 tasks left out", ("runs",))
    assert finding.reason == "No run reached these problems: eve_jump_planner."
    assert "SOURCE-TASKS-LEFT-OUT" in [problem.code for problem in incoming.problems]


def test_an_interrupted_run_without_a_list_of_problems_says_so(tmp_path: Path) -> None:
    run = interrupted(tmp_path, CONFIG.replace("[dag_execution]", "[]"))
    assert "no file lists the problems to solve" in warned(run)["SOURCE-ASSUMED"]


def test_a_checkpoint_without_a_row_is_read_beside_the_rows(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1)])
    write_checkpoint(run, 2, tests=TESTS)
    assert [round_result.state for round_result in rounds_of(run).values()] == ["scored", "scored", "unreached"]


def test_an_empty_folder_is_no_checkpoint(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1)])
    (run / DAG / "checkpoint_2").mkdir(parents=True)
    assert rounds_of(run)[2].state == "unreached"


def test_second_evaluations_are_passed_over_with_a_note(tmp_path: Path) -> None:
    """A fork evaluates the code again after a prompt that cleans it up; the checkpoint is what was before."""
    run = write_run(tmp_path, [row(1)])
    folder = write_checkpoint(run, 1, tests={"checkpoint_1-Core": bucket("a", "b")})
    again = folder / "after_skill"
    again.mkdir()
    (again / "evaluation.json").write_text("{}", encoding="utf-8")
    assert rounds_of(run)[1].outcomes == "pp"
    assert "skipped 1 second evaluation of the code after a further prompt" in imported(run).notes


def test_detail_is_all_only_where_every_scored_round_lists_its_tests(tmp_path: Path) -> None:
    full_run, partial_run = write_beside(tmp_path / "whole"), write_run(tmp_path / "part", [row(1), COUNTED])
    write_checkpoint(full_run, 1, tests={"checkpoint_1-Core": bucket("a")})
    write_checkpoint(partial_run, 2, tests=TESTS)
    assert (draft_of(full_run).submission.detail.cases, draft_of(partial_run).submission.detail.cases) == (
        "all",
        "counts",
    )


def test_another_agents_other_tests_are_named_in_its_rounds(tmp_path: Path) -> None:
    for name, tests in (("glm-5", bucket("a", "b")), ("pangu", bucket("a", "c"))):
        run = write_run(tmp_path / name, [row(1)], config=CONFIG.replace("glm-5", name))
        write_checkpoint(run, 1, tests={"checkpoint_1-Core": tests})
    first, second = imported(tmp_path).drafts
    assert (first.rounds[0].case_ids, second.rounds[0].case_ids) == (None, ("a", "c"))


def test_a_checkpoint_that_is_judged_all_the_same_keeps_what_went_wrong(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1, state="error"), row(2)])
    write_checkpoint(run, 2, tests={"checkpoint_2-Core": bucket("a")}, pytest_exit_code=3, infrastructure_failure=True)
    rounds = rounds_of(run)
    assert [(rounds[number].state, rounds[number].cause) for number in (1, 2)] == [
        ("scored", "the agent's run ended in an error"),
        ("scored", "the test runner crashed (exit code 3)"),
    ]
    assert "SOURCE-FAILURE-SCORED" in warned(run)


def test_prompts_paths_and_errors_of_the_source_stay_there(tmp_path: Path) -> None:
    run = interrupted(tmp_path)
    failed = inference(2, had_error=True, error_message="Traceback (most recent call last): /home/ada/key=sk-12345")
    (run / DAG / "checkpoint_2" / "inference_result.json").write_text(
        str(failed).replace("'", '"').replace("None", "null").replace("True", "true"), encoding="utf-8"
    )
    shown_text = repr(imported(run, replace(OPTIONS, date=None)))
    assert "the agent's run ended in an error" in shown_text
    assert not any(fragment in shown_text for fragment in ("/home", "Traceback", "sk-", "secret", "10.0.0.1"))


@pytest.mark.parametrize(
    ("name", "counts"),
    [("evaluation_code_search_cp2.json", (15, 25)), ("evaluation_infra_failure.json", (0, 0))],
)
def test_real_evaluations_count_as_they_state(name: str, counts: tuple[int, int]) -> None:
    evaluation, problems = read_json(real_data("slop-code-bench", name), CheckpointEvaluation)
    assert evaluation is not None
    assert problems == []
    tally = tally_of(evaluation, 2)
    assert (tally.passed, tally.total) == counts
    stated = {name.lower(): (evaluation.pass_counts[name], count) for name, count in evaluation.total_counts.items()}
    assert dict(tally.by_category) == {name: count for name, count in stated.items() if count[1]}
