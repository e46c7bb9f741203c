"""Folders of runs: which of them are taken, under which names, and which are refused or passed over."""

from dataclasses import replace
from datetime import date, datetime
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
    refused,
    row,
    strict_rows,
    warned,
    write_beside,
    write_checkpoint,
    write_run,
)

from sitegen.importers.kit.options import Pick
from sitegen.importers.slopcodebench.source import read_slopcodebench
from sitegen.pipeline.importing import apply_import
from sitegen.problems import ProblemsError, UsageError
from sitegen.store.readers.folder import read_results


def rows_from(day: int, *problems: str) -> list[Json]:
    """Make the rows of a run that began on a day of May."""
    return [
        strict_row | {"started": f"2026-05-{day}T10:0{strict_row['idx']}:00"} for strict_row in strict_rows(*problems)
    ]


def test_the_benchmark_is_described(tmp_path: Path) -> None:
    benchmark = imported(write_run(tmp_path)).benchmark
    (track,) = benchmark.tracks
    assert (benchmark.id, benchmark.round_name, benchmark.ordered) == ("slop-code-bench", "Checkpoint", True)
    assert (track.id, track.protocol, track.attempts, track.tasks) == ("runs", "chain", 1, "runs")
    columns = "strict iso core partial solved cost_per_round net_cost minutes_per_round erosion verbosity"
    assert (track.headline, track.columns) == ("strict", (*columns.split(), "complex_share"))
    assert [(metric.id, metric.of) for metric in benchmark.metrics] == [("complex_share", "measure:complex_share")]
    early = imported(write_run(tmp_path / "early", [early_row(1)], problem_catalog={})).benchmark
    assert (early.metrics, early.tracks[0].columns) == ((), tuple(columns.split()))


def test_the_task_set_is_the_runs_own_problems(tmp_path: Path) -> None:
    (tasks,) = imported(write_run(tmp_path, strict_rows(PLANNER, DAG))).task_sets
    assert [(task.id, [task_round.n for task_round in task.rounds]) for task in tasks.tasks] == [
        (DAG, [1, 2, 3]),
        (PLANNER, [1, 2, 3]),
    ]
    assert tasks.tasks[0].digest == "v1.0@4d38d300#2"


def test_the_agent_is_what_the_configuration_tells(tmp_path: Path) -> None:
    draft = draft_of(write_run(tmp_path))
    agent = draft.submission.agent
    assert (agent.name, agent.scaffold, agent.scaffold_version, agent.reasoning) == (
        "glm-5",
        "claude_code",
        "2.0.51",
        "high",
    )
    assert draft.id == "2026-06-01-glm-5"


def test_a_version_keeps_the_digits_that_it_was_written_with(tmp_path: Path) -> None:
    """YAML would read 0.60 as a number."""
    config = CONFIG.replace("2.0.51", "0.60")
    assert draft_of(write_run(tmp_path, config=config)).submission.agent.scaffold_version == "0.60"


def test_without_a_configuration_the_summary_tells_the_agent(tmp_path: Path) -> None:
    summary = {"model": "pangu", "agent_type": "codex", "agent_version": "0.71.0", "thinking": "low"}
    run = write_run(tmp_path, config=None, result=summary | {"prompt": "just-solve"})
    agent = draft_of(run).submission.agent
    assert (agent.name, agent.scaffold, agent.scaffold_version, agent.reasoning) == ("pangu", "codex", "0.71.0", "low")
    assert imported(run).notes[1].endswith("without `config.yaml`, limits on steps or cost are unknown")


def test_without_either_a_problems_own_file_tells_the_agent(tmp_path: Path) -> None:
    run = write_beside(tmp_path, config=None)
    write_checkpoint(run, 1, tests={"checkpoint_1-Core": bucket("a")})
    info = "model_name: pangu\nagent_type: codex\nseed: 42\nsummary: {error_traceback: secret}\n"
    (run / DAG / "run_info.yaml").write_text(info, encoding="utf-8")
    submission = draft_of(run).submission
    assert (submission.agent.name, submission.agent.scaffold, submission.provenance.seeds) == ("pangu", "codex", (42,))


