"""Scores that are declared, of chains and of weighted targets, read off hand-sized results."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.result_grids import records, sheet, task

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import MetricError
from sitegen.metrics.results import SubmissionResults, arrange_results

GRIDS = st.lists(
    st.integers(1, 6).flatmap(
        lambda rounds: st.lists(st.text("#.", min_size=rounds, max_size=rounds), min_size=2, max_size=2)
    ),
    min_size=1,
    max_size=4,
)


def score(metric: str, results: SubmissionResults) -> float:
    return METRICS[metric].compute(results)


def test_rounds_count_within_their_task_and_tasks_the_same() -> None:
    assert score("dataset_score", sheet("#...", "#")) == 100 * (0.25 + 1) / 2


def test_rounds_count_whatever_came_before() -> None:
    assert score("dataset_score", sheet("..##")) == 50


def test_attempts_are_averaged_first() -> None:
    assert score("dataset_score", sheet(["##", ".."], ["..", ".."])) == 25


def test_shares_of_cases_count_within_their_round() -> None:
    """3 of 4 cases and none, and all of them."""
    assert score("case_score", sheet("+.", "#")) == 100 * (0.375 + 1) / 2


def test_a_verdict_without_cases_makes_the_case_score_a_gap() -> None:
    with pytest.raises(MetricError, match=r"^a verdict comes without case counts$"):
        score("case_score", sheet("#v"))


def test_a_task_is_perfect_in_one_attempt() -> None:
    """Not in two that pass different rounds."""
    assert score("perfect_tasks", sheet(["#.", ".#"], ["..", "##"], ["##", "##"])) == 2


def test_interactions_are_averaged_within_a_run_first() -> None:
    """(20 + 40 and 10 make 20) and 60."""
    interactions_by_run = {("a", 1): (20, 40), ("a", 2): (10,), ("b", 1): (60,)}
    round_results = [
        record
        for (name, attempt), counts in interactions_by_run.items()
        for number, count in enumerate(counts)
        for record in records(name, " " * number + "#", attempt, interactions=count)
    ]
    assert score("avg_rounds", arrange_results([task("a", 2), task("b", 2)], round_results, (), 2, 2)) == 40


def test_what_was_not_measured_is_left_out() -> None:
    round_results = [*records("a", "#"), *records("b", "#", interactions=10)]
    assert score("avg_rounds", arrange_results([task("a", 1), task("b", 1)], round_results, (), 1, 1)) == 10


def test_nothing_measured_is_a_gap() -> None:
    with pytest.raises(MetricError, match=r"^no interactions known$"):
        score("avg_rounds", sheet("##"))


@pytest.mark.parametrize("metric", ["dataset_score", "case_score", "perfect_tasks", "resolved", "strict", "mt_at_k"])
def test_no_task_is_a_gap(metric: str) -> None:
    with pytest.raises(MetricError, match=r"^there are no tasks to score$"):
        score(metric, arrange_results([], [], (), 1, 1))


def test_tasks_that_nobody_attempted_are_no_count_of_perfect_ones() -> None:
    with pytest.raises(MetricError, match=r"^no attempt was made at any task$"):
        score("perfect_tasks", sheet("  ", " "))


def test_a_task_is_resolved_by_all_its_targets() -> None:
    assert score("resolved", sheet("###", "##.")) == 50


def test_targets_count_by_their_weight() -> None:
    def weighted(name: str, marks: str, weights: Sequence[float]) -> SubmissionResults:
        return arrange_results([task(name, len(marks), weights)], records(name, marks), (), 1, 1)

    assert score("completion", weighted("a", "#.#", (0.5, 0.3, 0.2))) == pytest.approx(0.7)


@given(GRIDS)
def test_the_order_of_attempts_does_not_matter(drawn: list[list[str]]) -> None:
    ahead, back = sheet(*drawn), sheet(*(task_attempts[::-1] for task_attempts in drawn))
    for metric in ("dataset_score", "perfect_tasks", "resolved"):
        assert score(metric, ahead) == score(metric, back)


@given(GRIDS)
def test_the_order_of_tasks_does_not_matter(drawn: list[list[str]]) -> None:
    assert score("dataset_score", sheet(*drawn)) == score("dataset_score", sheet(*drawn[::-1]))


@given(GRIDS)
def test_scores_are_shares_and_resolved_is_the_smaller(drawn: list[list[str]]) -> None:
    results = sheet(*drawn)
    assert 0 <= score("resolved", results) <= score("dataset_score", results) + 1e-9 <= 100 + 1e-9
    assert score("resolved", results) / 100 * len(drawn) <= score("perfect_tasks", results) + 1e-9 <= len(drawn) + 1e-9


@given(GRIDS)
def test_equal_weights_make_completion_the_dataset_score(drawn: list[list[str]]) -> None:
    results = sheet(*drawn)
    assert 100 * score("completion", results) == pytest.approx(score("dataset_score", results))
