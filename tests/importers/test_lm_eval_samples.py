"""What versions of the lm-evaluation-harness wrote: imported, validated and scored, and damaged copies of it."""

import json
import random
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from kit.foreign_sources import imported, rounds
from kit.source_mutations import mutate
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import SitegenError

SAMPLES = Path(__file__).parents[1] / "samples" / "lm_eval"
EXPECTED: dict[str, Any] = json.loads((SAMPLES / "expected.json").read_text("utf-8"))["samples"]


def scored(into: Path) -> list[dict[str, Any]]:
    """Validate results, and return what `score` says of them."""
    checked = CliRunner().invoke(app, ["validate", str(into)])
    assert checked.exit_code == 0, checked.output
    done = CliRunner().invoke(app, ["score", str(into), "--format", "json"])
    submissions: list[dict[str, Any]] = json.loads(done.stdout)["submissions"]
    return submissions


@pytest.mark.parametrize("name", EXPECTED)
def test_a_sample_of_the_harness_has_its_values(name: str, tmp_path: Path) -> None:
    expected_outcome = EXPECTED[name]
    codes = imported("lm-eval", SAMPLES / name, tmp_path, *expected_outcome.get("options", ()))
    assert codes == sorted(expected_outcome["said"])
    submissions = scored(tmp_path)
    values = {submission["agent"]["name"]: submission["metrics"]["mean_reward"] for submission in submissions}
    assert values.keys() == {*expected_outcome["agents"], *expected_outcome.get("reported", {})}
    for agent, value in expected_outcome.get("reported", {}).items():
        assert values[agent]["value"] == pytest.approx(value)
    for lines, (agent, expected) in zip(rounds(tmp_path).values(), expected_outcome["agents"].items(), strict=True):
        rewards: defaultdict[str, list[float]] = defaultdict(list)
        for line in lines:
            assert line["state"] == "scored"
            rewards[line["task"].rpartition("-")[0]].append(line["reward"])
        assert rewards == expected["rewards"]
        assert values[agent]["claimed"] == expected.get("claimed")


@pytest.mark.parametrize("name", EXPECTED)
def test_a_damaged_sample_is_refused_in_words_or_stays_valid(name: str, tmp_path: Path) -> None:
    accepted = 0
    for seed in range(12):
        folder = tmp_path / str(seed)
        shutil.copytree(SAMPLES / name, folder / "source")
        mutate(random.Random(seed), folder / "source")  # noqa: S311 - a draw that anyone may foresee
        arguments = ["import", "lm-eval", str(folder / "source"), "--into", str(folder / "into"), "--benchmark", "mine"]
        done = CliRunner().invoke(app, [*arguments, "--date", "2026-03-01", "--allow-missing"])
        assert done.exception is None or isinstance(done.exception, SystemExit | SitegenError), seed
        if done.exit_code == 0:
            accepted += 1
            scored(folder / "into")
    assert accepted > 0
