"""How the rounds of the multi-turn fork's runs ended, and which tasks they belong to."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from kit.multiturn_trees import (
    FAIL,
    HOST,
    OPTIONS,
    PASS,
    Source,
    codes,
    died,
    draft_of,
    effort,
    imported,
    new_source,
    refused,
    summary,
    told,
    trajectory,
)

from sitegen.models.outcome import RoundResult


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A source with one task of three rounds."""
    source = new_source(tmp_path)
    source.task()
    return source


def last(source: Source) -> RoundResult:
    """Import a source of one run, and give the last round that was reached."""
    return [round_result for round_result in draft_of(source).rounds if round_result.state != "unreached"][-1]


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        ("agent_timeout", "AgentTimeoutError: the agent used up its budget"),
        ("agent_error", "NonZeroAgentExitCodeError"),
        ("verification_error: No reward file found after round 2", "RewardFileNotFoundError: the verifier failed"),
        (f"verification_error: Reward file is empty. See {HOST}/x.txt", "RewardFileEmptyError: the verifier failed"),
        (f"verification_error: Verifier timed out. See {HOST}/x.txt", "VerifierTimeoutError: the verifier failed"),
        (f"verification_error: Verifier exited with code 2. See {HOST}", "the verifier exited with code 2"),
        (f"verification_error: [Errno 2] {HOST}/token=abc123def456ghi789", "the verifier failed"),
    ],
)
def test_a_round_without_a_verdict_is_aborted(source: Source, status: str, cause: str) -> None:
    """What the fork says of it holds paths of the machine: the cause is in words of our own."""
    source.run("tidy__AAAAAAA", [PASS, status], told=died(cause) if status == "agent_error" else None)
    result = last(source)
    assert (result.round, result.state, result.reward, result.cause) == (2, "aborted", 0, cause)


def test_the_reward_of_a_verification_that_failed_does_not_count(source: Source) -> None:
    """A test that ends with an error has no verdict, although it may have left a reward before."""
    files = {"verifier/round_2_reward.txt": "1", "verifier/round_2_test-exit-code.txt": "1"}
    source.run("tidy__AAAAAAA", [PASS, "verification_error: Verifier exited with code 1"], files=files)
    assert told(draft_of(source).rounds) == ["#au"]


def test_a_completed_round_without_a_reward_is_aborted(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, {"round": 2, "reward": None, "status": "completed"}])
    assert last(source).cause == "the verifier left no reward"


def test_files_without_a_rounds_number_are_not_read(source: Source) -> None:
    """They are copies of the last round's, and no sums over the rounds."""
    files = {"verifier/reward.txt": "1", "verifier/test-stdout.txt": summary(9, 9)}
    source.run("tidy__AAAAAAA", [PASS, FAIL], files=files)
    assert [(round_result.passed, round_result.total) for round_result in draft_of(source).rounds] == [
        (4, 4),
        (3, 4),
        (0, 0),
    ]


def test_the_runs_own_reward_is_not_read(source: Source) -> None:
    rewards = {"rewards": {"round_1": 1, "round_2": 1, "round_3": 1, "reward": 1.0}}
    source.run("tidy__AAAAAAA", [PASS, FAIL], told={"verifier_result": rewards})
    assert told(draft_of(source).rounds) == ["#.u"]


def test_a_partial_reward_does_not_pass(source: Source) -> None:
    source.run("tidy__AAAAAAA", [{"round": 1, "reward": 0.75, "status": "completed"}])
    result = last(source)
    assert (result.reward, result.solved) == (0.75, False)


def test_a_reward_above_1_needs_its_scale(source: Source) -> None:
    source.run("tidy__AAAAAAA", [{"round": 1, "reward": 15, "status": "completed"}])
    (problem,) = refused(source)
    assert (problem.code, problem.what) == ("SOURCE-SCALE-UNSTATED", "a round has rewards up to 15")
    draft = draft_of(source, replace(OPTIONS, scale=20.0))
    assert draft.rounds[0].reward == 0.75
    assert draft.submission.caveats == (
        "The import assumed: the largest possible reward is 20, and every reward was divided by it.",
    )


