"""Which of Harbor's runs count: attempts, jobs, regrades, models, and rounds from the reference state."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kit.harbor_trees import (
    ABORTED,
    FAILED,
    JOB,
    OPTIONS,
    PASSED,
    Json,
    Play,
    Trial,
    alter,
    codes,
    imported,
    nest,
    one_draft,
    played,
    refused,
    write,
    write_task,
)

from sitegen.models.incoming import Draft, Incoming

LATER = "2026-06-19__09-00-00"
FORWARD = Play(None, None, calls=None, files={"agent/round-1-fast-forward.txt": "solved"})


def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Write one agent's runs of one task in two jobs; the later one fails."""
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial().write(tmp_path / "jobs" / JOB, PASSED)
    Trial().write(tmp_path / "jobs" / LATER, FAILED)
    return tmp_path / "jobs", tmp_path / "tasks"


def sample(start: int, play: Play, name: str, before: Play = FORWARD, **settings: Any) -> tuple[Trial, list[Play]]:  # noqa: ANN401 - any setting of a run
    """Make a run of a task of two rounds that samples one of them from the reference state."""
    config = {"multi_step_start_step": start, "multi_step_end_step": start, **settings}
    plays = [before] * (start - 1) + [play]
    steps: list[Json] = [{"step_name": f"round-{n}", "agent_execution": {}} for n in range(1, start)]
    reward = None if play.reward is None else {"rewards": {"reward": play.reward}}
    steps.append({"step_name": f"round-{start}", "verifier_result": reward, "agent_result": {"n_input_tokens": 5}})
    return Trial(name=name, config=config, result={"step_results": steps}), plays


def write_samples(jobs: Path, *samples: tuple[Trial, list[Play]]) -> None:
    for number, (trial, plays) in enumerate(samples, start=1):
        trial.write(jobs / f"2026-06-2{number}__01-00-00", *plays)


def told_of(incoming: Incoming, code: str) -> str:
    """Give what the one problem with a code says; asserts that there is no other."""
    assert codes(incoming) == [code]
    return next(problem.what for problem in incoming.problems if problem.code == code)


def states(draft: Draft) -> list[tuple[str, int, str, float]]:
    return [
        (round_result.start, round_result.round, round_result.state, round_result.reward)
        for round_result in draft.rounds
    ]