def test_a_run_that_tells_no_model_needs_a_name(tmp_path: Path) -> None:
    run = write_run(tmp_path, config=None)
    assert [error.code for error in refused(run)] == ["SOURCE-AGENT-UNKNOWN"]
    named = draft_of(run, replace(OPTIONS, agent="Acme-1"))
    assert (named.id, named.submission.agent.name, named.submission.agent.model) == (
        "2026-06-01-acme-1",
        "Acme-1",
        None,
    )


def test_the_importing_person_may_describe_the_agent(tmp_path: Path) -> None:
    options = replace(OPTIONS, agent="GLM 5", organization="Zhipu", reasoning="effort high", date=date(2026, 6, 30))
    draft = draft_of(write_run(tmp_path), options)
    agent = draft.submission.agent
    assert (agent.name, agent.model, agent.organization, agent.reasoning) == ("GLM 5", "glm-5", "Zhipu", "effort high")
    assert draft.id == "2026-06-30-glm-5"


def test_when_it_ran_is_kept(tmp_path: Path) -> None:
    provenance = draft_of(write_run(tmp_path)).submission.provenance
    assert provenance.started == datetime(2026, 6, 1, 10, 0, 0, 1)  # noqa: DTZ001 - the runner writes no zone
    assert provenance.finished == datetime(2026, 6, 3, 10, 7, 0, 500000)  # noqa: DTZ001 - as above
    assert (provenance.harness, provenance.task_digest) == ("slop-code-bench", "4d38d300")


def test_a_run_without_any_time_is_dated_today_with_a_warning(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1, started=None, ended=None)])
    assert draft_of(run).submission.date == OPTIONS.today
    assert "SOURCE-DATE-ASSUMED" in warned(run)


def test_caps_and_other_prompts_stand_in_the_scaffold_and_are_warned_of(tmp_path: Path) -> None:
    config = CONFIG.replace("step_limit: 0, cost_limit: 0", "step_limit: 100, cost_limit: 2.5")
    config = config.replace("just-solve", "plan_first") + "post_checkpoint_skill: {prompt: clean up, run_on: all}\n"
    run = write_run(tmp_path, config=config)
    conditions = (
        "prompt plan_first, a further prompt after each checkpoint, at most 100 steps a checkpoint, "
        "at most $2.5 a checkpoint"
    )
    assert draft_of(run).submission.agent.scaffold == f"claude_code, {conditions}"
    assert warned(run)["SOURCE-CONDITIONS-DIFFER"] == f"glm-5 ran with {conditions}"


@pytest.mark.parametrize("path", ["/a/just-solve.jinja", "configs\\prompts\\just_solve.jinja", "just-solve"])
def test_the_usual_prompt_is_no_condition(tmp_path: Path, path: str) -> None:
    config = CONFIG.replace("/home/ada/configs/prompts/just-solve.jinja", f"'{path}'")
    assert draft_of(write_run(tmp_path, config=config)).submission.agent.scaffold == "claude_code"


def test_names_of_files_are_told_without_their_folders(tmp_path: Path) -> None:
    """An unresolved configuration names its agent by a file."""
    config = "agent: /home/ada/agents/codex-0.65.0.yaml\nmodel: glm-5\nprompt_path: /home/ada/plan_first.jinja\n"
    agent = draft_of(write_run(tmp_path, config=config)).submission.agent
    assert (agent.name, agent.scaffold) == ("glm-5", "codex-0.65.0, prompt plan_first")


def test_one_shot_runs_are_refused_with_the_reason(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1, is_last=True)], config=CONFIG.replace("enabled: false", "enabled: true"))
    (error,) = refused(run)
    assert (error.code, error.what) == ("SOURCE-PROTOCOLS-MIXED", "this is a one-shot run")
    assert error.fix == (
        "leave one-shot runs out: they combine all checkpoints of a problem, and no track accepts such results"
    )


def test_a_one_shot_run_is_known_without_a_configuration(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1, is_last=True)], config=None, result={"model": "pangu"})
    assert [error.code for error in refused(run)] == ["SOURCE-PROTOCOLS-MIXED"]


def test_one_shot_runs_beside_others_are_left_out(tmp_path: Path) -> None:
    write_run(tmp_path / "plain")
    write_run(tmp_path / "shot", [row(1, is_last=True)], config=CONFIG.replace("enabled: false", "enabled: true"))
    assert len(imported(tmp_path).drafts) == 1
    assert "SOURCE-RUN-NOT-COUNTED" in warned(tmp_path)
    assert "shot: skipped, because it is a one-shot run" in imported(tmp_path).notes


