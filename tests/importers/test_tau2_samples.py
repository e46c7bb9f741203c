"""Files that tau2-bench itself wrote: from the import to a submission, and against its own figures."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from corpus.strangers import run_commands
from kit.command import sitegen
from kit.source_mutations import mutate
from kit.thoroughness import IS_WHOLE

SAMPLES = Path(__file__).parents[1] / "samples" / "tau2"
FIGURES: dict[str, dict[str, Any]] = json.loads((SAMPLES / "expected.json").read_text("utf-8"))["files"]
MUTATIONS = 200 if IS_WHOLE else 3
"""Of each sample."""

ONE_COMMAND: dict[str, tuple[tuple[str, ...], dict[str, tuple[int, int, float, int]]]] = {
    "ended-early": ((), {"kettle-1": (3, 2, 100 / 3, 5)}),
    "folder": ((), {"kettle-1": (2, 2, 75.0, 4)}),
    "four-trials": ((), {"kettle-1": (3, 4, 50.0, 12)}),
    "run-again": ((), {"kettle-1": (3, 1, 200 / 3, 3)}),
    "two-domains": ((), {"kettle-1": (4, 2, 75.0, 8)}),
    "two-efforts": ((), {"kettle-1 low": (2, 1, 50.0, 2), "kettle-1 high": (2, 1, 100.0, 2)}),
    "two-models": ((), {"kettle-1": (2, 1, 50.0, 2), "brook-2": (2, 1, 100.0, 2)}),
    "two-runs": (("--runs", "attempts"), {"kettle-1": (2, 2, 75.0, 4)}),
}
"""Options, and for each agent: tasks, attempts, Resolved in percent, and rounds with a verdict."""


def scores(results: Path) -> list[dict[str, Any]]:
    """Return what `score` prints for a results folder that is valid."""
    checked = sitegen("validate", results)
    assert checked.returncode == 0, checked.stdout
    submissions: list[dict[str, Any]] = json.loads(sitegen("score", results, "--format", "json").stdout)["submissions"]
    return submissions


@pytest.mark.parametrize("name", ONE_COMMAND)
def test_a_sample_goes_all_the_way(name: str, tmp_path: Path) -> None:
    options, agents = ONE_COMMAND[name]
    into = tmp_path / "results"
    done = sitegen("import", "tau2", SAMPLES / name, "--into", into, "--benchmark", "mine", *options)
    assert done.returncode == 0, done.stderr
    actual: dict[str, tuple[object, ...]] = {}
    for row in scores(into):
        agent = row["agent"]
        rounds = into / "mine" / "submissions" / row["id"] / "rounds.jsonl"
        lines = [json.loads(line) for line in rounds.read_text("utf-8").splitlines()]
        scored = sum(line["state"] == "scored" for line in lines)
        attempts = max(line["attempt"] for line in lines)
        name_and_effort = " ".join(filter(None, (agent["name"], agent["reasoning"])))
        actual[name_and_effort] = (
            row["coverage"]["tasks"],
            attempts,
            pytest.approx(row["metrics"]["resolved"]["value"]),
            scored,
        )
    assert actual == agents
    assert sitegen("init", tmp_path / "board", "--benchmark", "board").returncode == 0
    sent = sitegen("submit", SAMPLES / name, "--to", "board/main", "--dry-run", *options, folder=tmp_path / "board")
    assert sent.returncode == 0, sent.stderr
    assert "is read as tau2, because it has " in sent.stderr


@pytest.mark.parametrize("name", [name for name, figures in FIGURES.items() if figures["simulations"]])
def test_values_are_those_of_tau2_bench(name: str, tmp_path: Path) -> None:
    """It leaves out what ended with an infrastructure error, and has no pass^k above the fewest trials of a task."""
    expected_figures = FIGURES[name]
    done = sitegen("import", "tau2", SAMPLES / name, "--into", tmp_path / "results", "--benchmark", "mine")
    assert done.returncode == 0, done.stderr
    (row,) = scores(tmp_path / "results")
    values = {metric: score["value"] for metric, score in row["metrics"].items()}
    share = expected_figures["simulations"] / (expected_figures["simulations"] + expected_figures["unscored"])
    assert values["mean_reward"] == pytest.approx(expected_figures["reward"] * share)
    if not expected_figures["unscored"]:
        for k, value in expected_figures["pass_hat"].items():
            metric = "resolved" if k == "1" else f"pass_hat_{k}"
            assert values[metric] == pytest.approx(100 * value)


def test_runs_without_a_verdict_are_refused(tmp_path: Path) -> None:
    arguments = ("import", "tau2", SAMPLES / "nothing-ran", "--into", tmp_path / "results", "--benchmark", "mine")
    done = sitegen(*arguments)
    assert done.returncode == 1
    assert "SOURCE-NOTHING-SCORED" in done.stderr
    assert "copy the source again" not in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.glob("*/")))
def test_changed_samples_end_with_words(name: str, tmp_path: Path) -> None:
    options, _ = ONE_COMMAND.get(name, ((), {}))
    for seed in range(MUTATIONS):
        tree, into = tmp_path / str(seed), tmp_path / f"{seed}-into"
        shutil.copytree(SAMPLES / name, tree)
        mutate(random.Random(f"tau2 {name} {seed}"), tree)  # noqa: S311 - a draw that anyone may foresee
        imported = [
            "import",
            "tau2",
            str(tree),
            "--into",
            str(into),
            "--benchmark",
            "mine",
            "--allow-missing",
            *options,
        ]
        ended = run_commands([imported, ["validate", str(into)]])
        assert not [outcome for outcome in ended if isinstance(outcome, BaseException)], f"seed {seed}: {ended}"
        shutil.rmtree(tree)