def test_trials_of_a_job_are_attempts_in_the_order_they_began(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    for name, minute, play in (("b", 1, PASSED), ("a", 2, FAILED)):
        Trial(name=name, started=f"2026-06-18T10:0{minute}:00Z").write(tmp_path / "jobs" / JOB, play)
    draft = one_draft(tmp_path / "jobs", tmp_path / "tasks")
    assert (
        draft.submission.attempts,
        [(round_result.attempt, round_result.reward) for round_result in draft.rounds],
    ) == (2, [(1, 1), (2, 0)])


def test_every_agent_keeps_its_own_number_of_attempts_and_the_track_has_the_largest(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    for model, attempts in (("demo/one", 1), ("demo/three", 3)):
        for attempt in range(attempts):
            trial = Trial(model=model, name=f"t{attempt}")
            trial.write(nest(tmp_path / "jobs", "tidy", model[5:]), PASSED)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert [draft.submission.attempts for draft in incoming.drafts] == [1, 3]
    assert incoming.benchmark.tracks[0].attempts == 3


def test_attempts_and_tasks_that_are_missing_count_0_and_are_told(tmp_path: Path) -> None:
    for task, attempts in (("neat", 2), ("tidy", 1)):
        write_task(tmp_path / "tasks", task, 1)
        for attempt in range(attempts):
            Trial(task=task, name=f"{task}{attempt}").write(tmp_path / "jobs" / JOB, PASSED)
    Trial(model="demo/beta", name="beta").write(tmp_path / "jobs" / JOB, PASSED)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    alpha, beta = incoming.drafts
    assert [(round_result.task, round_result.attempt, round_result.state) for round_result in alpha.rounds] == [
        ("neat", 1, "scored"),
        ("neat", 2, "scored"),
        ("tidy", 1, "scored"),
        ("tidy", 2, "unreached"),
    ]
    assert [(round_result.task, round_result.state) for round_result in beta.rounds] == [
        ("neat", "unreached"),
        ("tidy", "scored"),
    ]
    assert (
        told_of(incoming, "SOURCE-RUN-UNREACHED")
        == "alpha (terminus-2) at tidy: 1 of 2 attempts; beta (terminus-2) at neat: no run"
    )


def test_two_jobs_of_one_task_are_an_error_that_lists_them(tmp_path: Path) -> None:
    (error,) = refused(*pair(tmp_path))
    assert (error.code, error.what) == (
        "SOURCE-RUNS-SEVERAL",
        f"alpha (terminus-2) ran several times on the same tasks: {JOB}, {LATER}",
    )


def test_two_jobs_of_one_task_can_be_attempts(tmp_path: Path) -> None:
    draft = one_draft(*pair(tmp_path), options=replace(OPTIONS, runs="attempts"))
    assert [(round_result.attempt, round_result.reward) for round_result in draft.rounds] == [(1, 1), (2, 0)]


def test_jobs_are_in_the_order_in_which_their_trials_began(tmp_path: Path) -> None:
    """The clock in the name of a job is that of its machine, and somebody may have chosen another name."""
    write_task(tmp_path / "tasks", "tidy", 1)
    for job, hour, play in (("first", "11", PASSED), (JOB, "10", FAILED)):
        Trial(started=f"2026-06-18T{hour}:00:00Z").write(tmp_path / "jobs" / job, play)
    options = replace(OPTIONS, runs="attempts")
    draft = one_draft(tmp_path / "jobs", tmp_path / "tasks", options)
    assert [round_result.reward for round_result in draft.rounds] == [0, 1]


def test_only_the_jobs_that_share_a_task_are_asked_about(tmp_path: Path) -> None:
    folders = pair(tmp_path)
    write_task(tmp_path / "tasks", "neat", 1)
    Trial(task="neat").write(tmp_path / "jobs" / "2026-06-17__10-00-00", PASSED)
    (error,) = refused(*folders)
    assert "2026-06-17" not in error.what


def test_a_job_that_repeats_only_trials_without_a_verdict_fills_them(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    for name, play in (("a", PASSED), ("b", ABORTED), ("c", FAILED)):
        Trial(name=name).write(tmp_path / "jobs" / JOB, play)
    Trial(name="d").write(tmp_path / "jobs" / LATER, PASSED)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert [(round_result.attempt, round_result.reward) for round_result in incoming.drafts[0].rounds] == [
        (1, 1),
        (2, 1),
        (3, 0),
    ]
    assert told_of(incoming, "SOURCE-RUN-FILLED") == f"alpha (terminus-2): tidy, attempt 2, from {LATER}"
    assert f"skipped: {JOB}/b (another run of the task counts)" in incoming.notes


@pytest.mark.parametrize("copy_path", [f"{JOB}/two", f"backup/{JOB}/one"])
def test_a_copy_of_a_trial_is_no_attempt(tmp_path: Path, copy_path: str) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial(name="one").write(tmp_path / "jobs" / JOB, PASSED)
    shutil.copytree(tmp_path / "jobs" / JOB / "one", tmp_path / "jobs" / copy_path)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert incoming.drafts[0].submission.attempts == 1
    assert f"skipped: {copy_path} (a copy of a trial that was already read)" in incoming.notes


def test_a_copy_that_was_made_while_the_trial_ran_does_not_count(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    folder = Trial(name="one").write(tmp_path / "jobs" / JOB, PASSED)
    backup = shutil.copytree(folder, tmp_path / "jobs" / "backup" / JOB / "one")
    (backup / "result.json").unlink()
    (backup / "steps" / "round-1" / "verifier" / "reward.txt").unlink()
    draft = one_draft(tmp_path / "jobs", tmp_path / "tasks")
    assert [(round_result.attempt, round_result.state) for round_result in draft.rounds] == [(1, "scored")]


def test_copies_with_different_verdicts_are_asked_about(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    folder = Trial(name="one").write(tmp_path / "jobs" / JOB, PASSED)
    backup = shutil.copytree(folder, tmp_path / "jobs" / "later" / JOB / "one")
    steps = json.loads((backup / "result.json").read_text())["step_results"]
    alter(backup / "result.json", step_results=[steps[0] | {"verifier_result": {"rewards": {"reward": 0.0}}}])
    (error,) = refused(tmp_path / "jobs", tmp_path / "tasks")
    assert (error.code, "copies of one trial have different verdicts" in error.what) == ("SOURCE-RUNS-SEVERAL", True)
    draft = imported(tmp_path / "jobs", tmp_path / "tasks", pick="latest").drafts[0]
    assert [round_result.reward for round_result in draft.rounds] == [0]


@pytest.mark.parametrize(("pick", "reward"), [("latest", 0), ("first", 1)])
def test_one_of_two_jobs_can_be_picked_and_that_is_noted(tmp_path: Path, pick: Any, reward: float) -> None:  # noqa: ANN401 - any setting of a run
    incoming = imported(*pair(tmp_path), pick=pick)
    (draft,) = incoming.drafts
    assert ([round_result.reward for round_result in draft.rounds], draft.submission.attempts) == ([reward], 1)
    assert told_of(incoming, "SOURCE-RUN-REPLACED") == f"alpha (terminus-2): {JOB if pick == 'latest' else LATER}"


def test_jobs_of_other_years_are_in_order_as_well(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    for job, play in (("2026-12-31__23-00-00", FAILED), ("2027-01-01__01-00-00", PASSED)):
        Trial().write(tmp_path / "jobs" / job, play)
    assert imported(tmp_path / "jobs", tmp_path / "tasks", pick="latest").drafts[0].rounds[0].solved


def regrade(tmp_path: Path, *names: str, play: Play = FAILED) -> tuple[Path, Path]:
    """Write a passed run, and trials that judge it again."""
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial(version="0.24.0").write(tmp_path / "jobs" / JOB, PASSED)
    for number, name in enumerate(names):
        source_trial = {"action": "regrade", "type": "local", "trial_id": f"id-{JOB}-tidy__abcdefg"}
        again = Trial(
            name=name, version="0.24.0", config={"source_trial": source_trial}, started=f"2026-06-20T1{number}:00:00Z"
        )
        again.write(tmp_path / "jobs" / LATER, replace(play, calls=None))
    return tmp_path / "jobs", tmp_path / "tasks"


def test_a_regrade_takes_the_place_of_the_run_and_keeps_what_the_run_took(tmp_path: Path) -> None:
    incoming = imported(*regrade(tmp_path, "again"))
    (draft,) = incoming.drafts
    assert [
        (round_result.attempt, round_result.reward, round_result.interactions, round_result.turns)
        for round_result in draft.rounds
    ] == [(1, 0, 3, 2)]
    assert f"regraded: {JOB}/tidy__abcdefg in {LATER}/again" in incoming.notes


def test_a_run_that_was_judged_again_twice_needs_a_choice(tmp_path: Path) -> None:
    folders = regrade(tmp_path, "one", "two")
    assert [error.code for error in refused(*folders)] == ["SOURCE-RUNS-SEVERAL"]
    assert imported(*folders, pick="latest").drafts[0].submission.attempts == 1


def test_a_regrade_whose_run_is_not_here_stands_for_itself(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    source_trial = {"action": "regrade", "type": "local", "path": "/home/eval/jobs/elsewhere/tidy__gone"}
    Trial(config={"source_trial": source_trial}).write(tmp_path / "jobs" / JOB, PASSED)
    assert one_draft(tmp_path / "jobs", tmp_path / "tasks").rounds[0].solved


def test_retries_that_the_runner_made_are_noted(tmp_path: Path) -> None:
    played(tmp_path, PASSED)
    write(tmp_path / "jobs" / JOB / "result.json", {"n_total_trials": 1, "stats": {"n_retries": 2}})
    notes = imported(tmp_path / "jobs", tmp_path / "tasks").notes
    assert f"job {JOB}: 2 trials run again; the runner keeps only the last run" in notes


def test_runs_from_the_reference_state_alone_make_a_track_of_such_rounds(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 2)
    write_samples(tmp_path / "jobs", sample(1, PASSED, "one"), sample(2, FAILED, "two"))
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    (track,), (draft,) = incoming.benchmark.tracks, incoming.drafts
    assert (track.id, track.protocol, track.reference_rounds, track.headline, track.columns) == (
        "official",
        "fail-stop",
        True,
        "sr",
        ("sr",),
    )
    assert states(draft) == [
        ("own", 1, "fast_forwarded", 0),
        ("own", 2, "unreached", 0),
        ("reference", 1, "scored", 1),
        ("reference", 2, "scored", 0),
    ]
    assert draft.id == "2026-06-22-alpha"


def test_rounds_from_the_reference_state_stand_beside_the_run_on_a_track_of_their_own(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 2)
    Trial().write(tmp_path / "jobs" / JOB, PASSED, FAILED)
    Trial(model="demo/beta", name="beta").write(tmp_path / "jobs" / JOB, PASSED, FAILED)
    write_samples(tmp_path / "jobs", sample(1, PASSED, "one"), sample(2, PASSED, "two"))
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert [(draft.id, draft.submission.track) for draft in incoming.drafts] == [
        ("2026-06-18-alpha", "official"),
        ("2026-06-18-beta", "official"),
        ("2026-06-22-alpha-reference", "official-reference"),
    ]
    assert [(track.id, track.protocol, track.tasks) for track in incoming.benchmark.tracks] == [
        ("official", "chain", "official"),
        ("official-reference", "fail-stop", "official"),
    ]
    assert states(incoming.drafts[2]) == [
        ("own", 1, "scored", 1),
        ("own", 2, "scored", 0),
        ("reference", 1, "scored", 1),
        ("reference", 2, "scored", 1),
    ]


def test_a_round_that_was_not_run_from_the_reference_state_is_an_error_or_counts_0(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 2)
    write_samples(tmp_path / "jobs", sample(2, PASSED, "two"))
    (error,) = refused(tmp_path / "jobs", tmp_path / "tasks")
    assert (error.code, error.what) == ("SOURCE-RUN-MISSING", "alpha (terminus-2) at tidy: round 1 of 2")
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks", options=replace(OPTIONS, allow_missing=True))
    assert codes(incoming) == ["SOURCE-RUN-UNREACHED"]
    assert states(incoming.drafts[0])[2:] == [("reference", 1, "unreached", 0), ("reference", 2, "scored", 1)]


def test_a_reference_solution_that_fails_makes_no_sample(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 2)
    broken, plays = sample(2, PASSED, "two")
    steps = [{"step_name": "round-1", "exception_info": {"exception_type": "RuntimeError"}}]
    write_samples(
        tmp_path / "jobs", sample(1, PASSED, "one"), (replace(broken, result={"step_results": steps}), plays[:1])
    )
    problems = {error.code for error in refused(tmp_path / "jobs", tmp_path / "tasks")}
    assert problems == {"SOURCE-RUN-MISSING"}
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks", options=replace(OPTIONS, allow_missing=True))
    assert codes(incoming) == ["SOURCE-REFERENCE-FAILED", "SOURCE-RUN-UNREACHED"]


def test_an_aborted_sample_is_a_sample(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 2)
    write_samples(tmp_path / "jobs", sample(1, PASSED, "one"), sample(2, ABORTED, "two"))
    draft = one_draft(tmp_path / "jobs", tmp_path / "tasks")
    assert states(draft)[3] == ("reference", 2, "aborted", 0)


def test_one_of_several_samples_of_a_round_has_to_be_picked(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 2)
    write_samples(tmp_path / "jobs", sample(1, PASSED, "one"), sample(2, PASSED, "two"), sample(2, FAILED, "three"))
    (error,) = refused(tmp_path / "jobs", tmp_path / "tasks")
    assert (error.code, "round 2 of tidy from the reference state" in error.what) == ("SOURCE-RUNS-SEVERAL", True)
    draft = imported(tmp_path / "jobs", tmp_path / "tasks", pick="first").drafts[0]
    assert states(draft)[3] == ("reference", 2, "scored", 1)


def test_rounds_that_the_reference_did_are_told_by_their_files_where_nothing_else_is_left(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 2)
    for job, plays in ((JOB, (FORWARD, PASSED)), (LATER, (PASSED, PASSED))):
        Trial(version="none").write(nest(tmp_path / "jobs", "tidy", "alpha", job), *plays)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks", options=replace(OPTIONS, allow_missing=True))
    assert states(incoming.drafts[1])[3] == ("reference", 2, "scored", 1)


def test_a_run_that_was_told_to_end_early_is_no_attempt(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 3)
    Trial().write(tmp_path / "jobs" / JOB, PASSED, PASSED, PASSED)
    Trial(name="short", config={"multi_step_end_step": 2}).write(tmp_path / "jobs" / JOB, PASSED, PASSED)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert (incoming.drafts[0].submission.attempts, codes(incoming)) == (1, ["SOURCE-RUN-NOT-COUNTED"])


@pytest.mark.parametrize("config", [{"verifier": {"disable": True}}, {"install_only": True}])
def test_a_run_that_was_not_checked_is_passed_over(tmp_path: Path, config: Json) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial().write(tmp_path / "jobs" / JOB, PASSED)
    Trial(name="unchecked", config=config).write(tmp_path / "jobs" / JOB, replace(PASSED, reward=None))
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert incoming.drafts[0].submission.attempts == 1
    assert f"skipped: {JOB}/unchecked (it was run without verification)" in incoming.notes


@pytest.mark.parametrize(("rounds", "expected_codes"), [(2, ["SOURCE-CONDITIONS-DIFFER"]), (1, [])])
def test_an_agent_that_keeps_its_session_between_rounds_is_warned_of(
    tmp_path: Path, rounds: int, expected_codes: list[str]
) -> None:
    """Since 0.24 that can be asked for; what such an agent used in a round may be told with the rounds before."""
    trial = Trial(version="0.24.0", config={"agent": {"resume_trajectory": True}})
    assert codes(played(tmp_path, *[PASSED] * rounds, trial=trial)) == expected_codes


@pytest.mark.parametrize("config", [{"extra_instructions": "Be quick"}, {"extra_instruction_paths": ["/home/x.md"]}])
def test_a_run_that_was_told_more_than_the_task_is_warned_of(tmp_path: Path, config: Json) -> None:
    assert codes(played(tmp_path, PASSED, trial=Trial(config=config))) == ["SOURCE-CONDITIONS-DIFFER"]
