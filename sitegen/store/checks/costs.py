"""Reports costs of 0 for records with tokens, turns or time, unless the agent is free."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.submission import Submission
from sitegen.problems import Problem, Rule, counted, listed
from sitegen.reading.json import Lines
from sitegen.reading.toml import Document
from sitegen.store.checks.expected import round_key_name
from sitegen.store.files.layout import ROUNDS_FILE, RUNS_FILE

COST_ZERO = Rule.warning(
    "COST-ZERO",
    "A run used tokens, turns or time at a cost of 0, and its agent is not declared free.",
    "write `free = true` below `[agent]` in submission.toml if the runs cost nothing; otherwise "
    "state the cost, or leave `cost_usd` out",
)

_MAX_NAMED_RECORDS = 3

_USE_FIELDS = (
    "input_tokens",
    "output_tokens",
    "turns",
    "interactions",
    "interactions_per_round",
    "agent_seconds",
)
"""Fields for the resources that a round or a run used; no record has all of them."""


def cost_problems(
    manifest: Document[Submission], rounds: Lines[RoundResult], runs: Lines[RunFigures]
) -> Iterator[Problem]:
    """Yield one problem per file with records whose cost is 0 although they used resources."""
    if manifest.record is None or manifest.record.agent.free:
        return
    folder = manifest.path.parent
    round_names = {}
    tasks = []
    for line, result in rounds.numbered:
        if result.cost_usd == 0 and _has_use(result):
            round_names[line] = round_key_name(result.place)
            tasks.append(result.task)
    run_names = {}
    for line, run in runs.numbered:
        if run.cost_usd == 0 and _has_use(run):
            run_names[line] = f"attempt {run.attempt} at {run.task}"
    for problem in _zero_cost_problem(folder / ROUNDS_FILE, "round", round_names):
        yield problem.about_tasks(*tasks)
    yield from _zero_cost_problem(folder / RUNS_FILE, "run", run_names)


def _has_use(record: RoundResult | RunFigures) -> bool:
    """Return whether a record reports the use of tokens, turns or time."""
    return any(getattr(record, name, None) for name in _USE_FIELDS)


def _zero_cost_problem(path: Path, noun: str, names: Mapping[int, str]) -> Iterator[Problem]:
    """Yield the problem of a file's records with a cost of 0, given their names by line."""
    if not names:
        return
    lines = list(names)
    records = counted(len(names), noun)
    details = listed(names.values(), _MAX_NAMED_RECORDS, separator="; ")
    fact = (
        f"`cost_usd` is 0 in {records} that used tokens, turns or time; "
        f"the cost counts as unknown: {details}"
    )
    yield COST_ZERO.broken(path, lines[0], fact).about(lines)
