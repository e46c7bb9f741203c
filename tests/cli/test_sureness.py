"""How sure scores are, as `sitegen score` tells it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from real_data import real_data

FORMATS = ("table", "json", "csv")


def sitegen(*words: str | Path) -> str:
    command = [sys.executable, "-m", "sitegen", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with simulated results."""
    folder = tmp_path_factory.mktemp("demo") / "results"
    sitegen("demo", folder, "--tasks", "3", "--agents", "4", "--attempts", "2")
    return folder


@pytest.mark.parametrize("form", FORMATS)
def test_two_runs_print_the_same_bytes(demo: Path, form: str) -> None:
    assert sitegen("score", demo, "--format", form) == sitegen("score", demo, "--format", form)


def test_every_recomputed_score_has_an_interval(demo: Path) -> None:
    rows = json.loads(sitegen("score", demo, "--format", "json"))["submissions"]
    scores = [score for row in rows for score in row["metrics"].values() if score["value"] is not None]
    assert all(score["low"] <= score["value"] <= score["high"] for score in scores)
    assert {score["interval"] for score in scores} == {"bootstrap"}


def test_a_table_shows_groups_of_places_and_the_headline_s_interval(demo: Path) -> None:
    rows = json.loads(sitegen("score", demo, "--format", "json"))["submissions"]
    best = rows[0]
    table = sitegen("score", demo)
    headline = best["metrics"]["dataset_score"]
    assert f"│ {best['tie_group'].replace('-', '–')} " in table
    assert f"{headline['value']:.1f} ({headline['low']:.1f} to {headline['high']:.1f})" in table


def test_published_results_fall_into_three_groups(tmp_path: Path) -> None:
    """Of ten agents the first stands alone; the three after it can't be told apart, and neither can the last six."""
    source = real_data("evocodebench", "2026-06-13")
    sitegen("import", "evocodebench", source, "--into", tmp_path)
    rows = json.loads(sitegen("score", tmp_path, "--format", "json"))["submissions"]
    assert [row["tie_group"] for row in rows] == ["1", *["2-4"] * 3, *["5-10"] * 6]
    assert rows[0]["rank_interval"] == [1, 1]
