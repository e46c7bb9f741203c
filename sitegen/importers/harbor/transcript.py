"""Count the replies, tool calls, tokens and cost in a transcript, without reading its texts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.harbor.records import AgentUsage, Amount, Count, LenientRecord, OptionalText
from sitegen.importers.kit.file_records import nested_field
from sitegen.importers.kit.stream import Shape, pick, pick_early
from sitegen.importers.kit.tree import Folder
from sitegen.problems import Problem

_FIRST_FILE = "trajectory.json"
_NEXT_FILE = re.compile(r"trajectory\.cont-(\d{1,6})\.json")
"""Files in which a transcript continues after the agent has summarised its context.

The files with the summaries themselves do not count.
"""

_NO_USAGE = AgentUsage(interactions=0, turns=0)


@dataclass(frozen=True, slots=True)
class TranscriptCounts:
    """The usage counted in a transcript, the totals that it states, and its faults."""

    usage: AgentUsage = field(default_factory=AgentUsage)
    by_round: Mapping[int, AgentUsage] = field(default_factory=dict)
    """Usage by round number; empty if the steps name no rounds."""
    stated: AgentUsage = field(default_factory=AgentUsage)
    """The totals that the transcript states.

    Blank for a transcript of several files, since its totals may cover only one of them.
    """
    model: str | None = None
    faults: Sequence[str] = ()
    """Messages about inconsistent steps, which suggest that a step was removed."""


class TranscriptAgent(LenientRecord):
    """The agent that a transcript names."""

    name: OptionalText = None
    """The program that drives the model."""
    version: OptionalText = None
    model_name: OptionalText = None


class _TranscriptFile(LenientRecord):
    model_name: OptionalText = nested_field("agent", "model_name")
    input_tokens: Amount | None = nested_field("final_metrics", "total_prompt_tokens")
    cached_tokens: Amount | None = nested_field("final_metrics", "total_cached_tokens")
    output_tokens: Amount | None = nested_field("final_metrics", "total_completion_tokens")
    cost_usd: Amount | None = nested_field("final_metrics", "total_cost_usd")

    @property
    def usage(self) -> AgentUsage:
        return AgentUsage(
            input_tokens=self.input_tokens,
            cached_tokens=self.cached_tokens,
            output_tokens=self.output_tokens,
            cost_usd=self.cost_usd,
        )


class _Answer(LenientRecord):
    source_call_id: OptionalText = None


class _TranscriptStep(LenientRecord):
    step_id: Count | None = None
    source: OptionalText = None
    is_copied_context: bool | None = None
    llm_call_count: Count | None = None
    tool_calls: object = None
    answers: list[_Answer] = nested_field("observation", "results", default=[])
    input_tokens: Amount | None = nested_field("metrics", "prompt_tokens")
    cached_tokens: Amount | None = nested_field("metrics", "cached_tokens")
    output_tokens: Amount | None = nested_field("metrics", "completion_tokens")
    cost_usd: Amount | None = nested_field("metrics", "cost_usd")
    round: Count | None = nested_field("extra", "round")

    @property
    def usage(self) -> AgentUsage:
        """The usage of one reply. A reply without a tool call is also a turn."""
        return AgentUsage(
            interactions=_count_calls(self.tool_calls),
            turns=1 if self.llm_call_count is None else self.llm_call_count,
            input_tokens=self.input_tokens,
            cached_tokens=self.cached_tokens,
            output_tokens=self.output_tokens,
            cost_usd=self.cost_usd,
        )

    @property
    def has_torn_calls(self) -> bool:
        """Whether the step repeats a tool call, or answers a tool call that it does not make."""
        call_ids = _call_ids(self.tool_calls)
        distinct_ids = set(call_ids)
        answered_ids = {answer.source_call_id for answer in self.answers} - {None}
        return len(call_ids) > len(distinct_ids) or not answered_ids <= distinct_ids


def _count_calls(calls: object) -> int:
    """Return the number of tool calls: 0 if none is stated, 1 for a value that is not a list."""
    if isinstance(calls, list):
        return len(calls)
    return int(isinstance(calls, dict) or bool(calls))


def _call_ids(calls: object) -> list[str]:
    """Return the ids of the tool calls that have an id."""
    ids = []
    for call in calls if isinstance(calls, list) else ():
        call_id = call.get("tool_call_id") if isinstance(call, dict) else None
        if call_id:
            ids.append(str(call_id))
    return ids


# An old transcript is a bare list of steps, whose keys are then at the top level.
_SHAPE: Shape = {
    **_TranscriptStep.shape(),
    "steps": _TranscriptStep.shape(),
    **_TranscriptFile.shape(),
}


@dataclass(slots=True)
class _StepCounter:
    """Adds up the steps of a transcript."""

    usage: AgentUsage = _NO_USAGE
    by_round: dict[int, AgentUsage] = field(default_factory=dict)
    step_ids: list[int | None] = field(default_factory=list)
    """The ids of the current file's steps; None for a step without an id."""
    faults: list[str] = field(default_factory=list)

    def add(self, value: object) -> None:
        """Add a step. Context that was copied from an earlier file is not counted again."""
        step = _TranscriptStep.parse(value)
        self.step_ids.append(step.step_id)
        if step.has_torn_calls:
            number = len(self.step_ids)
            self.faults.append(f"the answers in step {number} do not match its tool calls")
        if step.source != "agent" or step.is_copied_context:
            return
        usage = step.usage
        self.usage = self.usage.plus(usage)
        if step.round is not None:
            self.by_round[step.round] = self.by_round.get(step.round, _NO_USAGE).plus(usage)

    def end_file(self, name: str) -> None:
        """Check that a file numbers its steps from 1, if it numbers them at all."""
        length = len(self.step_ids)
        if any(self.step_ids) and self.step_ids != list(range(1, length + 1)):
            self.faults.append(f"the steps of {name} are not numbered from 1 to {length}")
        self.step_ids.clear()


def find_transcript_files(folder: Folder) -> list[Path]:
    """Return the files of a transcript in order, `trajectory.json` first."""
    numbered = []
    for name in folder.files:
        match = _NEXT_FILE.fullmatch(name)
        if match:
            numbered.append((int(match[1]), name))
    names = [name for _, name in sorted(numbered)]
    if _FIRST_FILE in folder.files:
        names.insert(0, _FIRST_FILE)
    return [folder.path / name for name in names]


def count_transcript(files: Sequence[Path]) -> tuple[TranscriptCounts | None, list[Problem]]:
    """Return the counts of a transcript, and the problems of its files.

    The counts are None if there is no file, or if any file can't be read.
    """
    counter = _StepCounter()
    sinks = {("steps",): counter.add, (): counter.add}
    headers = []
    problems = []
    for path in files:
        value, file_problems = pick(path, _SHAPE, sinks)
        problems += file_problems
        counter.end_file(path.name)
        headers.append(_TranscriptFile.parse(value))
    if not headers or problems:
        return None, problems
    stated = headers[0].usage if len(headers) == 1 else AgentUsage()
    usage = counter.usage.or_else(stated)
    model = headers[0].model_name
    return TranscriptCounts(usage, counter.by_round, stated, model, counter.faults), []


def read_transcript_agent(path: Path) -> TranscriptAgent | None:
    """Return the agent that a transcript names before its steps; None if it names none."""
    value = pick_early(path, "agent", TranscriptAgent.shape(), before="steps")
    return TranscriptAgent.model_validate(value) if isinstance(value, dict) else None
