"""The effort of a round and of an attempt: tool calls, turns, tokens, cost and time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sitegen.models.outcome import REACHED, RoundResult, RunFigures
from sitegen.pages.texts import join_texts
from sitegen.problems import counted, plural

_SECONDS_PER_MINUTE = 60


def _format_count(number: float) -> str:
    """Return a count as text; a mean that is not a whole number has one decimal."""
    if number == int(number):
        return f"{number:,.0f}"
    return f"{number:,.1f}"


def _count_with(noun: str) -> Callable[[float], str]:
    """Return a function that formats a count or a mean of counts, followed by a noun."""

    def format_with_noun(number: float) -> str:
        return f"{_format_count(number)} {noun if number == 1 else plural(noun)}"

    return format_with_noun


def _format_time(seconds: float) -> str:
    """Return a duration as text: in minutes, or in seconds if it is below a minute."""
    if seconds < _SECONDS_PER_MINUTE:
        return f"{_format_count(seconds)} s"
    return f"{seconds / _SECONDS_PER_MINUTE:,.1f} min"


@dataclass(frozen=True, slots=True)
class _EffortFigure:
    """A figure that adds up over rounds: its field in records, and its format."""

    of_round: Callable[[RoundResult], float | None]
    of_run: Callable[[RunFigures], float | None]
    format: Callable[[float], str]


_TOOL_CALLS = _EffortFigure(
    lambda result: result.interactions, lambda _: None, _count_with("tool call")
)
"""The number of tool calls; records of complete runs report only a rate."""

# The figures are in the order in which pages show them.
_EFFORT_FIGURES: Sequence[_EffortFigure] = (
    _TOOL_CALLS,
    _EffortFigure(lambda result: result.turns, lambda run: run.turns, _count_with("turn")),
    _EffortFigure(
        lambda result: result.input_tokens,
        lambda run: run.input_tokens,
        _count_with("input token"),
    ),
    _EffortFigure(
        lambda result: result.cached_tokens,
        lambda run: run.cached_tokens,
        "{:,.0f} of them cached".format,
    ),
    _EffortFigure(
        lambda result: result.output_tokens,
        lambda run: run.output_tokens,
        _count_with("output token"),
    ),
    _EffortFigure(lambda result: result.cost_usd, lambda run: run.cost_usd, "${:,.2f}".format),
    _EffortFigure(lambda result: result.agent_seconds, lambda run: run.agent_seconds, _format_time),
)
"""All figures; tool calls and turns come before tokens, cost and time."""

_FIRST_COST_FIGURE = 2
"""Index in `_EFFORT_FIGURES` of the first figure that is not tool calls or turns."""


def reports_cost(results: Iterable[RoundResult], runs: Iterable[RunFigures]) -> bool:
    """Return whether any round or run reports tokens, a cost or a time."""
    figures = _EFFORT_FIGURES[_FIRST_COST_FIGURE:]
    for result in results:
        if any(figure.of_round(result) is not None for figure in figures):
            return True
    for run in runs:
        if any(figure.of_run(run) is not None for figure in figures):
            return True
    return False


def effort_of(result: RoundResult, modes: Mapping[str, str]) -> str:
    """Return a text with a round's failure mode, if one was assigned, and its effort."""
    texts = []
    if result.mode and result.mode in modes:
        texts.append(f"Failure: {modes[result.mode]}")
    for figure in _EFFORT_FIGURES:
        value = figure.of_round(result)
        if value is not None:
            texts.append(figure.format(value))
    if result.verifier_seconds is not None:
        texts.append(f"{_format_time(result.verifier_seconds)} for the check")
    return " · ".join(texts)


def run_effort(
    results: Iterable[RoundResult], run_figures: RunFigures | None, round_noun: str
) -> str:
    """Return a text with an attempt's effort: the sum of its rounds, or else the reported total."""
    worked = [result for result in results if result.state in REACHED]
    figures = _EFFORT_FIGURES
    texts = [_total_text(figure, worked, run_figures, round_noun) for figure in figures]
    has_tool_calls = any(_TOOL_CALLS.of_round(result) is not None for result in worked)
    rate_text = ""
    if run_figures and run_figures.interactions_per_round is not None and not has_tool_calls:
        rate = _TOOL_CALLS.format(run_figures.interactions_per_round)
        rate_text = f"{rate} per {round_noun}"
    total = join_texts(*texts)
    return join_texts(rate_text, f"{total} in total" if total else "")


def _total_text(
    figure: _EffortFigure,
    worked: Sequence[RoundResult],
    run_figures: RunFigures | None,
    round_noun: str,
) -> str:
    """Return the total of a figure as text; empty if no round and no record of the run has it."""
    values = []
    for result in worked:
        value = figure.of_round(result)
        if value is not None:
            values.append(value)
    run_value = None
    if run_figures:
        run_value = figure.of_run(run_figures)
    is_partial = len(values) < len(worked)
    if is_partial and run_value is not None:
        return figure.format(run_value)
    if not values:
        return ""
    text = figure.format(sum(values))
    if is_partial:
        return f"{text} (in {len(values)} of {counted(len(worked), round_noun)})"
    return text
