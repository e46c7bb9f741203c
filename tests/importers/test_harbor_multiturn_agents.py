"""Whose runs of the multi-turn fork go into which bundle, and how many attempts they come to."""

import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from kit.multiturn_trees import (
    FAIL,
    NEXT_JOB,
    OPTIONS,
    PASS,
    Source,
    codes,
    draft_of,
    imported,
    new_source,
    told,
    write_fan_out,
)

from sitegen.importers.evocodebench.benchmark import FACTS
from sitegen.problems import ProblemsError, UsageError


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A source with one task of three rounds."""
    source = new_source(tmp_path)
    source.task()
    return source


def test_agents_with_different_numbers_of_attempts_are_all_written(source: Source) -> None:
    write_fan_out(source)
    for letter in "ABC":
        source.of("plain").run(f"tidy__{letter * 7}", [PASS, FAIL])
    incoming = imported(source)
    made = {draft.submission.agent.name: draft.submission.attempts for draft in incoming.drafts}
    assert made == {"acme-1": 2, "plain": 3}
    assert incoming.benchmark.tracks[0].attempts == 3


def test_the_number_of_attempts_is_that_of_most_tasks(source: Source) -> None:
    """A task that was run once too often had a mishap; best of three there does not go with best of two elsewhere."""
    for task in ("neat", "wide"):
        source.task(task, rounds=1)
    for task, names in (("tidy", "ABC"), ("neat", "AB"), ("wide", "AB")):
        for letter in names:
            outcomes = [FAIL] if letter != "C" else [PASS, PASS, PASS]
            source.of("acme-1", task).run(f"{task}__{letter * 7}", outcomes)
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == [".", ".", ".uu", ".uu", ".", "."]
    assert codes(incoming) == ["SOURCE-RUN-NOT-COUNTED"]
    assert [finding.title for finding in incoming.findings] == ["1 surplus attempt left out"]


def test_missing_attempts_are_unreached_and_told_of(source: Source) -> None:
    source.task("wide", rounds=1)
    source.run("tidy__AAAAAAA", [FAIL])
    source.run("tidy__BBBBBBB", [FAIL])
    source.of("acme-1", "wide").run("wide__AAAAAAA", [PASS])
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == [".uu", ".uu", "#", "u"]
    assert codes(incoming) == ["SOURCE-RUN-UNREACHED"]
    assert [finding.title for finding in incoming.findings] == ["1 attempt missing"]


def test_an_agent_with_single_rounds_alone_has_an_attempt_that_was_never_made(source: Source) -> None:
    for number, outcome in ((1, PASS), (2, FAIL), (3, PASS)):
        source.sample(number, outcome)
    incoming = imported(source)
    (draft,) = incoming.drafts
    assert (told(draft.rounds), told(draft.rounds, "reference")) == (["uuu"], ["#.#"])
    assert codes(incoming) == ["SOURCE-RUN-UNREACHED"]


def test_one_model_of_several_can_be_taken(source: Source) -> None:
    write_fan_out(source)
    source.of("plain").run("tidy__AAAAAAA", [PASS, FAIL])
    incoming = imported(source, replace(OPTIONS, model="plain"))
    assert [draft.submission.agent.name for draft in incoming.drafts] == ["plain"]
    assert incoming.benchmark.tracks[0].attempts == 1
    assert incoming.benchmark.aliases == {}


@pytest.mark.parametrize("model", ["acme-1", "ACME-1", "gpt-0", "openai/gpt-0"])
def test_a_model_is_known_by_its_folder_and_its_own_name(source: Source, model: str) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    assert draft_of(source, replace(OPTIONS, model=model)).submission.agent.name == "acme-1"


def test_a_model_that_is_not_here_is_said_with_those_that_are(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    with pytest.raises(UsageError, match="acme-1"):
        imported(source, replace(OPTIONS, model="gpt-9"))


def test_a_name_for_one_agent_is_not_given_to_several(source: Source) -> None:
    for model in ("one", "two"):
        source.of(model).run("tidy__AAAAAAA", [PASS])
    with pytest.raises(UsageError, match="--model"):
        imported(source, replace(OPTIONS, agent="Acme"))


def test_an_agent_is_described_by_its_runs_and_the_importing_person(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    options = replace(OPTIONS, agent="Acme 1", organization="Acme", reasoning="high")
    draft = draft_of(source, options)
    agent = draft.submission.agent
    assert (agent.name, agent.organization, agent.model) == ("Acme 1", "Acme", "openai/gpt-0")
    assert (agent.scaffold, agent.scaffold_version, agent.reasoning) == ("terminus-2", "2.0.0", "high")
    assert draft.id == "2026-04-20-acme-1"


def test_the_benchmarks_agents_go_by_their_known_names(source: Source) -> None:
    source.of("claude-opus-4-7").run("tidy__AAAAAAA", [PASS, FAIL])
    options = replace(OPTIONS, benchmark="evocode-bench", facts=FACTS)
    assert draft_of(source, options).submission.agent.name == "Claude-Opus-4.7"
    assert draft_of(source, replace(options, model="Opus-4.7")).id == "2026-04-20-claude-opus-4-7"


def test_names_of_one_benchmarks_agents_mean_nothing_in_another(source: Source) -> None:
    source.of("claude-opus-4-7").run("tidy__AAAAAAA", [PASS, FAIL])
    assert draft_of(source, OPTIONS).submission.agent.name == "claude-opus-4-7"


def test_an_alias_of_ones_own_wins(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    incoming = imported(source, replace(OPTIONS, aliases={"acme-1": "Acme 1"}))
    assert incoming.drafts[0].submission.agent.name == "Acme 1"
    assert incoming.benchmark.aliases == {"acme-1": "Acme 1"}


def test_agents_that_differ_in_their_reasoning_are_two_bundles(source: Source) -> None:
    for setting, letter in (("low", "A"), ("high", "B")):
        agent = {"name": "terminus-2", "model_name": "gpt-0", "kwargs": {"reasoning_effort": setting}}
        source.run(f"tidy__{letter * 7}", [PASS], told={"config": {"agent": agent}})
    assert [draft.id for draft in imported(source).drafts] == ["2026-04-20-acme-1-high", "2026-04-20-acme-1-low"]


def test_one_model_of_two_providers_is_two_agents(source: Source) -> None:
    for provider, letter in (("openai", "A"), ("openrouter/openai", "B")):
        agent = {"name": "terminus-2", "model_name": f"{provider}/gpt-0"}
        source.run(f"tidy__{letter * 7}", [PASS], told={"config": {"agent": agent}})
    names = [draft.submission.agent.name for draft in imported(source).drafts]
    assert names == ["acme-1 (openai)", "acme-1 (openrouter)"]


def test_a_copy_of_a_job_counts_once(source: Source) -> None:
    folder = source.run("tidy__AAAAAAA", [PASS, FAIL]).parent
    shutil.copytree(folder, folder.parent / "backup" / folder.name)
    incoming = imported(source)
    assert incoming.drafts[0].submission.attempts == 1
    assert any("a copy of a run that was already read" in note for note in incoming.notes)


def test_a_task_can_be_asked_for_beside_one_that_nobody_ran(source: Source) -> None:
    source.task("wide")
    source.task("neat", rounds=1)
    source.of("acme-1", "neat").run("neat__AAAAAAA", [PASS])
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    incoming = imported(source, replace(OPTIONS, task_names=("Project neat",)))
    assert [task.id for task in incoming.task_sets[0].tasks] == ["neat"]
    with pytest.raises(UsageError, match="the source has no task untidy; it has: neat, tidy, wide"):
        imported(source, replace(OPTIONS, task_names=("untidy",)))


def test_a_run_that_does_not_say_who_made_it_is_left_out_beside_others(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    bare = {"config.json": None, "result.json": None}
    source.at("tidy/runs/2026-04-20__10-00-00").run("tidy__BBBBBBB", [PASS, FAIL], files=bare)
    incoming = imported(source)
    assert (len(incoming.drafts), codes(incoming)) == (1, ["SOURCE-LEFT-OUT"])


def test_bundles_are_dated_by_the_last_job_or_as_stated(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    source.at(NEXT_JOB).run("tidy__BBBBBBB", [PASS, FAIL])
    assert draft_of(source).submission.date == date(2026, 4, 21)
    assert draft_of(source, replace(OPTIONS, date=date(2026, 5, 1))).id == "2026-05-01-acme-1"


def test_claims_are_taken_over(source: Source, tmp_path: Path) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    claims = tmp_path / "claims.json"
    claims.write_text('{"source": "A paper", "rows": [{"Agent": "acme-1", "Organization": "Acme", "mt_at_k": 33.3}]}')
    submission = draft_of(source, replace(OPTIONS, claims=claims)).submission
    assert submission.claims is not None
    assert submission.agent.organization == "Acme"
    assert {name: str(value) for name, value in submission.claims.values.items()} == {"mt_at_k": "33.3"}


def test_claims_about_another_reasoning_setting_are_not_taken(source: Source, tmp_path: Path) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    claims = tmp_path / "claims.json"
    claims.write_text('{"source": "A paper", "rows": [{"Agent": "acme-1", "Reasoning": "low", "mt_at_k": 33.3}]}')
    assert draft_of(source, replace(OPTIONS, claims=claims, reasoning="high")).submission.claims is None


def test_results_without_a_day_are_dated_today(source: Source) -> None:
    files = {"result.json": None}
    source.at("tidy/harbor_jobs/acme-1/job").run("tidy__AAAAAAA", [PASS, FAIL], files=files)
    incoming = imported(source)
    assert incoming.drafts[0].submission.date == OPTIONS.today
    assert codes(incoming) == ["SOURCE-DATE-ASSUMED"]


def test_a_task_that_nobody_ran_is_an_error_unless_it_is_meant(source: Source) -> None:
    source.task("wide")
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    with pytest.raises(ProblemsError, match="SOURCE-TASK-MISSING"):
        imported(source)
    incoming = imported(source, replace(OPTIONS, allow_missing=True))
    assert [task.id for task in incoming.task_sets[0].tasks] == ["tidy"]
    assert codes(incoming) == ["SOURCE-TASKS-LEFT-OUT"]


def test_importing_twice_gives_equal_values(source: Source) -> None:
    write_fan_out(source)
    source.of("plain").run("tidy__AAAAAAA", [PASS, FAIL])
    assert imported(source) == imported(source)
