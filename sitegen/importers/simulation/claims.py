"""The scores that simulated submissions state for themselves, or that others state for them."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction

from sitegen.models.outcome import RoundResult
from sitegen.models.submission import Claims

_MOST = 100
_MISPRINT = Fraction(27, 10)


def own_claims(rounds: Sequence[RoundResult]) -> Claims:
    """State what a submitter on a chain track would count by hand: it agrees with the records."""
    return Claims.model_validate(
        {
            "dataset_score": _printed(100 * _mean_over_tasks(rounds, lambda result: Fraction(result.solved))),
            "case_score": _printed(100 * _mean_over_tasks(rounds, _cases_passed)),
        }
    )


def printed_elsewhere(rounds: Sequence[RoundResult]) -> Claims:
    """State what somebody else printed: a score that the records do not give."""
    score = 100 * _mean_over_tasks(rounds, lambda result: Fraction(result.solved))
    printed = _printed(score + _MISPRINT if score + _MISPRINT <= _MOST else score - _MISPRINT)
    return Claims.model_validate({"source": "Release notes of the agent (simulated)", "dataset_score": printed})


def _cases_passed(result: RoundResult) -> Fraction:
    return Fraction(result.passed or 0, result.total or 1)


def _mean_over_tasks(rounds: Sequence[RoundResult], share: Callable[[RoundResult], Fraction]) -> Fraction:
    by_task: dict[str, list[Fraction]] = {}
    for result in rounds:
        if result.state != "excluded":
            by_task.setdefault(result.task, []).append(share(result))
    return sum(Fraction(sum(shares), len(shares)) for shares in by_task.values()) / Fraction(len(by_task))


def _printed(value: Fraction) -> Decimal:
    """Round to one decimal; to two where the value lies half-way and one would be a matter of taste."""
    tenths = 10 * value
    places = 2 if tenths.denominator == 2 else 1  # noqa: PLR2004 - a half
    return Decimal(round(value * 10**places)).scaleb(-places)
