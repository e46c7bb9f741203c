"""Tasks × attempts: variances that are known beforehand are found again."""

from statistics import fmean, variance

import numpy as np
import pytest

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.generalizability import RepeatedScores, averages_attempts, study_variances, variance_components
from sitegen.metrics.metric_builder import build_benchmark_metric
from sitegen.metrics.reruns import TwoRuns
from sitegen.models.declared import Declared


def simulated(  # noqa: PLR0913 - the shape, and a spread for each source of variance
    agents: int, tasks: int, attempts: int, *, task: float, agent_task: float, run: float
) -> RepeatedScores:
    """Return scores that vary by as much as is said: standard deviations."""
    random = np.random.default_rng(7)
    hardness = task * random.standard_normal((1, tasks, 1))
    taste = agent_task * random.standard_normal((agents, tasks, 1))
    values = 50 + hardness + taste + run * random.standard_normal((agents, tasks, attempts))
    return RepeatedScores.from_attempts(list(values))


def test_components_are_those_that_were_put_in() -> None:
    components = variance_components(simulated(10, 400, 5, task=20, agent_task=10, run=15))
    assert components.run == pytest.approx(225, rel=0.05)
    assert components.agent_task == pytest.approx(100, rel=0.1)
    assert components.task == pytest.approx(500, rel=0.15)  # hardness, and the agent's own taste


def test_shares_hold_what_another_run_would_show() -> None:
    """Of a difference 15² / 5 is luck beside 10²; of a score, beside 20² more."""
    variances = study_variances(simulated(10, 400, 5, task=20, agent_task=10, run=15))
    assert variances
    assert variances.run_share_of_differences.share == pytest.approx(45 / 145, abs=0.03)
    assert variances.run_share_of_scores.share == pytest.approx(45 / 545, abs=0.02)
    for run_share in (variances.run_share_of_differences, variances.run_share_of_scores):
        assert run_share.interval.low <= run_share.share <= run_share.interval.high


def test_more_attempts_take_fewer_tasks() -> None:
    variances = study_variances(simulated(10, 400, 5, task=20, agent_task=10, run=15))
    assert variances
    one_attempt, five, fifty = (variances.tasks_needed(10, attempts) for attempts in (1, 5, 50))
    assert one_attempt
    assert five
    assert fifty
    assert one_attempt.tasks > five.tasks > fifty.tasks
    assert one_attempt.tasks == pytest.approx(7.85 * 2 * (100 + 225) / 100, rel=0.15)
    assert one_attempt.fewest < one_attempt.tasks < one_attempt.most
    assert variances.tasks_needed(0, 1) is None


def test_runs_that_never_differ_are_no_luck() -> None:
    variances = study_variances(simulated(3, 20, 2, task=20, agent_task=10, run=0))
    assert variances
    assert variances.run_share_of_differences.share == 0


@pytest.mark.parametrize("shape", [(1, 20, 5), (3, 4, 5)])
def test_one_agent_or_few_tasks_tell_nothing(shape: tuple[int, int, int]) -> None:
    random = np.random.default_rng(3)
    scores = RepeatedScores.from_attempts(list(random.standard_normal(shape)))
    assert study_variances(scores) is None


def test_the_share_of_luck_is_held_by_its_interval_in_most_samples() -> None:
    """True shares: 45 of 145 of a difference."""
    random = np.random.default_rng(11)
    inside = 0
    for _ in range(100):
        taste = 10 * random.standard_normal((8, 60, 1))
        values = taste + 15 * random.standard_normal((8, 60, 5))
        variances = study_variances(RepeatedScores.from_attempts(list(values)))
        assert variances
        inside += (
            variances.run_share_of_differences.interval.low
            <= 45 / 145
            <= variances.run_share_of_differences.interval.high
        )
    assert inside >= 90


def test_the_interval_of_the_share_of_luck_holds_with_five_tasks() -> None:
    """With tasks drawn again it held in about 75 of 100 samples."""
    random = np.random.default_rng(12)
    inside = 0
    for _ in range(200):
        taste = 10 * random.standard_normal((2, 5, 1))
        values = taste + 10 * random.standard_normal((2, 5, 2))
        variances = study_variances(RepeatedScores.from_attempts(list(values)))
        assert variances
        inside += (
            variances.run_share_of_differences.interval.low <= 1 / 3 <= variances.run_share_of_differences.interval.high
        )
    assert inside >= 182


HAND_MADE = [
    [[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.5, 1.0], [0.0, 1.0]],
    [[0.0, 0.0], [1.0, 0.5], [0.0, 0.5], [0.0, 0.0], [1.0, 1.0]],
    [[0.5, 0.5], [0.0, 1.0], [0.0, 0.0], [1.0, 1.0], [0.5, 0.0]],
]
"""Scores of three agents at five tasks, two attempts each."""


def mean_squares(values: list[list[list[float]]]) -> tuple[float, float, float]:
    """Return the components of task, agent × task and run by the sums that a textbook has, in plain Python."""
    agents, tasks, attempts = len(values), len(values[0]), len(values[0][0])
    means = [[fmean(tries) for tries in row] for row in values]
    run = fmean(variance(tries) for row in values for tries in row)
    between_tasks = fmean(variance(row) for row in means)
    grand = fmean(fmean(row) for row in means)
    by_agent = [fmean(row) for row in means]
    by_task = [fmean(row[task] for row in means) for task in range(tasks)]
    squares = 0.0
    for agent in range(agents):
        for task in range(tasks):
            squares += (means[agent][task] - by_agent[agent] - by_task[task] + grand) ** 2
    interaction = squares / ((agents - 1) * (tasks - 1))
    return max(between_tasks - run / attempts, 0.0), max(interaction - run / attempts, 0.0), run


def test_components_are_those_of_the_textbook() -> None:
    components = variance_components(RepeatedScores.from_attempts([np.array(row) for row in HAND_MADE]))
    assert (components.task, components.agent_task, components.run) == pytest.approx(mean_squares(HAND_MADE))


def test_of_two_runs_half_the_variance_of_their_difference_is_luck() -> None:
    """What an agent gains everywhere between two runs, here 0.1, is no luck at single tasks."""
    first = [[row[task][0] for task in range(5)] for row in HAND_MADE]
    second = [[row[task][1] + 0.1 for task in range(5)] for row in HAND_MADE]
    runs = [
        TwoRuns(np.array(first_run), np.array(second_run)) for first_run, second_run in zip(first, second, strict=True)
    ]
    components = variance_components(RepeatedScores.from_two_runs(runs, 1))
    apart = [
        [b - a for a, b in zip(first_scores, second_scores, strict=True)]
        for first_scores, second_scores in zip(first, second, strict=True)
    ]
    run = fmean(variance(row) for row in apart) / 2
    assert components.run == pytest.approx(run)
    assert components.task == pytest.approx(max(fmean(variance(row) for row in first) - run, 0.0))


def test_only_means_over_attempts_and_tasks_are_studied() -> None:
    assert averages_attempts(METRICS["dataset_score"])
    assert averages_attempts(METRICS["resolved"])
    assert not averages_attempts(METRICS["perfect_tasks"])
    assert not averages_attempts(METRICS["mt_at_k"])
    chance = Declared(id="pass_hat_1", title="pass^1", unit="percent", of="pass", attempts="pass_hat_k", k=1)
    assert averages_attempts(build_benchmark_metric(chance, {}))
