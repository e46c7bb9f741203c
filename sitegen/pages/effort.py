"""What rounds and runs took, in words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.problems import counted

_MINUTE = 60
REACHED = {"scored", "no_cases", "aborted"}
"""States of rounds that an agent worked on."""


@dataclass(frozen=True, slots=True)
class _Figure:
    """A figure that adds up over rounds.

    Attributes:
        of: Finds it in a record, or in what is told of a whole run; None where it is not told.
        write: Writes it with its unit.
    """

    of: Callable[[RoundResult | RunFigures], float | None]
    write: Callable[[float], str]


_FIGURES = (
    _Figure(lambda of: of.interactions if isinstance(of, RoundResult) else None, lambda n: f"{_count(n)} tool calls"),
    _Figure(lambda of: of.turns, lambda n: f"{_count(n)} turns"),
    _Figure(lambda of: of.input_tokens, lambda n: f"{n:,.0f} input tokens"),
    _Figure(lambda of: of.output_tokens, lambda n: f"{n:,.0f} output tokens"),
    _Figure(lambda of: of.cost_usd, lambda n: f"${n:,.2f}"),
    _Figure(lambda of: of.agent_seconds, lambda n: f"{n / _MINUTE:,.1f} min"),
)


def _count(number: float) -> str:
    """Write a count, which may be a mean."""
    return f"{number:,.0f}" if number == int(number) else f"{number:,.1f}"


def round_effort(result: RoundResult) -> str:
    """Say what a round took, as far as it is known."""
    figures = [figure.write(known) for figure in _FIGURES if (known := figure.of(result)) is not None]
    if result.verifier_seconds is not None:
        figures.append(f"{result.verifier_seconds / _MINUTE:,.1f} min to check")
    return " · ".join(figures)


def run_effort(results: Sequence[RoundResult], stated: RunFigures | None) -> str:
    """Say what an attempt took in all: what its rounds took together, else as it is told of the whole.

    Args:
        results: Its rounds.
        stated: What is told of the whole.
    """
    reached = [result for result in results if result.state in REACHED]
    figures = [_in_all(figure, reached, stated) for figure in _FIGURES]
    if stated and stated.interactions_per_round is not None and not figures[0]:
        figures[0] = f"{_count(stated.interactions_per_round)} tool calls a round"
    return " · ".join(filter(None, figures))


def _in_all(figure: _Figure, reached: Sequence[RoundResult], stated: RunFigures | None) -> str:
    known = [value for result in reached if (value := figure.of(result)) is not None]
    whole = figure.of(stated) if stated else None
    if len(known) < len(reached) and whole is not None:
        return figure.write(whole)
    some = f" (in the {counted(len(known), 'round')} of {len(reached)} that tell)" if len(known) < len(reached) else ""
    return f"{figure.write(sum(known))}{some}" if known else ""