@pytest.mark.parametrize("reward", ["1", "nan", [1], {"reward": 1}])
def test_a_reward_that_is_no_number_is_no_verdict(source: Source, reward: object) -> None:
    source.run("tidy__AAAAAAA", [PASS, {"round": 2, "reward": reward, "status": "completed"}])
    result = last(source)
    assert (result.round, result.state, result.cause) == (2, "aborted", "the verifier left no reward")


def test_another_reward_in_the_verifiers_file_is_told_of(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL], files={"verifier/round_2_reward.txt": "1"})
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert codes(incoming) == ["SOURCE-REWARD-CONFLICT"]


def test_cases_that_contradict_the_reward_are_left_out(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS], files={"verifier/round_1_test-stdout.txt": summary(3, 4)})
    incoming = imported(source)
    result = incoming.drafts[0].rounds[0]
    assert (result.reward, result.passed, result.total) == (1, None, None)
    assert codes(incoming) == ["SOURCE-REWARD-CONTRADICTED"]


def test_a_failed_build_is_a_round_in_which_no_case_ran(source: Source) -> None:
    log = "FAIL: Build failed\nCASE_SUMMARY total_cases=0 success_count=0 fail_count=0\n"
    source.run("tidy__AAAAAAA", [PASS, FAIL], files={"verifier/round_2_test-stdout.txt": log})
    result = last(source)
    assert (result.state, result.passed, result.total, result.cause) == ("no_cases", 0, 0, "FAIL: Build failed")


def test_a_verdict_without_output_has_no_cases_to_tell_of(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL], files={"verifier/round_2_test-stdout.txt": None})
    result = last(source)
    assert (result.state, result.passed, result.total) == ("scored", None, None)


def test_cases_are_listed_with_their_texts(source: Source) -> None:
    case = "CASE_RESULT case_id={} origin_step=base requirement_ref=R1 case_type=core status={}"
    texts = ' intent="i" scenario="s" input="in" expected="e" actual="a" failure_reason="r"\n'
    log = case.format("c001", "success") + texts + case.format("c002", "fail") + texts + summary(1, 2)
    source.run("tidy__AAAAAAA", [FAIL], files={"verifier/round_1_test-stdout.txt": log})
    incoming = imported(source)
    (draft,) = incoming.drafts
    (failure,) = draft.failures
    assert (draft.rounds[0].outcomes, draft.rounds[0].by_category) == ("pf", {"core": (1, 2)})
    assert [listed_case.id for listed_case in incoming.task_sets[0].tasks[0].rounds[0].cases or ()] == ["c001", "c002"]
    assert (failure.case, failure.round, failure.requirement, failure.reason) == ("c002", 1, "R1", "r")
    assert draft.submission.detail.cases == "all"


def test_a_runs_figures_stand_with_the_run(source: Source) -> None:
    """Its transcript tells of tool calls by round; replies and tokens are known for the run as a whole."""
    source.run("tidy__AAAAAAA", [PASS, FAIL], told=effort(40, tokens=1200))
    draft = draft_of(source)
    (figures,) = draft.runs
    assert (figures.attempt, figures.turns, figures.output_tokens) == (1, 40, 1200)
    assert [(round_result.interactions, round_result.turns) for round_result in draft.rounds] == [
        (2, None),
        (2, None),
        (None, None),
    ]


def test_requests_stand_for_replies_that_nobody_counted(source: Source) -> None:
    times = {"agent_result": {"metadata": {"api_request_times_msec": [10.0, 20.0, 30.0]}}}
    source.run("tidy__AAAAAAA", [PASS, FAIL], told=times)
    assert draft_of(source).runs[0].turns == 3


def test_the_transcript_tells_what_the_run_does_not(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL], told={"agent_result": None})
    draft = draft_of(source)
    assert draft.runs == ()
    assert [round_result.turns for round_result in draft.rounds] == [1, 1, None]


