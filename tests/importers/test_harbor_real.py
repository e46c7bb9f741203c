"""The importer on trees that the runner itself wrote, and on copies of them, scored and held against known values."""

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from kit.harbor_trees import codes, imported
from kit.real_data import real_data

from sitegen.importers.evocodebench.benchmark import FACTS
from sitegen.importers.kit.options import ImportOptions
from sitegen.metrics.catalogue import METRICS
from sitegen.models.incoming import Draft, Incoming
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.importing import apply_import
from sitegen.problems import errors_of

OPTIONS = ImportOptions(
    today=date(2026, 12, 1), benchmark="evocode-bench", track="official", facts=FACTS, known_metrics=METRICS
)
AGENTS = ["alpha", "beta", "delta", "gamma"]


@pytest.fixture(scope="module")
def tasks() -> Path:
    return real_data("harbor", "harbor-0.9.0", "tasks")


@pytest.fixture(scope="module")
def source() -> Path:
    return real_data("harbor", "harbor-0.9.0", "results")


@pytest.fixture(scope="module")
def incoming(source: Path, tasks: Path) -> Incoming:
    return imported(source, tasks, options=OPTIONS)


@pytest.fixture(scope="module")
def expected() -> dict[str, dict[str, Any]]:
    document: dict[str, dict[str, Any]] = json.loads(real_data("harbor", "expected.json").read_text(encoding="utf-8"))
    return document


def scores(new: Incoming, into: Path) -> Mapping[str, Mapping[str, float | None]]:
    """Bring an import into a results folder, and give the scores of each bundle there; asserts that all is sound."""
    apply_import(new, into)
    judged = evaluate(into, date(2026, 12, 31))
    assert errors_of(judged.problems()) == ()
    return {entry.id: {name: score.value for name, score in entry.scores.items()} for _, entry in judged.entries()}


def draft_of(new: Incoming, agent: str) -> Draft:
    (draft,) = (draft for draft in new.drafts if draft.submission.agent.name == agent)
    return draft


def test_every_agent_is_there_with_its_attempts(incoming: Incoming, expected: dict[str, dict[str, Any]]) -> None:
    attempts = {draft.submission.agent.name: draft.submission.attempts for draft in incoming.drafts}
    assert attempts == {agent: expected_agent["attempts"] for agent, expected_agent in expected["official"].items()}


@pytest.mark.parametrize("agent", AGENTS)
def test_rewards_are_the_expected_ones(incoming: Incoming, expected: dict[str, dict[str, Any]], agent: str) -> None:
    expected_rewards = expected["official"][agent]["round_rewards"]
    round_results = {
        (round_result.attempt, round_result.round): round_result for round_result in draft_of(incoming, agent).rounds
    }
    for attempt, rewards in enumerate(expected_rewards, start=1):
        for number, reward in enumerate(rewards, start=1):
            result = round_results[attempt, number]
            assert result.reward == (reward or 0)
            assert (result.state in {"aborted", "unreached"}) == (reward is None)
    assert len(round_results) == sum(map(len, expected_rewards))


@pytest.mark.parametrize("agent", AGENTS)
def test_scores_are_the_expected_ones(
    incoming: Incoming, expected: dict[str, dict[str, Any]], tmp_path: Path, agent: str
) -> None:
    expected_scores = expected["official"][agent]
    actual_scores = scores(incoming, tmp_path)[f"2026-06-18-{agent}"]
    for metric, name in (
        ("dataset_score", "dataset_score"),
        ("case_score", "case_score"),
        ("avg_rounds", "avg_rounds"),
    ):
        assert actual_scores[metric] == pytest.approx(expected_scores[name], abs=1e-9), metric
    # The track has two attempts; the best of one does not compare with the best of two.
    perfect_tasks = expected_scores["perfect"] if expected_scores["attempts"] == 2 else None
    assert actual_scores["perfect_tasks"] == perfect_tasks


def test_exceptions_of_rounds_without_a_verdict_are_told(incoming: Incoming) -> None:
    causes = {
        round_result.cause
        for draft in incoming.drafts
        for round_result in draft.rounds
        if round_result.state == "aborted"
    }
    assert causes == {"AgentTimeoutError: the agent used up its budget; the verifier left no reward"}


