"""Tasks × attempts: variances that are known beforehand are found again."""

import numpy as np
import pytest

from sitegen.metrics.generalizability import components_of, study

NAMES = [f"task {number}" for number in range(400)]


def simulated(  # noqa: PLR0913 - the shape, and a spread for each source of variance
    agents: int, tasks: int, attempts: int, *, task: float, agent_task: float, run: float
) -> np.ndarray[tuple[int, int, int], np.dtype[np.float64]]:
    """Return scores that vary by as much as is said: standard deviations."""
    random = np.random.default_rng(7)
    hardness = task * random.standard_normal((1, tasks, 1))
    taste = agent_task * random.standard_normal((agents, tasks, 1))
    return 50 + hardness + taste + run * random.standard_normal((agents, tasks, attempts))


def test_components_are_those_that_were_put_in() -> None:
    found = components_of(simulated(10, 400, 5, task=20, agent_task=10, run=15))
    assert found.run == pytest.approx(225, rel=0.05)
    assert found.agent_task == pytest.approx(100, rel=0.1)
    assert found.task == pytest.approx(500, rel=0.15)  # hardness, and the agent's own taste


def test_shares_hold_what_another_run_would_show() -> None:
    """Of a difference 15² / 5 is luck beside 10²; of a score, beside 20² more."""
    found = study(simulated(10, 400, 5, task=20, agent_task=10, run=15), NAMES)
    assert found
    assert found.of_differences.share == pytest.approx(45 / 145, abs=0.03)
    assert found.of_scores.share == pytest.approx(45 / 545, abs=0.02)
    for part in (found.of_differences, found.of_scores):
        assert part.interval.low <= part.share <= part.interval.high


def test_more_attempts_take_fewer_tasks() -> None:
    found = study(simulated(10, 400, 5, task=20, agent_task=10, run=15), NAMES)
    assert found
    one, five, fifty = (found.tasks_needed(10, attempts) or 0 for attempts in (1, 5, 50))
    assert one > five > fifty
    assert one == pytest.approx(7.85 * 2 * (100 + 225) / 100, rel=0.15)


def test_runs_that_never_differ_are_no_luck() -> None:
    found = study(simulated(3, 20, 2, task=20, agent_task=10, run=0), NAMES[:20])
    assert found
    assert found.of_differences.share == 0


@pytest.mark.parametrize("shape", [(1, 20, 5), (3, 4, 5), (3, 20, 1)])
def test_one_agent_few_tasks_or_one_attempt_tell_nothing(shape: tuple[int, int, int]) -> None:
    assert study(np.zeros(shape), NAMES[: shape[1]]) is None


def test_the_share_of_luck_is_held_by_its_interval_in_most_samples() -> None:
    """True shares: 45 of 145 of a difference."""
    random = np.random.default_rng(11)
    inside = 0
    for number in range(100):
        taste = 10 * random.standard_normal((8, 60, 1))
        values = taste + 15 * random.standard_normal((8, 60, 5))
        found = study(values, [f"{number} {name}" for name in NAMES[:60]])
        assert found
        inside += found.of_differences.interval.low <= 45 / 145 <= found.of_differences.interval.high
    assert inside >= 88
