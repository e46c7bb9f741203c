"""Scores of fail-stop runs, read off hand-sized grids."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.result_grids import grid, sheet

from sitegen.metrics.arrays import TaskRewards
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.failstop import mt_at_k, sr
from sitegen.metrics.metric import MetricError

ATTEMPTS = st.integers(1, 8).flatmap(
    lambda rounds: st.lists(st.text("#.", min_size=rounds, max_size=rounds), min_size=1, max_size=5)
)


def turned(attempts: list[str]) -> TaskRewards:
    """Draw the attempts in the opposite order."""
    return grid(*reversed(attempts))


def comp(*tasks: Sequence[str], asked: int | None = None) -> float:
    """Score fail-stop results of attempts at each task."""
    return METRICS["comp"].compute(replace(sheet(*tasks, attempts=asked), is_fail_stop=True))


def test_attempts_do_not_pool_their_halves() -> None:
    """Two attempts that fail at different rounds never make one that succeeds."""
    assert mt_at_k([grid(".###", "#.##")], k=2) == 0.25


def test_nothing_counts_after_the_first_failure() -> None:
    assert mt_at_k([grid("##.###")], k=1) == pytest.approx(2 / 6)


def test_the_best_attempt_decides_each_round() -> None:
    assert mt_at_k([grid("#...", "###.", "##..")], k=3) == 0.75


def test_every_task_weighs_the_same() -> None:
    """One task of 1 round, one of 4."""
    assert mt_at_k([grid("#"), grid("#...")], k=1) == (1 + 0.25) / 2


@pytest.mark.parametrize("k", [1, 3])
def test_exactly_k_attempts_are_needed(k: int) -> None:
    """A missing attempt is a gap, and a spare one would let a submitter choose."""
    with pytest.raises(MetricError, match=f"every task needs {k} attempts?, but one task has 2"):
        mt_at_k([grid("##", "##")], k)


def test_every_task_needs_its_attempts() -> None:
    with pytest.raises(MetricError):
        mt_at_k([grid("##", "##"), grid("##")], 2)


def test_no_task_is_a_gap() -> None:
    with pytest.raises(MetricError, match="no task"):
        mt_at_k([], 1)


def test_a_task_is_complete_when_its_last_round_is_kept() -> None:
    assert comp(["##", ".#"], [".#", ".#"], ["#.", "##"]) == pytest.approx(200 / 3)


def test_completion_needs_exactly_k_attempts() -> None:
    with pytest.raises(MetricError, match="every task needs 2 attempts, but one task has 1"):
        comp(["##"], asked=2)


def test_rounds_from_the_reference_are_pooled() -> None:
    """A long task counts for more than a short one."""
    assert sr([grid("####")[0], grid(".")[0]]) == 0.8


def test_without_reference_rounds_there_is_no_sr() -> None:
    with pytest.raises(MetricError, match="nothing was started from the reference state"):
        sr([])


@given(ATTEMPTS)
def test_the_order_of_attempts_does_not_matter(attempts: list[str]) -> None:
    k = len(attempts)
    assert mt_at_k([grid(*attempts)], k) == mt_at_k([turned(attempts)], k)
    assert comp(attempts) == comp(attempts[::-1])


@given(ATTEMPTS)
def test_scores_are_shares(attempts: list[str]) -> None:
    k = len(attempts)
    assert 0 <= comp(attempts) <= 100 * mt_at_k([grid(*attempts)], k) <= 100


@given(ATTEMPTS, st.data())
def test_one_more_attempt_never_lowers_the_score(attempts: list[str], data: st.DataObject) -> None:
    extended_attempts = [*attempts, data.draw(st.text("#.", min_size=len(attempts[0]), max_size=len(attempts[0])))]
    assert mt_at_k([grid(*extended_attempts)], len(extended_attempts)) >= mt_at_k([grid(*attempts)], len(attempts))


@given(ATTEMPTS)
def test_fail_stop_never_exceeds_the_same_without(attempts: list[str]) -> None:
    drawn = grid(*attempts)
    assert mt_at_k([drawn], len(attempts)) <= drawn.any(axis=0).mean()


@given(ATTEMPTS)
def test_what_follows_a_failure_does_not_matter(attempts: list[str]) -> None:
    cut = [attempt[: attempt.find(".")].ljust(len(attempt), ".") if "." in attempt else attempt for attempt in attempts]
    assert mt_at_k([grid(*cut)], len(cut)) == mt_at_k([grid(*attempts)], len(attempts))
