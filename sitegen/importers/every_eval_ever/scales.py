"""Decide how the scores of samples become rewards, and whether they fit their aggregate's scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isclose
from statistics import fmean

from sitegen.importers.every_eval_ever.records import AggregateResult, scale_score

_TOLERANCE = 1e-6
"""Maximum difference between means that were computed in another order."""

_UNKNOWN_LEVEL = -1
"""The score of a sample whose level is unknown."""


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """The lowest and the highest score of a result."""

    lowest: float
    highest: float
    is_lower_better: bool = False
    unknown: float | None = None
    """A score that means that there is no verdict."""
    assumption: str = ""
    """The assumption about the scale; empty if the record states the scale."""

    def reward(self, score: float | None) -> float | None:
        """Return a score as a share of the scale, where 1 is best.

        Returns None if the score is missing, is outside the scale, or means that there is no
        verdict.
        """
        if score is None or score == self.unknown:
            return None
        bounds = self.lowest, self.highest
        return scale_score(score, bounds, is_lower_better=self.is_lower_better)


@dataclass(frozen=True, slots=True)
class ScaleChoice:
    """The scale of a result, or the reason for its absence; exactly one of the fields is set."""

    scale: ScoreScale | None = None
    why_no_reward: str = ""
    """The reason why the result can't be the reward, as a clause."""
    mismatch: str = ""
    """A clause that says how the scores contradict the scale; the user must then state a scale."""


def choose_scale(
    result: AggregateResult, scores: Sequence[float], stated_highest: float | None
) -> ScaleChoice:
    """Return the scale that converts a result's scores to rewards, or the reason for its absence.

    Args:
        result: The result in the aggregate.
        scores: The scores of samples that have a verdict.
        stated_highest: The highest possible score, as stated with `--scale`.
    """
    if result.is_dispersion:
        return ScaleChoice(why_no_reward="it says how far scores vary")
    if not scores:
        return ScaleChoice(why_no_reward="no sample has a number")
    if stated_highest is not None:
        return _use_stated_scale(result, scores, stated_highest)
    if result.bounds is not None:
        return _use_bounds(result, result.bounds, scores)
    if result.score_type == "levels":
        return _use_levels(result, scores)
    return _assume_shares(result, scores)


def _use_stated_scale(
    result: AggregateResult, scores: Sequence[float], highest: float
) -> ScaleChoice:
    """Return the scale stated with `--scale`, unless scores or the aggregate contradict it."""
    if max(scores) > highest:
        message = f"scores go up to {max(scores):g}, more than `--scale {highest:g}`"
        return ScaleChoice(mismatch=message)
    if min(scores) < 0:
        message = f"scores go down to {min(scores):g}, but a reward is at least 0"
        return ScaleChoice(why_no_reward=message)
    mean = fmean(scores) / highest
    if result.score and _differs_by_hundred(result.score, _convert_share(result, mean)):
        statement = f"`--scale {highest:g}` makes the mean {mean:g} of 1"
        message = f"{statement}, but the aggregate states {result.score:g}"
        return ScaleChoice(mismatch=message)
    assumption = f"scores go from 0 to {highest:g}, as `--scale` says"
    scale = ScoreScale(0, highest, result.is_lower_better, assumption=assumption)
    return ScaleChoice(scale)


def _differs_by_hundred(printed: float, value: float) -> bool:
    """Return whether a published figure and a value differ by a factor of 100."""
    if agrees(printed, value):
        return False
    return agrees(printed, 100 * value) or agrees(printed, value / 100)


def _convert_share(result: AggregateResult, share: float) -> float:
    """Return a share in the unit of an aggregate: within its bounds, in percent, or unchanged."""
    lowest, highest = result.bounds or (0.0, 1.0)
    is_above = result.score is not None and result.score > highest
    if is_above or (result.is_percent and result.bounds is None):
        return 100 * share
    return lowest + (highest - lowest) * share


