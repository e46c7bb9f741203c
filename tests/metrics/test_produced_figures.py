"""Costs, times and measurements of produced checkpoints, read off hand-sized results."""

from collections.abc import Sequence
from statistics import stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.result_grids import records, task

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import MetricError
from sitegen.metrics.results import SubmissionResults, arrange_results
from sitegen.models.outcome import RoundResult, RunFigures


def sheet(marks: str, *facts: dict[str, Any], runs: Sequence[RunFigures] = ()) -> SubmissionResults:
    """Give the results of one run, the first checkpoints with more facts."""
    drawn = records("a", marks)
    padded_facts = [*facts, *({} for _ in range(len(drawn) - len(facts)))]
    round_results = [
        RoundResult(
            round_result.task,
            1,
            round_result.round,
            round_result.state,
            round_result.reward,
            round_result.passed,
            round_result.total,
            **fact,
        )
        for round_result, fact in zip(drawn, padded_facts, strict=True)
    ]
    return arrange_results([task("a", len(marks))], round_results, runs, 1, 1)


def score(metric: str, results: SubmissionResults) -> float:
    return METRICS[metric].compute(results)


def test_costs_are_those_of_produced_checkpoints() -> None:
    results = sheet("#.x-", {"cost_usd": 1.0}, {"cost_usd": 2.0}, {"cost_usd": 6.0}, {"cost_usd": 100.0})
    assert score("net_cost", results) == 9
    assert score("cost_per_round", results) == 3


def test_no_cost_without_a_token_is_no_measurement() -> None:
    results = sheet("##", {"cost_usd": 4.0}, {"cost_usd": 0.0, "output_tokens": 0})
    assert score("cost_per_round", results) == 4


def test_a_cost_of_0_beside_tokens_is_unknown() -> None:
    results = sheet("##", {"cost_usd": 4.0}, {"cost_usd": 0.0, "output_tokens": 5})
    assert score("cost_per_round", results) == 4


@pytest.mark.parametrize("metric", ["net_cost", "cost_per_round"])
def test_costs_nobody_counted_are_a_gap(metric: str) -> None:
    with pytest.raises(MetricError, match="no cost known"):
        score(metric, sheet("##", {"cost_usd": 0.0}))


def test_the_cost_of_a_run_stands_in_for_its_checkpoints() -> None:
    """12 dollars for the three checkpoints that were produced."""
    results = sheet("#.x-", runs=[RunFigures("a", 1, cost_usd=12.0)])
    assert score("net_cost", results) == 12
    assert score("cost_per_round", results) == 4
    assert METRICS["cost_per_round"].standard_deviation(results) is None


def test_a_checkpoints_own_cost_wins() -> None:
    results = sheet("##", {"cost_usd": 1.0}, {"cost_usd": 2.0}, runs=[RunFigures("a", 1, cost_usd=12.0)])
    assert score("net_cost", results) == 3


def test_a_run_that_nobody_counted_costs_nothing_known() -> None:
    assert METRICS["net_cost"].measure(sheet("##", runs=[RunFigures("a", 1, cost_usd=0.0)])).gap == "no cost known"


def test_times_are_those_of_produced_checkpoints() -> None:
    results = sheet("#+-", {"agent_seconds": 60}, {"agent_seconds": 180}, {"agent_seconds": 0})
    assert score("minutes_per_round", results) == 2


def test_times_nobody_kept_are_a_gap() -> None:
    with pytest.raises(MetricError, match="no time known"):
        score("minutes_per_round", sheet("##"))


def test_a_measurement_is_averaged_over_produced_checkpoints() -> None:
    results = sheet("#+-", {"measures": {"erosion@1": 0.2, "verbosity@1": 9.0}}, {"measures": {"erosion@1": 0.4}})
    assert score("erosion", results) == pytest.approx(0.3)
    assert METRICS["erosion"].version_in(results) == "1"


def test_measurements_by_two_definitions_do_not_mix() -> None:
    results = sheet("##", {"measures": {"erosion@1": 0.2}}, {"measures": {"erosion@2": 0.4}})
    with pytest.raises(MetricError, match="by different definitions: erosion@1, erosion@2"):
        score("erosion", results)
    assert METRICS["erosion"].version_in(results) is None


@pytest.mark.parametrize("metric", ["erosion", "verbosity"])
def test_what_was_not_measured_is_a_gap(metric: str) -> None:
    with pytest.raises(MetricError, match=f"{metric} was not measured"):
        score(metric, sheet("##"))


SPREAD = {
    "cost_per_round": ({"cost_usd": 1.0}, {"cost_usd": 3.0}),
    "minutes_per_round": ({"agent_seconds": 60.0}, {"agent_seconds": 180.0}),
    "erosion": ({"measures": {"erosion@1": 1.0}}, {"measures": {"erosion@1": 3.0}}),
    "verbosity": ({"measures": {"verbosity@1": 1.0}}, {"measures": {"verbosity@1": 3.0}}),
}


@pytest.mark.parametrize(("metric", "facts"), SPREAD.items(), ids=SPREAD)
def test_a_mean_over_checkpoints_has_their_sample_deviation(metric: str, facts: Sequence[dict[str, Any]]) -> None:
    """1 and 3 lie one from their mean: the square root of 2 divided by one less than two."""
    assert METRICS[metric].standard_deviation(sheet("##-", *facts)) == pytest.approx(2**0.5)


@pytest.mark.parametrize(("metric", "facts"), SPREAD.items(), ids=SPREAD)
def test_one_checkpoint_has_no_deviation(metric: str, facts: Sequence[dict[str, Any]]) -> None:
    assert METRICS[metric].standard_deviation(sheet("##", *facts[:1])) is None


def test_other_metrics_have_no_deviation() -> None:
    facts = [{"cost_usd": 1.0}, {"cost_usd": 3.0}]
    spreads = {name: METRICS[name].standard_deviation(sheet("##", *facts)) for name in METRICS if name not in SPREAD}
    assert set(spreads.values()) == {None}


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=8))
def test_the_deviation_is_that_of_the_textbook(dollars: list[float]) -> None:
    results = sheet("#" * len(dollars), *({"cost_usd": dollar} for dollar in dollars))
    assert METRICS["cost_per_round"].standard_deviation(results) == pytest.approx(stdev(dollars), abs=1e-9)


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=8))
def test_costs_per_checkpoint_add_up_to_the_net_cost(dollars: list[float]) -> None:
    results = sheet("#" * len(dollars), *({"cost_usd": dollar} for dollar in dollars))
    assert score("cost_per_round", results) * len(dollars) == pytest.approx(score("net_cost", results))
