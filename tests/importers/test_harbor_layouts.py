"""Where Harbor's runs lie and how they are named: versions, nestings, and what else lies in a tree."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from kit.harbor_trees import (
    FAILED,
    JOB,
    OPTIONS,
    PASSED,
    Json,
    Trial,
    Version,
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

from sitegen.problems import UsageError

LONG = "theme_d10_w4_ml_ai_mlops_migration"
"""The runner cuts names at 32 characters, where this task and the next are still the same."""


FLAT: list[Version] = ["0.5.0", "0.9.0", "0.24.0"]


@pytest.mark.parametrize(
    ("version", "nested"),
    [*((version, False) for version in FLAT), *((nested_version, True) for nested_version in (*FLAT, "none"))],
)
def test_every_version_gives_the_same_rounds(tmp_path: Path, version: Version, *, nested: bool) -> None:
    write_task(tmp_path / "tasks", "tidy", 3)
    job = nest(tmp_path / "jobs", "tidy", "alpha") if nested else tmp_path / "jobs" / JOB
    Trial(version=version).write(job, PASSED, FAILED)
    draft = one_draft(tmp_path / "jobs", tmp_path / "tasks")
    assert draft.id == "2026-06-18-alpha"
    assert [
        (round_result.state, round_result.reward, round_result.passed, round_result.total)
        for round_result in draft.rounds
    ] == [
        ("scored", 1, 2, 2),
        ("scored", 0, 1, 2),
        ("unreached", 0, 0, 0),
    ]
    assert [
        (round_result.interactions, round_result.turns, round_result.input_tokens, round_result.cost_usd)
        for round_result in draft.rounds
    ] == [
        (3, 2, 200, 1),
        (3, 2, 200, 1),
        (None, None, None, None),
    ]
    agent = draft.submission.agent
    assert (agent.name, agent.scaffold, agent.scaffold_version) == ("alpha", "terminus-2", "2.0.0")


@pytest.mark.parametrize(
    ("version", "runner"), [("0.5.0", None), ("0.9.0", "0.9.0"), ("0.24.0", "0.24.0"), ("none", None)]
)
def test_lock_files_tell_the_runner_and_the_tasks_checksum(
    tmp_path: Path, version: Version, runner: str | None
) -> None:
    incoming = played(tmp_path, PASSED, trial=Trial(version=version))
    provenance = incoming.drafts[0].submission.provenance
    digest = "sha256:" + "0" * 64 if runner else None
    assert (provenance.harness, provenance.harness_version, provenance.task_digest) == ("harbor", runner, digest)
    assert incoming.task_sets[0].tasks[0].digest == digest


def test_runs_of_runners_that_leave_checks_lying_about_are_warned_of(tmp_path: Path) -> None:
    old, new = (played(tmp_path / version, PASSED, trial=Trial(version=version)) for version in ("0.9.0", "0.24.0"))
    assert [problem.code for problem in old.problems] == ["HARBOR-VERIFIER-EXPOSED"]
    assert new.problems == ()


@pytest.mark.parametrize(
    "subfolder", [".", "tidy", "tidy/harbor_jobs", "tidy/harbor_jobs/alpha", f"tidy/harbor_jobs/alpha/{JOB}"]
)
def test_the_source_may_be_any_folder_above_a_trial(tmp_path: Path, subfolder: str) -> None:
    write_task(tmp_path / "tasks", "tidy")
    Trial(version="none").write(nest(tmp_path / "jobs", "tidy", "alpha"), PASSED, PASSED)
    assert one_draft(tmp_path / "jobs" / subfolder, tmp_path / "tasks").submission.agent.name == "alpha"


def test_tasks_that_lie_in_the_source_need_no_option(tmp_path: Path) -> None:
    write_task(tmp_path, "tidy")
    Trial().write(nest(tmp_path, "tidy", "alpha"), PASSED, PASSED)
    assert [task.id for task in imported(tmp_path).task_sets[0].tasks] == ["tidy"]


def test_rounds_are_in_the_order_of_the_task_and_not_of_their_names(tmp_path: Path) -> None:
    names = [f"round-{number}" for number in range(1, 11)]
    plays = [replace(PASSED, reward=0.0, cases="f" * number) for number in range(1, 11)]
    (draft,) = played(tmp_path, *plays, trial=Trial(names=names, version="none")).drafts
    assert [round_result.total for round_result in draft.rounds] == list(range(1, 11))


def test_rounds_may_lie_in_the_trials_folder_itself(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    folder = Trial(version="none").write(nest(tmp_path / "jobs", "tidy", "alpha"), PASSED)
    (folder / "steps" / "round-1").rename(folder / "round-1")
    assert one_draft(tmp_path / "jobs", tmp_path / "tasks").rounds[0].solved


def test_a_task_is_never_told_by_the_cut_name_of_a_trials_folder(tmp_path: Path) -> None:
    for name, play in ((LONG, PASSED), (LONG + "s", FAILED)):
        write_task(tmp_path / "tasks", name, 1)
        Trial(task=name, name=f"{name[:32]}__{play.reward:g}").write(tmp_path / "jobs" / JOB, play)
    draft = one_draft(tmp_path / "jobs", tmp_path / "tasks")
    assert {round_result.task: round_result.reward for round_result in draft.rounds} == {LONG: 1, LONG + "s": 0}


def test_a_run_that_nothing_tells_the_task_of_is_refused(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy")
    Trial(version="none").write(tmp_path / "jobs" / JOB, PASSED, PASSED)
    (error,) = refused(tmp_path / "jobs", tmp_path / "tasks")
    assert (error.code, "no file says which task was run" in error.what) == ("SOURCE-TASK-UNKNOWN", True)


def test_a_run_of_a_task_that_is_not_defined_can_be_left_out(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    for task in ("tidy", "neat"):
        Trial(task=task).write(tmp_path / "jobs" / JOB, PASSED)
    assert [error.code for error in refused(tmp_path / "jobs", tmp_path / "tasks")] == ["SOURCE-TASK-UNKNOWN"]
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks", options=replace(OPTIONS, allow_missing=True))
    assert codes(incoming) == ["SOURCE-LEFT-OUT"]
    assert {round_result.task for round_result in incoming.drafts[0].rounds} == {"tidy"}


LOG = "Starting step 1/3: parse\nCollecting\nStarting step 2/3: store\n"


def test_a_task_without_a_file_is_known_by_what_its_runs_call_it(tmp_path: Path) -> None:
    """Tasks of a registry or a repository are rarely beside the runs. One without steps has one round."""
    references: dict[str, Json] = {
        "acme/merge-it": {"org": "acme", "name": "merge-it", "ref": "sha256:00"},
        "Sort It": {"git_url": "https://git.example.org/tasks.git", "path": "tasks/Sort It"},
    }
    for number, (task, reference) in enumerate(references.items()):
        graded = {"step_results": None, "task_id": reference, "verifier_result": {"rewards": {"reward": number}}}
        Trial(task=task, name=f"t{number}", result=graded).write(tmp_path / "jobs" / JOB)
    incoming = imported(tmp_path / "jobs")
    (tasks,) = incoming.task_sets
    assert [(task.id, task.title, len(task.rounds)) for task in tasks.tasks] == [
        ("merge-it", "acme/merge-it", 1),
        ("sort-it", "Sort It", 1),
    ]
    assert [(round_result.task, round_result.reward) for round_result in incoming.drafts[0].rounds] == [
        ("merge-it", 0),
        ("sort-it", 1),
    ]


def test_tasks_of_two_owners_are_two_tasks(tmp_path: Path) -> None:
    for number, task in enumerate(("acme/tidy", "brook/tidy")):
        graded = {"step_results": None, "task_id": None, "verifier_result": {"rewards": {"reward": number}}}
        trial = Trial(task=task, name=f"t{number}", version="0.5.0", result=graded, config={"task": {"name": task}})
        trial.write(tmp_path / "jobs" / JOB)
    assert {round_result.task: round_result.reward for round_result in one_draft(tmp_path / "jobs").rounds} == {
        "acme-tidy": 0,
        "brook-tidy": 1,
    }


def test_the_rounds_of_a_task_without_a_file_are_those_that_the_runners_log_counts(tmp_path: Path) -> None:
    trial = Trial(names=["parse", "store"], files={"trial.log": LOG})
    folder = trial.write(tmp_path / "jobs" / JOB, PASSED, FAILED)
    write(folder / "trial.log", LOG)
    incoming = imported(tmp_path / "jobs")
    (task,) = incoming.task_sets[0].tasks
    assert [round_result.title for round_result in task.rounds] == ["parse", "store", ""]
    assert [round_result.state for round_result in incoming.drafts[0].rounds] == ["scored", "scored", "unreached"]


@pytest.mark.parametrize("asked", ["tidy", "A task"])
def test_a_task_can_be_asked_for_and_what_is_wrong_with_others_does_not_matter(tmp_path: Path, asked: str) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    write(tmp_path / "tasks" / "neat" / "task.toml", "")
    write(tmp_path / "tasks" / "idle" / "task.toml", "")
    Trial().write(tmp_path / "jobs" / JOB, PASSED)
    rewards = {"step_results": None, "verifier_result": {"rewards": {"a": 1, "b": 0}}}
    Trial(task="neat", name="neat", result=rewards).write(tmp_path / "jobs" / JOB)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks", options=replace(OPTIONS, task_names=(asked,)))
    assert [task.id for task in incoming.task_sets[0].tasks] == ["tidy"]


def test_a_task_that_is_not_there_can_not_be_asked_for(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial().write(tmp_path / "jobs" / JOB, PASSED)
    with pytest.raises(UsageError, match="the source has no task untidy; it has: tidy"):
        imported(tmp_path / "jobs", tmp_path / "tasks", options=replace(OPTIONS, task_names=("untidy",)))


def test_a_task_without_steps_is_a_chain_of_one_round_beside_chains(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 2)
    write(tmp_path / "tasks" / "neat" / "task.toml", "")
    Trial().write(tmp_path / "jobs" / JOB, PASSED, FAILED)
    graded = {"step_results": None, "verifier_result": {"rewards": {"reward": 1}}}
    Trial(task="neat", name="neat", result=graded).write(tmp_path / "jobs" / JOB)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert incoming.benchmark.tracks[0].protocol == "chain"
    rounds = [
        (round_result.task, round_result.round, round_result.reward) for round_result in incoming.drafts[0].rounds
    ]
    assert rounds == [("neat", 1, 1), ("tidy", 1, 1), ("tidy", 2, 0)]


def test_a_trial_that_left_nothing_but_its_settings_was_aborted(tmp_path: Path) -> None:
    for task in ("tidy", "neat"):
        write(tmp_path / "tasks" / task / "task.toml", "")
        graded = {"step_results": None, "verifier_result": {"rewards": {"reward": 1}}}
        folder = Trial(task=task, result=graded, name=task).write(tmp_path / "jobs" / JOB)
    (folder / "result.json").unlink()
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert [
        (round_result.task, round_result.state, round_result.cause) for round_result in incoming.drafts[0].rounds
    ] == [
        ("neat", "aborted", "the run was cut off"),
        ("tidy", "scored", None),
    ]
    assert codes(incoming) == ["SOURCE-RUN-UNFINISHED", "SOURCE-RUN-FAILED"]


def test_a_task_that_a_job_did_not_get_to_counts_0(tmp_path: Path) -> None:
    """The job's lock names every trial that it was to make."""
    for task in ("tidy", "neat"):
        write_task(tmp_path / "tasks", task, 1)
    Trial().write(tmp_path / "jobs" / JOB, PASSED)
    locked = [{"task": {"name": task}, "agent": {"name": "terminus-2"}} for task in ("tidy", "neat")]
    alter(tmp_path / "jobs" / JOB / "lock.json", trials=locked)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert [(round_result.task, round_result.state) for round_result in incoming.drafts[0].rounds] == [
        ("neat", "unreached"),
        ("tidy", "scored"),
    ]
    assert codes(incoming) == ["SOURCE-RUN-UNREACHED"]


