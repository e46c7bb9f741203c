"""What scores are over, of what they are defined over; below four fifths there is none."""

from collections.abc import Sequence
from typing import Any

import pytest
from kit.result_grids import records, sheet, task

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Extent, Measured
from sitegen.metrics.results import SubmissionResults, arrange_results
from sitegen.models.outcome import RunFigures

FIVE = "#####"
FIGURES: dict[str, dict[str, Any]] = {
    "erosion": {"measures": {"erosion@1": 0.0}},
    "verbosity": {"measures": {"verbosity@1": 0.0}},
    "cost_per_round": {"cost_usd": 1.0},
    "minutes_per_round": {"agent_seconds": 60.0},
}


def known(marks: str, number: int, facts: dict[str, Any], runs: Sequence[RunFigures] = ()) -> SubmissionResults:
    """Give the results of one run at one task, the first rounds with more facts."""
    measured_rounds = records("a", marks[:number] + " " * (len(marks) - number), **facts)
    silent = records("a", " " * number + marks[number:])
    return arrange_results([task("a", len(marks))], [*measured_rounds, *silent], runs, 1, 1)


def measured(metric: str, results: SubmissionResults) -> Measured:
    return METRICS[metric].measure(results)


@pytest.mark.parametrize(("metric", "facts"), FIGURES.items(), ids=FIGURES)
def test_a_mean_over_a_fifth_of_the_checkpoints_is_a_gap(metric: str, facts: dict[str, Any]) -> None:
    reason = "known for only 1 of 5 rounds, less than 80 %"
    assert measured(metric, known(FIVE, 1, facts)) == Measured(None, Extent(1, 5, "round"), reason)


@pytest.mark.parametrize(("metric", "facts"), FIGURES.items(), ids=FIGURES)
def test_a_mean_over_four_fifths_of_the_checkpoints_says_so(metric: str, facts: dict[str, Any]) -> None:
    measurement = measured(metric, known(FIVE, 4, facts))
    assert (measurement.value is None, measurement.extent, measurement.gap) == (False, Extent(4, 5, "round"), None)


def test_a_checkpoint_that_was_not_produced_is_none_that_lacks_a_figure() -> None:
    assert measured("erosion", known("#---", 1, FIGURES["erosion"])).extent == Extent(1, 1, "round")


def test_a_total_with_an_unknown_part_is_a_gap() -> None:
    reason = "known for only 4 of 5 rounds, so there is no total"
    assert measured("net_cost", known(FIVE, 4, {"cost_usd": 1.0})).gap == reason
    assert measured("net_cost", known(FIVE, 5, {"cost_usd": 1.0})).value == 5


def test_a_total_without_a_whole_task_is_a_gap() -> None:
    results = arrange_results([task("a", 1), task("b", 1)], records("a", "#", cost_usd=1.0), (), 1, 1)
    assert measured("net_cost", results).gap == "known for only 1 of 2 tasks, so there is no total"


@pytest.mark.parametrize("metric", ["dataset_score", "case_score", "perfect_tasks", "partial", "solved", "resolved"])
def test_tasks_without_results_count_0_up_to_a_fifth(metric: str) -> None:
    measurement = measured(metric, sheet("#", "#", "#", "#", " "))
    assert (measurement.value, measurement.extent) == ((4 if metric == "perfect_tasks" else 80), Extent(4, 5, "task"))
    reason = "known for only 3 of 5 tasks, less than 80 %"
    assert measured(metric, sheet("#", "#", "#", " ", " ")) == Measured(None, Extent(3, 5, "task"), reason)


@pytest.mark.parametrize("metric", ["strict", "iso", "core"])
def test_checkpoints_without_a_record_count_0_up_to_a_fifth(metric: str) -> None:
    counts: dict[str, Any] = {"by_category": {"core": (1, 1)}, "passed": 1, "total": 1}
    results = arrange_results([task("a", 5)], records("a", "#### ", **counts), (), 1, 1)
    assert (measured(metric, results).value, measured(metric, results).extent) == (80, Extent(4, 5, "round"))
    fewer_results = arrange_results([task("a", 5)], records("a", "###  ", **counts), (), 1, 1)
    assert measured(metric, fewer_results).gap == "known for only 3 of 5 rounds, less than 80 %"


