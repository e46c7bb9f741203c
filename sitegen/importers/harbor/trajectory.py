"""What an agent's transcript tells of its work: replies, tool calls, tokens and cost, and none of its words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.harbor.records import Amount, Effort, Lenient, Text, Whole
from sitegen.importers.kit.stream import Shape, pick, pick_early
from sitegen.importers.kit.told import at
from sitegen.importers.kit.tree import Folder
from sitegen.problems import Problem

_CONTINUED = re.compile(r"trajectory\.cont-(\d{1,6})\.json")
"""What a transcript goes on in, once the agent has summed up its context. The summaries beside it do not count."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A transcript, counted."""

    effort: Effort = field(default_factory=Effort)
    by_round: Mapping[int, Effort] = field(default_factory=dict)
    """Of the rounds that its steps name, where they name any."""
    stated: Effort = field(default_factory=Effort)
    """What it says that all of it took; blank where it goes on elsewhere, as its sums may be about either part."""
    model: str | None = None
    faults: Sequence[str] = ()
    """Where its steps do not go together, as they do where nobody took one out."""


class Worker(Lenient):
    """The agent, as a transcript names it."""

    name: Text = None
    """The program that drives the model."""
    version: Text = None
    model_name: Text = None


class _Root(Lenient):
    model_name: Text = at("agent", "model_name")
    input_tokens: Amount = at("final_metrics", "total_prompt_tokens")
    cached_tokens: Amount = at("final_metrics", "total_cached_tokens")
    output_tokens: Amount = at("final_metrics", "total_completion_tokens")
    cost_usd: Amount = at("final_metrics", "total_cost_usd")


class _Answer(Lenient):
    source_call_id: Text = None


class _Step(Lenient):
    step_id: Whole = None
    source: Text = None
    is_copied_context: bool | None = None
    llm_call_count: Whole = None
    tool_calls: object = None
    answers: list[_Answer] | None = at("observation", "results")
    input_tokens: Amount = at("metrics", "prompt_tokens")
    cached_tokens: Amount = at("metrics", "cached_tokens")
    output_tokens: Amount = at("metrics", "completion_tokens")
    cost_usd: Amount = at("metrics", "cost_usd")
    round: Whole = at("extra", "round")

    @property
    def effort(self) -> Effort:
        calls = self.tool_calls
        # Something else than a list is one call. A reply without any is a turn all the same.
        number = (
            len(calls) if isinstance(calls, list) else int(isinstance(calls, dict) or bool(calls))
        )
        turns = 1 if self.llm_call_count is None else self.llm_call_count
        return Effort(
            number, turns, self.input_tokens, self.cached_tokens, self.output_tokens, self.cost_usd
        )

    @property
    def is_torn(self) -> bool:
        """Whether it makes a tool call twice, or answers one that it does not make."""
        told = self.tool_calls if isinstance(self.tool_calls, list) else ()
        calls = [
            str(each["tool_call_id"])
            for each in told
            if isinstance(each, dict) and each.get("tool_call_id")
        ]
        answered = {each.source_call_id for each in self.answers or ()} - {None}
        return len(calls) > len({*calls}) or not answered <= {*calls}


# Old transcripts are a bare list of steps, whose keys stand where the others of a transcript do.
_SHAPE: Shape = {**_Step.shape(), "steps": _Step.shape(), **_Root.shape()}


def trajectory_files(folder: Folder) -> list[Path]:
    """The files of a transcript in their order: `trajectory.json` and what it goes on in."""
    later = sorted(
        (int(match[1]), name) for name in folder.files if (match := _CONTINUED.fullmatch(name))
    )
    names = ["trajectory.json"] if "trajectory.json" in folder.files else []
    return [folder.path / name for name in (*names, *(name for _, name in later))]


def read_trajectory(files: Sequence[Path]) -> tuple[Trajectory | None, list[Problem]]:
    """Count a transcript's steps; None where there is none, or where one of its files can't be read.

    A context that was copied from before counts once.
    """
    whole = Effort(0, 0)
    rounds: dict[int, Effort] = {}

    steps: list[int | None] = []
    faults: list[str] = []

    def take(member: object) -> None:
        nonlocal whole
        step = _Step.model_validate(member) if isinstance(member, dict) else _Step()
        steps.append(step.step_id)
        if step.is_torn:
            faults.append(f"the tool calls of step {len(steps)} are not those that it answers")
        if step.source == "agent" and not step.is_copied_context:
            effort = step.effort
            whole = whole.plus(effort)
            if step.round is not None:
                rounds[step.round] = rounds.get(step.round, Effort(0, 0)).plus(effort)

    roots, problems = [], []
    for path in files:
        steps.clear()
        value, found = pick(path, _SHAPE, {("steps",): take, (): take})
        if any(steps) and steps != [*range(1, len(steps) + 1)]:
            faults.append(f"the steps of {path.name} are not numbered from 1 to {len(steps)}")
        roots.append(_Root.model_validate(value) if isinstance(value, dict) else _Root())
        problems += found
    if not roots or problems:
        return None, problems
    told, stated = roots[0], Effort()
    if len(roots) == 1:
        stated = Effort(
            None, None, told.input_tokens, told.cached_tokens, told.output_tokens, told.cost_usd
        )
    return Trajectory(whole.or_else(stated), rounds, stated, told.model_name, faults), []


def worker_of(path: Path) -> Worker | None:
    """The agent that a transcript names at its beginning; None where it names none."""
    value = pick_early(path, "agent", Worker.shape(), before="steps")
    return Worker.model_validate(value) if isinstance(value, dict) else None
