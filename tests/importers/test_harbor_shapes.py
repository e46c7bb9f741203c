"""Shapes of the runner's files that differ from version to version and from one way of running to another."""

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from kit.harbor_trees import (
    JOB,
    OPTIONS,
    PASSED,
    Json,
    Play,
    Trial,
    alter,
    imported,
    one_draft,
    played,
    rounds_of,
    write,
    write_task,
)

from sitegen.importers.harbor.causes import describe_exception
from sitegen.problems import ProblemsError

REFERENCES: list[Json] = [
    {"path": "/home/eval/tasks/tidy"},
    {"path": "C:\\tasks\\tidy\\"},
    {"git_url": "https://example.org/tasks.git", "git_commit_id": "0123abc", "path": "tasks/tidy"},
    {"org": "acme", "name": "tidy", "ref": "v1"},
]


@pytest.mark.parametrize("reference", REFERENCES)
def test_a_task_may_come_from_a_folder_a_repository_or_a_package(tmp_path: Path, reference: Json) -> None:
    trial = Trial(result={"task_id": reference, "task_name": "a task of the same name as no other"})
    write_task(tmp_path / "tasks", "tidy", 1)
    write_task(tmp_path / "tasks", "neat", 1)
    folder = replace(trial, config={"task": {}}).write(tmp_path / "jobs" / JOB, PASSED)
    (folder.parent / "lock.json").unlink()
    options = replace(OPTIONS, allow_missing=True)
    assert [round_result.task for round_result in one_draft(tmp_path / "jobs", tmp_path / "tasks", options).rounds] == [
        "tidy"
    ]


@pytest.mark.parametrize("model_info", [None, {"name": "alpha", "provider": None}, {"name": "alpha"}])
def test_a_model_may_come_without_its_provider(tmp_path: Path, model_info: Json | None) -> None:
    info = {"name": "terminus-2", "version": "2.0.0", "model_info": model_info}
    (draft,) = played(tmp_path, PASSED, trial=Trial(result={"agent_info": info})).drafts
    assert draft.submission.agent.name == "alpha"


@pytest.mark.parametrize("agent", [{"name": None, "import_path": "my.agents:ScriptedTerminus"}, {"name": None}])
def test_settings_that_leave_out_what_is_usual_lose_no_agent(tmp_path: Path, agent: Json) -> None:
    """Since 0.24 a setting that is at its default is not written."""
    trial = Trial(version="0.24.0", config={"agent": agent})
    assert played(tmp_path, PASSED, trial=trial).drafts[0].submission.agent.scaffold == "terminus-2"


def test_an_agent_that_the_runner_does_not_know_by_a_name_goes_by_its_class(tmp_path: Path) -> None:
    agent = {"name": None, "import_path": "my.agents:ScriptedTerminus"}
    trial = Trial(config={"agent": agent}, result={"agent_info": None})
    scaffold = played(tmp_path, Play(calls=None), trial=trial).drafts[0].submission.agent.scaffold
    assert scaffold == "ScriptedTerminus"


STALE: list[Json] = [
    {"stats": {"n_trials": 9, "n_errors": 9}},
    {"stats": {"n_running_trials": 3, "n_pending_trials": 2}, "finished_at": None, "updated_at": "2026-06-18T12:00:00"},
    {"status": {"n_errored_trials": 4}, "started_at": "2026-06-18T12:00:00"},
    {"stats": {"evals": {"a__b__c__not_1234": {"n_errors": 1, "metrics": [{"mean": 1.0}], "pass_at_k": {"2": 1.0}}}}},
    {"stats": {"evals": {"a__b__adhoc": {"reward_stats": {"reward": {"0.5": ["x"]}}, "exception_stats": {}}}}},
]


@pytest.mark.parametrize("changes", STALE)
def test_what_a_job_says_of_its_trials_changes_nothing(tmp_path: Path, changes: Json) -> None:
    """Its counters can be of another version or of a job that was killed, its times are of no zone, its means are
    over other rounds, and its keys fall apart where a name holds two underscores."""
    incoming = played(tmp_path, PASSED)
    alter(tmp_path / "jobs" / JOB / "result.json", **changes)
    assert imported(tmp_path / "jobs", tmp_path / "tasks") == incoming


