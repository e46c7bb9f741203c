"""What SlopCodeBench's files hold besides, and what must not be concluded from it."""

from pathlib import Path

import pytest
from kit.slopcodebench_trees import (
    DAG,
    draft_of,
    imported,
    later_row,
    measures_of,
    rounds_of,
    row,
    warned,
    write_checkpoint,
    write_run,
)

from sitegen.models.task import Case


@pytest.mark.parametrize("collected", [0, 1, 99])
def test_the_number_of_collected_tests_is_not_asked_for(tmp_path: Path, collected: int) -> None:
    """It differs from the sum of the tests in every sixth real file."""
    run = write_run(tmp_path, [row(1)])
    write_checkpoint(run, 1, tests={"checkpoint_1-Core": {"passed": ["a", "b"]}}, pytest_collected=collected)
    assert (rounds_of(run)[1].outcomes, warned(run)) == ("pp", {})


def test_groups_without_a_list_of_skipped_tests_are_read(tmp_path: Path) -> None:
    """Until April 2026 skipped tests stood with the failed ones."""
    run = write_run(tmp_path, [row(1, core=(1, 2))])
    write_checkpoint(run, 1, tests={"checkpoint_1-Core": {"passed": ["a"], "failed": ["b"]}})
    assert (rounds_of(run)[1].outcomes, rounds_of(run)[1].skipped) == ("pf", None)


def test_parameters_of_a_test_stay_in_its_name(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1)])
    write_checkpoint(run, 1, tests={"checkpoint_1-Core": {"passed": ["test_x[a-1]", "test_x[a-2]"]}})
    cases = imported(run).task_sets[0].tasks[0].rounds[0].cases
    origin = {"category": "core", "origin": "checkpoint_1"}
    assert cases == (Case("test_x[a-1]", **origin), Case("test_x[a-2]", **origin))


def test_a_later_checkpoint_may_have_no_test_of_an_earlier_one(tmp_path: Path) -> None:
    """Some problems switch them off; a checkpoint is then as strict as it is isolated."""
    run = write_run(tmp_path, [row(1), row(2, core=(1, 1))])
    write_checkpoint(run, 2, tests={"checkpoint_2-Core": {"passed": ["new"]}})
    assert (rounds_of(run)[2].by_category, rounds_of(run)[2].reward, warned(run)) == ({"core": (1, 1)}, 1, {})


@pytest.mark.parametrize("policy", ["any", "all"])
def test_what_the_runs_own_policy_calls_passed_is_not_taken(tmp_path: Path, policy: str) -> None:
    run = write_run(tmp_path, [row(1, core=(1, 2))])
    folder = write_checkpoint(run, 1).parent
    info = f"pass_policy: {policy}\nseed: 7\nsummary: {{passed_policy: true, state: completed}}\n"
    (folder / "run_info.yaml").write_text(info, encoding="utf-8")
    assert rounds_of(run)[1].reward == 0
    assert draft_of(run).submission.provenance.seeds == (7,)


def test_a_share_of_flagged_lines_may_be_above_the_verbosity(tmp_path: Path) -> None:
    """They are taken over other lines."""
    run = write_run(tmp_path, [later_row(1, violation_pct=0.82, verbosity=0.788)], problem_catalog={})
    assert measures_of(run)["verbosity@V3"] == 0.788
    assert "SLOP-SUMMARY-DIFFERS" not in warned(run)


@pytest.mark.parametrize("state", ["ran", "error", "unknown"])
def test_tests_decide_whatever_the_row_says_of_the_agent(tmp_path: Path, state: str) -> None:
    run = write_run(tmp_path, [row(1, state=state)])
    assert (rounds_of(run)[1].state, rounds_of(run)[1].reward) == ("scored", 1)


def test_tokens_are_those_of_the_whole_checkpoint_and_not_of_its_last_step(tmp_path: Path) -> None:
    run = write_run(tmp_path, [])
    folder = write_checkpoint(run, 1, tests={"checkpoint_1-Core": {"passed": ["a"]}})
    tokens = '{"cost": 1.5, "steps": 4, "net_tokens": {"input": 90, "output": 9}, "current_tokens": {"input": 5}}'
    (folder / "inference_result.json").write_text(f'{{"elapsed": 60.0, "usage": {tokens}}}', encoding="utf-8")
    assert (rounds_of(run)[1].input_tokens, rounds_of(run)[1].output_tokens) == (90, 9)


@pytest.mark.parametrize("name", ["README.md", "SHA256SUMS", "run_agent.log", "results.json", "agent.tar.gz"])
def test_other_files_of_a_run_change_nothing(tmp_path: Path, name: str) -> None:
    run = write_run(tmp_path)
    before = imported(run)
    for folder in (run, run / DAG):
        folder.mkdir(exist_ok=True)
        (folder / name).write_text("{}", encoding="utf-8")
    assert imported(run) == before