def test_where_no_task_is_defined_the_error_tells_that_and_how_to_name_them(tmp_path: Path) -> None:
    Trial().write(tmp_path / "jobs" / JOB, PASSED)
    (error,) = refused(tmp_path / "jobs", options=replace(OPTIONS, allow_missing=True))
    assert (error.code, error.fix) == ("SOURCE-EMPTY", "name the folder of the tasks with `--tasks`")
    assert "the task.toml of its task is not known" in error.what


def test_tasks_that_nobody_ran_are_errors_or_left_out_and_recorded(tmp_path: Path) -> None:
    played(tmp_path, PASSED)
    write_task(tmp_path / "tasks", "neat")
    assert [error.code for error in refused(tmp_path / "jobs", tmp_path / "tasks")] == ["SOURCE-TASK-MISSING"]
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks", options=replace(OPTIONS, allow_missing=True))
    assert [task.id for task in incoming.task_sets[0].tasks] == ["tidy"]
    assert [finding.title for finding in incoming.findings] == ["1 of 2 tasks left out"]


def test_a_declared_name_of_a_task_is_known_as_well_as_its_folder(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1, more='[task]\nname = "acme/tidy-ledger"\n')
    Trial(task="acme/tidy-ledger", name="acme__1").write(tmp_path / "jobs" / JOB, PASSED)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert [task.id for task in incoming.task_sets[0].tasks] == ["tidy"]


