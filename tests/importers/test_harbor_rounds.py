"""Rounds of Harbor's runs: their states, rewards and causes."""

from dataclasses import replace
from pathlib import Path

import pytest
from kit.harbor_trees import (
    ABORTED,
    FAILED,
    OPTIONS,
    PASSED,
    Json,
    Play,
    Trial,
    codes,
    imported,
    nest,
    one_draft,
    played,
    refused,
    rounds_of,
    write,
    write_task,
)
from kit.harbor_trees import JOB as JOB_NAME

from sitegen.models.incoming import Incoming
from sitegen.models.outcome import RoundResult
from sitegen.problems import UsageError


def states(rounds: list[RoundResult]) -> list[tuple[str, float]]:
    return [(round_result.state, round_result.reward) for round_result in rounds]


def test_rounds_that_were_never_reached_stand_beside_those_that_were(tmp_path: Path) -> None:
    rounds = rounds_of(tmp_path, PASSED, FAILED, ABORTED, rounds=5)
    assert states(rounds) == [("scored", 1), ("scored", 0), ("aborted", 0), ("unreached", 0), ("unreached", 0)]
    assert [(round_result.passed, round_result.total) for round_result in rounds] == [
        (2, 2),
        (1, 2),
        (0, 0),
        (0, 0),
        (0, 0),
    ]


def test_a_timeout_without_a_reward_tells_its_cause_but_not_what_it_said(tmp_path: Path) -> None:
    (only,) = rounds_of(tmp_path, ABORTED)
    assert only.cause == "AgentTimeoutError: the agent used up its budget; the verifier left no reward"


def test_a_timeout_with_a_reward_is_a_verdict_and_the_run_goes_on(tmp_path: Path) -> None:
    rounds = rounds_of(tmp_path, Play(0.0, "pf", error="AgentTimeoutError"), PASSED)
    assert states(rounds) == [("scored", 0), ("scored", 1)]


def test_an_exception_that_is_no_name_is_not_quoted(tmp_path: Path) -> None:
    (only,) = rounds_of(tmp_path, Play(None, None, error="Boom at /home/eval"))
    assert only.cause == "an exception; the verifier left no reward"


def test_a_failed_build_is_a_round_without_cases_that_says_why(tmp_path: Path) -> None:
    first, _ = rounds_of(tmp_path, Play(0.0, None, log="compiling\nFAIL: Build failed\n"), PASSED)
    assert (first.state, first.passed, first.total, first.cause) == ("no_cases", 0, 0, "FAIL: Build failed")


def test_the_last_line_that_sounds_like_an_error_tells_why_no_case_ran(tmp_path: Path) -> None:
    first, _ = rounds_of(tmp_path, Play(0.0, None, log="error: one\nmain.go: error: two\nbye\n"), PASSED)
    assert first.cause == "main.go: error: two"


def test_no_case_at_all_is_a_verdict_of_none_where_verifiers_print_no_cases(tmp_path: Path) -> None:
    rounds = rounds_of(tmp_path, Play(0.0, None, log="1 of 3\n"), Play(1.0, None, log="3 of 3\n"))
    assert [(round_result.state, round_result.passed, round_result.total) for round_result in rounds] == [
        ("scored", None, None)
    ] * 2


def test_an_empty_log_beside_rounds_with_cases_is_a_round_without_cases(tmp_path: Path) -> None:
    first, _ = rounds_of(tmp_path, Play(0.0, None, log=""), PASSED)
    assert (first.state, first.cause) == ("no_cases", None)


def test_a_full_reward_is_0_999_and_more(tmp_path: Path) -> None:
    rounds = rounds_of(tmp_path, Play(0.9995), Play(0.6, "pf"))
    assert [(round_result.reward, round_result.solved) for round_result in rounds] == [(0.9995, True), (0.6, False)]


def test_the_runners_result_wins_over_the_files_and_the_conflict_is_told(tmp_path: Path) -> None:
    incoming = played(tmp_path, Play(1.0, "pp", rewards={"reward": 0.0}, log=""), PASSED)
    assert incoming.drafts[0].rounds[0].reward == 0
    assert codes(incoming) == ["SOURCE-REWARD-CONFLICT"]
    (conflict,) = (problem for problem in incoming.problems if problem.code == "SOURCE-REWARD-CONFLICT")
    assert "0 in result.json, 1 in reward.txt; the reward in result.json counts" in conflict.what


