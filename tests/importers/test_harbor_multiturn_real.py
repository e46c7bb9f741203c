"""The sample of the multi-turn fork, imported and scored by the program itself, beside what it should come to."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from kit.real_data import real_data
from kit.small_import import files_in
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.importers.harbor_multiturn.source import read_harbor_multiturn
from sitegen.importers.kit.options import ImportOptions
from sitegen.pipeline.importing import apply_import

OPTIONS = ImportOptions(today=date(2026, 7, 1), benchmark="sample", track="legacy")

BRANCHING, PLAIN = "fanout-model", "plain-model"


@pytest.fixture
def source() -> Path:
    return real_data("harbor", "legacy-handmade")


@pytest.fixture
def expected() -> dict[str, Any]:
    """What the sample should come to, on 0 to 100."""
    expected_scores: dict[str, Any] = json.loads(real_data("harbor", "expected.json").read_text(encoding="utf-8"))[
        "legacy"
    ]
    return expected_scores


def printed(*arguments: str) -> dict[str, Any]:
    """Run the program, and read the JSON that it prints."""
    result = CliRunner().invoke(app, [*arguments, "--format", "json"])
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def scores(folder: Path) -> dict[str, dict[str, float | None]]:
    """Give the scores of a results folder, by agent and metric."""
    submissions = printed("score", str(folder))["submissions"]
    return {
        submission["agent"]["name"]: {name: score["value"] for name, score in submission["metrics"].items()}
        for submission in submissions
    }


def test_a_fan_out_reaches_its_scores(source: Path, expected: dict[str, Any], tmp_path: Path) -> None:
    apply_import(read_harbor_multiturn(source, replace(OPTIONS, model=BRANCHING)), tmp_path / "results")
    actual_scores = scores(tmp_path / "results")[BRANCHING]
    assert actual_scores["mt_at_k"] == pytest.approx(expected[BRANCHING]["mt_at_k"])
    assert actual_scores["comp"] == expected[BRANCHING]["completion"]
    assert actual_scores.get("sr") is None


def test_attempts_and_single_rounds_reach_their_scores(source: Path, expected: dict[str, Any], tmp_path: Path) -> None:
    apply_import(read_harbor_multiturn(source, replace(OPTIONS, model=PLAIN)), tmp_path / "results")
    actual_scores = scores(tmp_path / "results")[PLAIN]
    assert actual_scores["mt_at_k"] == expected[PLAIN]["mt_at_4"]
    assert actual_scores["comp"] == expected[PLAIN]["completion"]
    assert actual_scores["sr"] == pytest.approx(expected[PLAIN]["SR_micro"])
    assert actual_scores["gap"] == pytest.approx(expected[PLAIN]["SR_micro"] - expected[PLAIN]["mt_at_4"])


def test_a_full_task_takes_what_its_runs_add_up_to(source: Path, tmp_path: Path) -> None:
    """Replies: 40 and 43 for whole runs, 41 and 42 for two of three rounds. A run's 5,000 tokens likewise."""
    apply_import(read_harbor_multiturn(source, replace(OPTIONS, model=PLAIN)), tmp_path / "results")
    actual_scores = scores(tmp_path / "results")[PLAIN]
    assert actual_scores["avg_turns"] == pytest.approx((40 + 41 * 3 / 2 + 42 * 3 / 2 + 43) / 4)
    assert actual_scores["output_tokens_k"] == pytest.approx((5 + 7.5 + 7.5 + 5) / 4)


def test_both_agents_can_go_to_one_track(source: Path, expected: dict[str, Any], tmp_path: Path) -> None:
    incoming = read_harbor_multiturn(source, OPTIONS)
    apply_import(incoming, tmp_path / "results")
    made = {draft.submission.agent.name: draft.submission.attempts for draft in incoming.drafts}
    assert made == {BRANCHING: expected[BRANCHING]["branching"], PLAIN: expected[PLAIN]["independent_attempts"]}
    assert incoming.benchmark.tracks[0].attempts == expected[PLAIN]["independent_attempts"]
    assert printed("validate", str(tmp_path / "results"))["ok"]
    assert scores(tmp_path / "results")[PLAIN]["mt_at_k"] == expected[PLAIN]["mt_at_4"]


def test_a_second_import_changes_nothing(source: Path, tmp_path: Path) -> None:
    apply_import(read_harbor_multiturn(source, OPTIONS), tmp_path / "results")
    before = files_in(tmp_path / "results")
    brought = apply_import(read_harbor_multiturn(source, OPTIONS), tmp_path / "results")
    assert brought.new == ()
    assert files_in(tmp_path / "results") == before


def test_a_report_tells_every_kind_of_run(source: Path, expected: dict[str, Any]) -> None:
    first, *other_notes = read_harbor_multiturn(source, OPTIONS).notes
    assert first == "found 13 runs: 4 plain attempts, 2 fan-out roots, 4 fan-out descendants, 3 single rounds"
    assert sum("__resumed_" in note for note in other_notes) == 1
    assert expected[BRANCHING]["records"] == 2 + 4


def test_no_path_of_the_machine_that_ran_it_is_written(source: Path, tmp_path: Path) -> None:
    apply_import(read_harbor_multiturn(source, OPTIONS), tmp_path / "results")
    assert not [name for name, data in files_in(tmp_path / "results").items() if b"/home/" in data]