def test_token_ids_of_a_whole_run_are_passed_over_in_little_memory(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    folder = Trial().write(tmp_path / "jobs" / JOB, PASSED)
    step = json.loads((folder / "result.json").read_text())["step_results"][0]
    metadata = {"n_episodes": 7, "all_messages": ["x" * 1000] * 1000}
    agent = {"n_output_tokens": 5, "rollout_details": [{"ids": list(range(650_000))}], "metadata": metadata}
    alter(folder / "result.json", step_results=[step | {"agent_result": agent}])
    tracemalloc.start()
    draft = one_draft(tmp_path / "jobs", tmp_path / "tasks")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (draft.rounds[0].turns, draft.rounds[0].output_tokens) == (7, 5)
    assert peak < 4_000_000 < (folder / "result.json").stat().st_size


@pytest.mark.parametrize("error", ["RuntimeError", "HealthcheckError"])
def test_a_round_whose_set_up_failed_was_aborted_and_ends_the_run(tmp_path: Path, error: str) -> None:
    """Its folders are there and empty."""
    play = Play(None, None, error=error, calls=None)
    write_task(tmp_path / "tasks", "tidy", 3)
    folder = Trial().write(tmp_path / "jobs" / JOB, PASSED, play)
    for name in ("agent", "verifier"):
        (folder / "steps" / "round-2" / name).mkdir()
    rounds = one_draft(tmp_path / "jobs", tmp_path / "tasks").rounds
    assert [round_result.state for round_result in rounds] == ["scored", "aborted", "unreached"]
    assert (rounds[1].cause or "").startswith(error)


@pytest.mark.parametrize(
    ("exception", "why"),
    [
        ("AgentTimeoutError", "the agent used up its budget"),
        ("litellm.exceptions.ContextWindowExceededError", "the agent used up its budget"),
        ("VerifierTimeoutError", "the verifier failed"),
        ("RewardFileNotFoundError", "the verifier failed"),
        ("RewardFileEmptyError", "the verifier failed"),
        ("VerifierOutputParseError", "the verifier failed"),
        ("AddTestsDirError", "the verifier failed"),
        ("DownloadVerifierDirError", "the verifier failed"),
        ("AgentSetupTimeoutError", "the sandbox failed"),
        ("EnvironmentStartTimeoutError", "the sandbox failed"),
        ("HealthcheckError", "the sandbox failed"),
        ("CancelledError", "the run was cancelled"),
        ("RateLimitError", "the model's provider failed"),
    ],
)
def test_exceptions_are_told_with_what_failed(exception: str, why: str) -> None:
    assert describe_exception(exception) == f"{exception}: {why}"


@pytest.mark.parametrize("exception", ["NonZeroAgentExitCodeError", "RuntimeError", "MyError"])
def test_exceptions_that_may_mean_anything_are_named_alone(exception: str) -> None:
    assert describe_exception(exception) == exception


def test_a_rounds_name_may_be_written_in_other_letters(tmp_path: Path) -> None:
    trial = Trial(names=["Round-1", "round-2"])
    write_task(tmp_path / "tasks", "tidy", ["round-1", "Round-2"])
    trial.write(tmp_path / "jobs" / JOB, PASSED, PASSED)
    assert [round_result.state for round_result in one_draft(tmp_path / "jobs", tmp_path / "tasks").rounds] == [
        "scored",
        "scored",
    ]


def test_a_verdict_without_rewards_is_none(tmp_path: Path) -> None:
    (only,) = rounds_of(tmp_path, Play(None, None, rewards={}, error="RewardFileEmptyError"))
    cause = "RewardFileEmptyError: the verifier failed; the verifier left no reward"
    assert (only.state, only.cause) == ("aborted", cause)


def test_files_with_names_like_those_of_verdicts_are_none(tmp_path: Path) -> None:
    names = ("reward-details.json", "rewards.json", "results.json", "test-stderr.txt")
    files = {f"verifier/{name}": '{"reward": 1}' for name in names}
    (only,) = rounds_of(tmp_path, Play(None, None, log="", files=files), trial=Trial(version="none"))
    assert (only.state, only.reward) == ("aborted", 0)


@pytest.mark.parametrize("missing", ["started_at", "finished_at"])
def test_a_clock_that_was_read_once_tells_no_time(tmp_path: Path, missing: str) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    folder = Trial().write(tmp_path / "jobs" / JOB, PASSED)
    step = json.loads((folder / "result.json").read_text())["step_results"][0]
    step["agent_execution"][missing] = None
    alter(folder / "result.json", step_results=[step | {"verifier": None}])
    (only,) = one_draft(tmp_path / "jobs", tmp_path / "tasks").rounds
    assert (only.agent_seconds, only.verifier_seconds) == (None, None)


@pytest.mark.parametrize(
    ("version", "is_told"),
    [("0.7.1", True), ("0.13.0", True), ("0.23.0", True), ("0.24.0", False), ("0.25.0", False), ("0.26.3", False)],
)
def test_versions_of_the_runner_are_compared_as_numbers(tmp_path: Path, version: str, *, is_told: bool) -> None:
    played(tmp_path, PASSED)
    alter(tmp_path / "jobs" / JOB / "lock.json", harbor={"version": version})
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert [problem.code for problem in incoming.problems] == ["HARBOR-VERIFIER-EXPOSED"] * is_told
    assert incoming.drafts[0].submission.provenance.harness_version == version


def test_a_newer_version_is_read_with_a_caveat_that_names_both(tmp_path: Path) -> None:
    folder = tmp_path / "jobs" / JOB
    played(tmp_path, PASSED)
    alter(folder / "lock.json", harbor={"version": "1.0.0"})
    alter(folder / "tidy__abcdefg" / "result.json", schema_version=2)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert {problem.code for problem in incoming.problems} == {"SOURCE-VERSION-NEWER"}
    (caveat,) = incoming.drafts[0].submission.caveats
    assert "Harbor 1.0.0; the newest supported version is 0.26" in caveat
    assert "Harbor's format of results 2; the newest supported version is 1" in caveat


def test_the_commit_that_the_runner_was_installed_from_is_kept(tmp_path: Path) -> None:
    played(tmp_path, PASSED)
    alter(tmp_path / "jobs" / JOB / "lock.json", harbor={"version": "0.25.0", "git_commit_hash": "0123abc"})
    assert one_draft(tmp_path / "jobs", tmp_path / "tasks").submission.provenance.code_commit == "0123abc"


def test_a_lock_of_several_tasks_tells_each_its_own_checksum(tmp_path: Path) -> None:
    """The older checksum in a result changes with whatever lies in the task's folder: it is not taken."""
    locked = []
    for number, name in enumerate(("neat", "tidy")):
        write_task(tmp_path / "tasks", name, 1)
        Trial(task=name, result={"task_checksum": "f" * 64}).write(tmp_path / "jobs" / JOB, PASSED)
        locked.append({"task": {"name": name, "digest": f"sha256:{number}"}})
    write(tmp_path / "jobs" / JOB / "lock.json", {"harbor": {"version": "0.16.0"}, "trials": locked})
    (tasks,) = imported(tmp_path / "jobs", tmp_path / "tasks").task_sets
    assert {task.id: task.digest for task in tasks.tasks} == {"neat": "sha256:0", "tidy": "sha256:1"}


def test_a_task_is_titled_by_its_metadata_and_not_by_its_package(tmp_path: Path) -> None:
    """A search for the first `name` of the file finds the package's."""
    text = 'version = "1.0"\n[task]\nname = "org/package"\n[metadata]\nname = "Tidy ledger"\n[[steps]]\nname = "a"\n'
    write(tmp_path / "tasks" / "tidy" / "task.toml", text)
    Trial(names=["a"], result={"task_name": "org/package"}).write(tmp_path / "jobs" / JOB, PASSED)
    (task,) = imported(tmp_path / "jobs", tmp_path / "tasks").task_sets[0].tasks
    assert (task.id, task.title) == ("tidy", "Tidy ledger")


@pytest.mark.parametrize("version", ["1.0", "1.2", "1.4", "1.5", "1.6", "1.7", "1.8", "2.0"])
def test_transcripts_of_every_version_are_read(tmp_path: Path, version: str) -> None:
    """Newer ones hold pictures and sound in parts of a message, and keys that nobody here knows."""
    message_parts = [{"type": "text", "text": "ok"}, {"type": "audio", "source": {"path": "a.wav"}}]
    steps: list[Json] = [
        {"step_id": 1, "source": "user", "message": message_parts},
        {
            "step_id": 2,
            "source": "agent",
            "message": message_parts,
            "reasoning_effort": 3,
            "tool_calls": [{"arguments": {}}],
        },
        {"step_id": 3, "source": "agent", "message": "what can't be read is a reply all the same", "novel": [{}]},
        {"step_id": 4, "source": "agent", "message": "", "tool_calls": [{"function_name": "mark_task_complete"}]},
        {"step_id": 5, "source": "agent", "message": "", "tool_calls": [{"function_name": "mark_task_complete"}]},
    ]
    text = json.dumps({"schema_version": f"ATIF-v{version}", "agent": {"name": "terminus-2"}, "steps": steps})
    play = Play(calls=None, files={"agent/trajectory.json": text})
    (only,) = rounds_of(tmp_path, play, trial=Trial(version="none"))
    assert (only.interactions, only.turns) == (3, 4)


def test_a_reference_solution_that_failed_is_told_by_its_file_alone(tmp_path: Path) -> None:
    """Of a failed round there is nothing else; the sample after it was never made."""
    write_task(tmp_path / "tasks", "tidy", 2)
    folder = Trial(version="none").write(tmp_path / "jobs" / "tidy" / "harbor_jobs" / "alpha" / JOB, PASSED)
    (folder / "steps" / "round-1" / "agent" / "trajectory.json").unlink()
    for path in (folder / "steps" / "round-1" / "verifier").iterdir():
        path.unlink()
    write(folder / "steps" / "round-1" / "agent" / "round-1-fast-forward.txt", "solving")
    write(folder / "steps" / "round-1" / "agent" / "round-1-fast-forward-exit-code.txt", "1")
    with pytest.raises(ProblemsError) as raised:
        imported(tmp_path / "jobs", tmp_path / "tasks")
    assert {problem.code for problem in raised.value.problems} == {"SOURCE-REFERENCE-FAILED", "SOURCE-EMPTY"}
