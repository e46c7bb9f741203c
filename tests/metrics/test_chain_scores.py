"""Scores of chains and of weighted targets, read off hand-sized grids."""

import numpy as np
import pytest
from grids import grid
from hypothesis import given
from hypothesis import strategies as st

from sitegen.metrics.chain import avg_rounds, case_score, dataset_score, perfect_tasks
from sitegen.metrics.metric import MetricError
from sitegen.metrics.targets import completion, resolved

GRIDS = st.lists(
    st.integers(1, 6).flatmap(
        lambda rounds: st.lists(st.text("#.", min_size=rounds, max_size=rounds), min_size=1, max_size=3)
    ),
    min_size=1,
    max_size=4,
)


def test_rounds_count_within_their_task_and_tasks_the_same() -> None:
    assert dataset_score([grid("#..."), grid("#")]) == (0.25 + 1) / 2


def test_rounds_count_whatever_came_before() -> None:
    assert dataset_score([grid("..##")]) == 0.5


def test_attempts_are_averaged_first() -> None:
    assert dataset_score([grid("##", ".."), grid("..", "..")]) == 0.25


def test_shares_of_cases_count_within_their_round() -> None:
    assert case_score([np.array([[1.0, 0.5]]), np.array([[0.0]])]) == 0.375


def test_a_verdict_without_cases_makes_the_case_score_a_gap() -> None:
    with pytest.raises(MetricError, match=r"^a round has a verdict but no count of cases$"):
        case_score([np.array([[1.0, np.nan]])])


def test_a_task_is_perfect_in_one_attempt() -> None:
    """Not in two that pass different rounds."""
    assert perfect_tasks([grid("#.", ".#"), grid("..", "##"), grid("##", "##")]) == 2


def test_interactions_are_averaged_within_a_run_first() -> None:
    """(20 + 40 and 10 make 20) and 60."""
    assert avg_rounds([[[20, 40], [10]], [[60]]]) == 40


def test_what_was_not_measured_is_left_out() -> None:
    assert avg_rounds([[], [[10]]]) == 10


def test_nothing_measured_is_a_gap() -> None:
    with pytest.raises(MetricError, match=r"^no interactions were counted$"):
        avg_rounds([[], []])


@pytest.mark.parametrize("score", [dataset_score, case_score, perfect_tasks, resolved])
def test_no_task_is_a_gap(score: object) -> None:
    assert callable(score)
    with pytest.raises(MetricError, match=r"^there is no task to score$"):
        score([])


def test_tasks_that_nobody_attempted_are_no_count_of_perfect_ones() -> None:
    with pytest.raises(MetricError, match=r"^no attempt was made at any task$"):
        perfect_tasks([np.empty((0, 2), dtype=np.bool_), np.empty((0, 1), dtype=np.bool_)])


def test_a_task_is_resolved_by_all_its_targets() -> None:
    assert resolved([grid("###"), grid("##.")]) == 0.5


def test_targets_count_by_their_weight() -> None:
    weights = [np.array([0.5, 0.3, 0.2]), np.array([0.5, 0.5])]
    assert completion([grid("#.#"), grid("..")], weights) == pytest.approx(0.35)


@given(GRIDS)
def test_the_order_of_attempts_does_not_matter(drawn: list[list[str]]) -> None:
    ahead, back = [grid(*each) for each in drawn], [grid(*reversed(each)) for each in drawn]
    assert dataset_score(ahead) == dataset_score(back)
    assert perfect_tasks(ahead) == perfect_tasks(back)
    assert resolved(ahead) == resolved(back)


@given(GRIDS)
def test_the_order_of_tasks_does_not_matter(drawn: list[list[str]]) -> None:
    ahead = [grid(*each) for each in drawn]
    assert dataset_score(ahead) == dataset_score(ahead[::-1])


@given(GRIDS)
def test_scores_are_shares_and_resolved_is_the_smaller(drawn: list[list[str]]) -> None:
    grids = [grid(*each) for each in drawn]
    assert 0 <= resolved(grids) <= dataset_score(grids) <= 1
    assert resolved(grids) * len(grids) <= perfect_tasks(grids) <= len(grids)


@given(GRIDS)
def test_equal_weights_make_completion_the_dataset_score(drawn: list[list[str]]) -> None:
    grids = [grid(*each) for each in drawn]
    weights = [np.full(each.shape[1], 1 / each.shape[1]) for each in grids]
    assert completion(grids, weights) == pytest.approx(dataset_score(grids))
