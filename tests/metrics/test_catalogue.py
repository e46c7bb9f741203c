"""What the catalogue says about every metric, since the methods page is made from it."""

import re
from pathlib import Path
from typing import Any

import pytest
from kit.result_grids import MARKS, sheet, task

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric
from sitegen.metrics.metric_builder import build_benchmark_metric
from sitegen.metrics.results import arrange_results
from sitegen.models.declared import Declared
from sitegen.models.outcome import RoundResult

UNITS = {
    "dataset_score": "percent",
    "case_score": "percent",
    "avg_rounds": "interactions",
    "perfect_tasks": "tasks",
    "mt_at_k": "percent",
    "sr": "percent",
    "gap": "points",
    "comp": "percent",
    "avg_turns": "turns",
    "output_tokens_k": "thousand tokens",
    "resolved": "percent",
    "completion": "share",
    "strict": "percent",
    "iso": "percent",
    "core": "percent",
    "partial": "percent",
    "solved": "percent",
    "cost_per_round": "USD",
    "net_cost": "USD",
    "minutes_per_round": "minutes",
    "erosion": "share",
    "verbosity": "share",
}

every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))


def test_published_metrics_keep_their_units() -> None:
    assert {name: METRICS[name].unit for name in UNITS} == UNITS


@every_metric
def test_a_definition_is_a_sentence(metric: Metric) -> None:
    assert re.fullmatch(r"[A-Z][^.]*\.", metric.definition.sentence), metric.definition.sentence


@every_metric
def test_a_formula_gives_the_metric_by_its_title(metric: Metric) -> None:
    assert metric.definition.formula.startswith(f"{metric.title} = "), metric.definition.formula


@every_metric
def test_every_name_in_a_formula_is_explained(metric: Metric) -> None:
    """All but numbers, the indices of sums and what begins the formula."""
    names = re.findall(r"(?<![_\w])[A-Za-zΣ@][A-Za-z@]*", metric.definition.formula.partition(" = ")[2])
    explained = " ".join(metric.definition.letters)
    common_names = {"Σ", "max", "min", "mean", "by"}
    indices = {"t", "a", "i", "j", "p", "c"}
    assert [name for name in names if name not in common_names | indices and name not in explained] == []
    assert all(metric.definition.letters.values())


@every_metric
def test_the_page_says_when_there_is_a_gap(metric: Metric) -> None:
    assert re.fullmatch(r"[A-Z].*\.", metric.definition.gap), metric.definition.gap


@every_metric
def test_a_source_is_named(metric: Metric) -> None:
    assert re.match(r"(EvoCode-Bench|SlopCodeBench|RoadmapBench), |This site[:,] ", metric.definition.source), (
        metric.definition.source
    )


@every_metric
def test_a_mean_says_over_what(metric: Metric) -> None:
    assert re.fullmatch(r"[a-zA-Z@:, ]+", metric.averaging_words)
    assert re.search("round|task|run|problem|checkpoint|attempt|MT@k", metric.averaging_words)


@every_metric
def test_a_metric_has_what_pages_show(metric: Metric) -> None:
    assert metric.title
    assert metric.decimals in range(4)
    assert metric.protocols


@pytest.mark.parametrize(
    ("name", "protocols"),
    {
        "dataset_score": "chain",
        "perfect_tasks": "chain fail-stop once",
        "avg_turns": "chain fail-stop once",
        "output_tokens_k": "chain fail-stop once",
        "avg_rounds": "chain fail-stop",
        "mt_at_k": "fail-stop",
        "resolved": "once",
        "strict": "chain",
        "net_cost": "chain fail-stop once",
    }.items(),
)
def test_a_metric_is_allowed_where_its_definition_means_something(name: str, protocols: str) -> None:
    assert METRICS[name].protocols == set(protocols.split())


def test_less_is_better_for_what_a_run_takes_and_spoils() -> None:
    assert {metric.id for metric in METRICS.values() if metric.direction == "lower"} == {
        "avg_rounds",
        "gap",
        "avg_turns",
        "output_tokens_k",
        "cost_per_round",
        "net_cost",
        "minutes_per_round",
        "erosion",
        "verbosity",
    }


def test_a_measurement_carries_its_version() -> None:
    measured = RoundResult("a", 1, 1, **MARKS["#"], measures={"erosion@scb-2026-03": 0.5})
    results = arrange_results([task("a", 1)], [measured], (), 1, 1)
    assert METRICS["erosion"].compute(results) == 0.5
    assert METRICS["erosion"].version_in(results) == "scb-2026-03"
    assert METRICS["verbosity"].version_in(results) is None


def test_other_metrics_have_no_version() -> None:
    assert METRICS["dataset_score"].version_in(sheet("#")) is None


def test_a_metric_is_named_by_its_id_where_it_is_defined_and_nowhere_else() -> None:
    """Everybody else has the object. Words that are ids and mean other things too, such as gap, are left aside."""
    ids = {name for name in METRICS if "_" in name} | {"sr", "iso", "comp"}
    mentions = [
        (path.as_posix(), name)
        for path in Path("sitegen").rglob("*.py")
        for name in re.findall(rf'(?<!\w)"({"|".join(ids)})"', path.read_text(encoding="utf-8"))
    ]
    assert sorted(name for _, name in mentions) == sorted(ids), mentions


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (
            {"of": "pass", "attempts": "pass_hat_k", "k": 1, "rounds": "all"},
            "Chance that an attempt at a task passes, mean over tasks.",
        ),
        (
            {"of": "pass", "attempts": "pass_hat_k", "k": 3, "rounds": "all"},
            "Chance that all of 3 attempts at a task pass, mean over tasks.",
        ),
        (
            {"of": "cost_usd", "rounds": "sum", "attempts": "median"},
            "Cost of a round: sum over rounds, median over attempts, mean over tasks.",
        ),
    ],
)
def test_a_declared_metric_without_a_summary_is_defined_in_a_sentence(facts: dict[str, Any], sentence: str) -> None:
    unit = "usd" if facts["of"] == "cost_usd" else "percent"
    declared = Declared(id="score", title="Score", unit=unit, **facts)
    assert build_benchmark_metric(declared, {}).definition.sentence == sentence
