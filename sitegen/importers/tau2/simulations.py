"""Parse one simulation written by tau2-bench or tau-bench."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

from sitegen.importers.kit.cases import CaseRecord
from sitegen.importers.kit.stream import Shape
from sitegen.importers.kit.values import (
    amount_of,
    count_of,
    mapping_of,
    mappings_of,
    name_of,
    text_of,
)
from sitegen.importers.tau2.checks import CHECKS_SHAPE, parse_cases, parse_measures
from sitegen.importers.tau2.fields import read_text

UNSCORED = frozenset({"infrastructure_error"})
"""Termination reasons of simulations without a verdict, which tau2-bench does not count."""

FINISHED = frozenset({"agent_stop", "user_stop"})
"""Termination reasons after which a simulation is graded."""

_MAX_TRIAL = 999

_USAGE_SHAPE: Shape = {
    "cost": None,
    "records": {"billable": None, "input_tokens": None, "output_tokens": None},
}

_MESSAGE_SHAPE: Shape = {
    "role": None,
    "usage": {"prompt_tokens": None, "completion_tokens": None},
    "tool_calls": {"name": None},
}

SIMULATION_SHAPE: Shape = {
    "id": None,
    "task_id": None,
    "trial": None,
    "start_time": None,
    "end_time": None,
    "timestamp": None,
    "duration": None,
    "termination_reason": None,
    "agent_cost": None,
    "user_cost": None,
    "agent_usage": _USAGE_SHAPE,
    "reward_info": {"reward": None, **CHECKS_SHAPE},
    "info": {"error": None},
    "messages": _MESSAGE_SHAPE,
}
"""The keys that are read from a tau2-bench simulation."""

INDEX_SHAPE: Shape = {
    "id": None,
    "task_id": None,
    "trial": None,
    "reward": None,
    "termination_reason": None,
    "agent_cost": None,
    "duration": None,
}
"""The keys that are read from an entry of `simulation_index`."""

TAU_BENCH_SHAPE: Shape = {
    "task_id": None,
    "reward": None,
    "trial": None,
    "info": {"error": None, "user_cost": None, "task": {"actions": {"name": None}}},
    "traj": {"role": None, "tool_calls": {"id": None}},
}
"""The keys that are read from an entry of a tau-bench result list."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """One trial of one task."""

    id: str
    """The simulation's id; empty if the file states none."""
    task: str
    trial: int | None
    """The number of the trial, from 0; None if the file does not state it."""
    reward: object
    """The reward as stated in the file, of any type; None if there is none."""
    end_reason: str = ""
    """tau2-bench's termination reason, such as `user_stop`; empty if the file does not state it."""
    error: str = ""
    cost_usd: float | None = None
    seconds: float | None = None
    turns: int | None = None
    tool_calls: int | None = None
    input_tokens: float | None = None
    output_tokens: float | None = None
    cases: Sequence[CaseRecord] = ()
    measures: Mapping[str, float] = field(default_factory=dict)
    actions: Sequence[str] = ()
    """Names of the task's reference actions, which only files of tau-bench contain."""
    started: str = ""
    finished: str = ""

    @property
    def has_verdict(self) -> bool:
        """Whether the runner graded the simulation, or assigned a reward because of its end."""
        return self.reward is not None and self.end_reason not in UNSCORED

    @property
    def is_early(self) -> bool:
        """Whether something other than the agent or the user ended the simulation."""
        return bool(self.end_reason) and self.end_reason not in FINISHED

    @property
    def cause(self) -> str:
        """Why the simulation has no usable reward."""
        if self.error:
            return self.error
        if self.has_verdict:
            return "its reward is not a number"
        if self.is_early:
            return self.end_reason.replace("_", " ")
        return "it was not graded"


def parse_simulation(record: Mapping[str, object]) -> Simulation | None:
    """Return a simulation of tau2-bench; None if it names no task."""
    simulation = parse_index_entry(record)
    if simulation is None:
        return None
    reward_info = mapping_of(record.get("reward_info"))
    usage = mapping_of(record.get("agent_usage"))
    replies = _model_replies(record)
    input_tokens, output_tokens = _sum_tokens(replies, usage)
    cost_usd = simulation.cost_usd
    if cost_usd is None:
        cost_usd = amount_of(usage.get("cost"))
    error = read_text(mapping_of(record.get("info")), "error")
    measures = parse_measures(reward_info) | _user_cost(record)
    return replace(
        _count_replies(simulation, replies),
        reward=reward_info.get("reward"),
        error=error,
        cost_usd=cost_usd,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cases=parse_cases(reward_info),
        measures=measures,
        started=read_text(record, "start_time"),
        finished=read_text(record, "end_time", "timestamp"),
    )