def test_states_are_told_apart(incoming: Incoming) -> None:
    assert Counter(round_result.state for draft in incoming.drafts for round_result in draft.rounds) == {
        "scored": 9,
        "no_cases": 1,
        "aborted": 3,
        "unreached": 2,
    }


def test_where_the_runs_come_from_is_kept(incoming: Incoming) -> None:
    submission = draft_of(incoming, "alpha").submission
    agent, provenance = submission.agent, submission.provenance
    assert (agent.model, agent.scaffold, agent.scaffold_version) == ("demo/alpha", "scripted-terminus", "0.0.1")
    assert (provenance.harness, provenance.harness_version) == ("harbor", "0.9.0")
    digest = "sha256:864ffe272cc73b4635c696d565898d0ff73a9f18c7fc2ab394741a1bdc3a0e55"
    assert (provenance.task_digest, incoming.task_sets[0].tasks[0].digest) == (digest, digest)
    assert provenance.jobs == ("bdc41723-9c29-4cd8-9db1-dd546f28cfb9",)
    assert any(provenance.jobs[0] in note for note in incoming.notes)


def test_every_case_is_kept(incoming: Incoming) -> None:
    assert {draft.submission.detail.cases for draft in incoming.drafts} == {"all"}
    assert [len(task_round.cases or ()) for task_round in incoming.task_sets[0].tasks[0].rounds] == [4, 5, 6]


def test_only_the_old_runner_is_warned_of(incoming: Incoming) -> None:
    assert [problem.code for problem in incoming.problems] == ["HARBOR-VERIFIER-EXPOSED"]


def test_rounds_from_the_reference_state_give_the_expected_sr(
    tasks: Path, expected: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    new = imported(real_data("harbor", "fastforward-handmade", "results"), tasks, options=OPTIONS)
    actual_scores = scores(new, tmp_path)["2026-06-19-gamma"]
    assert actual_scores["sr"] == pytest.approx(expected["fastforward"]["gamma"]["SR_micro"], abs=1e-9)


def test_both_kinds_of_runs_in_one_tree_keep_their_scores(
    source: Path, tasks: Path, expected: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    for source_folder in (source, real_data("harbor", "fastforward-handmade", "results")):
        shutil.copytree(source_folder, tmp_path / "source", dirs_exist_ok=True)
    actual_scores = scores(imported(tmp_path / "source", tasks, options=OPTIONS), tmp_path / "results")
    assert actual_scores["2026-06-18-gamma"]["dataset_score"] == 100
    assert actual_scores["2026-06-19-gamma-reference"]["sr"] == pytest.approx(
        expected["fastforward"]["gamma"]["SR_micro"], abs=1e-9
    )
    assert len(actual_scores) == 5


def test_a_second_import_changes_nothing(incoming: Incoming, source: Path, tasks: Path, tmp_path: Path) -> None:
    apply_import(incoming, tmp_path)
    again = apply_import(imported(source, tasks, options=OPTIONS), tmp_path)
    assert (again.new, again.created, again.changed) == ((), (), ())


def test_results_are_the_same_without_the_runners_files(source: Path, tasks: Path, tmp_path: Path) -> None:
    """A released archive holds what agent and verifier left of each round, and nothing else."""
    shutil.copytree(source, tmp_path / "source")
    for path in (tmp_path / "source").rglob("*.json"):
        if path.name in {"result.json", "config.json", "lock.json"}:
            path.unlink()
    bare = imported(tmp_path / "source", tasks, options=OPTIONS)
    full_import = imported(source, tasks, options=OPTIONS)
    for bare_draft, full_draft in zip(bare.drafts, full_import.drafts, strict=True):
        assert bare_draft.id == full_draft.id
        assert [
            (r.state, r.reward, r.passed, r.total, r.outcomes, r.interactions, r.turns) for r in bare_draft.rounds
        ] == [(r.state, r.reward, r.passed, r.total, r.outcomes, r.interactions, r.turns) for r in full_draft.rounds]
    assert codes(bare) == []


def test_the_forks_runs_are_left_to_its_own_importer(tmp_path: Path, tasks: Path) -> None:
    shutil.copytree(real_data("harbor"), tmp_path / "all")
    new = imported(tmp_path / "all", tasks, options=OPTIONS)
    assert {draft.submission.agent.name for draft in new.drafts} == set(AGENTS)
    assert any("multi-turn fork" in note for note in new.notes)
