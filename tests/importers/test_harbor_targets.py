"""Tasks that are graded once: each target of the verdict is a weighted round whose place means nothing."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from kit.harbor_trees import FAIL, JOB, PASSED, Trial, codes, imported, refused, transcript, write, write_task

from sitegen.metrics.catalogue import COMPLETION, RESOLVED
from sitegen.metrics.results import arrange_results
from sitegen.pipeline.importing import apply_import
from sitegen.problems import errors_of
from sitegen.store.readers.folder import read_results

TASK = """schema_version = "1.1"
[metadata]
name = "Optuna 4.0.0"
category = "ML"
[[metadata.targets]]
name = "storage"
title = "Storage"
weight = 0.5
change_type = "Feature Addition"
[[metadata.targets]]
name = "pruner"
weight = 0.3
[[metadata.targets]]
name = "cli"
weight = 0.2
"""


def graded(
    root: Path, rewards: object, task: str = TASK, files: Mapping[str, str] | None = None, name: str = "a"
) -> tuple[Path, Path]:
    """Write a trial of one round with its task."""
    write(root / "tasks" / "opt-4.0.0-roadmap" / "task.toml", task)
    rewards_text = json.dumps(rewards)
    result = {
        "step_results": None,
        "verifier_result": {"rewards": rewards} if rewards else None,
        "agent_result": {"n_input_tokens": 7, "n_output_tokens": 3, "metadata": {"n_episodes": 2}},
        "agent_execution": {"started_at": "2026-06-18T10:00:00Z", "finished_at": "2026-06-18T10:01:00Z"},
        "exception_info": None if rewards else {"exception_type": "VerifierTimeoutError"},
    }
    trial_files = {"agent/trajectory.json": json.dumps(transcript((1,)))} | (
        {"verifier/reward.json": rewards_text} if rewards else {}
    )
    trial = Trial(task="opt-4.0.0-roadmap", name=name, result=result, files={**trial_files, **(files or {})})
    trial.write(root / "jobs" / JOB)
    return root / "jobs", root / "tasks"


def test_a_verdict_of_several_keys_becomes_weighted_rounds_of_an_unordered_benchmark(tmp_path: Path) -> None:
    incoming = imported(*graded(tmp_path, {"reward": 0.7, "storage": 1, "pruner": 0, "cli": 1}))
    (track,), (task,) = incoming.benchmark.tracks, incoming.task_sets[0].tasks
    assert (incoming.benchmark.ordered, incoming.benchmark.round_name) == (False, "Target")
    assert (track.protocol, track.headline, track.columns) == ("once", "resolved", ("resolved", "completion"))
    assert (task.id, task.title, task.labels) == ("opt-4-0-0-roadmap", "Optuna 4.0.0", {"category": "ML"})
    assert [(round_result.title, round_result.weight, round_result.labels) for round_result in task.rounds] == [
        ("Storage", 0.5, ("Feature Addition",)),
        ("pruner", 0.3, ()),
        ("cli", 0.2, ()),
    ]
    assert [
        (round_result.state, round_result.reward, round_result.total) for round_result in incoming.drafts[0].rounds
    ] == [
        ("scored", 1, None),
        ("scored", 0, None),
        ("scored", 1, None),
    ]
    assert codes(incoming) == []


def test_what_a_run_took_is_known_of_all_targets_together(tmp_path: Path) -> None:
    (run,) = imported(*graded(tmp_path, {"storage": 1, "pruner": 0, "cli": 1})).drafts[0].runs
    assert (run.turns, run.input_tokens, run.output_tokens, run.cost_usd, run.agent_seconds) == (2, 7, 3, 0.5, 60)


def test_the_scores_follow_from_the_weights(tmp_path: Path) -> None:
    apply_import(imported(*graded(tmp_path, {"storage": 1, "pruner": 0, "cli": 1})), tmp_path / "results")
    (benchmark_results,) = read_results(tmp_path / "results").benchmarks
    sheet = arrange_results(
        benchmark_results.tasks_of(benchmark_results.benchmark.tracks[0]).tasks,
        benchmark_results.bundles[0].rounds,
        (),
        1,
        1,
    )
    assert RESOLVED.compute(sheet) == 0
    assert COMPLETION.compute(sheet) == pytest.approx(0.7)
    assert errors_of(benchmark_results.problems + benchmark_results.bundles[0].problems) == ()


def test_where_the_task_names_no_targets_the_reward_counts_and_other_keys_are_measures(tmp_path: Path) -> None:
    incoming = imported(*graded(tmp_path, {"reward": 0.5, "b": 1, "a": 0}, task='schema_version = "1.1"\n'))
    assert [
        (round_result.round, round_result.reward, round_result.measures) for round_result in incoming.drafts[0].rounds
    ] == [(1, 0.5, {"b": 1, "a": 0})]
    assert codes(incoming) == []


def test_targets_are_not_guessed_from_the_keys_of_a_verdict(tmp_path: Path) -> None:
    (error,) = refused(*graded(tmp_path, {"b": 1, "a": 0}, task='schema_version = "1.1"\n'))
    assert (error.code, "[[metadata.targets]]" in error.fix) == ("SOURCE-SCORE-AMBIGUOUS", True)


def test_one_reward_is_a_task_of_one_round(tmp_path: Path) -> None:
    incoming = imported(*graded(tmp_path, {"reward": 1}, task='schema_version = "1.1"\n'))
    assert [(round_result.round, round_result.reward) for round_result in incoming.drafts[0].rounds] == [(1, 1)]
    assert incoming.benchmark.tracks[0].protocol == "once"


@pytest.mark.parametrize(("reward", "expected"), [(1, [1, 1, 1]), (0, [0, 0, 0])])
def test_one_number_tells_of_all_targets_where_all_passed_or_none(
    tmp_path: Path, reward: float, expected: list[float]
) -> None:
    assert [
        round_result.reward for round_result in imported(*graded(tmp_path, {"reward": reward})).drafts[0].rounds
    ] == expected


def test_one_number_between_does_not_tell_which_targets_passed(tmp_path: Path) -> None:
    (error,) = refused(*graded(tmp_path, {"reward": 0.7}))
    assert (error.code, "the verdict does not mention storage, pruner, cli" in error.what) == ("SOURCE-UNUSABLE", True)


def test_a_target_that_the_verdict_leaves_out_is_refused(tmp_path: Path) -> None:
    (error,) = refused(*graded(tmp_path, {"storage": 1, "cli": 1}))
    assert (error.code, "the verdict does not mention pruner" in error.what) == ("SOURCE-UNUSABLE", True)


def test_keys_that_are_no_targets_are_told_and_not_used(tmp_path: Path) -> None:
    incoming = imported(*graded(tmp_path, {"storage": 1, "pruner": 0, "cli": 1, "speed": 0.5}))
    assert (len(incoming.drafts[0].rounds), codes(incoming)) == (3, ["SOURCE-NAME-UNLISTED"])


def test_without_a_verdict_every_target_was_aborted(tmp_path: Path) -> None:
    rounds = imported(*graded(tmp_path, None)).drafts[0].rounds
    assert {(round_result.state, round_result.cause) for round_result in rounds} == {
        ("aborted", "VerifierTimeoutError: the verifier failed")
    }
    assert len(rounds) == 3


def test_cases_belong_to_the_target_that_they_name(tmp_path: Path) -> None:
    verdicts = (("storage", "success"), ("storage", "success"), ("pruner", "fail"))
    lines = [FAIL.replace("=base", f"={target}").format(f"c{n}", status) for n, (target, status) in enumerate(verdicts)]
    log = "\n".join([*lines, "CASE_SUMMARY total_cases=3 success_count=2 fail_count=1\n"])
    files = {"verifier/test-stdout.txt": log}
    draft = imported(*graded(tmp_path, {"storage": 1, "pruner": 0, "cli": 1}, files=files)).drafts[0]
    assert [(round_result.passed, round_result.total, round_result.outcomes) for round_result in draft.rounds] == [
        (2, 2, "pp"),
        (0, 1, "f"),
        (None, None, None),
    ]
    assert [(failure.round, failure.case) for failure in draft.failures] == [(2, "c2")]


def test_chains_and_targets_do_not_share_a_track(tmp_path: Path) -> None:
    folders = graded(tmp_path, {"storage": 1, "pruner": 0, "cli": 1})
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial(name="chain").write(tmp_path / "jobs" / JOB, PASSED)
    assert [error.code for error in refused(*folders)] == ["SOURCE-PROTOCOLS-MIXED"]


@pytest.mark.parametrize("weight", ["0", "-1", "nan"])
def test_a_target_weighs_something(tmp_path: Path, weight: str) -> None:
    problems = refused(*graded(tmp_path, {"storage": 1}, task=TASK.replace("0.2", weight)))
    assert problems[0].code == "SOURCE-BROKEN"
