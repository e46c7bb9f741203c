"""Rewards: what counts as one, on which scale, and which are refused."""

import math
from pathlib import Path

import pytest

from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.rewards import check_rewards, parse_reward


@pytest.mark.parametrize(
    ("value", "scale", "reward"),
    [
        (True, None, 1.0),
        (False, None, 0.0),
        (0.5, None, 0.5),
        (85, 100, 0.85),
        (1 + 1e-12, None, 1.0),
        (math.nan, None, None),
        (math.inf, 100, None),
        (10**400, None, None),
        ("1", None, None),
        (None, None, None),
    ],
)
def test_a_reward_is_a_finite_number_on_its_scale(value: object, scale: float | None, reward: float | None) -> None:
    assert parse_reward(value, scale) == reward


@pytest.mark.parametrize(
    ("rewards", "scale", "code"),
    [
        ([0, 0.5, 1], None, None),
        ([], None, None),
        ([0, 85], None, "SOURCE-SCALE-UNSTATED"),
        ([0, 1.5], 100.0, "SOURCE-SCALE-UNSTATED"),
        ([-0.1, 1], None, "SOURCE-UNUSABLE"),
    ],
)
def test_rewards_outside_of_0_to_1_are_refused(rewards: list[float], scale: float | None, code: str | None) -> None:
    log = ImportLog(Path("source"))
    assert check_rewards(rewards, Path("table.csv"), log, scale) is (code is None)
    assert [problem.code for problem in log.problems] == [code] * (code is not None)


def test_the_message_names_the_largest_reward_and_the_option() -> None:
    log = ImportLog(Path("source"))
    check_rewards([50, 100], Path("table.csv"), log, where="column `score`")
    (problem,) = log.problems
    assert problem.what == "column `score` has rewards up to 100"
    assert "--scale 100" in problem.fix
