"""Costs of 0 beside tokens, turns or time: unknown, unless the submission declares its agent free."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.submission import Submission
from sitegen.problems import Problem, Rule, counted, listed
from sitegen.reading.json import Lines
from sitegen.reading.toml import Document
from sitegen.store.expected import name_of
from sitegen.store.layout import ROUNDS, RUNS

COST_ZERO = Rule.warning(
    "COST-ZERO",
    "What used tokens, turns or time has a cost, unless its agent is declared free.",
    "write `free = true` below `[agent]` in submission.toml if the runs cost nothing; otherwise "
    "state the cost, or leave `cost_usd` out",
)

_NAMED = 3
"""How many records of a file are named."""

_USE = (
    "input_tokens",
    "output_tokens",
    "turns",
    "interactions",
    "interactions_per_round",
    "agent_seconds",
)


def cost_problems(
    manifest: Document[Submission], rounds: Lines[RoundResult], runs: Lines[RunFigures]
) -> Iterator[Problem]:
    """Return one problem for each file whose records have a cost of 0 beside what they used."""
    if manifest.record is None or manifest.record.agent.free:
        return
    folder = manifest.path.parent
    unpriced_rounds = [
        (line, _round_name(each)) for line, each in rounds.numbered if _is_unpriced(each)
    ]
    unpriced_runs = [(line, _run_name(each)) for line, each in runs.numbered if _is_unpriced(each)]
    yield from _problem(folder / ROUNDS, "round", unpriced_rounds)
    yield from _problem(folder / RUNS, "run", unpriced_runs)


def _is_unpriced(record: RoundResult | RunFigures) -> bool:
    """Return whether a record has a cost of 0, and used something."""
    if record.cost_usd != 0:
        return False
    return any(getattr(record, name, None) for name in _USE)


def _round_name(result: RoundResult) -> str:
    return name_of(result.task, result.attempt, result.round, result.start)


def _run_name(run: RunFigures) -> str:
    return f"attempt {run.attempt} at {run.task}"


def _problem(path: Path, noun: str, unpriced: Sequence[tuple[int, str]]) -> Iterator[Problem]:
    """Return the problem of one file: `unpriced` has the line and the name of each of its records."""
    if not unpriced:
        return
    lines = [line for line, _ in unpriced]
    names = listed((name for _, name in unpriced), _NAMED, separator="; ")
    number = counted(len(unpriced), noun)
    what = f"`cost_usd` is 0 in {number} that used tokens, turns or time, and counts as unknown: {names}"
    yield COST_ZERO.broken(path, lines[0], what).about(lines)
