"""What an agent's transcript tells of its work: replies, tool calls, tokens and cost, and none of its words."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from sitegen.importers.harbor.lenient import Amount, Lenient, Perhaps, Text, Whole
from sitegen.importers.harbor.stream import Shape, pick, pick_early
from sitegen.importers.kit.tree import Folder
from sitegen.problems import Problem

_CONTINUED = re.compile(r"trajectory\.cont-(\d{1,6})\.json")
"""What a transcript goes on in, once the agent has summed up its context. The summaries beside it do not count."""

_STEP: Shape = {
    "source": None,
    "is_copied_context": None,
    "llm_call_count": None,
    "tool_calls": {},
    "metrics": {"prompt_tokens": None, "completion_tokens": None, "cost_usd": None},
    "extra": {"round": None},
}
_AGENT: Shape = {"name": None, "version": None, "model_name": None}
_SHAPE: Shape = {
    # Old transcripts are a bare list of steps, whose keys stand where the others of a transcript do.
    **_STEP,
    "steps": _STEP,
    "final_metrics": {"total_prompt_tokens": None, "total_completion_tokens": None, "total_cost_usd": None},
}


@dataclass(frozen=True, slots=True)
class Effort:
    """What a piece of work took; None for what was not measured."""

    interactions: int | None = None
    """Tool calls."""
    turns: int | None = None
    """Replies of the model."""
    input_tokens: float | None = None
    """Tokens read, cached ones included."""
    output_tokens: float | None = None
    cost_usd: float | None = None

    def or_else(self, other: "Effort") -> "Effort":
        """Fill what was not measured with what another source tells of the same work."""
        names = [each.name for each in fields(Effort)]
        return Effort(*(getattr(other if getattr(self, name) is None else self, name) for name in names))


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A transcript, counted."""

    effort: Effort
    """Of all of it."""
    by_round: Mapping[int, Effort] = field(default_factory=dict)
    """Of the rounds that its steps name, where they name any."""


class Worker(Lenient):
    """The agent, as a transcript names it."""

    name: Text = None
    """The program that drives the model."""
    version: Text = None
    model_name: Text = None


class _Totals(Lenient):
    total_prompt_tokens: Amount = None
    total_completion_tokens: Amount = None
    total_cost_usd: Amount = None


class _Root(Lenient):
    final_metrics: Perhaps[_Totals] = None


class _Metrics(Lenient):
    prompt_tokens: Amount = None
    completion_tokens: Amount = None
    cost_usd: Amount = None


class _Extra(Lenient):
    round: Whole = None


class _Step(Lenient):
    source: Text = None
    is_copied_context: Perhaps[bool] = None
    llm_call_count: Whole = None
    tool_calls: object = None
    metrics: Perhaps[_Metrics] = None
    extra: Perhaps[_Extra] = None

    @property
    def calls(self) -> int:
        """Tool calls; something else than a list is one."""
        if isinstance(self.tool_calls, list):
            return len(self.tool_calls)
        return int(isinstance(self.tool_calls, dict) or bool(self.tool_calls))


@dataclass(slots=True)
class _Count:
    """Adds up steps."""

    calls: int = 0
    turns: int = 0
    input_tokens: float | None = None
    output_tokens: float | None = None
    cost_usd: float | None = None

    def add(self, step: _Step) -> None:
        self.calls += step.calls
        self.turns += 1 if step.llm_call_count is None else step.llm_call_count
        metrics = step.metrics or _Metrics()
        self.input_tokens = _sum(self.input_tokens, metrics.prompt_tokens)
        self.output_tokens = _sum(self.output_tokens, metrics.completion_tokens)
        self.cost_usd = _sum(self.cost_usd, metrics.cost_usd)

    def effort(self) -> Effort:
        return Effort(self.calls, self.turns, self.input_tokens, self.output_tokens, self.cost_usd)


def trajectory_files(folder: Folder) -> list[Path]:
    """Give the files of a transcript in their order: `trajectory.json` and what it goes on in."""
    later = sorted((int(match[1]), name) for name in folder.files if (match := _CONTINUED.fullmatch(name)))
    names = ["trajectory.json"] if "trajectory.json" in folder.files else []
    return [folder.path / name for name in (*names, *(name for _, name in later))]


def read_trajectory(files: Sequence[Path]) -> tuple[Trajectory | None, list[Problem]]:
    """Count a transcript's steps.

    A context that was copied from before counts once. A reply without tool calls is a turn all the same.

    Args:
        files: As `trajectory_files` gives them.

    Returns:
        The transcript, or None where there is none or where one of its files can't be read; and the problems.
    """
    whole = _Count()
    rounds: defaultdict[int, _Count] = defaultdict(_Count)

    def take(member: object) -> None:
        step = _Step.model_validate(member) if isinstance(member, dict) else _Step()
        if step.source == "agent" and not step.is_copied_context:
            whole.add(step)
            if step.extra and step.extra.round is not None:
                rounds[step.extra.round].add(step)

    roots, problems = [], []
    for path in files:
        value, found = pick(path, _SHAPE, {("steps",): take, (): take})
        roots.append(_Root.model_validate(value) if isinstance(value, dict) else _Root())
        problems += found
    if not roots or problems:
        return None, problems
    by_round = {number: count.effort() for number, count in rounds.items()}
    return Trajectory(whole.effort().or_else(_stated(roots)), by_round), []


def worker_of(path: Path) -> Worker | None:
    """Give the agent that a transcript names at its beginning; None where it names none."""
    value = pick_early(path, "agent", _AGENT, before="steps")
    return Worker.model_validate(value) if isinstance(value, dict) else None


def _stated(roots: Sequence[_Root]) -> Effort:
    """Give the sums that a transcript states of itself; in one that goes on elsewhere they may be about either part."""
    totals = roots[0].final_metrics if len(roots) == 1 else None
    if totals is None:
        return Effort()
    return Effort(
        input_tokens=totals.total_prompt_tokens,
        output_tokens=totals.total_completion_tokens,
        cost_usd=totals.total_cost_usd,
    )


def _sum(before: float | None, more: float | None) -> float | None:
    return before if more is None else (before or 0) + more
