"""How often honest reruns pass, held against reruns of simulated agents whose truth is known."""

import numpy as np
import pytest
import scipy
from known_boards import LENGTHS, OWN_SPREAD, SCALE, TASK_SPREAD, Numbers, ability

from sitegen.metrics.generalizability import RepeatedScores
from sitegen.metrics.paired import compare_paired
from sitegen.metrics.reruns import RerunStandardError, TwoRuns, equivalence_margins, median_standard_error

RUN_SPREAD = 2.0
"""Standard deviation of what a run of an agent finds easy at a task, as a logit."""


def runs_of(score: float, tasks: int, runs: int, random: np.random.Generator, spread: float) -> Numbers:
    """Return runs of one agent on the same tasks, in percent, shape (runs, tasks)."""
    rounds = random.choice(LENGTHS, tasks)
    logits = ability(score, OWN_SPREAD) + random.normal(0, np.hypot(TASK_SPREAD, OWN_SPREAD), tasks)
    drawn = logits + random.normal(0, spread, (runs, tasks))
    passed: Numbers = random.binomial(rounds, scipy.special.expit(drawn)) / rounds
    return SCALE * passed


def margin_between(first: Numbers, second: Numbers) -> float:
    """Return within how much two runs are shown to be the same."""
    (paired,) = compare_paired(first, second[np.newaxis], SCALE)
    return paired.margin


@pytest.mark.parametrize("spread", [0.0, RUN_SPREAD])
@pytest.mark.parametrize(("score", "tasks"), [(15.0, 25), (60.0, 25), (30.0, 80), (60.0, 115)])
def test_at_its_margin_an_honest_rerun_passes_80_percent_of_the_time(score: float, tasks: int, spread: float) -> None:
    """Of 400 agents each ran five times, or twice, before the margin was chosen, and once more afterwards."""
    random = np.random.default_rng([tasks, int(score), int(spread)])
    passed: list[list[bool]] = []
    for _ in range(400):
        runs = runs_of(score, tasks, 10, random, spread)
        twice = RepeatedScores.from_two_runs([TwoRuns(runs[0], runs[1])], 1).run_variances[0]
        five = RepeatedScores.from_attempts([runs[:5].T]).run_variances[0]
        after_two = margin_between(runs[0], runs[2])
        after_five = margin_between(runs[:5].mean(axis=0), runs[5:].mean(axis=0))
        passed.append(
            [
                after_two <= RerunStandardError.from_variances(twice, tasks, tasks).margin_for(),
                after_five <= RerunStandardError.from_variances(five, tasks, tasks).margin_for(),
            ]
        )
    assert np.mean(passed, axis=0).tolist() == pytest.approx([0.8, 0.8], abs=0.06)


@pytest.mark.parametrize(
    ("score", "tasks", "spread"), [(30.0, 25, 0.0), (15.0, 80, RUN_SPREAD), (60.0, 80, RUN_SPREAD)]
)
def test_the_chance_that_is_stated_is_how_often_honest_reruns_pass(score: float, tasks: int, spread: float) -> None:
    random = np.random.default_rng([tasks, int(score)])
    passed, stated = [], []
    for _ in range(400):
        runs = runs_of(score, tasks, 10, random, spread)
        variances = RepeatedScores.from_two_runs([TwoRuns(runs[0], runs[1])], 1).run_variances[0]
        margin = min(10.0, float(runs[0].mean()) / 2)
        passed.append(margin_between(runs[0], runs[2]) <= margin)
        stated.append(RerunStandardError.from_variances(variances, tasks, tasks).chance_within(margin))
    assert np.mean(stated) == pytest.approx(np.mean(passed), abs=0.09)


def test_a_chance_grows_with_the_margin_and_lies_in_its_range() -> None:
    standard_error = RerunStandardError(3.0, 20.0, 25)
    chances = [standard_error.chance_within(margin) for margin in (3.0, 6.0, 9.0, 20.0)]
    assert chances == sorted(chances)
    assert chances[0] < 0.05
    assert chances[-1] > 0.99
    for margin, chance in zip((6.0, 9.0), chances[1:3], strict=True):
        low, high = standard_error.range_within(margin)
        assert low < chance < high
    assert standard_error.chance_within(standard_error.margin_for(0.8)) == pytest.approx(0.8, abs=1e-6)


def test_a_standard_error_that_is_well_known_takes_a_smaller_margin() -> None:
    """With many tasks and a known standard error, a difference has to be within 1.28 of it, and is seen 1.64 wider."""
    margins = [RerunStandardError(1.0, degrees, 1_000).margin_for() for degrees in (5.0, 50.0, 1e6)]
    assert margins == sorted(margins, reverse=True)
    assert margins[-1] == pytest.approx(1.2816 + 1.6449, abs=0.01)


def test_runs_that_never_differ_always_pass() -> None:
    standard_error = RerunStandardError.from_variances(np.zeros(25), 25, 25)
    assert (standard_error.chance_within(5.0), standard_error.range_within(5.0), standard_error.margin_for()) == (
        1.0,
        (1.0, 1.0),
        0.0,
    )
    assert standard_error.chance_within(0.0) == 0.0


def test_all_pairs_have_the_margins_that_they_have_alone() -> None:
    made = np.random.default_rng(4).random((4, 30)) * SCALE
    expected = []
    for row_index in range(3):
        expected += [paired.margin for paired in compare_paired(made[row_index], made[row_index + 1 :], SCALE)]
    assert equivalence_margins(made).tolist() == pytest.approx(expected)
    apart = [(made[index] - made[other_index]).std(ddof=1) for index in range(4) for other_index in range(index + 1, 4)]
    assert median_standard_error(made) == pytest.approx(np.median(apart) / 30**0.5)