def test_every_agent_of_a_source_becomes_a_bundle(tmp_path: Path) -> None:
    for name in ("glm-5", "pangu"):
        write_run(tmp_path / name / "run", config=CONFIG.replace("glm-5", name))
    assert [draft.id for draft in imported(tmp_path).drafts] == ["2026-06-01-glm-5", "2026-06-01-pangu"]


def test_one_model_can_be_picked(tmp_path: Path) -> None:
    for name in ("glm-5", "pangu"):
        write_run(tmp_path / name, config=CONFIG.replace("glm-5", name))
    options = replace(OPTIONS, model="Pangu")
    assert [draft.id for draft in imported(tmp_path, options).drafts] == ["2026-06-01-pangu"]
    assert "glm-5: skipped, because it is a run of glm-5" in imported(tmp_path, options).notes
    with pytest.raises(UsageError, match="no runs of model zed; it has: glm-5, pangu"):
        read_slopcodebench(tmp_path, replace(OPTIONS, model="zed"))
    with pytest.raises(UsageError, match="glm-5, pangu; choose one with --model"):
        read_slopcodebench(tmp_path, replace(OPTIONS, agent="Both"))


def test_several_runs_of_one_agent_are_asked_about(tmp_path: Path) -> None:
    write_run(tmp_path / "a", rows_from(20)[:2])
    write_run(tmp_path / "b", rows_from(10))
    (error,) = refused(tmp_path)
    assert error.code == "SOURCE-RUNS-SEVERAL"
    assert error.what == "glm-5 (claude_code, high, zhipu) ran several times on the same tasks: b, a"
    assert "--runs attempts" in error.fix
    assert "--pick latest" in error.fix


def test_runs_of_one_agent_can_be_its_attempts_in_the_order_that_they_began(tmp_path: Path) -> None:
    write_run(tmp_path / "a", rows_from(20)[:2])
    write_run(tmp_path / "b", rows_from(10))
    write_run(tmp_path / "c", rows_from(15), config=CONFIG.replace("glm-5", "pangu"))
    incoming = imported(tmp_path, replace(OPTIONS, runs="attempts"))
    pangu_draft, glm_draft = incoming.drafts
    assert incoming.benchmark.tracks[0].attempts == 2
    assert (glm_draft.id, glm_draft.submission.attempts) == ("2026-05-20-glm-5", None)
    assert (pangu_draft.id, pangu_draft.submission.attempts) == ("2026-05-15-pangu", 1)
    assert [
        (round_result.attempt, round_result.state) for round_result in glm_draft.rounds if round_result.round == 3
    ] == [(1, "scored"), (2, "unreached")]
    assert "a: glm-5 (claude_code, high, zhipu), 2 of 3 checkpoints of 1 problem" in incoming.notes


@pytest.mark.parametrize(("pick", "states"), [("latest", ["scored", "scored", "unreached"]), ("first", ["scored"] * 3)])
def test_one_of_several_runs_can_be_picked(tmp_path: Path, pick: Pick, states: list[str]) -> None:
    write_run(tmp_path / "a", rows_from(20)[:2])
    write_run(tmp_path / "b", rows_from(10))
    draft = draft_of(tmp_path, replace(OPTIONS, pick=pick))
    assert [round_result.state for round_result in draft.rounds] == states
    assert any("was left out in favour of a later run" in caveat for caveat in draft.submission.caveats)


def test_a_run_of_the_problems_that_another_did_not_get_to_fills_it(tmp_path: Path) -> None:
    full_config = CONFIG.replace(f"[{DAG}]", f"[{DAG}, {PLANNER}]")
    write_run(tmp_path / "a", rows_from(10, DAG), config=full_config)
    write_run(tmp_path / "b", rows_from(11, PLANNER), config=CONFIG.replace(DAG, PLANNER))
    draft = draft_of(tmp_path)
    assert [(round_result.task, round_result.attempt, round_result.state) for round_result in draft.rounds] == [
        *[(DAG, 1, "scored")] * 3,
        *[(PLANNER, 1, "scored")] * 3,
    ]
    assert any(f"{PLANNER}, attempt 1, from b" in caveat for caveat in draft.submission.caveats)


