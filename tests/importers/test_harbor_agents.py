"""Who made Harbor's runs, when and under which conditions."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from kit.harbor_trees import (
    JOB,
    OPTIONS,
    PASSED,
    Json,
    Trial,
    Version,
    codes,
    imported,
    nest,
    one_draft,
    played,
    write,
    write_task,
)

from sitegen.problems import UsageError


def several(tmp_path: Path) -> tuple[Path, Path]:
    """Write runs of one model under two scaffolds, and of another model."""
    write_task(tmp_path / "tasks", "tidy", 1)
    for name, model, scaffold in (
        ("one", "demo/alpha", "terminus-2"),
        ("two", "demo/alpha", "openhands"),
        ("three", "demo/beta", "terminus-2"),
    ):
        Trial(name=name, model=model, scaffold=scaffold).write(tmp_path / "jobs" / JOB, PASSED)
    return tmp_path / "jobs", tmp_path / "tasks"


def test_scaffolds_of_one_model_are_agents_of_their_own_named_after_them_where_needed(tmp_path: Path) -> None:
    drafts = imported(*several(tmp_path)).drafts
    assert [(draft.id, draft.submission.agent.scaffold) for draft in drafts] == [
        ("2026-06-18-alpha-openhands", "openhands"),
        ("2026-06-18-alpha-terminus-2", "terminus-2"),
        ("2026-06-18-beta", "terminus-2"),
    ]


@pytest.mark.parametrize("model", ["beta", "demo/beta", "BETA"])
def test_one_model_can_be_taken_of_several(tmp_path: Path, model: str) -> None:
    incoming = imported(*several(tmp_path), options=replace(OPTIONS, model=model))
    assert [draft.submission.agent.name for draft in incoming.drafts] == ["beta"]
    assert any("its model was not selected" in note for note in incoming.notes)


def test_a_model_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no runs of model gamma; it has: alpha, beta"):
        imported(*several(tmp_path), options=replace(OPTIONS, model="gamma"))


def test_one_name_is_not_given_to_several_agents(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="alpha, beta; choose one with --model"):
        imported(*several(tmp_path), options=replace(OPTIONS, agent="Mine"))


def test_what_the_source_does_not_tell_of_an_agent_can_be_given(tmp_path: Path) -> None:
    options = replace(OPTIONS, model="beta", agent="Beta One", organization="Acme", reasoning="high")
    agent = imported(*several(tmp_path), options=options).drafts[0].submission.agent
    assert (agent.name, agent.model, agent.organization, agent.reasoning) == ("Beta One", "demo/beta", "Acme", "high")


def test_the_reasoning_setting_comes_from_the_agents_settings(tmp_path: Path) -> None:
    trial = Trial(config={"agent": {"kwargs": {"reasoning_effort": "xhigh", "api_key": "sk-secret"}}})
    draft = played(tmp_path, PASSED, trial=trial).drafts[0]
    assert draft.submission.agent.reasoning == "xhigh"


def drafts_with(tmp_path: Path, *settings: Json, model: str = "demo/alpha") -> list[tuple[str, str | None, int | None]]:
    """Import a trial for each setting of the agent; give the name, reasoning setting and attempts of each bundle."""
    write_task(tmp_path / "tasks", "tidy", 1)
    for number, kwargs in enumerate(settings):
        trial = Trial(name=f"t{number}", model=model, config={"agent": {"kwargs": kwargs}})
        trial.write(tmp_path / "jobs" / JOB, replace(PASSED, calls=None))
    drafts = imported(tmp_path / "jobs", tmp_path / "tasks").drafts
    return [
        (draft.submission.agent.name, draft.submission.agent.reasoning, draft.submission.attempts) for draft in drafts
    ]


def test_one_model_at_two_reasoning_settings_is_two_agents(tmp_path: Path) -> None:
    drafts = drafts_with(tmp_path, {"reasoning_effort": "low"}, {"reasoning_effort": "high"})
    assert drafts == [("alpha", "high", 1), ("alpha", "low", 1)]


def test_other_settings_tell_agents_apart_where_they_differ(tmp_path: Path) -> None:
    drafts = drafts_with(
        tmp_path,
        {"max_turns": 50, "parser": "json", "reasoning_effort": "low"},
        {"max_turns": 100, "parser": "json", "reasoning_effort": "low"},
        {"parser": "json"},
    )
    assert drafts == [("alpha", None, 1), ("alpha", "low, max_turns 100", 1), ("alpha", "low, max_turns 50", 1)]


@pytest.mark.parametrize(
    "settings",
    [
        ({"seed": 1}, {"seed": 2}),
        ({"session_id": "a"}, {"session_id": "b"}),
        ({"api_key": "one"}, {"api_key": "two"}),
        ({"base_url": "a.example.org"}, {"base_url": "b.example.org"}),
        ({"prompt": "be quick"}, {"prompt": "be slow"}),
    ],
)
def test_settings_that_make_no_other_agent_or_are_private_do_not_tell_agents_apart(
    tmp_path: Path, settings: tuple[Json, Json]
) -> None:
    assert drafts_with(tmp_path, *settings) == [("alpha", None, 2)]


def test_settings_that_differ_from_job_to_job_are_conditions_that_differ(tmp_path: Path) -> None:
    """Each job has other tasks: two agents would each lack half of them."""
    for number, task in enumerate(("tidy", "neat"), start=1):
        write_task(tmp_path / "tasks", task, 1)
        trial = Trial(task=task, config={"agent": {"kwargs": {"max_turns": 50 * number}}})
        trial.write(tmp_path / "jobs" / f"2026-06-1{number}__10-00-00", replace(PASSED, calls=None))
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    (draft,) = incoming.drafts
    assert ({round_result.state for round_result in draft.rounds}, codes(incoming)) == (
        {"scored"},
        ["SOURCE-CONDITIONS-DIFFER"],
    )
    assert any("settings of the agent max_turns 100, max_turns 50" in caveat for caveat in draft.submission.caveats)


def test_one_model_of_two_providers_is_two_agents(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    for name, model in (("a", "anthropic/claude-x"), ("b", "openrouter/anthropic/claude-x")):
        Trial(name=name, model=model).write(tmp_path / "jobs" / JOB, replace(PASSED, calls=None))
    drafts = imported(tmp_path / "jobs", tmp_path / "tasks").drafts
    assert [draft.submission.agent.name for draft in drafts] == ["claude-x (anthropic)", "claude-x (openrouter)"]


def test_a_model_that_is_told_without_its_provider_is_that_of_the_only_one(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    for name, model in (("a", "anthropic/claude-x"), ("b", "claude-x")):
        trial = Trial(name=name, model=model, result={"agent_info": {"name": "terminus-2"}})
        trial.write(tmp_path / "jobs" / JOB, replace(PASSED, calls=None))
    (draft,) = imported(tmp_path / "jobs", tmp_path / "tasks").drafts
    assert (draft.submission.agent.name, draft.submission.attempts) == ("claude-x", 2)


def test_a_trial_that_was_cut_off_is_that_of_the_agent_of_its_class(tmp_path: Path) -> None:
    """The name of an agent of one's own stands in results alone."""
    write_task(tmp_path / "tasks", "tidy", 1)
    config = {"agent": {"name": None, "import_path": "my.agents:Mine"}}
    for name in ("a", "b"):
        trial = Trial(name=name, scaffold="mine", config=config)
        folder = trial.write(tmp_path / "jobs" / JOB, replace(PASSED, calls=None))
    (folder / "result.json").unlink()
    (draft,) = imported(tmp_path / "jobs", tmp_path / "tasks").drafts
    assert (draft.submission.agent.scaffold, draft.submission.attempts) == ("mine", 2)


