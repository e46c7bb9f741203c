"""Files that the benchmark's own builder wrote, in every shape that it leaves, on their way to scores."""

import json
import random
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from corpus.strangers import run_commands
from kit.evocodebench_trees import OPTIONS, imported
from kit.source_mutations import mutate
from kit.thoroughness import IS_WHOLE
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.models.outcome import RoundResult
from sitegen.pipeline.importing import apply_import

SAMPLES = Path(__file__).parents[1] / "samples" / "evocodebench"
EXPECTED: Mapping[str, Mapping[str, Any]] = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))


MUTATIONS = 200 if IS_WHOLE else 10
"""Of each publication."""


def outcome_of(result: RoundResult) -> object:
    """Return the reward of a round, None if it was aborted, else its state."""
    if result.state == "aborted":
        return None
    return result.reward if result.state == "scored" else result.state


@pytest.mark.parametrize("name", EXPECTED)
def test_files_of_the_builder_get_their_outcome(name: str, tmp_path: Path) -> None:
    incoming = imported(SAMPLES / name / "2026-06-25-sample", replace(OPTIONS, benchmark="sample"))
    outcomes: dict[str, dict[str, list[object]]] = {}
    without_cases = []
    for draft in incoming.drafts:
        by_task = outcomes.setdefault(draft.submission.agent.name, {})
        for result in draft.rounds:
            by_task.setdefault(result.task, []).append(outcome_of(result))
            if result.state == "scored" and result.total is None:
                without_cases.append(f"{result.task} {result.round}")
    assert outcomes == EXPECTED[name]["agents"]
    assert sorted(without_cases) == EXPECTED[name]["without_cases"]
    assert sorted({problem.code for problem in incoming.problems}) == EXPECTED[name]["warnings"]
    apply_import(incoming, tmp_path / "results")
    checked = CliRunner().invoke(app, ["validate", str(tmp_path / "results")])
    assert checked.exit_code == 0, checked.output


@pytest.mark.parametrize("name", EXPECTED)
def test_files_of_the_builder_with_changes_end_with_words(name: str, tmp_path: Path) -> None:
    for seed in range(MUTATIONS):
        source = shutil.copytree(SAMPLES / name / "2026-06-25-sample", tmp_path / f"2026-06-25-{seed}")
        mutate(random.Random(f"{name} {seed}"), source)  # noqa: S311 - a draw that anyone may foresee
        into = str(tmp_path / f"{seed}-into")
        arguments = ["import", "evocodebench", str(source), "--into", into, "--benchmark", "mine", "--allow-missing"]
        ended = run_commands([arguments, ["validate", into]])
        assert [repr(outcome) for outcome in ended if isinstance(outcome, BaseException)] == [], f"seed {seed}"
