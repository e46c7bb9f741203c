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


def run(*words: str | Path) -> Any:  # noqa: ANN401 - what the command gives
    done = CliRunner().invoke(app, [*map(str, words)])
    assert done.exception is None or isinstance(done.exception, SystemExit | SitegenError), done.exception
    return done


def brought_in(form: str, source: Path, into: Path) -> Any:  # noqa: ANN401 - as above
    """Import a source."""
    return run("import", form, source, "--into", into, "--benchmark", "mine", "--allow-missing")


def rounds(into: Path) -> dict[str, list[dict[str, Any]]]:
    """The records of each bundle, by its agent's name."""
    scored = json.loads(run("score", into, "--format", "json").stdout)["submissions"]
    found = {}
    for row in scored:
        path = into / "mine" / "submissions" / row["id"] / "rounds.jsonl"
        if path.exists():
            found[row["agent"]["name"]] = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return found


@pytest.mark.parametrize(("form", "place"), SOURCES)
def test_what_tools_write_gives_the_values_worked_out_apart(form: str, place: str, tmp_path: Path) -> None:
    root = real_data("foreign")
    sources = json.loads((root / "expected.json").read_text("utf-8"))["sources"]
    (expected,) = (source for source in sources if source["path"] == place)
    done = brought_in(form, root / place, tmp_path)
    assert done.exit_code == 0, done.output
    assert run("validate", tmp_path).exit_code == 0
    before = files_in(tmp_path)
    assert brought_in(form, root / place, tmp_path).exit_code == 0
    assert files_in(tmp_path) == before
    scored = json.loads(run("score", tmp_path, "--format", "json").stdout)["submissions"]
    values = {row["agent"]["name"]: row["metrics"] for row in scored}
    lines = rounds(tmp_path)
    assert lines.keys() == expected["agents"].keys()
    for name, told in expected["agents"].items():
        own = lines[name]
        assert len({line["task"] for line in own}) == told["tasks"]
        assert max(line["attempt"] for line in own) == told["attempts"]
        states = Counter(line["state"] == "scored" for line in own)
        assert (states[True], states[False]) == (told["scored"], told["not_scored"])
        passed = Counter(line["attempt"] for line in own if line["reward"] >= 0.999)
        assert [passed[number + 1] for number in range(told["attempts"])] == told["passed_by_attempt"]
        for metric, value in told["metrics"].items():
            assert values[name][metric]["value"] == pytest.approx(value, abs=1e-9)
        for key, figure in told.get("tokens", {}).items():
            assert sum(line.get(f"{key}_tokens", 0) for line in own) == figure
        for key, figure in told.get("cases", {}).items():
            assert sum(line[key] for line in own) == figure
        if "cost_usd" in told:
            assert sum(line.get("cost_usd", 0) for line in own) == pytest.approx(told["cost_usd"], abs=1e-9)
        stated = told.get("stated_accuracy", told.get("stated"))
        claimed = values[name]["mean_reward"]["claimed"]
        assert claimed == (None if stated is None else pytest.approx(stated, abs=1e-9))
    for name, told in expected.get("reported", {}).items():
        assert values[name]["mean_reward"]["value"] == pytest.approx(told["value"], abs=1e-9)


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


@pytest.mark.parametrize(("form", "place"), SOURCES)
def test_a_copy_that_lacks_something_is_refused_or_told(form: str, place: str, tmp_path: Path) -> None:
    """Or has the same results: then what it lacks tells of nothing, or is not read."""
    source, told = real_data("foreign") / place, Counter[str]()
    whole = brought_in(form, source, tmp_path / "whole")
    for number, copy in enumerate(copies(form, source, tmp_path / "copies")):
        into = tmp_path / f"into-{number}"
        done = brought_in(form, copy, into)
        if done.exit_code == 0:
            is_same = rounds(into) == rounds(tmp_path / "whole")
            is_told = messages(done.stderr, source.name) != messages(whole.stderr, source.name)
            is_row = rounds(into).keys() < rounds(tmp_path / "whole").keys()
            assert is_same or is_told or is_row, copy
            told["same" if is_same else "told"] += 1
        else:
            assert isinstance(done.exception, ProblemsError)
            assert not into.exists()
            told["refused"] += 1
    assert told["refused"] + told["told"] > 0, told