def test_a_single_rounds_figures_stand_with_the_round(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.sample(2, PASS, told=effort(12, tokens=700))
    (sample,) = [
        round_result
        for round_result in draft_of(source).rounds
        if round_result.start == "reference" and round_result.state == "scored"
    ]
    assert (sample.turns, sample.output_tokens, sample.interactions) == (12, 700, 2)


def test_steps_of_the_runs_before_do_not_count_again(source: Source) -> None:
    """The fork copies the transcript of the rounds before in front of a branch's own."""
    source.branch("tidy__AAAAAAA__mr-r1-a0", [PASS])
    source.branch("tidy__BBBBBBB__mr-r2-p0-hAAAAAAA-a0", [PASS, FAIL], "tidy__AAAAAAA__mr-r1-a0")
    assert [round_result.interactions for round_result in draft_of(source).rounds] == [2, 2, None]


def test_a_broken_transcript_costs_its_figures_only(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL], files={"agent/trajectory.json": '{"steps": [{"source": '})
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert codes(incoming) == ["SOURCE-FILE-BROKEN"]


def test_the_transcripts_of_attempts_and_of_branches_can_be_opened(source: Source) -> None:
    """An attempt has one; the rounds of a fan-out are runs of their own."""
    run = source.run("tidy__AAAAAAA", [PASS, FAIL])
    transcript = Path("agent", "trajectory.json")
    assert draft_of(source).transcripts == {("tidy", 1, 0): run / transcript}
    (source.root.parent / "other").mkdir()
    branching = new_source(source.root.parent / "other")
    branching.task()
    root = branching.branch("tidy__AAAAAAA__mr-r1-a0", [PASS])
    child = branching.branch("tidy__BBBBBBB__mr-r2-p0-hAAAAAAA-a0", [PASS, FAIL], "tidy__AAAAAAA__mr-r1-a0")
    assert draft_of(branching).transcripts == {("tidy", 1, n): run / transcript for n, run in ((1, root), (2, child))}


def test_an_attempt_without_the_transcript_that_others_have_is_told(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.run("tidy__CCCCCCC", [FAIL], files={"agent/trajectory.json": json.dumps(trajectory([2]))})
    (source.run("tidy__BBBBBBB", [PASS, FAIL]) / "agent" / "trajectory.json").unlink()
    incoming = imported(source)
    assert codes(incoming) == ["SOURCE-FILE-MISSING"]
    (caveat,) = incoming.drafts[0].submission.caveats or ()
    assert "round 1 of tidy, attempt 2; round 2 of tidy, attempt 2; round 1 of tidy, attempt 3" in caveat


def test_a_crash_leaves_the_verifiers_files(source: Source) -> None:
    """The list of rounds is written at the end: an agent that fails leaves none, and the round it was in is aborted."""
    files = {f"verifier/round_{number}_reward.txt": "1\n" for number in (1, 2)}
    source.run("tidy__AAAAAAA", None, files=files, told=died("RuntimeError"))
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["##a"]
    assert incoming.drafts[0].rounds[2].cause == "RuntimeError"
    assert codes(incoming) == ["SOURCE-FILE-MISSING"]


def test_a_reward_beside_a_failed_test_is_not_taken_after_a_crash(source: Source) -> None:
    files = {"verifier/round_1_reward.txt": "1", "verifier/round_1_test-exit-code.txt": "137"}
    source.run("tidy__AAAAAAA", None, files=files, told=died("RuntimeError"))
    assert told(draft_of(source).rounds) == ["auu"]


@pytest.mark.parametrize(("text", "reward"), [('{"reward": 1}', "#"), ('{"reward": 0.0}', "."), ("{}", "a")])
def test_a_reward_may_be_json(source: Source, text: str, reward: str) -> None:
    files = {"verifier/round_1_reward.json": text}
    source.run("tidy__AAAAAAA", None, files=files, told=died("ValueError"))
    assert told(draft_of(source).rounds)[0][0] == reward


def test_the_text_comes_before_the_json(source: Source) -> None:
    """The fork looks for reward.txt first."""
    files = {"verifier/round_1_reward.json": '{"reward": 1}', "verifier/round_1_reward.txt": "0"}
    source.run("tidy__AAAAAAA", None, files=files)
    assert told(draft_of(source).rounds) == [".uu"]


def test_a_run_that_crashed_before_its_first_round_was_in_it(source: Source) -> None:
    source.run("tidy__AAAAAAA", None, told=died("EnvironmentStartTimeoutError"))
    result = last(source)
    assert (result.state, result.cause) == ("aborted", "EnvironmentStartTimeoutError: the sandbox failed")


def test_an_exception_after_the_last_round_is_no_round(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, PASS, PASS], told=died("RuntimeError"))
    assert told(draft_of(source).rounds) == ["###"]


