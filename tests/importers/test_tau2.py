"""Simulation files of tau2-bench: every kind of file, and what is odd in one."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from kit.tau2_trees import MESSAGES, results, simulation, write

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.tree import SourceTree
from sitegen.importers.tau2.files import find_files
from sitegen.importers.tau2.source import FORMAT, read_tau2
from sitegen.models.incoming import Draft, Incoming
from sitegen.problems import ProblemsError, UsageError

TODAY = date(2026, 7, 1)


def read(source: Path, **options: Any) -> Incoming:  # noqa: ANN401 - fields of `ImportOptions`
    return read_tau2(source, ImportOptions(TODAY, "mine", "main", **options))


def refused(source: Path, **options: Any) -> set[str]:  # noqa: ANN401 - as above
    """Return the codes of the errors that a source is refused for."""
    with pytest.raises(ProblemsError) as error:
        read(source, **options)
    return {problem.code for problem in error.value.problems if problem.is_error}


def one(incoming: Incoming) -> Draft:
    (draft,) = incoming.drafts
    return draft


def rewards(draft: Draft) -> dict[tuple[str, int], float | None]:
    """Return the reward of each try; None where it came to no verdict."""
    return {
        (round_result.task, round_result.attempt): round_result.reward if round_result.state == "scored" else None
        for round_result in draft.rounds
    }


def codes(incoming: Incoming) -> set[str]:
    return {problem.code for problem in incoming.problems}


def test_a_file_is_read_with_everything_it_says(tmp_path: Path) -> None:
    path = write(tmp_path / "run.json", results([simulation("tidy"), simulation("neat", reward=0.0)]))
    incoming = read(path)
    draft = one(incoming)
    assert draft.id == "2026-06-11-ada"
    assert rewards(draft) == {("office-tidy", 1): 1, ("office-neat", 1): 0}
    tidy = draft.rounds[0]
    assert (tidy.cost_usd, tidy.agent_seconds, tidy.turns, tidy.interactions) == (0.25, 60, 2, 1)
    assert (tidy.input_tokens, tidy.output_tokens) == (230, 25)
    assert tidy.measures == {"db@tau2": 1.0, "user_cost_usd@tau2": 0.05}
    assert draft.submission.agent.model_dump(exclude_none=True) == {"name": "ada"}
    ran = draft.submission.provenance
    assert (ran.harness, ran.code_commit, ran.seeds) == ("tau2-bench", f"{'0123456789abcdef' * 2}01234567", (300,))
    (tasks,) = incoming.task_sets
    assert [(task.id, task.title, dict(task.labels)) for task in tasks.tasks] == [
        ("office-tidy", "office tidy", {"domain": "office"}),
        ("office-neat", "office neat", {"domain": "office"}),
    ]
    assert "the simulated user's part" in str(draft.submission.caveats)


def test_several_trials_are_attempts_and_have_chances(tmp_path: Path) -> None:
    trials = [simulation(task, trial, reward) for task in ("a", "b") for trial, reward in ((0, 1.0), (1, 0.0))]
    incoming = read(write(tmp_path / "run.json", results(trials)))
    assert rewards(one(incoming)) == {
        ("office-a", 1): 1,
        ("office-a", 2): 0,
        ("office-b", 1): 1,
        ("office-b", 2): 0,
    }
    (track,) = incoming.benchmark.tracks
    assert track.columns == ("resolved", "mean_reward", "pass_hat_1", "pass_hat_2")
    assert [metric.title for metric in incoming.benchmark.metrics] == ["pass^1", "pass^2"]
    single = read(write(tmp_path / "single.json", results([simulation()])))
    assert single.benchmark.metrics == ()


def test_a_trial_that_is_run_again_fills_one_without_a_verdict(tmp_path: Path) -> None:
    broken = simulation("a", 1, None, id="broken", termination_reason="infrastructure_error")
    document = results([simulation("a", 0), broken, simulation("a", 1, id="again")])
    assert rewards(one(read(write(tmp_path / "run.json", document)))) == {("office-a", 1): 1, ("office-a", 2): 1}


def test_trials_without_numbers_or_with_one_twice_are_counted(tmp_path: Path) -> None:
    loose = [simulation("a", None, reward, id=str(reward)) for reward in (1.0, 0.0)]
    assert rewards(one(read(write(tmp_path / "loose.json", results(loose))))) == {
        ("office-a", 1): 1,
        ("office-a", 2): 0,
    }
    twice = [simulation("a", 0, reward, id=str(reward)) for reward in (0.0, 1.0)]
    assert rewards(one(read(write(tmp_path / "twice.json", results(twice))))) == {
        ("office-a", 1): 0,
        ("office-a", 2): 1,
    }


@pytest.mark.parametrize(
    ("facts", "cause"),
    [
        ({"reward": None, "termination_reason": "infrastructure_error", "info": {"error": "no host"}}, "no host"),
        ({"reward": None, "termination_reason": "infrastructure_error"}, "infrastructure error"),
        ({"reward": None, "termination_reason": "agent_error"}, "agent error"),
        ({"reward": 0.0, "termination_reason": "TerminationReason.INFRASTRUCTURE_ERROR"}, "infrastructure error"),
        ({"reward": None}, "it was not graded"),
        ({"reward_info": {"reward": "high"}}, "its reward is not a number"),
        ({"reward_info": {"reward": None}}, "it was not graded"),
        ({"reward_info": "none"}, "it was not graded"),
        ({"reward": 1.0, "termination_reason": "infrastructure_error"}, "infrastructure error"),
    ],
)
def test_a_simulation_without_a_verdict_is_aborted(tmp_path: Path, facts: dict[str, Any], cause: str) -> None:
    document = results([simulation("a"), simulation("b", id="other", **facts)])
    incoming = read(write(tmp_path / "run.json", document))
    draft = one(incoming)
    assert rewards(draft) == {("office-a", 1): 1, ("office-b", 1): None}
    assert (draft.rounds[1].cause, draft.rounds[1].cost_usd) == (cause, 0.25)
    assert "SOURCE-RUN-FAILED" in codes(incoming)


def test_a_reward_of_0_for_an_early_end_counts_and_is_said(tmp_path: Path) -> None:
    early = {"reward": 0.0, "reward_basis": None, "info": {"note": "Simulation terminated prematurely."}}
    document = results([simulation("a", reward_info=early, termination_reason="max_steps"), simulation("b")])
    incoming = read(write(tmp_path / "run.json", document))
    draft = one(incoming)
    assert rewards(draft) == {("office-a", 1): 0, ("office-b", 1): 1}
    assert "SOURCE-RUN-FAILED" in codes(incoming)
    assert "office/a (max steps)" in str(draft.submission.caveats)


def test_checks_that_the_reward_is_made_of_are_cases(tmp_path: Path) -> None:
    info = {
        "reward": 0.0,
        "reward_basis": ["DB", "ENV_ASSERTION", "COMMUNICATE"],
        "db_check": {"db_match": True, "db_reward": 1.0},
        "env_assertions": [{"met": True, "env_assertion": {"func_name": "is_tidy"}}],
        "communicate_checks": [{"met": False, "info": "Monday"}, {"met": True, "info": "ten"}],
        "action_checks": [{"action_match": True, "action": {"name": "tidy"}}, {"action_match": False}],
    }
    incoming = read(write(tmp_path / "run.json", results([simulation(reward_info=info)])))
    draft = one(incoming)
    (round_result,) = draft.rounds
    assert (round_result.outcomes, round_result.passed, round_result.total) == ("ppfp", 3, 4)
    (task,) = incoming.task_sets[0].tasks
    assert [case.id for case in task.rounds[0].cases or ()] == [
        "database",
        "is_tidy",
        "communicate",
        "communicate (2)",
    ]
    assert round_result.measures == {"actions@tau2": 0.5, "user_cost_usd@tau2": 0.05}
    assert draft.submission.detail.cases == "all"


def test_checks_that_contradict_the_reward_are_left_out(tmp_path: Path) -> None:
    info = {"reward": 1.0, "reward_basis": ["DB"], "db_check": {"db_match": False, "db_reward": 0.0}}
    incoming = read(write(tmp_path / "run.json", results([simulation(reward_info=info)])))
    assert one(incoming).rounds[0].total is None
    assert "SOURCE-REWARD-CONTRADICTED" in codes(incoming)


def test_domains_of_an_agent_are_one_bundle(tmp_path: Path) -> None:
    for domain in ("office", "garden"):
        document = results([simulation("0", id=domain)], environment_info={"domain_name": domain})
        write(tmp_path / f"{domain}.json", document)
    incoming = read(tmp_path)
    assert rewards(one(incoming)) == {("garden-0", 1): 1, ("office-0", 1): 1}
    assert "Tasks of tau2-bench: garden, office." in incoming.benchmark.tracks[0].summary
    one_of_them = read(tmp_path, task_names=("garden-0",))
    assert rewards(one(one_of_them)) == {("garden-0", 1): 1}
    with pytest.raises(UsageError, match="has no task 0; it has: garden/0, office/0"):
        read(tmp_path, task_names=("0",))
    alone = read(tmp_path / "office.json", task_names=("0",))
    assert rewards(one(alone)) == {("office-0", 1): 1}


@pytest.mark.parametrize(
    ("info", "agent"),
    [
        ({"agent_info": {"llm": "openai/gpt-5", "llm_args": {"reasoning_effort": "low"}}}, ("gpt-5", None, "low")),
        ({"agent_info": {"llm": "gpt-5", "llm_args": {"reasoning": {"effort": "high"}}}}, ("gpt-5", None, "high")),
        (
            {"agent_info": {"llm": "m", "llm_args": {"thinking": {"type": "enabled", "budget_tokens": 4096}}}},
            ("m", None, "4096 thinking tokens"),
        ),
        ({"agent_info": {"llm": "m", "llm_args": {"thinking": {"type": "enabled"}}}}, ("m", None, "thinking")),
        ({"agent_info": {"llm": "a/b/m", "implementation": "llm_agent_solo"}}, ("m", "llm_agent_solo", None)),
        ({"agent_info": {"llm": "m"}, "retrieval_config": "bm25"}, ("m", "retrieval bm25", None)),
        (
            {
                "agent_info": {"llm": "openai:gpt-realtime-2", "implementation": "discrete_time_audio_native_agent"},
                "audio_native_config": {"provider": "openai", "reasoning_effort": "minimal"},
                "speech_complexity": "regular",
            },
            ("gpt-realtime-2", None, "minimal"),
        ),
    ],
)
def test_settings_belong_to_the_agent(tmp_path: Path, info: dict[str, Any], agent: tuple[str | None, ...]) -> None:
    draft = one(read(write(tmp_path / "run.json", results([simulation()], **info))))
    actual_agent = draft.submission.agent
    assert (actual_agent.name, actual_agent.scaffold, actual_agent.reasoning) == agent


def test_one_model_of_two_providers_is_two_agents(tmp_path: Path) -> None:
    for provider in ("one", "two"):
        write(tmp_path / f"{provider}.json", results([simulation()], f"{provider}/m"))
    assert {draft.submission.agent.name for draft in read(tmp_path).drafts} == {"m (one)", "m (two)"}
    assert one(read(tmp_path, model="one/m")).submission.agent.name == "m"


def test_speech_is_another_domain(tmp_path: Path) -> None:
    write(tmp_path / "text.json", results([simulation()]))
    write(tmp_path / "voice.json", results([simulation(id="v")], speech_complexity="control"))
    assert set(rewards(one(read(tmp_path)))) == {("office-tidy", 1), ("office-voice-control-tidy", 1)}


def test_an_agent_without_a_name_has_to_be_named(tmp_path: Path) -> None:
    path = write(tmp_path / "run.json", results([simulation()], agent_info={"implementation": "llm_agent"}))
    assert refused(path) == {"SOURCE-AGENT-UNKNOWN"}
    assert one(read(path, agent="Acme-1")).submission.agent.name == "Acme-1"


def test_an_unknown_price_is_no_cost(tmp_path: Path) -> None:
    draft = one(read(write(tmp_path / "run.json", results([simulation(agent_cost=0.0)]))))
    assert draft.rounds[0].cost_usd is None


def test_tokens_of_a_voice_run_come_from_its_records(tmp_path: Path) -> None:
    records = [
        {"input_tokens": 900, "output_tokens": 90},
        {"input_tokens": 5, "output_tokens": 5, "billable": False},
    ]
    voice_simulation = simulation(agent_cost=None, messages=None, agent_usage={"cost": 0.5, "records": records})
    (round_result,) = one(read(write(tmp_path / "run.json", results([voice_simulation])))).rounds
    assert (round_result.input_tokens, round_result.output_tokens, round_result.cost_usd, round_result.turns) == (
        900,
        90,
        0.5,
        None,
    )


def test_rewards_of_another_scale_are_asked_about(tmp_path: Path) -> None:
    path = write(tmp_path / "run.json", results([simulation(reward=50.0), simulation("neat", reward=100.0)]))
    assert refused(path) == {"SOURCE-SCALE-UNSTATED"}
    assert rewards(one(read(path, scale=100.0))) == {("office-tidy", 1): 0.5, ("office-neat", 1): 1}
    assert refused(write(tmp_path / "low.json", results([simulation(reward=-1.0)]))) == {"SOURCE-UNUSABLE"}


def test_several_runs_are_asked_about(tmp_path: Path) -> None:
    for day, reward in ((1, 0.0), (2, 1.0)):
        document = results([simulation(reward=reward, id=str(day), start_time=f"2026-06-1{day}T09:00:00")])
        write(tmp_path / f"{9 - day}.json", document)
    assert refused(tmp_path) == {"SOURCE-RUNS-SEVERAL"}
    assert rewards(one(read(tmp_path, runs="attempts"))) == {("office-tidy", 1): 0, ("office-tidy", 2): 1}
    assert rewards(one(read(tmp_path, pick="latest"))) == {("office-tidy", 1): 1}
    assert rewards(one(read(tmp_path, pick="first"))) == {("office-tidy", 1): 0}


def test_a_copy_counts_once_and_a_changed_copy_is_refused(tmp_path: Path) -> None:
    document = results([simulation()])
    write(tmp_path / "a.json", document)
    write(tmp_path / "b.json", document)
    write(tmp_path / "c_trimmed.json", {**document, "timestamp": "2026-06-12T10:00:00"})
    incoming = read(tmp_path)
    assert rewards(one(incoming)) == {("office-tidy", 1): 1}
    assert "skipped: b.json and 1 other place" in str(incoming.notes)
    document["simulations"][0]["reward_info"]["reward"] = 0.0
    write(tmp_path / "d_graded_again.json", document)
    assert refused(tmp_path) == {"SOURCE-RESULT-TWICE"}


def folder(root: Path, simulations: list[dict[str, Any]], **facts: object) -> Path:
    """Write a run as a folder with a file for each simulation, and an index."""
    document = results(simulations)
    for record in document["simulations"]:
        write(root / "simulations" / f"{record['id']}.json", record)
    document["simulation_index"] = [
        {
            "id": entry["id"],
            "task_id": entry["task_id"],
            "trial": entry["trial"],
            "reward": (entry["reward_info"] or {}).get("reward"),
            "termination_reason": entry["termination_reason"],
            "agent_cost": 0.25,
            "duration": 60.0,
        }
        for entry in document.pop("simulations")
    ]
    write(root / "artifacts" / "task_tidy" / "results.json", document)
    return write(root / "results.json", {**document, **facts})


def test_a_folder_of_simulations_is_a_run(tmp_path: Path) -> None:
    path = folder(tmp_path / "run", [simulation("a"), simulation("b", reward=0.0)])
    expected = {("office-a", 1): 1, ("office-b", 1): 0}
    for source in (path, path.parent, tmp_path):
        draft = one(read(source))
        assert rewards(draft) == expected
        assert all(round_result.grader_digest for round_result in draft.rounds)


def test_a_folder_without_its_simulations_has_its_index(tmp_path: Path) -> None:
    path = folder(tmp_path, [simulation("a"), simulation("b", reward=None, termination_reason="agent_error")])
    for simulation_path in (tmp_path / "simulations").iterdir():
        simulation_path.unlink()
    incoming = read(path)
    assert rewards(one(incoming)) == {("office-a", 1): 1, ("office-b", 1): None}
    assert "assumed: the index counts" in str(incoming.notes)
    assert "the index counts" in str(one(incoming).submission.caveats)


def test_an_index_that_differs_is_said(tmp_path: Path) -> None:
    path = folder(tmp_path, [simulation("a"), simulation("b")])
    document = json.loads(path.read_text("utf-8"))
    document["simulation_index"][0]["reward"] = 0.0
    document["simulation_index"][1]["id"] = "gone"
    write(path, document)
    incoming = read(path)
    assert rewards(one(incoming)) == {("office-a", 1): 1, ("office-b", 1): 1}
    assert "SOURCE-SCORE-DIFFERS" in codes(incoming)
    (message,) = [problem.what for problem in incoming.problems if problem.code == "SOURCE-SCORE-DIFFERS"]
    assert "reward 1.0, but 0.0 in the index" in message
    assert "in the index, but not among the simulations" in message


def test_lists_of_the_older_tau_bench_are_read(tmp_path: Path) -> None:
    info = {"task": {"actions": [{"name": "book_reservation", "kwargs": {}}]}, "user_cost": 0.01}
    records = [
        {"task_id": 7, "reward": reward, "info": info, "traj": MESSAGES, "trial": trial}
        for trial, reward in ((0, 1.0), (1, 0.0))
    ]
    crashed = {"task_id": 8, "reward": 0.0, "info": {"error": "no host", "traceback": "..."}, "traj": []}
    records += [{**crashed, "trial": 0}, {**records[0], "task_id": 8, "trial": 1}]
    name = "react-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_0912101010.json"
    incoming = read(write(tmp_path / name, records))
    draft = one(incoming)
    agent = draft.submission.agent
    assert (agent.name, agent.scaffold, draft.submission.provenance.harness) == ("gpt-4o", "react", "tau-bench")
    assert rewards(draft) == {
        ("airline-7", 1): 1,
        ("airline-7", 2): 0,
        ("airline-8", 1): None,
        ("airline-8", 2): 1,
    }
    assert draft.rounds[0].turns == 3
    assert "belongs to the domain airline" in str(draft.submission.caveats)
    assert draft.submission.date == TODAY
    assert "SOURCE-DATE-ASSUMED" in codes(incoming)
    retail = [{**records[0], "info": {"task": {"actions": [{"name": "exchange_delivered_order_items"}]}}}]
    retail_import = read(write(tmp_path / "other" / "mine.json", retail), agent="Acme-1")
    assert rewards(one(retail_import)) == {("retail-7", 1): 1}


def test_different_users_are_said(tmp_path: Path) -> None:
    write(tmp_path / "ada.json", results([simulation()]))
    write(tmp_path / "bob.json", results([simulation()], "demo/bob", user_info={"llm": "other"}))
    incoming = read(tmp_path)
    assert "SOURCE-CONDITIONS-DIFFER" in codes(incoming)
    assert all("office with demo/user and with other" in str(draft.submission.caveats) for draft in incoming.drafts)


def test_fewer_trials_than_planned_are_said(tmp_path: Path) -> None:
    incoming = read(write(tmp_path / "run.json", results([simulation()], num_trials=4)))
    assert "1 of 4 trials found" in str(one(incoming).submission.caveats)


def test_a_task_that_was_not_tried_is_missing(tmp_path: Path) -> None:
    document = results([simulation("a"), simulation("b")])
    del document["simulations"][1]
    path = write(tmp_path / "run.json", document)
    assert refused(path) == {"SOURCE-RUN-MISSING"}
    assert rewards(one(read(path, allow_missing=True))) == {("office-a", 1): 1, ("office-b", 1): None}


def test_nothing_that_was_scored_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "run.json", results([simulation(reward=None)]))
    with pytest.raises(ProblemsError) as error:
        read(path)
    (problem,) = [problem for problem in error.value.problems if problem.is_error]
    assert problem.code == "SOURCE-NOTHING-SCORED"
    assert "tau2 evaluate-trajs" in problem.fix


def test_a_simulation_without_a_task_is_left_out(tmp_path: Path) -> None:
    document = results([simulation("a"), simulation("b")])
    document["simulations"][1]["task_id"] = None
    document["tasks"].pop()
    incoming = read(write(tmp_path / "run.json", document))
    assert rewards(one(incoming)) == {("office-a", 1): 1}
    assert "SOURCE-LEFT-OUT" in codes(incoming)


def test_a_file_that_is_cut_off_is_named_so(tmp_path: Path) -> None:
    path = write(tmp_path / "run.json", results([simulation("a"), simulation("b")]))
    data = path.read_bytes()
    for length in (len(data) - 1, len(data) // 2, len(data) - 40):
        path.write_bytes(data[:length])
        assert refused(path) == {"SOURCE-CUT-OFF"}
    path.write_bytes(data.replace(b'"trial"', b'"trial" nonsense', 1))
    assert refused(path) == {"SOURCE-BROKEN"}


def test_nan_is_no_reward(tmp_path: Path) -> None:
    path = write(tmp_path / "run.json", results([simulation("a"), simulation("b", reward=float("nan"))]))
    assert "NaN" in path.read_text("utf-8")
    assert rewards(one(read(path))) == {("office-a", 1): 1, ("office-b", 1): None}


def test_other_files_are_not_read(tmp_path: Path) -> None:
    write(tmp_path / "package.json", {"name": "x", "info": {}})
    write(tmp_path / "list.json", [1, 2])
    assert refused(tmp_path) == {"SOURCE-EMPTY"}
    assert FORMAT.takes_files
    write(tmp_path / "run.json", results([simulation()]))
    assert [path.name for path in find_files(SourceTree(tmp_path))] == ["run.json"]


def test_transcripts_follow_the_attempts(tmp_path: Path) -> None:
    path = write(tmp_path / "run.json", results([simulation("a", 0), simulation("a", 1)]))
    made = one(read(path)).made
    assert made is not None
    transcripts = {(task, attempt): json.loads(data) for task, attempt, data in made()}
    assert transcripts.keys() == {("office-a", 1), ("office-a", 2)}
    steps = transcripts["office-a", 2]["steps"]
    assert [step["source"] for step in steps] == ["agent", "user", "agent", "agent", "user"]
    assert steps[2]["tool_calls"][0]["function_name"] == "tidy"
    assert steps[2]["observation"]["results"] == [{"source_call_id": "call_1", "content": "done"}]
