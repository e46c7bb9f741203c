"""How sure scores are, as `sitegen score` tells it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kit.built_sites import real_snapshot
from kit.command import done

FORMATS = ("table", "json", "csv")


def rows_of(folder: Path) -> list[Any]:
    return list(json.loads(done("score", folder, "--format", "json"))["submissions"])


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with simulated results on enough tasks to tell some rows apart."""
    folder = tmp_path_factory.mktemp("demo") / "results"
    done("demo", folder, "--tasks", "12", "--agents", "5", "--attempts", "2")
    return folder


@pytest.mark.parametrize(("form", "threads", "seed"), [("table", "2", "2"), ("json", "7", "3"), ("csv", "1", "4")])
def test_every_run_prints_the_same_bytes_however_many_threads_count(
    demo: Path, form: str, threads: str, seed: str
) -> None:
    """Sums over tasks are left to libraries that share them among threads, and sets have another order in each run."""
    command = [sys.executable, "-m", "sitegen", "score", str(demo), "--format", form]
    settings = {f"{library}_NUM_THREADS": threads for library in ("OMP", "OPENBLAS", "MKL")}
    environment = {**os.environ, **settings, "PYTHONHASHSEED": seed}
    assert subprocess.check_output(command, text=True, env=environment) == done("score", demo, "--format", form)


def test_every_recomputed_score_has_an_interval(demo: Path) -> None:
    """Scores between bounds weigh tasks, counts of tasks are exact, costs and gaps follow from their spread."""
    scores = [(name, score) for row in rows_of(demo) for name, score in row["metrics"].items()]
    computed_scores = [(name, score) for name, score in scores if score["value"] is not None]
    assert all(score["low"] <= score["value"] <= score["high"] for _, score in computed_scores)
    kinds = {name: score["interval"] for name, score in computed_scores}
    assert (kinds["dataset_score"], kinds["perfect_tasks"], kinds["avg_rounds"]) == ("bootstrap", "binomial", "log-t")
    assert set(kinds.values()) == {"bootstrap", "binomial", "log-t", "t"}


def test_a_table_shows_the_ranks_that_rows_may_have_and_all_intervals(demo: Path) -> None:
    rows = [row for row in rows_of(demo) if row["rank_interval"]]
    shown = {tuple(row["rank_interval"]) for row in rows}
    assert any(first == last for first, last in shown)
    assert any(first < last for first, last in shown)
    table = done("score", demo)
    for first, last in shown:
        assert f"│ {first if first == last else f'{first}–{last}'} " in table
    for name in ("dataset_score", "case_score"):
        score = rows[0]["metrics"][name]
        assert f"{score['value']:.1f} ({score['low']:.1f} to {score['high']:.1f})" in table


def test_no_row_has_a_group(demo: Path) -> None:
    assert not [key for row in rows_of(demo) for key in row if "group" in key]
    assert "group" not in done("score", demo, "--format", "csv").splitlines()[0]


def test_of_published_results_three_of_ten_rows_could_be_first() -> None:
    """The first is shown to be better than seven; nobody is shown to be better than the next two."""
    rows = rows_of(real_snapshot("2026-06-13"))
    assert [row["rank"] for row in rows] == list(range(1, 11))
    assert [row["rank_interval"] for row in rows] == [[1, 3], [1, 9], [1, 10], *[[2, 10]] * 6, [3, 10]]
