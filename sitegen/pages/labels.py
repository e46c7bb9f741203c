"""The words that readers see for the glossary's terms."""

from collections import Counter
from collections.abc import Mapping, Sequence

from sitegen.board.dossier import Presence
from sitegen.board.entry import Entry
from sitegen.board.evidence import Evidence
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.outcome import CaseStatus, State
from sitegen.models.submission import Agent

STATES: Mapping[State, str] = {
    "scored": "scored",
    "no_cases": "no case ran: build or set-up failed",
    "aborted": "aborted: reached, but without a verdict",
    "unreached": "never reached",
    "fast_forwarded": "done by the reference",
    "excluded": "excluded by a finding",
}
MARKS: Mapping[State, str] = {
    "scored": "✓",
    "no_cases": "⌀",
    "aborted": "×",
    "unreached": "·",
    "fast_forwarded": "»",
    "excluded": "–",
}
EVIDENCE: Mapping[Evidence, tuple[str, str, str]] = {
    "reported": ("○", "reported", "a published table; no raw data here, not recomputed"),
    "recomputed": ("◑", "recomputed", "computed here from the raw reward of every round"),
    "complete": ("◕", "complete", "computed here, and the outcome of every case can be seen"),
    "reproduced": ("●", "reproduced", "computed here, and a maintainer's own run bears it out"),
}
PRESENCES: Mapping[Presence, str] = {"there": "✓", "in part": "◐", "missing": "–"}
CASES: Mapping[CaseStatus, tuple[str, str]] = {
    "failed": ("✗", "failed"),
    "error": ("!", "ended in an error"),
    "skipped": ("–", "was skipped"),
    "passed": ("✓", "passed"),
}
UNITS: Mapping[str, str] = {
    "percent": "%",
    "share": "0 to 1",
    "tasks": "tasks",
    "interactions": "tool calls",
    "turns": "turns",
    "thousand tokens": "K",
    "USD": "$",
    "minutes": "min",
    "points": "points",
}

ERRATUM = "†"
"""Marks a reported figure that something is known to be wrong with."""

FLAG = "⚑"
"""Marks what a finding concerns."""


def state_of(state: State) -> str:
    """Say in words how a round ended."""
    return STATES[state]


def title_of(metric: Metric, track: Track, benchmark: Benchmark) -> str:
    """Name a metric as a track shows it: with its number of attempts, and with the benchmark's word for a round."""
    return metric.title_on(track, benchmark)


def unit_of(metric: Metric) -> str:
    """Give the unit as a column's head shows it."""
    return UNITS[metric.unit]


def about(agent: Agent) -> str:
    """Say who made an agent and how it was set up, on one line."""
    return " · ".join(part for part in (agent.organization, agent.scaffold, agent.reasoning) if part)


def names_of(rows: Sequence[Entry]) -> dict[str, str]:
    """Name the agents of a board's rows, with their scaffolds where several go by the same name; by the row's id."""
    often = Counter(row.agent.name for row in rows)
    return {row.id: _name(row.agent, is_shared=often[row.agent.name] > 1) for row in rows}


def _name(agent: Agent, *, is_shared: bool) -> str:
    return f"{agent.name} ({agent.scaffold})" if is_shared and agent.scaffold else agent.name


def rounds_word(benchmark: Benchmark, number: int = 1) -> str:
    """Give what the benchmark calls a round, in lower case."""
    word = benchmark.round_name.lower()
    return word if number == 1 else f"{word}s"
