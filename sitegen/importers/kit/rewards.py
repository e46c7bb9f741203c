"""Convert a source's rewards, on any scale, to rewards from 0 to 1."""

import math
from collections.abc import Iterable
from pathlib import Path

from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rules import SCALE_UNSTATED, SOURCE_UNUSABLE

_ERROR_MEASURES = frozenset(
    {
        "bits_per_byte",
        "brier_score",
        "byte_perplexity",
        "calibration_error",
        "cer",
        "character_error_rate",
        "ece",
        "error_count",
        "error_rate",
        "errors",
        "fail",
        "fail_rate",
        "failed",
        "failure",
        "failure_rate",
        "failures",
        "incorrect",
        "log_loss",
        "loss",
        "mae",
        "mse",
        "nll",
        "num_errors",
        "perplexity",
        "ppl",
        "rmse",
        "ter",
        "wer",
        "word_error_rate",
        "word_perplexity",
        "wrong",
    }
)
"""Metrics and columns for which lower is better, whatever the source says about them."""

_ROUNDING = 1e-9
"""Maximum rounding error by which a reward may exceed 1."""


def parse_reward(value: object, scale: float | None = None) -> float | None:
    """Return a value in a source as a reward, divided by the scale.

    Args:
        value: The value in the source: a boolean or a number.
        scale: The largest possible reward, by which the value is divided; None for 0 to 1.

    Returns:
        The reward, not yet checked to lie between 0 and 1; None if the value is NaN, infinite or
        not a number.
    """
    if not isinstance(value, bool | int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    if not math.isfinite(number):
        return None
    reward = number if scale is None else number / scale
    return 1.0 if 1 < reward <= 1 + _ROUNDING else reward


def check_rewards(
    rewards: Iterable[float],
    path: Path,
    log: ImportLog,
    scale: float | None = None,
    where: str = "the source",
) -> bool:
    """Report rewards outside the range from 0 to 1, and return whether all rewards are inside it.

    Args:
        rewards: Rewards as returned by `parse_reward`.
        path: The file or folder that contains the rewards.
        log: Receives one error for rewards above 1, which asks for `--scale`, and one for negative
            rewards.
        scale: The scale by which the rewards were divided, if any.
        where: The location of the rewards, for the message: "column `score`".
    """
    values = list(rewards)
    if not values:
        return True
    lowest = min(values)
    highest = max(values)
    factor = scale or 1
    if highest > 1:
        message = f"{where} has rewards up to {highest * factor:g}"
        if scale is not None:
            message = f"{message}, more than `--scale {scale:g}`"
        log.add(SCALE_UNSTATED, path, message)
    if lowest < 0:
        message = f"{where} has rewards down to {lowest * factor:g}; a reward is at least 0"
        log.add(SOURCE_UNUSABLE, path, message)
    return lowest >= 0 and highest <= 1


def is_error_measure(metric: str) -> bool:
    """Return whether a metric has the name of an error measure, for which lower is better."""
    return metric.strip().lower().replace("-", "_").replace(" ", "_") in _ERROR_MEASURES


def check_direction(metric: str, path: Path, log: ImportLog, *, is_requested: bool) -> None:
    """Report a reward that measures errors, because agents with more errors would rank higher.

    Args:
        metric: The name of the score that is the reward.
        path: The file or folder that contains the score.
        log: Receives an error, or an assumption if the user asked for this score.
        is_requested: Whether the user named the score.
    """
    if not is_error_measure(metric):
        return
    name = one_line(metric)
    if is_requested:
        log.assume(
            f"higher values of `{name}` are better, although its name is that of an error measure"
        )
        return
    message = f"lower values of `{name}` are better, but a reward is higher for better results"
    fix = (
        "choose another score, if the source has one; if higher values are better here, name the "
        f"score, for example `--metric {name}`"
    )
    log.problems.append(SOURCE_UNUSABLE.broken(path, None, message, fix))
