"""Real runs, imported and scored by the program itself, beside what their own summaries say."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from kit.real_data import real_data
from kit.slopcodebench_trees import OPTIONS, imported
from kit.small_import import files_in
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.models.incoming import Incoming
from sitegen.pipeline.importing import apply_import

GLM = "glm-5-kimi_claude_code-2.0.51_baseline_20260604T2240"
PANGU = "pangu_claude_code-2.0.51_just-solve_none_20260601T2146"

SHARES = {
    "strict": "pct_checkpoints_solved",
    "iso": "pct_checkpoints_iso_solved",
    "core": "pct_checkpoints_core_solved",
    "partial": "pct_problems_partial",
    "solved": "pct_problems_solved",
}
"""Metrics, each with the key of the summary that states it in percent."""


@pytest.fixture(params=[GLM, PANGU], ids=["glm", "pangu"])
def source(request: pytest.FixtureRequest) -> Path:
    return real_data("slop-code-bench", request.param)


@pytest.fixture
def run(source: Path) -> Incoming:
    return imported(source)


@pytest.fixture
def summary(source: Path) -> Mapping[str, Any]:
    """What the benchmark's own program made of the run."""
    document: dict[str, Any] = json.loads((source / "result.json").read_text(encoding="utf-8"))
    return document


def printed(*arguments: str) -> dict[str, Any]:
    """Run the program, and read the JSON that it prints."""
    result = CliRunner().invoke(app, [*arguments, "--format", "json"])
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_problems_are_linked_where_their_texts_stand(run: Incoming) -> None:
    commit = "4d38d300059667d57e43c31969bc455f5c338b52"
    (tasks,) = run.task_sets
    for task in tasks.tasks:
        assert task.url == f"https://github.com/SprocketLab/slop-code-bench/tree/{commit}/problems/{task.id}"


def test_it_is_valid_but_for_what_was_odd_about_its_source(run: Incoming, tmp_path: Path) -> None:
    apply_import(run, tmp_path / "results")
    report = printed("validate", str(tmp_path / "results"))
    assert report["problems"] == []
    assert {note["code"] for note in report["notes"]} == {"SUBMISSION-CAVEAT"}


def test_scores_are_those_of_its_own_summary(run: Incoming, summary: Mapping[str, Any], tmp_path: Path) -> None:
    apply_import(run, tmp_path / "results")
    (scored,) = printed("score", str(tmp_path / "results"))["submissions"]
    values = {name: metric["value"] for name, metric in scored["metrics"].items()}
    assert {name: values[name] for name in SHARES} == pytest.approx(
        {name: summary[key] for name, key in SHARES.items()}, abs=1e-9
    )
    costs = scored["metrics"]["net_cost"]
    expected_cost = pytest.approx(summary["costs"]["total"], abs=1e-9) if costs["n"] == costs["of"] else None
    assert costs["value"] == expected_cost
    assert values["minutes_per_round"] * 60 == pytest.approx(summary["time"]["checkpoint"]["mean"], abs=1e-9)
    assert (values["erosion"], values["verbosity"]) == (summary["erosion"]["mean"], summary["verbosity"]["mean"])


def test_counts_are_those_of_its_own_summary(run: Incoming, summary: Mapping[str, Any]) -> None:
    (draft,), (tasks,) = run.drafts, run.task_sets
    produced = [round_result for round_result in draft.rounds if round_result.state != "unreached"]
    assert (len(tasks.tasks), len(draft.rounds)) == (summary["num_problems"], summary["expected_checkpoints"])
    assert (len(produced), sum(solved_round.solved for solved_round in produced)) == (
        summary["num_checkpoints"],
        summary["checkpoints_solved"],
    )
    assert sum(produced_round.input_tokens or 0 for produced_round in produced) == summary["tokens"]["input"]
    assert sum(counted_round.output_tokens or 0 for counted_round in produced) == summary["tokens"]["output"]


def test_nothing_is_said_to_differ_from_its_summary(run: Incoming) -> None:
    assert {problem.code for problem in run.problems} <= {
        "SOURCE-FAILURE-SCORED",
        "SOURCE-MEASURE-MISSING",
    }


def test_nothing_of_the_machine_is_written(run: Incoming, tmp_path: Path) -> None:
    """Their rows tell the folders that they lay in."""
    apply_import(run, tmp_path / "results")
    assert not [name for name, data in files_in(tmp_path / "results").items() if b"outputs/" in data]


def test_a_second_import_changes_nothing(source: Path, tmp_path: Path) -> None:
    apply_import(imported(source), tmp_path / "results")
    before = files_in(tmp_path / "results")
    again = apply_import(imported(source), tmp_path / "results")
    assert (again.new, again.created, again.changed) == ((), (), ())
    assert files_in(tmp_path / "results") == before


def test_the_second_run_is_incomplete() -> None:
    draft = imported(real_data("slop-code-bench", PANGU)).drafts[0]
    assert [sum(round_result.state == state for round_result in draft.rounds) for state in ("scored", "unreached")] == [
        86,
        17,
    ]
    assert (draft.id, draft.submission.date) == ("2026-06-01-pangu", date(2026, 6, 1))
    assert sum(round_result.cost_usd is None for round_result in draft.rounds) == 17 + 11


def test_runs_with_other_problems_miss_those_of_the_others() -> None:
    incoming = imported(real_data("slop-code-bench"))
    assert len(incoming.task_sets[0].tasks) == 21
    pangu, glm = incoming.drafts
    assert (pangu.id, glm.id) == ("2026-06-01-pangu", "2026-06-04-glm-5-kimi")
    assert pangu.submission.missing == ("env_manager",)
    assert (len(glm.submission.missing), len(glm.rounds)) == (13, 39)
    assert any("20 of 21 problems, without env_manager" in caveat for caveat in pangu.submission.caveats)


def test_one_of_several_runs_can_be_taken() -> None:
    incoming = imported(real_data("slop-code-bench"), replace(OPTIONS, model="pangu"))
    assert [draft.id for draft in incoming.drafts] == ["2026-06-01-pangu"]
    assert incoming.drafts[0].submission.missing == ()
