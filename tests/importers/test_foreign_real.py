"""The field's formats as their tools write them: values as worked out apart, and damaged copies refused."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit.real_data import real_data
from kit.small_import import files_in
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.problems import ProblemsError, SitegenError

SOURCES = (
    ("inspect", "inspect"),
    ("swebench", "swebench/run"),
    ("swebench", "swebench/experiments/evaluation/verified/20260921_ember-agent"),
    ("every-eval-ever", "every-eval-ever"),
    ("lm-eval", "lm-eval"),
)


def run(*arguments: str | Path) -> Any:  # noqa: ANN401 - what the command gives
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exception is None or isinstance(done.exception, SystemExit | SitegenError), done.exception
    return done


def brought_in(form: str, source: Path, into: Path) -> Any:  # noqa: ANN401 - as above
    """Import a source."""
    return run("import", form, source, "--into", into, "--benchmark", "mine", "--allow-missing")


def rounds(into: Path) -> dict[str, list[dict[str, Any]]]:
    """The records of each bundle, by its agent's name."""
    scored = json.loads(run("score", into, "--format", "json").stdout)["submissions"]
    lines_by_agent = {}
    for row in scored:
        path = into / "mine" / "submissions" / row["id"] / "rounds.jsonl"
        if path.exists():
            lines_by_agent[row["agent"]["name"]] = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return lines_by_agent


@pytest.mark.parametrize(("form", "source_path"), SOURCES)
def test_what_tools_write_gives_the_values_worked_out_apart(form: str, source_path: str, tmp_path: Path) -> None:
    root = real_data("foreign")
    sources = json.loads((root / "expected.json").read_text("utf-8"))["sources"]
    (expected,) = (source for source in sources if source["path"] == source_path)
    done = brought_in(form, root / source_path, tmp_path)
    assert done.exit_code == 0, done.output
    assert run("validate", tmp_path).exit_code == 0
    before = files_in(tmp_path)
    assert brought_in(form, root / source_path, tmp_path).exit_code == 0
    assert files_in(tmp_path) == before
    scored = json.loads(run("score", tmp_path, "--format", "json").stdout)["submissions"]
    values = {row["agent"]["name"]: row["metrics"] for row in scored}
    lines = rounds(tmp_path)
    assert lines.keys() == expected["agents"].keys()
    for name, expected_agent in expected["agents"].items():
        agent_lines = lines[name]
        assert len({line["task"] for line in agent_lines}) == expected_agent["tasks"]
        assert max(line["attempt"] for line in agent_lines) == expected_agent["attempts"]
        states = Counter(line["state"] == "scored" for line in agent_lines)
        assert (states[True], states[False]) == (expected_agent["scored"], expected_agent["not_scored"])
        passed = Counter(line["attempt"] for line in agent_lines if line["reward"] >= 0.999)
        assert [passed[number + 1] for number in range(expected_agent["attempts"])] == expected_agent[
            "passed_by_attempt"
        ]
        for metric, value in expected_agent["metrics"].items():
            assert values[name][metric]["value"] == pytest.approx(value, abs=1e-9)
        for key, figure in expected_agent.get("tokens", {}).items():
            assert sum(line.get(f"{key}_tokens", 0) for line in agent_lines) == figure
        for key, figure in expected_agent.get("cases", {}).items():
            assert sum(line[key] for line in agent_lines) == figure
        if "cost_usd" in expected_agent:
            assert sum(line.get("cost_usd", 0) for line in agent_lines) == pytest.approx(
                expected_agent["cost_usd"], abs=1e-9
            )
        stated = expected_agent.get("stated_accuracy", expected_agent.get("stated"))
        claimed = values[name]["mean_reward"]["claimed"]
        assert claimed == (None if stated is None else pytest.approx(stated, abs=1e-9))
    for name, expected_agent in expected.get("reported", {}).items():
        assert values[name]["mean_reward"]["value"] == pytest.approx(expected_agent["value"], abs=1e-9)


def copies(form: str, source: Path, into: Path) -> Iterator[Path]:
    """Copies of a source, in each of which one file is cut, or gone."""
    files = sorted(path.relative_to(source) for path in source.rglob("*") if path.is_file())
    telling = [path for path in files if path.suffix not in {".txt", ".diff", ".traj", ".md", ".yaml", ".log"}]
    for number, name in enumerate(telling):
        for kind in ("cut", "gone"):
            copy = into / f"{form}-{number}-{kind}" / source.name
            shutil.copytree(source, copy)
            data = (copy / name).read_bytes()
            (copy / name).unlink()
            if kind == "cut":
                (copy / name).write_bytes(data[: len(data) * 2 // 3])
            yield copy


def messages(output: str, folder: str) -> str:
    """What an import says of a copy, without the way to it."""
    return re.sub(rf"\S*/{re.escape(folder)}(?=[/:])", "", output)


@pytest.mark.parametrize(("form", "source_path"), SOURCES)
def test_a_copy_that_lacks_something_is_refused_or_told(form: str, source_path: str, tmp_path: Path) -> None:
    """Or has the same results: then what it lacks tells of nothing, or is not read."""
    source, outcomes = real_data("foreign") / source_path, Counter[str]()
    full_import = brought_in(form, source, tmp_path / "whole")
    for number, copy in enumerate(copies(form, source, tmp_path / "copies")):
        into = tmp_path / f"into-{number}"
        done = brought_in(form, copy, into)
        if done.exit_code == 0:
            is_same = rounds(into) == rounds(tmp_path / "whole")
            is_told = messages(done.stderr, source.name) != messages(full_import.stderr, source.name)
            is_row = rounds(into).keys() < rounds(tmp_path / "whole").keys()
            assert is_same or is_told or is_row, copy
            outcomes["same" if is_same else "told"] += 1
        else:
            assert isinstance(done.exception, ProblemsError)
            assert not into.exists()
            outcomes["refused"] += 1
    assert outcomes["refused"] + outcomes["told"] > 0, outcomes