def parse_index_entry(record: Mapping[str, object]) -> Simulation | None:
    """Return the simulation in an entry of a folder's index; None if it names no task."""
    task = name_of(record.get("task_id"))
    if task is None:
        return None
    # Some files contain `TerminationReason.USER_STOP` instead of `user_stop`.
    end_reason = read_text(record, "termination_reason", longest=60)
    end_reason = end_reason.rpartition(".")[2].lower()
    # LiteLLM reports a cost of 0 for a model whose price it does not know.
    cost_usd = amount_of(record.get("agent_cost")) or None
    return Simulation(
        id=name_of(record.get("id")) or "",
        task=task,
        trial=count_of(record.get("trial"), _MAX_TRIAL),
        reward=record.get("reward"),
        end_reason=end_reason,
        cost_usd=cost_usd,
        seconds=amount_of(record.get("duration")),
    )


def parse_tau_bench_entry(record: Mapping[str, object]) -> Simulation | None:
    """Return an entry of a result list of tau-bench; None if it names no task."""
    entry = parse_index_entry(record)
    if entry is None:
        return None
    info = mapping_of(record.get("info"))
    actions = []
    for action in mappings_of(mapping_of(info.get("task")).get("actions")):
        name = text_of(action.get("name"))
        if name:
            actions.append(name)
    simulation = _count_replies(entry, _assistant_messages(record.get("traj")))
    simulation = replace(simulation, measures=_user_cost(info), actions=actions)
    if "error" not in info:
        return simulation
    # If a run crashed, tau-bench writes the error, and a reward of 0 that was not measured.
    error = read_text(info, "error") or "an error without a message"
    return replace(simulation, reward=None, error=error)


def _user_cost(record: Mapping[str, object]) -> dict[str, float]:
    """Return the cost of the simulated user as a measure: it is not the agent's cost."""
    cost = amount_of(record.get("user_cost"))
    return {"user_cost_usd@tau2": cost} if cost else {}


def _count_replies(simulation: Simulation, replies: Sequence[Mapping[str, object]]) -> Simulation:
    """Return a simulation with the counts of the agent's replies and tool calls, if any."""
    if not replies:
        return simulation
    tool_calls = sum(len(mappings_of(reply.get("tool_calls"))) for reply in replies)
    return replace(simulation, turns=len(replies), tool_calls=tool_calls)


def _assistant_messages(messages: object) -> list[Mapping[str, object]]:
    """Return the messages with the role `assistant`."""
    return [message for message in mappings_of(messages) if message.get("role") == "assistant"]


def _model_replies(record: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the messages that the agent's model wrote.

    A greeting at the beginning is a fixed text, for which no usage is recorded.
    """
    messages = mappings_of(record.get("messages"))
    replies = _assistant_messages(messages)
    if replies and replies[0] is messages[0] and not mapping_of(replies[0].get("usage")):
        return replies[1:]
    return replies


def _sum_tokens(
    replies: Sequence[Mapping[str, object]], usage: Mapping[str, object]
) -> tuple[float | None, float | None]:
    """Return the agent's input and output tokens; None unless all replies state them."""
    records = mappings_of(usage.get("records"))
    billed = [record for record in records if record.get("billable") is not False]
    if billed:
        return _sum_field(billed, "input_tokens"), _sum_field(billed, "output_tokens")
    usages = [mapping_of(reply.get("usage")) for reply in replies]
    return _sum_field(usages, "prompt_tokens"), _sum_field(usages, "completion_tokens")


def _sum_field(records: Iterable[Mapping[str, object]], key: str) -> float | None:
    """Return the sum of a field; None if there are no records, or a record lacks the field."""
    amounts = []
    for record in records:
        amount = amount_of(record.get(key))
        if amount is None:
            return None
        amounts.append(amount)
    return fsum(amounts) if amounts else None