def test_attempts_at_other_problems_are_asked_about(tmp_path: Path) -> None:
    full_config = CONFIG.replace(f"[{DAG}]", f"[{DAG}, {PLANNER}]")
    write_run(tmp_path / "a", rows_from(10, DAG, PLANNER), config=full_config)
    write_run(tmp_path / "b", rows_from(11, DAG))
    attempts = replace(OPTIONS, runs="attempts")
    (error,) = refused(tmp_path, attempts)
    assert error.code == "SOURCE-RUN-MISSING"
    assert f"{PLANNER} (attempt 2)" in error.what
    draft = draft_of(tmp_path, replace(attempts, allow_missing=True))
    assert [round_result.state for round_result in draft.rounds if round_result.attempt == 2] == ["scored"] * 3 + [
        "unreached"
    ] * 3
    assert any(f"{PLANNER} (attempt 2)" in caveat for caveat in draft.submission.caveats)


@pytest.mark.parametrize(
    ("old_text", "new_text", "names"),
    [
        ("thinking: high", "thinking: low", ["high", "low"]),
        ("thinking_max_tokens: null", "thinking_max_tokens: 8000", ["high", "at most 8000 tokens"]),
    ],
)
def test_a_model_with_two_settings_is_two_agents(
    tmp_path: Path, old_text: str, new_text: str, names: list[str]
) -> None:
    write_run(tmp_path / "a", rows_from(10))
    write_run(tmp_path / "b", rows_from(11), config=CONFIG.replace(old_text, new_text))
    agents = [draft.submission.agent for draft in imported(tmp_path).drafts]
    assert [(agent.name, agent.reasoning) for agent in agents] == [("glm-5", name) for name in names]


def test_a_model_of_two_providers_is_two_agents(tmp_path: Path) -> None:
    write_run(tmp_path / "a", rows_from(10))
    write_run(tmp_path / "b", rows_from(11), config=CONFIG.replace("provider: zhipu", "provider: acme"))
    agents = [draft.submission.agent.name for draft in imported(tmp_path).drafts]
    assert agents == ["glm-5 (zhipu)", "glm-5 (acme)"]


def test_runs_under_other_conditions_are_another_agents(tmp_path: Path) -> None:
    later = [strict_row | {"started": "2026-05-10T11:00:00"} for strict_row in strict_rows()]
    write_run(tmp_path / "a", rows_from(10))
    write_run(tmp_path / "b", later, config=CONFIG.replace("step_limit: 0", "step_limit: 100"))
    assert [draft.id for draft in imported(tmp_path).drafts] == [
        "2026-05-10-glm-5-claude-code",
        "2026-05-10-glm-5-claude-code-at-most-100-steps-a-checkpoint",
    ]


def test_a_copy_of_a_run_is_no_second_attempt(tmp_path: Path) -> None:
    """Of two copies the one that tells of more checkpoints is taken, be the other older."""
    write_run(tmp_path / "backup", strict_rows()[:2])
    write_run(tmp_path / "run")
    assert [round_result.state for round_result in draft_of(tmp_path).rounds] == ["scored"] * 3
    assert "backup: skipped, because it is a copy of another run" in imported(tmp_path).notes
    assert "SOURCE-LEFT-OUT" in warned(tmp_path)


def test_a_run_inside_a_run_is_passed_over(tmp_path: Path) -> None:
    write_run(tmp_path / "run", rows_from(10))
    write_run(tmp_path / "run" / "old" / "run", rows_from(9))
    write_beside(tmp_path / "run" / "old" / "begun")
    write_run(tmp_path / "run" / DAG / "checkpoint_1" / "snapshot" / "outputs", rows_from(8))
    incoming = imported(tmp_path)
    assert [draft.id for draft in incoming.drafts] == ["2026-05-10-glm-5"]
    assert {f"run/old/{name}: skipped, because it is inside a run" for name in ("run", "begun")} <= set(incoming.notes)


def test_what_agents_wrote_is_no_run(tmp_path: Path) -> None:
    write_run(tmp_path / "run")
    snapshot = tmp_path / "snapshot"
    snapshot.mkdir()
    (snapshot / "config.yaml").write_text("agent: mine\n", encoding="utf-8")
    (tmp_path / "config.yaml").write_text("colour: blue\n", encoding="utf-8")
    assert len(imported(tmp_path).drafts) == 1


