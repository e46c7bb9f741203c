"""A score taken apart into tasks adds up to the score again."""

import pytest
from grids import sheet

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric
from sitegen.metrics.parts import parts_of
from sitegen.models.outcome import RunFigures

FAIL_STOP = sheet(("##.", "#.."), ("#....", "###.."), attempts=2, reference=("#.#", "##..#"))
RUNS = [RunFigures("a", 1, interactions_per_round=30.0, turns=9, output_tokens=900), RunFigures("b", 1, turns=4)]
CHAIN = sheet("#+.", "##!#n", "x--", runs=RUNS)

DRAWN = [metric for metric in METRICS.values() if metric.pooling and metric.id not in {"iso", "core"}]
"""Scores whose data the sheets above hold."""


@pytest.mark.parametrize("metric", DRAWN, ids=lambda metric: metric.id)
def test_the_ratio_of_sums_is_the_score(metric: Metric) -> None:
    results = FAIL_STOP if metric.protocols == {"fail-stop"} else CHAIN
    parts = parts_of(metric, [results], ["a", "b", "c"])
    assert parts.numerators.sum() / parts.denominators.sum() == pytest.approx(metric.compute(results), abs=1e-12)


def test_a_task_without_a_value_counts_for_nothing() -> None:
    """Nobody counted interactions on the second and third task."""
    parts = parts_of(METRICS["avg_rounds"], [CHAIN], ["a", "b", "c"])
    assert parts.denominators.tolist() == [[1.0, 0.0, 0.0]]


def test_pooled_rounds_weigh_as_many_as_a_task_has() -> None:
    parts = parts_of(METRICS["sr"], [FAIL_STOP], ["a", "b"])
    assert parts.denominators.tolist() == [[3.0, 5.0]]