def _use_levels(result: AggregateResult, scores: Sequence[float]) -> ScaleChoice:
    """Return the scale of a result whose scores are the numbers of levels."""
    level_count = len(result.level_names)
    highest = level_count - 1
    unknown = _UNKNOWN_LEVEL if result.has_unknown_level else None
    levels = [score for score in scores if score != unknown]
    is_outside = bool(levels) and not 0 <= min(levels) <= max(levels) <= highest
    if level_count <= 1 or is_outside:
        message = f"it has {level_count} levels, but scores do not number them from 0"
        return ScaleChoice(why_no_reward=message)
    assumption = f"levels are numbered from 0 to {highest}, in the order of their names"
    scale = ScoreScale(0, highest, result.is_lower_better, unknown, assumption)
    return ScaleChoice(scale)


def _assume_shares(result: AggregateResult, scores: Sequence[float]) -> ScaleChoice:
    """Return a scale from 0 to 1 for a result without bounds, unless something contradicts it."""
    if result.is_lower_better or result.is_unbounded:
        return ScaleChoice(why_no_reward="its scores have no largest value")
    if min(scores) < 0:
        message = f"scores go down to {min(scores):g}, but no bounds are stated"
        return ScaleChoice(why_no_reward=message)
    if max(scores) > 1:
        return ScaleChoice(mismatch=f"scores go up to {max(scores):g}, but no bounds are stated")
    if _has_larger_scale(result, scores):
        return ScaleChoice(mismatch=_describe_mismatch(result, scores))
    assumption = "scores go from 0 to 1, as no bounds are stated"
    return ScaleChoice(ScoreScale(0, 1, assumption=assumption))


def _has_larger_scale(result: AggregateResult, scores: Sequence[float]) -> bool:
    """Return whether an aggregate has a larger scale than its samples, scored from 0 to 1."""
    mean = fmean(scores)
    if result.score is None or agrees(result.score, mean):
        return False
    if result.score > 1:
        return True
    return result.is_percent and agrees(result.score, 100 * mean)


def _use_bounds(
    result: AggregateResult, bounds: tuple[float, float], scores: Sequence[float]
) -> ScaleChoice:
    """Return the scale that the aggregate states, unless scores contradict it."""
    lowest, highest = bounds
    outside = 0
    inside = 0
    for score in scores:
        if not lowest <= score <= highest:
            outside += 1
        elif score > lowest:
            inside += 1
    if outside > inside:
        score_range = f"from {min(scores):g} to {max(scores):g}"
        message = f"scores go {score_range}, but the aggregate's scale is {result.shown_bounds}"
        return ScaleChoice(mismatch=message)
    if _contradicts_bounds(result.score, bounds, scores):
        return ScaleChoice(mismatch=_describe_mismatch(result, scores))
    return ScaleChoice(ScoreScale(lowest, highest, result.is_lower_better))


def _contradicts_bounds(
    stated: float | None, bounds: tuple[float, float], scores: Sequence[float]
) -> bool:
    """Return whether samples appear to be shares or percentages of the aggregate's scale."""
    lowest, highest = bounds
    mean = fmean(scores)
    if stated is not None:
        if not lowest <= stated <= highest:
            return True
        if agrees(stated, mean):
            return False
        if _differs_by_hundred(stated, mean):
            return True
    return highest > 1 and min(scores) >= 0 and 0 < max(scores) <= 1


def _describe_mismatch(result: AggregateResult, scores: Sequence[float]) -> str:
    """Return a clause that says how an aggregate differs from its samples."""
    stated = "no figure"
    if result.score is not None:
        stated = f"{result.score:g}"
    if result.bounds:
        stated += f" on a scale {result.shown_bounds}"
    elif result.unit:
        stated += f" {result.unit}"
    score_range = f"from {min(scores):g} to {max(scores):g}"
    return f"the aggregate states {stated}, but its samples' scores go {score_range}"


def agrees(printed: float, value: float) -> bool:
    """Return whether a published figure equals a value, to the precision of the figure's digits."""
    exponent = Decimal(repr(printed)).as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    tolerance = _TOLERANCE
    if digits > 1 or (digits == 1 and abs(printed) > 1):
        half_digit = 0.5 * 10**-digits
        tolerance = max(half_digit, _TOLERANCE)
    return isclose(printed, value, rel_tol=_TOLERANCE, abs_tol=tolerance)