def test_the_jobs_settings_tell_what_its_trials_do_not(tmp_path: Path) -> None:
    """A trial whose own settings were left out is that of the job's agent; of several, that of its name."""
    write_task(tmp_path / "tasks", "tidy", 1)
    folder = Trial(result={"agent_info": {"name": "codex"}, "config": None}).write(
        tmp_path / "jobs" / JOB, replace(PASSED, calls=None)
    )
    (folder / "config.json").unlink()
    codex = {"name": "codex", "model_name": "openai/gpt-5.5", "kwargs": {"reasoning_effort": "high", "version": "0.5"}}
    for other_agents in ([], [{"name": "terminus-2", "model_name": "demo/alpha"}]):
        write(folder.parent / "config.json", {"agents": [codex, *other_agents]})
        agent = one_draft(tmp_path / "jobs", tmp_path / "tasks").submission.agent
        assert (agent.name, agent.organization, agent.scaffold) == ("gpt-5.5", "OpenAI", "codex")
        assert (agent.reasoning, agent.scaffold_version) == ("high", "0.5")


def test_trials_of_a_job_that_are_not_here_are_told(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial().write(tmp_path / "jobs" / JOB, PASSED)
    write(tmp_path / "jobs" / JOB / "result.json", {"n_total_trials": 4})
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert codes(incoming) == ["SOURCE-FILE-MISSING"]
    assert any(f"{JOB} (1 of 4 trials found)" in caveat for caveat in incoming.drafts[0].submission.caveats or ())


def test_other_spellings_lead_to_the_one_name(tmp_path: Path) -> None:
    options = replace(OPTIONS, model="beta", aliases={"beta": "Beta-1"})
    incoming = imported(*several(tmp_path), options=options)
    assert (incoming.drafts[0].id, incoming.benchmark.aliases) == ("2026-06-18-beta-1", {"beta": "Beta-1"})


def test_a_run_without_the_runners_files_is_that_of_the_models_only_scaffold(tmp_path: Path) -> None:
    versions: dict[str, Version] = {"tidy": "0.9.0", "neat": "none"}
    for task, version in versions.items():
        write_task(tmp_path / "tasks", task, 1)
        trial = Trial(task=task, version=version, config={"agent": {"kwargs": {"reasoning_effort": "high"}}})
        trial.write(nest(tmp_path / "jobs", task, "alpha"), replace(PASSED, calls=None))
    agent = one_draft(tmp_path / "jobs", tmp_path / "tasks").submission.agent
    assert (agent.scaffold, agent.reasoning) == ("terminus-2", "high")


def test_claims_stand_beside_the_agents_that_they_are_about(tmp_path: Path) -> None:
    claims = write(tmp_path / "claims.json", {"source": "README", "rows": [{"Agent": "beta", "Dataset score": 100.0}]})
    drafts = imported(*several(tmp_path), options=replace(OPTIONS, claims=claims)).drafts
    claim_values = [draft.submission.claims.values if draft.submission.claims else None for draft in drafts]
    assert claim_values == [None, None, {"dataset_score": Decimal("100.0")}]


def test_runs_of_one_agent_under_several_versions_are_told(tmp_path: Path) -> None:
    versions: dict[str, Version] = {"tidy": "0.9.0", "neat": "0.24.0"}
    for task, version in versions.items():
        write_task(tmp_path / "tasks", task, 1)
        Trial(task=task, version=version).write(tmp_path / "jobs" / f"2026-06-18__10-00-0{len(version)}", PASSED)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert codes(incoming) == ["SOURCE-CONDITIONS-DIFFER"]
    assert incoming.drafts[0].submission.provenance.harness_version == "0.24.0, 0.9.0"


def test_runs_of_a_task_with_other_files_are_told(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    for model, digest in (("demo/alpha", "sha256:aa"), ("demo/beta", "sha256:bb")):
        Trial(model=model, digest=digest).write(nest(tmp_path / "jobs", "tidy", model[5:]), PASSED)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert (codes(incoming), incoming.task_sets[0].tasks[0].digest) == (["SOURCE-TASK-CHANGED"], None)


def test_a_day_that_nothing_tells_is_taken_for_today(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial(version="none").write(nest(tmp_path / "jobs", "tidy", "alpha", "my-job"), PASSED)
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    assert (incoming.drafts[0].submission.date, codes(incoming)) == (date(2026, 7, 1), ["SOURCE-DATE-ASSUMED"])


@pytest.mark.parametrize(
    ("model", "maker"),
    [
        ("anthropic/claude-opus-4-8", "Anthropic"),
        ("openrouter/z-ai/glm-5.2", "Z.ai"),
        ("openai/gpt-5.5", "OpenAI"),
        ("openai/glm-5.2", None),
        ("demo/alpha", None),
        ("gpt-5.5", None),
    ],
)
def test_a_model_s_maker_is_told_by_its_provider_where_that_makes_models(
    model: str, maker: str | None, tmp_path: Path
) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial(model=model).write(tmp_path / "jobs" / JOB, PASSED)
    (draft,) = imported(tmp_path / "jobs", tmp_path / "tasks").drafts
    assert draft.submission.agent.organization == maker


def test_cached_tokens_have_a_field_of_their_own(tmp_path: Path) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial().write(tmp_path / "jobs" / JOB, PASSED)
    (path,) = (
        result_path
        for result_path in (tmp_path / "jobs").rglob("result.json")
        if "step_results" in result_path.read_text("utf-8")
    )
    path.write_text(path.read_text("utf-8").replace('"n_cache_tokens": 0', '"n_cache_tokens": 60'), encoding="utf-8")
    (draft,) = imported(tmp_path / "jobs", tmp_path / "tasks").drafts
    assert [round_result.cached_tokens for round_result in draft.rounds] == [60]
