"""Records that converters and the package's own types wrote: imported, validated and scored, and damaged copies."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from kit.foreign_sources import imported, refused, rounds
from kit.source_mutations import mutate
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import SitegenError

SAMPLES = Path(__file__).parents[1] / "samples" / "every_eval_ever"
EXPECTED: dict[str, Any] = json.loads((SAMPLES / "expected.json").read_text("utf-8"))["samples"]


def scored(into: Path) -> list[dict[str, Any]]:
    """Validate results, and return what `score` says of them."""
    checked = CliRunner().invoke(app, ["validate", str(into)])
    assert checked.exit_code == 0, checked.output
    done = CliRunner().invoke(app, ["score", str(into), "--format", "json"])
    submissions: list[dict[str, Any]] = json.loads(done.stdout)["submissions"]
    return submissions


@pytest.mark.parametrize("name", EXPECTED)
def test_a_sample_of_a_converter_has_its_values(name: str, tmp_path: Path) -> None:
    expected_outcome = EXPECTED[name]
    source = shutil.copytree(SAMPLES / name, tmp_path / "source")
    if "refused" in expected_outcome:
        assert [code for code, _ in refused("every-eval-ever", source)] == [expected_outcome["refused"]]
    codes = imported("every-eval-ever", source, tmp_path / "into", *expected_outcome.get("options", ()))
    assert codes == expected_outcome.get("said", [])
    submissions = {submission["id"]: submission for submission in scored(tmp_path / "into")}
    rewards = {}
    for bundle, lines in rounds(tmp_path / "into").items():
        values = [line["reward"] if line["state"] == "scored" else None for line in lines]
        rewards[submissions[bundle]["agent"]["name"]] = values
    assert rewards == expected_outcome["rewards"]
    for submission in submissions.values():
        agent = submission["agent"]["name"]
        if agent in expected_outcome.get("claimed", {}):
            assert submission["metrics"]["mean_reward"]["claimed"] == pytest.approx(expected_outcome["claimed"][agent])


@pytest.mark.parametrize("name", EXPECTED)
def test_a_damaged_sample_is_refused_in_words_or_stays_valid(name: str, tmp_path: Path) -> None:
    accepted = 0
    for seed in range(12):
        folder = tmp_path / str(seed)
        shutil.copytree(SAMPLES / name, folder / "source")
        mutate(random.Random(seed), folder / "source")  # noqa: S311 - a draw that anyone may foresee
        arguments = ["import", "every-eval-ever", str(folder / "source"), "--into", str(folder / "into")]
        done = CliRunner().invoke(app, [*arguments, "--benchmark", "mine", *EXPECTED[name].get("options", ())])
        assert done.exception is None or isinstance(done.exception, SystemExit | SitegenError), seed
        if done.exit_code == 0:
            accepted += 1
            scored(folder / "into")
    assert accepted > 0
