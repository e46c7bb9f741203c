"""Scores of checkpoints, read off hand-sized results."""

from collections.abc import Sequence
from typing import Any

import pytest
from grids import grid, records

from sitegen.metrics.checkpoints import (
    core,
    cost_per_round,
    definition_version,
    iso,
    measured,
    minutes_per_round,
    net_cost,
    partial,
    strict,
)
from sitegen.metrics.gaps import MetricError
from sitegen.models.outcome import RoundResult


def checkpoints(marks: str, *facts: dict[str, Any]) -> Sequence[RoundResult]:
    """Give the records of a problem, some with more facts."""
    drawn = records("a", marks)
    more = [*facts, *({} for _ in range(len(drawn) - len(facts)))]
    return [
        RoundResult(each.task, 1, each.round, each.state, each.reward, each.passed, each.total, **fact)
        for each, fact in zip(drawn, more, strict=True)
    ]


def test_checkpoints_are_pooled_over_problems() -> None:
    assert strict([grid("####"), grid(".")]) == 0.8


def test_a_problem_with_a_strict_checkpoint_is_partly_solved() -> None:
    assert partial([grid("..#"), grid(".."), grid("##")]) == pytest.approx(2 / 3)


def test_regressions_spoil_strict_but_not_iso() -> None:
    broken = {"by_category": {"core": (2, 2), "regression": (1, 2)}}
    assert iso(checkpoints("+", broken)) == 1


def test_any_other_failure_spoils_iso_but_not_core() -> None:
    broken = {"by_category": {"core": (2, 2), "error": (1, 2)}}
    assert iso(checkpoints("+", broken)) == 0
    assert core(checkpoints("+", broken)) == 1


def test_checkpoints_without_verdict_count_as_failed() -> None:
    whole = {"by_category": {"core": (4, 4)}}
    produced = [*checkpoints("#", whole), *checkpoints("x-n"), None]
    assert iso(produced) == core(produced) == 0.2


def test_a_checkpoint_without_core_cases_stays_in_the_denominator() -> None:
    """It can't pass what it does not have."""
    with_core, without = {"by_category": {"core": (4, 4)}}, {"by_category": {"error": (4, 4)}}
    assert core(checkpoints("##", with_core, without)) == 0.5


def test_without_such_cases_anywhere_there_is_no_score() -> None:
    with pytest.raises(MetricError, match="no checkpoint has such cases"):
        core(checkpoints("#", {"by_category": {"error": (4, 4)}}))


def test_without_categories_there_is_no_score() -> None:
    with pytest.raises(MetricError, match="not told apart by category"):
        iso(checkpoints("#"))


def test_a_run_without_a_verdict_has_a_score_of_0() -> None:
    assert iso(checkpoints("xx--")) == 0


def test_costs_are_those_of_produced_checkpoints() -> None:
    known = checkpoints("#.x-", {"cost_usd": 1.0}, {"cost_usd": 2.0}, {"cost_usd": 6.0}, {"cost_usd": 100.0})
    assert net_cost(known) == 9
    assert cost_per_round(known) == 3


def test_no_cost_without_a_token_is_no_measurement() -> None:
    known = checkpoints("##", {"cost_usd": 4.0}, {"cost_usd": 0.0, "output_tokens": 0})
    assert cost_per_round(known) == 4


def test_no_cost_with_tokens_is_free() -> None:
    known = checkpoints("##", {"cost_usd": 4.0}, {"cost_usd": 0.0, "output_tokens": 5})
    assert cost_per_round(known) == 2


def test_costs_nobody_counted_are_a_gap() -> None:
    with pytest.raises(MetricError, match="no cost is known"):
        net_cost(checkpoints("##", {"cost_usd": 0.0}))


def test_times_are_those_of_produced_checkpoints() -> None:
    assert (
        minutes_per_round(checkpoints("#+-", {"agent_seconds": 60}, {"agent_seconds": 180}, {"agent_seconds": 0})) == 2
    )


def test_times_nobody_kept_are_a_gap() -> None:
    with pytest.raises(MetricError, match="no time was kept"):
        minutes_per_round(checkpoints("##"))


def test_a_measurement_is_averaged_over_produced_checkpoints() -> None:
    found = checkpoints("#+-", {"measures": {"erosion@1": 0.2, "verbosity@1": 9.0}}, {"measures": {"erosion@1": 0.4}})
    assert measured(found, "erosion") == pytest.approx(0.3)
    assert definition_version(found, "erosion") == "1"


def test_measurements_by_two_definitions_do_not_mix() -> None:
    found = checkpoints("##", {"measures": {"erosion@1": 0.2}}, {"measures": {"erosion@2": 0.4}})
    with pytest.raises(MetricError, match="by several definitions: erosion@1, erosion@2"):
        measured(found, "erosion")
    assert definition_version(found, "erosion") is None


def test_what_was_not_measured_is_a_gap() -> None:
    with pytest.raises(MetricError, match="erosion was not measured"):
        measured(checkpoints("##"), "erosion")
