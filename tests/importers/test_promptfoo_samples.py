"""Files that promptfoo itself wrote: from the import to a submission, and against its own figures."""

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

SAMPLES = Path(__file__).parents[1] / "samples" / "promptfoo"
FIGURES: dict[str, list[dict[str, Any]]] = json.loads((SAMPLES / "expected.json").read_text("utf-8"))["files"]
MUTATIONS = 200 if IS_WHOLE else 3
"""Of each sample."""

Agents = dict[str, tuple[int, int, float | None, int]]
"""For each agent: tasks, attempts, Resolved in percent, and rounds with a verdict."""

TWO: Agents = {"kettle": (3, 1, 100 / 3, 3), "kettle-2": (3, 1, 200 / 3, 3)}
FAILED: Agents = {"kettle-1": (6, 1, 100 / 6, 3), "kettle-2": (6, 1, 50.0, 4)}
SCORES: Agents = {"kettle-1": (3, 1, 200 / 3, 3)}
REPEATED: Agents = {"kettle-1": (2, 3, 500 / 6, 6)}
OLD: Agents = {"kettle-1": (3, 1, 100 / 3, 2), "kettle-2": (3, 1, 100.0, 3)}

EXPECTED: dict[str, Agents] = {
    "cached": {"kettle-1": (2, 1, 100.0, 2)},
    "errors": FAILED,
    "errors-csv": FAILED,
    "exported": {"kettle-1": (2, 1, 100.0, 2)},
    "filtered": {"kettle": (2, 1, 0.0, 2), "kettle-2": (2, 1, 50.0, 2)},
    "old": OLD,
    "old-csv": {"kettle-1": (3, 2, 100 / 3, 6), "kettle-2": (3, 2, 100.0, 6)},
    "partly-checked": {"kettle-1": (2, 1, 50.0, 2)},
    "repeated": REPEATED,
    "repeated-csv": REPEATED,
    "repeated-jsonl": REPEATED,
    "restricted": {
        "one short": (2, 1, None, 2),
        "one polite": (1, 1, None, 1),
        "two short": (3, 1, 200 / 3, 3),
        "two polite": (2, 1, None, 2),
    },
    "scenarios": {"kettle-1": (5, 1, 60.0, 5)},
    "scores": SCORES,
    "scores-csv": SCORES,
    "two-efforts": {"gpt-5 low": (2, 1, 50.0, 2), "gpt-5 high": (2, 1, 100.0, 2)},
    "two-prompts": {"kettle-1 short": (2, 1, 50.0, 2), "kettle-1 polite": (2, 1, 50.0, 2)},
    "two-providers": TWO,
    "two-providers-csv": TWO,
    "two-providers-jsonl": TWO,
    "written-twice": {"kettle-1": (3, 1, 200 / 3, 3)},
}


def scores(results: Path) -> list[dict[str, Any]]:
    """Return what `score` prints for a results folder that is valid."""
    checked = sitegen("validate", results)
    assert checked.returncode == 0, checked.stdout
    submissions: list[dict[str, Any]] = json.loads(sitegen("score", results, "--format", "json").stdout)["submissions"]
    return submissions


def lines_of(into: Path, row: dict[str, Any]) -> list[dict[str, Any]]:
    rounds = into / "mine" / "submissions" / row["id"] / "rounds.jsonl"
    return [json.loads(line) for line in rounds.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_sample_goes_all_the_way(name: str, tmp_path: Path) -> None:
    into = tmp_path / "results"
    done = sitegen("import", "promptfoo", SAMPLES / name, "--into", into, "--benchmark", "mine")
    assert done.returncode == 0, done.stderr
    actual = {}
    for row in scores(into):
        lines = lines_of(into, row)
        agent = row["agent"]
        value = row["metrics"]["resolved"]["value"]
        actual[" ".join(filter(None, (agent["name"], agent["scaffold"], agent["reasoning"])))] = (
            row["coverage"]["tasks"],
            max(line["attempt"] for line in lines),
            value if value is None else pytest.approx(value),
            sum(line["state"] == "scored" for line in lines),
        )
    assert actual == EXPECTED[name]
    assert sitegen("init", tmp_path / "board", "--benchmark", "board").returncode == 0
    sent = sitegen("submit", SAMPLES / name, "--to", "board/main", "--dry-run", folder=tmp_path / "board")
    assert sent.returncode == 0, sent.stderr
    assert "is read as promptfoo, because it has " in sent.stderr


@pytest.mark.parametrize("name", [name for name in FIGURES if not name.startswith(("unchecked", "partly", "old"))])
def test_values_are_those_of_promptfoo(name: str, tmp_path: Path) -> None:
    """Its pass rate is over all results, and so is the mean score."""
    into = tmp_path / "results"
    for metric in ("success", "score"):
        arguments = ("import", "promptfoo", SAMPLES / name, "--into", into / metric, "--benchmark", "mine")
        done = sitegen(*arguments, "--metric", metric)
        assert done.returncode == 0, done.stderr
        expected, actual = [], []
        for figures in FIGURES[name]:
            total = figures["pass"] + figures["fail"] + figures["error"]
            expected.append((figures["pass"] if metric == "success" else figures["score"]) / total)
        for row in scores(into / metric):
            rewards = [line["reward"] for line in lines_of(into / metric, row)]
            actual.append(sum(rewards) / len(rewards))
        assert sorted(actual) == pytest.approx(sorted(expected))


def test_tests_that_check_nothing_are_refused(tmp_path: Path) -> None:
    arguments = ("import", "promptfoo", SAMPLES / "unchecked", "--into", tmp_path / "results", "--benchmark", "mine")
    done = sitegen(*arguments)
    assert done.returncode == 1
    assert "no test of results.json has an assertion" in done.stderr
    assert "copy the source again" not in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.glob("*/")))
def test_changed_samples_end_with_words(name: str, tmp_path: Path) -> None:
    for seed in range(MUTATIONS):
        tree, into = tmp_path / str(seed), tmp_path / f"{seed}-into"
        shutil.copytree(SAMPLES / name, tree)
        mutate(random.Random(f"promptfoo {name} {seed}"), tree)  # noqa: S311 - a draw that anyone may foresee
        imported = ["import", "promptfoo", str(tree), "--into", str(into), "--benchmark", "mine", "--allow-missing"]
        ended = run_commands([imported, ["validate", str(into)]])
        assert not [outcome for outcome in ended if isinstance(outcome, BaseException)], f"seed {seed}: {ended}"
        shutil.rmtree(tree)