def test_a_run_without_a_checkpoint_is_left_out(tmp_path: Path) -> None:
    write_run(tmp_path / "run")
    write_beside(tmp_path / "stillborn")
    draft = draft_of(tmp_path)
    assert "SOURCE-RUN-NOT-COUNTED" in warned(tmp_path)
    assert draft.submission.caveats == ("Runs of this agent that produced no checkpoint are left out: stillborn.",)


@pytest.mark.parametrize("name", [".", "absent"])
def test_a_source_without_a_run_is_refused(tmp_path: Path, name: str) -> None:
    assert "SOURCE-EMPTY" in [error.code for error in refused(tmp_path / name)]


def test_agents_with_other_problems_miss_those_of_the_others(tmp_path: Path) -> None:
    write_run(tmp_path / "a", rows_from(10))
    pangu_config = CONFIG.replace("glm-5", "pangu").replace(f"[{DAG}]", f"[{DAG}, {PLANNER}]")
    write_run(tmp_path / "b", rows_from(11, DAG, PLANNER), config=pangu_config)
    incoming = imported(tmp_path)
    glm, pangu = incoming.drafts
    assert [task.id for task in incoming.task_sets[0].tasks] == [DAG, PLANNER]
    assert (glm.submission.missing, pangu.submission.missing) == ((PLANNER,), ())
    assert [round_result.task for round_result in glm.rounds] == [DAG] * 3
    assert any(f"1 of 2 problems, without {PLANNER}" in caveat for caveat in glm.submission.caveats)
    assert warned(tmp_path)["SOURCE-PART"].endswith(f"a: {DAG}; b: {DAG}, {PLANNER}")
    assert pangu.submission.caveats == ()


def test_a_standing_track_refuses_a_run_with_other_problems(tmp_path: Path) -> None:
    apply_import(imported(write_run(tmp_path / "a", rows_from(10, DAG, "eve_route_planner"))), tmp_path / "results")
    second_import = imported(write_run(tmp_path / "b", rows_from(11, DAG, PLANNER)))
    with pytest.raises(ProblemsError) as raised:
        apply_import(second_import, tmp_path / "results")
    (error,) = raised.value.problems
    assert error.code == "MERGE-TASKS-DIFFER"
    assert f"runs has 2: {DAG}, eve_route_planner; the import has 2: {DAG}, {PLANNER}" in error.what


def test_a_standing_track_takes_a_run_with_the_same_problems(tmp_path: Path) -> None:
    for name, day in (("glm-5", 10), ("pangu", 11)):
        run = write_run(tmp_path / name, rows_from(day), config=CONFIG.replace("glm-5", name))
        write_checkpoint(run, 1, tests={"checkpoint_1-Core": bucket("a", "b")})
        apply_import(imported(run), tmp_path / "results")
    results = read_results(tmp_path / "results")
    assert len(results.benchmarks[0].bundles) == 2
    assert results.all_problems() == ()


def test_claims_stand_beside_the_scores(tmp_path: Path) -> None:
    claims = tmp_path / "claims.json"
    claims.write_text('{"source": "a paper", "rows": [{"Agent": "glm-5", "strict": "66.7"}]}', encoding="utf-8")
    stated = draft_of(write_run(tmp_path / "run"), replace(OPTIONS, claims=claims)).submission.claims
    assert stated is not None
    assert (stated.source, str(stated.values["strict"])) == ("a paper", "66.7")


def test_descriptions_of_problems_become_labels(tmp_path: Path) -> None:
    run = write_run(tmp_path, strict_rows(DAG, PLANNER))
    for problem, difficulty in ((DAG, "Easy"), (PLANNER, "Hard")):
        write_checkpoint(run, 1, problem)
        text = f"category: games\ndifficulty: {difficulty}\ndescription: secret\npath: /home/ada\n"
        (run / problem / "problem.yaml").write_text(text, encoding="utf-8")
    incoming = imported(run)
    assert incoming.task_sets[0].tasks[0].labels == {"category": "games", "difficulty": "Easy"}
    assert incoming.benchmark.axes["difficulty"].values == ("Easy", "Hard")
    assert incoming.benchmark.tracks[0].groupings == ("difficulty",)