def test_a_reward_in_a_file_counts_where_the_runner_saw_none_and_that_is_told(tmp_path: Path) -> None:
    incoming = played(tmp_path, Play(1.0, "pp", rewards={}, error="VerifierTimeoutError"))
    assert (incoming.drafts[0].rounds[0].reward, codes(incoming)) == (1, ["SOURCE-REWARD-CONFLICT"])
    (conflict,) = (problem for problem in incoming.problems if problem.code == "SOURCE-REWARD-CONFLICT")
    assert "result.json states no reward; the reward in reward.txt counts" in conflict.what


def single_round(tmp_path: Path, trial: Trial, files: dict[str, str]) -> Incoming:
    """Import a trial of a task without steps, which leaves its files in its own folder."""
    write(tmp_path / "tasks" / "tidy" / "task.toml", 'schema_version = "1.1"\n')
    job = nest(tmp_path / "jobs", "tidy", "alpha")
    replace(trial, files=files).write(job)
    return imported(tmp_path / "jobs", tmp_path / "tasks")


def test_a_reward_file_contradicts_no_result_that_is_not_there(tmp_path: Path) -> None:
    incoming = single_round(tmp_path, Trial(version="none"), {"verifier/reward.txt": "1"})
    assert (incoming.drafts[0].rounds[0].reward, codes(incoming)) == (1, [])


def test_a_reward_file_contradicts_a_result_of_one_round_without_a_reward(tmp_path: Path) -> None:
    trial = Trial(result={"step_results": None, "verifier_result": None})
    incoming = single_round(tmp_path, trial, {"verifier/reward.txt": "1"})
    assert (incoming.drafts[0].rounds[0].reward, codes(incoming)) == (1, ["SOURCE-REWARD-CONFLICT"])


def test_a_planted_reward_json_is_told_where_it_contradicts_reward_txt(tmp_path: Path) -> None:
    planted = Play(0.0, "pp", log="", files={"verifier/reward.json": '{"reward": 1}'})
    incoming = played(tmp_path, planted, trial=Trial(version="none"), rounds=1)
    assert incoming.drafts[0].rounds[0].reward == 1
    assert codes(incoming) == ["SOURCE-REWARD-CONFLICT"]


def test_sources_contradict_each_other_in_the_key_that_counts_only(tmp_path: Path) -> None:
    """Asked for acc, reward.txt states another key; reward.json states the same one."""
    options = replace(OPTIONS, metric="acc")
    play = Play(0.2, "pp", rewards={"acc": 1.0, "reward": 0.2}, log="")
    played(tmp_path / "alike", play)
    incoming = imported(tmp_path / "alike" / "jobs", tmp_path / "alike" / "tasks", options=options)
    assert (incoming.drafts[0].rounds[0].reward, codes(incoming)) == (1, [])
    planted = replace(play, files={"verifier/reward.json": '{"acc": 0.5, "reward": 0.2}'})
    played(tmp_path / "unlike", planted)
    incoming = imported(tmp_path / "unlike" / "jobs", tmp_path / "unlike" / "tasks", options=options)
    (conflict,) = (problem for problem in incoming.problems if problem.code == "SOURCE-REWARD-CONFLICT")
    assert "1 in result.json, 0.5 in reward.json; the reward in result.json counts" in conflict.what


@pytest.mark.parametrize(
    ("text", "reward"),
    [('{"reward": 1}', 1), ('{"score": 0.5}', 0.5), ("1.0", 1), ('{"a": 1, "reward": 0}', 0)],
)
def test_reward_json_has_a_key_reward_or_one_key_or_is_a_number(tmp_path: Path, text: str, reward: float) -> None:
    play = Play(None, None, log="", files={"verifier/reward.json": text})
    (only,) = rounds_of(tmp_path, play, trial=Trial(version="none"))
    assert only.reward == reward


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "the verifier left no reward"),
        ("nan", "the reward is not a number"),
        ("inf", "the reward is not a number"),
        ("passed", "the reward is not a number"),
    ],
)
def test_a_reward_txt_that_holds_no_number_is_no_verdict(tmp_path: Path, text: str, cause: str) -> None:
    play = Play(None, None, log="", files={"verifier/reward.txt": text})
    (only,) = rounds_of(tmp_path, play, trial=Trial(version="none"))
    assert (only.state, only.cause) == ("aborted", cause)


