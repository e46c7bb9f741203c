"""Runs that the benchmark's own runner wrote, in every shape that it leaves, on their way to scores."""

import json
import random
import shutil
import tarfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from corpus.strangers import run_commands
from kit.slopcodebench_trees import OPTIONS, imported, refused
from kit.source_mutations import mutate
from kit.thoroughness import IS_WHOLE
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.importers.kit.options import ImportOptions
from sitegen.models.outcome import RoundResult
from sitegen.pipeline.importing import apply_import

SAMPLES = Path(__file__).parents[1] / "samples" / "slopcodebench"
EXPECTED: Mapping[str, Mapping[str, Any]] = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shapes, unpacked."""
    root = tmp_path_factory.mktemp("slopcodebench")
    with tarfile.open(SAMPLES / "slop-code-bench-0.1.0.tar.xz") as archive:
        archive.extractall(root, filter="data")
    return root


MUTATIONS = 200 if IS_WHOLE else 2
"""Of each shape."""


def outcome_of(result: RoundResult) -> object:
    """Return the reward of a round, None if it was aborted, else its state."""
    if result.state == "aborted":
        return None
    return result.reward if result.state == "scored" else result.state


def check(source: Path, options: ImportOptions, expected: Mapping[str, Any], folder: Path) -> None:
    """Import a shape, and compare what comes of it."""
    incoming = imported(source, options)
    outcomes: dict[str, dict[str, list[object]]] = {}
    for draft in incoming.drafts:
        agent = draft.submission.agent
        by_task = outcomes.setdefault(f"{agent.name}, {agent.reasoning}", {})
        for result in sorted(draft.rounds, key=lambda result: (result.attempt, result.round)):
            by_task.setdefault(result.task, []).append(outcome_of(result))
    assert outcomes == expected["agents"]
    assert sorted({problem.code for problem in incoming.problems}) == expected["warnings"]
    apply_import(incoming, folder)
    checked = CliRunner().invoke(app, ["validate", str(folder)])
    assert checked.exit_code == 0, checked.output


@pytest.mark.parametrize("name", EXPECTED)
def test_runs_of_the_runner_get_their_outcome(name: str, shapes: Path, tmp_path: Path) -> None:
    expected = EXPECTED[name]
    if "refused" not in expected:
        check(shapes / name, OPTIONS, expected, tmp_path / "results")
        return
    assert [error.code for error in refused(shapes / name)] == [expected["refused"]]
    for number, variant in enumerate(expected.get("ways", ())):
        check(shapes / name, replace(OPTIONS, **variant["options"]), variant, tmp_path / f"results-{number}")


def test_a_one_shot_run_of_the_runner_is_known_without_its_configuration(shapes: Path, tmp_path: Path) -> None:
    """Its only checkpoint is the first, and is called by the name of the problem's last."""
    run = shutil.copytree(shapes / "one-shot" / "run", tmp_path / "run")
    (run / "config.yaml").unlink()
    assert [error.code for error in refused(run)] == ["SOURCE-PROTOCOLS-MIXED"]


@pytest.mark.parametrize("name", EXPECTED)
def test_runs_of_the_runner_with_changes_end_with_words(name: str, shapes: Path, tmp_path: Path) -> None:
    for seed in range(MUTATIONS):
        source = shutil.copytree(shapes / name, tmp_path / str(seed))
        mutate(random.Random(f"{name} {seed}"), source)  # noqa: S311 - a draw that anyone may foresee
        into = str(tmp_path / f"{seed}-into")
        arguments = ["import", "slopcodebench", str(source), "--into", into, "--runs", "attempts", "--allow-missing"]
        ended = run_commands([arguments, ["validate", into]])
        assert [repr(outcome) for outcome in ended if isinstance(outcome, BaseException)] == [], f"seed {seed}"
