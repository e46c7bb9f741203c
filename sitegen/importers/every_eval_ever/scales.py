"""Decides how the scores of samples become rewards, and whether they are on the scale of their aggregate."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isclose
from statistics import fmean

from sitegen.importers.every_eval_ever.records import Result

_ROUNDING = 1e-6
"""What a mean may be off that was computed in another order."""

_UNKNOWN_LEVEL = -1
"""The score of a sample whose level is not known."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The least and the largest score of a result."""

    least: float
    most: float
    is_lower_better: bool = False
    unknown: float | None = None
    """A score that is no verdict."""
    assumption: str = ""
    """What was assumed of the scale; empty where the record states it."""

    def reward(self, score: float | None) -> float | None:
        """Return a score as a share of the scale, 1 the best; None where it is none, or lies outside."""
        if score is None or score == self.unknown or not self.least <= score <= self.most:
            return None
        share = (score - self.least) / (self.most - self.least)
        return 1 - share if self.is_lower_better else share


@dataclass(frozen=True, slots=True)
class ScaleChoice:
    """What was decided about the scale of a result."""

    scale: Scale | None = None
    why_no_reward: str = ""
    """Why the result can't be the reward, as a clause."""
    mismatch: str = ""
    """How samples and aggregate are on different scales, as a clause: somebody has to state which."""


def choose_scale(
    result: Result, scores: Sequence[float], stated_scale: float | None
) -> ScaleChoice:
    """Return how the scores of a result's samples become rewards.

    Args:
        result: What the aggregate states.
        scores: The scores of samples that came to a verdict.
        stated_scale: The largest possible score as `--scale` states it.
    """
    if result.is_dispersion:
        return ScaleChoice(why_no_reward="it says how far scores vary")
    if not scores:
        return ScaleChoice(why_no_reward="no sample has a number")
    if stated_scale is not None:
        return _as_stated(result, scores, stated_scale)
    if result.score_type == "levels" and result.bounds is None:
        return _levels(result, scores)
    if result.bounds is None:
        return _without_bounds(result, scores)
    return _with_bounds(result, result.bounds, scores)


def _as_stated(result: Result, scores: Sequence[float], most: float) -> ScaleChoice:
    if max(scores) > most:
        return ScaleChoice(
            mismatch=f"scores go up to {max(scores):g}, more than `--scale {most:g}`"
        )
    if min(scores) < 0:
        return ScaleChoice(
            why_no_reward=f"scores go down to {min(scores):g}, and a reward is at least 0"
        )
    assumption = f"scores go from 0 to {most:g}, as `--scale` says"
    scale = Scale(0, most, result.is_lower_better, assumption=assumption)
    mean = fmean(scores) / most
    expected = _in_unit_of(result, mean)
    if result.score and _differs_by_hundred(result.score, expected):
        message = f"`--scale {most:g}` makes the mean {mean:g} of 1, and the aggregate states {result.score:g}"
        return ScaleChoice(mismatch=message)
    return ScaleChoice(scale)


def _differs_by_hundred(printed: float, value: float) -> bool:
    """Return whether a figure is a value in percent, or the value is the figure in percent."""
    if agrees(printed, value):
        return False
    return agrees(printed, 100 * value) or agrees(printed, value / 100)


def _in_unit_of(result: Result, share: float) -> float:
    """Return a share in the unit of an aggregate: on its bounds, in percent, or as it is."""
    least, most = result.bounds or (0.0, 1.0)
    is_above = result.score is not None and result.score > most
    if is_above or (result.is_percent and result.bounds is None):
        return 100 * share
    return least + (most - least) * share


def _levels(result: Result, scores: Sequence[float]) -> ScaleChoice:
    """Return the scale of a result whose scores are the numbers of levels."""
    number = len(result.level_names or ())
    unknown = _UNKNOWN_LEVEL if result.has_unknown_level else None
    known = [score for score in scores if score != unknown]
    if number <= 1 or (known and not 0 <= min(known) <= max(known) <= number - 1):
        return ScaleChoice(
            why_no_reward=f"it has {number} levels, and scores do not number them from 0"
        )
    assumption = f"levels are numbered from 0 to {number - 1}, in the order of their names"
    return ScaleChoice(Scale(0, number - 1, result.is_lower_better, unknown, assumption))


def _without_bounds(result: Result, scores: Sequence[float]) -> ScaleChoice:
    if result.is_lower_better or result.is_unbounded:
        return ScaleChoice(why_no_reward="its scores have no largest value")
    if min(scores) < 0:
        return ScaleChoice(
            why_no_reward=f"scores go down to {min(scores):g}, and no bounds are stated"
        )
    if max(scores) > 1:
        return ScaleChoice(mismatch=f"scores go up to {max(scores):g}, and no bounds are stated")
    if _is_on_larger_scale(result, scores):
        return ScaleChoice(mismatch=_mismatch(result, scores))
    assumption = "scores go from 0 to 1, as no bounds are stated"
    return ScaleChoice(Scale(0, 1, assumption=assumption))


def _is_on_larger_scale(result: Result, scores: Sequence[float]) -> bool:
    """Return whether an aggregate is on a larger scale than its samples, whose scores go from 0 to 1."""
    if result.score is None or agrees(result.score, fmean(scores)):
        return False
    return result.score > 1 or (result.is_percent and agrees(result.score, 100 * fmean(scores)))


def _with_bounds(
    result: Result, bounds: tuple[float, float], scores: Sequence[float]
) -> ScaleChoice:
    least, most = bounds
    scale = Scale(least, most, result.is_lower_better)
    outside = sum(not least <= score <= most for score in scores)
    inside = sum(least < score <= most for score in scores)
    if outside > inside:
        message = f"scores go from {min(scores):g} to {max(scores):g}, and the aggregate's scale {result.scale}"
        return ScaleChoice(mismatch=message)
    if result.score is not None and not least <= result.score <= most:
        return ScaleChoice(mismatch=_mismatch(result, scores))
    mean = fmean(scores)
    if result.score is not None and agrees(result.score, mean):
        return ScaleChoice(scale)
    looks_like_share = most > 1 and min(scores) >= 0 and 0 < max(scores) <= 1
    is_other_unit = result.score is not None and _differs_by_hundred(result.score, mean)
    if looks_like_share or is_other_unit:
        return ScaleChoice(mismatch=_mismatch(result, scores))
    return ScaleChoice(scale)


def _mismatch(result: Result, scores: Sequence[float]) -> str:
    """Return how an aggregate differs from its samples, as a clause."""
    stated = "no figure" if result.score is None else f"{result.score:g}"
    on = (
        f" on a scale {result.scale}" if result.bounds else f" {result.unit}" if result.unit else ""
    )
    return f"the aggregate states {stated}{on}, and its samples' scores go from {min(scores):g} to {max(scores):g}"


def agrees(printed: float, value: float) -> bool:
    """Return whether a figure is a value, as far as its digits say."""
    exponent = Decimal(repr(printed)).as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    is_rounded = digits > 1 or (digits == 1 and abs(printed) > 1)
    tolerance = 0.5 * 10**-digits if is_rounded else _ROUNDING
    return isclose(printed, value, rel_tol=_ROUNDING, abs_tol=max(tolerance, _ROUNDING))
