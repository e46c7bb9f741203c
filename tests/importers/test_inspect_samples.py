"""Logs that Inspect itself wrote: each gets the outcome worked out by hand, and passes through every step."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from kit.foreign_sources import rounds
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import ProblemsError, SitegenError, errors_of

SAMPLES = Path(__file__).parents[1] / "samples" / "inspect"
CASES: Mapping[str, Mapping[str, Any]] = json.loads((SAMPLES / "expected.json").read_text("utf-8"))["cases"]


def run(*arguments: str | Path) -> Any:  # noqa: ANN401 - what the command gives
    """Run a command; only an error of the program's own may end it."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit | SitegenError), done.exception
    return done


def import_sample(name: str, into: Path, *options: str) -> Any:  # noqa: ANN401 - as above
    """Import a sample."""
    return run("import", "inspect", SAMPLES / name, "--into", into, "--benchmark", "mine", *options)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "refused" in case])
def test_what_nobody_can_know_is_asked_for(name: str, tmp_path: Path) -> None:
    for refusal in CASES[name]["refused"]:
        done = import_sample(name, tmp_path / "into", *refusal["options"])
        assert isinstance(done.exception, ProblemsError), done.output
        (problem,) = errors_of(done.exception.problems)
        assert problem.code == refusal["code"]
        for fragment in refusal["words"]:
            assert fragment in f"{problem.what} {problem.fix}"
        assert "copy the source again" not in problem.fix
        assert not (tmp_path / "into").exists()


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "options" in case])
def test_a_log_gets_the_values_worked_out_by_hand(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    done = import_sample(name, tmp_path, *case["options"])
    assert done.exit_code == 0, done.exception or done.output
    codes = set(re.findall(r": (?:warning|note) ([A-Z-]+):", done.output)) - {"REWARD-FRACTIONAL"}
    assert codes >= set(case.get("codes", ()))
    for note in case.get("notes", ()):
        assert note in done.output
    assert run("validate", tmp_path).exit_code == 0
    submissions = json.loads(run("score", tmp_path, "--format", "json").stdout)["submissions"]
    bundles = [row for row in submissions if row["evidence"] != "reported"]
    assert len(bundles) == len(case["agents"])
    for row, agent in zip(bundles, case["agents"], strict=True):
        lines = rounds(tmp_path)[row["id"]]
        assert row["agent"]["name"] == agent["name"]
        assert len({line["task"] for line in lines}) == agent["tasks"]
        assert max(line["attempt"] for line in lines) == agent["attempts"]
        assert sum(line["state"] == "scored" for line in lines) == agent["scored"]
        mean = row["metrics"]["mean_reward"]
        assert mean["value"] == pytest.approx(agent["mean_reward"])
        assert mean["claimed"] == (None if agent["claim"] is None else pytest.approx(agent["claim"]))
        if "claim_source" in case:
            assert mean["claim_source"] == case["claim_source"]
    reported = [row for row in submissions if row["evidence"] == "reported"]
    if "reported" in case:
        (row,) = reported
        assert row["agent"]["name"] == case["reported"]["name"]
        assert row["metrics"]["mean_reward"]["value"] == pytest.approx(case["reported"]["value"])
    else:
        assert reported == []


def test_every_sample_has_a_case() -> None:
    folders = {path.name for path in SAMPLES.iterdir() if path.is_dir()}
    assert folders == CASES.keys()


def test_samples_are_small_and_name_no_machine() -> None:
    files = [path for path in SAMPLES.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 180_000
    for path in files:
        if path.suffix == ".json":
            assert not re.search(r"/(?:home|root|Users|tmp)/", path.read_text("utf-8")), path