def test_runs_may_lack_their_settings(source: Source) -> None:
    """Archives can hold what agent and verifier left, and nothing else: the rows tell the kind of a run."""
    bare = {"config.json": None, "result.json": None}
    source.run("tidy__AAAAAAA", [PASS, FAIL], files=bare)
    source.run("tidy__SR00002", [{"round": 2, "reward": 1.0, "status": "completed"}], files=bare)
    draft = draft_of(source)
    assert (told(draft.rounds), told(draft.rounds, "reference")) == (["#.u"], ["u#u"])


@pytest.mark.parametrize(
    ("rows", "expected_message"),
    [
        ([{"round": "1", "reward": 1}], "`0.round` is a text; give a whole number, without quotes"),
        ({"round": 1}, "the file is a set of keys and values; give a list"),
    ],
)
def test_a_list_of_rounds_in_another_shape_is_told_of_and_rebuilt(
    source: Source, rows: object, expected_message: str
) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL], files={"verifier/multiround_results.json": json.dumps(rows)})
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert sorted(codes(incoming)) == ["SOURCE-FILE-BROKEN", "SOURCE-FILE-MISSING"]
    (caveat,) = [caveat for caveat in incoming.drafts[0].submission.caveats if "not in the format" in caveat]
    assert expected_message in caveat


def test_a_run_whose_settings_can_not_be_read_is_left_out(source: Source) -> None:
    """They decide what kind of run it was, and so what its rounds mean."""
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    odd = json.dumps({"verifier": {"multiround_start_round": "two"}})
    source.run("tidy__BBBBBBB", [PASS, PASS], files={"result.json": None, "config.json": odd})
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert sorted(codes(incoming)) == ["SOURCE-FILE-BROKEN", "SOURCE-LEFT-OUT"]


def test_a_round_that_stands_twice_differently_was_aborted(source: Source) -> None:
    rows = [{"round": 1, "reward": reward, "status": "completed"} for reward in (1, 0)]
    source.run("tidy__AAAAAAA", rows)
    incoming = imported(source)
    first = incoming.drafts[0].rounds[0]
    assert (first.state, first.cause) == ("aborted", "the run lists the round twice, with different outcomes")
    assert codes(incoming) == ["SOURCE-REWARD-CONFLICT"]


def test_a_round_that_stands_twice_the_same_counts_once(source: Source) -> None:
    source.run("tidy__AAAAAAA", [{"round": 1, "reward": 1, "status": "completed"}] * 2)
    incoming = imported(source)
    assert (told(incoming.drafts[0].rounds), codes(incoming)) == (["#uu"], [])


def test_a_run_with_more_rounds_is_left_out_beside_runs_that_fit(tmp_path: Path) -> None:
    source = new_source(tmp_path)
    source.task(rounds=1)
    source.run("tidy__AAAAAAA", [PASS])
    source.run("tidy__BBBBBBB", [PASS, PASS])
    incoming = imported(source)
    assert (told(incoming.drafts[0].rounds), codes(incoming)) == (["#"], ["SOURCE-LEFT-OUT"])


def test_a_round_that_the_task_has_not_is_an_error(tmp_path: Path) -> None:
    source = new_source(tmp_path)
    source.task(rounds=1)
    source.run("tidy__AAAAAAA", [PASS, PASS])
    (problem,) = refused(source)
    assert problem.code == "SOURCE-ROUND-UNKNOWN"
    assert "the run has a round 2, but tidy has 1 round" in problem.what


def test_a_broken_list_of_rounds_is_told_of_and_rebuilt(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL], files={"verifier/multiround_results.json": '[{"round": 1,'})
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert sorted(codes(incoming)) == ["SOURCE-FILE-BROKEN", "SOURCE-FILE-MISSING"]