def test_an_excluded_task_is_none_that_lacks_results() -> None:
    assert measured("dataset_score", sheet("#", "!")).extent == Extent(1, 1, "task")


def test_rounds_from_the_reference_state_without_a_record_count_0_up_to_a_fifth() -> None:
    assert measured("sr", sheet(FIVE, reference=["#### "])).extent == Extent(4, 5, "round")
    assert measured("sr", sheet(FIVE, reference=["###  "])).gap == "known for only 3 of 5 rounds, less than 80 %"


def test_a_difference_is_over_what_less_is_known_of() -> None:
    measurement = measured("gap", sheet(FIVE, attempts=1, reference=["###  "]))
    assert (measurement.value, measurement.extent) == (None, Extent(3, 5, "round"))


def test_interactions_are_told_by_task_where_whole_tasks_lack_them() -> None:
    measured_rounds = [record for name in "abc" for record in records(name, "##", interactions=4)]
    tasks = [task(name, 2) for name in "abcde"]
    results = arrange_results(tasks, [*measured_rounds, *records("d", "##"), *records("e", "--")], (), 1, 1)
    reason = "known for only 6 of 8 rounds, less than 80 %"
    assert measured("avg_rounds", results) == Measured(None, Extent(6, 8, "round"), reason)


def test_interactions_of_one_round_do_not_stand_for_a_task() -> None:
    measurement = measured("avg_rounds", known(FIVE, 1, {"interactions": 4}))
    assert (measurement.value, measurement.extent) == (None, Extent(1, 5, "round"))


def test_the_mean_of_a_run_covers_its_rounds() -> None:
    measurement = measured("avg_rounds", known(FIVE, 0, {}, [RunFigures("a", 1, interactions_per_round=7.0)]))
    assert (measurement.value, measurement.extent) == (7, Extent(1, 1, "attempt"))


@pytest.mark.parametrize("metric", ["avg_turns", "output_tokens_k"])
def test_turns_and_tokens_of_a_run_say_how_many_runs_have_them(metric: str) -> None:
    run = RunFigures("a", 1, turns=10, output_tokens=10)
    assert measured(metric, sheet("##", runs=[run])).extent == Extent(1, 1, "run")
    assert measured(metric, sheet("##", "##", runs=[run])).gap == "known for only 1 of 2 runs, less than 80 %"
    assert measured(metric, known(FIVE, 1, {"turns": 3, "output_tokens": 3})).extent == Extent(1, 5, "round")


def test_a_score_that_can_t_be_computed_keeps_what_it_would_be_over() -> None:
    measurement = measured("case_score", sheet("v#"))
    assert (measurement.gap, measurement.extent) == ("a verdict comes without case counts", Extent(1, 1, "task"))


def test_a_share_of_attempts_counts_attempts() -> None:
    """Half of one task and all of the other: 3 of 4, and not the 1.5 of 2 that no one counted."""
    results = sheet(["#", "."], ["#", "#"])
    counts = {name: METRICS[name].count(results, METRICS[name].compute(results)) for name in ("resolved", "strict")}
    assert counts == {"resolved": (3, 4), "strict": (3, 4)}
    assert METRICS["perfect_tasks"].count(results, 2) == (2, 2)
    assert METRICS["dataset_score"].count(results, 75.0) is None


def test_means_of_runs_come_with_a_caveat() -> None:
    by_run = sheet("##", runs=[RunFigures("a", 1, interactions_per_round=30.0)])
    expected_caveat = "the source reports a mean per task, not the interactions of each round"
    assert METRICS["avg_rounds"].caveat(by_run) == expected_caveat
    counted = arrange_results([task("a", 2)], records("a", "# ", interactions=4.0), (), 1, 1)
    assert METRICS["avg_rounds"].caveat(counted) is None
