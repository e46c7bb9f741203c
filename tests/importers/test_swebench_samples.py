"""Folders that SWE-bench's tools wrote: each comes in with its right outcome, from import to scores."""

import json
import random
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from corpus.hostile import BLOWS, strike
from kit.foreign_sources import manifest, rounds, tasks
from kit.source_mutations import mutate
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import ProblemsError, SitegenError

SAMPLES = Path(__file__).parents[1] / "samples" / "swebench"
EXPECTED: Mapping[str, Any] = json.loads((SAMPLES / "expected.json").read_text("utf-8"))


def run(*arguments: str | Path) -> Any:  # noqa: ANN401 - what the command gives
    """Run a command; anything but an error of the program itself fails the test."""
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exception is None or isinstance(done.exception, SystemExit | SitegenError), done.exception
    return done


def import_sample(source: Path, into: Path, options: Sequence[str] = ()) -> Any:  # noqa: ANN401 - as above
    """Import a folder."""
    return run("import", "swebench", source, "--into", into, "--benchmark", "mine", *options)


def ways() -> list[tuple[str, Mapping[str, Any]]]:
    """Return every sample that comes in, with the outcome for its options."""
    variants = []
    for name, expected in EXPECTED.items():
        if "agents" in expected:
            variants.append((name, expected))
        variants += [(name, variant) for variant in expected.get("ways", ())]
    return variants


def test_every_sample_has_its_outcome() -> None:
    assert {path.name for path in SAMPLES.iterdir() if path.is_dir()} == set(EXPECTED)


@pytest.mark.parametrize(("name", "expected"), ways())
def test_a_sample_comes_in_with_its_outcome(name: str, expected: Mapping[str, Any], tmp_path: Path) -> None:
    done = import_sample(SAMPLES / name, tmp_path, expected.get("options", ()))
    assert done.exit_code == 0, done.output
    assert sorted(set(re.findall(r": (?:warning|note) ([A-Z-]+):", done.stderr))) == expected["warnings"]
    assert "copy the source again" not in done.stderr
    assert run("validate", tmp_path).exit_code == 0
    scored = json.loads(run("score", tmp_path, "--format", "json").stdout)["submissions"]
    bundles = {row["agent"]["name"]: row for row in scored}
    assert bundles.keys() == expected["agents"].keys()
    lines = rounds(tmp_path)
    for agent, facts in expected["agents"].items():
        agent_lines = lines[bundles[agent]["id"]]
        assert bundles[agent]["agent"]["organization"] == facts.get("organization")
        assert len({line["task"] for line in agent_lines}) == facts["tasks"]
        assert max(line["attempt"] for line in agent_lines) == facts["attempts"]
        assert Counter(line["state"] for line in agent_lines) == facts["states"]
        assert [sum(line.get(key, 0) for line in agent_lines) for key in ("passed", "total")] == facts["cases"]
        assert sum(line.get("cost_usd", 0) for line in agent_lines) == facts.get("cost_usd", 0)
        resolved = bundles[agent]["metrics"]["resolved"]
        assert resolved["value"] == pytest.approx(facts["resolved"])
        assert resolved["claimed"] == facts.get("claimed")
        assert bundles[agent]["metrics"]["mean_reward"]["value"] == pytest.approx(facts["resolved"] / 100)
    caveats = "\n".join(text for bundle in lines for text in manifest(tmp_path, bundle).get("caveats", []))
    for expected_caveat in expected.get("caveats", ()):
        assert expected_caveat in caveats


@pytest.mark.parametrize("name", [name for name, expected in EXPECTED.items() if "refused" in expected])
def test_a_sample_that_needs_a_choice_is_refused_and_says_which(name: str, tmp_path: Path) -> None:
    done = import_sample(SAMPLES / name, tmp_path / "into")
    assert isinstance(done.exception, ProblemsError)
    assert not (tmp_path / "into").exists()
    for fragment in EXPECTED[name]["refused"]:
        assert fragment in str(done.exception)
    assert "copy the source again" not in str(done.exception)


def test_every_task_names_its_repository(tmp_path: Path) -> None:
    import_sample(SAMPLES / "all-kinds", tmp_path)
    labels = {name: task["labels"] for name, task in tasks(tmp_path).items()}
    assert labels["quill__inkpot-101"] == {"repo": "quill/inkpot"}
    assert labels["reed__rule-204"] == {"repo": "reed/rule"}
    assert all(label.keys() == {"repo"} for label in labels.values())
    axis = tomllib.loads((tmp_path / "mine" / "benchmark.toml").read_text(encoding="utf-8"))["axes"]["repo"]
    assert (axis["title"], axis["cluster"]) == ("Repository", True)
    import_sample(SAMPLES / "several-languages", tmp_path / "languages", ("--agent", "Ember-1"))
    assert {task["labels"]["repo"] for task in tasks(tmp_path / "languages").values()} == {"reed/rule"}


def test_a_sample_goes_to_a_new_board_as_a_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("init", "board", "--benchmark", "mine").exit_code == 0
    done = run("submit", SAMPLES / "part-evaluated", "--to", "mine/main", "--results", "board/results", "--dry-run")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("name", EXPECTED)
def test_a_damaged_sample_ends_with_words(name: str, tmp_path: Path) -> None:
    """And what comes in is valid: `make fuzz` tries many more."""
    expected = EXPECTED[name]
    options = expected["ways"][0]["options"] if "ways" in expected else ()
    for seed in range(4):
        tree, into = tmp_path / f"{seed}" / "source", tmp_path / f"{seed}" / "into"
        shutil.copytree(SAMPLES / name, tree)
        dice = random.Random(f"{name}{seed}")  # noqa: S311 - a draw that anyone may foresee
        if seed == 0:
            strike(dice, tree, BLOWS)
        else:
            mutate(dice, tree)
        done = import_sample(tree, into, options)
        if done.exit_code == 0:
            assert run("validate", into).exit_code == 0
        else:
            assert not into.exists()
