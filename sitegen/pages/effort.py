"""What rounds and runs took, in words, and where their transcripts are."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.errors import counted
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.submission import Provenance

_MINUTE = 60
_REACHED = {"scored", "no_cases", "aborted"}
_WEB = re.compile(r"https?://[^\s<>\"]+")

Kind = Callable[[RoundResult | RunFigures], float | None]

_FIGURES: Mapping[str, Kind] = {
    "{:,.4g} turns": lambda of: of.turns,
    "{:,.0f} input tokens": lambda of: of.input_tokens,
    "{:,.0f} output tokens": lambda of: of.output_tokens,
    "${:,.2f}": lambda of: of.cost_usd,
    "{:,.1f} min": lambda of: None if of.agent_seconds is None else of.agent_seconds / _MINUTE,
}
"""Figures that add up over rounds, by how they are written."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """Where a transcript is: as its submitter writes it, and its address on the web, empty where it has none."""

    text: str
    address: str


def round_effort(result: RoundResult) -> str:
    """Say what a round took, as far as it is known."""
    calls = None if result.interactions is None else f"{result.interactions:,.4g} tool calls"
    checked = None if result.verifier_seconds is None else f"{result.verifier_seconds / _MINUTE:,.1f} min to check"
    figures = (text.format(figure) for text, kind in _FIGURES.items() if (figure := kind(result)) is not None)
    return " · ".join(filter(None, (calls, *figures, checked)))


def run_effort(results: Sequence[RoundResult], figures: RunFigures | None) -> str:
    """Say what an attempt took in all: as it is told of the whole, else what its rounds took together.

    Args:
        results: Its rounds.
        figures: What is told of the whole.
    """
    reached = [result for result in results if result.state in _REACHED]
    return " · ".join(_whole(reached, figures))


def _whole(reached: Sequence[RoundResult], figures: RunFigures | None) -> Iterator[str]:
    mean = figures.interactions_per_round if figures else None
    if mean is not None:
        yield f"{mean:,.4g} tool calls a round"
    elif calls := [result.interactions for result in reached if result.interactions is not None]:
        yield f"{sum(calls):,.0f} tool calls{_of(len(calls), len(reached))}"
    for text, kind in _FIGURES.items():
        stated = kind(figures) if figures else None
        known = [figure for result in reached if (figure := kind(result)) is not None]
        if stated is not None:
            yield text.format(stated)
        elif known:
            yield text.format(sum(known)) + _of(len(known), len(reached))


def _of(told: int, reached: int) -> str:
    return "" if told == reached else f" (in the {counted(told, 'round')} of {reached} that tell)"


def transcript_of(provenance: Provenance, task: str, attempt: int) -> Transcript | None:
    """Find the transcript of an attempt; None where nothing is told of it.

    Args:
        provenance: How the runs were made. `{task}` and `{attempt}` in its pattern stand for what they say.
        task: Id of the task.
        attempt: Number of the attempt.
    """
    if not provenance.trajectories:
        return None
    text = provenance.trajectories.replace("{task}", task).replace("{attempt}", str(attempt))
    return Transcript(text, text if _WEB.fullmatch(text) else "")
