"""A simulation as tau2-bench or tau-bench writes it, as one value."""

from collections.abc import Mapping, Sequence
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
from sitegen.importers.tau2.checks import CHECKS_SHAPE, cases_of, measures_of

UNSCORED = frozenset({"infrastructure_error"})
"""Reasons to end a simulation without a verdict: tau2-bench leaves them out of its own figures."""

FINISHED = frozenset({"agent_stop", "user_stop"})
"""Reasons to end a simulation that is then graded."""

_MOST_TRIALS = 999

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
    "agent_usage": {
        "cost": None,
        "records": {"billable": None, "input_tokens": None, "output_tokens": None},
    },
    "reward_info": {"reward": None, **CHECKS_SHAPE},
    "info": {"error": None},
    "messages": {
        "role": None,
        "usage": {"prompt_tokens": None, "completion_tokens": None},
        "tool_calls": {"name": None},
    },
}
"""The keys of a simulation of tau2-bench that are taken."""

INDEX_SHAPE: Shape = {
    "id": None,
    "task_id": None,
    "trial": None,
    "reward": None,
    "termination_reason": None,
    "agent_cost": None,
    "duration": None,
}
"""The keys of an entry of `simulation_index`."""

OLD_SHAPE: Shape = {
    "task_id": None,
    "reward": None,
    "trial": None,
    "info": {"error": None, "user_cost": None, "task": {"actions": {"name": None}}},
    "traj": {"role": None, "tool_calls": {"id": None}},
}
"""The keys of an entry of a result list of tau-bench."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """One try at one task."""

    id: str
    """Empty where the file has none."""
    task: str
    trial: int | None
    """From 0; None where the file does not say."""
    reward: object
    """As the file has it; None where it has none."""
    ended: str = ""
    """Why it ended, in the words of tau2-bench; empty where the file does not say."""
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
    """Names of the reference actions of its task, in a file of tau-bench."""
    started: str = ""
    finished: str = ""

    @property
    def has_verdict(self) -> bool:
        """Whether the runner graded it, or gave it a reward for the way it ended."""
        return self.reward is not None and self.ended not in UNSCORED

    @property
    def is_early(self) -> bool:
        """Whether neither the agent nor the user ended it."""
        return bool(self.ended) and self.ended not in FINISHED

    @property
    def cause(self) -> str:
        """Why it has no usable reward."""
        if self.error:
            return self.error
        if self.has_verdict:
            return "its reward is no number"
        if self.is_early:
            return self.ended.replace("_", " ")
        return "it was not graded"


def simulation_of(record: Mapping[str, object]) -> Simulation | None:
    """Return a simulation of tau2-bench; None where it names no task."""
    simulation = indexed_simulation_of(record)
    if simulation is None:
        return None
    reward_info = mapping_of(record.get("reward_info"))
    usage = mapping_of(record.get("agent_usage"))
    replies = _replies(record)
    input_tokens, output_tokens = _tokens(replies, usage)
    cost = simulation.cost_usd
    if cost is None:
        cost = amount_of(usage.get("cost"))
    finished = text_of(record.get("end_time")) or text_of(record.get("timestamp")) or ""
    measures = measures_of(reward_info) | _user_cost(record)
    graded = replace(
        simulation,
        reward=reward_info.get("reward"),
        error=text_of(mapping_of(record.get("info")).get("error")) or "",
        cases=cases_of(reward_info),
        measures=measures,
        started=text_of(record.get("start_time")) or "",
        finished=finished,
    )
    return replace(
        _with_replies(graded, replies),
        cost_usd=cost,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
    )


def indexed_simulation_of(record: Mapping[str, object]) -> Simulation | None:
    """Return what the index of a folder says of a simulation; None where it names no task."""
    task = name_of(record.get("task_id"))
    if task is None:
        return None
    return Simulation(
        id=name_of(record.get("id")) or "",
        task=task,
        trial=count_of(record.get("trial"), _MOST_TRIALS),
        reward=record.get("reward"),
        ended=_ended(record),
        # LiteLLM gives a model whose price it does not know the cost 0.
        cost_usd=amount_of(record.get("agent_cost")) or None,
        seconds=amount_of(record.get("duration")),
    )


def _ended(record: Mapping[str, object]) -> str:
    """Return the reason that ended a simulation: `user_stop`, also of `TerminationReason.USER_STOP`."""
    reason = text_of(record.get("termination_reason"), longest=60) or ""
    return reason.rpartition(".")[2].lower()


def old_simulation_of(record: Mapping[str, object]) -> Simulation | None:
    """Return an entry of a result list of tau-bench; None where it names no task."""
    simulation = indexed_simulation_of(record)
    if simulation is None:
        return None
    info = mapping_of(record.get("info"))
    messages = mappings_of(record.get("traj"))
    replies = [message for message in messages if message.get("role") == "assistant"]
    actions = []
    for action in mappings_of(mapping_of(info.get("task")).get("actions")):
        name = text_of(action.get("name"))
        if name:
            actions.append(name)
    simulation = replace(
        _with_replies(simulation, replies), measures=_user_cost(info), actions=actions
    )
    if "error" not in info:
        return simulation
    # Where a run crashed, tau-bench writes the error, and a reward of 0 that nobody worked out.
    error = text_of(info.get("error")) or "an error without a message"
    return replace(simulation, reward=None, error=error)


def _user_cost(record: Mapping[str, object]) -> dict[str, float]:
    """Return what the simulated user cost, as a measure: it is not the agent's cost."""
    cost = amount_of(record.get("user_cost"))
    return {"user_cost_usd@tau2": cost} if cost else {}


def _with_replies(simulation: Simulation, replies: Sequence[Mapping[str, object]]) -> Simulation:
    """Return a simulation with the number of its agent's replies and tool calls, where it has any replies."""
    if not replies:
        return simulation
    tool_calls = sum(len(mappings_of(message.get("tool_calls"))) for message in replies)
    return replace(simulation, turns=len(replies), tool_calls=tool_calls)


def _replies(record: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the messages that the agent's model wrote: its greeting is fixed, and has no usage."""
    messages = mappings_of(record.get("messages"))
    replies = [message for message in messages if message.get("role") == "assistant"]
    if replies and replies[0] is messages[0] and not mapping_of(replies[0].get("usage")):
        return replies[1:]
    return replies


def _tokens(
    replies: Sequence[Mapping[str, object]], usage: Mapping[str, object]
) -> tuple[float | None, float | None]:
    """Return the agent's tokens, read and written; None where some reply does not tell its own."""
    records = [
        record
        for record in mappings_of(usage.get("records"))
        if record.get("billable") is not False
    ]
    read = [amount_of(record.get("input_tokens")) for record in records]
    written = [amount_of(record.get("output_tokens")) for record in records]
    if not records:
        usages = [mapping_of(message.get("usage")) for message in replies]
        read = [amount_of(token_counts.get("prompt_tokens")) for token_counts in usages]
        written = [amount_of(token_counts.get("completion_tokens")) for token_counts in usages]
    return _sum(read), _sum(written)


def _sum(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return fsum(known) if known and len(known) == len(amounts) else None