def test_it_is_asked_which_of_several_keys_counts(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial().write(tmp_path / "jobs" / JOB_NAME, Play(None, rewards={"a": 1.0, "b": 0.25}))
    (error,) = refused(tmp_path / "jobs", tmp_path / "tasks")
    assert error.code == "SOURCE-SCORE-AMBIGUOUS"
    assert "1 verdict with the keys a, b, but none of them is `reward`" in error.what
    assert "`--metric a`" in error.fix
    draft = one_draft(tmp_path / "jobs", tmp_path / "tasks", replace(OPTIONS, metric="b"))
    assert [(round_result.reward, round_result.measures) for round_result in draft.rounds] == [(0.25, {"a": 1.0})]
    assert "The import assumed: the key `b` is the reward, as `--metric` says." in draft.submission.caveats


def test_a_key_that_no_verdict_has_can_not_be_chosen(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial().write(tmp_path / "jobs" / JOB_NAME, Play(None, rewards={"a": 1.0, "b": 0.25}))
    with pytest.raises(UsageError, match="no reward has the key c; the keys are: a, b"):
        imported(tmp_path / "jobs", tmp_path / "tasks", options=replace(OPTIONS, metric="c"))


def test_a_verdict_without_the_chosen_key_is_none_but_for_its_reward(tmp_path: Path) -> None:
    plays = [Play(None, rewards=rewards) for rewards in ({"a": 0.5, "b": 1}, {"b": 1}, {"reward": 1})]
    write_task(tmp_path / "tasks", "tidy", 3)
    Trial().write(tmp_path / "jobs" / JOB_NAME, *plays)
    draft = one_draft(tmp_path / "jobs", tmp_path / "tasks", replace(OPTIONS, metric="a"))
    assert states(list(draft.rounds)) == [("scored", 0.5), ("aborted", 0), ("scored", 1)]
    assert draft.rounds[1].cause == "the verdict has no key a"


def test_figures_beside_the_reward_are_measures(tmp_path: Path) -> None:
    (only,) = rounds_of(tmp_path, Play(1.0, rewards={"reward": 1.0, "style": 0.4, "lines": 120}))
    assert (only.reward, only.measures) == (1, {"style": 0.4, "lines": 120})


@pytest.mark.parametrize("rewards", [{"reward": None, "style": 0.4}, {"a": None, "style": 0.4}])
def test_a_figure_beside_a_reward_that_is_no_number_does_not_take_its_place(tmp_path: Path, rewards: Json) -> None:
    """Older versions of the runner write NaN as null."""
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial().write(tmp_path / "jobs" / JOB_NAME, Play(None, rewards=rewards))
    options = replace(OPTIONS, metric=None if "reward" in rewards else "a")
    (only,) = one_draft(tmp_path / "jobs", tmp_path / "tasks", options).rounds
    assert (only.state, only.cause) == ("aborted", "the reward is not a number")


def test_a_key_of_another_name_is_the_reward_where_it_is_the_only_one(tmp_path: Path) -> None:
    draft = played(tmp_path, Play(None, rewards={"accuracy": 0.5})).drafts[0]
    assert draft.rounds[0].reward == 0.5
    caveat = "The import assumed: the key `accuracy` is the reward of verdicts that have no other key."
    assert caveat in draft.submission.caveats


def test_rewards_above_1_need_their_scale(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 2)
    Trial().write(tmp_path / "jobs" / JOB_NAME, Play(75.0, None), Play(100.0, None))
    (error,) = refused(tmp_path / "jobs", tmp_path / "tasks")
    assert (error.code, error.what) == ("SOURCE-SCALE-UNSTATED", "the key `reward` has rewards up to 100")
    draft = one_draft(tmp_path / "jobs", tmp_path / "tasks", replace(OPTIONS, scale=100.0))
    assert [round_result.reward for round_result in draft.rounds] == [0.75, 1]


def test_a_reward_below_0_is_refused(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial().write(tmp_path / "jobs" / JOB_NAME, Play(-1.0, None))
    assert [error.code for error in refused(tmp_path / "jobs", tmp_path / "tasks")] == ["SOURCE-UNUSABLE"]


def test_a_reward_that_the_runner_calls_invalid_is_no_verdict(tmp_path: Path) -> None:
    """It says so of the trial; the round is meant that ended with an exception of which it says the same."""
    plays = [PASSED, Play(1.0, error="RateLimitError"), PASSED]
    rounds = rounds_of(tmp_path, *plays, trial=Trial(result={"reward_valid": False}))
    assert states(rounds) == [("scored", 1), ("aborted", 0), ("scored", 1)]
    assert rounds[1].cause == "RateLimitError: the model's provider failed; the runner marked the reward as invalid"
    assert rounds[1].input_tokens == 200


def test_all_rounds_are_without_a_verdict_where_nothing_says_which_one_is_meant(tmp_path: Path) -> None:
    plays = [PASSED, Play(1.0, error="AgentTimeoutError")]
    rounds = rounds_of(tmp_path, *plays, trial=Trial(result={"reward_valid": False}))
    assert states(rounds) == [("aborted", 0), ("aborted", 0)]


def test_a_reward_that_its_cases_contradict_counts_without_them(tmp_path: Path) -> None:
    incoming = played(tmp_path, Play(0.0, "ppp"), Play(1.0, "pf"))
    assert [(round_result.reward, round_result.passed) for round_result in incoming.drafts[0].rounds] == [
        (0, None),
        (1, None),
    ]
    assert codes(incoming) == ["SOURCE-REWARD-CONTRADICTED"], "once, however many rounds it is about"


def test_where_every_reward_came_from_is_noted(tmp_path: Path) -> None:
    incoming = played(tmp_path, PASSED, Play(0.0, "pf", rewards={}))
    assert "rewards: 1 from result.json, 1 from reward.txt" in incoming.notes


def test_the_runners_own_mean_is_not_taken(tmp_path: Path) -> None:
    """It says 1.0 of a run that passed one round of three: what has no verdict is not part of its mean."""
    rounds = rounds_of(tmp_path, PASSED, ABORTED, rounds=3)
    assert sum(round_result.reward for round_result in rounds) / len(rounds) == pytest.approx(1 / 3)


def test_a_run_that_fails_before_its_first_round_says_why(tmp_path: Path) -> None:
    error = {"exception_type": "EnvironmentStartTimeoutError"}
    result = {"exception_info": error, "step_results": None}
    first, second = rounds_of(tmp_path, trial=Trial(result=result), rounds=2)
    assert (first.state, first.cause) == ("unreached", "EnvironmentStartTimeoutError: the sandbox failed")
    assert (second.state, second.cause) == ("unreached", None)


def test_a_run_that_was_cut_off_reached_the_round_whose_files_it_left_over(tmp_path: Path) -> None:
    leftover_files = {"agent/trajectory.json": '[{"source": "agent", "tool_calls": [{}]}]', "verifier/reward.txt": "1"}
    trial = Trial(version="none", files=leftover_files)
    first, second, third = rounds_of(tmp_path, PASSED, trial=trial, rounds=3)
    assert (first.state, second.state, third.state) == ("scored", "aborted", "unreached")
    assert (second.cause, second.interactions) == ("the run was cut off in this round", 1)


def test_clocks_tell_how_long_agent_and_verifier_took(tmp_path: Path) -> None:
    (only,) = rounds_of(tmp_path, PASSED)
    assert (only.agent_seconds, only.verifier_seconds) == (30, 5)


def test_gates_that_end_a_run_at_its_first_failure_make_a_fail_stop_track(tmp_path: Path) -> None:
    gates = ("min_reward = 1.0", "min_reward = {reward = 1.0}", "")
    steps = [f'[[steps]]\nname = "{name}"\n{gate}\n' for name, gate in zip("abc", gates, strict=True)]
    write(tmp_path / "tasks" / "tidy" / "task.toml", "".join(steps))
    Trial(names=["a"]).write(tmp_path / "jobs" / JOB_NAME, FAILED)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    (track,) = incoming.benchmark.tracks
    assert (track.protocol, track.headline) == ("fail-stop", "mt_at_k")
    assert [round_result.state for round_result in incoming.drafts[0].rounds] == ["scored", "unreached", "unreached"]


def test_without_gates_the_track_is_a_chain_with_the_formats_columns(tmp_path: Path) -> None:
    (track,) = played(tmp_path, FAILED, PASSED).benchmark.tracks
    assert (track.protocol, track.reference_rounds) == ("chain", False)
    assert track.columns == ("dataset_score", "case_score", "avg_rounds", "perfect_tasks")