def test_a_run_with_rounds_that_its_task_has_not_is_refused(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial().write(tmp_path / "jobs" / JOB, PASSED, PASSED)
    (error,) = refused(tmp_path / "jobs", tmp_path / "tasks")
    assert (error.code, "the task has no round-2" in error.what) == ("SOURCE-ROUND-UNKNOWN", True)


def test_a_run_with_other_rounds_is_left_out_beside_runs_that_fit(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial(name="one").write(tmp_path / "jobs" / JOB, PASSED)
    Trial(name="two").write(tmp_path / "jobs" / JOB, PASSED, PASSED)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert codes(incoming) == ["SOURCE-LEFT-OUT"]
    caveat = "The import left out parts of the source: tidy (the task has no round-2)."
    assert caveat in incoming.drafts[0].submission.caveats


def test_a_trial_that_says_nothing_of_its_task_is_left_out_beside_others(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial(name="one").write(tmp_path / "jobs" / JOB, PASSED)
    unknown = {"task_name": None, "task_id": None, "config": None}
    folder = Trial(name="two", version="0.5.0", result=unknown).write(tmp_path / "jobs" / "apart", PASSED)
    (folder / "config.json").unlink()
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert codes(incoming) == ["SOURCE-LEFT-OUT"]
    (caveat,) = [caveat for caveat in incoming.drafts[0].submission.caveats if "left out" in caveat]
    assert "apart/two (no file says which task was run)" in caveat


def test_a_trial_that_says_nothing_of_its_agent_is_left_out_beside_others(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial(name="one").write(tmp_path / "jobs" / JOB, PASSED)
    nameless = Trial(name="two", scaffold="", config={"agent": {"model_name": None}}, result={"agent_info": None})
    nameless.write(tmp_path / "jobs" / JOB, replace(PASSED, calls=None))
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert (incoming.drafts[0].submission.attempts, codes(incoming)) == (1, ["SOURCE-LEFT-OUT"])


def test_what_is_no_run_of_an_agent_is_passed_over_and_noted(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    job = tmp_path / "jobs" / JOB
    Trial().write(job, PASSED)
    Trial(name="tidy__abcdefg__resumed_20260421").write(job, PASSED)
    Trial(name="old").write(tmp_path / "jobs" / ".sources", PASSED)
    Trial(version="none").write(nest(tmp_path / "jobs", "tidy", "nop"), FAILED)
    Trial(name="oracle", scaffold="oracle").write(job, PASSED)
    write(job / "legacy" / "verifier" / "multiround_results.json", "[]")
    write(job / "waiting" / "config.json", {"trial_name": "waiting", "agent": {"name": "terminus-2"}})
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert [draft.id for draft in incoming.drafts] == ["2026-06-18-alpha"]
    assert sorted(note for note in incoming.notes if note.startswith("skipped")) == [
        "skipped: .sources (folder whose name begins with a dot)",
        f"skipped: {JOB}/legacy (run of the multi-turn fork, for `sitegen import harbor-multiturn`)",
        f"skipped: {JOB}/oracle and 1 other place (a baseline: no agent ran)",
        f"skipped: {JOB}/tidy__abcdefg__resumed_20260421 (backup of a run that was resumed)",
        f"skipped: {JOB}/waiting (the trial has not written anything yet)",
    ]


def test_a_baseline_is_imported_where_it_is_asked_for(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial(version="none").write(nest(tmp_path / "jobs", "tidy", "oracle"), PASSED)
    draft = one_draft(tmp_path / "jobs", tmp_path / "tasks", replace(OPTIONS, model="oracle"))
    assert draft.submission.agent.name == "oracle"


def test_a_source_without_runs_is_refused(tmp_path: Path) -> None:
    (error,) = refused(tmp_path)
    assert error.code == "SOURCE-EMPTY"


def test_a_source_of_other_runs_says_whose_they_are(tmp_path: Path) -> None:
    write(tmp_path / "one" / "verifier" / "multiround_results.json", "[]")
    (error,) = refused(tmp_path)
    note = "skipped: one (run of the multi-turn fork, for `sitegen import harbor-multiturn`)"
    assert error.what == f"no finished trial of an agent was found; {note}"


def test_a_run_that_may_go_on_is_taken_and_warned_of(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 2)
    folder = Trial().write(tmp_path / "jobs" / JOB, PASSED)
    (folder / "result.json").unlink()
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert codes(incoming) == ["SOURCE-RUN-UNFINISHED"]
    assert [round_result.state for round_result in incoming.drafts[0].rounds] == ["scored", "unreached"]


@pytest.mark.parametrize("text", ["{", "[]", '"x"', '{"step_results": 7, "config": [], "agent_info": "x"}'])
def test_a_result_that_can_not_be_used_leaves_the_files_beside_it(tmp_path: Path, text: str) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    folder = Trial().write(nest(tmp_path / "jobs", "tidy", "alpha"), PASSED)
    write(folder / "result.json", text)
    draft = one_draft(tmp_path / "jobs", tmp_path / "tasks")
    assert (draft.submission.agent.name, draft.rounds[0].solved) == ("alpha", True)


def test_keys_that_newer_runners_may_add_are_passed_over(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    folder = Trial(version="0.24.0").write(tmp_path / "jobs" / JOB, PASSED)
    step = json.loads((folder / "result.json").read_text())["step_results"][0]
    alter(folder / "result.json", step_results=[step | {"novel": {"deep": [1]}}], novel=[[1, {"a": []}]])
    assert one_draft(tmp_path / "jobs", tmp_path / "tasks").rounds[0].solved


def test_the_day_is_that_of_the_last_job_unless_it_is_given(tmp_path: Path) -> None:
    for task, job in (("tidy", "2026-06-18__10-00-00"), ("neat", "2026-06-20__09-00-00")):
        write_task(tmp_path / "tasks", task, 1)
        Trial(task=task).write(tmp_path / "jobs" / job, PASSED)
    assert one_draft(tmp_path / "jobs", tmp_path / "tasks").submission.date == date(2026, 6, 20)
    options = replace(OPTIONS, date=date(2026, 7, 7))
    assert one_draft(tmp_path / "jobs", tmp_path / "tasks", options).id == "2026-07-07-alpha"


def test_the_day_follows_from_the_runs_where_no_jobs_name_tells_it(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial(started="2026-01-02T03:04:05Z").write(tmp_path / "jobs" / "my-job", PASSED)
    assert one_draft(tmp_path / "jobs", tmp_path / "tasks").submission.date == date(2026, 1, 2)


@pytest.mark.parametrize("started", ["2031-01-02T03:04:05Z", "1970-01-01T00:00:00Z"])
def test_a_clock_that_was_never_set_is_left_out(tmp_path: Path, started: str) -> None:
    incoming = played(tmp_path, PASSED, trial=Trial(started=started))
    provenance = incoming.drafts[0].submission.provenance
    assert (provenance.started, provenance.finished, codes(incoming)) == (None, None, ["SOURCE-LEFT-OUT"])


def test_a_second_import_gives_equal_values(tmp_path: Path) -> None:
    first = played(tmp_path, PASSED, FAILED)
    assert imported(tmp_path / "jobs", tmp_path / "tasks") == first
