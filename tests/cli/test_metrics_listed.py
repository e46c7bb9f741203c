"""`sitegen metrics` lists what a track can have, and what it prints can be copied."""

import shutil
import tomllib
from pathlib import Path

import pytest
from kit.command import done, sitegen
from kit.review_day import TODAY

from sitegen.pipeline.evaluating import evaluate

BASE = Path("tests/corpus/base")


def ids(*options: str | Path) -> set[str]:
    return {metric["id"] for metric in tomllib.loads(done("metrics", *options)).get("metrics", [])}


def test_a_track_lists_what_its_protocol_allows() -> None:
    chain, once = (ids(name, "--results", BASE) for name in ("mini/chain", "aims"))
    assert {"dataset_score", "strict", "mean_reward"} <= chain
    assert {"resolved", "completion", "mean_reward"} <= once
    assert "resolved" not in chain


def test_what_can_t_be_declared_is_told_of() -> None:
    assert "# MT@k, percent: " in done("metrics", "mini/relay", "--results", BASE)
    assert "# sr: " in done("metrics", "mini/relay", "--results", BASE)
    assert "# sr: " not in done("metrics", "mini/chain", "--results", BASE)


def test_all_that_is_printed_can_be_declared(tmp_path: Path) -> None:
    shutil.copytree(BASE / "aims", tmp_path / "aims")
    printed = done("metrics", "aims/once", "--results", tmp_path).replace('id = "', 'id = "own_')
    with (tmp_path / "aims" / "benchmark.toml").open("a", encoding="utf-8") as definition:
        definition.write(printed)
    judged = evaluate(tmp_path, TODAY)
    assert [problem for problem in judged.problems() if problem.severity == "error"] == []
    scores = next(iter(judged.entries()))[1].scores
    assert scores["own_resolved"].value == scores["resolved"].value


def test_without_results_the_catalogue_is_listed(tmp_path: Path) -> None:
    assert "perfect_tasks" in ids("--results", tmp_path)


def test_a_track_that_is_not_there_is_told() -> None:
    result = sitegen("metrics", "mini/chains", "--results", BASE)
    assert result.returncode == 2
    assert "there is no track chains in mini" in result.stderr


@pytest.mark.parametrize("metric_id", ["pass_hat_2", "cost"])
def test_the_page_on_declaring_shows_declarations_that_hold(metric_id: str, tmp_path: Path) -> None:
    text = Path("site_src/submit/metrics.md").read_text(encoding="utf-8").split("```toml")[1].split("```")[0]
    declared = text.partition("\n")[2]
    shutil.copytree(BASE / "aims", tmp_path / "aims")
    with (tmp_path / "aims" / "benchmark.toml").open("a", encoding="utf-8") as definition:
        definition.write(declared)
    judged = evaluate(tmp_path, TODAY)
    assert [problem for problem in judged.problems() if problem.severity == "error"] == []
    assert metric_id in next(iter(judged.entries()))[1].scores
